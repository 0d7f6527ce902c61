"""Counts the metrics of a log again, from its stored lines alone: nothing of oneroom is imported.

    python examples/recompute_metrics.py runs/trials-week/logs/ab/ID.jsonl.zst runs/trials-week/trials.csv

Prints each metric; with the table of the batch it compares them digit by digit and leaves with 1 if any differs.
Left out are the few that need a story to be followed, not a count (requests_*, response_*, feedback_*, denied_with_effect).
"""

import csv
import json
import sys
from pathlib import Path
from statistics import median

import zstandard

NEEDS = ("energy", "satiety", "hydration", "bladder", "hygiene", "warmth", "rest", "social", "stimulation")
HOUR, DAY = 3_600_000, 86_400_000


def lines(path):
    with zstandard.ZstdDecompressor().stream_reader(Path(path).read_bytes(), read_across_frames=True) as stream:
        return [json.loads(line) for line in stream.read().splitlines()]


def share(part, whole):
    return round(part / whole, 6) if whole else None


def middle(values):
    found = median(values) if values else None
    return int(found) if found is not None and found == int(found) else found


def needs(of, first, last, tick_ms):
    out, ticks = {}, last - first
    for need in NEEDS:
        marks, levels = [], []
        for row in of("percept", "round", "digest"):
            data = row["data"]
            if row["kind"] != "percept":
                level = data["needs"][need] if row["kind"] == "digest" else data["felt"][NEEDS.index(need)]
                marks += [(row["tick"], level < 150)] if not levels else []
            elif data["what"] == "felt" and data["content"]["need"] == need:
                level = data["content"]["level"]
                marks.append((row["tick"], data["content"]["direction"] == "down" and level <= 150))
            else:
                continue
            levels.append(level)
        stretches, since = [], None
        for tick, critical in [*marks, (last, False)]:
            if critical and since is None:
                since = tick
            elif not critical and since is not None:
                stretches.append(tick - since)
                since = None
        out[f"need_ok_{need}"] = share(ticks - sum(stretches), ticks)
        out[f"need_critical_max_min_{need}"] = round(max(stretches, default=0) * tick_ms / 60_000, 6)
        out[f"need_lowest_{need}"] = min(levels)
    out["needs_ok"] = min(out[f"need_ok_{need}"] for need in NEEDS)
    out["needs_critical_max_min"] = max(out[f"need_critical_max_min_{need}"] for need in NEEDS)
    return out


