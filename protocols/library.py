"""Finds and reads declarations: shipped ones by id, others by path. The only file of this package that touches files.

A reference is a shipped id or the path of a `.toml` file. The file must be a plain one: no link, pipe or device,
nothing above the folder it is looked for in, at most 256 KiB. Whatever is wrong comes back as one ProtocolError.
"""

from pathlib import Path

import protocols
from protocols.faults import Fault, ProtocolError, fail, nearest, shown
from protocols.persona import Persona, parse_persona
from protocols.protocol import RESERVED, Protocol
from protocols.reading import parse_protocol
from protocols.toml_lines import BYTES_MAX

HOME = Path(protocols.__path__[0])
PERSONAS = HOME / "personas"
NAME_MAX = 255


def shipped_protocols() -> list[str]:
    """Return the ids of the protocols that come with oneroom."""
    return sorted(path.stem for path in HOME.glob("*.toml"))


def shipped_personas() -> list[str]:
    """Return the ids of the personas that come with oneroom."""
    return sorted(path.stem for path in PERSONAS.glob("*.toml"))


def load_protocol(reference: str | Path) -> Protocol:
    """Return the protocol of a shipped id or path, checked. Raises ProtocolError."""
    path = find(str(reference), HOME, "protocol")
    protocol = parse_protocol(read_file(path), shown_name(path))
    _same_id(protocol.id, path, HOME)
    return protocol


def load_persona(reference: str | Path, beside: Path | None = None) -> Persona:
    """Return the persona of a shipped id, of a path, or of a file name in the folder *beside*. Raises ProtocolError."""
    name = str(reference)
    if beside is not None and name.endswith(".toml") and Path(name).name == name:
        path = find(str(beside / name), PERSONAS, "persona")
    else:
        path = find(name, PERSONAS, "persona")
    persona = parse_persona(read_file(path), shown_name(path))
    _same_id(persona.id, path, PERSONAS)
    return persona


def find(reference: str, home: Path, what: str) -> Path:
    """Return the file that *reference* names. Raises ProtocolError for a name that can't be one."""
    plain = reference.isascii() and reference.replace("_", "a").isalnum()
    if plain:
        path = home / f"{reference}.toml"
        known = [each.stem for each in home.glob("*.toml")]
        if reference not in known:
            raise fail(shown(reference), f"there is no {what} of this id", nearest(reference, known))
        return path
    parts = reference.replace("\\", "/").split("/")
    stem = parts[-1].removesuffix(".toml")
    bad = (
        not reference.endswith(".toml")
        or any(part in ("..", ".git") or len(part) > NAME_MAX for part in parts)
        or any(not char.isprintable() or char in ':*?"<>|%$' for char in reference)
        or reference.startswith(("~", "-", "//", "/dev/", "/proc/", "/sys/"))
        or stem.lower() in RESERVED
        or not stem.strip(". ")
    )
    if bad:
        problem = f"this is neither a shipped id nor the path of a {what} file"
        raise fail(shown(reference), problem, "give a plain path to a .toml file")
    return Path(reference)


def read_file(path: Path) -> bytes:
    """Return the bytes of the plain file *path*. Raises ProtocolError."""
    place = shown_name(path)
    try:
        if path.is_symlink():
            raise fail(place, "this is a link, and links are not followed", "give the path of the file itself")
        if path.exists() and not path.is_file():
            raise fail(place, "this is not a plain file", "give the path of a .toml file")
        size = path.stat().st_size
        if size > BYTES_MAX:
            raise fail(place, f"the file has {size} bytes, at most {BYTES_MAX} are read", "split or shorten it")
        return path.read_bytes()
    except OSError as error:
        raise fail(place, f"the file can't be read: {error.strerror}", "check the path") from None


def shown_name(path: Path) -> str:
    """Return how messages name *path*: a shipped file by its name, others as they were given."""
    text = path.name if path.parent in (HOME, PERSONAS) else str(path)
    return text if text.isprintable() else shown(text)


def template(id: str, title: str = "") -> str:
    """Return the text of a new protocol that is free of faults and says what may be changed."""
    return TEMPLATE.replace("ID", id, 1).replace("TITLE", (title or id.replace("_", " ").capitalize()), 1)


def _same_id(found: str, path: Path, home: Path) -> None:
    """A shipped file is called as its id says; elsewhere a file may have any name."""
    if path.parent == home and found != path.stem:
        raise ProtocolError([Fault(shown_name(path), 1, f"the id is {shown(found)}", f"it must be {path.stem!r}")])


TEMPLATE = """# A declared trial. Fixed before it starts: what is not named here can't happen.
# Check it with `oneroom protocol check`, dry-run it with `oneroom trials check`.

id = "ID"
title = { en = "TITLE", zh = "" }
question = { en = "What do you want to find out?", zh = "" }
hypotheses = []
exploratory = true            # false once the design is settled

room = "studio"               # oneroom room list
persona = "ada"               # oneroom persona list
duration = "2h"
start = "17:00"
seeds = [1, 2, 3]             # or { training = [...], test = [...] }, or { master = 7, n = 20 }

# What is reported and corrected for; the rest counts as exploratory. All there is: oneroom trials metrics
metrics = ["requests_accepted", "requests_carried_out", "needs_ok", "mood_pleasure"]
exclusion = ["tainted", "wall_capped"]

[visitor]
kind = "script"               # none, script or human
name = { en = "Visitor", zh = "来访者" }
role = "guest"

# Each channel is closed unless it is opened here.
[channels.physical]
open = true
operations = ["enter", "leave", "walk", "open", "close"]
objects = ["window"]
count_max = 10
rate = ["3/10m"]

[channels.dialogue]
open = true
count_max = 20
rate = ["4/5m"]

[[schedule]]
id = "enter"
at = "00:10:00"
channel = "physical"
op = "enter"

[[schedule]]
id = "greet"
at = "00:10:30"
channel = "dialogue"
op = "say"
text = "Good evening!"
mark = "plain"

[[schedule]]
id = "ask_window"
at = "00:12:00"
channel = "dialogue"
op = "say"
text = "Could you open the window, please?"
mark = "request"
action = "open"
target = "window"

[[schedule]]
id = "open_it_myself"
when = { event = "refused", subject = "ask_window", delay = "1m" }
channel = "physical"
op = "open"
object = "window"

[model]
provider = "none"             # none, scripted, local or openai

# Every arm runs every seed, and the others are compared with the first. An arm may set any key of this file: persona = "lin",
# "model.provider" = "local", "mind.sys1" = "none", "channels.dialogue.open" = false, or a schedule of its own.
[arms.ada]
[arms.lin]
persona = "lin"
"""
