"""Verify: the stored bytes first, then the run itself, simulated again and compared record by record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from logs.check import check
from logs.reader import open_log
from sim.refold import ReplayError, refold


def verify(path: Path | str, *, heavy: bool = False) -> dict[str, Any]:
    """Return {ok, ticks, records, checkpoints, sealed, first_difference}. Nobody is asked anything.

    *heavy* compares a digest of every part at every active tick, where the log was made that way.
    """
    path = Path(path)
    manifest = path.parent / "manifest.jsonl"
    stored = check(path, manifest if manifest.exists() else None)
    result = {"ok": stored.ok, "ticks": 0, "records": stored.records, "checkpoints": 0, "sealed": stored.sealed, "first_difference": None}
    if stored.damage is not None:
        damage = stored.damage
        where = {"record": damage.record, "tick": damage.tick, "byte": damage.byte, "field": None, "reason": damage.reason}
        return {**result, "ok": False, "ticks": damage.after_tick, "first_difference": where}
    with open_log(path) as reader:
        try:
            folded = refold(reader, heavy=None if not heavy else bool(reader.header.get("heavy")))
        except ReplayError as error:
            return {**result, "ok": False, "first_difference": error.difference or {
                "record": 0, "tick": None, "byte": None, "field": "engine", "reason": str(error)}}  # fmt: skip
    result.update(ticks=folded.state.tick, checkpoints=folded.checkpoints)
    if folded.end is not None and folded.end["data"]["digest"] != folded.state.digest():
        end = {"record": folded.end["seq"], "tick": folded.end["tick"], "byte": None, "field": "digest", "reason": "another end state"}
        return {**result, "ok": False, "first_difference": end}
    return result
