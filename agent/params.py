"""Every tuned number of the mind: one home, a unit, a source. The table is written into each log's header.

Scores and confidences are thousandths; times are milliseconds of simulated time.
Sources: "spec 02, n" = the page on the mind; "tuned" = set on training seeds 1-5 of the protocol `week`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

MINUTE_MS = 60_000
HOUR_MS = 3_600_000
DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Params:
    """The mind's constants. An arm may override them by name."""

    # Near ties (spec 02, 3.3): a candidate is in the group if best - score < gap_min.
    gap_min: int = 150
    router_gap: int = 75  # lead from which the router calls a near tie settled: half the width of one; chosen
    plan_tasks_max: int = 5  # spec 03, 2

    # Per mille by which every part is spread over the scale, so that a near tie is a narrow thing; tuned.
    gain: int = 1700
    # Caps of the parts of attraction, thousandths (spec 02, 3.2; sizes tuned).
    cap_relief: int = 700
    cap_goal: int = 260
    cap_obligation: int = 560
    cap_habit: int = 430
    cap_salience: int = 560
    cap_method: int = 60
    cap_feeling: int = 50
    cap_time: int = 90
    cap_risk: int = 260
    cap_switching: int = 210
    cap_failure: int = 300
    cap_satiation: int = 180

    # Need bands, thousandths (spec 01, 3.1).
    comfortable: int = 700
    low: int = 500
    hungry: int = 660  # satiety below which the body itself asks for food, beside the habits of eating; tuned
    urgent: int = 300
    critical: int = 150
    urgent_bonus: int = 120  # tuned
    critical_bonus: int = 200  # tuned

    # Commitment (spec 02, 3.5).
    hold_ms: int = 4 * MINUTE_MS  # minimum hold time of a new intention; tuned
    switching_base: int = 90  # tuned
    switching_held: int = 120  # added inside the hold time; tuned
    failures_per_method_max: int = 2  # a method that failed twice in a row is set aside (spec 02, 8.3)
    failed_method_ms: int = 2 * HOUR_MS  # for how long; tuned
    satiation_half_ms: int = 60 * MINUTE_MS  # tuned

    # Persons (spec 05, 3; spec 02, 3.1).
    answer_within_ms: int = 20_000  # a request gets a stance within this time even when busy
    postpone_ms: int = 10 * MINUTE_MS
    request_pull: int = 430  # attraction of accepting a plain request from someone neutral; tuned
    refuse_pull: int = 190  # tuned
    private_cost: int = 200  # what company adds to the risk of a private task; tuned
    offer_pull: int = 430  # what speaks for a counter-offer instead of a no; tuned
    courtesy: int = 60  # what being asked adds to every answer; tuned
    postpone_pull: int = 300  # tuned
    delay_cost: int = 160  # per earlier delay of the same matter; tuned

    # Inner voice (spec 05, 4).
    voice_lift: int = 120  # at most this much, for at most one candidate
    voice_theme_gap_ms: int = 10 * MINUTE_MS
    voice_mute_after: int = 3  # themes rejected or repeated before the theme is muted; tuned
    voice_block_after: int = 6  # and the channel asked to confirm each time; tuned

    # Learning (spec 02, 8).
    method_gain: int = 30
    method_loss: int = 120
    method_rest_ms: int = 2 * DAY_MS  # what failures took from a method comes back by half in this time without another; chosen
    trust_gain: int = 60
    trust_loss: int = 150
    mood_half_ms: int = 10 * MINUTE_MS  # a quiet hour leaves a sixty-fourth of any feeling; chosen
    experiences_for_update: int = 3

    # Intuition (spec 02, 11). theta_* are thousandths or counts; tuned on training seeds of `emergence` only where said.
    theta_sim: int = 800
    theta_conf: int = 700
    theta_complex: int = 600
    theta_freq: int = 3  # a pattern needs more independent origins than this
    theta_reward: int = 550
    theta_evidence: int = 5
    theta_verify: int = 10
    theta_min: int = 200
    theta_weak: int = 600  # a success rate below it demotes
    theta_recover: int = 700
    theta_health: int = 600  # library health below it verifies every intuition; chosen
    verify_every: int = 10
    verify_least: int = 3
    shadow_cases: int = 20
    recover_cases: int = 10
    library_max: int = 300
    weight_chars: int = 300
    weight_entities: int = 300
    weight_steps: int = 400
    # The subconscious (spec 02, 6).
    theta_join: int = 750  # S3: similarity from which an experience joins a cluster
    theta_count: int = 3  # S1 and S3: repeats before a pattern is put forward
    clusters_max: int = 400
    latent_max: int = 3000
    cues: int = 5  # S2
    theta_warm: int = 600  # S2: share of the cues that a memory must meet
    warm_max: int = 240  # S2: size of the pool; tuned at 10,000 memories
    warm_ms: int = 20 * MINUTE_MS  # S2: how long a memory stays warm; chosen
    theta_belief: int = 700  # S4: strength from which a belief objects
    theta_belief_warned: int = 550  # S4: the same while an intuition is under warning
    objection_rest_ms: int = 4 * DAY_MS  # S4: a belief's objection comes back to even by half in this time without new evidence; chosen
    observe_gap_ms: int = HOUR_MS  # S4: a leader makes room for a look once in this time; chosen
    theta_negative: int = -250  # S5, of -1000..1000
    felt_max: int = 1000  # S5: history
    reaction_ms: int = 3 * MINUTE_MS  # how long a person's reaction counts toward an answer; chosen
    # The slow loop (spec 02, 9).
    dream_after_ms: int = HOUR_MS  # asleep this long
    goal_rest_days: int = 7
    goals_per_pass: int = 3

    # Waking (spec 02, 1).
    idle_ms: int = 10 * MINUTE_MS  # how long a wait lasts at most before the mind looks again; tuned
    glance_ms: int = 20 * MINUTE_MS  # how often the mind reconsiders while a long activity goes on; tuned

    def table(self) -> dict[str, int]:
        """Return name -> value, for the log's header."""
        return asdict(self)
