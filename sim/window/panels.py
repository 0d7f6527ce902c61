"""The panels beside the room: needs and mood, candidates with their parts, channels, feedback, the inspector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pygame

from agent.percept import NEEDS
from sim.frame import RESIDENT, Frame, Row
from sim.window import ink as inks
from sim.window import looks
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts, channel_words, span

PATIENCE_MS = 10_000  # after this, what has not been perceived counts as not perceived, until it is
LOW, MIDDLE = 300, 500
Looks = Mapping[str, tuple[str, str]]
NEEDS_H, NEEDS_TIGHT_H, CANDIDATES_H, CANDIDATES_FEW_H, CANDIDATES_TIGHT_H = 214, 66, 232, 125, 66
ROW_H, ROW_TIGHT_H, CHIPS_H = 78, 52, 56


def draw_needs(kit: Kit, texts: Texts, frame: Frame, rect: Rect, *, tight: bool) -> None:
    """Draw the nine needs, the mood, and what the resident does; tight, of the needs the three lowest alone."""
    kit.panel(rect)
    if tight:
        _tight_needs(kit, texts, frame, rect)
        return
    x, y, inside = rect.x + kit.px(12), rect.y + kit.px(8), rect.w - kit.px(24)
    kit.label(texts("needs"), (x, y), 15, bold=True)
    if frame.felt_tick >= 0:
        told = texts("needs_at", clock=texts.clock(frame.stage, frame.felt_tick))
        kit.label(told, (rect.right - kit.px(12), y + kit.px(2)), 12, inks.DIM, anchor="topright")
    half = (inside - kit.px(14)) // 2
    for number in range(len(NEEDS)):
        column, row = divmod(number, 5)
        place = Rect(x + column * (half + kit.px(14)), y + kit.px(30) + row * kit.px(25), half, kit.px(22))
        _need(kit, texts, frame, number, place)
    place = Rect(x + half + kit.px(14), y + kit.px(30) + 4 * kit.px(25), half, kit.px(22))
    kit.label(texts("mood"), place.topleft, 13, inks.DIM)
    _mood(kit, texts, frame, Rect(place.x + kit.px(72), place.y, place.w - kit.px(72), place.h))
    doing, since = _doing(texts, frame)
    if doing:
        pygame.draw.line(
            kit.surface, inks.LINE, (x, y + kit.px(160)), (rect.right - kit.px(12), y + kit.px(160))
        )
        wide = kit.ink.width(since, 12) + kit.px(8)
        kit.icon("robot-happy", (x + kit.px(9), y + kit.px(178)), 18, inks.DEEP_RED)
        kit.label(doing, (x + kit.px(24), y + kit.px(168)), 14, width=inside - kit.px(24) - wide)
        kit.label(since, (rect.right - kit.px(12), y + kit.px(170)), 12, inks.DIM, anchor="topright")
        kit.node("doing", "label", Rect(x, y + kit.px(166), inside, kit.px(22)), doing)


def _tight_needs(kit: Kit, texts: Texts, frame: Frame, rect: Rect) -> None:
    """The three lowest needs, each over its bar, and beside their title what the resident does."""
    x, y, inside = rect.x + kit.px(12), rect.y + kit.px(7), rect.w - kit.px(24)
    title = kit.label(texts("needs_low"), (x, y), 14, bold=True)
    doing, since = _doing(texts, frame)
    if doing:
        room = inside - title.w - kit.px(36)
        told = f"{kit.ink.cut(doing, 12, room - kit.ink.width(f'  {since}', 12))}  {since}".rstrip()
        shown = kit.label(told, (x + inside, y + kit.px(2)), 12, inks.DIM, anchor="topright")
        kit.icon("robot-happy", (shown.x - kit.px(12), shown.centery), 16, inks.DEEP_RED)
        kit.node("doing", "label", shown, told)
    wide, gap = inside // 3, kit.px(14)
    for at, number in enumerate(sorted(range(len(NEEDS)), key=lambda each: frame.felt[each])[:3]):
        place = Rect(x + at * wide + at * gap // 3, y + kit.px(24), wide - 2 * gap // 3, kit.px(20))
        _need(kit, texts, frame, number, place, below=True)


def _doing(texts: Texts, frame: Frame) -> tuple[str, str]:
    """Return what the resident does, for what, and since when; nothing where it is not."""
    body = frame.bodies.get(RESIDENT)
    if body is None:
        return "", ""
    doing = texts.doing(frame, body)
    if frame.task:
        doing = f"{texts.of('task', frame.task['task'])}: {doing}"
    return doing, texts("since", clock=texts.clock(frame.stage, body.doing.start_tick)) if body.doing is not None else ""


def _need(kit: Kit, texts: Texts, frame: Frame, number: int, place: Rect, *, below: bool = False) -> None:
    """A need, its bar and its figure on one line; *below*, with the bar under the words."""
    name, value = NEEDS[number], frame.felt[number]
    known = frame.felt_tick >= 0
    color = inks.RED if value < LOW else inks.ORANGE if value < MIDDLE else inks.GREEN
    lead = kit.px(80)
    figure = f"{value // 10}%" + (" !" if value < LOW else "") if known else "—"
    shown = kit.label(figure, (place.right, place.y), 13, anchor="topright", bold=value < LOW)
    kit.label(texts.of("need", name), place.topleft, 13, inks.DIM, width=shown.x - place.x - 2 if below else lead - 2)
    bar = Rect(place.x + lead, place.y + kit.px(5), place.w - lead - kit.px(46), kit.px(10))
    if below:
        bar = Rect(place.x, place.y + kit.px(21), place.w, kit.px(6))
    if bar.w > kit.px(12):
        kit.bar(f"need.{name}", bar, value / 1000 if known else 0, color if known else inks.TRACK)


def _mood(kit: Kit, texts: Texts, frame: Frame, rect: Rect) -> None:
    """A face for the pleasure, waves for the arousal."""
    pleasure, arousal = frame.mood
    kit.icon("emoticon-neutral-outline", (rect.x + kit.px(9), rect.y + kit.px(10)), 17, inks.DIM)
    kit.label(f"{pleasure // 10}", (rect.x + kit.px(22), rect.y), 13)
    kit.icon("fast-forward-outline", (rect.x + kit.px(58), rect.y + kit.px(10)), 16, inks.DIM)
    kit.label(f"{arousal // 10}", (rect.x + kit.px(72), rect.y), 13)
    kit.node("mood", "label", rect, texts("mood_tip", p=pleasure // 10, a=arousal // 10), [pleasure, arousal])


def draw_candidates(
    kit: Kit, texts: Texts, frame: Frame, rect: Rect, opened: str, *, tight: bool, side: str = ""
) -> str:  # fmt: skip
    """Draw the candidates of the last round, best first; return the id of the one whose parts are open.

    *side* goes before the names of the rows, where two logs stand side by side.
    """
    kit.panel(rect)
    x, y, inside = rect.x + kit.px(12), rect.y + kit.px(8), rect.w - kit.px(24)
    thought = frame.thought
    kit.label(texts("candidates") + (f"  {thought.id}" if thought else ""), (x, y), 15, bold=True)
    if thought is None:
        kit.label(texts("no_candidates"), (x, y + kit.px(28)), 13, inks.DIM)
        return opened
    asking = bool(frame.request.get("open"))
    by = frame.commit.get("decided_by", "") if frame.commit.get("tick", -1) >= thought.tick else ""
    told = texts("asked") if asking else texts.of("decided", by or thought.decided_by)
    if len(thought.group) > 1 and not asking:
        told = f"{texts('near', n=len(thought.group))} → {told}"
    kit.label(
        told,
        (rect.right - kit.px(12), y + kit.px(2)),
        12,
        inks.BLUE,
        anchor="topright",
        width=inside - kit.px(150),
    )
    kit.node("decided", "label", Rect(x, y, inside, kit.px(20)), told)
    line = kit.px(27)
    most = 1 if tight else max(1, (rect.h - kit.px(44)) // line)
    top = y + kit.px(28)
    for row in _shown(thought.candidates, _choice(frame), most):
        if most <= 0:
            break
        place = Rect(rect.x + kit.px(6), top, rect.w - kit.px(12), line - 2)
        if _candidate(kit, texts, frame, row, place, side):
            opened = "" if opened == row[0] else row[0]
        top, most = top + line, most - 1
        if opened == row[0] and most > 0 and not tight:
            _parts(kit, texts, row[8], Rect(place.x + kit.px(30), top, place.w - kit.px(36), line))
            top, most = top + line, most - 1
    return opened


def _choice(frame: Frame) -> str:
    """Return the candidate that the last round came to, or "" while it is open."""
    thought = frame.thought
    assert thought is not None
    return str(frame.commit.get("choice") if frame.commit.get("tick") == thought.tick else thought.choice)


def _shown(rows: Sequence[tuple[Any, ...]], choice: str, most: int) -> list[tuple[Any, ...]]:
    """Return the best *most* candidates. The chosen one is among them: where it scored lower, it comes last."""
    shown = list(rows[:most])
    chosen = next((row for row in rows[most:] if row[0] == choice), None)
    return [*shown[:-1], chosen] if chosen is not None else shown


def _candidate(kit: Kit, texts: Texts, frame: Frame, row: tuple[Any, ...], place: Rect, side: str) -> bool:
    thought = frame.thought
    assert thought is not None
    chosen = row[0] == _choice(frame)
    if row[0] in thought.group:
        pygame.draw.rect(kit.surface, inks.BAND, place, border_radius=5)
    kit.icon("chevron-right", (place.x + kit.px(9), place.centery), 15, inks.DIM if not chosen else inks.BLUE)
    words = texts.candidate(frame, row)
    tail = kit.px(114)
    room = place.w - tail - kit.px(98)
    shown = next((each for each in (words, texts.candidate(frame, row, 1)) if kit.ink.width(each, 14, chosen) <= room), words)
    source = texts.of("source", row[1])
    kit.label(shown, (place.x + kit.px(20), place.y + kit.px(2)), 14, bold=chosen, width=room)
    kit.label(
        source,
        (place.right - tail - kit.px(6), place.y + kit.px(4)),
        12,
        inks.DIM,
        anchor="topright",
        width=kit.px(76),
    )
    bar = Rect(place.right - tail, place.centery - kit.px(5), kit.px(64), kit.px(10))
    kit.bar(f"score.{row[0]}", bar, row[7] / 1000, inks.BLUE)
    kit.label(
        f"{row[7] / 1000:.2f}",
        (place.right - kit.px(6), place.y + kit.px(2)),
        14,
        anchor="topright",
        bold=chosen,
    )
    hit = kit.row(f"{side}cand.{row[0]}", place, words, row[7])
    if kit.over(place):
        kit.tip = "\n".join(
            [
                f"{row[0]}  {words}",
                *(f"{texts.of('part', name)}  {value:+d}" for name, value in row[8].items() if value),
            ]
        )
    return hit


def _parts(kit: Kit, texts: Texts, parts: Mapping[str, int], place: Rect) -> None:
    x = place.x
    for name, value in sorted(parts.items(), key=lambda each: -abs(each[1])):
        text = f"{texts.of('part', name)} {value:+d}"
        wide = kit.ink.width(text, 12)
        if not value or x + wide > place.right:
            continue
        kit.label(text, (x, place.y + kit.px(3)), 12, inks.DEEP_GREEN if value > 0 else inks.DEEP_RED)
        x += wide + kit.px(12)
    kit.node("parts", "label", place, texts("score_parts"), dict(parts))


def draw_channels(kit: Kit, texts: Texts, frame: Frame, tick: int, rect: Rect, *, tight: bool) -> None:
    """Draw the four channels: open with uses, limited with the countdown, muted, blocked."""
    columns = 4 if tight else 2
    wide = rect.w // columns
    for at, name in enumerate(frame.channels):
        state = frame.channel(name, tick)
        color, icon = looks.CHANNEL_LOOKS[state["state"]]
        x, y = rect.x + at % columns * wide, rect.y + at // columns * kit.px(27)
        words = channel_words(texts, state, tick, frame.stage.tick_ms)
        if tight and state["state"] != "open":
            words = words.rpartition(" ")[2]
        elif tight and kit.ink.width(words, 12) > wide - kit.px(37):
            words = "✓"  # Too narrow for the word: a sign says it, and the uses stand in the rows.
        text = words if tight else f"{texts.of('channel', name)} {words}"
        if not tight:
            kit.icon(looks.CHANNEL_ICONS[name], (x + kit.px(8), y + kit.px(10)), 16, inks.DIM)
        lead = 0 if tight else kit.px(21)
        chip_icon = looks.CHANNEL_ICONS[name] if tight else icon
        kit.chip(f"channel.{name}", text, (x + lead, y), color, chip_icon, width=wide - lead - kit.px(4))


def draw_feedback(
    kit: Kit, texts: Texts, frame: Frame, tick: int, rect: Rect, *, tight: bool, title: str, selected: str,
    mine: bool = False,
) -> str:  # fmt: skip
    """Draw the channels and one row for each act, the newest first; return the id of a row that was pressed.

    With *mine* only the acts of whoever sits here are shown, none by script.
    """
    kit.panel(rect)
    top = rect.y + kit.px(8)
    if not tight:
        kit.label(title, (rect.x + kit.px(12), top), 15, bold=True)
        top += kit.px(27)
    chips = kit.px(26 if tight else CHIPS_H)
    draw_channels(
        kit, texts, frame, tick, Rect(rect.x + kit.px(12), top, rect.w - kit.px(24), chips), tight=tight
    )
    top += chips + kit.px(2)
    area = Rect(rect.x + kit.px(6), top, rect.w - kit.px(12), rect.bottom - kit.px(6) - top)
    rows = _rows(frame, mine)
    if not rows:
        kit.label(texts("no_feedback"), (rect.x + kit.px(14), top + kit.px(6)), 13, inks.DIM)
        kit.node("feedback", "scroll", area, value=0)
        return ""
    high, hit = kit.px(ROW_TIGHT_H if tight else ROW_H), [""]

    def draw(y: int) -> None:
        for row, times in rows:
            place = Rect(area.x, y, area.w - kit.px(8), high - kit.px(5))
            y += high
            if place.bottom < area.y or place.y > area.bottom:
                continue
            if feedback_row(
                kit, texts, frame, row, tick, place, tight=tight, chosen=row.id == selected, times=times
            ):
                hit[0] = row.id

    kit.scroll("feedback", area, high * len(rows), draw)
    return hit[0]


def _rows(frame: Frame, mine: bool) -> list[tuple[Row, int]]:
    """Return the acts, newest first; of several walks in a row the last one, and how many they were."""
    found: list[tuple[Row, int]] = []
    for row in reversed(frame.rows.values()):
        if mine and row.source == "script":
            continue
        if found and row.op == "walk" and found[-1][0].op == "walk" and row.receipt != "denied":
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((row, 1))
    return found


def feedback_row(
    kit: Kit,
    texts: Texts,
    frame: Frame,
    row: Row,
    tick: int,
    place: Rect,
    *,
    tight: bool,
    chosen: bool,
    times: int = 1,
) -> bool:
    """Draw one act: what was done; perceived, stance, outcome apart; the reason. Return whether it was pressed."""
    patience = PATIENCE_MS // frame.stage.tick_ms
    perceived, stance, outcome = texts.three(row, tick, patience)
    stance_color = looks.STANCE_LOOKS.get(stance[0], looks.STANCE_LOOKS["none"])[0]
    edge = looks.OUTCOME_LOOKS["denied"][0] if row.receipt == "denied" else stance_color
    pygame.draw.rect(kit.surface, inks.BAND if chosen else inks.FIELD, place, border_radius=6)
    pygame.draw.rect(kit.surface, edge, (place.x, place.y, kit.px(4), place.h), border_radius=2)
    kit.icon(
        looks.CHANNEL_ICONS.get(row.channel, "cog"),
        (place.x + kit.px(18), place.y + kit.px(13)),
        17,
        inks.DIM,
    )
    number = f"#{row.id.removeprefix('int-')}"
    clock = texts.clock(frame.stage, row.tick, seconds=False)
    right = kit.label(
        f"{number}  {clock}",
        (place.right - kit.px(8), place.y + kit.px(3)),
        12,
        inks.DIM,
        anchor="topright",
        width=kit.px(130),
    )
    words = texts.row(frame, row) + (f"  ×{times}" if times > 1 else "")
    reason = _reason(texts, frame, row, tick)
    if not reason and perceived[0] == "no" and row.receipt != "denied":
        reason = texts("not_perceived_reason")
    kit.label(
        words,
        (place.x + kit.px(32), place.y + kit.px(2)),
        14,
        bold=True,
        width=right.x - place.x - kit.px(40),
    )
    shown = (
        ("perceived", perceived, looks.PERCEIVED_LOOKS), ("stance", stance, looks.STANCE_LOOKS), ("outcome", outcome, looks.OUTCOME_LOOKS)
    )  # fmt: skip
    # What is done to the run itself is nothing to perceive or to answer.
    _three(kit, row.id, place, shown if row.channel != "system" else shown[2:])
    if reason and not tight:
        kit.label(
            reason, (place.x + kit.px(14), place.y + kit.px(50)), 13, inks.DIM, width=place.w - kit.px(24)
        )
    elif reason and kit.over(place):
        kit.tip = reason
    value = {
        "perceived": perceived[0],
        "stance": stance[0],
        "outcome": outcome[0],
        "reason": row.reason,
        "receipt": row.receipt,
    }
    return kit.row(f"fb.{row.id}", place, words, value)


def _three(kit: Kit, row_id: str, place: Rect, shown: Sequence[tuple[str, tuple[str, str], Looks]]) -> None:
    """The three states side by side, whole: in a narrow row smaller, then without their icons."""
    room, gap, count = place.w - kit.px(20), kit.px(16), len(shown)
    words = [text for _, (_, text), _ in shown]
    with_icons = room - count * kit.px(33) - (count - 1) * gap
    size = kit.size_for(words, with_icons, (12, 11, 10))
    bare = not size
    size = size or kit.size_for(words, with_icons + count * kit.px(17), (12, 11, 10, 9, 8)) or 8
    x = place.x + kit.px(12)
    for at, (name, (code, text), table) in enumerate(shown):
        color, icon = table.get(code, (inks.GREY, "help-circle-outline"))
        chip = kit.chip(f"{row_id}.{name}", text, (x, place.y + kit.px(24)), color, "" if bare else icon, size=size)
        kit.tree[f"{row_id}.{name}"].value = code
        x = chip.right + gap
        if at < count - 1:
            kit.label("›", (chip.right + gap // 2, chip.centery), 15, inks.DIM, anchor="center")


def _reason(texts: Texts, frame: Frame, row: Row, tick: int) -> str:
    """Return why, as a sentence: whose hands, and how long a theme rests."""
    reason = texts.reason(row.reason)
    if row.reason == "hands_full" and row.op == "hand_over":
        return texts("other_hands_full")
    free = frame.theme_free_tick(row) if row.reason == "theme_repeated" else 0
    return texts("free_again", reason=reason, span=span(free - tick, frame.stage.tick_ms)) if free > tick else reason


def draw_lines(
    kit: Kit,
    rect: Rect,
    name: str,
    title: str,
    lines: Sequence[tuple[str, str, str]],
    pressed: Sequence[str] = (),
) -> str:
    """Draw a scrolling list of (icon, left, text); return the id in *pressed* of the line that was pressed."""
    kit.panel(rect, title)
    area = Rect(rect.x + kit.px(8), rect.y + kit.px(34), rect.w - kit.px(14), rect.h - kit.px(42))
    left = kit.px(64)
    wrapped = [kit.ink.lines(text, 13, area.w - left - kit.px(36), 3) or [""] for _, _, text in lines]
    line_h, hit = kit.ink.height(13), [""]
    high = sum(len(each) * line_h + kit.px(7) for each in wrapped)

    def draw(y: int) -> None:
        for at, ((icon, when, _), words) in enumerate(zip(lines, wrapped, strict=True)):
            place = Rect(area.x, y, area.w - kit.px(8), len(words) * line_h + kit.px(5))
            y += place.h + kit.px(2)
            if place.bottom < area.y or place.y > area.bottom:
                continue
            key = pressed[at] if at < len(pressed) else ""
            if key and kit.row(f"{name}.{at}", place, " ".join(words), key):
                hit[0] = key
            if key and kit.over(place):
                pygame.draw.rect(kit.surface, inks.BAND, place, border_radius=5)
            if icon:
                kit.icon(
                    icon,
                    (place.x + kit.px(10), place.y + line_h // 2 + 2),
                    15,
                    inks.BLUE if key else inks.DIM,
                )
            kit.label(when, (place.x + kit.px(22), place.y + kit.px(2)), 12, inks.DIM, width=left)
            for number, line in enumerate(words):
                kit.label(line, (place.x + kit.px(26) + left, place.y + number * line_h + 1), 13)

    kit.scroll(name, area, high, draw)
    return hit[0]
