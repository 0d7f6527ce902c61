"""Makers for the tests of the model side: requests with sensible defaults, replies that fit them."""

from __future__ import annotations

import json
from typing import Any

from agent.request import Dep, Request, make_request

REFS: dict[str, dict[str, tuple[str, ...]]] = {
    "choose": {},
    "intention": {"intentions": ("com-4",), "replacements": ("com-4", "com-7")},
    "plan": {"templates": ("drink_tea", "tidy_up"), "objects": ("obj-3", "obj-5")},
    "appraise": {"events": ("exp-9",), "causes": ("self", "other", "object", "chance", "unknown")},
    "speak": {"stances": ("accepted", "refused", "negotiating"), "rules": ("rule-visitor-private",)},
    "reflect": {
        "experiences": ("exp-1", "exp-2", "exp-3", "exp-4", "exp-11", "exp-12"), "major": ("exp-4",),
        "influences": ("trust_of_person", "habit"),
    },
    "combine": {"objects": ("obj-3",), "skills": ("take", "fill"), "conditions": ("cup_is_full",)},
}
ORIGINS = {"exp-11": "exp-1", "exp-12": "exp-1"}

ANSWERS: dict[str, dict[str, Any]] = {
    "choose": {"choice": "cand-12"},
    "intention": {"action": "pause", "intention": "com-4"},
    "plan": {"steps": [{"template": "drink_tea", "object": "obj-3"}]},
    "appraise": {"event": "exp-9", "goal_impact": -20, "cause": "other", "control": 50, "certainty": 80,
                 "threat": 10},
    "speak": {"stance": "accepted", "text": "All right.", "then": "go_on", "rules": []},
    "reflect": {"hypothesis": "She keeps her word.", "support": ["exp-1", "exp-2", "exp-3"],
                "against": ["exp-4"], "confidence": 60, "influence": "trust_of_person"},
    "combine": {"proposals": [{"result": "a full cup", "objects": ["obj-3"], "skills": ["take", "fill"],
                               "verify": ["cup_is_full"]}]},
}

DEPS: tuple[Dep, ...] = (("belief", 3, 1), ("matter", 2, 5))
VERSIONS = {("belief", 3): 1, ("matter", 2): 5, ("belief", 99): 1}


def a_context(heard: str = "Could you water the plant?") -> dict[str, Any]:
    """Return a context in which a visitor asked for something."""
    return {
        "identity": {"name": "Mara", "role": "host", "values": ["keep promises"]},
        "state": {"summary": "Mara is a little thirsty.", "needs": {"hydration": 480}},
        "commitment": {"id": "com-4", "text": "She is reading a book."},
        "observations": [{"id": "exp-9", "source": "heard", "speaker": "visitor", "words": heard}],
        "memories": [{"id": "exp-1", "text": "The visitor brought tea."}],
        "candidates": [
            {"id": "cand-12", "text": "water the plant", "score": 610, "source": "person", "marks": ["promise"]},
            {"id": "cand-13", "text": "go on reading the book", "score": 640, "source": "commitment"},
        ],
        "setting": {"audience": "visitor", "rules": []},
    }


def a_request(decision: str = "choose", number: int = 8, **changes: Any) -> Request:
    """Return a request asked at tick 100 and due by tick 200."""
    values: dict[str, Any] = {
        "tick": 100, "deadline_tick": 200, "deps": DEPS, "context": a_context(), "reason": "tie_touches_person",
        "group": ("cand-12", "cand-13") if decision == "choose" else (), "refs": REFS[decision],
        "origins": ORIGINS if decision == "reflect" else {},
    }
    return make_request(number, decision, **{**values, **changes})


def a_reply(request: Request, **changes: Any) -> bytes:
    """Return a reply that fits *request*, with *changes*; a change to None takes the field away."""
    fields = {"request_id": request.id, "version": request.version, "type": request.type,
              **ANSWERS[request.type], **({"confidence": 80} if request.confidence else {}), **changes}
    kept = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(kept, ensure_ascii=False).encode()
