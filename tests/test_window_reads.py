"""What a window shows can be read whole, at every text size and in both languages, and says what is so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from window_cases import a_live, a_played_log, let_pass, visit

pygame: Any = pytest.importorskip("pygame")

from interventions.contract import DEBUG_OPERATIONS, OPERATIONS  # noqa: E402
from logs.reader import open_log  # noqa: E402
from sim.frame import RESIDENT, Asked  # noqa: E402
from sim.frame_view import believed  # noqa: E402
from sim.live import Live  # noqa: E402
from sim.reel import Reel  # noqa: E402
from sim.window.canvas_bodies import _settle  # noqa: E402
from sim.window.debug_screen import DebugScreen  # noqa: E402
from sim.window.kit import Kit, Rect  # noqa: E402
from sim.window.play_screen import PlayScreen  # noqa: E402
from sim.window.replay_screen import ReplayScreen  # noqa: E402
from sim.window.start import sign  # noqa: E402
from sim.window.texts import Texts, table  # noqa: E402

SMALL = (1280, 720)
COUNTED = {"temperature", "fill", "dust", "growth", "moisture", "portions", "pages", "age"}
sizes = pytest.mark.parametrize("scale", [1.0, 1.25, 1.5, 1.75, 2.0])
languages = pytest.mark.parametrize("language", ["en", "zh"])


@pytest.fixture(scope="module", autouse=True)
def screen_without_a_display() -> Iterator[None]:
    pygame.display.init()
    pygame.font.init()
    yield
    pygame.quit()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_played_log(tmp_path_factory.mktemp("played"))


def a_play(live: Live | None = None, **look: Any) -> PlayScreen:
    live = live or a_live()
    screen = PlayScreen(pygame.display.set_mode(SMALL), live, intro=False, **look)
    let_pass(live, 0.2)
    return screen


def a_replay(log: Path, size: tuple[int, int] = SMALL, **look: Any) -> ReplayScreen:
    reel = Reel(open_log(log))
    while reel.grow(4096) and not reel.whole:
        pass
    return ReplayScreen(pygame.display.set_mode(size), reel, **look)


def whole(screen: Any, name: str, size: int = 8) -> bool:
    """Return whether the words of a widget fit into it, with space around, at *size* or larger."""
    node = screen.kit.tree[name]
    return bool(screen.kit.ink.width(node.text, size) + screen.kit.px(14) <= node.rect.w)


# --- everything can be read ---------------------------------------------------------------------------------------


@sizes
@languages
def test_the_three_states_of_an_act_stand_whole_in_its_row(scale: float, language: str) -> None:
    screen = a_play(scale=scale, language=language)
    visit(screen.live, (("physical", "enter", {}), 1.0, ("dialogue", "say", {"text": "Could you open the window, please?"}), 9.0,
                        ("inner_voice", "whisper", {"text": "read the novel"}), 1.0))  # fmt: skip
    rows = screen.live.frame.rows
    first = next(iter(rows))
    # The longest words there are, so that it holds for all others.
    rows[first] = replace(rows[first], perceived=False, tick=screen.live.tick, stance="considering", outcome="in_progress")
    screen.draw([])

    for name in rows:
        row = screen.kit.tree.get(f"fb.{name}")
        if row is None or row.rect.h < screen.kit.px(45):
            continue
        chips = [screen.kit.tree[f"{name}.{state}"] for state in ("perceived", "stance", "outcome")]
        assert all(chip.rect.right <= row.rect.right for chip in chips), name
        assert all(whole(screen, chip.id) for chip in chips), name
        assert all(a.rect.right < b.rect.left for a, b in pairwise(chips)), name


@sizes
@languages
def test_every_act_on_what_is_held_has_its_button(scale: float, language: str) -> None:
    screen = a_play(scale=scale, language=language)
    visit(screen.live, (("physical", "enter", {}), 1.0, ("physical", "take", {"object": "cup"}), 9.0))
    assert screen.live.frame.things["cup"].place == "visitor"
    screen.choose("cup")
    screen.draw([])

    assert {"act.hand_over", "act.put"} <= set(screen.kit.tree)
    assert whole(screen, "act.hand_over")
    assert whole(screen, "act.put")
    assert screen.kit.tree["act.put"].rect.right < screen.kit.tree["ch.speech"].rect.left


@sizes
@languages
def test_every_answer_stands_whole_on_the_card(scale: float, language: str) -> None:
    screen = a_play(scale=scale, language=language)
    visit(screen.live, (("physical", "enter", {}), 1.0, ("physical", "take", {"object": "cup"}), 9.0))
    frame = screen.live.frame
    frame.favour = Asked("favour", frame.tick, frame.tick + 900, "give", "cup", "Could you give me the cup back, please?")
    screen.draw([])

    card = screen.kit.tree["asked"].rect
    answers = [f"answer.{each}" for each in ("yes", "no", "do", "let")]
    assert all(card.contains(screen.kit.tree[name].rect) for name in answers)
    assert all(whole(screen, name) for name in answers)


@sizes
@languages
def test_the_replay_never_hides_the_time_of_day(played: Path, scale: float, language: str) -> None:
    screen = a_replay(played, scale=scale, language=language)
    screen.go(420)
    screen.draw([])
    tree = screen.kit.tree

    assert screen.theatre.texts.clock(screen.reel.stage, 420) in tree["t.clock"].text
    assert tree["t.clock"].rect.w >= screen.kit.ink.width(tree["t.clock"].text, 15)
    assert tree["t.clock"].rect.right < tree["t.view"].rect.left
    assert tree["t.view"].rect.right < tree["t.mode"].rect.left


@sizes
@languages
def test_the_banner_of_debug_leaves_its_buttons_free(scale: float, language: str) -> None:
    live = a_live(mode="debug")
    screen = DebugScreen(pygame.display.set_mode(SMALL), live, scale=scale, language=language)
    screen.draw([])

    banner = screen.kit.tree["debug.frame"].rect
    buttons = [node.rect for name, node in screen.kit.tree.items() if name.startswith("d.")]
    assert banner.w > 0
    assert len(buttons) == 5
    assert banner.collidelist(buttons) < 0


def test_a_small_window_still_tells_the_lowest_needs_and_what_the_resident_does() -> None:
    screen = a_play()
    let_pass(screen.live, 1.0)
    screen.draw([])
    tree, frame = screen.kit.tree, screen.live.frame

    bars = [node.value for name, node in tree.items() if name.startswith("need.")]
    assert bars == sorted(value / 1000 for value in frame.felt)[:3]
    assert screen.theatre.texts.doing(frame, frame.bodies[RESIDENT]) in tree["doing"].text
    assert screen.theatre.texts.clock(frame.stage, frame.bodies[RESIDENT].doing.start_tick) in tree["doing"].text
    assert sum(name.startswith("cand.") for name in tree) == 3


@pytest.mark.parametrize(("size", "scale", "beside"), [((1280, 720), 1.0, True), ((1280, 720), 2.0, True), ((1380, 920), 1.0, False)])
def test_both_views_stand_where_they_are_largest(played: Path, size: tuple[int, int], scale: float, beside: bool) -> None:
    screen = a_replay(played, size, scale=scale)
    screen.theatre.switch(view="truth")
    screen.go(420)
    area = Rect(0, 0, *size)
    screen.theatre.switch(view="both")
    side = screen.theatre.column_width(area.w)
    truth = screen.theatre.room(screen.frame, 420, Rect(8, 8, area.w - side - 24, area.h - screen.kit.px(92) - 24))
    belief = screen.kit.tree[f"body.{RESIDENT}"].rect  # The belief is drawn last.

    assert (belief.x > truth.rect.right) == beside
    assert (belief.y > truth.rect.bottom) == (not beside)


def test_a_bubble_goes_where_it_covers_nobody_and_else_where_it_covers_least() -> None:
    kit = Kit(pygame.Surface((400, 300)), 2.0)
    bounds, body = Rect(0, 0, 400, 300), Rect(150, 20, 100, 130)

    assert not _settle(kit, Rect(0, 0, 300, 50), (200, 40), bounds, [body]).colliderect(body)
    crowded = [Rect(0, 0, 400, 240), Rect(0, 240, 100, 60)]
    assert _settle(kit, Rect(0, 0, 300, 60), (200, 40), bounds, list(crowded)).top == 240


@sizes
@pytest.mark.parametrize(("words", "scrolls"), [(150, False), (1500, True)])
def test_long_instructions_stand_above_the_button_and_scroll_where_they_must(scale: float, words: int, scrolls: bool) -> None:
    live = a_live(mode="trial")
    live.stage.instructions["en"] = "word " * words
    screen = PlayScreen(pygame.display.set_mode(SMALL), live, scale=scale, researcher=False, may_switch=False)
    screen.draw([])

    area, button = screen.kit.tree["instructions.text"].rect, screen.kit.tree["start"].rect
    assert area.bottom <= button.top
    assert screen.surface.get_rect().contains(screen.kit.tree["instructions"].rect)
    for _ in range(80):
        screen.draw([pygame.event.Event(pygame.KEYDOWN, key=pygame.K_PAGEDOWN, mod=0, unicode="", scancode=0)])
    moved = screen.kit.tree["instructions.text"].value
    assert (moved > 0) == scrolls


# --- and it is so -------------------------------------------------------------------------------------------------


def test_what_the_resident_holds_it_knows_to_be_in_its_own_hands(played: Path) -> None:
    with open_log(played) as reader:
        reel = Reel(reader)
        while reel.grow(4096) and not reel.whole:
            pass
        frame = next(frame for tick in range(0, 2000, 20) if (frame := reel.at(tick)).held(RESIDENT))
    held = frame.held(RESIDENT)[0].id
    room = believed(frame)

    assert (room.frame.things[held].relation, room.frame.things[held].place) == ("held", RESIDENT)
    assert held not in room.differs


@languages
def test_the_inspector_is_headed_by_words_not_by_an_id(played: Path, language: str) -> None:
    screen = a_replay(played, language=language)
    for kinds in (("speech",), ("decision",), ("failure",)):
        screen.jump(kinds, 1)
        screen.draw([])
        title = screen.kit.tree["inspector.title"].text
        assert title
        assert screen.theatre.look.selected not in title


def test_where_a_lower_candidate_was_chosen_it_is_shown(played: Path) -> None:
    screen = a_replay(played)
    screen.jump(("decision",), 1)
    screen.choose("", -1)
    thought = screen.frame.thought
    assert thought is not None
    assert len(thought.candidates) > 3
    last = thought.candidates[-1][0]
    screen.frame = screen.frame.copy()
    screen.frame.thought, screen.frame.commit = replace(thought, choice=last), {}
    screen.draw([])

    shown = [name for name in screen.kit.tree if name.startswith("cand.")]
    assert shown == [*(f"cand.{each[0]}" for each in thought.candidates[:2]), f"cand.{last}"]


@languages
def test_a_refusal_among_the_candidates_says_what_it_would_refuse(language: str) -> None:
    live = a_live()
    visit(live, (("physical", "enter", {}), 1.0, ("dialogue", "say", {"text": "Could you open the window, please?"})))
    for _ in range(600):
        let_pass(live, 0.1)
        thought = live.frame.thought
        other = next((each for each in thought.candidates if each[2] in ("refuse", "postpone")), None) if thought else None
        if other is not None:
            break
    assert other is not None
    texts = Texts(language)

    words = texts.candidate(live.frame, other)
    assert words.startswith(texts.of("act", other[2]))
    assert texts.name(live.stage, "window") in words
    assert "mat-" not in words


@languages
def test_every_operation_and_every_state_of_a_thing_has_its_words(language: str) -> None:
    texts = Texts(language)
    operations = {each for group in (*OPERATIONS.values(), *DEBUG_OPERATIONS.values()) for each in group}
    flags = {prop for kind in a_live().stage.spec.kinds.values() for prop in kind["props"]} - COUNTED

    assert operations <= set(table()["op"])
    assert flags == set(table()["prop_not"])
    for flag in flags:
        assert texts.prop(flag, 1) == texts.of("prop", flag) != texts.prop(flag, 0)
        assert not any(letter.isdigit() for letter in texts.prop(flag, 0))


def test_outside_the_bar_of_acts_is_about_the_door_whatever_is_chosen() -> None:
    screen = a_play()
    screen.choose("plant")
    screen.draw([])

    assert screen.kit.tree["chosen"].text == screen.theatre.texts("door_before_you")
    assert "act.enter" in screen.kit.tree


def test_an_act_after_the_end_is_answered(tmp_path: Path) -> None:
    screen = a_play(a_live(tmp_path / "ended"))
    screen.stop()
    for _ in range(30):
        screen.pass_time(0.1)
    assert screen.live.over

    screen.send("Are you still there?")
    assert screen.notice == screen.theatre.texts("over_now")
    screen.choose("plant")
    screen.draw([])
    assert not [name for name, node in screen.kit.tree.items() if name.startswith("act.") and node.enabled]
    assert not [row for row in screen.live.frame.rows.values() if row.text]


def test_the_sign_of_the_window_is_ours() -> None:
    picture = sign()
    colors = {tuple(picture.get_at((x, y))[:3]) for x in range(0, 64, 2) for y in range(0, 64, 2)}

    assert picture.get_size() == (64, 64)
    assert {(0xB5, 0x47, 0x00), (255, 255, 255)} <= colors


def test_where_someone_stood_a_moment_ago_nobody_is_met() -> None:
    screen = a_play()
    visit(screen.live, (("physical", "enter", {}), 1.0))
    screen.draw([])
    live = screen.live
    for _ in range(400):
        let_pass(live, 0.1)
        doing = live.frame.bodies[RESIDENT].doing
        if doing is not None and len(doing.path) > 12:
            break
    assert doing is not None
    screen.draw([])
    before, records = screen.kit.tree[f"body.{RESIDENT}"].rect, live.frame.records
    for _ in range(20):
        let_pass(live, 0.1)
        if live.frame.records != records:
            break
        screen.draw([])
        now = screen.kit.tree[f"body.{RESIDENT}"].rect
        if not now.colliderect(before):
            break
    assert not now.colliderect(before)
    assert screen.canvas is not None
    assert screen.canvas.under(before.center) != RESIDENT
    assert screen.canvas.under(now.center) == RESIDENT


@languages
def test_a_property_set_in_debug_is_told_with_its_value(language: str) -> None:
    live = a_live(mode="debug")
    screen = DebugScreen(pygame.display.set_mode(SMALL), live, language=language)
    screen.set_prop("plant", "moisture", 750)
    let_pass(live, 0.5)
    screen.draw([])
    texts = screen.theatre.texts

    row = next(iter(live.frame.rows.values()))
    assert texts.prop("moisture", 750) in texts.row(live.frame, row)
    assert texts.name(live.stage, "plant") in texts.row(live.frame, row)
