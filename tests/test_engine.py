"""The number of the engine rises whenever a run computes something else: else `verify` would call an honest old log forged.

Five short lives are kept as digests of their records. Where one differs and it is meant: raise ENGINE in `sim/declare.py`, then
`python tests/test_engine.py` writes the new digests; it refuses to write other digests under the number they had.
"""

from __future__ import annotations

import json
import sys
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

import pytest

from logs.reader import open_log
from sim.codec import canonical
from sim.declare import ENGINE, declare
from sim.simulation import Simulation

KEPT = Path(__file__).parent / "data" / "engine.json"
LIVES: dict[str, tuple[str, int, dict[str, Any], int]] = {
    "first_visit": ("first_visit", 7, {"model.provider": "none"}, 1),
    "near_tie": ("near_tie", 101, {}, 1),
    "refusals": ("refusals", 3, {"model.provider": "none"}, 1),
    "emergence": ("emergence", 5, {}, 20),
    "week": ("week", 2, {"persona": "kai"}, 40),
}
"""Protocol, seed, overrides, and how many hours of it are lived."""


def digest_of(name: str) -> str:
    """Return the digest of all records of the life *name*, without the header, in which the number itself stands."""
    reference, seed, overrides, hours = LIVES[name]
    made = blake2b(digest_size=16)
    with TemporaryDirectory() as folder:
        life = Simulation(declare(reference, seed=seed, overrides=overrides), out=Path(folder) / "life")
        life.reset()
        life.advance(hours=hours)
        with open_log(Path(life.close()["log"])) as reader:
            for row in reader.records():
                if row["kind"] == "end":
                    # The head covers the header: a protocol that lists more seeds computes nothing else.
                    row = {**row, "data": {**row["data"], "log": {**row["data"]["log"], "head": ""}}}
                made.update(canonical(row))
    return made.hexdigest()


@pytest.mark.parametrize("name", LIVES)
def test_what_a_run_computes_changes_only_with_the_number_of_the_engine(name: str) -> None:
    kept = json.loads(KEPT.read_text(encoding="utf-8"))

    assert kept["engine"] == ENGINE, "run `python tests/test_engine.py` to write the digests of this engine"
    assert digest_of(name) == kept["records"][name], (
        "a run computes something else than before: if that is meant, raise ENGINE in sim/declare.py and run `python tests/test_engine.py`"
    )


if __name__ == "__main__":
    before = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {"engine": 0, "records": {}}
    records = {name: digest_of(name) for name in LIVES}
    if records != before["records"] and before["engine"] == ENGINE:
        sys.exit(f"The records differ and ENGINE is still {ENGINE}: raise it in sim/declare.py first.")
    KEPT.write_text(json.dumps({"engine": ENGINE, "records": records}, indent=1) + "\n", encoding="utf-8")
