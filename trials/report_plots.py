"""Plots as inline SVG: estimates by arm with every seed, paired differences, who decided, the course of one trial.

Everything is told by place, shape or words too, never by colour alone. Numbers stay floats until they are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trials.comparison import Comparison, Estimate
from trials.report_html import Html, shown, tag

ARM_COLORS = ("#0072b2", "#b54700", "#00785a", "#a8487f", "#6b7280", "#8a6100")
KIND_COLORS = {
    "rule": "#6b7280", "clear": "#0072b2", "sys1": "#00785a", "deterministic": "#56b4e9", "sys2": "#e69f00", "fallback": "#d55e00",
    "human": "#cc79a7",
}  # fmt: skip
DARK = ("rule", "clear", "sys1", "fallback")
"""Kinds whose colour takes white words."""


def svg(width: float, height: float, label: str, *inside: Any) -> Html:
    """Return a drawing of *width* by *height* that scales with its place; *label* says what it shows."""
    return tag(
        "svg",
        *inside,
        viewBox=f"0 0 {width:g} {height:g}",
        width=f"{width:g}",
        height=f"{height:g}",
        role="img",
        aria_label=label,
    )


def line(
    x1: float, y1: float, x2: float, y2: float, color: str = "#ded9cd", width: float = 1, **more: Any
) -> Html:
    """Return a line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=color, stroke_width=width, **more)


def words(x: float, y: float, text: Any, anchor: str = "start", cls: str | None = None, **more: Any) -> Html:
    """Return a text."""
    return tag("text", text, x=x, y=y, text_anchor=anchor, cls=cls, **more)


