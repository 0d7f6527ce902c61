"""The effective declaration of one run: protocol, arm and every override folded into one plain value, with a digest.

The digest covers what was declared and not the seed; a trial's id is a digest of (declaration digest, seed,
replicate) and never a position. Spans and moments are whole milliseconds, so the same declaration has the same
bytes wherever it is read.
"""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from protocols.contradictions import contradictions
from protocols.faults import ProtocolError, fail, nearest, shown
from protocols.protocol import PROTOCOL, SEED_MAX, STANCES, Protocol, check_form
from protocols.seeds import seed_list
from protocols.toml_lines import Path, line_of

SCHEMA = 1
FIXED = ("id", "arms", "seeds", "replicates")
"""What no arm and no override may touch."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What one run is a function of, beside its inputs. *body* is plain JSON in canonical order."""

    body: dict[str, Any] = field(repr=False)
    digest: str
    """blake2b-128 of the canonical JSON of *body*, in hex."""
    protocol_digest: str
    """The same of the whole protocol with all its arms and seeds; batches are kept apart by it."""
    arm: str
    seed: int
    replicate: int
    trial_id: str
    exploratory: bool
    reasons: tuple[str, ...] = ()
    """Why the run is exploratory; empty for a result as declared."""


def effective(
    protocol: Protocol,
    arm: str = "",
    seed: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    replicate: int = 1,
) -> Declaration:
    """Return the declaration of one run. Raises ProtocolError for an unknown arm or key, or a contradiction.

    *arm* "" is the first arm, *seed* None the first seed. *overrides* maps dotted keys of the protocol to values
    as they would stand in the file; a schedule entry goes by its id: `schedule.greet.text`.
    """
    arm = arm or next(iter(protocol.arms), "")
    seeds = [seed for part in seed_list(protocol.form) for seed in part]
    chosen = seeds[0] if seed is None else seed
    form = applied(protocol, arm, dict(overrides or {}))
    if type(chosen) is not int or not 0 <= chosen <= SEED_MAX:
        raise fail(protocol.file, "a seed is a whole number from 0 to 2^63 - 1", "choose another")
    if not 1 <= replicate <= protocol.replicates:
        raise fail(protocol.file, f"there is no replicate {replicate}", f"the protocol declares {protocol.replicates}")
    body = _body(form, arm)
    reasons = ["declared exploratory"] if form["exploratory"] else []
    reasons += [f"override of {key}" for key in overrides or {}]
    reasons += [] if chosen in seeds else [f"seed {chosen} is not declared"]
    digest = digest_of(body)
    return Declaration(
        body=body,
        digest=digest,
        protocol_digest=protocol_digest(protocol),
        arm=arm,
        seed=chosen,
        replicate=replicate,
        trial_id=trial_id(digest, chosen, replicate),
        exploratory=bool(reasons),
        reasons=tuple(reasons),
    )


def with_contents(declaration: Declaration, contents: Mapping[str, str]) -> Declaration:
    """Return *declaration* with the digests of the files it names (`room`, `persona`) folded into its own.

    So a room that was edited under its old name is another declaration, and its trials have other ids.
    """
    body = {**declaration.body, "contents": dict(sorted(contents.items()))}
    digest = digest_of(body)
    id_ = trial_id(digest, declaration.seed, declaration.replicate)
    return replace(declaration, body=body, digest=digest, trial_id=id_)


def trials(protocol: Protocol) -> Iterator[tuple[str, int, int]]:
    """Yield (arm, seed, replicate) of every declared trial, in order."""
    for arm in protocol.arms or ("",):
        for part in seed_list(protocol.form):
            for seed in part:
                for replicate in range(1, protocol.replicates + 1):
                    yield arm, seed, replicate


def trial_id(digest: str, seed: int, replicate: int) -> str:
    """Return the id of a trial: a digest of what it is, never of where it stands."""
    return blake2b(f"{digest}/{seed}/{replicate}".encode(), digest_size=8).hexdigest()


