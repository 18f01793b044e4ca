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


def _model(coefficients: Floats, columns: Floats, events: EventTable) -> CoxModel:
    """The model with Breslow's cumulative hazard of these rows, of which one has an event."""
    hazard = events.weight * np.exp(_scores(columns, coefficients))
    at_risk = weight_at(events.when, hazard)[::-1].cumsum()[::-1]
    cumulative = (events.event_weight / at_risk).cumsum()
    baseline = StepFunction(events.unique_times, cumulative, before=0.0)
    return CoxModel(coefficients, baseline)


def _maximised(likelihood: _Likelihood, penalty: float) -> Floats:
    """Newton's method, with steps halved until they do no harm."""
    coefficients = np.zeros(likelihood.columns.shape[1])
    if likelihood.n_events == 0:  # nothing tells the rows apart
        return coefficients
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

    Rows after those of the events are in no fold; theirs are the mean over the models of all folds.
    """
    n, curves = len(events), np.zeros((len(columns), len(times)))
    _, found = _best_penalty(columns[:n], events, folds)
    for coefficients, (fitted_on, held_out) in zip(found, folds, strict=True):
        model = _model(coefficients, columns[fitted_on], events.take(fitted_on))
        curves[held_out] = model.survival(columns[held_out], times)
        curves[n:] += model.survival(columns[n:], times) / len(folds)
    return curves


def ridge_cox(columns: Floats, events: EventTable, folds: list[tuple[Places, Places]]) -> CoxModel:
    """The model of all rows, with the penalty that the folds choose."""
    penalty, _ = _best_penalty(columns, events, folds)
    return _model(_maximised(_Likelihood(columns, events), penalty), columns, events)


def _best_penalty(
    columns: Floats, events: EventTable, folds: list[tuple[Places, Places]]
) -> tuple[float, list[Floats]]:
    """The penalty of all folds, and the coefficients of the rows outside each.

    It is that of the highest cross-validated partial likelihood (Verweij and van Houwelingen): of
    all rows less of the rows fitted on, summed over folds.
    """
    best: tuple[float, list[Floats]] = PENALTIES[0], []
    best_value, everyone = -np.inf, _Likelihood(columns, events)
    parts = [_Likelihood(columns[each], events.take(each)) for each, _ in folds]
    for penalty in PENALTIES:
        found, value = [_maximised(part, penalty) for part in parts], 0.0
        for coefficients, part in zip(found, parts, strict=True):
            value += everyone.log_likelihood(coefficients)
            value -= part.log_likelihood(coefficients)
        if not best[1] or value > best_value:
            best, best_value = (penalty, found), value
        elif value < best_value - CLEARLY_WORSE:
            break
    return best
