"""The semi-synthetic benchmark of the reference: sessions made of patches that change together.

Structure (which files and symbols go together) comes from instances; hints, success of
System 2 and distractors are modelled. The generator draws in a fixed order, so a seed
gives the same sessions as the reference's own program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agent.scheduler import meta
from agent.scheduler.auction import Context
from agent.scheduler.clusters import ClusterIndex, Node
from agent.scheduler.exact import clip, rounded
from agent.scheduler.params import Params, prior_of
from agent.scheduler.rules import REFERENCE
from trials.experiments.compute_stats import paired_t
from trials.experiments.shuffles import Shuffles

COST_CHEAP = 1
COST_DEEP = 8
CRITICAL = 0.6
SUCCESS = 0.9
SESSIONS = 60
ACTION = "edit_file"

Draw = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a synthetic session."""

    pr: str
    repo: str
    file: str
    symbols: tuple[str, ...]
    hint: float
    difficulty: float
    true: float
    luck: float
    distractor: bool
    progress: float = 0.0

    def critical(self) -> bool:
        """Return whether a cheap treatment is a miss."""
        return self.true > CRITICAL


@dataclass(slots=True)
class Score:
    """What one arm cost and missed."""

    tok: int = 0
    miss: int = 0
    over: int = 0
    s2: int = 0
    steps: int = 0
    pr_fail: int = 0
    pr_total: int = 0

    def add(self, step: Step, ignited: bool) -> bool:
        """Count one step. Return whether it was missed."""
        critical = step.critical()
        missed = critical and not (ignited and step.luck < SUCCESS)
        self.steps += 1
        self.s2 += ignited
        self.tok += COST_DEEP if ignited else COST_CHEAP
        self.miss += missed
        self.over += ignited and not critical
        return missed

    def shown(self) -> dict[str, int]:
        """Return the score under the reference's names."""
        return {
            "tok": self.tok,
            "miss": self.miss,
            "over": self.over,
            "s2": self.s2,
            "steps": self.steps,
            "prFail": self.pr_fail,
            "prTotal": self.pr_total,
        }


Sessions = list[list[Step]]
Repositories = list[tuple[str, list[dict[str, Any]]]]


def mulberry32(seed: int) -> Draw:
    """Return the 32-bit generator of that name, numbers in 0..1."""
    state = seed & 0xFFFFFFFF

    def draw() -> float:
        nonlocal state
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ (state >> 15)) * (state | 1)) & 0xFFFFFFFF
        t = (t ^ ((t + (((t ^ (t >> 7)) * (t | 61)) & 0xFFFFFFFF)) & 0xFFFFFFFF)) & 0xFFFFFFFF
        return ((t ^ (t >> 14)) & 0xFFFFFFFF) / 4294967296

    return draw


def repositories(instances: Sequence[dict[str, Any]]) -> Repositories:
    """Return repositories with at least five instances of two or more files, the largest first."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for each in instances:
        if len(each["files"]) >= 2:
            grouped.setdefault(each["repo"], []).append(each)
    kept = [(repo, part) for repo, part in grouped.items() if len(part) >= 5]
    return sorted(kept, key=lambda pair: -len(pair[1]))


def sessions_of(repos: Repositories, seed: int, noise: float, count: int = SESSIONS) -> tuple[str, Sessions]:
    """Return the repository drawn for *seed* and its sessions."""
    draw = mulberry32(7919 + 31 * seed)
    repo, instances = repos[int(draw() * len(repos))]
    return repo, [_session(draw, repo, instances, noise) for _ in range(count)]


def _session(draw: Draw, repo: str, instances: list[dict[str, Any]], noise: float) -> list[Step]:
    chosen: list[dict[str, Any]] = []
    for _ in range(2 + int(draw() * 2)):
        each = instances[int(draw() * len(instances))]
        if each not in chosen:
            chosen.append(each)
    steps: list[Step] = []
    for each in chosen:
        level = 0.7 + 0.25 * draw()
        for file in each["files"]:
            true = clip(level + 0.12 * (draw() - 0.5))
            steps.append(_step(draw, each, repo, file, true, noise, 0.4, 0.4, distractor=False))
    for _ in range(len(steps) // 2):
        each = instances[int(draw() * len(instances))]
        file = each["files"][int(draw() * len(each["files"]))]
        true = 0.15 + 0.25 * draw()
        steps.append(_step(draw, each, repo, file, true, noise, 0.3, 0.3, distractor=True))
    for i in range(len(steps) - 1, 0, -1):
        j = int(draw() * (i + 1))
        steps[i], steps[j] = steps[j], steps[i]
    return [_placed(step, i, len(steps)) for i, step in enumerate(steps)]


def _step(
    draw: Draw,
    instance: dict[str, Any],
    repo: str,
    file: str,
    true: float,
    noise: float,
    easiest: float,
    span: float,
    *,
    distractor: bool,
) -> Step:
    hint = clip(true + (draw() - 0.5) * 2 * noise)
    difficulty = easiest + span * draw()
    return Step(
        pr=("distractor:" if distractor else "") + instance["instance"],
        repo=repo,
        file=file,
        symbols=tuple(instance["symbolsByFile"].get(file, ())),
        hint=rounded(hint, 3),
        difficulty=rounded(difficulty, 3),
        true=rounded(true, 3),
        luck=draw(),
        distractor=distractor,
    )


def _placed(step: Step, i: int, total: int) -> Step:
    return Step(
        step.pr, step.repo, step.file, step.symbols, step.hint, step.difficulty, step.true, step.luck,
        step.distractor, rounded(i / total, 3),
    )  # fmt: skip


def run_reference(
    sessions: Sessions, *, clusters: bool, params: Params | None = None, placebo: int | None = None
) -> Score:
    """Run the reference's step arm, or its cluster arm; *placebo* shuffles files and symbols in a session."""
    chance = Shuffles(placebo)
    constants = params or Params()
    library, task = meta.Library(mu=constants.mu0), meta.Task(risk_budget=constants.risk_budget0)
    score = Score()
    for session in sessions:
        task.restart(constants, forget_spend=False)
        index = ClusterIndex()
        failed: set[str] = set()
        looks = [(step.file, step.symbols) for step in session]
        if placebo is not None:
            chance.shuffle(looks)
        for step, (file, symbols) in zip(session, looks, strict=True):
            seen = meta.Seen((step.hint, step.difficulty, step.progress), ACTION)
            node = node_of(step, len(index.nodes), file, symbols) if clusters else None
            evidence = index.add(node) if node else None
            context = Context(action=ACTION, cluster=evidence)
            decision = meta.decide_step(library, task, seen, context, None, constants, REFERENCE)
            missed = score.add(step, decision.ignite)
            outcome = meta.Outcome(step.true, decision.ignite, decision.ignite, missed=missed)
            meta.learn(library, task, seen, outcome, constants, REFERENCE)
            if node:
                node.estimate = decision.estimate.p_mean
                node.ignited = decision.ignite
                node.verified_critical = missed or step.true >= CRITICAL
            if missed and not step.distractor:
                failed.add(step.pr)
        close_session(score, session, failed)
        meta.feedback(library, task, not failed, constants, REFERENCE)
    return score


