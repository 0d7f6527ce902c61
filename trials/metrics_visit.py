"""Metrics of the visitor's side: requests and their stances, the four channels, response times, honest feedback."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trials.metrics_form import Family, Metric, Number, Row, Span, median, per, share

CHANNELS = ("physical", "dialogue", "inner_voice", "system")
ENDS = ("done", "failed", "given_up", "cancelled", "replaced")
UNANSWERED = ("speaker_left", "no_answer")
STANCES = ("accepted", "refused", "negotiating", "postponed", "ended")
HOUR_MS = 3_600_000


class Requests:
    """Every asking, each for itself, until it gets its first stance, and what came of those accepted."""

    kinds = ("matter",)

    def __init__(self, header: Mapping[str, Any]) -> None:
        self.within = int(header["params"]["answer_within_ms"]) // int(header["tick_ms"])
        self.open: dict[str, int] = {}
        self.made: dict[str, str] = {}
        self.first: dict[str, str] = {}
        self.waits: list[int] = []
        self.askings = 0
        self.in_time = 0
        self.accepted: dict[str, str] = {}

    def take(self, row: Row) -> None:
        """Follow each asking from its stance to its outcome; the same thing asked again is an asking of its own."""
        data, name, tick = row["data"], row["id"], int(row["tick"])
        stance = data["stance"]
        if "mark" in data:
            self.made.setdefault(name, data["mark"])
        if self.made.get(name) != "request":
            return
        asked = [f"{name}/{origin}" for origin in data.get("origins", ("",))]
        if stance == "considering":
            if data.get("reason") != "came_back":
                self.askings += 1
                self.open |= dict.fromkeys(asked, tick)
            return
        if "asked" in data and "waited" not in data:
            self.askings += 1  # Put again while the stance stands, and told so at once.
            self.open |= dict.fromkeys(asked, tick)
        for asking in asked:
            if asking in self.open:
                waited = tick - self.open.pop(asking)
                self.waits += [waited] if "waited" in data or data.get("reason") in UNANSWERED else []
                self.in_time += waited <= self.within
                self.first[asking] = stance
            if asking in self.first and stance == "accepted":
                self.accepted.setdefault(asking, "")
            if asking in self.accepted and "outcome" in data:
                self.accepted[asking] = self.accepted[asking] or data["outcome"]

    def values(self, span: Span) -> dict[str, Number]:
        """Return the counts. An asking too young to be overdue when the run ends is left out."""
        young = sum(span.to_tick - tick <= self.within for tick in self.open.values())
        due = self.askings - young
        first = list(self.first.values())
        carried = sum(how == "done" for how in self.accepted.values())
        return {
            "requests_put": self.askings,
            "requests_handled": share(self.in_time, due),
            "requests_accepted": share(first.count("accepted"), len(first)),
            "requests_refused": share(first.count("refused"), len(first)),
            "requests_postponed": share(first.count("postponed"), len(first)),
            "requests_carried_out": share(carried, len(self.accepted)),
            "response_ms_median": _ms(median(self.waits), span),
            "response_ms_max": _ms(max(self.waits, default=None), span),
        }


def _ms(ticks: Number, span: Span) -> Number:
    return None if ticks is None else ticks * span.tick_ms


REQUEST_METRICS = (
    Metric(
        "requests_put",
        "count",
        ("Requests put", "提出的请求"),
        ("Askings of matters marked request that were heard.", "被听到的请求次数。"),
    ),
    Metric(
        "requests_handled",
        "share",
        ("Requests handled in time", "及时处理的请求"),
        (
            "Askings that got a stance within answer_within_ms (a parameter, in the header), of those due by the end.",
            "在 answer_within_ms 内得到立场的请求，占结束前应答复者的比例。",
        ),
    ),
    Metric(
        "requests_accepted",
        "share",
        ("Requests accepted", "接受的请求"),
        ("Askings whose first stance was accepted, of those with a stance.", "首个立场为接受的请求比例。"),
    ),
    Metric(
        "requests_refused",
        "share",
        ("Requests refused", "拒绝的请求"),
        ("Askings whose first stance was refused, of those with a stance.", "首个立场为拒绝的请求比例。"),
    ),
    Metric(
        "requests_postponed",
        "share",
        ("Requests postponed", "推迟的请求"),
        ("Askings whose first stance was postponed, of those with a stance.", "首个立场为推迟的请求比例。"),
    ),
    Metric(
        "requests_carried_out",
        "share",
        ("Accepted requests carried out", "已执行的接受请求"),
        (
            "Accepted askings whose outcome was done, of all ever accepted.",
            "结果为 done 的已接受请求占全部已接受请求的比例。",
        ),
    ),
    Metric(
        "response_ms_median",
        "ms",
        ("Response time, median", "响应时间中位数"),
        ("Simulated time from hearing a request to its first stance.", "从听到请求到首个立场的模拟时间。"),
    ),
    Metric(
        "response_ms_max",
        "ms",
        ("Response time, longest", "最长响应时间"),
        ("Longest of the same.", "上述时间的最大值。"),
    ),
)


class Channels:
    """What went in through each channel, what was let through, perceived, agreed to and done."""

    kinds = ("input", "receipt", "feedback")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.channel: dict[str, str] = {}
        self.put_in: dict[str, int] = {}
        self.denied: dict[str, str] = {}
        self.last: dict[str, Mapping[str, Any]] = {}
        self.agreed: dict[str, int] = {}

    def take(self, row: Row) -> None:
        """Keep the last word on each intervention, and whether it was ever agreed to."""
        name, data = row["id"], row["data"]
        if not name:
            return
        if row["kind"] == "input":
            self.channel[name] = data["channel"]
            self.put_in[name] = int(row["tick"])
        elif row["kind"] == "receipt":
            if data["status"] != "accepted":
                self.denied[name] = data["reason"]
        else:
            self.last[name] = data
            if data["stance"] == "accepted":
                self.agreed[name] = 1

    def values(self, span: Span) -> dict[str, Number]:
        """Return counts and shares for each channel."""
        found: dict[str, Number] = {}
        delays = []
        for channel in CHANNELS:
            names = [name for name, its in self.channel.items() if its == channel]
            admitted = [name for name in names if name not in self.denied]
            rows = [self.last[name] for name in admitted if name in self.last]
            agreed = sum(name in self.agreed for name in admitted)
            seen = [row for row in rows if row["perceived"]]
            delays += [row["perceived_tick"] - row["tick"] for row in seen]
            stances = [row["stance"] for row in rows if row["stance"]]
            ended = [row["outcome"] for row in rows if row["outcome"] in ENDS]
            found |= {
                f"{channel}_inputs": len(names),
                f"{channel}_denied": share(len(names) - len(admitted), len(names)),
                f"{channel}_perceived": share(len(seen), len(admitted)),
                f"{channel}_complied": share(agreed, len(stances)),
                f"{channel}_refused": share(stances.count("refused"), len(stances)),
                f"{channel}_done": share(ended.count("done"), len(ended)),
            }
        found["perception_ms_median"] = _ms(median(delays), span)
        found["inputs_per_hour"] = per(len(self.channel), HOUR_MS, span.ms)
        return found


def _channel_metrics() -> tuple[Metric, ...]:
    found = []
    for channel in CHANNELS:
        rows = (
            ("inputs", "count", "inputs", "输入", "Interventions handed in.", "提交的干预。"),
            (
                "denied",
                "share",
                "denied",
                "被拒收",
                "Denied by the gate, of all handed in.",
                "被闸门拒收的比例。",
            ),
            (
                "perceived",
                "share",
                "perceived",
                "被感知",
                "Perceived by the resident, of those admitted.",
                "准入干预中被居住者感知的比例。",
            ),
            (
                "complied",
                "share",
                "agreed to",
                "被接受",
                "Ever accepted, of those with a stance.",
                "曾被接受者占有立场者的比例。",
            ),
            (
                "refused",
                "share",
                "refused",
                "被拒绝",
                "Last stance refused, of those with a stance.",
                "最后立场为拒绝的比例。",
            ),
            (
                "done",
                "share",
                "done",
                "完成",
                "Outcome done, of those that came to an end (done, failed, given up, called off, replaced).",
                "完成者占已有结果者（完成、失败、放弃、取消、被替换）的比例。",
            ),
        )
        for name, unit, en, zh, long_en, long_zh in rows:
            found.append(
                Metric(
                    f"{channel}_{name}", unit, (f"{channel}: {en}", f"{channel}：{zh}"), (long_en, long_zh)
                )
            )
    found.append(
        Metric(
            "perception_ms_median",
            "ms",
            ("Time until perceived, median", "感知时间中位数"),
            ("From handing in to reaching the resident.", "从提交到居住者感知的时间。"),
        )
    )
    found.append(
        Metric(
            "inputs_per_hour",
            "count/h",
            ("Interventions an hour", "每小时干预"),
            ("All channels.", "全部通道。"),
        )
    )
    return tuple(found)


class Honesty:
    """Whether what the visitor was told is borne out by what the log says happened.

    Five statements of each row are held against the facts: it was perceived (then a percept stands at that tick), the
    resident's stance to it, what came of it (then the room, or the commitment taken on for it, came to that end), that
    it had ended (then nothing else is told of it later), it was denied (then nothing in the room or the mind stems from it).
    """

    kinds = ("receipt", "feedback", "fact", "percept", "matter", "input", "control")

    def __init__(self, _: Mapping[str, Any]) -> None:
        self.op: dict[str, str] = {}
        self.text: dict[str, str] = {}
        self.denied: dict[str, int] = {}
        self.last: dict[str, Mapping[str, Any]] = {}
        self.final: dict[str, tuple[str, str]] = {}
        self.rewritten: dict[str, int] = {}
        self.ended: dict[str, str] = {}
        self.acted: dict[str, int] = {}
        self.outer: dict[int, int] = {}
        self.said: dict[tuple[int, str], int] = {}
        self.taken: dict[int, tuple[str, str]] = {}

    def take(self, row: Row) -> None:
        """Keep both sides: what was told, and what happened."""
        kind, name, data, tick = row["kind"], row["id"], row["data"], int(row["tick"])
        if kind == "input":
            self.op[name], self.text[name] = data["op"], data.get("text", "")
        elif kind == "receipt":
            if data["status"] != "accepted":
                self.denied[name] = tick
        elif kind == "feedback":
            if name:
                self._told(name, data)
        elif kind == "fact":
            for cause in row["causes"]:
                if cause.startswith("int-"):
                    self.acted[cause] = self.acted.get(cause, 0) + 1
                    if data["fact"] == "skill_ended":
                        self.ended[cause] = "done" if data["data"]["result"] == "ok" else "failed"
                    elif data["fact"] == "skill_refused":
                        self.ended[cause] = "failed"
                    elif data["fact"] in ("entered", "left"):
                        self.ended[cause] = "done"
        elif kind == "control":
            self.ended[name] = "done"
        elif kind == "percept":
            if data["sense"] not in ("body", "known"):
                self.outer[tick] = self.outer.get(tick, 0) + 1
            if data["what"] == "speech":
                self.said[tick, data["content"]["text"]] = data["origin"]
        else:
            for origin in data.get("origins", ()):
                self._taken(origin, data)

    def _told(self, name: str, data: Mapping[str, Any]) -> None:
        self.last[name] = data
        now = (data["stance"], data["outcome"])
        if name in self.final:
            self.rewritten |= {name: 1} if self.final[name] != now else {}
        elif _over(*now):
            self.final[name] = now

    def _taken(self, origin: int, data: Mapping[str, Any]) -> None:
        before = self.taken.get(origin, ("", ""))
        if not _over(*before):
            begun = "in_progress" if data["stance"] == "accepted" else before[1]
            self.taken[origin] = (data["stance"], data.get("outcome", begun))

    def values(self, _: Span) -> dict[str, Number]:
        """Return how many statements there were, and how many the facts bear out."""
        made = right = 0
        for name, row in self.last.items():
            if row["perceived"]:
                made += 1
                right += row["perceived_tick"] in self.outer and name not in self.denied
            if row["stance"] and self.op.get(name) == "say":
                made += 1
                right += self._of_mind(name, row)[0] == row["stance"]
            if row["outcome"] in ENDS or (row["outcome"] and self.op.get(name) == "say"):
                made += 1
                right += self._true_outcome(name, row)
        made += len(self.rewritten)
        for name in self.denied:
            made += 1
            right += not self.acted.get(name)
        return {
            "feedback_statements": made,
            "feedback_honest": share(right, made),
            "denied_with_effect": sum(bool(self.acted.get(name)) for name in self.denied),
        }

    def _of_mind(self, name: str, row: Mapping[str, Any]) -> tuple[str, str]:
        """Return (stance, outcome) of the matter that these words put, as the mind's own records have it."""
        return self.taken.get(self.said.get((row["perceived_tick"], self.text[name]), 0), ("", ""))

    def _true_outcome(self, name: str, row: Mapping[str, Any]) -> bool:
        told = row["outcome"]
        if self.op.get(name) == "say" and row["stance"]:
            return bool(told == self._of_mind(name, row)[1])
        if self.op.get(name) in ("say", "whisper"):
            return told != "done" or self.op[name] == "whisper" or self.ended.get(name) == "done"
        if name in self.ended:
            return bool(self.ended[name] == told)
        return told == "failed" or self.op.get(name) in ("push", "leave", "walk")


