"""Which questions are worth searching: those that a boosted model of the outcome asks.

The model is gradient boosting of Cox's partial likelihood by trees of depth two. It looks at event
flags and times as Cox regression does: a censored row counts as at risk until its time, never as an
event. What it picks is no part of any proof; the search is exact over what was picked.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from survtree._data.event_table import EventTable
from survtree._data.table import Table

Answers = NDArray[np.float32]
Floats = NDArray[np.float64]

# The search of depth four over Q questions and n rows looks at up to Q^4 n / 6 pairs of row and
# question; with this many a few thousand rows take seconds.
MOST_WORK = 5e10
FEWEST, MOST = 24, 84
FEWEST_PICKED = 16
ROUNDS = 200
DEPTH = 2
LEARNING_RATE = 0.3
FEWEST_ROWS = 7  # on either side of a split of the model
# Gains are compared in these steps, so that rounding decides little between questions worth the
# same. For the order of rows that is not enough: where gains are small, sums in single precision
# differ by more. So rows come in an order of their own.
STEP = 1e-6
MOST_CELLS = 50_000_000
FEWEST_ROWS_SEEN, MOST_ROWS_SEEN = 2_000, 20_000


def picked_at_most(n_rows: int, n_fixed: int) -> int:
    """How many questions to pick beside the fixed ones, so that a search takes seconds."""
    budget = int(np.clip((MOST_WORK / n_rows) ** 0.25, FEWEST, MOST))
    return max(budget - n_fixed, FEWEST_PICKED)


def sample_size(n_questions: int) -> int:
    """Rows the model can look at and still be quick."""
    return int(np.clip(MOST_CELLS // n_questions, FEWEST_ROWS_SEEN, MOST_ROWS_SEEN))


def sampled_rows(table: Table, events: EventTable, n_rows: int) -> NDArray[np.intp]:
    """At most so many rows, in the order of a hash of their content: no other order matters.

    Rows with the same hash are the same.
    """
    key = np.zeros(table.n_rows, dtype=np.uint64)
    for column in sorted(table.columns, key=lambda column: column.name):
        values = column.values.astype(np.float64) + 0.0  # not -0.0
        key = _mixed(key, values.view(np.uint64))
    for part in (events.time, events.weight, events.event.astype(np.float64)):
        key = _mixed(key, part.view(np.uint64))
    return np.argsort(key, kind="stable")[:n_rows]


def _mixed(key: NDArray[np.uint64], values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of a hash and a number: multiply and shift, as in xorshift generators."""
    out = (key ^ values) * np.uint64(0x9E3779B97F4A7C15)
    out ^= out >> np.uint64(29)
    out *= np.uint64(0xBF58476D1CE4E5B9)
    return out ^ (out >> np.uint64(32))


def picked_questions(
    answers: NDArray[np.uint8],
    events: EventTable,
    is_open: Sequence[bool],
    limit: int,
    *,
    is_filled_up: bool,
) -> list[int]:
    """Up to ``limit`` of the open questions, by number: the first that the boosted model asks.

    If it asks fewer, they may be filled up with those that explain most alone.
    """
    model = _Boosting(answers.astype(np.float32), events)
    picked: dict[int, None] = {}
    # The products are small: threads of the linear algebra library would mostly wait for each
    # other, and on a busy machine for a long time.
    with threadpool_limits(1, "blas"):
        alone = model.by_gain() if is_filled_up else []
        for _ in range(ROUNDS):
            asked = model.grow()
            picked.update((question, None) for question in asked if is_open[question])
            if not asked or len(picked) >= limit:
                break
    picked.update((question, None) for question in alone if is_open[question])
    return list(picked)[:limit]


class _Boosting:
    """Scores of the rows, improved by one small tree at a time."""

    def __init__(self, answers: Answers, events: EventTable) -> None:
        self.answers = answers
        self.events = events
        self.score = np.zeros(len(events))

    def grow(self) -> list[int]:
        """Add a tree; the questions it asks."""
        hazard, residual = self._hazard_and_residual()
        asked: list[int] = []
        leaves = [np.ones(len(residual), dtype=bool)]
        for _ in range(DEPTH):
            parts = [self._parted(leaf, residual, asked.append) for leaf in leaves]
            leaves = [part for pair in parts for part in pair]
        for leaf in leaves:
            expected = hazard[leaf].sum()
            if expected > 0:  # Newton's step for one leaf
                self.score[leaf] += LEARNING_RATE * residual[leaf].sum() / expected
        return asked

    def by_gain(self) -> list[int]:
        """All questions that explain anything now, the best first."""
        _, residual = self._hazard_and_residual()
        gain = self._gains(np.arange(len(residual)), residual)
        # In steps, so that rounding decides nothing; questions come in an order of their own.
        steps = np.round(gain / (STEP * max(gain.max(), np.finfo(float).tiny)))
        return [int(k) for k in np.argsort(-steps, kind="stable") if gain[k] > 0]

    def _hazard_and_residual(self) -> tuple[Floats, Floats]:
        """Expected events of each row, and how many more it had."""
        hazard = self._expected_events()
        return hazard, self.events.weight * self.events.event - hazard

    def _expected_events(self) -> Floats:
        """Breslow's cumulative hazard of each row: the events the scores lead one to expect."""
        events = self.events
        relative = events.weight * np.exp(np.clip(self.score, -20, 20))
        at_risk = np.bincount(events.when, relative)[::-1].cumsum()[::-1]
        died = np.bincount(events.when, events.weight * events.event)
        hazard = np.divide(died, at_risk, out=np.zeros_like(at_risk), where=at_risk > 0).cumsum()
        return np.asarray(relative * hazard[events.when])

    def _parted(
        self, leaf: NDArray[np.bool_], residual: Floats, on_question: Callable[[int], None]
    ) -> list[NDArray[np.bool_]]:
        """The leaf in two by the question that explains the residuals best, or as it is."""
        rows = np.flatnonzero(leaf)
        gain = self._gains(rows, residual)
        best = gain.max(initial=0.0)
        if best <= 0:
            return [leaf]
        question = int(np.argmax(gain >= best * (1 - STEP)))
        on_question(question)
        is_yes = np.zeros(len(leaf), dtype=bool)
        is_yes[rows] = self.answers[rows, question] > 0
        return [is_yes, leaf & ~is_yes]

    def _gains(self, rows: NDArray[np.intp], residual: Floats) -> Floats:
        """What each question explains of the residuals; 0 where it parts too few rows."""
        here = self.answers if len(rows) == len(self.answers) else self.answers[rows]
        of_rows = residual[rows]
        sums = np.stack([np.ones(len(rows)), of_rows]).astype(np.float32) @ here
        n_yes, yes = sums.astype(np.float64)
        n_no, no = len(rows) - n_yes, of_rows.sum() - yes
        is_allowed = (n_yes >= FEWEST_ROWS) & (n_no >= FEWEST_ROWS)
        gain = np.zeros(len(n_yes))
        gain[is_allowed] = (yes**2)[is_allowed] / n_yes[is_allowed]
        gain[is_allowed] += (no**2)[is_allowed] / n_no[is_allowed]
        gain[is_allowed] -= of_rows.sum() ** 2 / len(rows)
        return gain
