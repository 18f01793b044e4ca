"""Guesses, searches that are stopped and taken up, caches that forget: against brute force."""

import numpy as np
import pytest

from survtree._search.problem import SearchSettings
from survtree._search.solve import find, search_of, solve
from tests.support.many_trees import nested
from tests.support.problems import case_and_optimum, check_case, root_loss

N_BLOCKS = 10


def cases(first, block, n=20, **changes):
    for seed in range(first + n * block, first + n * (block + 1)):
        case, optimum = case_and_optimum(seed, **changes)
        yield case, optimum, 1e-9 * root_loss(case.problem), np.random.default_rng(seed)


def random_guess(problem, rng):
    """Losses of rows from far too low to far too high."""
    losses = rng.exponential(size=len(problem.events))
    return losses * root_loss(problem) / losses.sum() * rng.choice([0.0, 0.1, 0.5, 1.0, 3.0])


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_a_guess_is_never_called_a_proof_and_its_lower_bound_holds(block):
    for case, optimum, slack, rng in cases(700_000, block):
        guess = random_guess(case.problem, rng)
        for wants_bounds in (False, True):
            limits = SearchSettings(guessed_losses=guess, wants_bounds=wants_bounds, greedy_from=0)
            solution = solve(case.problem, limits)
            assert solution.status == "guessed"
            assert solution.lower_bound <= optimum + slack, case
            assert solution.objective >= optimum - slack, case


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_a_guess_that_holds_gives_the_optimum(block):
    for case, optimum, slack, rng in cases(710_000, block):
        problem = case.problem
        leaves = problem.leaf_of_row(solve(problem, SearchSettings()).tree)
        losses = losses_of_rows(problem, leaves)
        guess = losses * rng.uniform(0.0, 1.0, len(losses))
        solution = solve(problem, SearchSettings(guessed_losses=guess))
        assert abs(solution.objective - optimum) <= slack, case


def losses_of_rows(problem, leaves):
    """What each row itself loses in its leaf of the tree, from the definition."""
    events = problem.events
    times = events.unique_times
    everyone = [events.weight[events.time >= t].sum() for t in times]
    left = [events.weight[~events.event & (events.time == t)].sum() for t in times]
    with np.errstate(invalid="ignore", divide="ignore"):
        g = np.cumprod(1 - np.divide(left, everyone))
    survival = {leaf: leaf_survival(events, leaves == leaf) for leaf in np.unique(leaves)}
    losses = [loss_of_row(events, row, survival[leaf], g) for row, leaf in enumerate(leaves)]
    return np.array(losses) * events.weight / (events.weight.sum() * times[-1])


def leaf_survival(events, mine):
    """The Kaplan-Meier curve of a leaf at all times."""
    times = events.unique_times
    at_risk = [events.weight[mine & (events.time >= t)].sum() for t in times]
    died = [events.weight[mine & events.event & (events.time == t)].sum() for t in times]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.cumprod(np.nan_to_num(1 - np.divide(died, at_risk), nan=1.0))


def loss_of_row(events, row, survival, g):
    """The squared distance of the curve from what was seen of the row, over time."""
    times, loss = events.unique_times, 0.0
    for k in range(len(times) - 1):
        length = times[k + 1] - times[k]
        if times[k] < events.time[row]:
            loss += length * (1 - survival[k]) ** 2 / g[k]
        elif events.event[row]:
            own = g[np.searchsorted(times, events.time[row])]
            loss += length * survival[k] ** 2 / own
    return loss


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_guess_then_prove_gives_the_optimum_and_the_tree_of_a_plain_search(block):
    for case, optimum, slack, rng in cases(720_000, block):
        limits = SearchSettings(guessed_losses=random_guess(case.problem, rng), proves=True)
        solution, _ = find(case.problem, limits)
        assert solution.status == "optimal"
        assert abs(solution.objective - optimum) <= slack, case
        assert nested(solution.tree) == nested(solve(case.problem, SearchSettings()).tree)


@pytest.mark.parametrize("block", range(N_BLOCKS))
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_bounds_on_the_way_change_nothing_in_the_end(block, n_jobs):
    for case, optimum, _, _ in cases(730_000, block):
        limits = {"wants_bounds": True, "greedy_from": 0, "solver": "search", "n_jobs": n_jobs}
        solution = check_case(case, optimum, **limits)
        plain = solve(case.problem, SearchSettings())
        assert nested(solution.tree) == nested(plain.tree)
        assert solution.objective == pytest.approx(plain.objective, rel=1e-12)


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_a_search_that_is_stopped_again_and_again_ends_where_one_run_does(block):
    n_stops = 0
    for case, optimum, slack, rng in cases(740_000, block):
        search = search_of(case.problem, SearchSettings(greedy_from=0, check_keys=True))
        objective, lower_bound = np.inf, 0.0
        while True:
            limits = SearchSettings(
                node_limit=int(rng.integers(1, 30)), wants_bounds=bool(rng.integers(2))
            )
            solution = solve(case.problem, limits, search=search)
            assert solution.lower_bound <= optimum + slack, case
            assert optimum - slack <= solution.objective <= objective + slack, case
            assert solution.lower_bound >= lower_bound - slack, case
            objective, lower_bound = solution.objective, solution.lower_bound
            if solution.status != "node_limit":
                break
            n_stops += 1
        assert solution.status == "optimal"
        assert abs(solution.objective - optimum) <= slack, case
        # The limit may have come between the proof and the choice among equal trees.
        again = solve(case.problem, SearchSettings(), search=search)
        assert nested(again.tree) == nested(solve(case.problem, SearchSettings()).tree)
    assert n_stops > 0


@pytest.mark.parametrize("block", range(N_BLOCKS))
def test_a_cache_that_forgets_still_finds_the_optimum(block):
    n_shed = 0
    many_trees = {"regularization": 1e-6, "max_depth": 5, "min_events_leaf": 0}
    for case, optimum, slack, _ in cases(750_000, block, **many_trees):
        # Less than the smallest tables take: every one of them sheds as soon as it is full.
        limits = SearchSettings(memory_limit=1, greedy_from=0, solver="search", wants_bounds=True)
        solution = solve(case.problem, limits)
        assert solution.lower_bound <= optimum + slack
        assert solution.objective >= optimum - slack
        if solution.status == "optimal":
            assert abs(solution.objective - optimum) <= slack, case
            assert nested(solution.tree) == nested(solve(case.problem, SearchSettings()).tree)
        else:
            assert solution.status == "memory_limit"
        n_shed += solution.counts["cache_shed"]
    assert n_shed > 0


@pytest.mark.parametrize("gap", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_gap_holds_with_bounds_on_the_way(gap, n_jobs):
    for case, optimum, slack, _ in cases(760_000, 0, n=60):
        limits = SearchSettings(gap=gap, wants_bounds=True, greedy_from=0, n_jobs=n_jobs)
        solution = solve(case.problem, limits)
        assert solution.lower_bound <= optimum + slack
        assert optimum <= solution.objective + slack
        assert solution.objective - solution.lower_bound <= gap * solution.objective + slack
        assert solution.status in ("optimal", "gap_reached")
