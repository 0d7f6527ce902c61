"""Brings shards of one batch together: the same protocol, every sealed log, nothing lost and nothing replaced."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from logs.manifest import Manifest
from logs.reader import open_log
from sim.taint import debugged
from trials.store_batch import BatchError, Folder, debug_fault, head_of, identity_of, write_once

SAME = ("schema", "id_version", "engine", "protocol", "digest", "overrides")


def merge_into(sources: Sequence[Folder], target: Folder) -> dict[str, int]:
    """Link or copy what is sealed in *sources* into *target*; return {sealed, added, there}. Raises BatchError."""
    known = [(source, identity_of(source)) for source in sources]
    if not known:
        raise BatchError("nothing to merge", mend="oneroom trials merge DIR DIR --out DIR")
    arms: dict[str, Any] = {}
    for source, identity in known:
        changed = [key for key in SAME if identity.get(key) != known[0][1].get(key)]
        changed += [
            f"arm {name!r}" for name, arm in identity["arms"].items() if arms.setdefault(name, arm) != arm
        ]
        if changed:
            raise BatchError(
                f"this is another batch than the first: {', '.join(changed)} differs",
                where=source.root,
                mend="merge shards of one batch",
            )
    target.root.mkdir(parents=True, exist_ok=True)
    identity = {**known[0][1], "arms": arms}
    write_once(target.identity, json.dumps(identity, ensure_ascii=False, indent=1).encode())
    theirs = identity_of(target)
    if any(theirs.get(key) != identity[key] for key in SAME):
        raise BatchError(
            "the target holds another batch", where=target.root, mend="give --out another folder"
        )
    added = there = 0
    for source, _ in known:
        for log in sorted((source.root / "logs").glob("*/*.jsonl.zst")):
            with open_log(log) as reader:
                if debugged(reader):
                    raise debug_fault(log.name, source.root)
            if _bring(log, target):
                added += 1
            else:
                there += 1
    return {"sealed": len(list((target.root / "logs").glob("*/*.jsonl.zst"))), "added": added, "there": there}


def _bring(log: Path, target: Folder) -> bool:
    trial = log.name.removesuffix(".jsonl.zst")
    place = target.sealed(trial)
    if place.exists():
        if head_of(place) != head_of(log):
            raise BatchError(
                f"two different logs of trial {trial}",
                where=log,
                mend=f"compare them: oneroom diff {log} {place}",
            )
        return False
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(log, place)
    except OSError:
        # Another file system: copy under a name of our own first, so that a death leaves no half log.
        temporary = place.with_name(f".{place.name}.{os.getpid()}")
        shutil.copyfile(log, temporary)
        os.link(temporary, place)
        temporary.unlink()
    with open_log(place) as reader:
        last = reader.tail(1)[0]
        entry = {
            "event": "sealed", "log": trial, "head": reader.head, "records": last["seq"], "status": last["data"]["status"],
            "trial": reader.header["trial_id"], "entered": "merged",
        }  # fmt: skip
    Manifest(place.parent / "manifest.jsonl").append(entry)
    return True
