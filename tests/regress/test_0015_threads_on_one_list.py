"""Threads that asked one list of near-optimal trees for trees under conditions got wrong ones.

They were in the same search at once, each without Python's lock: some answers were called optimal
and were not. Found by an audit of the bindings. Now the second waits; where it cannot, since it is
called from within the first, it is refused.
"""

import threading

import numpy as np
import pytest

from survtree import OptimalSurvivalTree
from survtree._search.near_trees import NearSearch
from survtree._search.progress import Watch
from survtree.datasets import load
from tests.support.hard_problem import hard_problem


def test_threads_get_the_answers_that_each_would_get_alone():
    data = load("gbsg2")
    model = OptimalSurvivalTree(3, 0.001).fit(data.X, data.y)
    alone = {
        name: model.near_optimal(0.01, 50).best(uses=name).objective_ for name in data.X.columns
    }
    near, wrong = model.near_optimal(0.01, 50), []

    def ask(names: list[str]) -> None:
        wrong.extend(name for name in names if near.best(uses=name).objective_ != alone[name])

    threads = [
        threading.Thread(target=ask, args=(3 * list(alone)[::step],)) for step in (1, -1, 1, -1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_search_that_is_at_work_is_not_entered_again():
    X, y = hard_problem()
    model = OptimalSurvivalTree(2, 0.001).fit(X, y)
    problem = model._fitted.problem
    assert problem is not None
    search = NearSearch(problem, model.objective_)

    class Asking(Watch):
        def step(self, share: float, words: str) -> None:
            search.best(uses=[[0]])

    with pytest.raises(RuntimeError, match="at work in another thread"):
        search.trees(np.inf, 10**7, Asking(0, None))
