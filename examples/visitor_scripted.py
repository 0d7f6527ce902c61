"""A scripted visitor in the Gymnasium environment: comes in, greets, asks for one thing, watches, leaves."""

import gymnasium

import sim.gym_env  # noqa: F401  # makes oneroom/Visitor-v0 known

PLAN = ["enter", "say hello", "walk table", "ask open window", *["wait"] * 150, "leave"]


def main(seed: int = 1) -> float:
    env = gymnasium.make("oneroom/Visitor-v0", minutes=30)
    acts = [act.name for act in env.unwrapped.acts]
    _, info = env.reset(seed=seed)
    total, told = 0.0, {}
    for name in PLAN:
        _, reward, terminated, truncated, info = env.step(acts.index(name))
        total += float(reward)
        row = info["feedback"]
        if row and row != told:
            print(f"tick {info['tick']}: {row['id']} {row['op']}: {row['receipt']}, "
                  f"{'perceived' if row['perceived'] else 'not perceived'}, {row['stance'] or '-'}, {row['outcome'] or '-'}")
        told = row
        if terminated or truncated:
            break
    env.close()
    print(f"reward {total:g}")
    return total


if __name__ == "__main__":
    main()
