"""How an act of a person comes in: its words cleaned, and read where its author did not say what they mean.

What the author declares about his own words (kind, action, thing) counts for the matter. For limits *everything*
counts, the declared theme and every theme in the words: a false label opens no second door.
"""

from dataclasses import replace

from interventions.contract import DIALOGUE, INNER_VOICE, Intervention
from interventions.lexicon import read, resolve
from interventions.text import clean, theme_key


def settle(act: Intervention, names: dict[str, str], *, tick_ms: int) -> Intervention:
    """Return *act* with clean words, its kind, action and thing filled in, all its themes, its due tick and what it waits for.

    *names* maps folded names of things to ids. The gate judges what comes out of here, and the log keeps it.
    """
    act = replace(act, text=clean(act.text), object=clean(act.object), target=clean(act.target))
    if act.channel not in (DIALOGUE, INNER_VOICE):
        return act
    reading = read(act.text, names)
    named = act.target or act.object
    target = (resolve(named, names) or named) if named else ""
    declared = (theme_key(act.action, target),) if act.action or target else ()
    mark = (act.mark or reading.mark) if act.channel == DIALOGUE else ""
    action, target = act.action or reading.action, target or reading.target
    if reading.negated and not act.action:
        # "Don't open it" must never come out as opening it; what is to be left undone asks for nothing to be done.
        action = ""
        mark = "plain" if mark in ("request", "suggestion") and not act.mark else mark
    due_tick = act.due_tick
    if due_tick is None and mark == "claim" and reading.due_ms is not None:
        due_tick = act.tick + max(1, reading.due_ms // tick_ms)
    if reading.wait and mark in ("request", "suggestion"):
        act = replace(act, data={**act.data, "wait": reading.wait})
    if reading.place and (action, target) == (reading.action, reading.target):
        act = replace(act, data={**act.data, "place": reading.place})
    themes = tuple(dict.fromkeys((*declared, *reading.themes)))
    return replace(act, mark=mark, action=action, target=target, due_tick=due_tick, themes=themes)
