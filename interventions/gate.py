"""The one gate before the resident: every act of a person passes here and is admitted or denied, for good.

Theory of operation
===================
The gate keeps a ledger of what it admitted and nothing else. It stands outside restorable state: going back
to an earlier tick gives nobody his uses back. That is why a use counts in a window when it lies less than
the window's length before now *or after now*: ticks may run backwards through a restore, and still no window
of the tick line ever holds more than the contract allows.

The questions come in the order of spec 05, section 1: a known act, an open channel, a declared operation and
object, a form that can be read, the resident's own boundary, count, rate, theme. A denied act changes nothing.
Time is the tick handed in. The gate has no clock, and who sent an act takes part in no question, so limits
can't tell the resident where a voice comes from.
"""

import re
from bisect import insort
from collections.abc import Iterable
from dataclasses import dataclass, field

from interventions.contract import (
    ACTIONS,
    ANY,
    CHANNELS,
    DEBUG_OPERATIONS,
    DIALOGUE,
    INNER_VOICE,
    MARKS,
    MODES,
    NEEDS_OBJECT,
    NEVER,
    OPERATIONS,
    UNLIMITED,
    Contract,
    Intervention,
    Receipt,
    Window,
    order,
)
from interventions.text import has_words, theme_key

ACCEPTED = Receipt("accepted")
UNREAD = "unread"
"""The one theme of everything that could not be read: other words for it are not another theme."""

ID_MAX = 80
_ID = re.compile(r"int-[A-Za-z0-9._#-]+")


@dataclass(slots=True)
class Boundary:
    """The resident's own limit on a channel or a theme: confirm, muted or blocked, until a tick (-1: for good)."""

    state: str
    until_tick: int


