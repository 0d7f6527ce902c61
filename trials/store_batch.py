"""A batch on disk: what is to be run, where each trial's log lies, how far it has come.

    DIR/batch.json            the plan's identity, created once: protocol, digests, overrides
    DIR/logs/ab/ID.jsonl.zst  one sealed log per trial, by its id; ID.jsonl.part while it runs
    DIR/logs/ab/manifest.jsonl
    DIR/rows/ab/ID.json       metrics of a sealed log, derived, bound to its head
    DIR/attempts.jsonl        every attempt and how it ended
    DIR/results.csv trials.csv (and .parquet)

A trial's id is a digest of what it is. Where it stands in a list means nothing: what is sealed is found by id, so
batches may be cut short, sharded, resumed and merged. The sealed logs are the truth; all else can be made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from logs.disk import CREATE, DISK, UPDATE, again, open_file, write_all
from logs.faults import LogError
from logs.manifest import Manifest
from logs.reader import LogReader, open_log
from protocols.declaration import digest_of, trial_id, trials
from protocols.library import load_protocol
from sim.declare import ENGINE, Declared, declare

SCHEMA = 1
MANIFEST = "manifest.jsonl"
ID_VERSION = 1
"""Rises when the same trial would get another id; a batch of another version is refused with this reason."""


class BatchError(ValueError):
    """A folder or a plan that can't be used as it is: *what*, *where* and how to *mend* it."""

    def __init__(self, what: str, *, where: str | Path = "", mend: str = "") -> None:
        super().__init__(what)
        self.what, self.where, self.mend = what, where, mend


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of a plan."""

    id: str
    arm: str
    seed: int
    replicate: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a batch is to run. *arms* holds one declared run per arm; a trial is that with its own seed."""

    protocol: str
    digest: str
    overrides: Mapping[str, Any]
    trials: tuple[Trial, ...]
    arms: Mapping[str, Declared] = field(repr=False)
    seeds: frozenset[int] = field(repr=False)
    """The declared seeds."""
    reference: str = ""
    """What it was made from, for whoever asks the folder later."""

    def declared(self, trial: Trial) -> Declared:
        """Return the declaration of one trial."""
        arm = self.arms[trial.arm]
        strange = () if trial.seed in self.seeds else (f"seed {trial.seed} is not declared",)
        reasons = (*arm.reasons, *strange)
        return replace(
            arm,
            seed=trial.seed,
            replicate=trial.replicate,
            trial_id=trial.id,
            reasons=reasons,
            exploratory=bool(reasons),
        )

    def identity(self) -> dict[str, Any]:
        """Return what must be equal for a batch to be gone on with."""
        return {
            "schema": SCHEMA, "id_version": ID_VERSION, "engine": ENGINE, "protocol": self.protocol, "digest": self.digest,
            "overrides": dict(self.overrides),
            "arms": {
                name: {"digest": arm.digest, "room": digest_of(arm.room), "persona": digest_of(arm.persona)}
                for name, arm in self.arms.items()
            },
        }  # fmt: skip


