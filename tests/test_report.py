"""The report: every figure is a cell of the tables or follows from them; the page stands alone; it says what went otherwise."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from trials_cases import a_protocol

from agent.params import Params
from trials.comparison import by_seed, compare_all, estimate
from trials.metrics_body import CRITICAL
from trials.report import write_report
from trials.report_trial import read_course, timeline
from trials.store import results, rows_of, sealed_ids
from trials.store_batch import BatchError, Folder, begin, make_plan
from trials.supervisor import Terms, run_batch

Cli = Callable[..., Any]
LACKING = [name for name in ("scipy", "statsmodels") if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(LACKING), reason="statistics need the extra `report`")


class Page(HTMLParser):
    """Cells with exact values, and everything that a browser would fetch or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.cells: list[dict[str, str]] = []
        self.fetched: list[str] = []
        self.tags: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        self.tags.append(tag)
        if tag not in ("meta", "link", "br", "hr"):
            self.open.append(tag)
        if "data-v" in given:
            self.cells.append(given)
        self.fetched += [given[key] for key in ("src", "href", "srcset", "xlink:href", "action") if key in given]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def a_batch(folder: Path, *, seeds: str = "[1, 2, 3]", extra: str = "", duration: str = "30m") -> Path:
    path = a_protocol(folder, seeds=seeds, duration=duration)
    text = path.read_text(encoding="utf-8")
    head, arms = text.split("[arms.plain]")
    metrics = 'metrics = ["needs_ok", "skill_success", "near_tie_share", "need_lowest_energy"]\n'
    path.write_text(head + metrics + extra + "[arms.plain]" + arms, encoding="utf-8")
    plan = make_plan(path)
    batch = Folder(folder / "batch")
    begin(batch, plan)
    run_batch(plan, batch, Terms(jobs=1))
    results(batch)
    return batch.root


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return a_batch(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def page(batch: Path) -> Page:
    write_report(batch, batch / "report.html")
    return Page((batch / "report.html").read_text(encoding="utf-8"))


def test_each_value_of_each_trial_is_the_table_s_to_the_last_digit(batch: Path, page: Page) -> None:
    told = {(cell["data-trial"], cell["data-metric"]): cell["data-v"] for cell in page.cells if "data-trial" in cell}
    with (batch / "trials.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert len(rows) == 6
    assert len(told) == 6 * 4
    assert all(row[metric] == value for row in rows for (trial, metric), value in told.items() if row["trial"] == trial)


def test_each_value_is_the_parquet_s_to_the_last_digit(batch: Path, page: Page) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = parquet.read_table(batch / "results.parquet").to_pylist()
    stored = {(row["trial"], row["metric"]): row["value"] for row in rows}

    for cell in page.cells:
        if "data-trial" in cell:
            assert float(cell["data-v"]) == stored[cell["data-trial"], cell["data-metric"]]


def test_estimates_and_differences_follow_from_the_tables(batch: Path, page: Page) -> None:
    folder = Folder(batch)
    rows = list(rows_of(folder, sealed_ids(folder)))
    names = ["needs_ok", "skill_success", "near_tie_share", "need_lowest_energy"]
    means = {(cell["data-metric"], cell["data-arm"]): cell["data-v"] for cell in page.cells if "data-arm" in cell}
    gaps = {cell["data-metric"]: cell["data-v"] for cell in page.cells if "data-second" in cell}

    for name in names:
        for arm, seeds in by_seed(rows, name).items():
            assert float(means[name, arm]) == estimate(list(seeds.values())).mean
    assert {each.metric: each.difference for each in compare_all(rows, names, "plain", "other")} == {
        name: float(value) for name, value in gaps.items()
    }


def test_the_page_stands_alone(page: Page) -> None:
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert all(each.startswith("#") or each == "data:," for each in page.fetched)
    assert page.open == []


def test_the_style_fetches_nothing(batch: Path, page: Page) -> None:
    text = (batch / "report.html").read_text(encoding="utf-8")

    assert page.cells
    assert "url(" not in text
    assert "@import" not in text
    assert not re.findall(r"https?://", text)


def test_what_a_protocol_says_is_text_and_never_markup(tmp_path: Path) -> None:
    root = a_batch(tmp_path, seeds="[1]", extra='analysis = "<script>alert(1)</script> & \\"more\\""\n')

    write_report(root, root / "report.html")
    text = (root / "report.html").read_text(encoding="utf-8")

    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;" in text


def test_what_is_excluded_missing_or_overridden_is_said(tmp_path: Path) -> None:
    path = a_protocol(tmp_path, seeds="[1, 2]")
    text = path.read_text(encoding="utf-8").replace("[arms.plain]", 'exclusion = ["exploratory"]\n[arms.plain]', 1)
    path.write_text(text, encoding="utf-8")
    batch = Folder(tmp_path / "batch")
    plan = make_plan(path, seeds=[1, 9], arms=["plain"])
    begin(batch, plan)
    run_batch(plan, batch, Terms(jobs=1))

    told = write_report(batch.root, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")

    assert (told["trials"], told["excluded"]) == (2, 1)
    assert "Seeds that are not declared: 9." in page
    assert "3 declared trials are waiting" in page
    assert "exploratory: 1 trials" in page


def test_a_closer_look_shows_the_trial_that_was_asked_for(batch: Path, tmp_path: Path) -> None:
    wanted = sealed_ids(Folder(batch))[-1]

    told = write_report(batch, tmp_path / "r.html", trial=wanted)
    text = (tmp_path / "r.html").read_text(encoding="utf-8")

    assert told["trial"] == wanted
    assert f"oneroom verify {Folder(batch).sealed(wanted)}" in text
    assert text.count('class="strip"') == 1
    with pytest.raises(BatchError, match="nosuch"):
        write_report(batch, tmp_path / "r.html", trial="nosuch")


@pytest.mark.usefixtures("page")
def test_the_edge_of_the_critical_band_is_the_mind_s_own(batch: Path) -> None:
    assert Params().critical == CRITICAL
    assert f"critical below {CRITICAL}" in (batch / "report.html").read_text(encoding="utf-8")


def test_the_same_batch_gives_the_same_page(batch: Path, tmp_path: Path) -> None:
    for name in ("a.html", "b.html"):
        write_report(batch, tmp_path / name)

    first, second = ((tmp_path / name).read_text(encoding="utf-8").replace(name, "") for name in ("a.html", "b.html"))
    assert first == second


def test_the_command_writes_the_page_and_refuses_what_is_no_batch(cli: Cli, batch: Path, tmp_path: Path) -> None:
    ran = cli("report", batch, "--out", tmp_path / "r.html", "--json")

    assert ran.code == 0
    assert ran.json["arms"] == ["plain", "other"]
    assert (tmp_path / "r.html").stat().st_size == ran.json["bytes"]
    assert cli("report", tmp_path).code == 2


def test_a_comparison_is_of_the_declared_metrics_as_the_report_s_and_of_all_when_asked(cli: Cli, batch: Path, page: Page) -> None:
    declared = cli("trials", "compare", batch, "--json").json["comparisons"]
    every = cli("trials", "compare", batch, "--every", "--json").json["comparisons"]
    told = {cell["data-metric"]: cell["data-v"] for cell in page.cells if "data-second" in cell}

    assert {each["metric"]: str(each["difference"]) for each in declared} == told
    assert len(every) > 2 * len(declared) == 8
    assert "--every" in cli("trials", "compare", batch).out


def printed(text: str, section: str) -> list[list[str]]:
    """The commands that a section of the page shows, as words."""
    inside = text.partition(f'<section id="{section}">')[2].partition("</section>")[0]
    blocks = re.findall(r"<pre><code>(.*?)</code></pre>", inside, re.DOTALL)
    return [shlex.split(unescape(line)) for block in blocks for line in block.split("\n")]


def test_the_printed_commands_make_the_same_page_again_elsewhere(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = []
    commands = [["oneroom", *words] for words in (("trials", "run", "own.toml", "--seeds", "1:2", "--arm", "other", "--out", "a b"),
                                                  ("report", "a b", "--out", "r.html"))]  # fmt: skip
    for place in ("here", "there"):
        (tmp_path / place).mkdir()
        a_protocol(tmp_path / place, seeds="[1, 2, 3]").rename(tmp_path / place / "own.toml")
        monkeypatch.chdir(tmp_path / place)
        for words in commands:
            assert cli(*words[1:]).code == 0, words
        pages.append(Path("r.html").read_text(encoding="utf-8"))
        commands = printed(pages[0], "repeat")

    assert [words[1] for words in commands] == ["trials", "report"]
    assert pages[0] == pages[1]
    for words in printed(pages[1], "trial"):
        assert cli(*words[1:], *(["--text"] if words[1] == "replay" else [])).code == 0, words


def test_a_long_course_is_drawn_whole_and_in_few_parts(batch: Path) -> None:
    with_one = next(Folder(batch).root.rglob("*.jsonl.zst"))
    course = read_course(with_one)
    course.end_tick = 100_000
    course.spans = [("read", at * 50, at * 50 + 40) for at in range(2000)]
    course.decisions = [(at * 50, "clear") for at in range(2000)]
    course.needs = [(at * 50, {"energy": 400 if at == 1234 else 900}) for at in range(2000)]

    drawn = timeline(course)

    assert ", 2000 times</title>" in drawn
    assert 800 < drawn.count("<line") < 1900
    lane = re.findall(r'points="([^"]*)"', drawn)[0].split()
    assert len(lane) < 3500
    assert min(float(point.split(",")[1]) for point in lane) < max(float(point.split(",")[1]) for point in lane)


def test_seeds_that_lie_far_apart_are_listed_one_by_one(tmp_path: Path) -> None:
    root = a_batch(tmp_path, seeds="{ master = 7, n = 2 }", duration="1m")

    write_report(root, tmp_path / "r.html")
    words = printed((tmp_path / "r.html").read_text(encoding="utf-8"), "repeat")[0]

    listed = words[words.index("--seeds") + 1].split(",")
    assert len(listed) == 2
    assert all(len(seed) > 9 for seed in listed)


@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no browser here")
def test_a_browser_opens_it_without_a_request_or_an_error(batch: Path, tmp_path: Path) -> None:
    write_report(batch, tmp_path / "r.html")
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--enable-logging=stderr")  # fmt: skip
    ran = subprocess.run(
        ["chromium", *flags, f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={tmp_path / 'net.json'}",
         f"--print-to-pdf={tmp_path / 'r.pdf'}", (tmp_path / "r.html").as_uri()],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip

    assert (tmp_path / "r.pdf").stat().st_size > 20_000
    assert "CONSOLE" not in ran.stderr
    net = json.loads((tmp_path / "net.json").read_text(encoding="utf-8"))
    asked = [event["params"]["url"] for event in net["events"] if str(event.get("params", {}).get("url", "")).startswith("http")]
    ours = [url for url in asked if not re.match(r"https?://[^/]*(google|gstatic|chromium)", url)]
    assert ours == []