class Axis:
    """A horizontal axis: values to pixels, and a few round marks."""

    def __init__(self, low: float, high: float, left: float, right: float) -> None:
        if high <= low:
            pad = abs(low) * 0.1 or 1.0
            low, high = (max(0.0, low - pad) if low >= 0 else low - pad), high + pad
        pad = (high - low) * 0.04
        self.low, self.high, self.left, self.right = low - pad, high + pad, left, right

    def x(self, value: float) -> float:
        """Return the pixel of *value*."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)

    def marks(self, most: int = 5) -> list[float]:
        """Return round values to be written under the axis."""
        rough = (self.high - self.low) / most
        power = 10.0 ** _exponent(rough)
        step = next(power * each for each in (1, 2, 2.5, 5, 10) if power * each >= rough)
        first = -(-self.low // step)
        return [round((first + at) * step, 12) for at in range(most + 2) if (first + at) * step <= self.high]

    def draw(self, top: float, bottom: float) -> list[Html]:
        """Return the grid with its numbers below."""
        found = []
        for mark in self.marks():
            found.append(line(self.x(mark), top, self.x(mark), bottom))
            found.append(words(self.x(mark), bottom + 15, shown(mark), "middle", "dim"))
        return found


def _exponent(value: float) -> int:
    count = 0
    while value >= 10:
        value, count = value / 10, count + 1
    while 0 < value < 1:
        value, count = value * 10, count - 1
    return count


def arms_plot(
    title: str, arms: Mapping[str, Mapping[int, float]], estimates: Mapping[str, Estimate], *, shares: bool = False
) -> Html:  # fmt: skip
    """Return each arm as a row: every seed a dot, the mean with its interval. *shares* all alike are shown from 0 to 1."""
    values = [value for seeds in arms.values() for value in seeds.values()]
    values += [bound for each in estimates.values() for bound in (each.low, each.high) if bound is not None]
    if shares and min(values) == max(values):
        values += [0.0, 1.0]
    width, row, left = 460, 44, 96
    height = 14 + row * len(arms) + 24
    axis = Axis(min(values), max(values), left, width - 14)
    parts = axis.draw(8, height - 24)
    for at, (arm, seeds) in enumerate(arms.items()):
        middle, color, found = 14 + row * at + row / 2, ARM_COLORS[at % len(ARM_COLORS)], estimates[arm]
        parts.append(words(left - 10, middle + 4, arm if len(arm) < 14 else arm[:13] + "…", "end"))
        ordered = sorted(seeds.items())
        for number, (seed, value) in enumerate(ordered):
            high = middle + 5 + (number % 5) * 2.2
            hint = tag("title", f"{arm}, seed {seed}: {shown(value)}")
            parts.append(tag("circle", hint, cx=axis.x(value), cy=high, r=2.6, fill=color, fill_opacity=0.45))
        if found.low is not None and found.high is not None:
            parts.append(line(axis.x(found.low), middle - 4, axis.x(found.high), middle - 4, color, 3))
        hint = tag("title", f"{arm}: mean {shown(found.mean)}")
        x = axis.x(found.mean)
        parts.append(tag("path", hint, d=f"M{x:.2f} {middle - 11:.2f}l6 7l-6 7l-6 -7z", fill=color))
    return tag(
        "figure",
        svg(width, height, f"{title} by arm", parts),
        tag("figcaption", tag("b", title), " by arm: mean, 95 % interval, every seed.", cls="counted"),
    )


def differences_plot(rows: Sequence[Comparison], titles: Mapping[str, str], base: str, other: str) -> Html:
    """Return the effect sizes of *other* against *base*: one row a metric, zero in the middle, far ones cut with an arrow."""
    width, row, left, cap = 940, 26, 330, 3.0
    height = 10 + row * len(rows) + 40
    axis = Axis(-cap, cap, left, width - 230)
    parts = axis.draw(6, height - 36)
    zero = axis.x(0)
    parts.append(line(zero, 6, zero, height - 36, "#5a626b", 1.5))
    for at, each in enumerate(rows):
        y = 10 + row * at + row / 2
        parts.append(words(left - 12, y + 4, titles.get(each.metric, each.metric)[:52], "end"))
        effect = each.effect
        fill = "#0072b2" if each.differs else "#ffffff"
        if effect is None:
            told = "every pair differs alike" if each.difference else "no pair differs"
            parts.append(words(zero + 8, y + 4, told, cls="dim"))
        else:
            x = axis.x(max(-cap, min(cap, effect)))
            parts.append(line(zero, y, x, y, "#0072b2", 2))
            shape = (
                f"M{x:.2f} {y - 5:.2f}l5 5l-5 5l-5 -5z"
                if abs(effect) <= cap
                else _arrow(x, y, 1 if effect > 0 else -1)
            )
            parts.append(
                tag(
                    "path",
                    tag("title", f"d = {shown(effect)}"),
                    d=shape,
                    fill=fill,
                    stroke="#0072b2",
                    stroke_width=1.5,
                )
            )
        parts.append(words(width - 216, y + 4, _interval(each), cls="dim"))
    parts.append(
        words(
            axis.x(0), height - 4, f"← less in {other}    effect size d    more in {other} →", "middle", "dim"
        )
    )
    caption = (
        f"{other} against {base}, paired over seeds. A filled mark: the 95 % interval of the mean difference (right) leaves out 0. "
        f"An arrow: beyond ±{cap:g}."
    )
    return tag(
        "figure",
        svg(width, height, f"effect sizes of {other} against {base}", parts),
        tag("figcaption", caption, cls="counted"),
    )


def _interval(each: Comparison) -> str:
    if each.low is None or each.high is None:
        return f"{each.difference:.3g}"
    return f"{each.difference:.3g}  [{each.low:.3g}, {each.high:.3g}]"


def _arrow(x: float, y: float, side: int) -> str:
    return f"M{x:.2f} {y - 6:.2f}l{8 * side} 6l{-8 * side} 6z"


def kinds_plot(by_arm: Mapping[str, Mapping[str, float]]) -> Html:
    """Return who decided, as one bar an arm: mean number of decisions by kind, as shares of all."""
    width, row, left = 940, 40, 130
    height = row * len(by_arm) + 12
    parts: list[Html] = []
    for at, (arm, kinds) in enumerate(by_arm.items()):
        total, x, y = sum(kinds.values()), float(left), 6 + row * at
        parts.append(words(left - 10, y + 20, arm[:16], "end"))
        for kind, count in kinds.items():
            span = (width - left - 10) * count / total if total else 0.0
            if span <= 0:
                continue
            hint = tag("title", f"{kind}: {shown(count)} a trial")
            parts.append(
                tag("rect", hint, x=x, y=y, width=max(1.0, span - 1), height=28, fill=KIND_COLORS[kind], rx=2)
            )
            if span > 13 * max(3, len(kind)) * 0.62:
                parts.append(words(x + span / 2, y + 19, kind, "middle", "on" if kind in DARK else "over"))
            x += span
    caption = "Share of decisions by who made them. The numbers stand in the table below."
    return tag(
        "figure", svg(width, height, "decisions by kind", parts), tag("figcaption", caption, cls="counted")
    )
