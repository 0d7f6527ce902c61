"""A declaration as the core takes it: channel contracts in ticks, and the schedule laid out in time.

*form* is a checked protocol or the body of an effective declaration: the keys read here are the same.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from interventions.contract import ANY, CHANNELS, Contract, Window

Moment = tuple[int, str, Mapping[str, Any]]
"""Time since the start in ms, intervention id, entry of the schedule."""


def ticks(form: Mapping[str, Any], ms: int) -> int:
    """Return *ms* in ticks, rounded up: nothing happens before its time."""
    return int(-(-ms // form["tick_ms"]))


def contracts(form: Mapping[str, Any]) -> list[Contract]:
    """Return the four contracts that *form* declares; what it leaves out is closed.

    Objects that a channel other than the physical one leaves out mean: whatever is spoken of.
    """
    found = []
    for channel in CHANNELS:
        declared = form["channels"][channel]
        objects = tuple(declared["objects"]) or (() if channel == "physical" else (ANY,))
        found.append(
            Contract(
                channel,
                open=declared["open"],
                objects=objects,
                operations=tuple(declared["operations"]),
                count_max=declared["count_max"],
                per=tuple(Window(count, ticks(form, window)) for count, window in declared["rate"]),
                theme_gap_ticks=ticks(form, declared.get("theme_gap_ms", 0)),
            )
        )
    return found


def timeline(form: Mapping[str, Any]) -> list[Moment]:
    """Return the timed entries of the schedule with their repetitions, in order of time, then of the file."""
    moments = [moment for entry in form["schedule"] if entry.get("enabled", True) for moment in _moments(entry)]
    return sorted(moments, key=lambda moment: moment[0])


def _moments(entry: Mapping[str, Any]) -> Iterator[Moment]:
    if entry["at_ms"] is None:
        return
    repeat = entry["repeat"] or {"every_ms": 0, "times": 1}
    for number in range(repeat["times"]):
        name = f"int-{entry['id']}" + (f".{number + 1}" if number else "")
        yield entry["at_ms"] + number * repeat["every_ms"], name, entry
