"""The data files of the house: skills, kinds, needs, tasks, phrases, rooms. Read once, handed out parsed."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import agent
import world
from agent.skill import Skillbook, compile_book
from world.spec import RoomError, RoomSpec, parse_room

AGENT, WORLD = Path(agent.__path__[0]), Path(world.__path__[0])
FILE_BYTES_MAX = 1 << 20


@cache
def table(name: str) -> dict[str, Any]:
    """Return a parsed data file: "world/skills", "world/kinds", "world/needs", "agent/tasks" or "agent/phrases"."""
    package, _, stem = name.partition("/")
    path = {"agent": AGENT, "world": WORLD}[package] / "data" / f"{stem}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def book() -> Skillbook:
    """Return every registered skill and template, with what is commonly known of kinds."""
    kinds = {**table("world/kinds"), "region": {"tags": ["region"]}, "person": {"tags": ["person"]}}
    return compile_book(table("world/skills"), table("agent/tasks"), kinds)


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
