"""Rounding: exact fractions, near ties, numbers far apart, every kernel and thread count."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from survtree import _native
from survtree._data.read_table import default_names
from survtree._data.table import EventTable
from survtree._questions.questions import Questions
from survtree._scoring.losses import LossByDefinition
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import optimal_trees, solve
from tests.support.problems import random_case


class ExactJudge:
    """The objective of every tree of a small problem, in fractions: no rounding at all."""

    def __init__(self, problem):
        self.problem = problem
        self.time, self.weight = (
            [Fraction(float(v)) for v in values]
            for values in (problem.events.time, problem.events.weight)
        )
        self.event = problem.events.event.tolist()
        self.times = sorted(set(self.time))
        self.penalty = Fraction(problem.regularization)
        self.g, g = {}, Fraction(1)
        for t in self.times:
            at_risk = sum(w for w, y in zip(self.weight, self.time, strict=True) if y >= t)
            censored = sum(
                w
                for w, y, e in zip(self.weight, self.time, self.event, strict=True)
                if y == t and not e
            )
            g *= 1 - censored / at_risk
            self.g[t] = g

    def loss(self, rows):
        s, b, total = Fraction(1), Fraction(0), Fraction(0)
        for t, following in zip(self.times, self.times[1:], strict=False):
            at_risk = sum(self.weight[i] for i in rows if self.time[i] >= t)
            later = sum(self.weight[i] for i in rows if self.time[i] > t)
            died = sum(self.weight[i] for i in rows if self.time[i] == t and self.event[i])
            if died:
                s *= 1 - died / at_risk
                b += died / self.g[t]
            a = later / self.g[t] if later else 0
            total += (following - t) * ((1 - s) ** 2 * a + s**2 * b)
        return total / (sum(self.weight) * self.times[-1])

    def optimum(self, rows, depth):
        best = self.loss(rows) + self.penalty
        for column in self.problem.answers.T if depth > 0 else ():
            parts = [[i for i in rows if column[i] == answer] for answer in (0, 1)]
            if min(map(len, parts)) >= self.problem.min_samples_leaf:
                best = min(best, sum(self.optimum(part, depth - 1) for part in parts))
        return best


def small(rng, time, weight, regularization=0.001):
    """Twelve rows, three questions, depth 2."""
    event = rng.random(12) < 0.7
    event[np.argmin(time)] = True
    return Problem(
        answers=rng.integers(0, 2, (12, 3)).astype(np.uint8),
        events=EventTable(event, np.asarray(time, float), np.asarray(weight, float)),
        questions=Questions(default_names(3)),
        regularization=regularization,
        max_depth=2,
        min_samples_leaf=1,
    )


def check_exactly(problem):
    judge = ExactJudge(problem)
    everyone = list(range(len(problem.answers)))
    optimum, scale = judge.optimum(everyone, 2), judge.loss(everyone)
    solution = solve(problem, SearchSettings())
    assert solution.status == "optimal"
    slack = scale * Fraction(1e-12) + optimum * Fraction(1e-14)
    assert abs(Fraction(solution.objective) - optimum) <= slack
    assert abs(Fraction(solution.one_leaf_loss) - scale) <= scale * Fraction(1e-13)
    return solution


@pytest.mark.parametrize("seed", range(20))
def test_against_fractions(seed):
    rng = np.random.default_rng([1, seed])
    check_exactly(small(rng, rng.exponential(size=12), np.ones(12)))


@pytest.mark.parametrize("seed", range(20))
def test_weights_over_twelve_orders_of_magnitude(seed):
    rng = np.random.default_rng([2, seed])
    check_exactly(small(rng, rng.integers(1, 6, 12), 10 ** rng.uniform(-6, 6, 12)))


@pytest.mark.parametrize("seed", range(20))
def test_times_from_1e_minus_300_to_1e300(seed):
    rng = np.random.default_rng([3, seed])
    check_exactly(small(rng, 10 ** rng.uniform(-300, 300, 12), np.ones(12)))


@pytest.mark.parametrize("seed", range(60))
def test_wide_weights_with_wide_or_crowded_times(seed):
    """What counts may happen in a short time, early or late, of light rows beside heavy ones."""
    rng = np.random.default_rng([6, seed])
    wide = 10 ** rng.uniform(-20, 20, 12)
    crowded = np.append(rng.uniform(0, 1, 2), 1e6 + 0.001 * rng.integers(1, 20, 10))
    time = wide if seed % 2 else crowded
    check_exactly(small(rng, time, 10 ** rng.uniform(-6, 6, 12), regularization=0.0))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_units_of_time_at_both_ends(seed, unit):
    rng = np.random.default_rng([4, seed])
    check_exactly(small(rng, unit * rng.integers(1, 100, 12), np.ones(12)))


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("nudge", [1e-16, 1e-14, 1e-13, 1e-11])
def test_near_ties_are_explored_and_never_lose_more_than_the_tolerance(seed, nudge):
    """Two copies of a column, one of which has a row moved by a hair's breadth of weight."""
    rng = np.random.default_rng([5, seed])
    problem = small(rng, rng.integers(1, 6, 12), np.ones(12), regularization=0.0)
    # Rows that are each other's mirror image in columns 0 and 1: both columns do equally well.
    features = problem.answers.copy()
    features[6:, 0], features[6:, 1] = features[:6, 1], features[:6, 0]
    features[6:, 2] = features[:6, 2]
    events = problem.events
    time, event = (np.concatenate([values[:6]] * 2) for values in (events.time, events.event))
    weight = np.ones(12)
    weight[0] += nudge
    problem = replace(problem, answers=features, events=EventTable(event, time, weight))
    solution = check_exactly(problem)
    trees = optimal_trees(problem, solution.objective, 100)
    losses = [
        LossByDefinition.of(problem.events).tree_loss(problem.leaf_of_row(tree)) for tree in trees
    ]
    assert max(losses) - min(losses) <= 4 * 2 * 1e-12 * solution.one_leaf_loss


