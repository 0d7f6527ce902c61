"""Which rules are in force: those of the reference program, or ours.

Each switch is one improvement of spec 04, section 3. All off is compat="reference", which
replays the recordings number by number; all on is the default. Experiments may turn off one
at a time to see what it is worth.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """One switch for each improvement, named by its letter in spec 04, section 3."""

    lasting_trust: bool
    """a. Trust is checked with the key after a reload too; a plain claim is never trusted."""
    bound_tokens: bool
    """b. Only exit code 0 counts; a token binds session, step, repository, branch, patch and command."""
    firm_limits: bool
    """c. Clients cannot loosen safety limits; a forced check that never came raises the next bid."""
    no_self_reports: bool
    """d. What a client says of itself is never a passed check."""
    open_steps: bool
    """e. Reports are matched by step id; missing hints keep their value."""
    branches: bool
    """f. Another branch is another place; untrusted and stale records are dropped first."""
    signed_hashing: bool
    """g. Any script, a sign independent of the slot, query and record redacted alike."""
    real_links: bool
    """h. No novelty without meaning; coupling counts real links; hubs glue nothing."""
    steady_prototypes: bool
    """i. Far-away cheap steps drag nothing; mu follows regret both ways."""
    calibrated: bool
    """j. The risk is a learned probability with a bound, checked against outcomes."""


REFERENCE = Rules(*([False] * 10))
DEFAULT = Rules(*([True] * 10))

COMPAT: dict[str, Rules] = {"reference": REFERENCE, "default": DEFAULT}
"""The two named rule sets; `compat` in `open_session` and on the command line picks one."""
