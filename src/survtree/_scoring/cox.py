"""Cox's proportional hazards model with a ridge penalty, for teachers of trees.

The coefficients maximise Cox's partial log-likelihood per event (Breslow's ties) minus
``penalty / 2`` times their sum of squares. Columns are expected on one scale.
"""

from dataclasses import dataclass

import numpy as np

from survtree._data.table import EventTable, Floats, Places, weight_at
from survtree._scoring.curves import StepFunction

MOST_ROUNDS = 30
SMALLEST_GAIN = 1e-7  # of the likelihood per event, in a round
LARGEST_SCORE = 30.0  # hazard ratios beyond its exponential overflow sums of them
# Powers of about three: neighbours predict nearly alike.
PENALTIES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
# Once the cross-validated likelihood has fallen by this much, smaller penalties are not tried.
CLEARLY_WORSE = 3.0


@dataclass(frozen=True)
class CoxModel:
    """Coefficients of the columns and the cumulative hazard of a row of zeros."""

    coefficients: Floats
    baseline: StepFunction

    def survival(self, columns: Floats, times: Floats) -> Floats:
        """Survival curves: rows x times."""
        ratio = np.exp(_scores(columns, self.coefficients))
        return np.asarray(np.exp(-np.outer(ratio, self.baseline(times))))


class _Likelihood:
    """The penalised partial likelihood of some rows, which are put in descending order of time.

    A row is at risk at its own time and before, so whoever is at risk at the time of row i are the
    rows up to the last one that ends then, ``last[i]``.
    """

    def __init__(self, columns: Floats, events: EventTable) -> None:
        order = np.argsort(-events.time, kind="stable")
        time = events.time[order]
        self.columns = columns[order]
        self.weight = events.weight[order]
        self.died = self.weight * events.event[order]
        self.last = np.searchsorted(-time, -time, side="right") - 1
        self.n_events = self.died.sum()

    def log_likelihood(self, coefficients: Floats) -> float:
        """Without the penalty, summed over the events."""
        scores = _scores(self.columns, coefficients)
        at_risk = np.log((self.weight * np.exp(scores)).cumsum()[self.last])
        return float((self.died * (scores - at_risk)).sum())

    def objective(self, coefficients: Floats, penalty: float) -> float:
        """Per event, less the penalty."""
        value = self.log_likelihood(coefficients) / self.n_events
        return float(value - penalty / 2 * (coefficients @ coefficients))

    def step(self, coefficients: Floats, penalty: float) -> Floats:
        """Newton's step."""
        columns, n_rows = self.columns, len(self.last)
        hazard = self.weight * np.exp(_scores(columns, coefficients))
        at_risk = hazard.cumsum()[self.last]
        # Of each row: the events it was at risk for, each divided by who was at risk.
        exposure = weight_at(self.last, self.died / at_risk, n_rows)[::-1].cumsum()[::-1]
        expected = hazard * exposure
        is_event = self.died > 0
        means = (columns * hazard[:, np.newaxis]).cumsum(axis=0)[self.last[is_event]]
        means *= (np.sqrt(self.died[is_event]) / at_risk[is_event])[:, np.newaxis]
        gradient = columns.T @ (self.died - expected) / self.n_events - penalty * coefficients
        curvature = (columns * expected[:, np.newaxis]).T @ columns - means.T @ means
        curvature = curvature / self.n_events + penalty * np.eye(len(coefficients))
        return np.asarray(np.linalg.solve(curvature, gradient))


def fit_cox(columns: Floats, events: EventTable, penalty: float) -> CoxModel:
    """The model of these rows, of which at least one has an event."""
    coefficients = _maximised(_Likelihood(columns, events), columns.shape[1], penalty)
    hazard = events.weight * np.exp(_scores(columns, coefficients))
    at_risk = weight_at(events.when, hazard)[::-1].cumsum()[::-1]
    died = weight_at(events.when, events.weight * events.event)
    baseline = StepFunction(events.unique_times, (died / at_risk).cumsum(), before=0.0)
    return CoxModel(coefficients, baseline)


def _maximised(likelihood: _Likelihood, n_columns: int, penalty: float) -> Floats:
    """Newton's method, with steps halved until they do no harm."""
    coefficients = np.zeros(n_columns)
    value = likelihood.objective(coefficients, penalty)
    for _ in range(MOST_ROUNDS):
        step, before = likelihood.step(coefficients, penalty), value
        for halvings in range(20):
            tried = coefficients + step / 2**halvings
            value = likelihood.objective(tried, penalty)
            if value >= before:
                coefficients = tried
                break
        if value - before < SMALLEST_GAIN:
            break
    return coefficients


def _scores(columns: Floats, coefficients: Floats) -> Floats:
    return np.clip(columns @ coefficients, -LARGEST_SCORE, LARGEST_SCORE)


def cross_fitted_cox(
    columns: Floats, events: EventTable, folds: list[tuple[Places, Places]], times: Floats
) -> Floats:
    """Survival curves of all rows, each by a model that did not see its fold: rows x times.

    All folds share the penalty of ``_best_penalty``.
    """
    _, models = _best_penalty(columns, events, folds)
    curves = np.empty((len(events), len(times)))
    for model, (_, held_out) in zip(models, folds, strict=True):
        curves[held_out] = model.survival(columns[held_out], times)
    return curves


def ridge_cox(columns: Floats, events: EventTable, folds: list[tuple[Places, Places]]) -> CoxModel:
    """The model of all rows, with the penalty that the folds choose."""
    penalty, _ = _best_penalty(columns, events, folds)
    return fit_cox(columns, events, penalty)


def _best_penalty(
    columns: Floats, events: EventTable, folds: list[tuple[Places, Places]]
) -> tuple[float, list[CoxModel]]:
    """The penalty of the highest cross-validated partial likelihood, and the models of the folds.

    That is the likelihood of all rows less that of the rows fitted on, summed over folds (Verweij
    and van Houwelingen).
    """
    best: tuple[float, list[CoxModel]] = PENALTIES[0], []
    everyone, best_value = _Likelihood(columns, events), -np.inf
    for penalty in PENALTIES:
        models, value = [], 0.0
        for fitted_on, _ in folds:
            part = events.take(fitted_on)
            models.append(fit_cox(columns[fitted_on], part, penalty))
            value += everyone.log_likelihood(models[-1].coefficients)
            own = _Likelihood(columns[fitted_on], part)
            value -= own.log_likelihood(models[-1].coefficients)
        if value > best_value:
            best, best_value = (penalty, models), value
        elif value < best_value - CLEARLY_WORSE:
            break
    return best
