"""Writes docs/reference.md from the code: python docs/make_reference.py. A test compares it with what stands there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))


def commands() -> Iterator[str]:
    """Yield a table of every command."""
    from typer.main import get_command

    import oneroom

    def walk(command: Any, path: str = "oneroom") -> Iterator[tuple[str, Any]]:
        for name, each in sorted(getattr(command, "commands", {}).items()):
            if hasattr(each, "commands"):
                yield from walk(each, f"{path} {name}")
            else:
                yield f"{path} {name}", each

    for path, each in walk(get_command(oneroom.command_line())):
        usage = " ".join((param.metavar or param.name.upper()) for param in each.params
                         if param.param_type_name == "argument")  # fmt: skip
        yield f"### `{' '.join(f'{path} {usage}'.split())}`\n"
        yield f"{' '.join((each.help or '').split())}\n"
        options = [param for param in each.params if param.param_type_name == "option"]
        if options:
            yield "| option | |\n|---|---|"
            for param in options:
                names = ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))
                yield f"| {names} | {cell(param.help or '')} |"
            yield ""


def kinds() -> Iterator[str]:
    """Yield every kind of record with its fields."""
    from logs.kinds import KINDS, SCHEMA_VERSION

    yield f"Schema {SCHEMA_VERSION}. A record is {{seq, tick, kind, id, causes, data}}; `data` holds these fields.\n"
    yield (
        "`causes` are ids of earlier records that it came of, as far as they were known when it was written; of what the room does by "
        "itself, the law behind it (`drift.moisture`, `event.phone_rings`). With `jq` one walks from what was learned to the room.\n"
    )
    for name, kind in KINDS.items():
        yield f"### `{name}`\n\n{kind.doc}\n\n| field | |\n|---|---|"
        yield from (f"| `{field}` | {cell(doc)} |" for field, doc in kind.fields.items())
        yield ""


def metrics() -> Iterator[str]:
    """Yield every metric."""
    from trials.metrics import METRICS

    yield "| metric | unit | window | what | how it is counted |\n|---|---|---|---|---|"
    for each in METRICS.metrics.values():
        yield f"| `{each.name}` | {each.unit} | {each.window} | {cell(each.title[0])} | {cell(each.definition[0])} |"
    yield ""


def protocol() -> Iterator[str]:
    """Yield every key of a protocol with its default."""
    from protocols.forms import REQUIRED, Form
    from protocols.protocol import PROTOCOL

    def walk(form: Form, path: str) -> Iterator[tuple[str, str]]:
        for name, each in (form.keys or {}).items():
            inside = each if each.keys else each.item if each.item is not None and each.item.keys else None
            here = f"{path}{name}" + ("[]" if inside is not None and each.keys is None else "")
            if inside is not None:
                yield from walk(inside, f"{here}.")
            else:
                yield here, "required" if each.default is REQUIRED else repr(each.default)

    yield "| key | default |\n|---|---|"
    yield from (f"| `{key}` | {cell(default)} |" for key, default in walk(PROTOCOL, ""))
    yield ""


def others() -> Iterator[str]:
    """Yield what may be named elsewhere: providers, failures, reasons, experiments."""
    from interventions.contract import OPERATIONS, REASONS
    from sim.gateway import MAKERS
    from sim.gateway_provider import FAILURES

    yield "| channel | operations |\n|---|---|"
    yield from (f"| `{channel}` | {', '.join(ops)} |" for channel, ops in OPERATIONS.items())
    yield f"\nProviders: {', '.join(f'`{name}`' for name in MAKERS)}; more by entry points of the group `oneroom.providers`.\n"
    yield "| failure of a call | |\n|---|---|"
    yield from (f"| `{code}` | {cell(text)} |" for code, text in FAILURES.items())
    yield "\n| reason of a denial | | |\n|---|---|---|"
    yield from (f"| `{code}` | {cell(en)} | {zh} |" for code, (en, zh) in REASONS.items() if code)
    yield ""


def cell(text: Any) -> str:
    """Return *text* fit for a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")


SECTIONS = (("Commands", commands), ("Records", kinds), ("Metrics", metrics), ("Keys of a protocol", protocol), ("Codes", others))


def reference() -> str:
    """Return the whole page."""
    parts = ["# Reference\n\nMade from the code by `python docs/make_reference.py`; not to be edited.\n"]
    for title, section in SECTIONS:
        parts.append(f"## {title}\n")
        parts += section()
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    (HERE / "reference.md").write_text(reference(), encoding="utf-8")
