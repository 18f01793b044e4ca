"""What the result file says, as plain tables: for the part of the tables on which defaults may be
chosen, for the part on which they are judged, and for all.

A method's score on a table is the mean over its folds; means, medians and standard errors are over
tables. A method is compared with others on the tables on which both finished all folds.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.new_rows.scoring import QUANTILES
from benchmarks.new_rows.tables import part_of

Row = Mapping[str, str]
RATIOS = tuple(f"ratio{quantile}" for quantile in QUANTILES)
HALVES = ("chosen on", "judged", "all")
OURS = "ours"
AGAINST = ("ctree", "forest")
# A tree of one leaf has missed something where another tree gains this much in most folds.
WORTH_A_SPLIT = 0.02
LEGEND = f"""IBS ratio: 1 - IBS / IBS of the training rows' Kaplan-Meier curve, on held-out rows.
s.e.: standard error over tables. rank: mean over the tables that all finished, 1 is best; - for a
method that finished less than half of the tables.
won:lost: tables with a higher and a lower ratio than ctree. - ctree, - forest: mean difference.
missed: tables with a lone leaf in most folds where another tree has a ratio above
{WORTH_A_SPLIT} in most folds. failed: tables on which a fold failed; no mean counts them."""


class Results:
    """Folds by method and table; those of methods that failed on the table are left out."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.folds: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        self.failed: dict[str, dict[str, str]] = defaultdict(dict)
        for row in rows:
            if row["status"] == "fitted":
                self.folds[row["method"]][row["table"]].append(row)
            else:
                self.failed[row["method"]][row["table"]] = row["status"]
        for method, tables in self.failed.items():
            for table in tables:
                self.folds[method].pop(table, None)

    def part(self, which: str) -> "Results":
        """Only the tables of one part."""
        return self.only(lambda table: which in ("all", part_of(table)))

    def only(self, is_kept: Callable[[str], bool]) -> "Results":
        """Only some tables."""
        kept = Results([])
        for method, tables in self.folds.items():
            kept.folds[method] |= {t: folds for t, folds in tables.items() if is_kept(t)}
        for method, failed in self.failed.items():
            kept.failed[method] = {t: status for t, status in failed.items() if is_kept(t)}
        return kept

    def methods(self) -> list[str]:
        """Those that finished at least one table."""
        return [method for method, tables in self.folds.items() if tables]

    def tables(self) -> list[str]:
        """All tables on which a method finished."""
        return sorted({table for tables in self.folds.values() for table in tables}, key=str.lower)

    def values(self, method: str, table: str, score: str) -> np.ndarray:
        """One score in all folds that have it."""
        cells = [row[score] for row in self.folds[method][table]]
        return np.array([float(cell) for cell in cells if cell != ""])

    def by_table(self, method: str, score: str) -> dict[str, float]:
        """The mean over folds, of tables that have one."""
        found = {table: self.values(method, table, score) for table in self.folds[method]}
        return {table: float(values.mean()) for table, values in found.items() if len(values)}