@dataclass(slots=True)
class Gate:
    """The ledger of one trial. Build it with `Gate.build`; change it only through its methods."""

    mode: str
    contracts: dict[str, Contract]
    used: dict[str, int]
    recent: dict[str, list[int]]
    """Ticks of admitted acts, sorted; as many of the latest as the largest window counts."""
    themes: dict[str, int] = field(default_factory=dict)
    """Latest tick at which a theme was admitted, by channel and key."""
    ids: dict[str, str] = field(default_factory=dict)
    """Every id ever handed in, with the reason code of its first receipt."""
    denied: dict[str, int] = field(default_factory=dict)
    boundaries: dict[str, Boundary] = field(default_factory=dict)

    @staticmethod
    def build(contracts: Iterable[Contract], mode: str = "trial") -> "Gate":
        """Return a fresh gate. A channel without a contract is closed."""
        assert mode in MODES
        given = {contract.channel: contract for contract in contracts}
        whole = {channel: given.get(channel, Contract(channel)) for channel in CHANNELS}
        return Gate(mode, whole, dict.fromkeys(CHANNELS, 0), {channel: [] for channel in CHANNELS})

    def admit(self, tick: int, intervention: Intervention) -> Receipt:
        """Return the receipt of *intervention* at *tick*; write it into the ledger if it is accepted."""
        reason = self._refusal(tick, intervention)
        if intervention.id not in self.ids and reason != "bad_id":
            self.ids[intervention.id] = reason
        if reason:
            channel = intervention.channel if intervention.channel in CHANNELS else "unknown"
            self.denied[channel] = self.denied.get(channel, 0) + 1
            return Receipt("denied", reason)
        self._write(tick, intervention)
        return ACCEPTED

    def admit_all(self, tick: int, acts: Iterable[Intervention]) -> list[tuple[Intervention, Receipt]]:
        """Return each act of one tick with its receipt, in the order in which they count."""
        return [(each, self.admit(tick, each)) for each in sorted(acts, key=order)]

    def set_boundary(self, channel: str, state: str, until_tick: int, theme: str = "") -> None:
        """Take over the resident's own boundary on *channel*, or on one theme key of it; `open` lifts it."""
        assert channel in CHANNELS
        assert state in ("open", "confirm", "muted", "blocked")
        key = f"{channel}/{theme}" if theme else channel
        if state == "open":
            self.boundaries.pop(key, None)
        else:
            self.boundaries[key] = Boundary(state, until_tick)

    def clear_boundaries(self) -> None:
        """Forget the resident's boundaries; after a restore the kernel sets those of the restored mind."""
        self.boundaries.clear()

    def remaining(self, channel: str, tick: int) -> dict[str, int | str | None]:
        """Return what feedback shows of *channel*: state, used, max (-1: unlimited), until_tick (-1: for good).

        The state is one of open, confirm, limited, muted, blocked, closed. `until_tick` is None when the
        channel is open, else the first tick at which the state may have passed.
        """
        contract = self.contracts[channel]
        state, until = "open", None
        boundary = self._boundary(channel, "", tick)
        if not contract.open:
            state, until = "closed", NEVER
        elif boundary is not None:
            state, until = boundary.state, boundary.until_tick
        elif self._count_is_used_up(contract):
            state, until = "limited", NEVER
        elif (free := self._free_tick(contract, tick)) > tick:
            state, until = "limited", free
        return {"state": state, "used": self.used[channel], "max": contract.count_max, "until_tick": until}

    def _refusal(self, tick: int, act: Intervention) -> str:
        """Return the first reason against *act*, or the empty code."""
        if not is_id(act.id):
            return "bad_id"
        if act.id in self.ids:
            return "duplicate_id"
        if act.channel not in CHANNELS:
            return "unknown_channel"
        contract = self.contracts[act.channel]
        return self._undeclared(contract, act) or _unreadable(act) or self._limited(contract, tick, act)

    def _undeclared(self, contract: Contract, act: Intervention) -> str:
        if not contract.open:
            return "channel_closed"
        if act.op in DEBUG_OPERATIONS.get(act.channel, ()):
            return "" if self.mode == "debug" else "wrong_mode"
        if act.op not in OPERATIONS[act.channel]:
            return "unknown_operation"
        if act.op not in contract.operations:
            return "operation_not_declared"
        if act.op in NEEDS_OBJECT and not act.object:
            return "object_missing"
        spoken = act.channel in (DIALOGUE, INNER_VOICE)
        named = act.object or (act.target if spoken else "")
        if named and ANY not in contract.objects and named not in contract.objects:
            return "object_not_declared"
        return ""

    def _limited(self, contract: Contract, tick: int, act: Intervention) -> str:
        themes = themes_of(act) if self.boundaries or contract.theme_gap_ticks else ()
        if self.boundaries:
            for theme in ("", *themes):
                boundary = self._boundary(act.channel, theme, tick)
                if boundary is not None and boundary.state != "confirm":
                    return boundary.state
        if self._count_is_used_up(contract):
            return "count_used_up"
        if self._free_tick(contract, tick) > tick:
            return "rate_limited"
        if contract.theme_gap_ticks:
            for theme in themes:
                last = self.themes.get(f"{act.channel}/{theme}")
                if last is not None and tick - last < contract.theme_gap_ticks:
                    return "theme_repeated"
        return ""

    def _boundary(self, channel: str, theme: str, tick: int) -> Boundary | None:
        found = self.boundaries.get(f"{channel}/{theme}" if theme else channel)
        if found is None or NEVER < found.until_tick <= tick:
            return None
        return found

    def _count_is_used_up(self, contract: Contract) -> bool:
        return contract.count_max != UNLIMITED and self.used[contract.channel] >= contract.count_max

    def _free_tick(self, contract: Contract, tick: int) -> int:
        """Return the first tick from *tick* on at which every window has room for one more."""
        ticks = self.recent[contract.channel]
        free = tick
        for window in contract.per:
            if len(ticks) >= window.count:
                free = max(free, ticks[-window.count] + window.window_ticks)
        return free

    def _write(self, tick: int, act: Intervention) -> None:
        contract = self.contracts[act.channel]
        self.used[act.channel] += 1
        if contract.per:
            ticks = self.recent[act.channel]
            insort(ticks, tick)
            del ticks[: -max(window.count for window in contract.per)]
        if contract.theme_gap_ticks:
            for theme in themes_of(act):
                self.themes[f"{act.channel}/{theme}"] = tick  # Later than its last one, or it were denied.
        assert contract.count_max == UNLIMITED or self.used[act.channel] <= contract.count_max


def is_id(text: str) -> bool:
    """Tell whether *text* may be the id of an intervention: `int-`, then ASCII letters, digits or `-_.#`."""
    return len(text) <= ID_MAX and _ID.fullmatch(text) is not None


def themes_of(act: Intervention) -> tuple[str, ...]:
    """Return every theme key of *act*: what its author declared, and what the intake read in its words."""
    declared = (theme_key(act.action, act.target),) if act.action or act.target else ()
    return tuple(dict.fromkeys((*declared, *act.themes))) or (UNREAD,)


def _unreadable(act: Intervention) -> str:
    if act.mark and act.mark not in MARKS:
        return "unknown_mark"
    if act.action and act.action not in ACTIONS:
        return "unknown_action"
    if act.channel in (DIALOGUE, INNER_VOICE) and not act.action and not has_words(act.text):
        return "empty_text"
    return ""


def windows(*pairs: tuple[int, int]) -> tuple[Window, ...]:
    """Return windows from (count, ticks) pairs."""
    return tuple(Window(count, ticks) for count, ticks in pairs)
