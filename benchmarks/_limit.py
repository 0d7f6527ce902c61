"""The reference tick: one agent, a 40 x 30 room, 30 objects, 8 needs, whole-number movement, an event each 10 ticks.

Plain Python without dependencies. One bare tick of `World.step` is one **ref**, the unit of every goal: it is
measured in the same process as the thing compared with it, so that a figure holds on any machine.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

WIDTH, HEIGHT = 38_000, 28_000
RATES = (11, 7, 5, 3, 13, 2, 9, 4)
OBJECTS = 30
RUNNING = range(0, OBJECTS, 6)
REF_TICKS = 10_000
MASK = 0xFFFFFFFFFFFFFFFF


class World:
    """The least that a room with one agent in it has to do in a tick."""

    __slots__ = (
        "active",
        "events",
        "needs",
        "obj_state",
        "obj_timer",
        "rng",
        "tick",
        "tx",
        "ty",
        "vx",
        "vy",
        "x",
        "y",
    )

    def __init__(self, seed: int = 1) -> None:
        self.tick = 0
        self.x = self.y = 5000
        self.vx = self.vy = 0
        self.tx, self.ty = 30_000, 20_000
        self.needs = [1_000_000] * len(RATES)
        self.obj_state = [0] * OBJECTS
        self.obj_timer = [0] * OBJECTS
        for i in RUNNING:
            self.obj_timer[i] = 50 + i
        self.rng = seed
        self.active = list(RUNNING)
        self.events = 0

    def step(self) -> bool:
        """Advance one tick; return whether it had an event."""
        t = self.tick = self.tick + 1
        dx = self.tx - self.x
        dy = self.ty - self.y
        adx = dx if dx >= 0 else -dx
        ady = dy if dy >= 0 else -dy
        if adx < 150 and ady < 150:
            r = self.rng = (self.rng * 6364136223846793005 + 1442695040888963407) & MASK
            self.tx = 1000 + (r >> 33) % WIDTH
            self.ty = 1000 + (r >> 13) % HEIGHT
            self.vx = self.vy = 0
        else:
            m = adx if adx > ady else ady
            self.vx = dx * 140 // m
            self.vy = dy * 140 // m
            self.x += self.vx
            self.y += self.vy
        needs = self.needs
        i = 0
        for rate in RATES:
            v = needs[i] - rate
            needs[i] = v if v > 0 else 1_000_000
            i += 1  # noqa: SIM113 - the reference is defined with a plain counter.
        timer = self.obj_timer
        for i in self.active:
            v = timer[i] - 1
            if v == 0:
                self.obj_state[i] ^= 1
                v = 50 + i
            timer[i] = v
        if t % 10 == 0:
            self.events += 1
            return True
        return False

    def run(self, ticks: int) -> None:
        """Advance *ticks* ticks."""
        step = self.step
        for _ in range(ticks):
            step()


def ref_ns(ticks: int = REF_TICKS) -> float:
    """Return the CPU nanoseconds of one bare reference tick, measured now."""
    world = World()
    start = time.process_time_ns()
    world.run(ticks)
    return (time.process_time_ns() - start) / ticks


def in_refs(work: Callable[[], int], repeats: int = 5) -> float:
    """Return the median cost of one operation of *work* in refs; *work* returns how many it did.

    Each repetition stands between two measurements of the reference, so that a busy machine slows both.
    """
    work()
    ratios = []
    for _ in range(repeats):
        before = ref_ns()
        start = time.process_time_ns()
        done = work()
        spent = time.process_time_ns() - start
        ratios.append(spent / done / ((before + ref_ns()) / 2))
    return statistics.median(ratios)
