"""Whatever a person can do at a window can be done through the API, with the same records; and every control has a key to it."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from window_cases import a_live, let_pass

pygame: Any = pytest.importorskip("pygame")

from interventions.contract import DEBUG_OPERATIONS, DIALOGUE, INNER_VOICE, OPERATIONS, PHYSICAL, SYSTEM  # noqa: E402
from logs.reader import open_log  # noqa: E402
from sim.play_declare import declare_play  # noqa: E402
from sim.reel import Reel  # noqa: E402
from sim.simulation import Simulation  # noqa: E402
from sim.window.acts import Act  # noqa: E402
from sim.window.debug_screen import DebugScreen  # noqa: E402
from sim.window.kit import PRESSABLE  # noqa: E402
from sim.window.play_screen import PlayScreen  # noqa: E402
from sim.window.replay_screen import ReplayScreen  # noqa: E402

WINDOW = Path(__file__).parent.parent / "sim" / "window"
LOG = Path(__file__).parent / "data" / "frames_visit.jsonl.zst"
TICKS = 150
IN = [(PHYSICAL, "enter", {})]
HOLDING = [*IN, (PHYSICAL, "take", {"object": "apples"})]
ON_TABLE = {"object": "mug", "target": "table", "data": {"relation": "on", "cell": 300}}
# What is done, after what came before it. One line for each operation that a window can hand in.
DONE: dict[str, tuple[list[Any], tuple[str, str, dict[str, Any]]]] = {
    "enter": ([], (PHYSICAL, "enter", {})),
    "leave": (IN, (PHYSICAL, "leave", {})),
    "walk": (IN, (PHYSICAL, "walk", {"target": "cell:500"})),
    "take": (IN, (PHYSICAL, "take", {"object": "apples"})),
    "put": (HOLDING, (PHYSICAL, "put", {"object": "apples", "target": "desk"})),
    "hand_over": (HOLDING, (PHYSICAL, "hand_over", {"object": "apples"})),
    "open": (IN, (PHYSICAL, "open", {"object": "window"})),
    "close": (IN, (PHYSICAL, "close", {"object": "window"})),
    "switch": (IN, (PHYSICAL, "switch", {"object": "desk_lamp"})),
    "push": (IN, (PHYSICAL, "push", {"object": "plate"})),
    "say": (IN, (DIALOGUE, "say", {"text": "请把杯子拿给我", "mark": ""})),
    "whisper": ([], (INNER_VOICE, "whisper", {"text": "water the plant"})),
    "pause": (IN, (SYSTEM, "pause", {})),
    "resume": ([*IN, (SYSTEM, "pause", {})], (SYSTEM, "resume", {})),
    "safe_stop": (IN, (SYSTEM, "safe_stop", {})),
    "drag": ([], (PHYSICAL, "drag", ON_TABLE)),
    "set_prop": ([], (PHYSICAL, "set_prop", {"object": "mug", "data": {"prop": "dirty", "value": 1}})),
    "teleport": ([], (PHYSICAL, "teleport", {"object": "resident", "data": {"cell": 500}})),
    "wake": ([], (PHYSICAL, "wake", {"object": "resident"})),
    "think": ([], (PHYSICAL, "think", {})),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def screen_without_a_display() -> Iterator[None]:
    pygame.display.init()
    pygame.font.init()
    yield
    pygame.quit()


def handed_in_by_the_windows() -> set[str]:
    """Return every operation that the windows' code names: in an `Act`, or in a call of `act` or `change`."""
    found: set[str] = set()
    every = {op for ops in (*OPERATIONS.values(), *DEBUG_OPERATIONS.values()) for op in ops}
    for file in WINDOW.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in ("Act", "act", "change"):
                texts = [each.value for arg in node.args[:2] for each in ast.walk(arg) if isinstance(each, ast.Constant)]
                found |= {each for each in texts if each in every}
        if file.name == "asked_card.py":
            found |= {"hand_over", "open"}
    return found


def test_the_table_of_acts_is_that_of_the_windows() -> None:
    assert handed_in_by_the_windows() == set(DONE)
    for op, (_, (channel, named, _what)) in DONE.items():
        assert named == op
        assert op in (*OPERATIONS[channel], *DEBUG_OPERATIONS.get(channel, ()))


def at_the_window(screen: PlayScreen, channel: str, op: str, what: dict[str, Any]) -> None:
    """Do it as keys and buttons do it."""
    screen.pass_time(0.0)
    screen._since_last = 1.0
    if op in DEBUG_OPERATIONS[PHYSICAL]:
        assert isinstance(screen, DebugScreen)
        screen.change(op, what, None)
    elif channel == PHYSICAL:
        screen.do(Act(op, what.get("object", ""), what.get("target", "")))
    elif channel == SYSTEM:
        screen.stop() if op == "safe_stop" else screen.live.toggle_pause()
    else:
        screen.turn_to(channel)
        screen.send(what["text"])


