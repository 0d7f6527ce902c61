"""Replays recordings of the reference scheduler and counts every value that agrees or differs.

A folder may hold any of: sNN_*.jsonl (tool sessions with store snapshots), core_selfmodel_*,
core_clusters, core_skills, vectors, eval_synth_*; a file by another name is known by what is
in it. Unrounded data must agree to 1e-12 (relative), served data exactly to 4 decimals. What
cannot be read or replayed is a difference like any other, with the place where it stopped.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.scheduler import attest, exact, meta, prototypes, skills, text
from agent.scheduler.auction import Context, Decision, SkillSignal
from agent.scheduler.clusters import ClusterIndex, Evidence, Node, names
from agent.scheduler.params import Params, with_options
from agent.scheduler.reading import Refused
from agent.scheduler.reference import ReferenceDesk, insecure_verdict
from agent.scheduler.rules import REFERENCE
from sim.scheduler_store import PlainStore
from sim.scheduler_tools import EXECUTOR_ONLY, TOOLS
from trials.experiments import compute_synth
from trials.experiments.compute_stats import erf, paired_t

NAME = "conformance"
DOC = "replay recordings of the reference scheduler number by number"

_EXACT = 1e-12
_PROSE = frozenset({"decision_rule", "note"})
"""Texts the recordings leave out."""
DIFFERENCES_SHOWN = 10_000
COMPANIONS = ("eval_synth_instances.jsonl", "README.md")
"""What stands beside recordings and is none itself."""
SHIPPED = Path(__file__).parent / "data"


@dataclass(slots=True)
class Tally:
    """Values compared and the places where they differ."""

    compared: int = 0
    differences: list[dict[str, Any]] = field(default_factory=list)

    def check(self, path: str, expected: Any, found: Any, tolerance: float) -> None:
        """Compare two JSON values leaf by leaf."""
        if isinstance(expected, dict) and isinstance(found, dict):
            for key in sorted(set(expected) | (set(found) - _PROSE)):
                if key not in expected or key not in found:
                    self._differ(f"{path}.{key}", expected.get(key, "absent"), found.get(key, "absent"))
                else:
                    self.check(f"{path}.{key}", expected[key], found[key], tolerance)
            return
        if isinstance(expected, list) and isinstance(found, (list, tuple)):
            if len(expected) != len(found):
                self._differ(path, f"{len(expected)} entries", f"{len(found)} entries")
                return
            for i, (one, other) in enumerate(zip(expected, found, strict=True)):
                self.check(f"{path}[{i}]", one, other, tolerance)
            return
        self.compared += 1
        if not _same(expected, found, tolerance):
            self.compared -= 1
            self._differ(path, expected, found)

    def _differ(self, path: str, expected: Any, found: Any) -> None:
        self.compared += 1
        self.differences.append({"at": path, "expected": expected, "measured": found})


def run(
    *, quick: bool = False, seeds: int | None = None, data: str | Path | None = None
) -> Iterator[dict[str, Any]]:
    """Yield one line for each recording in *data* and one for the whole; by default the shipped ones.

    A folder that is named is always replayed in full; *quick* samples the shipped evaluation,
    and *seeds* says nothing here.
    """
    del seeds
    if data is not None:
        yield from replay_folder(Path(data))
    else:
        yield from replay_folder(SHIPPED, quick=quick)


def replay_folder(path: Path, *, quick: bool = False) -> Iterator[dict[str, Any]]:
    """Yield {claim, target, measured, pass, compared, differences} for each recording under *path*."""
    total = Tally()
    files = 0
    passed_over: list[str] = []
    for file in sorted(path.iterdir()) if path.is_dir() else []:
        tally = Tally()
        if file.name.removesuffix(".zst").endswith(".jsonl"):
            replay = _replayer(file.name, quick) or _replayer_by_content(file, tally, quick)
        else:
            replay = None
        if replay is None and not tally.differences:
            if file.name.removesuffix(".zst") not in COMPANIONS and not file.is_dir():
                passed_over.append(file.name)
            continue
        if replay is not None:
            _guarded(replay, file, tally)
        files += 1
        total.compared += tally.compared
        total.differences += [{**each, "file": file.name} for each in tally.differences]
        yield _line(f"{file.name} replays", tally)
    if passed_over:
        yield {**_line("files that are no recordings", Tally()), "measured": ", ".join(passed_over), "target": "reported", "pass": True}
    line = _line(f"all {files} recordings replay", total)
    yield {**line, "pass": line["pass"] and files > 0}


def _guarded(replay: Callable[[Path, Tally], None], file: Path, tally: Tally) -> None:
    """Replay *file*; what a broken recording brings about is a difference, not a traceback."""
    try:
        replay(file, tally)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, AssertionError, OSError) as fault:
        at = f"after {tally.compared} values"
        tally.check(at, "a recording that can be replayed", f"{type(fault).__name__}: {fault}"[:200], 0.0)


def _replayer_by_content(file: Path, tally: Tally, quick: bool) -> Callable[[Path, Tally], None] | None:
    """Return how to replay a file whose name says nothing, from its first lines."""
    try:
        rows = read_lines(file)[:3]
    except (ValueError, OSError) as fault:
        tally.check("first lines", "lines of JSON", f"{type(fault).__name__}: {fault}"[:200], 0.0)
        return None
    keys = [set(row) if isinstance(row, dict) else set() for row in rows]
    if any("attest_secret" in each for each in keys[:1]):
        return replay_session
    if any("initial" in each for each in keys[:1]):
        return _replay_meta
    if any("fn" in each for each in keys[:1]):
        return _replay_vectors
    if any(isinstance(row, dict) and row.get("op") in ("reset", "addStep") for row in rows):
        return _replay_clusters
    if any(isinstance(row, dict) and row.get("op") in ("query", "add") for row in rows) or any("rec" in each for each in keys):
        return _replay_skills
    if any(isinstance(row, dict) and row.get("kind") == "seed" for row in rows):
        return _replay_eval_quick if quick else _replay_eval
    return None


def _line(claim: str, tally: Tally) -> dict[str, Any]:
    return {
        "claim": claim,
        "target": "0 differences",
        "measured": f"{len(tally.differences)} differences in {tally.compared} values",
        "pass": not tally.differences and tally.compared > 0,
        "compared": tally.compared,
        "differences": tally.differences[:DIFFERENCES_SHOWN],
    }


def _replayer(name: str, quick: bool) -> Callable[[Path, Tally], None] | None:
    plain = name.removesuffix(".zst")
    table: tuple[tuple[str, Callable[[Path, Tally], None]], ...] = (
        ("core_selfmodel", _replay_meta),
        ("core_clusters", _replay_clusters),
        ("core_skills", _replay_skills),
        ("vectors", _replay_vectors),
        ("eval_synth_results", _replay_eval_quick if quick else _replay_eval),
    )
    for head, replay in table:
        if plain.startswith(head):
            return replay
    if plain[:1] == "s" and plain[1:3].isdigit():
        return replay_session
    return None


def read_lines(file: Path) -> list[dict[str, Any]]:
    """Return the lines of a recording, packed (.zst) or plain."""
    raw = file.read_bytes()
    if file.suffix == ".zst":
        import zstandard

        raw = zstandard.ZstdDecompressor().decompress(raw, max_output_size=1 << 30)
    return [json.loads(line) for line in raw.decode("utf-8").splitlines() if line.strip()]


# Sessions: through the tools and the store on disk.


def replay_session(file: Path, tally: Tally) -> None:
    """Replay one recorded session."""
    rows = read_lines(file)
    head, calls = rows[0], rows[1:]
    with tempfile.TemporaryDirectory() as folder:
        store = PlainStore(Path(folder))
        desks = {
            "scheduler": ReferenceDesk(head["attest_secret"], store),
            "executor": ReferenceDesk(head["attest_secret"], store),
        }
        for row in calls:
            where = f"{row.get('i')}"
            if row["kind"] == "store_snapshot":
                tally.check(where, row["content"], store.load_file(row["file"]), _EXACT)
            elif "response" in row:
                found = _answer(desks[row["server"]], row)
                tally.check(where, row["response"], found, 0.0)


def _answer(desk: ReferenceDesk, row: dict[str, Any]) -> dict[str, Any]:
    request, executor = row["request"], row["server"] == "executor"
    match request["method"]:
        case "initialize":
            return {
                "result": {
                    "protocolVersion": "2024-11-05",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "conscious-scheduler", "version": "0.1.0"},
                }
            }
        case "ping":
            return {"result": {}}
        case "tools/list":
            return {"tools": _tools_listed(executor)}
        case "tools/call":
            return _call(desk, row, executor)
    return {"error": {"code": -32601, "message": f"method not found: {request['method']}"}}


def _tools_listed(executor: bool) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "required": list(tool.required), "properties": sorted(tool.reference)}
        for tool in TOOLS
        if executor or tool.name not in EXECUTOR_ONLY
    ]


def _call(desk: ReferenceDesk, row: dict[str, Any], executor: bool) -> dict[str, Any]:
    params = row["request"]["params"]
    name, arguments = params["name"], params.get("arguments") or {}
    if name not in {tool.name for tool in TOOLS}:
        return {"isError": True, "error_kind": "unknown_tool"}
    if name in EXECUTOR_ONLY and not executor:
        return {"isError": True, "error_kind": "executor_only"}
    recorded = row["response"].get("structuredContent") or {}
    try:
        content = desk.call(name, arguments, now_ms=row["now_ms"], nonce=str(recorded.get("nonce", "")))
    except Refused as refused:
        return {"isError": True, "error_kind": refused.kind}
    return {"isError": False, "structuredContent": content}


# The meta layer, unrounded.


def _replay_meta(file: Path, tally: Tally) -> None:
    rows = read_lines(file)
    params, _ = with_options(Params(), rows[0]["opts"], bounded=False)
    library, task = meta.Library(mu=params.mu0), meta.Task(risk_budget=params.risk_budget0)
    tally.check("initial", rows[0]["initial"], _meta_state(library, task), _EXACT)
    for i, row in enumerate(rows[1:], start=1):
        match row["op"]:
            case "newTask":
                task.restart(params, forget_spend=False)
            case "decide":
                decision = _decide(library, task, params, row)
                tally.check(f"{i}", row["out"], _decision_out(decision, row), _EXACT)
            case "learn":
                _learn(library, task, params, row)
                tally.check(f"{i}", row["state"], _meta_state(library, task), _EXACT)
            case "feedback":
                meta.feedback(library, task, row["success"], params, REFERENCE)
                tally.check(f"{i}", row["mu"], library.mu, _EXACT)


def _decide(library: meta.Library, task: meta.Task, params: Params, row: dict[str, Any]) -> Decision:
    raw = row["ctx"] or {}
    skill, cluster = raw.get("skill"), raw.get("cluster")
    context = Context(
        action=raw.get("actionType"),
        risk_class=raw.get("riskClass"),
        irreversible=raw.get("irreversible") is True,
        skill=None if skill is None else _signal(skill),
        cluster=None if cluster is None else _evidence(cluster),
    )
    x = row["x"]
    seen = meta.Seen((x[0], x[1], x[2]), raw.get("actionType"))
    return meta.decide_step(library, task, seen, context, exact.clip(row["pollution"]), params, REFERENCE)


def _signal(raw: dict[str, Any]) -> SkillSignal:
    return SkillSignal(
        novelty=raw["novelty"],
        prior_success=raw["priorSuccess"],
        repo_match=raw["repoMatch"],
        verified_support=raw["verifiedSupport"],
        best_sim=raw["bestSim"],
        reusable=raw["hasReusableFix"],
    )


def _evidence(raw: dict[str, Any]) -> Evidence:
    return Evidence(
        cluster_id=0,
        size=0,
        coupling=raw["coupling"],
        peer_max_crit=0.0,
        peer_max_stakes=raw["peerMaxStakes"],
        peer_ignited=raw["peerIgnited"],
        peer_verified_critical=raw["peerVerifiedCritical"],
        edge_reasons=(),
    )


def _decision_out(decision: Decision, row: dict[str, Any]) -> dict[str, Any]:
    estimate, standing = decision.estimate, decision.standing
    skill = (row["ctx"] or {}).get("skill") or {}
    return {
        "ignite": decision.ignite,
        "mode": decision.mode,
        "verify": decision.verify,
        "riskClass": decision.risk_class,
        "decisionReason": decision.reason,
        "critEst": estimate.p_mean,
        "theta": decision.threshold,
        "sim": estimate.similarity,
        "surprise": 1 - estimate.similarity,
        "predErr": estimate.error,
        "mu": standing.mu,
        "protoIdx": estimate.index,
        "robBid": decision.bid,
        "ecoAsk": decision.ask,
        "robBase": decision.base,
        "budgetShadow": decision.budget_shadow,
        "eCostS1": decision.base,
        "eCostS2": decision.ask,
        "robGain": decision.bid,
        "ecoCost": decision.ask,
        "uncert": estimate.doubt,
        "regimeShift": standing.regime_shift,
        "shiftScore": standing.shift_score,
        "pollution": standing.pollution,
        "safeWindow": standing.safe_window,
        "remainingRiskBudget": standing.risk_budget,
        "pCrit": estimate.p_crit,
        "pMean": estimate.p_mean,
        "pUpper": estimate.p_upper,
        "nEff": estimate.n_effective,
        "isMutating": decision.mutating,
        "actionPrior": decision.prior,
        "actionPremium": decision.action_premium,
        "forcedVerify": decision.forced_verify,
        "skillReuseDiscount": decision.reuse_discount,
        "skillNoveltyPremium": decision.novelty_premium,
        "crossRepoPremium": decision.cross_premium,
        "skillNet": decision.skill_net,
        "reusableFix": skill.get("priorFix"),
        "clusterPremium": decision.cluster_premium,
    }


def _learn(library: meta.Library, task: meta.Task, params: Params, row: dict[str, Any]) -> None:
    x, fb = row["x"], row["fb"]
    seen = meta.Seen((x[0], x[1], x[2]), (row["ctx"] or {}).get("actionType"))
    outcome = meta.Outcome(
        observed=row["observedCrit"],
        ignited=row["ignited"],
        deep=row["ignited"] if row["deep"] is None else row["deep"],
        passed=fb.get("verifierPassed"),
        missed=fb.get("missHappened"),
    )
    meta.learn(library, task, seen, outcome, params, REFERENCE)


def _meta_state(library: meta.Library, task: meta.Task) -> dict[str, Any]:
    return {
        "mu": library.mu,
        "deepEwma": task.deep_ewma,
        "z": {
            "activeProto": task.active,
            "recentSurprise": task.recent_surprise,
            "steps": task.steps,
            "ignitions": task.ignitions,
            "pollution": task.pollution,
            "residualEwma": task.residual_ewma,
            "verifyFailEwma": task.verify_fail_ewma,
            "safeWindow": task.safe_window,
            "riskBudget": task.risk_budget,
        },
        "protos": [_proto_state(each) for each in library.protos],
    }


def _proto_state(proto: prototypes.Prototype) -> dict[str, Any]:
    return {
        "f": proto.centroid,
        "w": proto.readout,
        "n": proto.n,
        "conf": proto.confidence,
        "predErr": proto.error,
    }


# Clusters, skills, vectors.


def _replay_clusters(file: Path, tally: Tally) -> None:
    index = ClusterIndex()
    for i, row in enumerate(read_lines(file)):
        match row["op"]:
            case "reset":
                index = ClusterIndex()
            case "addStep":
                out = index.add(_node(row))
                tally.check(f"{i}", row["out"], _evidence_out(out), 0.0)
            case "updateNode":
                node = index.place(row["id"])
                assert node is not None
                node.estimate = row["u"].get("critEst", node.estimate)
                node.ignited = row["u"].get("ignited", node.ignited)
            case "observe":
                node = index.place(row["id"])
                assert node is not None
                node.verified_critical = node.verified_critical or row["verifiedCritical"]
            case "dump":
                tally.check(f"{i}", row["out"], index.dump(), 0.0)


def _node(row: dict[str, Any]) -> Node:
    ev = row["ev"]
    return Node(
        id=row["id"],
        hint=ev["critHint"],
        estimate=ev.get("critEst", ev["critHint"]),
        prior=ev.get("actionPrior", 0.0),
        ignited=ev.get("ignited", False),
        files=names(ev.get("files")),
        symbols=names(ev.get("symbols")),
        tests=names(ev.get("failingTests")),
        covered=names(ev.get("coveredFiles")),
        plan=ev.get("planNode") or "",
    )


def _evidence_out(evidence: Evidence) -> dict[str, Any]:
    return {
        "clusterId": evidence.cluster_id,
        "size": evidence.size,
        "coupling": evidence.coupling,
        "peerMaxCrit": evidence.peer_max_crit,
        "peerMaxStakes": evidence.peer_max_stakes,
        "peerIgnited": evidence.peer_ignited,
        "peerVerifiedCritical": evidence.peer_verified_critical,
        "edgeReasons": list(evidence.edge_reasons),
    }


def _replay_skills(file: Path, tally: Tally) -> None:
    rows = read_lines(file)
    memory = skills.SkillMemory(REFERENCE, limit=rows[0]["opts"].get("maxRecords", 5000))
    clock = 1000
    for i, row in enumerate(rows[1:], start=1):
        if row["op"] == "query":
            tally.check(f"{i}", row["out"], _finding_out(memory.look_up(_meaning(row["q"]))), _EXACT)
            continue
        clock += 1
        raw = row["rec"]
        report = {"patch_summary": raw.get("patchSummary"), "outcome": raw.get("outcome")}
        verdict = insecure_verdict(raw.get("verification"))
        memory.write(skills.make_record(_meaning(raw), report, verdict, clock, REFERENCE))
        tally.check(f"{i}.size", row["size"], len(memory.records), 0.0)
        tally.check(f"{i}.kept", row["kept"], [each.patch for each in memory.records], 0.0)


def _meaning(raw: dict[str, Any]) -> skills.Meaning:
    return skills.Meaning(
        repo=raw.get("repo") or "",
        branch=raw.get("branch") or "",
        lang=raw.get("lang") or "",
        file_type=raw.get("fileType") or "",
        action=raw.get("actionType") or "",
        error=raw.get("errorSignature") or "",
        stack=tuple(raw.get("stackFeatures") or ()),
    )


def _finding_out(finding: skills.Finding) -> dict[str, Any]:
    signal = finding.signal
    reference = None
    if finding.reference is not None:
        reference = {key: value for key, value in finding.reference.items() if key not in _PROSE}
    return {
        "novelty": signal.novelty,
        "priorSuccess": signal.prior_success,
        "support": finding.support,
        "verifiedSupport": signal.verified_support,
        "repoMatch": signal.repo_match,
        "priorFix": finding.fix,
        "referenceCase": reference,
        "bestSim": signal.best_sim,
        "neighbors": list(finding.neighbours),
    }


def _replay_vectors(file: Path, tally: Tally) -> None:
    for i, row in enumerate(read_lines(file)):
        at = f"{i}.{row['fn']}"
        match row["fn"]:
            case "mulberry32":
                draw = compute_synth.mulberry32(row["seed"])
                tally.check(at, row["out"], [draw() for _ in row["out"]], 0.0)
            case "localEmbed":
                dense = [0.0] * 64
                for slot, value in text.embed_reference(row["in"]):
                    dense[slot] = value
                tally.check(at, row["out"], dense, _EXACT)
            case "attest":
                tally.check(at + ".payload", row["payload"], attest.signed_text(row["in"]), 0.0)
                tally.check(at + ".sig", row["sig"], attest.sign(row["in"], row["secret"]), 0.0)
            case "pairedT":
                tally.check(at, row["out"], paired_t(row["a"], row["b"]), 0.0)
            case "erf":
                tally.check(at, row["out"], erf(row["in"]), _EXACT)
            case "round4":
                tally.check(at, row["out"], exact.rounded(row["in"]), 0.0)
            case "sanitize":
                tally.check(at, *_sanitized(row), 0.0)
            case "parsePatch":
                files, symbols = compute_synth.parse_patch(row["in"])
                found = {"files": files, "symbols": symbols}
                tally.check(at, {"files": row["files"], "symbols": row["symbols"]}, found, 0.0)


def _sanitized(row: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    about = skills.Meaning(action="edit_file", error=row["in"])
    record = skills.make_record(about, {"patch_summary": row["in"]}, insecure_verdict(None), 0, REFERENCE)
    expected = {key: row[key] for key in ("errorSignature", "patchSummary", "injectionFlag")}
    found = {
        "errorSignature": record.meaning.error,
        "patchSummary": record.patch,
        "injectionFlag": record.flagged,
    }
    return expected, found


# The semi-synthetic evaluation.


def _replay_eval_quick(file: Path, tally: Tally) -> None:
    _replay_eval(file, tally, seeds=2)


def _replay_eval(file: Path, tally: Tally, seeds: int | None = None) -> None:
    names_beside = ("eval_synth_instances.jsonl", "eval_synth_instances.jsonl.zst")
    beside = next((each for name in names_beside if (each := file.with_name(name)).exists()), None)
    if beside is None:
        tally.check("instances", "eval_synth_instances.jsonl beside it", "absent", 0.0)
        return
    repos = compute_synth.repositories(read_lines(beside))
    rows = read_lines(file)
    runs: dict[float, list[dict[str, Any]]] = {}
    for row in rows:
        if row["kind"] == "seed" and (seeds is None or row["s"] < seeds):
            first = "firstSession" in row
            found = compute_synth.reference_run(repos, row["s"], row["noise"], with_first=first)
            runs.setdefault(row["noise"], []).append(found)
            expected = {key: value for key, value in row.items() if key != "kind"}
            tally.check(f"{row['noise']}/{row['s']}", expected, found, _EXACT)
    for row in rows:
        if row["kind"] == "summary" and seeds is None:
            found = compute_synth.reference_summary(row["noise"], runs[row["noise"]])
            tally.check(f"{row['noise']}/summary", row, {"kind": "summary", **found}, 0.0)


def _same(expected: Any, found: Any, tolerance: float) -> bool:
    if isinstance(expected, bool) or isinstance(found, bool) or expected is None or found is None:
        return expected is found
    if isinstance(expected, (int, float)) and isinstance(found, (int, float)):
        if expected == found:
            return True
        return abs(expected - found) <= tolerance * max(1e-3, abs(expected), abs(found))
    return bool(expected == found)
