"""The last things said, below the room where it leaves space: who, when, and the words. A bubble lasts seconds, this stays."""

from __future__ import annotations

from sim.frame import RESIDENT, VISITOR, Frame, Words
from sim.window import ink as inks
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts

LEAST = 54


def heard_lately(frame: Frame, *, mine: bool) -> list[Words]:
    """Return what was said of late; with *mine* only what whoever sits here said or could hear."""
    return [each for each in frame.said if not mine or (each.near and not each.inner)]


def draw_talk(kit: Kit, texts: Texts, frame: Frame, rect: Rect, *, mine: bool, you: bool) -> None:
    """Draw as many of the last utterances as fit, the newest lowest."""
    kit.panel(rect)
    line, x = kit.px(21), rect.x + kit.px(12)
    most = max(1, (rect.h - kit.px(12)) // line)
    shown = heard_lately(frame, mine=mine)[-most:]
    if not shown:
        kit.label(texts("nothing_said"), (x, rect.y + kit.px(8)), 13, inks.DIM)
    for at, words in enumerate(shown):
        y = rect.y + kit.px(7) + at * line
        color = inks.DEEP_PINK if words.inner else inks.BLUE if words.who == VISITOR else inks.DEEP_RED
        kit.icon("thought-bubble" if words.inner else "chat", (x + kit.px(8), y + kit.px(10)), 15, color)
        clock = kit.label(texts.clock(frame.stage, words.tick, seconds=False), (x + kit.px(22), y + 1), 12, inks.DIM)
        name = texts("you") if you and words.who == VISITOR else texts.name(frame.stage, words.who)
        if words.inner:
            name = f"{texts.name(frame.stage, RESIDENT)} ({texts('inner')})"
        who = kit.label(name, (clock.right + kit.px(8), y), 13, color, bold=True)
        kit.label(f"“{words.text}”", (who.right + kit.px(8), y), 13, width=rect.right - who.right - kit.px(20))
    kit.node("talk", "label", rect, "\n".join(each.text for each in shown), len(shown))
