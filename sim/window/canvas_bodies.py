"""What moves on the room: bodies on their way, what they hold, what they say, sounds and events."""

from __future__ import annotations

import math

import pygame

from sim.frame import RESIDENT, VISITOR, BodyNow, Frame, Words
from sim.window import ink as inks
from sim.window import looks
from sim.window.canvas import Canvas, Spot, View
from sim.window.kit import Kit, Rect
from sim.window.texts import Texts

RADIUS = 19
PING_MS = 5000
CLOSE, ASIDE = 2.2, 1.2  # cells: nearer than this two bodies are drawn up to this far to either side
COLORS = {RESIDENT: inks.RED, VISITOR: inks.BLUE}
ICONS = {RESIDENT: "robot-happy", VISITOR: "account"}


def paint_bodies(
    kit: Kit, texts: Texts, frame: Frame, tick: float, canvas: Canvas, view: View, *, you: bool
) -> None:
    """Draw the paths, the happenings, the bodies and their bubbles."""
    for body in frame.bodies.values():
        if body.id not in view.hidden:
            _path(kit, frame, body, tick, canvas)
    _pings(kit, texts, frame, tick, canvas, view)
    drawn = []
    for body in frame.bodies.values():
        if body.id not in view.hidden:
            apart = _apart(frame, body, tick, view) if len(frame.bodies) > 1 else 0.0
            drawn.append((body, _body(kit, texts, frame, body, tick, canvas, you, view, apart)))
    for body, middle in drawn:
        _name(kit, texts, frame, body, middle, canvas, you, [at for other, at in drawn if other is not body])
    taken: list[Rect] = [Rect(x - kit.px(20), y - kit.px(26), kit.px(40), kit.px(62)) for _, (x, y) in drawn]
    for body, middle in drawn:
        _bubbles(kit, texts, frame, body, middle, tick, canvas, taken, view)


def _place(frame: Frame, body: BodyNow, tick: float) -> tuple[float, float, int]:
    """Return where the body is drawn: on its way, or in the middle of what it sits or lies on."""
    x, y, heading = frame.place(body, tick)
    seat = frame.things.get(body.seat)
    if seat is not None and body.posture != "standing" and seat.relation == "at":
        width = frame.stage.spec.width
        x, y = seat.cell % width + seat.w / 2, seat.cell // width + seat.h / 2
    return x, y, heading


def _apart(frame: Frame, body: BodyNow, tick: float, view: View) -> float:
    """Return how many cells aside a body is drawn that stands where another does, so that both are seen."""
    x, y, _ = _place(frame, body, tick)
    for other in frame.bodies.values():
        ox, oy, _ = _place(frame, other, tick)
        far = math.hypot(x - ox, y - oy)
        if other is not body and other.id not in view.hidden and far < CLOSE:
            return ASIDE * (1 - far / CLOSE) * (1 if (x, body.id) > (ox, other.id) else -1)
    return 0.0


