"""Metrics of the model's part: requests by end, repairs, faults, latency, tokens, confidence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from trials.metrics_form import HOUR_MS, Family, Metric, Number, Row, Span, median, per, share

ENDS = ("committed", "stale", "expired", "cancelled", "rejected", "fallback")
LABELS = ("wait", "refuse", "none_feasible")


class Model:
    """What was asked of a model and what came of it."""

    kinds = ("request", "part", "reply", "ruling", "commit", "end")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.asked: dict[str, int] = {}
        self.by_end: dict[str, int] = dict.fromkeys(ENDS, 0)
        self.parts: dict[str, int] = dict.fromkeys(("ask", "repair", "reask", "sample"), 0)
        self.replies = self.failures = self.faults = self.tokens = self.ignored = self.capped = 0
        self.waits: list[int] = []
        self.confidences: list[int] = []
        self.labels = self.committed = 0
        self.degraded: int | None = None

    def take(self, row: Row) -> None:
        """Count one record."""
        kind, data, tick = row["kind"], row["data"], int(row["tick"])
        if kind == "request":
            self.asked[row["id"]] = tick
        elif kind == "part":
            self.parts[data["what"]] = self.parts.get(data["what"], 0) + 1
        elif kind == "reply":
            self.replies += 1
            self.failures += bool(data["failure"])
            self.capped += bool(data["wall_capped"])
            self.tokens += data["tokens_in"] + data["tokens_out"]
            confidence = confidence_of(data["raw"])
            if confidence is not None:
                self.confidences.append(confidence)
        elif kind == "ruling":
            self.faults += data["fault"] is not None
            self.ignored += data["what"] == "ignored"
            if data["what"] in ("commit", "end") and data["end"] in self.by_end:
                self.by_end[data["end"]] += 1
                if row["id"] in self.asked:
                    self.waits.append(tick - self.asked[row["id"]])
        elif kind == "commit":
            self.committed += 1
            self.labels += data["label"] in LABELS
        else:
            self.degraded = data.get("degraded_ticks", 0)

    def values(self, span: Span) -> dict[str, Number]:
        """Return the counts."""
        ticks = span.to_tick - span.from_tick
        asked = len(self.asked)
        wait = median(self.waits)
        return {
            "model_requests": asked,
            **{f"model_{end}": self.by_end[end] for end in ENDS},
            "model_calls": sum(self.parts.values()),
            "model_calls_per_hour": per(sum(self.parts.values()), HOUR_MS, span.ms),
            "model_repairs": self.parts["repair"],
            "model_reasks": self.parts["reask"],
            "model_samples": self.parts["sample"],
            "model_failures": self.failures,
            "model_faults": self.faults,
            "model_ignored": self.ignored,
            "model_tokens": self.tokens,
            "model_wait_ms_median": None if wait is None else wait * span.tick_ms,
            "model_committed_share": share(self.by_end["committed"], asked),
            "model_label_share": share(self.labels, self.by_end["committed"]),
            "model_wall_capped": self.capped,
            "degraded_share": None if self.degraded is None else share(self.degraded, ticks),
            "confidence_answers": len(self.confidences),
            "confidence_mean": share(sum(self.confidences), len(self.confidences)),
            "confidence_min": min(self.confidences, default=None),
        }


def confidence_of(raw: str | None) -> int | None:
    """Return the confidence that a reply states, 0 to 100, or None; it is never imputed."""
    if not raw or "confidence" not in raw:
        return None
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    stated = value.get("confidence") if isinstance(value, dict) else None
    return stated if type(stated) is int and 0 <= stated <= 100 else None


METRICS = (
    Metric(
        "model_requests",
        "count",
        ("Requests to the model", "模型请求"),
        ("Request records.", "request 记录数。"),
    ),
    *(
        Metric(
            f"model_{end}",
            "count",
            (f"Requests: {end}", f"请求：{end}"),
            (f"Requests whose ruling ended them as {end}.", f"裁决以 {end} 结束的请求。"),
        )
        for end in ENDS
    ),
    Metric(
        "model_calls",
        "count",
        ("Calls to the model", "模型调用"),
        ("Parts that went out: ask, repair, reask, sample.", "发出的部分总数。"),
    ),
    Metric(
        "model_calls_per_hour",
        "count/h",
        ("Calls an hour", "每小时模型调用"),
        ("Calls per simulated hour.", "每模拟小时的模型调用。"),
    ),
    Metric("model_repairs", "count", ("Repairs", "修复"), ("Parts of kind repair.", "repair 部分数。")),
    Metric("model_reasks", "count", ("Asked again", "再问"), ("Parts of kind reask.", "reask 部分数。")),
    Metric("model_samples", "count", ("Samples", "采样"), ("Parts of kind sample.", "sample 部分数。")),
    Metric(
        "model_failures",
        "count",
        ("Calls without a reply", "无答复调用"),
        ("Replies with a failure.", "带 failure 的答复。"),
    ),
    Metric(
        "model_faults",
        "count",
        ("Unreadable replies", "不可读答复"),
        ("Rulings that name a fault.", "指明 fault 的裁决。"),
    ),
    Metric(
        "model_ignored",
        "count",
        ("Ignored replies", "忽略的答复"),
        ("Late, double or foreign replies that changed nothing.", "迟到、重复或外来的答复。"),
    ),
    Metric(
        "model_tokens",
        "count",
        ("Tokens", "词元"),
        ("Prompt and answer tokens as the provider counts them.", "提供方统计的提示与答复词元。"),
    ),
    Metric(
        "model_wait_ms_median",
        "ms",
        ("Request duration, median", "请求时长中位数"),
        ("Simulated time from request to its end.", "从请求到结束的模拟时间。"),
    ),
    Metric(
        "model_committed_share",
        "share",
        ("Requests committed", "已提交请求比例"),
        ("model_committed of model_requests.", "model_committed 占 model_requests 的比例。"),
    ),
    Metric(
        "model_label_share",
        "share",
        ("Explicit ends", "明示结束"),
        (
            "Commits labelled wait, refuse or none_feasible, of model_committed.",
            "带 wait、refuse、none_feasible 标签的提交比例。",
        ),
    ),
    Metric(
        "model_wall_capped",
        "count",
        ("Wall caps hit", "触及墙钟上限"),
        ("Replies cut by the wall-clock cap.", "被墙钟上限截断的答复。"),
    ),
    Metric(
        "degraded_share",
        "share",
        ("Time without a usable model", "模型不可用时间"),
        ("degraded_ticks of all ticks.", "degraded_ticks 占全部时刻的比例。"),
        "end",
    ),
    Metric(
        "confidence_answers",
        "count",
        ("Answers with a confidence", "带置信度的答复"),
        ("Replies that state a confidence 0-100.", "给出 0-100 置信度的答复。"),
    ),
    Metric(
        "confidence_mean",
        "percent",
        ("Stated confidence, mean", "平均置信度"),
        ("Mean over those answers.", "上述答复的均值。"),
    ),
    Metric(
        "confidence_min",
        "percent",
        ("Stated confidence, lowest", "最低置信度"),
        ("Least of those answers.", "上述答复的最小值。"),
    ),
)

FAMILIES = (Family(Model, METRICS),)
