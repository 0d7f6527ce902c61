"""A random visitor in the Gymnasium environment: tries anything that the channels allow, and counts what came of it."""

from collections import Counter

import gymnasium

import sim.gym_env  # noqa: F401  # makes oneroom/Visitor-v0 known


def main(seed: int = 1, steps: int = 120) -> Counter[str]:
    env = gymnasium.make("oneroom/Visitor-v0", minutes=30)
    env.action_space.seed(seed)
    env.reset(seed=seed)
    counts: Counter[str] = Counter()
    for _ in range(steps):
        _, reward, terminated, truncated, info = env.step(env.action_space.sample())
        row = info["feedback"]
        if row:
            counts[row["receipt"] + (f" ({row['reason']})" if row["receipt"] == "denied" else "")] += 1
        counts["reward"] += reward > 0
        if terminated or truncated:
            break
    env.close()
    for what, count in counts.most_common():
        print(f"{count:4d}  {what}")
    return counts


if __name__ == "__main__":
    main()
