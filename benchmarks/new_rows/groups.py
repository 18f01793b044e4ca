"""How our default trees compare on groups of tables, up to each horizon.

A mean over all tables may hang on one kind of them: on tables where ctree grows large trees, or on
those that came as 0/1 columns. A quotient is that of two means over the tables that both finished.
"""

from collections.abc import Callable

from benchmarks.new_rows.scoring import QUANTILES
from benchmarks.new_rows.summary import (
    AGAINST,
    HALVES,
    OURS,
    RATIOS,
    Results,
    mean,
    number,
    paired,
    standard_error,
    table_of,
)
from benchmarks.new_rows.tables import OF_THE_PAPER

GREEDY = "greedy_teacher"
MOST_LEAVES = 8  # as many as our default trees may have


def groups(results: Results) -> dict[str, Results]:
    """The tables in parts, by what readers call them."""
    leaves = results.by_table("ctree", "leaves")
    is_in: dict[str, Callable[[str], bool]] = {
        f"ctree has at most {MOST_LEAVES} leaves": lambda t: 0 < leaves.get(t, 0) <= MOST_LEAVES,
        f"ctree has more than {MOST_LEAVES}": lambda t: leaves.get(t, 0) > MOST_LEAVES,
        "the paper's 0/1 tables": lambda table: table in OF_THE_PAPER,
        "raw tables": lambda table: table not in OF_THE_PAPER,
    }
    parts = {which: results.part(which) for which in HALVES}
    return parts | {words: results.only(is_kept) for words, is_kept in is_in.items()}


def quotient(results: Results, other: str, score: str) -> float | None:
    """Our mean divided by another one; None unless that is above 0."""
    mine, theirs = results.by_table(OURS, score), results.by_table(other, score)
    shared = [table for table in mine if table in theirs]
    below = mean(theirs[table] for table in shared)
    return mean(mine[table] for table in shared) / below if below > 0 else None


def quotient_lines(results: Results) -> list[str]:
    """A line for each group."""
    head = ["tables", "n", *(f"/ {other} {q} %" for other in AGAINST for q in QUANTILES)]
    body = [
        [words, str(len(paired(part, OURS, AGAINST[0], RATIOS[0])))]
        + [number(quotient(part, other, s), "{:.2f}") for other in AGAINST for s in RATIOS]
        for words, part in groups(results).items()
    ]
    return table_of(head, body)


def exactness_lines(results: Results) -> list[str]:
    """What the search of all trees adds to a greedy tree for the same teacher, by group."""
    head = ["tables", "n"]
    head += [word for q in QUANTILES for word in (f"{q} %", "s.e.", "won:lost")]
    body = []
    for words, part in groups(results).items():
        by_horizon = [paired(part, OURS, GREEDY, score) for score in RATIOS]
        cells = [words, str(len(by_horizon[0]))]
        for found in by_horizon:
            won, lost = (sum(sign * difference > 0 for difference in found) for sign in (1, -1))
            cells += [number(mean(found)), number(standard_error(found)), f"{won}:{lost}"]
        body.append(cells)
    return table_of(head, body)


def group_lines(results: Results) -> list[str]:
    """Both tables, with their headings."""
    return [
        "IBS ratio: our mean divided by that of ctree and of forest, by horizon",
        *quotient_lines(results),
        "",
        f"IBS ratio: {OURS} - {GREEDY}, by horizon",
        *exactness_lines(results),
    ]
