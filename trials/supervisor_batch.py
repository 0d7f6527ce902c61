"""One call for a whole batch, for Python and for the command line: claim the folder, run, write the tables, tell."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from sim.gateway import ModelError, make_provider
from trials.store import results
from trials.store_batch import BatchError, Folder, Plan, begin, held, make_plan, status
from trials.supervisor import Tally, Terms, run_batch


class Engine(Protocol):
    """Whoever brings the trials of a plan to their seals: this machine's processes, or a cluster."""

    def __call__(
        self,
        plan: Plan,
        folder: Folder,
        terms: Terms,
        *,
        stop: Callable[[], int],
        notify: Callable[[Tally], None],
    ) -> Tally:
        """Run what is not sealed yet."""


def run_trials(
    reference: str | Path, *, out: Path | None = None, seeds: Sequence[int] | None = None, arms: Sequence[str] | None = None,
    overrides: Mapping[str, Any] | None = None, shard: tuple[int, int] = (1, 1), terms: Terms | None = None,
    engine: Engine = run_batch, stop: Callable[[], int] = lambda: 0, notify: Callable[[Tally], None] = lambda tally: None,
) -> dict[str, Any]:  # fmt: skip
    """Run every trial of the protocol that is not sealed yet in *out* (runs/trials-PROTOCOL); return the status JSON.

    Beside it: stopped (why it ended early, or ""), files (the tables and their rows), out. *terms* by default are one
    process for each processor. Raises ProtocolError, RoomError, BatchError for what can't be run; a trial that fails
    is told in the status.
    """
    plan = make_plan(reference, seeds=seeds, overrides=overrides, arms=arms, shard=shard)
    if engine is run_batch:
        _must_have_models(plan)
    folder = Folder(out if out is not None else default_folder(plan))
    begin(folder, plan)
    with held(folder, shard):
        tally = engine(plan, folder, terms or Terms(jobs=os.cpu_count() or 1), stop=stop, notify=notify)
        written = results(folder)
    found = status(folder, plan)
    trials = found.pop("trials")
    return {
        **found,
        "stopped": tally.stopped,
        "files": written["files"],
        "out": str(folder.root),
        "trials": trials,
    }


def _must_have_models(plan: Plan) -> None:
    """Make every arm's model once, so that one that can't be had is told before anything is begun. Raises BatchError."""
    for arm in dict.fromkeys(trial.arm for trial in plan.trials):
        try:
            make_provider(plan.arms[arm].declaration["model"], plan.arms[arm].seed).close()
        except ModelError as error:
            raise BatchError(
                str(error), where=f"arm {arm!r}", mend="or choose other arms with --arm, or another model with --model"
            ) from None


def default_folder(plan: Plan) -> Path:
    """Return where the batch of *plan* lies if nobody says otherwise."""
    return Path("runs") / f"trials-{plan.protocol}"
