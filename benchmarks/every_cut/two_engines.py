"""Part depth3: the search over questions and that over cuts on the same problems, in turns."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from benchmarks.every_cut.part import EVERY_CUT, Part, Row, chosen, middle, n_cuts, origin
from benchmarks.new_rows import tables
from benchmarks.runner import Answer, columns, geometric_mean, in_turns, rounded
from benchmarks.suites import MIN_SAMPLES_LEAF
from benchmarks.tables import Table
from survtree import OptimalSurvivalTree
from survtree._base.checks import check_options
from survtree._data.read_rows import read_study
from survtree._model.prepare import prepare
from survtree._questions.coded_answers import CodedAnswers
from survtree._scoring.losses import LossByDefinition
from survtree._search.engines import CUTS, search_of, uses_cuts
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import Solution, solve

NAMES = ("whas500", "GBSG2", "veteran", "pbc", "rossi", "cancer", "retinopathy", "uis")
USUAL, SMALL, VETERAN = 0.005, 0.001, 0.002
DEPTH = 3
SLOW_S = 20.0  # beyond, the search over questions is run once
RELATIVE = 1e-12  # to which the objectives must agree
KEYS = ("dataset", "regularization")
TIMES = ("status", "search_seconds", "seconds", "runs")
WORK = ("subsets_solved", "lane_rows")
ENGINES = {"questions": (*TIMES, *WORK), "cuts": (*TIMES, *WORK), "chosen": TIMES}
FIELDS = (
    *(*KEYS, "rows", "columns", "cuts", "verdict", "search_ratio", "ratio", "objective"),
    *("n_leaves", "relaxed_objective", "chosen_engine", "cuts_pruned_by_floor"),
    *(f"{engine}_{name}" for engine, names in ENGINES.items() for name in names),
)


@dataclass(frozen=True)
class Engine:
    """A problem with the settings that say who solves it."""

    problem: Problem
    settings: SearchSettings

    def fit(self, request: Mapping[str, Any]) -> Answer:
        """Solve anew: `search_seconds` are those of the search alone."""
        start = perf_counter()
        search = search_of(self.problem, self.settings)
        solution = solve(self.problem, self.settings, search=search)
        seconds = perf_counter() - start
        return {
            "status": solution.status,
            "objective": solution.objective,
            "search_seconds": solution.seconds,
            "seconds": seconds,
            **solution.counts,
            "engine": self.name(solution),
            "n_leaves": len(solution.tree.leaves),
            "relaxed_objective": relaxed_objective(self.problem, solution),
        }

    def name(self, solution: Solution) -> str:
        if uses_cuts(self.problem, self.settings):
            return CUTS
        return "lattice" if solution.counts["lattice_bytes"] else "questions"


def relaxed_objective(problem: Problem, solution: Solution) -> float:
    """What the tree would cost if each leaf paid its floor: that of the best curve, at each time.

    No relaxed optimum is above it, so that it shows how much the floors give away at least.
    """
    loss, leaf_of_row = LossByDefinition.of(problem.events), problem.leaf_of_row(solution.tree)
    n_leaves = len(solution.tree.leaves)
    floors = sum(loss.best_curve_loss(leaf_of_row == leaf) for leaf in range(n_leaves))
    return float(floors + problem.regularization * n_leaves)


def problem_of(rows: tables.Rows, regularization: float) -> Problem:
    """What a fit with every cut would search."""
    model = OptimalSurvivalTree(
        DEPTH, regularization, min_samples_leaf=MIN_SAMPLES_LEAF, **EVERY_CUT
    )
    y = rows.event, rows.time
    return prepare(model, check_options(model), rows.X, y, None).problem


def with_codes(problem: Problem, rows: tables.Rows) -> Problem:
    """The problem with its answers as codes, also where a fit would not make any."""
    if isinstance(problem.answers, CodedAnswers):
        return problem
    missing = EVERY_CUT["missing"]
    study = read_study(OptimalSurvivalTree(), rows.X, (rows.event, rows.time), None, missing)
    return replace(problem, answers=problem.questions.coded(study[0]))


def engines(rows: tables.Rows, regularization: float, limit_s: float) -> dict[str, Engine]:
    """The search over questions, that over cuts, and the one that the package chooses."""
    problem = problem_of(rows, regularization)
    limit = SearchSettings(time_limit=limit_s)
    return {
        # The answers as bits are made here, so that no clock runs meanwhile.
        "questions": Engine(
            replace(problem, answers=problem.matrix), replace(limit, solver="search")
        ),
        "cuts": Engine(with_codes(problem, rows), replace(limit, solver=CUTS)),
        "chosen": Engine(problem, limit),
    }


def measured(rows: tables.Rows, regularization: float, arguments: argparse.Namespace) -> Answer:
    """One row."""
    by_name = engines(rows, regularization, arguments.limit)
    asked: dict[str, dict[str, Any]] = {name: {} for name in ENGINES}
    steady = ("cuts", "chosen")
    runs = in_turns(by_name, asked, arguments.repeats, steady, slow_s=SLOW_S)
    found = {name: middle(answers) for name, answers in runs.items()}
    old, new = found["questions"], found["cuts"]
    return {
        "rows": len(rows.X),
        "columns": rows.X.shape[1],
        "cuts": n_cuts(by_name["cuts"].problem.questions),
        "verdict": verdict([answer for answers in runs.values() for answer in answers]),
        "search_ratio": rounded(old["search_seconds"] / new["search_seconds"]),
        "ratio": rounded(old["seconds"] / new["seconds"]),
        **{name: new[name] for name in ("objective", "n_leaves", "relaxed_objective")},
        "chosen_engine": found["chosen"]["engine"],
        "cuts_pruned_by_floor": new["pruned_by_floor"],
        **{k: v for name in ENGINES for k, v in columns(name, found[name], ENGINES[name]).items()},
    }


def verdict(answers: Sequence[Answer]) -> str:
    """Whether all runs that were proven found the same objective."""
    proven = [answer["objective"] for answer in answers if answer["status"] == "optimal"]
    if len(proven) < len(answers):
        return "not compared"
    return "agrees" if max(proven) - min(proven) <= RELATIVE * max(proven) else "differs"


def cases(names: Sequence[str]) -> list[tuple[str, float]]:
    """The usual penalty on all tables, then the small one."""
    usual = [(name, VETERAN if name == "veteran" else USUAL) for name in names]
    return [*usual, *((name, SMALL) for name in names)]


def run(table: Table, arguments: argparse.Namespace) -> None:
    for name, regularization in cases(chosen(NAMES, arguments.tables)):
        if not table.has(name, regularization):
            row = measured(tables.load(name), regularization, arguments)
            key = {"dataset": name, "regularization": regularization}
            table.add({**key, **row, **origin()})


def summary(rows: Sequence[Row]) -> list[str]:
    """Each case, means of the ratios by penalty, and what the relaxation costs."""
    lines = ["depth 3, seconds of the search over questions and of the search over cuts:"]
    lines += [case_line(row) for row in rows]
    small = [row for row in rows if float(row["regularization"]) == SMALL]
    usual = [row for row in rows if row not in small]
    lines += [
        mean_line(some, f"penalty {words}")
        for some, words in ((usual, "0.005 (veteran 0.002)"), (small, "0.001"))
        if some
    ]
    return [*lines, mean_line(rows, "all cases"), relaxation_line(rows)]


def case_line(row: Row) -> str:
    at_least = "" if row["questions_status"] == "optimal" else "at least "
    return (
        f"  {row['dataset']}, {row['regularization']} ({int(row['rows']):,} rows, "
        f"{int(row['cuts']):,} cuts): {seconds_of(row, 'questions')} and {seconds_of(row, 'cuts')},"
        f" ratio {at_least}{float(row['search_ratio']):.3g} (whole solve calls "
        f"{float(row['ratio']):.3g}), verdict {row['verdict']}; the package chooses "
        f"{row['chosen_engine']}: {seconds_of(row, 'chosen')}"
    )


def seconds_of(row: Row, engine: str) -> str:
    status = row[f"{engine}_status"]
    stopped = "" if status == "optimal" else f" ({status})"
    return f"{float(row[f'{engine}_search_seconds']):.3g} s{stopped}"


def mean_line(rows: Sequence[Row], words: str) -> str:
    """A search that was stopped would have taken longer."""
    search, whole = (
        geometric_mean(float(row[name]) for row in rows) for name in ("search_ratio", "ratio")
    )
    n_stopped = sum(row["questions_status"] != "optimal" for row in rows)
    stopped = f"; {n_stopped} of them at least, as the first was stopped" if n_stopped else ""
    return (
        f"  {words}, {len(rows)} cases: geometric mean of the ratios {search:.3g}, of whole solve "
        f"calls {whole:.3g}{stopped}"
    )


def relaxation_line(rows: Sequence[Row]) -> str:
    """How far floors are below losses on the trees found."""
    shares = [1 - float(row["relaxed_objective"]) / float(row["objective"]) for row in rows]
    return (
        f"  the relaxation: with floors in place of losses the trees found would cost "
        f"{100 * min(shares):.2f} to {100 * max(shares):.2f} % less"
    )


PART = Part("depth3", FIELDS, KEYS, run, summary)
