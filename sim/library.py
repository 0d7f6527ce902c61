"""The data files of the house: skills, kinds, needs, tasks, phrases, rooms. Read once, handed out parsed."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import agent
import world
from agent.skill import Skillbook, compile_book
from world.skills import compile_skills
from world.spec import RoomError, RoomSpec, parse_room

AGENT, WORLD = Path(agent.__path__[0]), Path(world.__path__[0])
FILE_BYTES_MAX = 1 << 20


SKILL_GROUP = "oneroom.skills"
"""Group of entry points through which another package offers skills: a mapping with keys of ADDED, as `register_skills` takes it."""
ADDED = {"skills": "world/skills", "tasks": "agent/tasks", "kinds": "world/kinds"}
UNSEEN_KINDS = {"region": {"tags": ["region"]}, "person": {"tags": ["person"]}}
"""What the mind counts among kinds and no file of things does."""
_here: dict[str, dict[str, dict[str, Any]]] = {}


@cache
def table(name: str) -> dict[str, Any]:
    """Return a data file with what is registered: "world/skills", "world/kinds", "world/needs", "agent/tasks" or "agent/phrases"."""
    return {**shipped(name), **{key: each for added in registered().values() for key, each in added.get(name, {}).items()}}


@cache
def shipped(name: str) -> dict[str, Any]:
    """Return a data file as it is shipped."""
    package, _, stem = name.partition("/")
    path = {"agent": AGENT, "world": WORLD}[package] / "data" / f"{stem}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def register_skills(owner: str, given: Mapping[str, Mapping[str, Any]]) -> None:
    """Add skills to the body, tasks that use them, and kinds of things, for this process: {"skills": .., "tasks": .., "kinds": ..}.

    The tables are those of `world/data/skills.toml`, `agent/data/tasks.toml` and `world/data/kinds.toml`. A run's declaration says
    which were there. Raises RoomError for a name that is taken or a table that is none.
    """
    added = _sound(owner, given, registered())
    _here[owner] = added
    for each in (registered, table, book, kind_names):
        each.cache_clear()


@cache
def registered() -> dict[str, dict[str, dict[str, Any]]]:
    """Return owner -> table -> rows of everything that installed packages and `register_skills` add, by owner's name."""
    from importlib.metadata import entry_points

    found: dict[str, dict[str, dict[str, Any]]] = {}
    for point in sorted(entry_points(group=SKILL_GROUP), key=lambda each: each.name):
        found[point.name] = _sound(point.name, point.load(), found)
    return found | _here


def _sound(owner: str, given: Mapping[str, Mapping[str, Any]], others: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return *given* by table, compiled once by both interpreters. Raises RoomError."""
    mend = "see docs/extend.md, and the grammar at the head of world/data/skills.toml"
    strange = set(given) - set(ADDED)
    if strange:
        raise RoomError(f"skills of {owner}", f"there is no table {sorted(strange)[0]!r}", f"the tables are {', '.join(ADDED)}")
    added = {ADDED[name]: dict(rows) for name, rows in given.items()}
    for name, rows in added.items():
        there = {*shipped(name), *(key for key, each in others.items() if key != owner for key in each.get(name, {}))}
        taken = sorted(there & rows.keys())
        if taken:
            raise RoomError(f"skills of {owner}", f"{taken[0]!r} is taken in {name}", "give it another name")
    try:
        compile_skills(added.get("world/skills", {}))
        merged = {name: {**shipped(name), **added.get(name, {})} for name in ADDED.values()}
        compile_book(merged["world/skills"], merged["agent/tasks"], {**merged["world/kinds"], **UNSEEN_KINDS})
    except (AssertionError, KeyError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise RoomError(f"skills of {owner}", f"not a sound table: {type(error).__name__} {error}", mend) from None
    return added


@cache
def book() -> Skillbook:
    """Return every registered skill and template, with what is commonly known of kinds."""
    return compile_book(table("world/skills"), table("agent/tasks"), {**table("world/kinds"), **UNSEEN_KINDS})


@cache
def kind_names() -> dict[str, dict[str, str]]:
    """Return what each kind of thing is called, by language."""
    names = {kind: dict(raw["names"]) for kind, raw in table("world/kinds").items()}
    return {**names, "region": {"en": "that part of the room", "zh": "房间那一边"}, "person": {"en": "the visitor", "zh": "来访者"}}


def file(reference: str) -> Path:
    """Return *reference* as a path, for callers that may not touch files themselves."""
    return Path(reference)


def rooms() -> list[str]:
    """Return the ids of the shipped rooms."""
    return sorted(path.stem for path in (WORLD / "rooms").glob("*.toml"))


def room_file(reference: str) -> Path:
    """Return the file of a shipped room id, or of a path. Raises RoomError if there is none."""
    shipped = WORLD / "rooms" / f"{reference}.toml"
    if "/" not in reference and shipped.is_file():
        return shipped
    path = Path(reference)
    if path.is_file():
        return path
    raise RoomError("room", f"there is no room {reference!r}", f"shipped rooms: {', '.join(rooms())}")


def room_raw(reference: str) -> dict[str, Any]:
    """Return the parsed room file. Raises RoomError for what can't be read."""
    path = room_file(reference)
    if path.stat().st_size > FILE_BYTES_MAX:
        raise RoomError(str(path), "the file is larger than 1 MiB", "a room file is a few kilobytes")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RoomError(str(path), f"not a TOML file: {error}", "see world/rooms/minimal.toml") from None


BadRoom = RoomError


def checked(raw: dict[str, Any]) -> RoomSpec:
    """Return the room of a parsed file. Raises BadRoom for what can't be one."""
    return parse_room(raw, table("world/kinds"))


def room(reference: str) -> RoomSpec:
    """Return a room by shipped id or path, checked."""
    return parse_room(room_raw(reference), table("world/kinds"))
