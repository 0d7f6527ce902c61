"""State as JSON and back: one generic codec for every class the state is made of.

A field is kept unless its name starts with "_": those are caches that rebuild themselves. Because the codec walks
the declared fields, a new field can't be forgotten in a snapshot. Sets, floats and foreign objects are refused.
"""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import blake2b
from importlib import import_module
from typing import Any

OURS = ("agent", "world", "interventions", "sim", "protocols")


@cache
def _kept(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if not f.name.startswith("_"))


def encode(value: Any) -> Any:
    """Return *value* as plain JSON values. A type that can't be carried is a fault of ours."""
    kind = type(value)
    if kind in (int, str, bool) or value is None:
        return value
    if kind is list:
        return [encode(item) for item in value]
    if kind is tuple:
        return {"t": [encode(item) for item in value]}
    if kind is dict:
        return {"d": [[encode(key), encode(item)] for key, item in value.items()]}
    if kind is bytes:
        return {"b": value.hex()}
    assert is_dataclass(value), f"the state may not hold a {kind.__name__}"
    name = f"{kind.__module__}:{kind.__qualname__}"
    kept = _kept(kind)  # type: ignore[arg-type]  # a class is hashable, which mypy does not see here
    return {"c": name, "f": [encode(getattr(value, field)) for field in kept]}


@cache
def _class(name: str) -> type:
    module, _, qualified = name.partition(":")
    if module.split(".")[0] not in OURS:
        raise ValueError(f"a snapshot names a foreign class: {name}")
    found = getattr(import_module(module), qualified)
    assert isinstance(found, type)
    return found


def decode(value: Any) -> Any:
    """Return what *encode* was given. Raises ValueError for a snapshot that names anything foreign."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "t" in value:
        return tuple(decode(item) for item in value["t"])
    if "d" in value:
        return {decode(key): decode(item) for key, item in value["d"]}
    if "b" in value:
        return bytes.fromhex(value["b"])
    cls = _class(value["c"])
    names = _kept(cls)
    if len(names) != len(value["f"]):
        raise ValueError(f"a snapshot of another version: {value['c']} has {len(value['f'])} fields, not {len(names)}")
    return cls(**{name: decode(item) for name, item in zip(names, value["f"], strict=True)})


def canonical(value: Any) -> bytes:
    """Return *value* as the one JSON text that is hashed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def digest_of(value: Any) -> str:
    """Return the 128-bit digest of plain JSON *value*."""
    return blake2b(canonical(value), digest_size=16).hexdigest()
