"""Makers of declarations and states: defaults here, so that a test shows only what matters to it."""

from __future__ import annotations

from typing import Any

from protocols.reading import parse_protocol
from sim.build import build
from sim.declare import Declared, declare
from sim.kernel import Ticked, advance_alone
from sim.state import State

OPEN_CHANNELS = """
[channels.physical]
open = true
operations = ["enter", "leave", "walk", "take", "put", "move", "open", "close", "switch", "hand_over", "push"]
objects = ["window", "mug", "cup", "photo", "notebook", "radio", "drawer", "table", "novel"]
[channels.dialogue]
open = true
[channels.inner_voice]
open = true
theme_gap = "10m"
[channels.system]
open = true
operations = ["pause", "resume", "safe_stop", "save", "restore"]
"""


def a_protocol(*entries: dict[str, Any], minutes: int = 30, extra: str = "", persona: str = "ada", start: str = "17:30") -> bytes:
    """Return a protocol file with a visitor and *entries* as its schedule; an entry's `at` is in seconds."""
    text = f'''
id = "made"
title = {{ en = "made for a test", zh = "" }}
room = "studio"
persona = "{persona}"
duration = "{minutes}m"
start = "{start}"
seeds = [1, 2, 3, 7]
[visitor]
kind = "script"
{OPEN_CHANNELS}
{extra}
'''
    for number, entry in enumerate(entries):
        text += f'[[schedule]]\nid = "{entry.get("id", f"e{number}")}"\n'
        for key, value in entry.items():
            if key == "at":
                text += f'at = "{value // 3600:02d}:{value // 60 % 60:02d}:{value % 60:02d}"\n'
            elif key == "when":
                text += "when = {" + ", ".join(f'{name} = "{word}"' for name, word in value.items()) + "}\n"
            elif key != "id":
                text += f'{key} = "{value}"\n'
    return text.encode()


def a_declared(*entries: dict[str, Any], seed: int = 1, overrides: dict[str, Any] | None = None, **rest: Any) -> Declared:
    """Return the declaration of such a protocol."""
    return declare(parse_protocol(a_protocol(*entries, **rest), "made.toml"), seed=seed, overrides=overrides)


def a_state(*entries: dict[str, Any], heavy: bool = False, **rest: Any) -> State:
    """Return the state before tick 0 of such a run."""
    return build(a_declared(*entries, **rest), heavy=heavy)


def rows_of(ticked: list[Ticked], *kinds: str) -> list[dict[str, Any]]:
    """Return the records of *kinds* (all if none are named), in order."""
    return [row for _, rows in ticked for row in rows if not kinds or row["kind"] in kinds]


def live(state: State, until_tick: int | None = None) -> list[dict[str, Any]]:
    """Advance to *until_tick* (the end by default) and return every record; what waits for a shell is dropped."""
    return rows_of(advance_alone(state, state.end_tick if until_tick is None else until_tick))


ENTER = {"id": "enter", "at": 60, "channel": "physical", "op": "enter"}


def say(at: int, text: str, **rest: str) -> dict[str, Any]:
    """Return the entry of an utterance."""
    return {"at": at, "channel": "dialogue", "op": "say", "text": text, **rest}


def whisper(at: int, text: str, **rest: str) -> dict[str, Any]:
    """Return the entry of an inner voice."""
    return {"at": at, "channel": "inner_voice", "op": "whisper", "text": text, **rest}
