"""The example of a metric in docs/trials.md works as it stands."""

from __future__ import annotations

import re
from pathlib import Path

from tests.trials_cases import a_header, a_row
from trials.metrics_form import Metric, Registry

DOCS = Path(__file__).parent.parent / "docs" / "trials.md"


def test_the_documented_example_counts_what_it_says() -> None:
    text = DOCS.read_text(encoding="utf-8")
    block = re.search(r"## Metrics of your own\n\n```python\n(.*?)```", text, re.DOTALL)
    assert block is not None
    code = "\n".join(line for line in block[1].splitlines() if not line.startswith("from trials"))
    registry = Registry()

    exec(code, {"METRICS": registry, "Metric": Metric})

    heard = a_row(1, "percept", "per-1", sense="sound")
    seen = a_row(2, "percept", "per-2", sense="sight")
    assert registry.measure(a_header(), [heard, seen]) == {"sounds_heard": 1}
