"""The suite about every cut: what its parts say of made-up rows, and when its page is printed."""

import sys

import pytest

from benchmarks import pages, tables
from benchmarks.every_cut import __main__ as suite
from benchmarks.every_cut import beside_osst, memory, part, two_engines, whole_fits
from benchmarks.tables import MACHINE, Table


def text(row):
    return {name: str(value) for name, value in row.items()}


def fit_row(dataset, seconds=1.0, status="optimal", **fields):
    row = {"dataset": dataset, "rows": 1000, "columns": 5, "cuts": 4000, "status": status}
    row |= {"objective": 0.2, "lower_bound": 0.2, "n_leaves": 3}
    row |= {"seconds": seconds, "search_seconds": seconds / 2}
    return text({**row, **fields})


def engines_row(dataset, regularization, search_ratio, **fields):
    row = dict.fromkeys(two_engines.FIELDS, 1)
    row |= {f"{engine}_status": "optimal" for engine in two_engines.ENGINES}
    row |= {"dataset": dataset, "regularization": regularization, "search_ratio": search_ratio}
    return text({**row, "verdict": "agrees", "relaxed_objective": 0.75, **fields})


def answer(objective, status="optimal"):
    return {"objective": objective, "status": status}


def test_every_part_names_its_keys_among_its_columns():
    assert all(set(each.keys) <= set(each.fields) for each in suite.PARTS.values())


def test_the_page_has_the_parts_of_the_suite():
    page = next(page for page in pages.PAGES if page.file == "every_cut")
    assert page.parts == tuple(suite.PARTS)


def test_depth_two_counts_what_is_proven_and_names_what_is_not():
    stopped = fit_row("slow", 60, "time_limit", lower_bound=0.19)
    lines = whole_fits.depth2_lines([fit_row("a", 1), fit_row("b", 3), stopped])
    assert "2 of 3 tables proven" in lines[0]
    assert "median of 3 s, at most 60 s (slow); searches alone 1.5 s and at most 30 s" in lines[0]
    assert lines[1].endswith("slow (1,000 rows, 5 columns, 4,000 cuts): time_limit, gap 5.0 %")


def test_depth_four_prints_every_table():
    lines = whole_fits.depth4_lines([fit_row("larynx", 2, regularization=0.005)])
    assert "larynx, penalty 0.005 (1,000 rows, 5 columns, 4,000 cuts): optimal, 2 s" in lines[1]


def test_defaults_compare_objectives_only_where_the_teacher_is_the_same():
    same = {"is_teacher_cut": "False", "is_every_cut": "True"}
    cut = {"is_teacher_cut": "True", "is_every_cut": "True"}
    rows = [
        fit_row("a", thresholds="chosen", objective=0.2, **same),
        fit_row("a", thresholds="auto", objective=0.19, **same),
        fit_row("b", thresholds="chosen", objective=0.2, **same),
        fit_row("b", 40, thresholds="auto", objective=0.202, **same),
        fit_row("c", thresholds="chosen", objective=0.2, **cut),
        fit_row("c", thresholds="auto", objective=0.4, **{**same, "is_every_cut": "False"}),
    ]
    told = "\n".join(whole_fits.default_lines(rows))
    assert "at most 10 s of search: 1 of 3 tables (33 %)" in told
    assert "then refined" not in told  # the teacher of c was cut short once
    assert "2 tables: mean change -2.00 %, worst +1.00 % (b); 1 tables are left out" in told


def test_defaults_say_what_refining_did():
    same = {"is_teacher_cut": "False", "is_every_cut": "False"}
    rows = [
        fit_row("a", 2, thresholds="chosen", objective=0.2, **same),
        fit_row("a", 3, thresholds="auto", objective=0.18, **same),
    ]
    told = "\n".join(whole_fits.default_lines(rows))
    assert "then refined: 1 tables, objective -10.0 % on average" in told
    assert "a -10.0 % (2 s, 3 s)" in told


def test_defaults_say_something_before_both_kinds_are_there():
    rows = [fit_row("a", thresholds="chosen", is_teacher_cut="False")]
    assert len(whole_fits.default_lines(rows)) == 1


def test_depth_three_means_are_by_penalty_and_say_what_was_stopped():
    rows = [
        engines_row("whas500", 0.005, 4),
        engines_row("veteran", 0.002, 16),
        engines_row("whas500", 0.001, 27, questions_status="time_limit", verdict="not compared"),
    ]
    told = two_engines.summary(rows)
    assert "0.005 (veteran 0.002), 2 cases: geometric mean of the ratios 8," in told[4]
    assert "penalty 0.001, 1 cases: geometric mean of the ratios 27," in told[5]
    assert told[5].endswith("; 1 of them at least, as the first was stopped")
    assert "geometric mean of the ratios 12," in told[6]
    assert "(time_limit) and 1 s, ratio at least 27" in told[3]
    assert "would cost 25.00 to 25.00 % less" in told[7]