def make_plan(
    reference: str | Path, *, seeds: Sequence[int] | None = None, overrides: Mapping[str, Any] | None = None,
    arms: Sequence[str] | None = None, shard: tuple[int, int] = (1, 1),
) -> Plan:  # fmt: skip
    """Return the plan of arms x seeds x replicates that *reference* declares. Raises ProtocolError, RoomError, BatchError.

    *seeds* and *arms* narrow it down (seeds that are not declared mark their trials exploratory). A *shard* (i, N) is
    every N-th trial in the order of ids, the same on every machine.
    """
    protocol = load_protocol(reference)
    listed = list(trials(protocol))
    known = {
        arm: declare(protocol, arm=arm, overrides=overrides)
        for arm in dict.fromkeys(arm for arm, _, _ in listed)
    }
    for arm in arms or ():
        if arm not in known:
            raise BatchError(
                f"there is no arm {arm!r}", where=protocol.file, mend=f"there are: {', '.join(known)}"
            )
    wanted = [(arm, seed, number) for arm, seed, number in listed if not arms or arm in arms]
    if seeds is not None:
        kinds = dict.fromkeys((arm, number) for arm, _, number in wanted)
        wanted = [(arm, seed, number) for arm, number in kinds for seed in seeds]
    if any(each.declaration["visitor"]["kind"] == "human" for each in known.values()):
        raise BatchError(
            "a batch has nobody who could be the visitor", where=protocol.file,
            mend="oneroom run PROTOCOL --visitor human, or a script in its place: --visitor script",
        )  # fmt: skip
    made = [
        Trial(trial_id(known[arm].digest, seed, number), arm, seed, number) for arm, seed, number in wanted
    ]
    ordered = sorted(made, key=lambda trial: trial.id)
    mine = {trial.id for trial in ordered[shard[0] - 1 :: shard[1]]}
    return Plan(
        protocol.id, next(iter(known.values())).protocol_digest, dict(overrides or {}),
        tuple(trial for trial in made if trial.id in mine), known, frozenset(seed for _, seed, _ in listed), str(reference),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths of a batch."""

    root: Path

    @property
    def identity(self) -> Path:
        return self.root / "batch.json"

    @property
    def attempts(self) -> Path:
        return self.root / "attempts.jsonl"

    def log(self, trial: str) -> Path:
        """Return the path of a trial's log, without its ending."""
        return self.root / "logs" / trial[:2] / trial

    def sealed(self, trial: str) -> Path:
        return self.log(trial).with_name(trial + ".jsonl.zst")

    def part(self, trial: str) -> Path:
        return self.log(trial).with_name(trial + ".jsonl.part")

    def row(self, trial: str) -> Path:
        return self.root / "rows" / trial[:2] / (trial + ".json")

    def finished(self, trials: Iterable[Trial]) -> set[str]:
        """Return the ids of those with nothing left to do: sealed, measured, listed, and no part that a death left."""
        listed: dict[Path, set[str] | None] = {}
        found = set()
        for trial in trials:
            sealed = self.sealed(trial.id)
            if sealed.exists() and self.row(trial.id).exists() and not self.part(trial.id).exists():
                if sealed.parent not in listed:
                    listed[sealed.parent] = _listed_in(sealed.parent / MANIFEST)
                names = listed[sealed.parent]
                if names is None or trial.id in names:
                    found.add(trial.id)
        return found


def _listed_in(manifest: Path) -> set[str] | None:
    """Return the logs that a manifest lists; None if it is damaged, which `verify` tells and no trial mends."""
    try:
        return {str(entry.get("log")) for entry in Manifest(manifest).entries()} if manifest.exists() else set()
    except LogError:
        return None


def begin(folder: Folder, plan: Plan) -> None:
    """Claim *folder* for *plan*, or find that it is this plan's already. Raises BatchError if it is another's."""
    mine = plan.identity()
    try:
        folder.root.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise BatchError(
            "this is a file, not a folder", where=folder.root, mend="give --out another folder"
        ) from None
    if not folder.identity.exists():
        strange = [each.name for each in folder.root.iterdir() if not each.name.startswith((".", "batch"))]
        if strange:
            raise BatchError(
                f"the folder holds other things, such as {strange[0]!r}",
                where=folder.root,
                mend="give --out a new or empty folder",
            )
        described = {**mine, "reference": plan.reference}
        write_once(folder.identity, json.dumps(described, ensure_ascii=False, indent=1).encode())
    changed = changed_since(folder, plan)
    if changed:
        raise BatchError(
            f"what is declared is not what this batch began with: {', '.join(changed)} changed", where=folder.root,
            mend="give --out another folder, or run the protocol as it was",
        )  # fmt: skip


def changed_since(folder: Folder, plan: Plan) -> list[str]:
    """Return what *plan* declares otherwise than the batch that *folder* holds; nothing where it holds none. Raises BatchError."""
    if not folder.identity.exists():
        return []
    mine, theirs = plan.identity(), identity_of(folder)
    theirs_arms, mine_arms = theirs.pop("arms"), mine.pop("arms")
    changed = [key for key in mine if mine[key] != theirs.get(key)]
    return changed + [
        f"arm {name!r}" for name, arm in mine_arms.items() if name in theirs_arms and theirs_arms[name] != arm
    ]


def identity_of(folder: Folder) -> dict[str, Any]:
    """Return what the batch in *folder* is. Raises BatchError."""
    try:
        found: dict[str, Any] = json.loads(folder.identity.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BatchError(
            "there is no batch here", where=folder.root, mend="oneroom trials run PROTOCOL --out DIR"
        ) from None
    except ValueError:
        raise BatchError(
            "the batch's own description is damaged",
            where=folder.identity,
            mend="move it away; the same command writes it anew",
        ) from None
    return found


def debug_fault(name: str, where: Path) -> BatchError:
    """Return the fault of a log from debug mode among results."""
    return BatchError(f"{name} was made in debug mode and can't be a result", where=where, mend="take its log out")


def write_once(path: Path, data: bytes) -> bool:
    """Create *path* with *data*, whole or not at all; return False if it was there already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    finally:
        temporary.unlink()
    return True


def write_over(path: Path, data: bytes) -> None:
    """Put *data* at *path* in one step; for what can be made again at any time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(data)
    temporary.replace(path)


@contextmanager
def held(folder: Folder, shard: tuple[int, int]) -> Iterator[None]:
    """Hold the batch (or this shard of it) against a second command. Raises BatchError if another holds it."""
    path = folder.root / f".batch-{shard[0]}-of-{shard[1]}.lock"
    try:
        fd = again(lambda: DISK.open(path, CREATE))
    except FileExistsError:
        fd = open_file(DISK, path, UPDATE)
    try:
        if not again(lambda: DISK.lock(fd, shared=False)):
            raise BatchError(
                "another command runs this batch now",
                where=folder.root,
                mend="watch it with: oneroom trials status, or wait for it",
            )
        yield
    finally:
        DISK.close(fd)


def note_attempt(folder: Folder, entry: Mapping[str, Any]) -> None:
    """Append one attempt. A line torn by a death is skipped by readers."""
    line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    try:
        fd = again(lambda: DISK.open(folder.attempts, CREATE))
    except FileExistsError:
        fd = open_file(DISK, folder.attempts, UPDATE)
    try:
        write_all(DISK, fd, line)
    finally:
        DISK.close(fd)


def attempts_of(folder: Folder) -> dict[str, list[dict[str, Any]]]:
    """Return trial id -> its attempts, in order."""
    found: dict[str, list[dict[str, Any]]] = {}
    if not folder.attempts.exists():
        return found
    for line in folder.attempts.read_bytes().splitlines():
        try:
            entry = json.loads(line)
            found.setdefault(entry["trial"], []).append(entry)
        except (ValueError, KeyError, TypeError):
            continue
    return found


def status(folder: Folder, plan: Plan) -> dict[str, Any]:
    """Return the `trials status` JSON: counts, what the model cost, and each trial with status, attempts, log and head."""
    tried = attempts_of(folder)
    rows = [_status_of(folder, trial, tried.get(trial.id, [])) for trial in plan.trials]
    states = [row["status"] for row in rows]
    return {
        "protocol": plan.protocol, "digest": plan.digest, "total": len(rows),
        **{name: states.count(name) for name in ("sealed", "running", "failed", "aborted", "waiting")},
        "tokens": sum(row["tokens"] for row in rows), "cost": round(sum(row["cost"] for row in rows), 6), "trials": rows,
    }  # fmt: skip


def _status_of(folder: Folder, trial: Trial, tried: list[dict[str, Any]]) -> dict[str, Any]:
    sealed, part = folder.sealed(trial.id), folder.part(trial.id)
    state, log, head, error = "waiting", "", "", ""
    used: dict[str, Any] = {"tokens": 0, "cost": 0.0}
    if sealed.exists():
        state, log = "sealed", str(sealed)
        with open_log(sealed) as reader:
            head, used = reader.head, spent(reader)
    elif part.exists():
        log = str(part)
        state = "running" if _alive(part) else "aborted"
    if state in ("waiting", "aborted") and tried and tried[-1]["how"] != "stopped":
        state, error = "failed", str(tried[-1].get("error") or tried[-1]["how"])
    row = {
        "id": trial.id, "arm": trial.arm, "seed": trial.seed, "replicate": trial.replicate, "status": state,
        "attempts": len(tried), "log": log, "head": head, **used,
    }  # fmt: skip
    return {**row, "error": error} if error else row


def head_of(log: Path) -> str:
    """Return the head of a sealed log."""
    with open_log(log) as reader:
        return reader.head


def spent(reader: LogReader) -> dict[str, Any]:
    """Return {tokens, cost} of a sealed log: what the model used, and that at the declared prices per million tokens."""
    end, model = reader.end, reader.header["declaration"]["model"]
    if end is None:
        return {"tokens": 0, "cost": 0.0}
    counts = end["data"].get("counts", {})
    price = sum(
        count * model.get(f"price_{way}", 0)
        for way in ("in", "out")
        for name, count in counts.items()
        if name.startswith("model_") and name.endswith(f"_tokens_{way}")
    )
    return {"tokens": end["data"].get("tokens", 0), "cost": round(price / 1_000_000, 6)}


def _alive(part: Path) -> bool:
    try:
        with open_log(part) as reader:
            return reader.alive
    except LogError:
        return False
