"""The words of the windows, in English and Chinese, from one table. No screen is needed to read them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from interventions.contract import REASONS
from sim.frame import RESIDENT, VISITOR, BodyNow, Frame, Row, ThingNow
from sim.stage import LANGUAGES, Stage

ASSETS = Path(__file__).parent / "assets"


@cache
def table() -> dict[str, dict[str, list[str]]]:
    """Return the parsed table of texts: section -> key -> [English, Chinese]."""
    return tomllib.loads((ASSETS / "texts.toml").read_text(encoding="utf-8"))


class Texts:
    """The words of one language."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else LANGUAGES[0]
        self._at = LANGUAGES.index(self.language)

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return the words of the user interface called *key*."""
        return self.of("ui", key).format(**values) if values else self.of("ui", key)

    def of(self, section: str, key: str) -> str:
        """Return a word of a section, or the key made readable where there is none."""
        found = table()[section].get(key)
        return found[self._at] if found else key.replace("_", " ")

    def reason(self, code: str) -> str:
        """Return a reason code as a sentence."""
        if not code:
            return ""
        if code in REASONS:
            return _sentence(REASONS[code][self._at], self._at)
        known = table()["reason"]
        # "open:jammed" tells of a skill and how it failed; "prop cup dirty" is a predicate: its first word counts.
        last = code.rpartition(":")[2]
        for key in (code, last, last.partition(" ")[0], code.partition(" ")[0], code.partition(":")[0]):
            if key in known:
                return self.of("reason", key)
        return _sentence(code.replace("_", " "), self._at)

    def clock(self, stage: Stage, tick: int, *, seconds: bool = True) -> str:
        """Return the time of day at *tick*."""
        _, second = stage.clock(tick)
        text = f"{second // 3600:02}:{second // 60 % 60:02}"
        return f"{text}:{second % 60:02}" if seconds else text

    def day(self, stage: Stage, tick: int) -> str:
        """Return the day of the run at *tick*, from 1."""
        return self("day", n=stage.clock(tick)[0])

    def doing(self, frame: Frame, body: BodyNow) -> str:
        """Return what a body does, as a person would say it."""
        if body.doing is None:
            return self("idle")
        thing = next(iter(body.doing.roles.values()), "")
        return self.of("skill", body.doing.skill).format(x=self.name(frame.stage, thing))

    def name(self, stage: Stage, thing: str) -> str:
        """Return the name of a thing, region or body."""
        if thing.startswith("cell:"):
            width = stage.spec.width
            cell = int(thing[5:])
            return f"({cell % width / 4:g}, {cell // width / 4:g}) m"
        return stage.name(thing, self.language) if thing else ""

    def place(self, stage: Stage, relation: str, place: str) -> str:
        """Return where something is, in words."""
        return self.of("relation", relation).format(x=self.name(stage, place))

    def prop(self, name: str, value: int) -> str:
        """Return a property with its value."""
        if name == "temperature":
            return f"{self.of('prop', name)} {value / 10:g} °C"
        if name in ("fill", "dust", "growth", "moisture"):
            return f"{self.of('prop', name)} {value / 10:g} %"
        if name in table()["prop_not"]:
            return self.of("prop" if value else "prop_not", name)
        return f"{self.of('prop', name)} {value}"

    def thing_line(self, frame: Frame, thing: ThingNow) -> str:
        """Return one line on where a thing is and how."""
        return self.place(frame.stage, thing.relation, thing.place)

    def candidate(self, frame: Frame, row: tuple[Any, ...], most: int = 2) -> str:
        """Return a candidate in words: act, task, and at most *most* of the things it is about."""
        _, _, act, task, roles, matter = row[:6]
        if act in ("refuse", "postpone", "negotiate"):
            told = frame.thought.candidates if frame.thought is not None else ()
            same = next((each for each in told if each[2] == "accept" and each[5] == matter), None)
            about = self.candidate(frame, same, most).removeprefix(self.of("act", "accept")) if same else matter or task
            return f"{self.of('act', act)}{about}"
        name = self.of("task", task) if task in table()["task"] else task.replace("_", " ")
        if act == "ask_help":
            name = self.of("favour", task)
        # What it is done with comes first, for whom it is done last.
        about = sorted((frame.ordinals.get(number, "") for number in roles.values()), key=lambda each: each in (RESIDENT, VISITOR))
        things = [self.name(frame.stage, each) for each in about[:most]]
        inside = " → ".join(each for each in things if each)
        text = self.of("act", act) + name
        return text + (f" ({inside})" if inside and self._at == 0 else f"（{inside}）" if inside else "")

    def row(self, frame: Frame, row: Row) -> str:
        """Return what was done, in words."""
        if row.text:
            return f"“{row.text}”"
        name = self.of("op", row.op)
        what = self.name(frame.stage, row.object)
        where = self.prop(row.prop, row.value) if row.prop else self.name(frame.stage, row.target)
        tail = " → ".join(each for each in (what, where) if each)
        return f"{name}: {tail}" if tail and self._at == 0 else f"{name}：{tail}" if tail else name

    def three(
        self, row: Row, tick: int, patience: int
    ) -> tuple[tuple[str, str], tuple[str, str], tuple[str, str]]:
        """Return (code, words) of perceived, stance and outcome. Not perceived yet is not the same as never."""
        if row.receipt == "denied":
            return ("no", self.of("perceived", "no")), ("none", "—"), ("denied", self.of("outcome", "denied"))
        if row.channel == "system":
            perceived = ("none", "—")
        else:
            seen = "yes" if row.perceived else "waiting" if tick - row.tick < patience else "no"
            perceived = (seen, self.of("perceived", seen))
        stance = row.stance or "none"
        outcome = row.outcome or "none"
        return perceived, (stance, self.of("stance", stance)), (outcome, self.of("outcome", outcome))


def channel_words(texts: Texts, state: Mapping[str, Any], tick: int, tick_ms: int) -> str:
    """Return the state of a channel in words: uses, or the limit with its countdown."""
    name = state["state"]
    if name == "open" or name == "confirm":
        words = "" if name == "open" else f" {texts.of('channel_state', 'confirm')}"
        if state["max"] >= 0:
            return f"{state['used']}/{state['max']}{words}"
        return texts.of("channel_state", name) + (f" ({state['used']})" if state["used"] else "")
    if name == "limited" and (state["until_tick"] is None or state["until_tick"] < 0):
        return f"{texts.of('channel_state', 'used_up')} {state['used']}/{state['max']}"
    until = state["until_tick"]
    if until is not None and until > tick:
        return f"{texts.of('channel_state', name)} {span(until - tick, tick_ms)}"
    return texts.of("channel_state", name)


def span(ticks: int, tick_ms: int) -> str:
    """Return a length of simulated time as minutes and seconds, with hours where it has any."""
    left = -(-ticks * tick_ms // 1000)
    if left >= 3600:
        return f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02}"
    return f"{left // 60}:{left % 60:02}"


def _sentence(text: str, language: int) -> str:
    return text[:1].upper() + text[1:] + ("。" if language else ".")