def told(log: Path) -> list[str]:
    """Return the records of a log, without who handed in what under which name: the one thing that is not the same."""
    with open_log(log) as reader:
        rows = [row for row in reader.records() if row["kind"] != "end"]
    lines = [json.dumps({key: row[key] for key in ("tick", "kind", "id", "causes", "data")}, ensure_ascii=False) for row in rows]
    for name in ("int-h", "int-d", "int-a"):
        lines = [line.replace(name, "int-") for line in lines]
    return [line.replace('"source": "human"', '"source": "api"') for line in lines]


@pytest.mark.parametrize("op", DONE)
def test_each_act_through_the_api_leaves_the_records_it_leaves_through_the_window(op: str, tmp_path: Path) -> None:
    before, act = DONE[op]
    mode = "debug" if op in DEBUG_OPERATIONS[PHYSICAL] else "play"
    live = a_live(tmp_path / "window", mode=mode)
    surface = pygame.display.set_mode((1280, 800))
    screen = DebugScreen(surface, live) if mode == "debug" else PlayScreen(surface, live, intro=False)
    simulation = Simulation(declare_play(None, mode=mode), out=tmp_path / "api")
    simulation.reset()
    for channel, name, what in [*before, act]:
        at_the_window(screen, channel, name, what)
        simulation.act(channel, name, **what)
        for _ in range(TICKS):
            live.pump(live.stage.tick_ms / 1000, budget_s=5.0)
            simulation.step()
    logs = Path(live.close()["log"]), Path(simulation.close()["log"])

    assert told(logs[0]) == told(logs[1])
    assert any(f'"op": "{op}"' in line for line in told(logs[0]))


# --- by keyboard alone --------------------------------------------------------------------------------------------


def tab(back: bool = False) -> Any:
    return pygame.event.Event(pygame.KEYDOWN, key=pygame.K_TAB, mod=pygame.KMOD_SHIFT if back else 0, unicode="\t", scancode=0)


def a_play(mode: str = "play", **look: Any) -> PlayScreen:
    surface = pygame.display.set_mode((1280, 800))
    live = a_live(mode=mode)
    screen = DebugScreen(surface, live, **look) if mode == "debug" else PlayScreen(surface, live, intro=False, **look)
    live.act(PHYSICAL, "enter")
    live.act(DIALOGUE, "say", text="Could you open the window, please?")
    let_pass(live, 2.0)
    screen.choose("apples")
    return screen


def a_replay(change: Callable[[ReplayScreen], object] = lambda _: None, *, twin: bool = False) -> ReplayScreen:
    reader = open_log(LOG)
    screen = ReplayScreen(pygame.Surface((1280, 800)), Reel(reader), other=Reel(open_log(LOG)) if twin else None)
    screen.go(420)
    change(screen)
    return screen


SCREENS: dict[str, Callable[[], Any]] = {
    "play": a_play,
    "play, a participant": lambda: a_play(researcher=False),
    "play, large text": lambda: a_play(scale=2.0),
    "a formal trial": lambda: a_play("trial", may_switch=False, researcher=False),
    "debug": lambda: a_play("debug"),
    "replay": a_replay,
    "replay, a record": lambda: a_replay(lambda screen: screen.jump(("speech",), 1)),
    "replay, both views": lambda: a_replay(lambda screen: screen.theatre.switch(view="both")),
    "two replays": lambda: a_replay(twin=True),
    "the list of keys": lambda: a_replay(lambda screen: screen.toggle_help()),
}


@pytest.mark.parametrize("name", SCREENS)
@pytest.mark.parametrize("back", [False, True])
def test_every_control_of_every_screen_is_reached_by_keyboard(name: str, back: bool) -> None:
    screen = SCREENS[name]()
    screen.draw([])
    kit = screen.kit
    controls = {
        each for each, node in kit.tree.items()
        if node.kind in PRESSABLE and node.enabled and node.rect.w > 0 and node.rect.h > 0
        and (node.kind != "row" or node.value is not None)
    }  # fmt: skip
    if kit.modal is not None:
        controls = {each for each in controls if kit.modal.contains(kit.tree[each].rect)}
    assert controls
    met = []
    for _ in range(len(kit._order) + 2):
        screen.draw([tab(back)])
        met.append(kit.focus)

    assert controls <= set(met), controls - set(met)
    inside = [each for each in met if each in kit.tree]
    assert all(kit.tree[each].rect.w for each in inside)
