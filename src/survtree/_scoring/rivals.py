"""Models that a tree is compared with on held-out rows: one curve, a Cox model, a greedy tree.

Each is fitted to training rows and predicts curves of test rows. Scores of all of them, beside
those of the tree, say what the tree gains, and what its readability costs.
"""

from math import erfc, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import EventTable, Floats, Places, Table, weight_at
from survtree._scoring.cox import ridge_cox
from survtree._scoring.curves import leaf_curves, one_curve
from survtree._scoring.teachers import FEWEST_EVENTS, covariates, cox_columns, cox_folds

Answers = NDArray[np.uint8]  # rows x questions, 0 or 1
# Curves that step more often are read at so many times, with about equally many events between.
MOST_TIMES = 200
LEVEL = 0.05  # of the test that a split of the greedy tree must pass
FEWEST_ROWS = 7  # in a leaf of it


class Predicted(NamedTuple):
    """Survival of the test rows (rows x times), and into how many groups the model parts rows."""

    survival: Floats
    times: Floats
    n_groups: int | None = None


def one_curve_for_all(train: EventTable, n_test: int) -> Predicted:
    """The Kaplan-Meier curve of the training rows, for everybody."""
    times = _times(train)
    return Predicted(np.tile(one_curve(train)(times), (n_test, 1)), times, 1)


def cox_model(table: Table, events: EventTable, train: Places, test: Places) -> Predicted:
    """A ridge Cox model of all columns; the penalty is chosen by folds of the training rows.

    Medians and scales of the columns are those of all rows, which tells nothing of outcomes.
    """
    part = events.take(train)
    if part.event.sum() < FEWEST_EVENTS:
        return one_curve_for_all(part, len(test))
    columns, times = cox_columns(covariates(table)), _times(part)
    model = ridge_cox(columns[train], part, cox_folds(part, 1, seed=0))
    return Predicted(model.survival(columns[test], times), times)


def greedy_tree(answers: Answers, train: EventTable, test_answers: Answers) -> Predicted:
    """A tree that is split again and again while a test says that a split is no chance.

    The test is that of conditional inference trees (Hothorn, Hornik and Zeileis 2006): log-rank
    scores against a yes/no answer, under permutations of the rows, with a Bonferroni correction for
    the number of candidate splits. Leaves predict their Kaplan-Meier curves.
    """
    leaf_of_row = np.zeros(len(answers), dtype=np.intp)
    leaf_of_test = np.zeros(len(test_answers), dtype=np.intp)
    open_nodes = [(np.arange(len(answers)), np.arange(len(test_answers)))]
    n_leaves = 0
    while open_nodes:
        rows, tests = open_nodes.pop()
        question = _best_split(answers[rows], train.take(rows))
        if question is None:
            leaf_of_row[rows] = leaf_of_test[tests] = n_leaves
            n_leaves += 1
            continue
        yes, test_yes = answers[rows, question] != 0, test_answers[tests, question] != 0
        open_nodes += [(rows[yes], tests[test_yes]), (rows[~yes], tests[~test_yes])]
    times = _times(train)
    curves = [curve.survival(times) for curve in leaf_curves(train, leaf_of_row, n_leaves)]
    return Predicted(np.array(curves)[leaf_of_test], times, n_leaves)


def _best_split(answers: Answers, events: EventTable) -> int | None:
    """The question with the clearest association, if it is clear enough."""
    n, n_yes = len(answers), answers.sum(axis=0, dtype=np.int64)
    scores = log_rank_scores(events)
    spread = float(scores.var()) * n / max(n - 1, 1)
    is_allowed = (n_yes >= FEWEST_ROWS) & (n - n_yes >= FEWEST_ROWS)
    if spread <= 0 or not is_allowed.any():
        return None
    excess = scores @ answers - n_yes * scores.mean()
    variance = np.where(is_allowed, spread * n_yes * (n - n_yes) / n, 1.0)
    statistic = np.where(is_allowed, excess**2 / variance, 0.0)
    best = int(statistic.argmax())
    p = erfc(sqrt(float(statistic[best]) / 2)) * int(is_allowed.sum())
    return best if p < LEVEL else None


def log_rank_scores(events: EventTable) -> Floats:
    """One for an event, less the cumulative hazard of all rows at the row's time; weighted."""
    died = weight_at(events.when, events.weight * events.event)
    at_risk = weight_at(events.when, events.weight)[::-1].cumsum()[::-1]
    hazard = (died / at_risk).cumsum()
    return np.asarray(events.weight * (events.event - hazard[events.when]))


def _times(events: EventTable) -> Floats:
    times: Floats = events.event_times
    if len(times) <= MOST_TIMES:
        return times
    shares = (np.arange(MOST_TIMES) + 0.5) / MOST_TIMES
    died = events.time[events.event]
    return np.unique(np.quantile(died, shares, method="inverted_cdf"))
