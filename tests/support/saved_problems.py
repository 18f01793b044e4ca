"""Problems that were once solved wrongly, kept as data so that no generator can change them."""

import json
from pathlib import Path

import numpy as np
import pytest

from survtree._data.read_table import default_names
from survtree._data.table import EventTable
from survtree._questions.questions import Questions
from survtree._search import solve
from survtree._search.problem import Problem
from tests.support.problems import brute_force, root_loss

CASES = Path(__file__).parents[1] / "regress" / "cases"


def saved_problem(name):
    """The problem in tests/regress/cases/NAME.json."""
    raw = json.loads((CASES / f"{name}.json").read_text())
    features = np.array([list(row) for row in raw["answers"]], dtype=np.uint8)
    events = EventTable(
        np.array(raw["event"], dtype=bool), np.array(raw["time"]), np.array(raw["weight"])
    )
    return Problem(
        features,
        events,
        Questions(default_names(features.shape[1])),
        raw["regularization"],
        raw["max_depth"],
        raw["min_samples_leaf"],
        min_events_leaf=raw.get("min_events_leaf", 0),
    )


def check_saved(name):
    """The search reaches the brute-force optimum and proves it."""
    problem = saved_problem(name)
    optimum = brute_force(problem).optimum(problem.max_depth)
    solution = solve.solve(problem, solve.SearchSettings(check_keys=True))
    assert solution.status == "optimal"
    assert solution.objective == pytest.approx(optimum, abs=1e-9 * root_loss(problem))
