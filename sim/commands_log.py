"""Commands that read a log as a file: `log tail`, `log stats`, `log check`. They never write."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from sim.terminal import (
    CHECK_FAILED,
    Fault,
    Json,
    answer,
    leave_if_broken,
    new_group,
    pairs,
    say,
    say_json,
    table,
    words,
)

LogPath = Annotated[Path, typer.Argument(metavar="LOG", help="A log: NAME.jsonl.zst, or a running .part.")]

SHOWN_DATA_CHARS = 100

log_commands = new_group("log", "Read a log as a file.")


@log_commands.command(epilog="Example: oneroom log tail runs/first_visit-seed7.jsonl.zst -n 5")
def tail(
    log: LogPath,
    count: Annotated[int, typer.Option("-n", "--count", min=1, max=100_000, help="How many records.")] = 20,
    kind: Annotated[str | None, typer.Option(help="Only records of this kind.")] = None,
    as_json: Json = False,
) -> None:
    """Print the last records of LOG. With --json, one record a line. Of a damaged log the last before the damage."""
    from logs.kinds import KINDS
    from logs.reader import open_log

    if kind is not None and kind not in KINDS:
        raise Fault(f"there is no kind of record {kind!r}", mend=f"one of {', '.join(KINDS)}")
    reader = open_log(log, to_break=True)
    records = (
        reader.tail(count)
        if kind is None
        else [each for each in reader.records() if each["kind"] == kind][-count:]
    )
    if as_json:
        for record in records:
            say_json(record)
        leave_if_broken(reader.broken)
        return
    table(
        "",
        ("tick", "kind", "id", "causes", "data"),
        (
            (each["tick"], each["kind"], each.get("id"), each.get("causes"), _short(each.get("data")))
            for each in records
        ),
    )
    leave_if_broken(reader.broken)


@log_commands.command(epilog="Example: oneroom log stats runs/first_visit-seed7.jsonl.zst")
def stats(log: LogPath, as_json: Json = False) -> None:
    """Count what LOG holds: records by kind, ticks, bytes, how it ended. Of a damaged log what stands before the damage."""
    from logs.reader import open_log

    reader = open_log(log, to_break=True)
    kinds: Counter[str] = Counter()
    last_tick = 0
    for record in reader.records():
        kinds[record["kind"]] += 1
        last_tick = record["tick"]
    header = reader.header
    found = {
        "log": str(reader.path),
        "bytes": reader.path.stat().st_size,
        "sealed": bool(reader.sealed),
        "schema_of_log": header.get("schema"),
        "mode": header.get("mode"),
        "seed": header.get("seed"),
        "declaration": header.get("digest") or header.get("declaration_digest"),
        "records": sum(kinds.values()),
        "last_tick": last_tick,
        "end": reader.end,
        "broken": None if reader.broken is None else str(reader.broken),
        "kinds": dict(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
    }
    if answer(found, as_json=as_json, schema="oneroom.log-stats/1"):
        leave_if_broken(reader.broken)
        return
    pairs("Log", {key: value for key, value in found.items() if key not in ("kinds", "end", "broken")})
    if isinstance(reader.end, dict):
        pairs("End", reader.end.get("data", reader.end))
    table("Records by kind", ("kind", "records"), kinds.most_common())
    leave_if_broken(reader.broken)


@log_commands.command(epilog="Example: oneroom log check runs/first_visit-seed7.jsonl.zst")
def check(
    log: LogPath,
    manifest: Annotated[
        Path | None, typer.Option(help="The manifest; by default the one beside LOG.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check the stored bytes of LOG against their chain and the manifest, without simulating. Exit code 1 on damage."""
    from logs.check import check as check_bytes

    beside = log.parent / "manifest.jsonl"
    found = check_bytes(log, manifest or (beside if beside.exists() else None)).as_dict()
    if not answer(found, as_json=as_json, schema="oneroom.log-check/1"):
        torn = bool((found.get("damage") or {}).get("torn"))
        pairs(
            "Sound" if found["ok"] else "Cut off in the middle of a tick" if torn else "Damaged",
            {key: value for key, value in found.items() if key != "damage"},
        )
        if found.get("damage"):
            say(f"Damage: {words(found['damage'])}")
        if torn:
            say(f"All before is sound. Next: oneroom run --resume {log}")
    if not found["ok"]:
        raise typer.Exit(CHECK_FAILED)


def _short(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, separators=(", ", ": "), default=str) if data else ""
    return text if len(text) <= SHOWN_DATA_CHARS else text[: SHOWN_DATA_CHARS - 1] + "…"
