"""How each kind of thing looks: icon and colour; a state of its own where it has one."""

from __future__ import annotations

from collections.abc import Mapping

from sim.window import ink as inks

WOOD, DARK_WOOD, STONE, STEEL, CLOTH, GREEN = "#b98f5e", "#9b7a51", "#a9b7bd", "#b9c9d1", "#7a86b8", "#7f9c7a"
DECOR_COLORS: Mapping[str, str] = {"rug": "#d9b8a0", "mat": "#a89b86"}
# Kind -> (icon, colour of a footprint or of the icon on a disc).
LOOKS: Mapping[str, tuple[str, str]] = {
    "door": ("door", "#6d4c41"), "window": ("window-closed-variant", "#8ecae6"), "bed": ("bed", GREEN), "sofa": ("sofa", CLOTH),
    "chair": ("chair-rolling", "#a07d57"), "stool": ("stool-outline", "#a07d57"), "wardrobe": ("wardrobe", DARK_WOOD),
    "nightstand": ("dresser", WOOD), "desk": ("desk", WOOD), "table": ("table-furniture", WOOD),
    "coffee_table": ("table-furniture", WOOD), "counter": ("countertop", "#b5aa97"), "shelf": ("bookshelf", DARK_WOOD),
    "drawer": ("dresser", "#a5794b"), "cupboard": ("cupboard-outline", DARK_WOOD), "box": ("package-variant-closed", "#8a5a2b"),
    "crate": ("package-variant", "#a5794b"), "lamp": ("desk-lamp", "#b8860b"), "ceiling_light": ("ceiling-light-outline", "#8a7a3a"),
    "heater": ("radiator", "#c9c2b4"), "notebook": ("notebook", "#355f8a"), "pen": ("pencil", "#2b4a6f"),
    "book": ("book-open-variant", "#7a3b6e"), "letter": ("email", "#8a5a2b"), "paper": ("file-document-outline", "#5a626b"),
    "newspaper": ("newspaper-variant", "#5a626b"), "phone": ("phone", "#333333"), "radio": ("radio", "#5d4037"),
    "clock": ("clock-outline", "#4a4a4a"), "photo": ("image-frame", "#6b4f8a"), "vase": ("bottle-wine", "#3b6ea5"),
    "rug": ("rug", "#d9b8a0"), "plant": ("flower", "#2f7d32"), "watering_can": ("watering-can", "#2f6f7d"),
    "blanket": ("texture-box", "#9a5b4f"), "pillow": ("square-rounded", "#6f7fae"), "towel": ("paper-roll", "#3f7f8c"),
    "clothes": ("tshirt-crew", "#4b5a7a"), "kettle": ("kettle", "#7a4f2a"), "stove": ("stove", "#a0a0a0"), "sink": ("faucet", STEEL),
    "fridge": ("fridge", STONE), "cup": ("cup-outline", "#3b6ea5"), "mug": ("coffee", "#8a4b2a"), "glass": ("cup-outline", "#3f8c8c"),
    "plate": ("tray", "#6b7280"), "bowl": ("bowl", "#6b7280"), "pan": ("pot", "#4a4a4a"), "spoon": ("silverware-spoon", "#6b7280"),
    "bread": ("bread-slice", "#a0691f"), "apples": ("food-apple", "#b3261e"), "cheese": ("cheese", "#b8860b"),
    "crackers": ("cookie", "#a0691f"), "vegetables": ("carrot", "#c2601a"), "noodles": ("noodles", "#a0691f"), "eggs": ("egg", "#8a7a5a"),
    "rice": ("rice", "#6b7280"), "basin": ("faucet", STEEL), "shower": ("shower-head", "#c3d3d8"), "toilet": ("toilet", "#d9dde0"),
    "mirror": ("mirror", "#cfe3ea"), "laundry_basket": ("washing-machine", "#c8b48f"), "bin": ("trash-can", "#546e7a"),
    "guitar": ("guitar-acoustic", "#b07a3b"), "key": ("key", "#8a6d00"), "medal": ("medal", "#b8860b"),
    "figurine": ("chess-pawn", "#6b4f8a"),
    "candle": ("candle", "#b8860b"), "tool": ("hammer-screwdriver", "#4a4a4a"), "screen": ("blinds", "#a89b86"),
    "mat": ("texture", "#a89b86"), "coat_rack": ("hanger", DARK_WOOD),
}  # fmt: skip
UNKNOWN = ("help-circle-outline", "#6b7280")
LIT = {"lamp": "desk-lamp", "ceiling_light": "ceiling-light"}
OPEN = {"door": "door-open", "window": "window-open-variant", "box": "package-variant"}

CHANNEL_ICONS = {
    "physical": "hand-back-right",
    "dialogue": "chat",
    "inner_voice": "thought-bubble",
    "system": "cog",
}
CHANNEL_COLORS = {
    "physical": inks.ORANGE,
    "dialogue": inks.GREEN,
    "inner_voice": inks.PINK,
    "system": inks.GREY,
}
CHANNEL_LOOKS = {
    "open": (inks.GREEN, "check-bold"), "limited": (inks.ORANGE, "timer-sand"), "muted": (inks.RED, "volume-off"),
    "blocked": (inks.RED, "block-helper"), "closed": (inks.GREY, "lock-outline"), "confirm": (inks.BLUE, "help-circle-outline"),
}  # fmt: skip
PERCEIVED_LOOKS = {
    "yes": (inks.GREEN, "eye"), "no": (inks.GREY, "eye-off"), "waiting": (inks.ORANGE, "clock-outline"), "none": (inks.GREY, ""),
}  # fmt: skip
STANCE_LOOKS = {
    "none": (inks.GREY, ""), "considering": (inks.BLUE, "brain"), "accepted": (inks.GREEN, "check-bold"),
    "refused": (inks.RED, "close-thick"), "negotiating": (inks.PINK, "handshake"), "postponed": (inks.ORANGE, "clock-alert-outline"),
    "ended": (inks.GREY, "stop"),
}  # fmt: skip
OUTCOME_LOOKS = {
    "none": (inks.GREY, "cancel"), "in_progress": (inks.BLUE, "progress-clock"), "done": (inks.GREEN, "check-circle"),
    "failed": (inks.RED, "close-circle"), "given_up": (inks.ORANGE, "undo"), "cancelled": (inks.GREY, "stop"),
    "replaced": (inks.ORANGE, "skip-next"), "denied": (inks.RED, "lock-outline"),
}  # fmt: skip
# What has no ground of its own: it is drawn flat under everything, or hangs above it.
FLAT = ("rug", "mat")
ABOVE = ("ceiling_light",)
DISCS = ("plant", "clock", "phone", "radio", "lamp", "guitar")
IN_WALL = ("door", "window")


def icon_of(kind: str, props: Mapping[str, int]) -> str:
    """Return the icon of a thing in its present state."""
    if kind == "lamp" and not props.get("on"):
        return "desk-lamp-off"
    if kind == "ceiling_light" and props.get("on"):
        return "ceiling-light"
    if kind == "kettle" and props.get("temperature", 0) >= 600:
        return "kettle-steam"
    if kind in ("cup", "glass") and props.get("fill", 0) > 0:
        return "cup-water"
    if kind in OPEN and props.get("open"):
        return OPEN[kind]
    return LOOKS.get(kind, UNKNOWN)[0]


def color_of(kind: str) -> str:
    """Return the colour of a kind."""
    return LOOKS.get(kind, UNKNOWN)[1]
