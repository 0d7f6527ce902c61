"""A room as values, written as a room file. Only what a room file may hold is known here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TABLES = ("light", "start", "region", "objects", "events")


def room_toml(raw: Mapping[str, Any]) -> str:
    """Return the text of a room file with the values *raw*; reading it gives *raw* back."""
    lines = [f"{key} = {value_text(value)}" for key, value in raw.items() if key not in TABLES]
    if "light" in raw:
        lines.append(f"light = {value_text(raw['light'])}")
    for section in ("start", "region"):
        for name, table in raw.get(section, {}).items():
            lines += ["", f"[{section}.{name}]", *_pairs(table)]
    for table in raw.get("objects", ()):
        lines += ["", "[[objects]]", *_pairs(table)]
    for name, table in raw.get("events", {}).items():
        lines += ["", f"[events.{name}]", *_pairs(table)]
    return "\n".join(lines) + "\n"


def _pairs(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {value_text(value)}" for key, value in table.items()]


def value_text(value: Any) -> str:
    """Return one value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(_escaped(letter) for letter in value) + '"'
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{key} = {value_text(item)}" for key, item in value.items()) + " }"
            if value
            else "{}"
        )
    return "[" + ", ".join(value_text(item) for item in value) + "]"


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    return letter if ord(letter) >= 32 and ord(letter) != 127 else f"\\u{ord(letter):04x}"
