"""Columns to yes/no questions and back to words. Never knows how good a question is for the loss.

Part of scikit-learn's world: a transformer that can be used alone.
"""

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from survtree._base.checks import check_options
from survtree._data.read_new_rows import Seen, check_kinds, warn_of_unseen
from survtree._data.read_outcome import check_events, check_outcome
from survtree._data.read_table import check_missing, check_some_rows, check_table
from survtree._data.table import Column, EventTable, Table
from survtree._questions.checks import check_guess, check_levels, check_question_count, check_rules
from survtree._questions.cut_points import Rule, cut_points
from survtree._questions.paper_encoding import paper_questions
from survtree._questions.questions import Question, Questions
from survtree._questions.screening import screened


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns a table of numbers, flags and categories into yes/no questions.

    Numbers that are only 0 and 1, and booleans, are one question each. Other numbers are cut at
    thresholds ("age <= 62.5"), each between two values that occur and with as few digits as keep
    them apart. Categories are one question a level ("stage is III"); categories with an order are
    cut between levels ("stage is I or II"). A missing value answers no to every question but
    "is missing", and so does a level that the fit did not see.

    Parameters
    ----------
    thresholds : default="auto"
        Where numbers are cut into questions like age <= 62.5.
        "auto": up to 15 a column, at quantiles; where that and the levels of categories make more
        questions than can be searched in seconds, those of them that a boosted model of the outcome
        asks first (this needs ``y``). "guess": the questions that the boosted model asks, out of up
        to 63 thresholds a column and all levels (needs ``y``). "all": between any two values. An
        int: at most so many a column, at quantiles. ("width", k): k a column, evenly spaced. A
        list: these numbers. A dict: one of these for columns by name, "auto" for the others.
    missing : {"error", "question", "drop"}, default="error"
        Missing cells: refuse them, ask about them, or leave out the rows of the fit.
    encoding : {"questions", "paper"}, default="questions"
        Readable questions, or the 0/1 columns of the paper's experiments.
    max_levels : int, default=100
        Most levels a column of categories may have.

    Attributes
    ----------
    questions_ : Questions
        What is asked, in the order of the columns of ``transform``.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"age": [41, 62, 63, 70], "stage": ["I", "III", "III", "II"]})
    >>> binarizer = Binarizer().fit(frame)
    >>> binarizer.get_feature_names_out().tolist()
    ['age <= 50', 'age <= 62.5', 'age <= 66', 'stage is I', 'stage is II', 'stage is III']
    >>> binarizer.transform(frame)[1].tolist()
    [0, 1, 1, 0, 0, 1]
    """

    def __init__(
        self,
        thresholds: Any = "auto",
        *,
        missing: str = "error",
        encoding: str = "questions",
        max_levels: int = 100,
    ) -> None:
        self.thresholds = thresholds
        self.missing = missing
        self.encoding = encoding
        self.max_levels = max_levels

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Binarizer":
        """Choose the questions. ``y`` (event and time) is used by "auto" and "guess"."""
        check_options(self)
        table = check_table(self, X, reset=True)
        if y is None:
            return self.fit_table(*self.without_gaps(table, None))
        events = check_outcome(y, sample_weight, table.n_rows)
        return self.fit_table(*self.without_gaps(table, events))

    @overload
    def without_gaps(self, table: Table, events: EventTable) -> tuple[Table, EventTable]: ...
    @overload
    def without_gaps(self, table: Table, events: None) -> tuple[Table, None]: ...
    def without_gaps(
        self, table: Table, events: EventTable | None
    ) -> tuple[Table, EventTable | None]:
        """The rows to fit on: all, or those without missing cells; or an error that names them."""
        if self.missing != "drop":
            check_missing(table, self.missing)
            return table, events
        is_gap = table.is_missing_anywhere()
        if not is_gap.any():
            return table, events
        check_some_rows(is_gap, None if events is None else events.event)
        if events is None:
            return table.take(~is_gap), None
        return table.take(~is_gap), check_events(events.take(~is_gap))

    def fit_table(self, table: Table, events: EventTable | None) -> "Binarizer":
        """Choose the questions for a table that was read and whose gaps were seen to."""
        self._published_names: list[str] = []
        is_auto = isinstance(self.thresholds, str) and self.thresholds == "auto"
        if table.matrix is not None and self.encoding == "questions" and is_auto:
            self.questions_ = Questions(table.names)
            self.seen_ = (Seen("number", is_zero_one=True),) * len(table.names)
            return self
        rules = check_rules(self.thresholds, table.columns)
        self.seen_ = tuple(map(_seen, table.columns))
        if self.encoding == "paper":
            named = paper_questions(table.columns)
            self.questions_ = Questions(table.names, tuple(question for _, question in named))
            self._published_names = [name for name, _ in named]
        else:
            found = [self._questions_of(j, table.columns[j], rules[j]) for j in range(len(rules))]
            asked = [question for questions in found for question in questions]
            check_guess(rules, events)
            if events is not None:
                asked = screened(asked, rules, table, events)
            self.questions_ = Questions(table.names, tuple(asked))
        check_question_count(len(self.questions_), table.n_rows)
        return self

    def _questions_of(self, j: int, column: Column, rule: Rule) -> list[Question]:
        is_missing = column.is_missing()
        has_gaps = bool(is_missing.any())
        present = column.values[~is_missing] if has_gaps else column.values
        gap = [Question(j, "missing")] if has_gaps else []
        if column.kind == "number" and not self.seen_[j].is_zero_one:
            if rule.kind == "width":
                check_question_count(rule.value, len(column.values))
            cuts = cut_points(present.astype(np.float64, copy=False), rule)
            check_question_count(len(cuts), len(column.values))
            return [Question(j, "at_most", cut) for cut in cuts] + gap
        if column.kind in ("number", "flag"):
            word = "True" if column.kind == "flag" else None
            is_constant = len(present) == 0 or present.min() == present.max()
            return ([] if is_constant else [Question(j, "one", word)]) + gap
        occurring = column.occurring()
        check_levels(column, len(occurring), self.max_levels)
        if column.kind == "ordered":
            return _between_levels(j, column.levels, occurring.tolist()) + gap
        questions = [Question(j, "in", (column.levels[place],)) for place in occurring.tolist()]
        if len(questions) == 2 and not has_gaps:  # one is the other's complement
            questions = [min(questions, key=Question.readability)]
        return (questions if len(occurring) > 1 else []) + gap

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """The answers, rows x questions: 1 is yes."""
        table = self.read(X)
        warn_of_unseen(table, dict(enumerate(self.seen_)))
        return self.questions_.matrix(table)

    def read(self, X: Any, model: Any = None) -> Table:
        """New rows, checked against the columns of the fit; complaints speak of the model."""
        check_is_fitted(self, "questions_")
        table = check_table(model or self, X, reset=False)
        check_missing(table, self.missing, is_fit=False)
        return check_kinds(table, self.seen_)

    def read_with_outcome(
        self, X: Any, y: Any, sample_weight: Any, model: Any = None
    ) -> tuple[Table, EventTable]:
        """Rows whose outcome is known; as at fit, those with missing cells may be left out."""
        table = check_table(model or self, X, reset=False)
        events = check_outcome(y, sample_weight, table.n_rows)
        table, events = self.without_gaps(table, events)
        return check_kinds(table, self.seen_), events

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The questions in words, or the published names with the paper's encoding."""
        check_is_fitted(self, "questions_")
        return np.array(self._published_names or self.questions_.texts, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "question"
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _seen(column: Column) -> Seen:
    is_zero_one = column.kind == "flag"
    if column.kind == "number":
        # NaN is neither, so gaps are looked for only if the first rows leave it open.
        is_zero_one = all(
            bool(((v == 0) | (v == 1) | np.isnan(v)).all())
            for v in (column.values[:64], column.values)
        )
    levels = column.levels
    if column.kind == "level":
        levels = tuple(levels[place] for place in column.occurring())
    has_missing = bool(column.is_missing().any())
    return Seen(column.kind, frozenset(levels), is_zero_one, has_missing)


def _between_levels(j: int, levels: tuple[str, ...], occurring: list[int]) -> list[Question]:
    """Ordered levels cut after each that occurs but the last; the shorter side is the yes."""
    questions: list[Question] = []
    for place in occurring[:-1]:
        low, high = levels[: place + 1], levels[place + 1 :]
        is_low = len(low) <= len(high)
        questions.append(Question(j, "up_to" if is_low else "from", low if is_low else high))
    return questions
