"""Whatever is sent, in whatever order, at whatever tick: no limit of a contract is ever exceeded.

The model below knows nothing of the gate's bookkeeping. It keeps every admitted act and counts by brute force.
"""

from itertools import pairwise
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from interventions.contract import ANY, CHANNELS, OPERATIONS, Contract, Intervention
from interventions.gate import Gate, windows
from interventions.intake import settle
from sim.codec import decode, encode

NAMES = {"window": "window", "mug": "mug", "box": "box"}
# Each row says one thing in several ways; whoever sends any of them has raised the same theme.
WORDINGS = {
    "open|window": (
        *("Open the window.", "ｏｐｅｎ the wіndow!", "0pen\u200b the w1ndow"),
        *("打开窗户", "把窗户打开吧", "unlatch the window"),
    ),
    "look|mug": ("The mug.", "Look at the mug!", "mu\u200bg... ｍｕｇ", "Think of the mug."),
    "unread": ("Alas.", "Woe is me, woe!", "呜呼"),
}
TEXTS = [(theme, text) for theme, texts in WORDINGS.items() for text in texts]
OBJECTS = ("window", "mug", "box")


class GateMachine(RuleBasedStateMachine):
    """A gate under a random contract, and a list of all it ever let pass."""

    @initialize(
        open_=st.lists(st.sampled_from([True, True, True, True, False]), min_size=4, max_size=4),
        count=st.lists(st.sampled_from([-1, -1, -1, 8, 20, 1, 0]), min_size=4, max_size=4),
        limits=st.lists(
            st.lists(st.tuples(st.integers(1, 4), st.sampled_from([1, 2, 5, 20, 60])), max_size=2),
            min_size=4,
            max_size=4,
        ),
        gap=st.sampled_from([0, 5, 40, 40]),
    )
    def declare(self, open_: list[bool], count: list[int], limits: list[list[tuple[int, int]]], gap: int) -> None:
        self.contracts = {
            channel: Contract(
                channel,
                open=open_[at],
                objects=("window", "mug") if channel == "physical" else (ANY,),
                operations=OPERATIONS[channel][:3],
                count_max=count[at],
                per=windows(*limits[at]),
                theme_gap_ticks=gap if channel == "inner_voice" else 0,
            )
            for at, channel in enumerate(CHANNELS)
        }
        self.gate = Gate.build(self.contracts.values())
        self.tick = 100
        self.number = 0
        self.passed: list[tuple[int, Intervention, str]] = []
        self.ids: list[str] = []
        self.saved: list[int] = [60, 90]

    def send(self, channel: str, theme: str = "", **more: Any) -> None:
        """Hand an act in, and hold the receipt against the brute-force count."""
        self.number += 1
        declared = {"id": f"int-{self.number}", "op": OPERATIONS[channel][0], "source": "script", **more}
        act = settle(
            Intervention(channel=channel, tick=self.tick, ordinal=self.number, **declared), NAMES, tick_ms=100
        )
        ledger_before = encode([self.gate.used, self.gate.recent, self.gate.themes])

        receipt = self.gate.admit(self.tick, act)

        assert receipt.accepted == self.allowed(act, theme), receipt
        if receipt.accepted:
            self.passed.append((self.tick, act, theme))
        else:
            assert encode([self.gate.used, self.gate.recent, self.gate.themes]) == ledger_before
        self.ids.append(act.id)

    def allowed(self, act: Intervention, theme: str) -> bool:
        contract = self.contracts[act.channel]
        mine = [tick for tick, other, _ in self.passed if other.channel == act.channel]
        if act.id in self.ids or not contract.open or act.op not in contract.operations:
            return False
        if act.channel == "physical" and act.object and act.object not in contract.objects:
            return False
        if contract.count_max >= 0 and len(mine) >= contract.count_max:
            return False
        for window in contract.per:
            # Past uses count within the window; uses that lie ahead, after a restore, count for good.
            if sum(tick > self.tick - window.window_ticks for tick in mine) >= window.count:
                return False
        if contract.theme_gap_ticks:
            raised = [tick for tick, other, key in self.passed if other.channel == act.channel and key == theme]
            if any(tick > self.tick - contract.theme_gap_ticks for tick in raised):
                return False
        return True

    @rule(text=st.sampled_from(TEXTS), source=st.sampled_from(["script", "human", "api"]))
    def whisper(self, text: tuple[str, str], source: str) -> None:
        self.send("inner_voice", text[0], text=text[1], source=source)

    @rule(text=st.sampled_from(TEXTS))
    def say(self, text: tuple[str, str]) -> None:
        self.send("dialogue", text[0], text=text[1])

    @rule(thing=st.sampled_from(OBJECTS), op=st.sampled_from(["enter", "walk", "take", "open", "save"]))
    def act(self, thing: str, op: str) -> None:
        self.send("physical", op=op, object=thing)

    @rule(op=st.sampled_from(["pause", "resume", "reset", "edit_memory"]))
    def control(self, op: str) -> None:
        self.send("system", op=op)

    @rule(data=st.data())
    def send_an_id_again(self, data: st.DataObject) -> None:
        if self.ids:
            self.send("dialogue", "unread", text="Alas.", id=data.draw(st.sampled_from(self.ids)))

    @rule(burst=st.integers(2, 6))
    def burst(self, burst: int) -> None:
        for _ in range(burst):
            self.send("dialogue", "unread", text="Alas.")

    @rule(ticks=st.sampled_from([0, 1, 2, 5, 39, 40, 59, 60, 1000]))
    def wait(self, ticks: int) -> None:
        self.tick += ticks

    @rule()
    def save(self) -> None:
        self.saved.append(self.tick)

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        """Go back to a saved tick. The ledger stays: it stands outside what is restored."""
        self.tick = data.draw(st.sampled_from(self.saved))

    @rule()
    def restart(self) -> None:
        """Resume in a new process: the ledger comes back from its own record."""
        self.gate = decode(encode(self.gate))

    @invariant()
    def no_window_of_the_tick_line_holds_too_many(self) -> None:
        if not hasattr(self, "passed"):
            return
        for channel, contract in self.contracts.items():
            ticks = sorted(tick for tick, act, _ in self.passed if act.channel == channel)
            assert contract.count_max < 0 or len(ticks) <= contract.count_max
            for window in contract.per:
                for at, tick in enumerate(ticks):
                    held = [other for other in ticks[at:] if other < tick + window.window_ticks]
                    assert len(held) <= window.count

    @invariant()
    def no_theme_passes_twice_in_its_gap(self) -> None:
        if not hasattr(self, "passed"):
            return
        gap = self.contracts["inner_voice"].theme_gap_ticks
        for theme in WORDINGS:
            ticks = sorted(tick for tick, act, key in self.passed if act.channel == "inner_voice" and key == theme)
            assert all(later - earlier >= gap for earlier, later in pairwise(ticks))


GateMachine.TestCase.settings = settings(max_examples=120, stateful_step_count=50, deadline=None)
TestGateMachine = GateMachine.TestCase