def run_always(sessions: Sessions) -> Score:
    """Run the arm that always thinks."""
    score = Score()
    for session in sessions:
        failed = {step.pr for step in session if score.add(step, True) and not step.distractor}
        close_session(score, session, failed)
    return score


def close_session(score: Score, session: list[Step], failed: set[str]) -> None:
    """Count the patches of a finished session."""
    score.pr_fail += len(failed)
    score.pr_total += len({step.pr for step in session if not step.distractor})


def node_of(step: Step, serial: int, file: str, symbols: tuple[str, ...]) -> Node:
    """Return the step as the cluster index sees it before the decision."""
    return Node(
        id=f"s{serial}",
        hint=step.hint,
        estimate=step.hint,
        prior=prior_of(ACTION),
        ignited=False,
        files=(file,),
        symbols=symbols,
        tests=(),
        covered=(),
        plan="",
    )


def reference_run(repos: Repositories, seed: int, noise: float, *, with_first: bool) -> dict[str, Any]:
    """Return what the reference's program reports for one seed."""
    repo, sessions = sessions_of(repos, seed, noise)
    found: dict[str, Any] = {
        "noise": noise,
        "s": seed,
        "repo": repo,
        "nSessions": len(sessions),
        "step": run_reference(sessions, clusters=False).shown(),
        "cluster": run_reference(sessions, clusters=True).shown(),
        "alwaysS2": run_always(sessions).shown(),
    }
    if with_first:
        found["firstSession"] = [_shown(step) for step in sessions[0]]
    return found


def _shown(step: Step) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "pr": step.pr,
        "repo": step.repo,
        "file": step.file,
        "files": [step.file],
        "symbols": list(step.symbols),
        "critHint": step.hint,
        "dHint": step.difficulty,
        "trueCrit": step.true,
        "actionType": ACTION,
        "rndS2": step.luck,
        "progress": step.progress,
    }
    if step.distractor:
        shown["isDistractor"] = True
    return shown


def reference_summary(noise: float, runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the reference's summary over the seeds of one noise level."""
    summary: dict[str, Any] = {"noise": noise}
    for arm in ("step", "cluster", "alwaysS2"):
        summary[arm] = {
            key: rounded(sum(run[arm][key] for run in runs) / len(runs), 2)
            for key in ("miss", "s2", "tok", "over", "prFail")
        }
    for name, key in (("M1", "miss"), ("M2", "s2")):
        summary[name] = paired_t([run["cluster"][key] for run in runs], [run["step"][key] for run in runs])
    return summary


_FILE = re.compile(r"^diff --git a/(\S+) b/(\S+)")
_TEST = re.compile(r"(?:^|/)(?:tests?|__tests__|spec)/|(?:^|/)test_|_test\.|\.test\.|\.spec\.|_spec\.")
_DEFINED = re.compile(
    r"\b(?:def|class|func|function|const|let|var|type|struct|interface|enum|fn)\s+([A-Za-z_]\w*)"
)
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_KEYWORDS = frozenset({"if", "for", "while", "switch", "return", "catch", "with", "def", "func", "function"})


def parse_patch(patch: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the changed files that are no tests, and the symbols each file's kept or added lines name."""
    files: list[str] = []
    symbols: dict[str, list[str]] = {}
    current = ""
    for line in patch.split("\n"):
        opened = _FILE.match(line)
        if opened:
            current = opened.group(2)
            symbols.setdefault(current, [])
            if not _TEST.search(current):
                files.append(current)
            continue
        if not current or line.startswith(("+++", "---", "@@", "-")) or line[:1] not in {"+", " "}:
            continue
        for name in (*_DEFINED.findall(line), *_CALLED.findall(line)):
            if len(name) > 2 and name not in _KEYWORDS and name not in symbols[current]:
                symbols[current].append(name)
    return files, symbols
