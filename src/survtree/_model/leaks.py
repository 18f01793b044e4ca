"""Is there a column that is known only after the outcome?

Such a column (a cause of death, a date of last contact) gives a tree that fits perfectly and
predicts nothing. It shows: the split all but decides which rows had the event, or the column all
but is the time. Real covariates hardly ever do that among so many rows, whose follow-up ends at
different times.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from survtree._base.numbers import format_count
from survtree._base.tree import Tree
from survtree._data.table import Column, EventTable, Floats, Places
from survtree._model.prepare import Prepared
from survtree._questions.coded_answers import Answers, CodedAnswers

# Rows with the event, and rows without, that a split must tell apart: fewer may be chance.
FEWEST_ROWS = 20
# The share of these rows that may be on the wrong side.
MOST_WRONG = 0.1
# So many rows that all had the event, while no more than this share of the others had it: in public
# tables causes of death and states at the end of a study do so, and covariates do not. A side
# without any event is common, and says nothing.
MANY_ROWS, MOST_OTHERS = 100, 0.6
# Rank correlation with the time from which on a column is taken for a copy of it.
MOST_LIKE_TIME = 0.98
ENOUGH_ROWS = 5_000  # to tell it
SAMPLED_ROWS = 20_000


def leaks_of(prepared: Prepared, tree: Tree) -> Iterator[str]:
    """A sentence for each column that seems to hold the outcome.

    All candidate splits of all rows are looked at, also those that the tree does not or must not
    have, and the splits of the tree where they are.
    """
    questions, found = prepared.problem.questions, dict[str, str]()
    for event, exact in _outcomes(prepared.exact):
        looked_at = replace(prepared, exact=exact)
        for place, text in (*_of_all_rows(looked_at, event), *_of_tree(looked_at, tree, event)):
            found.setdefault(questions.names[questions.asked[place].column], text)
    for name, text in found.items():
        yield (
            f"{text}. If {name!r} is known only after the outcome, no prediction can rest on it: "
            f"leave the column out with exclude=[{name!r}]."
        )


def _outcomes(exact: EventTable) -> Iterator[tuple[str, EventTable]]:
    """What a column may hold, and its name: the target cause, and whether there was any cause."""
    yield "the event", exact
    if exact.cause is not None:
        yield "the event of any cause", replace(exact, event=exact.cause > 0)


def _of_all_rows(prepared: Prepared, what: str) -> Iterator[tuple[int, str]]:
    """Candidate splits that decide the event among all rows, the best first."""
    problem, event = prepared.problem, prepared.exact.event
    step = max(1, len(event) // SAMPLED_ROWS)  # who decides the event does so in a sample
    some = prepared.exact.take(np.arange(0, len(event), step))
    n_wrong = _n_other_answers(problem.answers, step, some)
    n_wrong, n_events = np.minimum(n_wrong, some.n_rows - n_wrong), some.n_events
    n_others = some.n_rows - n_events
    if not len(n_wrong) or not _decides(int(n_wrong.min()), n_events, n_others):
        return  # before many questions are sorted
    for place in map(int, np.argsort(n_wrong, kind="stable")):
        if not _decides(int(n_wrong[place]), n_events, n_others):
            return
        is_yes = problem.rows_of_yes(place)
        count = prepared.exact.count
        sides = (np.array([count(each), count(each & event)]) for each in (~is_yes, is_yes))
        if text := _split_decides(problem.questions.text(place), what, *sides):
            yield place, text


def _n_other_answers(answers: Answers, step: int, events: EventTable) -> NDArray[Any]:
    """For each question, how many of every ``step``-th row answer it unlike their event flag."""
    had, copies = events.event, events.copies
    if isinstance(answers, CodedAnswers):
        some = answers.every(step)
        return np.asarray(some.n_yes(~had, copies) + events.n_events - some.n_yes(had, copies))
    differ = answers[::step] != had[:, np.newaxis]
    if copies is not None:
        return np.asarray(copies.astype(np.int64) @ differ)
    return np.asarray(np.count_nonzero(differ, axis=0))


def _of_tree(prepared: Prepared, tree: Tree, what: str) -> Iterator[tuple[int, str]]:
    """Splits of the tree on columns that hold the outcome, or that decide the event there."""
    questions, table = prepared.problem.questions, prepared.covariates
    splits = np.flatnonzero(tree.question >= 0).tolist()
    # A table of nothing but 0 and 1 has neither levels nor times.
    place_of = {} if table.matrix is not None else {name: j for j, name in enumerate(table.names)}
    if not splits:
        return
    counts = _rows_and_events(prepared, tree)
    for node in splits:
        place = int(tree.question[node])
        at = place_of.get(questions.names[questions.asked[place].column])
        sides = counts[:, tree.no[node]], counts[:, tree.yes[node]]
        text = "" if at is None else _column_tells(table.columns[at], prepared.exact, what)
        if text := text or _split_decides(questions.text(place), what, *sides):
            yield place, text


def _column_tells(column: Column, events: EventTable, what: str) -> str:
    return _levels_decide(column, events, what) or _is_time(column, events)


def _rows_and_events(prepared: Prepared, tree: Tree) -> Places:
    """Of each node: 2 x nodes."""
    leaf_of_row, leaves, events = prepared.problem.leaf_of_row(tree), tree.leaves, prepared.exact
    counts = np.zeros((2, tree.n_nodes), dtype=np.intp)
    counts[0, leaves] = events.counts_in(leaf_of_row, len(leaves))
    counts[1, leaves] = events.counts_in(leaf_of_row, len(leaves), events.event)
    for node in reversed(np.flatnonzero(tree.question >= 0).tolist()):  # children come after
        counts[:, node] = counts[:, tree.no[node]] + counts[:, tree.yes[node]]
    return counts


def _split_decides(words: str, what: str, no: Places, yes: Places) -> str:
    """What to say if nearly all rows on one side had the event, and few on the other."""
    sides = sorted((no.tolist(), yes.tolist()), key=lambda side: side[1] / side[0])
    (n_low, low), (n_high, high) = sides
    is_sure = n_high >= MANY_ROWS and high == n_high and low <= MOST_OTHERS * n_low
    if not is_sure and not _decides(low + n_high - high, low + high, n_low + n_high - low - high):
        return ""
    return (
        f"the split {words!r} all but decides {what}: {_of(low, n_low)} on one side had it, "
        f"{_of(high, n_high)} on the other"
    )


def _levels_decide(column: Column, events: EventTable, what: str) -> str:
    """Whether nearly all rows of a level had the event, or nearly none, level by level."""
    if column.kind not in ("level", "ordered"):
        return ""
    n_levels = len(column.levels) + 1  # one for missing values
    places: Places = np.asarray(column.values, dtype=np.intp) + 1
    n = events.counts_in(places, n_levels)
    had = events.counts_in(places, n_levels, events.event)
    n_wrong = int(np.minimum(had, n - had).sum())
    is_fine = int((n > 0).sum()) * FEWEST_ROWS > events.n_rows  # too few rows per level to tell
    if is_fine or not _decides(n_wrong, int(had.sum()), int((n - had).sum())):
        return ""
    return (
        f"the levels of column {column.name!r} all but decide {what}: only "
        f"{_of(n_wrong, events.n_rows)} differ from most of their level"
    )


def _decides(n_wrong: int, n_events: int, n_others: int) -> bool:
    fewest = min(n_events, n_others)
    return fewest >= FEWEST_ROWS and n_wrong <= MOST_WRONG * fewest


def _is_time(column: Column, events: EventTable) -> str:
    """Whether a column of numbers has nearly the order of the times."""
    some = np.flatnonzero(~column.is_missing())
    some = some[:: max(1, len(some) // ENOUGH_ROWS)]
    values: Floats = np.asarray(column.values[some], dtype=np.float64)
    time = events.time[some]
    if column.kind != "number" or min(len(np.unique(values)), len(np.unique(time))) < FEWEST_ROWS:
        return ""
    likeness = abs(float(np.corrcoef(rankdata(values), rankdata(time))[0, 1]))
    if likeness < MOST_LIKE_TIME:
        return ""
    return f"column {column.name!r} all but is the time (rank correlation {likeness:.3f})"


def _of(some: int, of_all: int) -> str:
    return f"{some:,} of {format_count(of_all, 'row')}"