def days(of, head, first, last):
    start, tick_ms = head["declaration"]["start_ms"], head["tick_ms"]
    span = (last - first) * tick_ms
    whole = span // DAY
    mine = [row for row in of("fact") if row["data"]["doer"] == "resident"]
    asleep, began = [], None
    for row in [each for each in mine if each["data"]["skill"] in ("sleep", "nap")]:
        if row["data"]["fact"] == "skill_started":
            began = row["tick"]
        elif row["data"]["fact"] == "skill_ended" and began is not None:
            asleep.append((began, row["tick"]))
            began = None
    asleep += [] if began is None else [(began, last)]
    asleep = [(start + a * tick_ms, start + b * tick_ms) for a, b in asleep]

    def within(a, b):  # ms of sleep between two moments
        return sum(max(0, min(b, to) - max(a, at)) for at, to in asleep)

    def nightly(fall, rise):
        return sum(within(day * DAY + fall, day * DAY + fall + (rise - fall) % DAY) for day in range(-1, span // DAY + 3))

    total = sum(b - a for a, b in asleep)
    noons = range(DAY // 2, start + last * tick_ms - DAY + 1, DAY)
    slept = [within(noon, noon + DAY) for noon in noons if noon >= start + first * tick_ms]
    done = [row for row in of("task") if row["data"]["state"] == "done"]
    per_day = DAY // tick_ms
    tables = {row["id"] for row in of("task") if row["data"]["task"] in ("eat_cold_meal", "cook_meal") and row["data"]["state"] != "done"}
    bites = {row["id"] for row in of("skill") if row["data"]["skill"] in ("eat", "eat_meal") and tables & set(row["causes"])}
    eaten = [row for row in of("fact") if row["data"]["fact"] == "skill_ended" and bites & set(row["causes"])]
    meals = [(row["tick"] - first) // per_day for row in eaten if row["data"]["data"]["result"] == "ok"]
    meals = [meals.count(day) for day in range(whole)]
    habits = [len({row["id"] for row in of("practice") if (row["tick"] - first) // per_day == day}) for day in range(whole)]
    steps, path = 0, []
    for row in [each for each in mine if each["data"]["skill"] == "walk_to"]:
        if row["data"]["fact"] == "skill_started":
            path = row["data"].get("path_ticks", [])
        elif row["data"]["fact"] == "skill_ended":
            steps, path = steps + sum(at <= row["tick"] for at in path), []
    steps += sum(at <= last for at in path)
    seen = of("fact", "ordinal", "task")[0]["tick"]
    new = [row for row in of("ordinal") if row["tick"] > seen and row["data"]["kind"] != "person"]
    return {
        "sleep_h_per_day": round(total * DAY / (span * HOUR), 6) if whole else None,
        "sleep_h_day_min": round(min(slept) / HOUR, 6) if slept else None,
        "sleep_h_day_max": round(max(slept) / HOUR, 6) if slept else None,
        "sleep_night_share": share(nightly(21 * HOUR, 9 * HOUR), total),
        "sleep_own_night_share": share(nightly(head["persona"]["bed_ms"], head["persona"]["wake_ms"]), total),
        "meals_per_day": share(sum(meals), whole), "meals_day_min": min(meals, default=None), "meals_day_max": max(meals, default=None),
        "practices_per_day": share(sum(habits), whole), "practices_day_min": min(habits, default=None),
        "tasks_different": len({row["data"]["task"] for row in done}),
        "walk_cells_per_hour": round(steps * HOUR / span, 6), "explored_new": len(new),
        "explored_done": sum(row["data"]["task"] in ("explore_room", "inspect") for row in done),
    }


def deeds(of, span):
    tasks = [row["data"] for row in of("task")]
    ended = [task for task in tasks if task["state"] in ("done", "failed", "given_up", "cancelled")]
    owed = [task for task in ended if task.get("kind") == "obligation"]
    in_a_row, worst, before = 0, 0, ""
    learned = [row for row in of("learn") if row["data"]["domain"] == "skill"]
    for row in learned:
        failed = bool(row["data"]["row"])
        in_a_row = (in_a_row + 1 if row["id"] == before else 1) if failed else 0
        worst, before = max(worst, in_a_row), row["id"] if failed else ""
    commits = [row["data"] for row in of("commit")]
    by = [commit["decided_by"] for commit in commits]
    rounds = [row["data"] for row in of("round")]
    ties = [len(each["group"]) for each in rounds if len(each["group"]) > 1]
    groups = {row["id"]: row["data"]["group"] for row in of("round")}
    outside = 0
    for row in of("commit"):
        group = next((groups.get(cause) for cause in row["causes"] if cause.startswith("rnd-")), None)
        free = row["data"]["label"] or row["data"]["decided_by"] in ("fallback", "rule")
        outside += group is not None and row["data"]["choice"] not in group and not free
    ends = [row["data"] for row in of("fact") if row["data"]["doer"] == "resident"]
    refused = sum(each["fact"] == "skill_refused" for each in ends)
    ends = [each["data"] for each in ends if each["fact"] == "skill_ended"]
    tried = refused + sum(each["result"] != "stopped" for each in ends)
    failed = sum(each["result"] in ("failed", "timeout") for each in ends)
    kinds = ("rule", "clear", "sys1", "deterministic", "sys2", "fallback")
    return {
        "commitments_ended": len(ended), "commitments_kept": share(sum(task["state"] == "done" for task in ended), len(ended)),
        "commitments_replaced": sum(task["state"] == "replaced" for task in tasks),
        "obligations_ended": len(owed), "obligations_kept": share(sum(task["state"] == "done" for task in owed), len(owed)),
        "goal_tasks_done": sum(task["state"] == "done" and bool(task.get("goal")) for task in tasks),
        "same_method_failed_in_a_row_max": worst,
        "method_failures_without_success_max": max((row["data"]["row"] for row in learned), default=0),
        **{f"decisions_{kind}": by.count(kind) for kind in kinds}, "decisions": len(by),
        "rounds_per_hour": round(len(rounds) * HOUR / span, 6), "near_tie_share": share(len(ties), len(rounds)),
        "near_tie_members": share(sum(ties), len(ties)), "commits_outside_group": outside,
        "gap_median": middle([each["candidates"][0][7] - each["candidates"][1][7] for each in rounds if len(each["candidates"]) > 1]),
        "intuitions_used": len({each["intuition"] for each in rounds if each.get("intuition")}),
        "intuition_share": share(by.count("sys1"), len(by)),
        "mood_pleasure": share(sum(each["mood"][0] for each in rounds), len(rounds)),
        "mood_arousal": share(sum(each["mood"][1] for each in rounds), len(rounds)),
        "mood_pleasure_min": min((each["mood"][0] for each in rounds), default=None),
        "skill_success": share(tried - failed - refused, tried), "skill_refused": share(refused, tried),
        "injuries": sum(each.get("failure") in ("burned", "choked") for each in ends),
    }


def model(of, span, tick_ms):
    asked = {row["id"]: row["tick"] for row in of("request")}
    parts = [row["data"]["what"] for row in of("part")]
    replies = [row["data"] for row in of("reply")]
    rulings = of("ruling")
    how = ("committed", "stale", "expired", "cancelled", "rejected", "fallback")
    settled = [row for row in rulings if row["data"]["what"] in ("commit", "end") and row["data"]["end"] in how]
    ends = [row["data"]["end"] for row in settled]
    wait = middle([row["tick"] - asked[row["id"]] for row in settled if row["id"] in asked])
    sure = []
    for reply in replies:
        try:
            said = json.loads(reply["raw"] or "").get("confidence")
        except (ValueError, AttributeError):
            continue
        sure += [said] if type(said) is int and 0 <= said <= 100 else []
    labels = sum(row["data"]["label"] in ("wait", "refuse", "none_feasible") for row in of("commit"))
    over = of("end")
    return {
        "model_requests": len(asked), **{f"model_{end}": ends.count(end) for end in how},
        "model_calls": len(parts), "model_calls_per_hour": round(len(parts) * HOUR / span, 6),
        "model_repairs": parts.count("repair"), "model_reasks": parts.count("reask"), "model_samples": parts.count("sample"),
        "model_failures": sum(bool(reply["failure"]) for reply in replies),
        "model_faults": sum(row["data"]["fault"] is not None for row in rulings),
        "model_ignored": sum(row["data"]["what"] == "ignored" for row in rulings),
        "model_tokens": sum(reply["tokens_in"] + reply["tokens_out"] for reply in replies),
        "model_wait_ms_median": None if wait is None else wait * tick_ms,
        "model_committed_share": share(ends.count("committed"), len(asked)),
        "model_label_share": share(labels, ends.count("committed")),
        "model_wall_capped": sum(bool(reply["wall_capped"]) for reply in replies),
        "degraded_share": share(over[-1]["data"]["degraded_ticks"] * tick_ms, span) if over else None,
        "confidence_answers": len(sure), "confidence_mean": share(sum(sure), len(sure)), "confidence_min": min(sure, default=None),
    }


def channels(of, span, tick_ms):
    put = {row["id"]: row["data"]["channel"] for row in of("input") if row["id"]}
    denied = {row["id"] for row in of("receipt") if row["data"]["status"] != "accepted"}
    last = {row["id"]: row["data"] for row in of("feedback") if row["id"]}
    out, delays = {}, []
    for channel in ("physical", "dialogue", "inner_voice", "system"):
        names = [name for name, where in put.items() if where == channel]
        let_in = [name for name in names if name not in denied]
        told = [last[name] for name in let_in if name in last]
        seen = [each for each in told if each["perceived"]]
        delays += [each["perceived_tick"] - each["tick"] for each in seen]
        stances = [each["stance"] for each in told if each["stance"]]
        ended = [each["outcome"] for each in told if each["outcome"] in ("done", "failed")]
        out |= {
            f"{channel}_inputs": len(names), f"{channel}_denied": share(len(names) - len(let_in), len(names)),
            f"{channel}_perceived": share(len(seen), len(let_in)),
            f"{channel}_complied": share(stances.count("accepted"), len(stances)),
            f"{channel}_refused": share(stances.count("refused"), len(stances)),
            f"{channel}_done": share(ended.count("done"), len(ended)),
        }
    delay = middle(delays)
    out["perception_ms_median"] = None if delay is None else delay * tick_ms
    out["inputs_per_hour"] = round(len(put) * HOUR / span, 6)
    return out


def recompute(path):
    """Return metric -> value."""
    head, *rows = lines(path)

    def of(*kinds):
        return [row for row in rows if row["kind"] in kinds]

    first, last, tick_ms = rows[0]["tick"], rows[-1]["tick"], head["tick_ms"]
    span = (last - first) * tick_ms
    return {
        **needs(of, first, last, tick_ms), **days(of, head, first, last), **deeds(of, span), **model(of, span, tick_ms),
        **channels(of, span, tick_ms),
    }


def main(log, table=None):
    found = recompute(log)
    if table is None:
        print("\n".join(f"{name}: {value}" for name, value in found.items()))
        return 0
    trial = lines(log)[0]["trial_id"]
    with Path(table).open(encoding="utf-8", newline="") as file:
        row = next((each for each in csv.DictReader(file) if each["trial"] == trial), None)
    if row is None:
        print(f"the table has no trial {trial}")
        return 1
    wrong = [name for name, value in found.items() if row[name] != ("" if value is None else str(value))]
    for name in wrong:
        print(f"{name}: counted {found[name]}, the table says {row[name]}")
    print(f"{len(found) - len(wrong)} of {len(found)} metrics agree to the last digit")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
