"""The windows under synthetic keys: what a person does, the log holds; and what the log holds, the screen shows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from window_cases import FRAME_S, a_live, a_played_log, let_pass, visit

pygame: Any = pytest.importorskip("pygame")

from interventions.contract import REASONS  # noqa: E402
from logs.reader import open_log  # noqa: E402
from sim.export_frames import ExportError, export  # noqa: E402
from sim.live import settle  # noqa: E402
from sim.reel import Reel  # noqa: E402
from sim.replay import verify  # noqa: E402
from sim.shot import Shot  # noqa: E402
from sim.window.bookmarks import Bookmarks  # noqa: E402
from sim.window.debug_screen import DebugScreen  # noqa: E402
from sim.window.ink import drawable  # noqa: E402
from sim.window.play_screen import PlayScreen  # noqa: E402
from sim.window.replay_screen import ReplayScreen  # noqa: E402
from sim.window.texts import Texts, table  # noqa: E402

SCANCODES = {"w": "KSCAN_W", "a": "KSCAN_A", "s": "KSCAN_S", "d": "KSCAN_D"}


@pytest.fixture(scope="module", autouse=True)
def screen_without_a_display() -> Iterator[None]:
    pygame.display.init()
    pygame.font.init()
    yield
    pygame.quit()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_played_log(tmp_path_factory.mktemp("played"))


def key(letter: str = "", code: int = 0, mod: int = 0, scancode: int = 0) -> Any:
    code = code or (ord(letter.lower()) if len(letter) == 1 else 0)
    scancode = scancode or getattr(pygame, SCANCODES.get(letter, ""), 0)
    return pygame.event.Event(pygame.KEYDOWN, key=code, mod=mod, unicode=letter, scancode=scancode)


def click(at: tuple[int, int]) -> list[Any]:
    return [
        pygame.event.Event(pygame.MOUSEMOTION, pos=at, rel=(0, 0), buttons=(0, 0, 0)),
        pygame.event.Event(pygame.MOUSEBUTTONDOWN, pos=at, button=1),
        pygame.event.Event(pygame.MOUSEBUTTONUP, pos=at, button=1),
    ]


def a_play(
    size: tuple[int, int] = (1280, 800), mode: str = "play", out: Path | None = None, **look: Any
) -> PlayScreen:
    surface = pygame.display.set_mode(size)
    live = a_live(out, mode=mode)
    made = (
        DebugScreen(surface, live, save_to=out, **look)
        if mode == "debug"
        else PlayScreen(surface, live, intro=False, **look)
    )
    let_time_pass(made, 0.2)
    return made


def let_time_pass(screen: Any, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
    for _ in range(round(seconds / FRAME_S)):
        screen.pass_time(FRAME_S)
        if until():
            break
    screen.draw([])


def press(screen: Any, *events: Any) -> None:
    for event in events:
        screen.draw([event])
    screen.pass_time(FRAME_S)


def rows(screen: PlayScreen) -> list[Any]:
    return list(screen.live.frame.rows.values())


def test_keys_bring_the_visitor_in_and_walk_him_by_scancode() -> None:
    screen = a_play()
    press(screen, key("e"))
    let_time_pass(screen, 0.5)
    before = screen.live.frame.bodies["visitor"].cell
    # On a French keyboard the key at the place of W writes z; it walks all the same.
    press(
        screen,
        pygame.event.Event(pygame.KEYDOWN, key=pygame.K_z, mod=0, unicode="z", scancode=pygame.KSCAN_W),
    )
    let_time_pass(screen, 1.0)
    press(
        screen, pygame.event.Event(pygame.KEYUP, key=pygame.K_z, mod=0, unicode="z", scancode=pygame.KSCAN_W)
    )
    let_time_pass(screen, 1.5)

    width = screen.live.stage.spec.width
    after = screen.live.frame.bodies["visitor"].cell
    assert after // width < before // width
    assert after % width == before % width


def test_a_click_on_a_thing_and_on_its_act_hands_it_over_to_the_log(tmp_path: Path) -> None:
    screen = a_play(out=tmp_path / "a")
    press(screen, key("e"))
    let_time_pass(screen, 0.5)
    screen.draw(click(screen.kit.tree["obj.apples"].rect.center))
    screen.draw([])
    assert screen.theatre.look.selected == "apples"
    screen.draw(click(screen.kit.tree["act.take"].rect.center))
    let_time_pass(screen, 12.0, until=lambda: rows(screen)[-1].outcome == "done")
    result = screen.live.close()

    with open_log(Path(result["log"])) as reader:
        inputs = [row["data"] for row in reader.records() if row["kind"] == "input"]
    assert [(each["op"], each["object"], each["source"]) for each in inputs] == [
        ("enter", "", "human"),
        ("take", "apples", "human"),
    ]
    assert rows(screen)[-1].outcome == "done"
    assert verify(Path(result["log"]))["ok"]


def test_typed_and_composed_chinese_is_said_as_written() -> None:
    screen = a_play()
    press(screen, key("e"))
    let_time_pass(screen, 0.5)
    press(screen, key("t"))
    assert screen.kit.typing
    screen.draw([pygame.event.Event(pygame.TEXTEDITING, text="bei zi", start=0, length=6)])
    # While something is being composed, Enter belongs to the input method.
    screen.draw([key("\r", pygame.K_RETURN)])
    assert screen.kit.typing
    screen.draw([pygame.event.Event(pygame.TEXTINPUT, text="请把杯子拿给我")])
    press(screen, key("\r", pygame.K_RETURN))
    let_time_pass(screen, 1.0)

    assert rows(screen)[-1].text == "请把杯子拿给我"
    assert not screen.kit.typing


def test_the_key_that_opens_the_box_is_not_typed_and_letters_in_it_are_no_commands() -> None:
    screen = a_play()
    press(screen, key("e"))
    let_time_pass(screen, 0.5)
    press(screen, key("t"))
    count = len(rows(screen))
    screen.draw([key("x"), pygame.event.Event(pygame.TEXTINPUT, text="x")])
    screen.draw([key(" ", pygame.K_SPACE), pygame.event.Event(pygame.TEXTINPUT, text=" ")])
    let_time_pass(screen, 0.3)

    assert screen.kit.boxes["say"][0] == "x "
    assert len(rows(screen)) == count
    assert not screen.live.paused


def test_a_pause_takes_no_simulated_time_and_acts_wait_for_its_end() -> None:
    screen = a_play()
    press(screen, key("e"))
    let_time_pass(screen, 0.5)
    press(screen, key(" ", pygame.K_SPACE))
    let_time_pass(screen, 0.2)
    tick = screen.live.tick
    screen.act("dialogue", "say", text="hello")
    let_time_pass(screen, 2.0)
    assert screen.live.tick == tick
    screen._since_last = 1.0
    press(screen, key(" ", pygame.K_SPACE))
    let_time_pass(screen, 0.2)

    assert not screen.live.paused
    assert rows(screen)[-1].op in ("say", "resume")
    assert {row.op for row in rows(screen)} >= {"say", "resume"}


def test_safe_stop_acts_at_the_next_tick_whatever_runs() -> None:
    screen = a_play()
    screen.live.speed = 1.0
    let_time_pass(screen, 0.5)
    tick = screen.live.tick
    press(screen, key("", pygame.K_F9))
    let_time_pass(screen, 0.3)

    assert screen.live.over
    assert screen.live.session.state.tick <= tick + 2
    assert screen.live.result is not None
    assert screen.live.result["status"] == "stopped"


def test_one_slip_of_the_finger_is_one_act() -> None:
    screen = a_play()
    press(screen, key("e"))
    press(screen, key("e"))
    let_time_pass(screen, 0.5)

    assert [row.op for row in rows(screen)] == ["enter"]


def test_every_control_is_reached_with_tab() -> None:
    screen = a_play()
    screen.draw([])
    pressable = {name for name, node in screen.kit.tree.items() if node.kind in ("button", "textbox")}
    met = set()
    for _ in range(len(screen.kit._order) + 2):
        screen.draw([key("\t", pygame.K_TAB)])
        met.add(screen.kit.focus)

    assert pressable <= met


def test_a_participant_of_a_trial_sees_no_needs_no_candidates_and_cannot_switch() -> None:
    surface = pygame.display.set_mode((1280, 800))
    live = a_live(mode="trial")
    screen = PlayScreen(surface, live, researcher=False, may_switch=False)
    assert screen.intro
    screen.draw([])
    assert "instructions" in screen.kit.tree
    let_time_pass(screen, 1.0)
    assert live.tick == 0
    press(screen, key("\r", pygame.K_RETURN))
    let_time_pass(screen, 1.0)
    press(screen, key("", pygame.K_F7))
    screen.draw([])

    press(screen, key("]"), key("u"))
    assert screen.speed == 1
    assert not live.until_telling

    assert not screen.intro
    assert live.tick > 0
    assert not [name for name in screen.kit.tree if name.startswith(("need.", "cand.", "score."))]
    assert "t.view" not in screen.kit.tree
    assert "body.resident" not in screen.kit.tree


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 1.75, 2.0])
@pytest.mark.parametrize("researcher", [True, False])
def test_three_feedback_rows_stand_at_1280_by_720_at_every_text_size(scale: float, researcher: bool) -> None:
    screen = a_play((1280, 720), scale=scale, researcher=researcher)
    visit(screen.live, (("physical", "enter", {}), 1.0, ("dialogue", "say", {"text": "Hi"}), 1.0,
                        ("inner_voice", "whisper", {"text": "tea"}),
                        1.0, ("physical", "open", {"object": "window"}), 1.0))  # fmt: skip
    screen.draw([])
    area = screen.kit.tree["feedback"].rect
    whole = [
        name
        for name, node in screen.kit.tree.items()
        if name.startswith("fb.int") and node.rect.h > 0 and area.contains(node.rect)
    ]
    full = [name for name in whole if screen.kit.tree[name].rect.h >= screen.kit.px(45)]

    assert len(full) >= 3
    for node in screen.kit.tree.values():
        assert node.rect.left >= 0, node.id
        assert node.rect.right <= 1280, node.id
        assert node.kind != "button" or node.rect.bottom <= 720, node.id


def test_perceived_stance_and_outcome_are_three_fields_with_word_and_icon() -> None:
    screen = a_play()
    visit(screen.live)
    screen.draw([])
    row = next(row for row in rows(screen) if row.channel == "dialogue")

    shown: dict[str, Any] = {}
    for offset in range(0, 4000, 40):  # the list may hold more rows than fit: scroll through all of it
        screen.kit.offsets["feedback"] = offset
        screen.draw([])
        names = {field: f"{row.id}.{field}" for field in ("perceived", "stance", "outcome")}
        shown.update({field: screen.kit.tree[name] for field, name in names.items() if name in screen.kit.tree})
    assert list(map(shown.__contains__, ("perceived", "stance", "outcome"))) == [True] * 3
    assert [node.kind for node in shown.values()] == ["chip"] * 3
    assert all(node.text for node in shown.values())


def test_debug_drags_sets_undoes_and_saves_a_room_that_can_be_opened(tmp_path: Path) -> None:
    from sim import library
    from world.spec import parse_room

    screen = a_play(mode="debug", out=tmp_path / "d")
    assert isinstance(screen, DebugScreen)
    screen.draw([])
    start, goal = screen.kit.tree["obj.apples"].rect.center, screen.kit.tree["obj.bed"].rect.center
    screen.draw(click(start)[:2])
    screen.draw([pygame.event.Event(pygame.MOUSEMOTION, pos=goal, rel=(0, 0), buttons=(1, 0, 0))])
    screen.draw([pygame.event.Event(pygame.MOUSEBUTTONUP, pos=goal, button=1)])
    let_time_pass(screen, 0.2)
    assert screen.live.frame.things["apples"].place == "bed"
    screen.set_prop("desk_lamp", "on", 1)
    let_time_pass(screen, 0.2)
    assert screen.live.frame.things["desk_lamp"].props["on"] == 1
    screen.save_room()
    saved = library.room_raw(str(tmp_path / "studio_debug.toml"))
    screen.undo()
    screen.undo()
    let_time_pass(screen, 0.2)
    result = screen.live.close()

    spec = parse_room(saved, library.table("world/kinds"))
    assert next(each for each in spec.things if each.id == "apples").place == "bed"
    assert screen.live.frame.things["apples"].place == "table"
    assert screen.live.frame.things["desk_lamp"].props["on"] == 0
    with open_log(Path(result["log"])) as reader:
        assert reader.header["mode"] == "debug"
        assert reader.header["exploratory"]
    assert verify(Path(result["log"]))["ok"]


def test_debug_acts_are_refused_outside_debug() -> None:
    live = a_live()
    acts = {
        "drag": {"relation": "on"}, "set_prop": {"prop": "open", "value": 1}, "teleport": {"cell": 5}, "wake": {}, "think": {}
    }  # fmt: skip
    for op, data in acts.items():
        live.act("physical", op, object="apples", target="bed", data=data)
    let_pass(live, 0.5)

    assert {row.receipt for row in live.frame.rows.values()} == {"denied"}
    assert live.frame.things["apples"].place == "table"


def test_teleport_puts_a_body_down_and_stops_what_it_did() -> None:
    live = a_live(mode="debug")
    let_pass(live, 1.0)
    live.act("physical", "teleport", object="resident", data={"cell": 500})
    let_pass(live, 0.1)

    assert live.frame.rows["int-d1"].outcome == "done"
    assert live.session.state.room.bodies["resident"].cell in range(400, 620)


def test_closing_seals_the_log_and_a_lost_window_leaves_one_that_can_be_settled(tmp_path: Path) -> None:
    whole, lost = a_live(tmp_path / "whole"), a_live(tmp_path / "lost")
    for live in (whole, lost):
        visit(live, (("physical", "enter", {}), 2.0))
    result = whole.close()
    assert result["status"] == "stopped"
    assert Path(result["log"]).name == "whole.jsonl.zst"
    assert lost.session.writer is not None
    lost.session.writer.abort()  # What a process that dies leaves behind.

    with open_log(tmp_path / "lost") as reader:
        assert list(reader.records())
    settled = settle(tmp_path / "lost")

    assert settled is not None
    assert verify(Path(settled["log"]))["ok"]
    assert settle(tmp_path / "lost") is None


def test_a_window_closed_before_its_first_tick_leaves_a_log_that_verifies(tmp_path: Path) -> None:
    result = a_live(tmp_path / "unbegun").close()

    assert (result["status"], result["ticks"]) == ("stopped", -1)
    assert verify(Path(result["log"]))["ok"]


def test_a_hanging_model_stops_neither_time_nor_frames() -> None:
    import time

    from benchmarks.frames import Hanging
    from sim.live import Live
    from sim.play_declare import declare_play

    provider = Hanging()
    live = Live(declare_play("first_visit", model={"model.provider": "scripted"}), None, provider=provider)
    visit(live, (("physical", "enter", {}), 3.0, ("dialogue", "say", {"text": "Please bring me the mug."}), 8.0,
                 ("dialogue", "say", {"text": "Could you water the plant?"}), 6.0))  # fmt: skip
    started, slowest, before = time.perf_counter(), 0.0, 0
    for number in range(600):
        at = time.perf_counter()
        live.pump(FRAME_S)
        slowest = max(slowest, time.perf_counter() - at)
        if number == 300:
            before = live.tick
    after = live.tick
    live.close()

    assert provider.asked
    assert after > before
    assert slowest < 0.5
    assert time.perf_counter() - started < 15


def test_the_replay_steps_jumps_bookmarks_and_explains(played: Path) -> None:
    with open_log(played) as reader:
        bookmarks = Bookmarks(reader.path)
        screen = ReplayScreen(pygame.display.set_mode((1280, 800)), Reel(reader), bookmarks=bookmarks)
        press(screen, key("n"))
        press(screen, key("n"))
        there = int(screen.tick)
        assert screen.frame.commit["tick"] == there
        assert screen.inspecting
        press(screen, key("."))
        on = int(screen.tick)
        press(screen, key(","))
        assert int(screen.tick) == there < on
        press(screen, key("h"))
        assert screen.theatre.look.selected.startswith("int-")
        press(screen, key("b"))
        press(screen, key("", pygame.K_END))
        press(screen, key("M", pygame.K_m, pygame.KMOD_SHIFT))
        assert int(screen.tick) == bookmarks.ticks[0]
        press(screen, key("w"))
        screen.draw([])
        chain = [node.text for name, node in screen.kit.tree.items() if name.startswith("inspector.")]
        press(screen, key("", pygame.K_ESCAPE), key("5"))
        assert abs(int(screen.tick) - screen.end // 2) <= 1

    assert len(chain) >= 3
    assert Bookmarks(played).ticks == bookmarks.ticks
    assert played.read_bytes() == played.read_bytes()


def test_two_logs_stand_side_by_side(played: Path) -> None:
    with open_log(played) as one, open_log(played) as other:
        screen = ReplayScreen(pygame.display.set_mode((1280, 800)), Reel(one), other=Reel(other))
        let_time_pass(screen, 0.5)

        assert "a.body.resident" in screen.kit.tree
        assert "b.body.resident" in screen.kit.tree
        assert screen.kit.tree["diff"].value is None


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_word_can_be_drawn_and_is_there_in_both_languages(language: str) -> None:
    words = [pair for section in table().values() for pair in section.values()]
    words += [list(pair) for pair in REASONS.values()]
    at = ("en", "zh").index(language)

    missing = {letter for pair in words for letter in pair[at] if not drawable(letter)}

    assert all(len(pair) == 2 for pair in words)
    assert not missing


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_failed_step_is_told_in_words_not_in_codes(language: str) -> None:
    texts = Texts(language)
    at = ("en", "zh").index(language)

    assert texts.reason("grasp:reachable object") == table()["reason"]["reachable"][at]
    assert texts.reason("open:jammed") == table()["reason"]["jammed"][at]
    assert texts.reason("prop cup dirty") == table()["reason"]["prop"][at]


def test_what_a_person_typed_is_drawn_whole_by_a_font_that_has_it() -> None:
    assert drawable("中")
    assert not drawable("喆")
    assert Texts("zh")("pause") != Texts("en")("pause")


@pytest.mark.parametrize("name", ["moment.png", "film.gif", "film.mp4"])
def test_pictures_and_films_are_written_without_a_screen(played: Path, tmp_path: Path, name: str) -> None:
    if name.endswith(".gif"):
        pytest.importorskip("PIL")
    if name.endswith(".mp4"):
        pytest.importorskip("imageio_ffmpeg")
    out = tmp_path / name

    told = export(played, out, Shot(size=(960, 640), tick=30, end_tick=130, speed=10.0))

    assert out.stat().st_size > 2000
    assert told["frames"] == 1 if name.endswith(".png") else told["frames"] > 5
    with pytest.raises(ExportError):
        export(played, out, Shot())
    with pytest.raises(ExportError):
        export(played, tmp_path / "moment.bmp", Shot())


def test_the_bookmarks_file_of_someone_else_is_no_harm(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl.zst.bookmarks.json").write_text('{"ticks": "no"}', encoding="utf-8")

    assert Bookmarks(tmp_path / "x.jsonl.zst").ticks == []


def test_the_same_act_by_window_and_by_api_gives_the_same_records(tmp_path: Path) -> None:
    by_window, by_api = a_play(out=tmp_path / "window"), a_live(tmp_path / "api")
    let_pass(by_api, 0.2)
    assert by_window.live.tick == by_api.tick
    press(by_window, key("e"))
    by_api.act("physical", "enter")
    by_api.pump(FRAME_S)
    for _ in range(60):
        by_window.pass_time(FRAME_S)
        by_api.pump(FRAME_S)
    logs = [Path(each.close()["log"]) for each in (by_window.live, by_api)]

    found = []
    for log in logs:
        with open_log(log) as reader:
            found.append([json.dumps(row) for row in reader.records() if row["kind"] != "end"])
    assert found[0] == found[1]


def test_a_pressed_row_shows_its_chain_while_the_run_goes_on(tmp_path: Path) -> None:
    from sim.window.open import _reel_of

    live = a_live(tmp_path / "a")
    screen = PlayScreen(pygame.display.set_mode((1280, 800)), live, intro=False, reel=_reel_of(live))
    press(screen, key("e"))
    let_time_pass(screen, 1.0)
    screen.draw(click(screen.kit.tree["fb.int-h1"].rect.center))
    screen.draw([])
    let_time_pass(screen, 1.0)

    chain = [node.text for name, node in screen.kit.tree.items() if name.startswith("inspector.")]
    assert screen.inspecting
    assert len(chain) >= 2
    live.close()


def test_a_picture_with_json_leaves_standard_output_to_the_json(played: Path, tmp_path: Path) -> None:
    words = [
        "-m", "oneroom", "replay", str(played), "--at", "3", "--export", str(tmp_path / "a.png"), "--json",
    ]  # fmt: skip
    told = subprocess.run([sys.executable, *words], capture_output=True, check=True, text=True).stdout

    assert json.loads(told)["frames"] == 1