def standard_error(values: Sequence[float]) -> float:
    """Of a mean over tables."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def mean_ranks(results: Results, score: str) -> dict[str, float]:
    """1 is best; over the tables that all methods finished, equal values sharing ranks.

    A method that finished less than half of the tables is not ranked: it would leave too few.
    """
    enough = len(results.tables()) / 2
    found = {method: results.by_table(method, score) for method in results.methods()}
    by_method = {method: values for method, values in found.items() if len(values) >= enough}
    shared = set.intersection(*map(set, by_method.values())) if by_method else set()
    values = np.array([[values[t] for t in sorted(shared)] for values in by_method.values()])
    above = (values[np.newaxis] > values[:, np.newaxis]).sum(axis=1)
    equal = (values[np.newaxis] == values[:, np.newaxis]).sum(axis=1)
    ranks = 1 + above + (equal - 1) / 2
    return dict(zip(by_method, ranks.mean(axis=1).tolist(), strict=True)) if shared else {}


def paired(results: Results, method: str, other: str, score: str) -> list[float]:
    """Differences on the tables that both finished."""
    mine, theirs = results.by_table(method, score), results.by_table(other, score)
    return [mine[table] - theirs[table] for table in mine if table in theirs]


def missed(results: Results, method: str) -> list[str]:
    """Tables with a lone leaf in most folds where another tree gains enough in most folds."""
    trees = [name for name in results.methods() if results.by_table(name, "leaves")]
    if method not in trees:
        return []
    return [
        table
        for table in results.folds[method]
        if np.median(results.values(method, table, "leaves")) == 1
        and any(
            np.median(results.values(tree, table, "ratio80")) > WORTH_A_SPLIT
            for tree in trees
            if table in results.folds[tree]
        )
    ]


def table_of(head: Sequence[str], body: Sequence[Sequence[str]]) -> list[str]:
    """Lines with columns under each other: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    lines = []
    for cells in (head, *body):
        first, *others = (
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        lines.append("  ".join([first, *others]).rstrip())
    return lines


def number(value: Any, pattern: str = "{:.4f}") -> str:
    return "-" if value is None or np.isnan(value) else pattern.format(value)


def mean(values: Iterable[float]) -> float:
    kept = [*values]
    return float(np.mean(kept)) if kept else float("nan")


def ratio_lines(results: Results, score: str) -> list[str]:
    """A line for each method, the best mean first."""
    ranks = mean_ranks(results, score)
    head = ["method", "tables", "mean", "s.e.", "median", "rank", "won:lost", "worst", "on"]
    head += [word for other in AGAINST for word in (f"- {other}", "s.e.")]
    body = []
    for method in by_mean(results, score):
        found = results.by_table(method, score)
        values, worst = [*found.values()], min(found, key=lambda table: found[table])
        against = [paired(results, method, other, score) for other in AGAINST]
        won, lost = (sum(sign * d > 0 for d in against[0]) for sign in (1, -1))
        body.append(
            [method, str(len(found))]
            + [number(mean(values)), number(standard_error(values)), number(np.median(values))]
            + [number(ranks.get(method), "{:.1f}"), f"{won}:{lost}"]
            + [number(found[worst], "{:.3f}"), worst]
            + [number(of(differences)) for differences in against for of in (mean, standard_error)]
        )
    return table_of(head, body)


def by_mean(results: Results, score: str) -> list[str]:
    """Methods, the best mean first."""
    means = {method: mean(results.by_table(method, score).values()) for method in results.methods()}
    return sorted(means, key=lambda method: -means[method])


def other_lines(results: Results) -> list[str]:
    """What does not depend on the horizon."""
    head = ["method", "tables", "mean C", "calibration", "leaves", "seconds", "missed", "failed"]
    scores = {"c": "{:.4f}", "calibration": "{:.4f}", "leaves": "{:.1f}", "seconds": "{:.2f}"}
    body = [
        [method, str(len(results.folds[method]))]
        + [number(mean(results.by_table(method, s).values()), form) for s, form in scores.items()]
        + [str(len(missed(results, method))), str(len(results.failed[method]))]
        for method in by_mean(results, RATIOS[0])
    ]
    return table_of(head, body)


def per_table_lines(results: Results, score: str) -> list[str]:
    """The score of every method on every table."""
    methods = by_mean(results, score)
    found = {method: results.by_table(method, score) for method in methods}
    body = [
        [table, part_of(table), *(number(found[m].get(table), "{:.3f}") for m in methods)]
        for table in results.tables()
    ]
    return table_of(["table", "part", *methods], body)


def exceptions(results: Results) -> list[str]:
    """What was missed and what failed, by name."""
    lone = {method: missed(results, method) for method in results.methods()}
    lines = [f"{method} missed: {', '.join(tables)}" for method, tables in lone.items() if tables]
    for method, failed in results.failed.items():
        told = ", ".join(f"{table} ({status})" for table, status in failed.items())
        lines += [f"{method} failed: {told}"] if told else []
    return lines


def summary(results: Results) -> str:
    """All of it, as text."""
    lines = [LEGEND]
    for which in HALVES:
        part = results.part(which)
        for quantile, score in zip(QUANTILES, RATIOS, strict=True):
            lines += ["", f"{which}: IBS ratio up to the {quantile} % quantile of the times"]
            lines += ratio_lines(part, score)
        lines += ["", f"{which}: other scores", *other_lines(part)]
    lines += ["", f"IBS ratio by table, {QUANTILES[0]} % quantile"]
    lines += per_table_lines(results, RATIOS[0])
    return "\n".join([*lines, "", *exceptions(results)])