@pytest.mark.parametrize("block", range(5))
def test_kernels_layouts_and_threads_agree_to_the_last_bit(block):
    for seed in range(930_000 + 20 * block, 930_000 + 20 * (block + 1)):
        problem = random_case(seed).problem
        found = {
            solve(problem, SearchSettings(kernel=kernel, n_jobs=n_jobs, layout="rows")).objective
            for kernel in _native.kernels()
            for n_jobs in (1, 2, 3)
        }
        assert len(found) == 1, (seed, found)
        by_blocks = solve(problem, SearchSettings(layout="blocks")).objective
        assert (
            abs(by_blocks - found.pop()) <= 1e-12 * solve(problem, SearchSettings()).one_leaf_loss
        )


@pytest.mark.slow
def test_a_million_tied_times():
    rng = np.random.default_rng(6)
    n = 1_000_000
    X = rng.integers(0, 2, (n, 4)).astype(np.uint8)
    time = 1.0 + (rng.random(n) < 0.3 + 0.4 * X[:, 0]) + (rng.random(n) < 0.2)
    event = rng.random(n) < 0.6
    problem = Problem(
        X, EventTable(event, time, np.ones(n)), Questions(default_names(4)), 1e-6, 2, 7
    )
    solution = solve(problem, SearchSettings())
    oracle = LossByDefinition.of(problem.events)
    loss = oracle.tree_loss(problem.leaf_of_row(solution.tree))
    assert solution.status == "optimal"
    assert abs(loss - solution.loss) <= 1e-12 * solution.one_leaf_loss
    # The same as a table of its few distinct rows, with weights.
    rows, weight = np.unique(np.column_stack([X, time, event]), axis=0, return_counts=True)
    few = Problem(
        np.ascontiguousarray(rows[:, :4].astype(np.uint8)),
        EventTable(rows[:, 5] == 1, rows[:, 4], weight.astype(float)),
        Questions(default_names(4)),
        *(1e-6, 2, 1),
    )
    assert abs(solve(few, SearchSettings()).objective - solution.objective) <= 1e-12
