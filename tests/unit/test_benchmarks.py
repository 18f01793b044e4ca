"""Arithmetic and rules of benchmarks/, on made-up rows and programs; no program is timed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import data, household, protocol, runner, speed, suites, tables

RIVALS = Path(__file__).parents[2] / "benchmarks" / "rivals"


def speed_row(dataset="gbsg2", depth=3, regularization=0.01, **fields):
    row = dict.fromkeys(speed.FIELDS, "")
    row |= {"osst_status": "closed", "ours_status": "optimal", "verdict": "agrees"}
    row |= {"dataset": dataset, "max_depth": depth, "regularization": regularization, **fields}
    return {name: str(value) for name, value in row.items()}


class Scripted:
    """A program whose answers are known; keeps a diary of who was asked."""

    def __init__(self, name, seconds, diary, status="optimal"):
        self.name, self.seconds, self.diary, self.status = name, iter(seconds), diary, status

    def fit(self, request):
        self.diary.append(self.name)
        memory = {"rss_imports_bytes": 1, "rss_before_fit_bytes": 2, "peak_rss_bytes": 10}
        return {"status": self.status, "seconds": next(self.seconds), "objective": 0.5, **memory}


def test_summary_counts_only_cases_that_take_the_original_20_ms_to_120_s():
    rows = [
        speed_row("gbsg2", 2, osst_seconds=0.019, ratio=1000, osst_bytes=1),
        speed_row("gbsg2", 3, osst_seconds=0.02, ratio=2, osst_bytes=1),
        speed_row("sync", 3, osst_seconds=120, ratio=8, osst_bytes=1),
        speed_row("sync", 4, osst_seconds=121, ratio=1000, osst_bytes=1),
        speed_row("sync", 5, osst_status="killed", verdict="not compared"),
    ]
    text = speed.summary(rows)
    assert "2 cases: geometric mean 4.0" in text
    assert "smallest 2.0 (gbsg2, depth 3, 0.01)" in text
    assert "largest 8.0 (sync, depth 3, 0.01)" in text
    assert "by dataset: gbsg2 2.0, sync 8.0" in text
    assert "4 agrees, 1 not compared" in text


def test_memory_ratio_counts_only_cases_that_take_the_original_over_a_gigabyte():
    rows = [
        speed_row(depth=2, osst_bytes=9e8, ours_bytes=9e8, osst_seconds=1, ratio=1),
        speed_row(depth=3, osst_bytes=2e9, ours_bytes=1e9, osst_seconds=1, ratio=1),
        speed_row(depth=4, osst_bytes=8e9, ours_bytes=1e9, osst_seconds=1, ratio=1),
    ]
    assert speed.memory_lines(rows)[0].endswith("2 cases: geometric mean 4.0")
    assert "smallest 2.0 (gbsg2, depth 3" in speed.memory_lines(rows)[1]


@pytest.mark.parametrize(
    ("case", "is_hopeless"),
    [
        (suites.Case("gbsg2", 3, 0.005), True),
        (suites.Case("gbsg2", 4, 0.01), True),
        (suites.Case("gbsg2", 4, 0.05), False),
        (suites.Case("gbsg2", 2, 0.005), False),
        (suites.Case("sync", 5, 0.0001), False),
    ],
)
def test_the_original_is_spared_cases_no_easier_than_one_it_was_killed_on(case, is_hopeless):
    rows = [speed_row("gbsg2", 3, 0.01, osst_status="killed"), speed_row("sync", 2, 0.05)]
    assert speed.is_hopeless(case, rows) is is_hopeless


def test_an_answer_in_the_seconds_of_grace_counts_as_killed():
    assert speed.within(120, {"status": "closed", "seconds": 121}) == {"status": "killed"}
    assert speed.within(120, {"status": "killed"}) == {"status": "killed"}


def test_programs_take_turns_and_a_slow_rival_runs_once():
    diary = []
    programs = {"osst": Scripted("osst", [3], diary), "ours": Scripted("ours", [3, 1, 2], diary)}
    answers = runner.in_turns(programs, {"osst": {}, "ours": {}}, repeats=3)
    assert diary == ["osst", "ours", "ours", "ours"]
    assert runner.medians(answers["ours"])["seconds"] == 2
    assert runner.medians(answers["ours"])["bytes"] == 9
    assert runner.medians(answers["ours"])["fit_bytes"] == 8


def test_quick_programs_alternate_and_what_did_not_finish_is_not_repeated():
    diary = []
    quick = {"osst": Scripted("osst", [1, 1], diary), "ours": Scripted("ours", [1, 1], diary)}
    runner.in_turns(quick, {"osst": {}, "ours": {}}, repeats=2)
    assert diary == ["osst", "ours", "osst", "ours"]
    stopped = {"ours": Scripted("ours", [1], [], status="time_limit")}
    assert len(runner.in_turns(stopped, {"ours": {}}, repeats=3)["ours"]) == 1


@pytest.mark.parametrize(
    ("theirs", "ours", "expected"),
    [(0.5, 0.50002, "ours worse"), (0.5, 0.500009, "agrees"), (0.5, 0.4, "ours better")],
)
def test_verdict_allows_for_the_original_s_32_bit_floats(theirs, ours, expected):
    closed, optimal = {"status": "closed"}, {"status": "optimal"}
    answer = runner.verdict({**closed, "objective": theirs}, {**optimal, "objective": ours})
    assert answer == expected
    assert runner.verdict({"status": "killed"}, {**optimal, "objective": ours}) == "not compared"


def test_a_table_is_taken_up_where_it_was(tmp_path, capsys):
    path = tmp_path / "table.csv"
    tables.Table(path, (*tables.CASE, "seconds")).add(
        {"dataset": "sync", "max_depth": None, "regularization": 1e-05, "seconds": 0.5}
    )
    again = tables.Table(path, (*tables.CASE, "seconds"))
    assert again.has("sync", None, 1e-05)
    assert not again.has("sync", 4, 1e-05)
    assert "seconds=0.5" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="other columns"):
        tables.Table(path, tables.CASE)


@pytest.mark.parametrize("look_up", [data.locate, data.read])
def test_a_missing_data_set_says_how_to_fetch_it(look_up, tmp_path):
    with pytest.raises(SystemExit, match=r"gbsg2\.csv is missing; run 'make data DATA="):
        look_up(tmp_path, "gbsg2")


def test_household_prints_growth_and_the_rival_over_ours_on_all_rows():
    facts = {"status": "optimal", "bytes": "1e6"}
    rows = [
        {"program": "ours", "rows": "1000", "seconds": "1", **facts},
        {"program": "osst", "rows": "1000", "seconds": "50", **facts},
        {"program": "ours", "rows": "100000", "seconds": "10", **facts},
    ]
    text = household.summary(rows)
    assert "rows x 100.00: seconds x 10.00 (power 0.50)" in text
    assert "osst (1,000 rows) / ours (100,000 rows): 5.0" in text


def test_protocol_counts_what_is_proven():
    row = {"dataset": "sync", "max_depth": "2", "regularization": "0.1", "n_leaves": "1"}
    rows = [
        {**row, "status": "optimal", "seconds": "1"},
        {**row, "status": "killed", "seconds": ""},
    ]
    assert protocol.summary(rows).startswith("1 of 2 cases proven")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the servers of programs fork")
def test_a_server_survives_children_that_hang_die_or_raise(tmp_path):
    adapter = tmp_path / "adapter.py"
    adapter.write_text(
        "import os, sys, time\n"
        f"sys.path.insert(0, {str(RIVALS)!r})\n"
        "from fork_server import serve\n"
        "def fit(request, clock):\n"
        "    os.write(1, b'noise of native code')\n"
        "    with clock:\n"
        "        if request['do'] == 'hang': time.sleep(60)\n"
        "        if request['do'] == 'die': os.abort()\n"
        "        if request['do'] == 'raise': raise ValueError('no')\n"
        "        block = bytearray(request.get('n_bytes', 0)); block[::4096] = block[::4096]\n"
        "    return {'status': 'optimal', 'pid': os.getpid()}\n"
        "serve(fit, (), grace_s=0.0)\n"
    )
    asked = [{"do": "hang", "limit_s": 0.1}, {"do": "die"}, {"do": "raise"}, {"do": "fit"}]
    asked.append({"do": "fit", "n_bytes": 64_000_000})
    lines = "".join(json.dumps(request) + "\n" for request in asked)
    done = subprocess.run(
        [sys.executable, str(adapter)], input=lines, capture_output=True, text=True, check=True
    )
    hello, hung, died, raised, small, large = map(json.loads, done.stdout.splitlines())
    assert hello["versions"] == {}
    assert hung == {"status": "killed"}
    assert died["status"] == raised["status"] == "crashed"
    assert raised["error"] == "ValueError: no"
    assert small["status"] == large["status"] == "optimal"
    assert small["pid"] != large["pid"]
    assert large["peak_rss_bytes"] - large["rss_before_fit_bytes"] >= 60_000_000
