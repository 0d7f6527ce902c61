"""Spans, times of day, moments and rates as people write them, and as exact milliseconds."""

import re

UNITS_MS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
DAY_MS = UNITS_MS["d"]
SPAN_MAX_MS = 3660 * DAY_MS  # ten years: more is a slip of the pen

_SPAN = re.compile(r"(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,8})s)?(?:(\d{1,9})ms)?", re.ASCII)
_CLOCK = re.compile(r"(\d{2}):(\d{2})(?::(\d{2}))?", re.ASCII)
_MOMENT = re.compile(r"(?:(\d{1,4})d )?(\d{1,5}):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?", re.ASCII)
_RATE = re.compile(r"(\d{1,6})/(\w{1,20})", re.ASCII)


def span_ms(text: str) -> int:
    """Return the length of a span such as `30m`, `1h30m`, `7d` or `500ms`. Raises ValueError with the mend."""
    found = _SPAN.fullmatch(text)
    if not text or found is None or not any(found.groups()):
        raise ValueError("write a span such as 30m, 1h30m, 7d or 500ms")
    total = sum(int(count) * unit for count, unit in zip(found.groups(), UNITS_MS.values(), strict=True) if count)
    if not 0 < total <= SPAN_MAX_MS:
        raise ValueError("a span lies between 1ms and 3660d")
    return total


def clock_ms(text: str) -> int:
    """Return a time of day such as `07:30` in ms since midnight; 24:00 is the end of the day."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        raise ValueError("write a time of day such as 07:30")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    total = (hours * 3600 + minutes * 60 + seconds) * 1000
    if minutes > 59 or seconds > 59 or total > DAY_MS:
        raise ValueError("a time of day lies between 00:00 and 24:00")
    return total


def moment_ms(text: str) -> int:
    """Return how long after the start a moment lies: `HH:MM:SS`, with days before or a fraction if need be, or a span."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        try:
            return span_ms(text)
        except ValueError:
            raise ValueError("write the time since the start as 00:02:00, as 4d 04:00:00, or as a span such as 2m or 4d4h") from None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:4])
    return days * DAY_MS + (hours * 3600 + minutes * 60 + seconds) * 1000 + int((found.group(5) or "0").ljust(3, "0"))


def rate(text: str) -> tuple[int, int]:
    """Return (count, window in ms) of a rate such as `3/10m`: at most three in any ten minutes in a row."""
    found = _RATE.fullmatch(text)
    if found is None:
        raise ValueError("write a rate such as 3/10m: at most three in any ten minutes")
    count = int(found.group(1))
    if count < 1:
        raise ValueError("a rate allows at least one; close the channel to allow none")
    try:
        return count, span_ms(found.group(2))
    except ValueError:
        raise ValueError("write a rate such as 3/10m: at most three in any ten minutes") from None


def span_text(ms: int) -> str:
    """Return the shortest way to write a span."""
    parts = []
    for name, unit in UNITS_MS.items():
        count, ms = divmod(ms, unit)
        if count:
            parts.append(f"{count}{name}")
    return "".join(parts) or "0s"
