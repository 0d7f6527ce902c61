"""S3: the pattern monitor. Completed deeds join clusters of their like; what repeats is put forward for the next dream.

Similarity is .5 cosine of scenes + .3 Jaccard of actions + .2 cosine of outcomes. Clusters are kept in sum, so that an
experience costs O(clusters) and a count outlives any window of recent ones.
"""

from __future__ import annotations

from agent import scene
from agent.inner import Cluster, Nomination
from agent.mind import Mind

LATENCY_MS = 0
PATTERNS_MAX = 12
NOMINATIONS_MAX = 200
JACCARD_LEAST = 167  # below it not even equal scenes and outcomes reach theta_join


def monitor(mind: Mind, pattern: str, vector: bytes, actions: list[str], outcome: list[int], told: bool) -> None:
    """Take one completed deed in; *told* says that S1 has just noticed its pattern."""
    if not mind.settings.get("s3", True):
        return
    cluster = _join(mind, vector, actions, outcome)
    _count(cluster, pattern)
    cluster.last_tick = mind.tick
    mind.inner.chain("S3", cluster.id, cluster.count, pattern)
    if told:
        nominate(mind, cluster, pattern, "S1")
    if cluster.count >= cluster.nominated + mind.params.theta_count:
        cluster.nominated = cluster.count
        # A cluster speaks for what is commonest in it; a rarer pattern within needs S1's word.
        commonest = min(cluster.patterns, key=lambda name: (-cluster.patterns[name], name))
        if all(one.pattern != commonest for one in mind.inner.library.values()):
            nominate(mind, cluster, commonest, "S3")


def nominate(mind: Mind, cluster: Cluster, pattern: str, by: str) -> None:
    """Put *pattern* forward for the next dream."""
    inner = mind.inner
    if pattern in inner.nominations:
        return
    if len(inner.nominations) >= NOMINATIONS_MAX:
        del inner.nominations[next(iter(inner.nominations))]
    inner.nominations[pattern] = Nomination(pattern, cluster.id, by, mind.tick)
    inner.chain("nominated", pattern)
    mind.note("pattern", cluster.id, by=by, event="nominated", pattern=pattern, count=cluster.count, latency_ms=LATENCY_MS)


def similarity(cluster: Cluster, vector: list[int], actions: list[str], outcome: list[int]) -> int:
    """Return the similarity of a deed to *cluster* in thousandths; 0 where the actions alone rule it out."""
    shared = len(set(actions).intersection(cluster.actions))
    either = len(actions) + len(cluster.actions) - shared
    jaccard = 1000 * shared // either if either else 1000
    if jaccard < JACCARD_LEAST:
        return 0
    return (5 * scene.cosine(cluster.scene, vector) + 3 * jaccard + 2 * scene.cosine(cluster.outcome, outcome)) // 10


def _join(mind: Mind, vector: bytes, actions: list[str], outcome: list[int]) -> Cluster:
    """Return the most similar cluster, now with this deed in it; a new one where none is similar enough."""
    inner = mind.inner
    values = scene.unpack(vector)
    best, likeness = None, mind.params.theta_join - 1
    wanted = set(actions)
    for one in inner.clusters.values():
        if wanted.isdisjoint(one.actions):
            continue
        found = similarity(one, values, actions, outcome)
        if found > likeness:
            best, likeness = one, found
    if best is None:
        if len(inner.clusters) >= mind.params.clusters_max:
            del inner.clusters[min(inner.clusters, key=lambda name: (inner.clusters[name].count, inner.clusters[name].last_tick))]
        best = Cluster(inner.mint("pat"), values, list(actions), list(outcome))
        inner.clusters[best.id] = best
        return best
    best.scene = [a + b for a, b in zip(best.scene, values, strict=True)]
    best.outcome = [a + b for a, b in zip(best.outcome, outcome, strict=True)]
    best.count += 1
    return best


def _count(cluster: Cluster, pattern: str) -> None:
    patterns = cluster.patterns
    if pattern not in patterns and len(patterns) >= PATTERNS_MAX:
        del patterns[min(patterns, key=lambda name: (patterns[name], name))]
    patterns[pattern] = patterns.get(pattern, 0) + 1
