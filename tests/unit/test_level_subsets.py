"""Every division of few levels in two: levels="subsets"."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import Binarizer, OptimalSurvivalTree, export_text
from survtree._search.problem import Problem
from tests.support.problems import brute_force


def frame(n_levels, n=120, seed=0, has_missing=False):
    rng = np.random.default_rng(seed)
    levels = [f"l{k}" for k in range(n_levels)]
    values = [*levels, *rng.choice(levels, n - n_levels)]
    if has_missing:
        values[-3:] = [None] * 3
    return pl.DataFrame({"kind": values})


def outcome(table, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.array([0 if v is None else int(v[1:]) for v in table["kind"]])
    time = rng.exponential(np.where(codes % 2 == 0, 1.0, 4.0)) + 0.01
    return rng.random(len(table)) < 0.8, time


def divisions(binarizer, table):
    """The questions as sets of rows, no set and its complement twice."""
    answers = binarizer.transform(table).astype(bool)
    return {(column ^ column[0]).tobytes() for column in answers.T}


@pytest.mark.parametrize("n_levels", range(2, 9))
def test_every_division_is_asked_once(n_levels):
    table = frame(n_levels)
    binarizer = Binarizer(levels="subsets").fit(table, outcome(table))
    assert len(binarizer.questions_) == 2 ** (n_levels - 1) - 1
    assert len(divisions(binarizer, table)) == 2 ** (n_levels - 1) - 1


@pytest.mark.parametrize("n_levels", [2, 3, 4, 5])
def test_missing_values_are_on_either_side(n_levels):
    table = frame(n_levels, has_missing=True)
    binarizer = Binarizer(levels="subsets", missing="question").fit(table, outcome(table))
    # Every set of levels but none and all, and whether the value is missing.
    assert len(binarizer.questions_) == 2**n_levels - 2 + 1
    assert len(divisions(binarizer, table)) == 2**n_levels - 2 + 1


def test_more_levels_are_grouped_by_their_risk():
    table = frame(9)
    y = outcome(table)
    subsets = Binarizer(levels="subsets").fit(table, y).questions_
    assert list(subsets) == list(Binarizer(levels="grouped").fit(table, y).questions_)


def test_the_smaller_group_is_named():
    table = frame(5)
    texts = list(Binarizer(levels="subsets").fit(table, outcome(table)).questions_)
    assert "kind is l0 or l1" in texts
    assert all(text.count(" or ") <= 1 for text in texts)
    assert "kind is l0 or l1" in list(
        Binarizer(levels="subsets").fit(frame(4), outcome(frame(4))).questions_
    )


def test_ordered_categories_are_cut_in_order():
    levels = [f"l{k}" for k in range(5)]
    table = frame(5).to_pandas()
    table["kind"] = pd.Categorical(table["kind"], levels, ordered=True)
    assert len(Binarizer(levels="subsets").fit(table, outcome(frame(5))).questions_) == 4


def test_a_level_that_the_fit_did_not_see_answers_no():
    table = frame(4)
    binarizer = Binarizer(levels="subsets").fit(table, outcome(table))
    with pytest.warns(UserWarning, match="did not see"):
        answers = binarizer.transform(pl.DataFrame({"kind": ["other"]}))
    assert not answers.any()


def test_screening_leaves_all_of_them():
    rng = np.random.default_rng(0)
    table = frame(8, n=4000)
    y = outcome(table)
    more = table.with_columns(*(pl.Series(f"x{k}", rng.normal(size=4000)) for k in range(6)))
    binarizer = Binarizer(levels="subsets").fit(more, y)
    assert sum(text.startswith("kind") for text in binarizer.questions_) == 127


def test_the_best_division_is_found():
    table = frame(6, n=300)
    event, time = outcome(table)
    model = OptimalSurvivalTree(1, 0.0001, levels="subsets", min_samples_leaf=5).fit(
        table, (event, time)
    )
    each = OptimalSurvivalTree(1, 0.0001, levels="each", min_samples_leaf=5).fit(
        table, (event, time)
    )
    assert model.objective_ < each.objective_
    assert "kind is l0 or l2 or l4" in export_text(model) or "l1 or l3 or l5" in export_text(model)
    codes = np.array([int(v[1:]) for v in table["kind"]])
    answers = np.array(
        [np.isin(codes, group) for size in range(1, 6) for group in combinations(range(6), size)]
    )
    problem = model._state.problem
    slow = brute_force(
        Problem(
            np.ascontiguousarray(answers.T.astype(np.uint8)),
            problem.events,
            type(problem.questions)(tuple(f"q{k}" for k in range(len(answers)))),
            0.0001,
            1,
            5,
        )
    )
    assert model.objective_ == pytest.approx(slow.optimum(1), abs=1e-12)