def _over(stance: str, outcome: str) -> bool:
    """Return whether a row of this kind has ended, so that nothing else may be told of it."""
    return outcome in ENDS or stance in ("refused", "ended")


HONESTY_METRICS = (
    Metric(
        "feedback_statements",
        "count",
        ("Statements made to the visitor", "对来访者的陈述"),
        ("Perceived, stance, outcome, end and denial of each feedback row.", "每条反馈的感知、立场、结果、终结与拒收陈述。"),
    ),
    Metric(
        "feedback_honest",
        "share",
        ("Honest feedback", "诚实反馈"),
        (
            "Statements borne out by facts, percepts, stances and outcomes in the log, and not retold after their end; must be 1.",
            "被日志中的事实、感知、立场与结果证实、且终结后未被改写的陈述比例；必须为 1。",
        ),
    ),
    Metric(
        "denied_with_effect",
        "count",
        ("Denied acts with an effect", "拒收后仍有作用的行为"),
        (
            "Denied interventions that any fact names as its cause; must be 0.",
            "被拒收却成为事实起因的干预；必须为 0。",
        ),
    ),
)

FAMILIES = (
    Family(Requests, REQUEST_METRICS),
    Family(Channels, _channel_metrics()),
    Family(Honesty, HONESTY_METRICS),
)