def _path(kit: Kit, frame: Frame, body: BodyNow, tick: float, canvas: Canvas) -> None:
    doing = body.doing
    if doing is None or not doing.path:
        return
    width = frame.stage.spec.width
    left = [cell for cell, at in zip(doing.path, doing.path_ticks, strict=True) if at > tick]
    for cell in left[::2]:
        pygame.draw.circle(
            kit.surface,
            COLORS[body.id],
            canvas.at(cell % width + 0.5, cell // width + 0.5),
            max(2, kit.px(2.4)),
        )
    if left:
        x, y = canvas.at(left[-1] % width + 0.5, left[-1] // width + 0.5)
        pygame.draw.aacircle(kit.surface, COLORS[body.id], (round(x), round(y)), kit.px(6), 2)


def _body(
    kit: Kit, texts: Texts, frame: Frame, body: BodyNow, tick: float, canvas: Canvas, you: bool, view: View, apart: float
) -> tuple[int, int]:
    x, y, heading = _place(frame, body, tick)
    at = (round(canvas.at(x + apart, y)[0]), round(canvas.at(x, y)[1]))
    radius, color = max(12, min(kit.px(RADIUS), round(canvas.unit * 1.2))), COLORS[body.id]
    asleep = frame.asleep(body)
    angle = math.radians(heading * 45)
    if not asleep:
        tip = (
            at[0] + math.cos(angle) * (radius + kit.px(13)),
            at[1] + math.sin(angle) * (radius + kit.px(13)),
        )
        base = [
            (at[0] + math.cos(angle + turn) * (radius + 1), at[1] + math.sin(angle + turn) * (radius + 1))
            for turn in (-0.55, 0.55)
        ]
        pygame.draw.polygon(kit.surface, color, [tip, *base])
        pygame.draw.aalines(kit.surface, inks.WHITE, False, [base[0], tip, base[1]])
    pygame.draw.aacircle(kit.surface, color, at, radius)
    pygame.draw.aacircle(kit.surface, inks.WHITE, at, radius, max(2, kit.px(2.5)))
    kit.icon("sleep" if asleep else ICONS[body.id], at, 1.3 * radius / kit.ink.scale, inks.WHITE)
    if view.selected == body.id:
        pygame.draw.aacircle(kit.surface, inks.TEXT, at, radius + kit.px(5), 2)
    held = frame.held(body.id)
    if held:
        hand, fist = (at[0] + round(radius * 0.9), at[1] + round(radius * 0.7)), round(radius * 0.58)
        pygame.draw.aacircle(kit.surface, inks.WHITE, hand, fist)
        pygame.draw.aacircle(kit.surface, color, hand, fist, 2)
        kit.icon(looks.icon_of(held[0].kind, held[0].props), hand, 1.4 * fist / kit.ink.scale, looks.color_of(held[0].kind))
        spot = Rect(hand[0] - fist, hand[1] - fist, 2 * fist, 2 * fist)
        canvas.spots.append(Spot(held[0].id, spot, -2))
        kit.node(f"obj.{held[0].id}", "object", spot, frame.stage.name(held[0].id, texts.language))
    name = _called(texts, frame, body, you)
    rect = Rect(at[0] - radius, at[1] - radius, 2 * radius, 2 * radius)
    canvas.spots.append(Spot(body.id, rect, -1))
    kit.node(f"body.{body.id}", "body", rect, name, [round(x, 2), round(y, 2), heading])
    return at


def _called(texts: Texts, frame: Frame, body: BodyNow, you: bool) -> str:
    return texts("you") if you and body.id == VISITOR else frame.stage.name(body.id, texts.language)


def _name(
    kit: Kit, texts: Texts, frame: Frame, body: BodyNow, at: tuple[int, int], canvas: Canvas, you: bool, others: list[tuple[int, int]]
) -> None:  # fmt: skip
    """The name below the body, or where no other body covers it."""
    name = _called(texts, frame, body, you)
    radius = max(12, min(kit.px(RADIUS), round(canvas.unit * 1.2)))
    plate = Rect(0, 0, kit.ink.width(name, 13, True) + 8, kit.ink.height(13) - 2)
    crowd = [Rect(x - radius, y - radius, 2 * radius, 2 * radius) for x, y in others]
    beside, above = radius + plate.w // 2 + kit.px(4), radius + plate.h // 2 + 1
    for dx, dy in ((0, above), (beside, 0), (-beside, 0), (0, -above)):
        plate.center = (at[0] + dx, at[1] + dy)
        plate.clamp_ip(canvas.rect)
        if plate.collidelist(crowd) < 0:
            break
    picture = pygame.Surface(plate.size, pygame.SRCALPHA)
    pygame.draw.rect(picture, (255, 255, 255, 235), picture.get_rect(), border_radius=5)
    kit.surface.blit(picture, plate)
    kit.label(name, plate.center, 13, "#111111", bold=True, anchor="center")


def _bubbles(
    kit: Kit, texts: Texts, frame: Frame, body: BodyNow, middle: tuple[int, int], tick: float, canvas: Canvas, taken: list[Rect],
    view: View,
) -> None:  # fmt: skip
    """What the body does, above it; what it says or what comes to its mind, above that."""
    color, top = COLORS[body.id], middle[1] - kit.px(RADIUS + 14)
    if body.doing is not None and not (
        view.hidden and body.id == RESIDENT and body.doing.skill in ("listen", "observe")
    ):
        text = kit.ink.cut(texts.doing(frame, body), 13, kit.px(240))
        box = Rect(0, 0, kit.ink.width(text, 13) + kit.px(18), kit.px(25))
        box = _settle(kit, box, (middle[0], top), canvas.rect, taken)
        pygame.draw.rect(kit.surface, inks.WHITE, box, border_radius=8)
        pygame.draw.rect(kit.surface, color, box, 2, border_radius=8)
        kit.label(text, box.center, 13, anchor="center")
        kit.node(f"bubble.{body.id}", "label", box, text)
        top = box.y - kit.px(4)
    words = frame.speech(body.id, tick)
    if words is not None and not (words.inner and view.hidden):
        _words(kit, words, (middle[0], top), color, canvas, taken)


def _words(
    kit: Kit, words: Words, at: tuple[int, int], color: str, canvas: Canvas, taken: list[Rect]
) -> None:
    lines = kit.ink.lines(words.text, 14, kit.px(250), 4)
    lead = kit.px(22)
    box = Rect(
        0,
        0,
        max(kit.ink.width(line, 14) for line in lines) + kit.px(20) + lead,
        kit.ink.height(14) * len(lines) + kit.px(10),
    )
    box = _settle(kit, box, at, canvas.rect, taken)
    ground = "#f6eef4" if words.inner else "#fffdf6"
    pygame.draw.rect(kit.surface, ground, box, border_radius=12)
    pygame.draw.rect(kit.surface, inks.DEEP_PINK if words.inner else color, box, 2, border_radius=12)
    kit.icon(
        "thought-bubble" if words.inner else "chat",
        (box.x + kit.px(17), box.centery),
        17,
        inks.DEEP_PINK if words.inner else color,
    )
    for number, line in enumerate(lines):
        kit.label(line, (box.x + kit.px(10) + lead, box.y + kit.px(5) + number * kit.ink.height(14)), 14)
    kit.node(f"said.{words.who}", "label", box, words.text)


MOVES = ((0, 0), (0, -30), (0, -60), (120, 0), (-120, 0), (120, 60), (-120, 60), (0, 130), (0, 170), (240, 0), (-240, 0), (0, -110))
"""Where a bubble may go from its place, at 100 %, the nearest first."""
ABOVE = 3  # after so many of them, right beside the body is next


def _settle(kit: Kit, box: Rect, foot: tuple[int, int], bounds: Rect, taken: list[Rect]) -> Rect:
    """Put *box* with its foot at *foot*, inside *bounds*, where it covers least of what is taken."""
    places, beside, down = [], box.w // 2 + kit.px(RADIUS + 8), kit.px(RADIUS + 14) + box.h // 2
    moves = [(kit.px(dx), kit.px(dy)) for dx, dy in MOVES]
    for dx, dy in (*moves[:ABOVE], (beside, down), (-beside, down), *moves[ABOVE:]):
        place = box.copy()
        place.midbottom = (foot[0] + dx, foot[1] + dy)
        place.clamp_ip(bounds)
        covered = sum(lap.w * lap.h for lap in map(place.clip, taken))
        places.append((covered, place))
        if not covered:
            break
    found = min(places, key=lambda each: each[0])[1]
    taken.append(found)
    return found


def _pings(kit: Kit, texts: Texts, frame: Frame, tick: float, canvas: Canvas, view: View) -> None:
    """A sound or event of the last seconds, where it came from."""
    width, lasts = frame.stage.spec.width, PING_MS // frame.stage.tick_ms
    for one in frame.happened:
        if one.cell < 0 or not 0 <= tick - one.tick <= lasts or (view.hidden and one.what == "refused"):
            continue
        x, y = canvas.at(one.cell % width + 0.5, one.cell // width + 0.5)
        share = (tick - one.tick) / lasts
        for ring in (0.35, 0.7, 1.0):
            radius = round(kit.px(12) + kit.px(34) * share * ring)
            pygame.draw.aacircle(
                kit.surface, inks.mix("#A8487F", FADED, share), (round(x), round(y)), radius, 2
            )
        text = texts.of("happening", one.what)
        box = Rect(0, 0, kit.ink.width(text, 12) + kit.px(28), kit.px(20))
        box.midbottom = (round(x), round(y - kit.px(16)))
        box.clamp_ip(canvas.rect)
        pygame.draw.rect(kit.surface, "#fdf3f9", box, border_radius=9)
        pygame.draw.rect(kit.surface, inks.DEEP_PINK, box, 1, border_radius=9)
        kit.icon(
            "bell" if one.what != "refused" else "cancel",
            (box.x + kit.px(12), box.centery),
            13,
            inks.DEEP_PINK,
        )
        kit.label(text, (box.x + kit.px(22), box.centery), 12, anchor="midleft")


FADED = "#e9dcc3"
