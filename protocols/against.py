"""What a protocol or persona names, held against what exists: room, regions, tasks, metrics, providers.

Pure functions of plain values, because this package may not know the world, the mind or the metrics: whoever
joins them hands in the names.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from protocols.faults import Fault, nearest, shown
from protocols.protocol import STANCES, Protocol
from protocols.toml_lines import Lines, Path, line_of

Finding = tuple[Path, str, str]
BODIES = ("resident", "visitor")


def check_against(
    protocol: Protocol,
    *,
    objects: Collection[str],
    regions: Collection[str] = (),
    kinds: Collection[str] = (),
    metrics: Collection[str] | None = None,
    providers: Collection[str] | None = None,
    params: Collection[str] | None = None,
    form: Mapping[str, Any] | None = None,
) -> list[Fault]:
    """Return every name in *protocol* that nothing answers to; None leaves a list of names unchecked.

    *form* is the body of an effective declaration, if that is to be checked instead of the protocol as written.
    """
    declared = protocol.form if form is None else form
    places = {entry["id"]: at for at, entry in enumerate(protocol.form["schedule"])}
    found = [
        *_objects(declared, places, objects, regions, kinds),
        *_listed(declared["metrics"], ("metrics",), "metric", metrics),
        *_one(declared["model"]["provider"], ("model", "provider"), "provider", providers),
        *_listed(list(declared["mind"]["params"]), ("mind", "params"), "parameter of the mind", params),
    ]
    return [Fault(protocol.file, line_of(protocol.lines, path), what, mend) for path, what, mend in found]


def check_persona_against(
    persona: Mapping[str, Any],
    file: str,
    lines: Lines,
    *,
    tasks: Collection[str],
    regions: Collection[str] | None = None,
    kinds: Collection[str] | None = None,
) -> list[Fault]:
    """Return every name in *persona* (its plain values) that nothing answers to."""
    found: list[Finding] = []
    for at, practice in enumerate(persona["practices"]):
        found += _one(practice["task"], ("practices", at, "task"), "task", tasks)
    for at, goal in enumerate(persona["goals"]):
        found += _listed(goal["tasks"], ("goals", at, "tasks"), "task", tasks)
    for at, rule in enumerate(persona["rules"]):
        if rule["region"]:
            found += _one(rule["region"], ("rules", at, "region"), "region", regions)
        if rule["target_kind"]:
            found += _one(rule["target_kind"], ("rules", at, "target_kind"), "kind of thing", kinds)
    return [Fault(file, line_of(lines, path), what, mend) for path, what, mend in found]


def _objects(
    form: Mapping[str, Any],
    index: Mapping[str, int],
    objects: Collection[str],
    regions: Collection[str],
    kinds: Collection[str],
) -> Iterator[Finding]:
    places = (*objects, *regions, *BODIES)
    themes = (*places, *kinds)
    room = f"in the room {form['room']}"
    for channel, declared in form["channels"].items():
        known = objects if channel == "physical" else themes
        for at, name in enumerate(declared["objects"]):
            if name not in known:
                path: Path = ("channels", channel, "objects", at)
                yield path, f"there is no {shown(name)} {room}", nearest(name, known)
    for entry in form["schedule"]:
        at = index[entry["id"]]
        for key, known in (("object", objects), ("target", places if entry["channel"] == "physical" else themes)):
            if entry[key] and entry[key] not in known:
                yield ("schedule", at, key), f"there is no {shown(entry[key])} {room}", nearest(entry[key], known)
        when = entry["when"]
        if when and when["subject"] and when["event"] not in STANCES and when["event"] in ("state", "entered", "left"):
            if when["subject"] not in places:
                what = f"there is no {shown(when['subject'])} {room}"
                yield ("schedule", at, "when"), what, nearest(when["subject"], places)


def _listed(names: Collection[str], path: Path, what: str, known: Collection[str] | None) -> Iterator[Finding]:
    for at, name in enumerate(names):
        place = (*path, name) if path == ("mind", "params") else (*path, at)
        yield from _one(name, place, what, known)


def _one(name: str, path: Path, what: str, known: Collection[str] | None) -> Iterator[Finding]:
    if known is not None and name not in known:
        yield path, f"there is no {what} {shown(name)}", nearest(name, known)
