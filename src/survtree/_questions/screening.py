"""Which questions are worth searching: those that a boosted model of the outcome splits on.

The model is gradient boosting of Cox's partial likelihood by trees of depth two. It looks at event
flags and times as Cox regression does: a censored row counts as at risk until its time, never as an
event. What it chooses is no part of any proof; the search is exact over what was chosen.
"""

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from survtree._data.table import Bools, Column, EventTable, Floats, Places, Table, mixed
from survtree._questions.checks import Rule
from survtree._questions.forms import IsOne, Question
from survtree._questions.questions import Questions

Answers = NDArray[np.float32]

# The search of depth four over Q questions and n rows looks at up to Q^4 n / 6 pairs of row and
# question; with this many a few thousand rows take seconds.
MOST_WORK = 5e10
FEWEST_QUESTIONS, MOST_QUESTIONS = 24, 84
FEWEST_CHOSEN = 16
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


def screened(
    questions: Sequence[Question],
    rules: Sequence[Rule],
    table: Table,
    events: EventTable,
    left_out: Sequence[str] = (),
    wanted: Collection[int] = (),
) -> Sequence[Question]:
    """The questions; of those open to choice, if there are too many, only the most useful ones.

    Open are the questions about columns with the rule "auto" or "guess", apart from 0/1 columns and
    columns, by place, whose questions are all wanted.
    "guess" keeps those that the boosted model splits on; "auto" keeps as many as can be searched.
    """
    if not any(rule.kind in ("auto", "guess") for rule in rules):
        return questions
    is_guess = rules[0].kind == "guess"
    is_open = [
        rules[question.column].kind in ("auto", "guess")
        and not isinstance(question, IsOne)
        and question.column not in wanted
        for question in questions
    ]
    budget = question_budget(events.n_rows, len(questions) - sum(is_open))
    if not any(is_open) or (sum(is_open) <= budget and not is_guess):
        return questions
    rows = sample_rows(table.without(left_out), events, sample_size(len(questions)))
    table, events = table.take(rows), events.singles(rows)
    # By readability and name, as in the search: the order of columns must not matter.
    order = np.argsort(Questions(table.names, tuple(questions)).ranks()).tolist()
    answers = Questions(table.names, tuple(questions[k] for k in order)).matrix(table)
    found = most_useful(
        answers, events, [is_open[k] for k in order], budget, fills_budget=not is_guess
    )
    chosen = {order[k] for k in found}
    return tuple(q for k, q in enumerate(questions) if k in chosen or not is_open[k])


def question_budget(n_rows: int, n_fixed: int) -> int:
    """How many questions to choose beside the fixed ones, so that a search takes seconds."""
    budget = int(np.clip((MOST_WORK / n_rows) ** 0.25, FEWEST_QUESTIONS, MOST_QUESTIONS))
    return max(budget - n_fixed, FEWEST_CHOSEN)


def sample_size(n_questions: int) -> int:
    """How many rows the model can look at and still be quick."""
    return int(np.clip(MOST_CELLS // n_questions, FEWEST_ROWS_SEEN, MOST_ROWS_SEEN))


def sample_rows(table: Table, events: EventTable, n_rows: int) -> Places:
    """At most ``n_rows`` rows, in the order of a hash of their content: no other order matters.

    Rows with the same hash are the same. Of numbers and times only the order counts, so that the
    unit in which they are measured does not matter either.
    """
    key = np.zeros(table.n_rows, dtype=np.uint64)
    for column in sorted(table.columns, key=lambda column: column.name):
        key = mixed(key, _ranks(column))
    key = mixed(key, events.when.astype(np.uint64))
    for part in (events.weight, events.kinds.astype(np.float64)):
        key = mixed(key, part.view(np.uint64))
    order = np.argsort(key, kind="stable")
    if events.copies is None:
        return order[:n_rows]
    # Entries that stand for several rows come as often as these, in steps of as many rows.
    up_to = events.copies[order].cumsum(dtype=np.int64)
    n_all = int(up_to[-1])
    n_some = min(n_rows, n_all)
    places = (np.arange(n_some) * 2 + 1) * n_all // (2 * n_some)
    return order[np.searchsorted(up_to, places, side="right")]


def _ranks(column: Column) -> NDArray[np.uint64]:
    """The place of each value among those that occur; missing ones have a place of their own."""
    return np.unique(column.values, return_inverse=True)[1].astype(np.uint64)


def most_useful(
    answers: NDArray[np.uint8],
    events: EventTable,
    is_open: Sequence[bool],
    budget: int,
    *,
    fills_budget: bool,
) -> list[int]:
    """Up to ``budget`` of the open questions, by number: the first that the model splits on.

    If it splits on fewer, those that explain most alone may fill the budget.
    """
    model = BoostedCoxModel(answers.astype(np.float32), events)
    chosen: dict[int, None] = {}
    # The products are small: threads of the linear algebra library would mostly wait for each
    # other, and on a busy machine for a long time.
    with threadpool_limits(1, "blas"):
        alone = model.by_gain() if fills_budget else []
        for _ in range(ROUNDS):
            splits = model.add_tree()
            chosen.update((question, None) for question in splits if is_open[question])
            if not splits or len(chosen) >= budget:
                break
    chosen.update((question, None) for question in alone if is_open[question])
    return list(chosen)[:budget]


class BoostedCoxModel:
    """Scores of the rows, improved by one small tree at a time."""

    def __init__(self, answers: Answers, events: EventTable) -> None:
        self.answers = answers
        self.events = events
        self.score = np.zeros(len(events))

    def add_tree(self) -> list[int]:
        """Add a tree; the questions it splits on."""
        hazard, residual = self._hazard_and_residual()
        splits: list[int] = []
        leaves = [np.ones(len(residual), dtype=bool)]
        for _ in range(DEPTH):
            sides = [self._split(leaf, residual, splits.append) for leaf in leaves]
            leaves = [side for pair in sides for side in pair]
        for leaf in leaves:
            expected = hazard[leaf].sum()
            if expected > 0:  # Newton's step for one leaf
                self.score[leaf] += LEARNING_RATE * residual[leaf].sum() / expected
        return splits

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
        died = events.event_weight
        hazard = np.divide(died, at_risk, out=np.zeros_like(at_risk), where=at_risk > 0).cumsum()
        return np.asarray(relative * hazard[events.when])

    def _split(
        self, leaf: Bools, residual: Floats, on_question: Callable[[int], None]
    ) -> list[Bools]:
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

    def _gains(self, rows: Places, residual: Floats) -> Floats:
        """What each question explains of the residuals; 0 where a side has too few rows."""
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
