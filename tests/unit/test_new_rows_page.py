"""The short table of held-out quality: whom it compares, on which tables, and what it says."""

import pytest

from benchmarks.new_rows import models, page
from benchmarks.new_rows.summary import RATIOS, Results

TABLES = [f"table{number}" for number in range(page.FEWEST_TABLES)]


def result(table, method, ratio, status="fitted", leaves=2, calibration=0.1):
    row = {"table": table, "method": method, "status": status, "c": 0.5, "leaves": leaves}
    row["calibration"] = calibration
    return {name: str(value) for name, value in (row | dict.fromkeys(RATIOS, ratio)).items()}


def rows(ahead=0.0):
    """The ratio of ctree is 0.2 everywhere, that of Cox may be higher, all others have 0.1."""
    ratios = {"ctree": 0.2, "cox": 0.2 + ahead}
    return [result(t, method, ratios.get(method, 0.1)) for t in TABLES for method in page.NAMES]


def test_every_method_has_a_name():
    assert set(models.METHODS) <= set(page.NAMES)


def test_the_best_method_comes_first_and_the_table_says_who_is_ahead_of_us():
    text = page.readme_table(rows(ahead=0.05))
    _, everything = text.split(f"All: {len(TABLES)} tables.")
    first = next(line for line in everything.splitlines() if "0.250" in line)
    n = len(TABLES)
    assert first.startswith(f"| Cox with a ridge penalty | 0.250 (0.000) | {n} of {n} | 0.250 (tab")
    assert "Ahead of our default trees on average: ctree (partykit) by 0.100 (s.e. 0.000" in text
    assert f"Cox with a ridge penalty by 0.150 (s.e. 0.000; ahead on {n} of {n} tables)." in text


def test_nobody_ahead_is_said_too():
    trees = Results([result(t, "ours", 0.3) for t in TABLES] + rows()[:2])
    assert page.ahead_line(trees) == "No method is ahead of our default trees on average."


def test_where_our_trees_are_behind_is_said():
    ours = [result(t, "ours", 0.3, calibration=0.2) for t in TABLES[:-1]]
    ours.append(result(TABLES[-1], "ours", -0.25, calibration=0.2))
    large = [result(t, "ctree", 0.4, leaves=9) for t in TABLES[:4]]
    small = [result(t, "ctree", 0.4, leaves=8) for t in TABLES[4:]]
    assert page.behind_line(Results([*ours, *large, *small])) == (
        "Not in our favour: on the 4 tables where ctree has more than 8 leaves, which ours may not "
        "have by default, our mean IBS ratio is 0.75 of ctree's; the survival probabilities of "
        "ctree are better calibrated at the median event time (mean error 0.100, ours 0.200); up "
        "to the last time our worst table is -0.250 (table19)."
    )
    better = [result(t, "ours", 0.5) for t in TABLES]
    assert page.behind_line(Results([*better, *large, *small])) == ""


def test_methods_are_compared_on_the_tables_that_all_of_them_finished():
    more = [*rows(), result("new", "ctree", 0.9), result("new", "ours", "", "over 300 s")]
    text = page.readme_table(more)
    assert "0.9" not in text
    n = len(TABLES) + 1
    told = f"Not in this table: 1 of {n} tables, which not all of these finished (new).\n"
    assert text.endswith(told)


def test_a_method_that_finished_few_tables_is_left_out_and_named():
    kept = [row for row in rows() if row["method"] != "surtree" or row["table"] == TABLES[0]]
    text = page.readme_table(kept)
    assert f"All: {len(TABLES)} tables." in text
    assert text.endswith("Not in this table: SurTree (STreeD), depth 3 (1 finished).\n")


def test_a_method_that_was_not_run_is_not_said_to_have_failed():
    kept = [row for row in rows() if row["method"] not in ("ours_cv", "surtree")]
    text = page.readme_table([*kept, result(TABLES[0], "surtree", "", "over 300 s")])
    left = "survtree, size by cross-validation (not run); SurTree (STreeD), depth 3 (0 finished)"
    assert text.endswith(f"Not in this table: {left}.\n")


@pytest.mark.parametrize("missing", ["ours", "ctree"])
def test_no_means_are_printed_of_an_unfinished_benchmark(missing):
    kept = [row for row in rows() if row["method"] != missing]
    assert page.readme_table(kept).startswith("The benchmark is not finished:")
    few = [row for row in rows() if row["table"] != TABLES[0]]
    n = len(TABLES) - 1
    assert page.readme_table(few) == (
        f"The benchmark is not finished: {n} tables can be compared so far.\n"
    )
