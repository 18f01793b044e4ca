"""The slope that calibrates a teacher: what was seen, regressed on what the teacher predicts."""

import numpy as np
import pytest

from survtree._data.table import EventTable
from survtree._scoring.curves import one_curve
from survtree._scoring.teachers import TeacherCurves, pseudo_observations, slope


def rows(n_rows=2000, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.random(n_rows) < 0.5
    time = np.minimum(rng.exponential(np.where(group, 1.0, 4.0)), 5.0)
    event = (rng.random(n_rows) < 0.8) & (time < 5.0)
    return group, EventTable(event, time, np.ones(n_rows))


def curves_of(group, events, factor):
    """The Kaplan-Meier curve of a row's group, drawn towards that of all rows by a factor."""
    times = np.array([0.5, 1.0, 2.0, 3.0])
    everyone = one_curve(events)(times)
    parts = np.array([one_curve(events.take(group == g))(times) for g in (False, True)])
    survival = (everyone + factor * (parts - everyone))[group.astype(int)]
    return TeacherCurves(times, survival, 5.0)


@pytest.mark.parametrize("factor", [0.25, 0.5, 1.0])
def test_a_teacher_that_is_too_careful_has_a_slope_above_one(factor):
    group, events = rows()
    found = slope(curves_of(group, events, factor), events)
    assert found == pytest.approx(1.0 / factor, rel=0.25)


def test_a_teacher_that_knows_nothing_has_a_slope_near_zero():
    group, events = rows()
    teacher = curves_of(group, events, 1.0)
    shuffled = np.random.default_rng(1).permutation(teacher.survival)
    assert abs(slope(teacher._replace(survival=shuffled), events)) < 0.3


def test_few_rows_are_believed_less():
    group, events = rows(30)
    teacher = curves_of(group, events, 0.5)
    seen = pseudo_observations(events, teacher.times)
    everyone, scale = one_curve(events)(teacher.times), np.sqrt(teacher.lengths())
    x, y = (teacher.survival - everyone) * scale, (seen - everyone) * scale
    plain = (x * y).sum() / (x * x).sum()
    assert abs(slope(teacher, events) - 1.0) < abs(plain - 1.0)


def test_a_teacher_of_one_curve_has_slope_one():
    _, events = rows(50)
    times = np.array([1.0])
    same = TeacherCurves(times, np.tile(one_curve(events)(times), (50, 1)), 5.0)
    assert slope(same, events) == 1.0
