"""What the resident asks of the person: seen at the window, answered by key, button or act; each answer is handled by the resident."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from window_cases import FRAME_S, a_live, let_pass

pygame: Any = pytest.importorskip("pygame")

from logs.reader import open_log  # noqa: E402
from sim.frame_fold import fold, opening, take  # noqa: E402
from sim.live import Live  # noqa: E402
from sim.window.asked_card import open_question  # noqa: E402
from sim.window.play_screen import PlayScreen  # noqa: E402
from tests.makers import ENTER, a_declared, say  # noqa: E402

Row = dict[str, Any]
QUICK = 64.0
HELP = say(90, "Could you help me with the mug?", id="help")


@pytest.fixture(scope="module", autouse=True)
def screen_without_a_display() -> Iterator[None]:
    pygame.display.init()
    pygame.font.init()
    yield
    pygame.quit()


def key(letter: str) -> Any:
    return pygame.event.Event(pygame.KEYDOWN, key=ord(letter), mod=0, unicode=letter, scancode=0)


def pass_until(live: Live, holds: Any, seconds: float = 120.0) -> None:
    live.speed = QUICK
    for _ in range(round(seconds / FRAME_S)):
        if holds(live.frame):
            return
        live.pump(FRAME_S)
    raise AssertionError("it never came to that")


@pytest.fixture
def asked(tmp_path: Path) -> PlayScreen:
    """A visitor who took the resident's novel, and has just been asked to give it back."""
    live = a_live(tmp_path / "asked")
    screen = PlayScreen(pygame.display.set_mode((1280, 800)), live, intro=False)
    live.act("physical", "enter")
    let_pass(live, 1.0)
    live.act("physical", "take", object="novel")
    pass_until(live, open_question)
    screen.draw([])
    return screen


def press(screen: PlayScreen, letter: str) -> None:
    let_pass(screen.live, 0.5)
    screen.pass_time(0.5)
    screen.draw([key(letter)])


def favours(screen: PlayScreen) -> list[str]:
    result = screen.live.close()
    with open_log(Path(result["log"])) as reader:
        return [row["data"]["state"] for row in reader.records() if row["kind"] == "favour"]


def said(screen: PlayScreen) -> list[str]:
    return [words.text for words in screen.live.frame.said if words.who == "resident"]


def test_a_question_stands_on_the_screen_in_its_own_words_with_every_answer(asked: PlayScreen) -> None:
    tree = asked.kit.tree

    assert tree["asked"].text == asked.live.frame.said[-1].text
    assert tree["asked"].text.startswith("Could you give me the")
    assert {"answer.yes", "answer.no", "answer.do", "answer.let"} <= set(tree)
    assert all(tree[f"answer.{each}"].enabled for each in ("yes", "no", "do", "let"))
    asked.theatre.switch(researcher=False)
    asked.draw([])
    assert "asked" in asked.kit.tree  # It was said to the participant: nothing hidden is shown by it.


def test_yes_is_a_promise_and_a_promise_not_kept_is_noticed(asked: PlayScreen) -> None:
    press(asked, "o")
    pass_until(asked.live, lambda frame: frame.asked.promised)
    asked.draw([])
    assert "answer.yes" not in asked.kit.tree
    assert "answer.do" in asked.kit.tree

    pass_until(asked.live, lambda frame: frame.asked is None)

    assert favours(asked)[:3] == ["open", "promised", "not_done"]


def test_who_is_promised_a_thing_frees_its_hands_and_waits_for_it(asked: PlayScreen) -> None:
    press(asked, "o")
    pass_until(asked.live, lambda frame: frame.asked.promised)
    # Whatever it was at, it lays down first what it holds.
    pass_until(asked.live, lambda frame: getattr(frame.bodies["resident"].doing, "skill", "") == "wait", 60.0)
    assert not asked.live.frame.held("resident")
    press(asked, "h")
    pass_until(asked.live, lambda frame: "Thank you." in [words.text for words in frame.said])

    rows = [each.outcome for each in asked.live.frame.rows.values() if each.op == "hand_over"]
    assert rows == ["done"], "one try is enough"
    assert favours(asked)[:3] == ["open", "promised", "done"]


