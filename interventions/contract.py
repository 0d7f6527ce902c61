"""What a channel may do in a trial, what a person tries to do through it, and the receipt he gets.

All four channels have the same shape of contract (spec 05, section 1). A contract's windows slide over
simulated ticks: at most *count* admitted acts in any *window_ticks* ticks in a row.
"""

from dataclasses import dataclass, field
from typing import Any

PHYSICAL = "physical"
DIALOGUE = "dialogue"
INNER_VOICE = "inner_voice"
SYSTEM = "system"
CHANNELS = (PHYSICAL, DIALOGUE, INNER_VOICE, SYSTEM)
"""In input order; the kernel applies the acts of one tick in this order."""

HANDS = ("take", "put", "move", "open", "close", "switch", "hand_over", "push")
OPERATIONS: dict[str, tuple[str, ...]] = {
    PHYSICAL: ("enter", "leave", "walk", *HANDS),
    DIALOGUE: ("say",),
    INNER_VOICE: ("whisper",),
    SYSTEM: ("pause", "resume", "safe_stop", "save", "restore", "reset", "rollback", "edit_memory"),
}
assert tuple(OPERATIONS) == CHANNELS

DEBUG_OPERATIONS: dict[str, tuple[str, ...]] = {PHYSICAL: ("drag", "set_prop", "teleport", "wake", "think")}
"""Exist in mode=debug only; no protocol can declare them."""

OUTSIDE_WHITELIST = ("reset", "rollback", "edit_memory")
"""System operations that taint a run: a protocol must name them; snapshot and audit record come first."""

NEEDS_OBJECT = (*HANDS, "drag", "set_prop")
MARKS = ("claim", "request", "suggestion", "plain")
SOURCES = ("script", "human", "api")
MODES = ("trial", "play", "debug")
ANY = "*"
UNLIMITED = -1
NEVER = -1

ACTIONS = (
    *("open", "close", "switch_on", "switch_off", "bring", "give", "take", "put", "move"),
    *("drink", "eat", "cook", "read", "write", "water", "tidy", "wipe", "wash", "sit", "lie", "sleep", "wake"),
    *("rest", "call", "look", "listen", "search", "throw_away", "fill", "boil", "wait", "come", "leave", "talk"),
    *("help", "promise", "stop", "play", "exercise", "ask"),
)
"""The closed list of what a matter or a theme can be about."""

REASONS: dict[str, tuple[str, str]] = {
    "": ("accepted", "已接受"),
    "bad_id": ("this act has no valid id", "该操作没有有效的编号"),
    "duplicate_id": ("this act was already handed in", "该操作已经提交过"),
    "unknown_channel": ("there is no such channel", "没有这个通道"),
    "channel_closed": ("this channel is closed in this protocol", "该通道在本方案中未开放"),
    "unknown_operation": ("this channel has no such operation", "该通道没有这个操作"),
    "wrong_mode": ("this operation does not exist in this mode", "该操作在当前模式下不存在"),
    "operation_not_declared": ("the protocol does not declare this operation", "方案没有声明这个操作"),
    "object_missing": ("this operation needs an object", "该操作需要指明物品"),
    "object_not_declared": ("the protocol does not declare this object", "方案没有声明这个物品"),
    "unknown_mark": ("this is not a kind of utterance", "没有这种话语类型"),
    "unknown_action": ("this action is not in the closed list", "该动作不在固定列表中"),
    "empty_text": ("there are no words in it", "没有可读的文字"),
    "blocked": ("the resident has blocked this", "居住者已屏蔽"),
    "muted": ("the resident has muted this", "居住者已静音"),
    "count_used_up": ("the number of uses is used up", "可用次数已用完"),
    "rate_limited": ("too many in this span of time", "这段时间内次数过多"),
    "theme_repeated": ("this theme was raised a short while ago", "这个主题刚刚提过"),
}
"""Reason code of a receipt, in English and Chinese. The empty code is acceptance."""


@dataclass(frozen=True, slots=True)
class Window:
    """At most *count* admitted acts in any *window_ticks* ticks in a row."""

    count: int
    window_ticks: int

    def __post_init__(self) -> None:
        assert self.count > 0
        assert self.window_ticks > 0


@dataclass(frozen=True, slots=True)
class Contract:
    """What one channel may do: *objects* and *operations* by name, `count_max` in all (-1: unlimited), windows.

    `theme_gap_ticks` is the least distance between two admissions of one theme; 0 where themes do not count.
    """

    channel: str
    open: bool = False
    objects: tuple[str, ...] = (ANY,)
    operations: tuple[str, ...] = ()
    count_max: int = UNLIMITED
    per: tuple[Window, ...] = ()
    theme_gap_ticks: int = 0

    def __post_init__(self) -> None:
        assert self.channel in CHANNELS
        assert self.count_max >= UNLIMITED
        assert self.theme_gap_ticks >= 0
        assert all(operation in OPERATIONS[self.channel] for operation in self.operations)


@dataclass(frozen=True, slots=True)
class Intervention:
    """One act of a person through one channel. *themes* are the keys the intake read out of it, every one.

    *ordinal* orders the acts of one channel in one tick by arrival. *due_tick* is the moment a promise names.
    """

    id: str
    channel: str
    tick: int
    ordinal: int
    source: str
    op: str
    object: str = ""
    target: str = ""
    text: str = ""
    mark: str = ""
    action: str = ""
    due_tick: int | None = None
    themes: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Receipt:
    """The gate's answer: accepted, or denied with a reason code of `REASONS`. Accepted is not obeyed."""

    verdict: str
    reason: str = ""

    def __post_init__(self) -> None:
        assert self.reason in REASONS
        assert (self.verdict == "accepted") == (self.reason == "")

    @property
    def accepted(self) -> bool:
        """Tell whether the act may be applied at the next tick boundary."""
        return self.verdict == "accepted"


def order(intervention: Intervention) -> tuple[int, int]:
    """Return the key that puts the acts of one tick in order: channel first, arrival second."""
    known = intervention.channel in CHANNELS
    return (CHANNELS.index(intervention.channel) if known else len(CHANNELS), intervention.ordinal)
