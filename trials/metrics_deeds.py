"""Metrics of what the resident takes on, decides and gets wrong: commitments, decisions, failures, feelings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trials.metrics_form import HOUR_MS, Family, Metric, Number, Row, Span, median, per, share

ENDS = ("done", "failed", "given_up", "cancelled")
DECISIONS = ("rule", "clear", "sys1", "deterministic", "sys2", "fallback")
RESIDENT = "resident"
HARMS = ("burned", "choked")
"""Failures that hurt the body."""


class Commitments:
    """How what was taken on ended, and how often one method failed in a row."""

    kinds = ("task", "learn")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.ended: dict[str, int] = dict.fromkeys((*ENDS, "replaced"), 0)
        self.obligations: dict[str, int] = dict.fromkeys((*ENDS, "replaced"), 0)
        self.goals = 0
        self.method, self.run, self.worst_run = "", 0, 0
        self.worst_row = 0

    def take(self, row: Row) -> None:
        """Count ends; follow the failures of a method."""
        data = row["data"]
        if row["kind"] == "task":
            if data["state"] in self.ended:
                self.ended[data["state"]] += 1
                if data.get("kind") == "obligation":
                    self.obligations[data["state"]] += 1
                self.goals += bool(data["state"] == "done" and data.get("goal"))
        elif data["domain"] == "skill":
            failures = data["row"]
            self.worst_row = max(self.worst_row, failures)
            same = failures and row["id"] == self.method
            self.run = (self.run + 1 if same else 1) if failures else 0
            self.method = row["id"] if failures else ""
            self.worst_run = max(self.worst_run, self.run)

    def values(self, _: Span) -> dict[str, Number]:
        """Return shares kept and the longest runs of failures."""
        kept, owed = self.ended, self.obligations
        return {
            "commitments_ended": sum(kept[how] for how in ENDS),
            "commitments_kept": share(kept["done"], sum(kept[how] for how in ENDS)),
            "commitments_replaced": kept["replaced"],
            "obligations_ended": sum(owed[how] for how in ENDS),
            "obligations_kept": share(owed["done"], sum(owed[how] for how in ENDS)),
            "goal_tasks_done": self.goals,
            "same_method_failed_in_a_row_max": self.worst_run,
            "method_failures_without_success_max": self.worst_row,
        }


COMMITMENT_METRICS = (
    Metric(
        "commitments_ended",
        "count",
        ("Commitments ended", "结束的承诺"),
        (
            "Task records done, failed, given_up or cancelled: every intention or obligation that ended, but for "
            "those that a better one replaced.",
            "状态为 done、failed、given_up 或 cancelled 的任务记录：所有已结束的意图与义务，不含被替换者。",
        ),
    ),
    Metric(
        "commitments_kept",
        "share",
        ("Commitments kept", "履行的承诺"),
        ("Done, of commitments_ended.", "commitments_ended 中 done 的比例。"),
    ),
    Metric(
        "commitments_replaced",
        "count",
        ("Commitments replaced", "被替换的承诺"),
        (
            "Task records replaced; not in commitments_ended.",
            "状态为 replaced 的任务记录，不计入 commitments_ended。",
        ),
    ),
    Metric(
        "obligations_ended",
        "count",
        ("Obligations ended", "结束的义务"),
        (
            "Those of commitments_ended that were taken on for someone.",
            "commitments_ended 中对他人承担的部分。",
        ),
    ),
    Metric(
        "obligations_kept",
        "share",
        ("Obligations kept", "履行的义务"),
        ("Done, of obligations_ended.", "obligations_ended 中 done 的比例。"),
    ),
    Metric(
        "goal_tasks_done",
        "count",
        ("Goal tasks done", "完成的目标任务"),
        ("Tasks done that were begun for a long-term goal.", "为长期目标而开始并完成的任务。"),
    ),
    Metric(
        "same_method_failed_in_a_row_max",
        "count",
        ("Same failing method in a row", "同一方法连续失败"),
        (
            "Longest run of task ends in which the same method failed, one right after the other (learn records).",
            "同一方法紧接着再次失败的最长连续次数（skill 领域的 learn 记录）。",
        ),
    ),
    Metric(
        "method_failures_without_success_max",
        "count",
        ("Failures of a method without success between", "方法无成功间隔的失败"),
        (
            "Most failures of one method without a success of it in between, whatever else was done in between.",
            "同一方法在其一次成功之前累计失败的最大次数，不论其间做了什么。",
        ),
    ),
)


class Decisions:
    """Who decided, how close it was, and whether the rules of the near tie were kept."""

    kinds = ("round", "commit")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.by: dict[str, int] = dict.fromkeys(DECISIONS, 0)
        self.rounds = self.ties = self.wide = 0
        self.gaps: list[int] = []
        self.members = 0
        self.groups: dict[str, tuple[str, ...]] = {}
        self.outside = 0
        self.intuitions: dict[str, int] = {}
        self.pleasure = self.arousal = 0
        self.lowest = 1001

    def take(self, row: Row) -> None:
        """Count a round or a commit."""
        data = row["data"]
        if row["kind"] == "commit":
            self.by[data["decided_by"]] = self.by.get(data["decided_by"], 0) + 1
            cause = next((each for each in row["causes"] if each.startswith("rnd-")), "")
            group = self.groups.get(cause)
            inside = (
                group is None
                or data["choice"] in group
                or data["label"]
                or data["decided_by"] in ("fallback", "rule")
            )
            self.outside += not inside
            return
        self.rounds += 1
        group = tuple(data["group"])
        self.groups[row["id"]] = group
        if len(self.groups) > 256:  # A request is answered within a few rounds of the one that asked it.
            del self.groups[next(iter(self.groups))]
        self.ties += len(group) > 1
        self.members += len(group) if len(group) > 1 else 0
        scores = [each[7] for each in data["candidates"][:2]]
        if len(scores) == 2:
            self.gaps.append(scores[0] - scores[1])
        if data.get("intuition"):
            self.intuitions[data["intuition"]] = self.intuitions.get(data["intuition"], 0) + 1
        pleasure, arousal = data["mood"]
        self.pleasure += pleasure
        self.arousal += arousal
        self.lowest = min(self.lowest, pleasure)

    def values(self, span: Span) -> dict[str, Number]:
        """Return the counts."""
        made = sum(self.by.values())
        return {
            **{f"decisions_{kind}": self.by[kind] for kind in DECISIONS},
            "decisions": made,
            "rounds_per_hour": per(self.rounds, HOUR_MS, span.ms),
            "near_tie_share": share(self.ties, self.rounds),
            "near_tie_members": share(self.members, self.ties),
            "gap_median": median(self.gaps),
            "commits_outside_group": self.outside,
            "intuitions_used": len(self.intuitions),
            "intuition_share": share(self.by["sys1"], made),
            "mood_pleasure": share(self.pleasure, self.rounds),
            "mood_arousal": share(self.arousal, self.rounds),
            "mood_pleasure_min": self.lowest if self.rounds else None,
        }


DECISION_METRICS = (
    *(
        Metric(
            f"decisions_{kind}",
            "count",
            (f"Decisions: {kind}", f"决定：{kind}"),
            (f"Commits decided by {kind}.", f"由 {kind} 作出的提交。"),
        )
        for kind in DECISIONS
    ),
    Metric("decisions", "count", ("Decisions", "决定"), ("All commits.", "全部提交。")),
    Metric(
        "rounds_per_hour",
        "count/h",
        ("Rounds an hour", "每小时认知轮次"),
        ("Rounds per simulated hour.", "每模拟小时的轮次。"),
    ),
    Metric(
        "near_tie_share",
        "share",
        ("Near ties", "近似平局"),
        (
            "Rounds whose near-tie group had two members or more, of all rounds.",
            "近似平局组有两个以上成员的轮次比例。",
        ),
    ),
    Metric(
        "near_tie_members",
        "count",
        ("Members of a near tie", "近似平局成员"),
        ("Mean size of the groups of two or more.", "两个以上成员的组的平均大小。"),
    ),
    Metric(
        "gap_median",
        "thousandths",
        ("Gap between the best two", "前两名差距"),
        ("Median of best minus second score over the rounds.", "各轮最高分与次高分之差的中位数。"),
    ),
    Metric(
        "commits_outside_group",
        "count",
        ("Commits outside the group", "组外提交"),
        (
            "Commits of something that was not in the near-tie group and bears no label; must be 0.",
            "提交了不在近似平局组内且无标签的选项；必须为 0。",
        ),
    ),
    Metric(
        "intuitions_used",
        "count",
        ("Intuitions that decided", "起决定作用的直觉"),
        ("Different intuitions that settled a round.", "解决轮次的不同直觉数。"),
    ),
    Metric(
        "intuition_share",
        "share",
        ("Decided by intuition", "直觉决定比例"),
        ("decisions_sys1 of decisions.", "decisions_sys1 占 decisions 的比例。"),
    ),
    Metric(
        "mood_pleasure",
        "thousandths",
        ("Pleasure", "愉悦度"),
        ("Mean pleasure over the rounds; 500 is neutral.", "各轮愉悦度均值，500 为中性。"),
    ),
    Metric(
        "mood_arousal",
        "thousandths",
        ("Arousal", "唤醒度"),
        ("Mean arousal over the rounds.", "各轮唤醒度均值。"),
    ),
    Metric(
        "mood_pleasure_min",
        "thousandths",
        ("Lowest pleasure", "最低愉悦度"),
        ("Least pleasure at a round.", "各轮愉悦度的最小值。"),
    ),
)


class Body:
    """What the body tried and what came of it in the room."""

    kinds = ("fact",)

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.tried = self.failed = self.refused = self.hurt = 0

    def take(self, row: Row) -> None:
        """Count the resident's own skills."""
        data = row["data"]
        if data["doer"] != RESIDENT:
            return
        if data["fact"] == "skill_refused":
            self.tried += 1
            self.refused += 1
        elif data["fact"] == "skill_ended":
            result, failure = data["data"]["result"], data["data"].get("failure", "")
            self.tried += result != "stopped"
            self.failed += result in ("failed", "timeout")
            self.hurt += failure in HARMS

    def values(self, _: Span) -> dict[str, Number]:
        """Return shares and harm."""
        return {
            "skill_success": share(self.tried - self.failed - self.refused, self.tried),
            "skill_refused": share(self.refused, self.tried),
            "injuries": self.hurt,
        }


BODY_METRICS = (
    Metric(
        "skill_success",
        "share",
        ("Skills that succeeded", "成功的技能"),
        (
            "The resident's skills that ended ok, of those that were not stopped.",
            "居住者未被中止的技能中成功的比例。",
        ),
    ),
    Metric(
        "skill_refused",
        "share",
        ("Skills that could not begin", "无法开始的技能"),
        (
            "Skills that the room refused because something needed was not so.",
            "因条件不满足被房间拒绝的技能比例。",
        ),
    ),
    Metric(
        "injuries",
        "count",
        ("Injuries", "受伤"),
        ("Skills of the resident that ended burned or choked.", "居住者以烫伤或噎住告终的技能。"),
    ),
)

FAMILIES = (
    Family(Commitments, COMMITMENT_METRICS),
    Family(Decisions, DECISION_METRICS),
    Family(Body, BODY_METRICS),
)