def test_no_ends_it_and_the_resident_lets_it_be(asked: PlayScreen) -> None:
    press(asked, "n")
    pass_until(asked.live, lambda frame: "All right, never mind." in [words.text for words in frame.said])
    asked.draw([])

    assert "asked" not in asked.kit.tree
    assert favours(asked)[:2] == ["open", "refused"]


def test_to_let_it_be_hands_in_nothing_and_silence_is_an_answer(asked: PlayScreen) -> None:
    acts = len(asked.live.frame.rows)
    press(asked, "l")
    asked.draw([])
    assert "asked" not in asked.kit.tree
    assert open_question(asked.live.frame) is not None  # Only the card is put away.

    pass_until(asked.live, lambda frame: frame.asked is None)

    assert len(asked.live.frame.rows) == acts
    assert favours(asked)[:2] == ["open", "silence"]


def test_doing_it_is_the_best_answer_and_is_thanked_for(asked: PlayScreen) -> None:
    frame = asked.live.frame
    for _ in range(100):  # It can be taken only by a free hand, and while nobody walks away.
        last = [each.outcome for each in frame.rows.values() if each.op == "hand_over"][-1:]
        if frame.asked is None:
            break
        if not frame.held("resident") and last in ([], ["failed"]):
            press(asked, "h")
        let_pass(asked.live, 0.5)
    pass_until(asked.live, lambda frame: "Thank you." in [words.text for words in frame.said])

    row = next(each for each in reversed(asked.live.frame.rows.values()) if each.op == "hand_over")
    assert (row.channel, row.object, row.outcome) == ("physical", "novel", "done")
    assert favours(asked)[:2] == ["open", "done"]


def test_without_a_question_the_keys_hand_in_nothing_and_say_so() -> None:
    live = a_live()
    screen = PlayScreen(pygame.display.set_mode((1280, 800)), live, intro=False)
    for letter in "onhl":
        press(screen, letter)
        assert screen.notice == screen.theatre.texts("nothing_asked")

    assert not live.waiting
    assert not live.frame.rows


def test_a_counter_offer_waits_for_an_answer_until_any_other_stance_is_taken() -> None:
    stage = a_live().stage
    frame = opening(stage)

    def tell(kind: str, name: str, **data: Any) -> None:
        take(frame, {"seq": 0, "tick": frame.tick + 1, "kind": kind, "id": name, "causes": [], "data": data})

    tell("fact", "evt-1", fact="entered", doer="visitor", subject="", skill="", cell=stage.spec.starts["resident"][0], data={})
    tell("matter", "mat-1", stance="negotiating", reason="counter_offer", action="bring", target=3, due=400)
    assert open_question(frame) is None  # Not before it was said.
    words = {"text": "I could open it instead. Shall I?", "matter": "mat-1", "stance": "negotiating"}
    tell("fact", "evt-2", fact="speech", doer="resident", subject="visitor", skill="speak", loudness=9000,
         cell=stage.spec.starts["resident"][0], data={"words": words})  # fmt: skip
    question = open_question(frame)
    assert question is not None
    assert (question.kind, question.text) == ("offer", words["text"])
    tell("matter", "mat-1", stance="accepted", reason="willing")
    assert open_question(frame) is None


@pytest.mark.parametrize(("letter", "stance"), [("o", "accepted"), ("n", "ended")])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_counter_offer_is_taken_or_declined_by_a_key(letter: str, language: str, stance: str) -> None:
    live = Live(a_declared(ENTER, HELP), None)
    screen = PlayScreen(pygame.display.set_mode((1280, 800)), live, intro=False, language=language)
    pass_until(live, lambda frame: frame.offer is not None and frame.offer.text)
    screen.draw([])
    assert live.frame.asked is not None
    assert live.frame.asked.kind == "offer"
    assert "answer.do" not in screen.kit.tree

    press(screen, letter)
    pass_until(live, lambda frame: frame.offer is None)

    assert [each.stance for each in live.session.state.mind.matters.values()] == [stance]


def test_live_and_log_tell_of_the_same_question(asked: PlayScreen) -> None:
    live = asked.live
    at = live.frame.asked
    result = live.close()
    with open_log(Path(result["log"])) as reader:
        assert fold(live.stage, reader.records()).asked == at
