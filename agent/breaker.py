"""When to leave the model alone: a breaker for one that fails, a budget for one that costs.

Both are counted in calls and ticks, never in seconds, so a replay finds them in the same state. After
FAILURES_MAX failing calls in a row the breaker opens: the resident is asked nothing and decides near ties by its
deterministic best (degraded state), and one probe is let through at long and growing intervals. One readable reply
closes it.
"""

from __future__ import annotations

from dataclasses import dataclass

FAILURES_MAX = 3
"""Failing calls in a row that open the breaker (spec 03, section 4)."""

PROBE_GAP_TICKS = 3_000
"""Ticks from opening to the first probe: 5 minutes at 100 ms. Chosen, not derived."""

PROBE_GAP_MAX_TICKS = 36_000
"""The gap doubles with each failed probe up to this: 1 hour at 100 ms. Chosen, not derived."""


@dataclass(slots=True)
class Breaker:
    """Closed (calls pass), open (none pass) or probing (the one call is out)."""

    phase: str = "closed"
    failures: int = 0
    probes_failed: int = 0
    probe_tick: int = 0
    opened: int = 0
    degraded_since_tick: int = -1
    degraded_ticks: int = 0

    def admits(self, tick: int) -> bool:
        """Return whether a call may go out at *tick*."""
        return self.phase == "closed" or (self.phase == "open" and tick >= self.probe_tick)

    def issued(self, tick: int) -> None:
        """Note that a call went out."""
        assert self.admits(tick)
        if self.phase == "open":
            self.phase = "probing"

    def failed(self, tick: int) -> None:
        """Note that a call brought nothing readable."""
        self.failures += 1
        if self.phase == "probing":
            self.probes_failed += 1
            self._open(tick)
        elif self.phase == "closed" and self.failures >= FAILURES_MAX:
            self.opened += 1
            self.degraded_since_tick = tick
            self._open(tick)

    def succeeded(self, tick: int) -> None:
        """Note a readable reply: the degraded state is over."""
        if self.degraded_since_tick >= 0:
            self.degraded_ticks += tick - self.degraded_since_tick
        self.phase, self.failures, self.probes_failed, self.degraded_since_tick = "closed", 0, 0, -1

    def withdrawn(self) -> None:
        """Note that the call out was dropped by us, which says nothing about the model."""
        if self.phase == "probing":
            self.phase = "open"

    def degraded_until(self, tick: int) -> int:
        """Return the ticks spent degraded up to *tick*."""
        return self.degraded_ticks + (tick - self.degraded_since_tick if self.degraded_since_tick >= 0 else 0)

    def _open(self, tick: int) -> None:
        self.phase = "open"
        self.probe_tick = tick + min(PROBE_GAP_TICKS << min(self.probes_failed, 16), PROBE_GAP_MAX_TICKS)


@dataclass(slots=True)
class Budget:
    """Calls and tokens of one trial. A cap of 0 means none."""

    calls_max: int = 0
    tokens_max: int = 0
    calls: int = 0
    tokens: int = 0

    def spent(self) -> str:
        """Return `calls_spent`, `tokens_spent`, or nothing while there is some left."""
        if self.calls_max and self.calls >= self.calls_max:
            return "calls_spent"
        return "tokens_spent" if self.tokens_max and self.tokens >= self.tokens_max else ""