def test_objectives_must_agree_in_twelve_digits():
    assert two_engines.verdict([answer(0.5), answer(0.5 + 1e-13)]) == "agrees"
    assert two_engines.verdict([answer(0.5), answer(0.5 + 1e-11)]) == "differs"
    assert two_engines.verdict([answer(0.5), answer(0.5, "time_limit")]) == "not compared"


def test_the_penalty_of_veteran_is_its_own_and_the_small_one_is_for_all():
    assert two_engines.cases(["veteran", "pbc"]) == [
        ("veteran", 0.002),
        ("pbc", 0.005),
        ("veteran", 0.001),
        ("pbc", 0.001),
    ]


def test_ours_is_divided_by_the_original_where_that_finished():
    ours = {"seconds": 1.0, "search_seconds": 0.5}
    closed = beside_osst.row_of("GBSG2", ours, {"status": "closed", "seconds": 2.0})
    assert (closed["ratio"], closed["search_ratio"]) == (0.5, 0.25)
    killed = beside_osst.row_of("GBSG2", ours, {"status": "killed"})
    assert "ratio" not in killed
    shown = fit_row("GBSG2", max_depth=3, regularization=0.005, ratio="", osst_status="killed")
    assert "0.0015: killed; ours on every cut of GBSG2" in beside_osst.line_of(shown)


def test_memory_is_told_per_row_and_a_fit_that_died_too():
    row = dict.fromkeys(memory.FIELDS, "") | {"rows": "1000000", "columns": "10"}
    assert memory.line_of({**row, "status": "failed: MemoryError"}).endswith("failed: MemoryError")
    found = {"cuts": "9", "before_bytes": "2e8", "peak_bytes": "3e8", "bytes_per_row": "100"}
    told = memory.line_of({**row, **found, "status": "optimal"})
    assert "200 MB before the fit, 300 MB after it, 100 bytes per row above the input" in told


def test_repeats_become_medians():
    answers = [{"seconds": s, "status": "optimal"} for s in (3.0, 1.0, 2.0)]
    assert part.middle(answers) == {"seconds": 2.0, "status": "optimal", "runs": 3}
    assert part.middle([{"status": "killed"}]) == {"status": "killed", "runs": 1}


def test_parts_without_rows_print_nothing(tmp_path, monkeypatch, capsys):
    out = tmp_path / "every_cut.csv"
    monkeypatch.setattr(sys, "argv", ["every_cut", "--summary", "--out", str(out)])
    suite.main()
    assert capsys.readouterr().out == "\n"
    whole_fits.DEPTH2.table(out).add(fit_row("a"))
    capsys.readouterr()
    suite.main()
    assert capsys.readouterr().out.startswith("depth 2, penalty 0.005")


def test_only_the_original_needs_data(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["every_cut", "--parts", "osst"])
    with pytest.raises(SystemExit):
        suite.arguments_of()
    assert "--data must be the folder" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["every_cut", "--parts", "depth2"])
    assert suite.arguments_of().data is None


def test_what_is_in_the_file_is_not_run_again_unless_a_fresh_one_is_wanted(tmp_path, monkeypatch):
    asked = []
    failed = {"columns": 10, "status": "failed"}
    monkeypatch.setattr(memory, "measured", lambda n: asked.append(n) or {"rows": n, **failed})
    command = ["every_cut", "--parts", "memory", "--out", str(tmp_path / "every_cut.csv")]
    for more in (["--rows", "50"], ["--rows", "50"], ["--rows", "60"]):
        monkeypatch.setattr(sys, "argv", [*command, *more])
        suite.main()
    assert asked == [50, 60]
    monkeypatch.setattr(sys, "argv", [*command, "--rows", "50", "--fresh"])
    suite.main()
    assert asked == [50, 60, 50]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder of results that holds nothing yet."""
    folder = tmp_path / "results"
    folder.mkdir()
    monkeypatch.setattr(tables, "HERE", tmp_path)
    return folder


def test_a_page_of_parts_is_made_from_the_files_that_have_rows(results, monkeypatch):
    page = pages.Page("cut", "none", "Cuts", "make", is_summed_up=False, parts=("a", "b", "c"))
    monkeypatch.setattr(pages, "doc_of", lambda page: "what")
    monkeypatch.setattr(pages, "PAGES", (page,))
    assert pages.present_pages() == []
    assert "cut.md" not in pages.index()
    (results / "cut_b.csv").write_text(f"dataset,{','.join(MACHINE)}\n")
    assert pages.present_pages() == []
    Table(results / "cut_c.csv", ("dataset",)).add({"dataset": "lung", "cpu": "chip"})
    assert pages.present_pages() == [page]
    made = pages.text_of(page)
    assert "from [cut_c.csv](../../benchmarks/results/cut_c.csv), which" in made
    assert "## Rows of cut_c.csv" in made
    assert "| lung |" in made
    assert "cut_a" not in made
    assert "cut_b" not in made


def test_a_page_without_parts_needs_its_file(results):
    page = pages.Page("cut", "none", "Cuts", "make")
    with pytest.raises(FileNotFoundError):
        pages.rows_by_file(page)
