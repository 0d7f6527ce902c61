"""What goes into the slot's judgement and what comes out: progress, the reviewer's verdict, the ruling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent.reply import Fault, Parsed
from agent.request import Part, Request


@dataclass(frozen=True, slots=True)
class Progress:
    """What the reviewer may want to know about the way to this answer. Scores and means are 0..100.

    *may_ask* says whether another part can still be issued in time, in budget and with a closed breaker. *first* is
    the answer before any reflection; *unanimous* says that all samples of the round agree, *pooled* how many per cent of
    the samples of all rounds agree with this winner, *widened* that they were
    shown memories which the first answer was not.
    """

    round: int = 0
    samples: int = 0
    score: int = 0
    mean_confidence: int = 0
    reasked: bool = False
    may_ask: bool = True
    first: Parsed | None = None
    unanimous: bool = False
    pooled: int = 0
    widened: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The reviewer's word on a readable, fresh and feasible answer.

    *kind* is go, keep (commit the answer before the reflection), reask, sample or refuse. *constraints* are the codes
    a reask must respect; *samples* is N of a reflection. With *stands* the answer is committed if the reask or the
    samples can't be had. *end* labels a refusal: rejected or fallback. *note* is what each sample of the round is told.
    """

    kind: str = "go"
    reason: str = ""
    constraints: tuple[str, ...] = ()
    samples: int = 0
    stands: bool = False
    end: str = "rejected"
    note: dict[str, Any] = field(default_factory=dict)


GO = Verdict()
Review = Callable[[Parsed, Progress], Verdict]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What came of it.

    *kind*: `ask`, `repair`, `reask`, `sample` (send *part*), `commit` (enact *answer*), `end` (without commit, see
    *end*) or `ignored`. *reason* is a code; *fault* is set where a reply could not be read.
    """

    kind: str
    request_id: str
    reason: str = ""
    end: str = ""
    part: Part | None = None
    answer: Parsed | None = None
    fault: Fault | None = None

    @property
    def choice(self) -> str:
        """Return the committed choice, or an empty text."""
        return self.answer.choice if self.kind == "commit" and self.answer is not None else ""


def changed(request: Request, versions_now: Mapping[tuple[str, int], int]) -> bool:
    """Return whether something the answer rests on has another version now, or is gone."""
    return any(versions_now.get((kind, ordinal)) != version for kind, ordinal, version in request.deps)


def tally(samples: tuple[Parsed, ...], wanted: int) -> tuple[Parsed, int, int] | None:
    """Return the winner of a reflection with S(a) and the mean confidence of its votes, both 0..100.

    S(a) is the sum of the confidences of the samples equal to a, over *wanted*. Ties fall to the earlier sample. Where no
    sample states a confidence, each counts alike: the majority wins.
    """
    stated = any(sample.confidence is not None for sample in samples)
    scores: dict[str, int] = {}
    votes: dict[str, int] = {}
    for sample in samples:
        scores[sample.choice] = scores.get(sample.choice, 0) + ((sample.confidence or 0) if stated else 1)
        votes[sample.choice] = votes.get(sample.choice, 0) + 1
    if not scores:
        return None
    best = max(scores, key=lambda choice: scores[choice])
    mean = scores[best] // votes[best]
    first = next(sample for sample in samples if sample.choice == best)
    return replace(first, confidence=mean if stated else None), scores[best] // max(wanted, 1), mean
