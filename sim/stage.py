"""What a log's header says once and for all: the room's plan, names, postures, clock and contracts.

A frame (`sim/frame.py`) is folded onto a stage. Both read the log and nothing else, so a running trial and its
recording are drawn alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from interventions.contract import CHANNELS, INNER_VOICE
from protocols.contracts import contracts
from sim import library
from world.floor import nearest_cell, octant
from world.params import DAY_MS
from world.plan import RoomSpec
from world.spec import parse_room

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Stage:
    """The unchanging part of what is shown. Lengths in cells of 250 mm, times in ticks."""

    spec: RoomSpec
    tick_ms: int
    start_ms: int
    end_tick: int
    mode: str
    seed: int
    arm: str
    protocol: str
    title: dict[str, str]
    persona: dict[str, str]
    visitor: dict[str, str]
    instructions: dict[str, str]
    code: str
    exploratory: bool
    provider: str
    channels: dict[str, dict[str, Any]]
    operations: dict[str, tuple[str, ...]]
    objects: dict[str, tuple[str, ...]]
    theme_gap_ticks: int
    """How long one theme of the inner voice rests before it may be raised again."""
    names: dict[str, dict[str, str]] = field(repr=False)
    faces: dict[str, str] = field(repr=False)
    postures: dict[str, str] = field(repr=False)
    asleep: tuple[str, ...] = ()
    parent: dict[str, Any] | None = None

    def name(self, thing: str, language: str) -> str:
        """Return what a thing, region or body is called."""
        found = self.names.get(thing)
        return found[language] if found else thing.replace("_", " ")

    def clock(self, tick: int) -> tuple[int, int]:
        """Return (day from 1, seconds since midnight) at *tick*."""
        ms = self.start_ms + max(tick, 0) * self.tick_ms
        return ms // DAY_MS + 1, ms % DAY_MS // 1000

    def region_at(self, cell: int) -> str:
        """Return the id of the region of a cell, or ""."""
        return next((each.id for each in self.spec.regions if cell in each.cells), "")

    def toward(self, cell: int, anchor: int, w: int, h: int, heading: int) -> int:
        """Return the octant from *cell* to a box; *heading* where the body stands in it."""
        goal = nearest_cell(cell, anchor, w, h, self.spec.width)
        return heading if goal == cell else octant(cell, goal, self.spec.width)


def stage_of(header: Mapping[str, Any]) -> Stage:
    """Return the stage that a log's header sets."""
    form = header["declaration"]
    spec = parse_room(header["room"], library.table("world/kinds"))
    needs, skills = library.table("world/needs"), library.table("world/skills")
    kinds = library.kind_names()
    names = {each.id: dict(each.names or kinds[each.kind]) for each in spec.things}
    names |= {each.id: dict(each.names) for each in spec.regions}
    persona = dict(header["persona"].get("names", {"en": "Resident", "zh": "居住者"}))
    told = form["visitor"]["name"]
    visitor = {"en": told.get("en") or "Visitor", "zh": told.get("zh") or told.get("en") or "来访者"}
    names |= {"resident": persona, "visitor": visitor}
    given = {each.channel: each for each in contracts(form)}
    return Stage(
        spec=spec,
        tick_ms=header["tick_ms"],
        start_ms=form["start_ms"],
        end_tick=header["end_tick"],
        mode=header["mode"],
        seed=header["seed"],
        arm=header["arm"],
        protocol=form["id"],
        title=dict(form["title"]),
        persona=persona,
        visitor=visitor,
        instructions=dict(form["visitor"]["instructions"]),
        code=form["visitor"]["code"],
        exploratory=header["exploratory"],
        provider=form["model"]["provider"],
        channels={name: _start(given[name].open, given[name].count_max) for name in CHANNELS},
        operations={name: given[name].operations for name in CHANNELS},
        objects={name: given[name].objects for name in CHANNELS},
        theme_gap_ticks=given[INNER_VOICE].theme_gap_ticks,
        names=names,
        faces={name: _faced(raw) for name, raw in skills.items()},
        postures=dict(needs["posture"]),
        asleep=tuple(needs["asleep"]["skills"]),
        parent=header.get("parent"),
    )


def _start(is_open: bool, count_max: int) -> dict[str, Any]:
    return {"state": "open" if is_open else "closed", "used": 0, "max": count_max, "until_tick": None}


def _faced(skill: Mapping[str, Any]) -> str:
    """Return the role toward which a body looks after the skill, or ""."""
    for effect in skill.get("effects", ()):
        word, _, role = effect.partition(" ")
        if word in ("face", "goto"):
            return str(role)
    return ""