def canonical(value: Any) -> bytes:
    """Return *value* as canonical JSON: sorted keys, no blanks, UTF-8."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode()


def digest_of(body: Any) -> str:
    """Return the blake2b-128 of canonical JSON, in hex."""
    return blake2b(canonical(body), digest_size=16).hexdigest()


def protocol_digest(protocol: Protocol) -> str:
    """Return the digest of the whole protocol: arms, seeds and all."""
    return digest_of({"schema": SCHEMA, "protocol": protocol.form})


def applied(protocol: Protocol, arm: str, overrides: dict[str, Any]) -> dict[str, Any]:
    """Return the form after *arm* and *overrides*, checked again as a whole. Raises ProtocolError."""
    if arm and arm not in protocol.arms:
        line = line_of(protocol.lines, ("arms",))
        raise fail(protocol.file, f"there is no arm {shown(arm)}", nearest(arm, protocol.arms), line)
    raw: dict[str, Any] = deepcopy(dict(protocol.raw))
    places: dict[Path, int] = {}
    for key, value in protocol.form["arms"].get(arm, {}).items():
        line = line_of(protocol.lines, ("arms", arm, key))
        places[_put(raw, key, value, protocol.file, line)] = line
    for key, value in overrides.items():
        places[_put(raw, key, value, f"override {key}", 0)] = 0
    lines = {**protocol.lines, **places}
    form = check_form(raw, protocol.file, lines)
    changed = {**protocol.form["arms"].get(arm, {}), **overrides}
    if "visitor.kind" in changed and form["visitor"]["kind"] != "script":
        _without_script(form)
    form["schedule"] = [
        entry for entry in form["schedule"] if entry["enabled"] and (not entry["arms"] or arm in entry["arms"])
    ]
    faults = contradictions(form, protocol.file, lines)
    if faults:
        raise ProtocolError(faults)
    return form


def _without_script(form: dict[str, Any]) -> None:
    """Take out what the script did for a visitor whose place another took, and what waited for its answers."""
    kept = [entry for entry in form["schedule"] if entry["channel"] not in ("physical", "dialogue")]
    ids = {entry["id"] for entry in kept}
    form["schedule"] = [
        entry
        for entry in kept
        if not entry["when"] or entry["when"]["event"] not in STANCES or entry["when"]["subject"] in ids
    ]


def _put(raw: dict[str, Any], key: str, value: Any, file: str, line: int) -> Path:
    """Set the dotted *key* in *raw* and return its path. An unknown key is refused here, with the nearest one."""
    parts = key.split(".")
    if parts[0] in FIXED:
        raise fail(file, f"{shown(parts[0])} can't be overridden", "it names the trial itself", line)
    form, table, path = PROTOCOL, raw, ()
    place: Any = table
    done: Path = path
    for at, part in enumerate(parts):
        if done == ("schedule",):
            ids = [str(entry.get("id")) for entry in place]
            if part not in ids:
                raise fail(file, f"the schedule has no entry {shown(part)}", nearest(part, ids), line)
            number = ids.index(part)
            place, done, form = place[number], ("schedule", number), form.item or form
            continue
        if form.keys is not None and part not in form.keys:
            inside = f" in [{'.'.join(parts[:at])}]" if at else ""
            raise fail(file, f"unknown key {shown(part)}{inside}", nearest(part, form.keys), line)
        if form.keys is None and form.item is None:
            raise fail(file, f"{shown('.'.join(parts[:at]))} is no table", "override the whole value", line)
        form = form.keys[part] if form.keys is not None else form.item or form
        done = (*done, part)
        if at + 1 == len(parts):
            place[part] = deepcopy(value)
            return done
        if part == "schedule":
            place = place.setdefault(part, [])
            continue
        if not isinstance(place.get(part, {}), dict):
            raise fail(file, f"{shown('.'.join(parts[: at + 1]))} is no table", "override the whole value", line)
        place = place.setdefault(part, {})
    raise fail(file, f"{shown(key)} names a whole entry", "override one of its keys", line)


def _body(form: Mapping[str, Any], arm: str) -> dict[str, Any]:
    """Return the declaration as the core and the log take it: plain values, times in ms, keys in order."""
    body = {key: deepcopy(value) for key, value in form.items() if key not in ("arms", "seeds", "replicates")}
    for entry in body["schedule"]:
        del entry["arms"], entry["enabled"]
        when = entry["when"]
        if when is not None and when["event"] in STANCES:
            when["subject"] = f"int-{when['subject']}"
    return {"schema": SCHEMA, "arm": arm, **_sorted(body)}


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
