"""Rows of large weights are in the sample of every tree of a forest, which has nothing to say."""

import numpy as np

from survtree._data.table import Column, EventTable, table_of
from survtree._scoring.curves import one_curve
from survtree._scoring.teachers import built_in_curves


def study(n_rows=60):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_rows, 2))
    time = rng.exponential(np.exp(values[:, 0]))
    weight = np.ones(n_rows)
    weight[:3] = 20.0
    table = table_of([Column(name, "number", values[:, j]) for j, name in enumerate("ab")])
    return table, EventTable(rng.random(n_rows) < 0.7, time, weight)


def test_a_row_in_every_sample_gets_the_curve_of_all_rows():
    table, events = study()
    teacher = built_in_curves("forest", table, events, seed=0)
    everyone = one_curve(events)(teacher.times)
    assert np.abs(teacher.survival[:3] - everyone).max() < 0.02
    assert np.ptp(teacher.survival[3:], axis=0).max() > 0.1
