"""The transformer from columns to yes/no questions, the candidate splits of a tree.

It knows nothing of the loss, and can be used alone as any transformer of scikit-learn.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from survtree._base.checks import check_options
from survtree._data.causes import Causes, with_known_causes
from survtree._data.frames import is_streamed
from survtree._data.read_columns import warn_of_data
from survtree._data.read_roles import Roles, covariates_of, rows_of
from survtree._data.read_rows import (
    TAKE_MISSING,
    Seen,
    Study,
    left_out_by,
    read_columns,
    read_new_rows,
    read_study,
    rows_kept,
    warn_of_unseen,
)
from survtree._data.table import Column, EventTable, Floats, Table
from survtree._questions.asked import Asked, Part, also_if_missing
from survtree._questions.checks import (
    Rule,
    check_guess,
    check_levels,
    check_question_count,
    check_rules,
    check_texts,
)
from survtree._questions.encodings import n_cuts_left_out, paper_questions, readable_questions
from survtree._questions.forms import Question
from survtree._questions.level_groups import all_level_groups, level_groups
from survtree._questions.questions import Questions
from survtree._questions.screening import screened


class KnownColumns(NamedTuple):
    """What is known of the columns where rows are groups: each value once, and the cuts."""

    columns: Sequence[Column]
    cuts: Sequence[Floats | None]  # None where a column has no numbers to cut
    n_values: Sequence[int]


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns a table of numbers, flags and categories into yes/no questions.

    A column of 0 and 1, or of booleans, becomes one question. Other numbers are cut at thresholds
    ("age <= 62.5"), each between two values that occur and with as few digits as keep them apart.
    Categories become one question per level ("stage is III"); categories with an order are cut
    between levels ("stage is I or II"). A missing value answers no to every question but
    "is missing", and so does a level that the fit did not see.

    Parameters
    ----------
    thresholds : default="auto"
        Where numbers are cut into questions like age <= 62.5.
        "auto": up to 15 thresholds per column, at quantiles; where these and the levels of
        categories are more questions than can be searched in seconds, those that a boosted model
        of the outcome splits on first (this needs ``y``). "guess": the questions that the boosted
        model splits on, out of up to 63 thresholds per column and all levels (needs ``y``). "all":
        between any two values. An int: at most this many per column, at quantiles. ("width", k): k
        per column, evenly spaced. A list: these numbers. A dict: one of these for columns by name,
        "auto" for the others.
    missing : {"error", "question", "better", "drop"}, default="error"
        Missing values: refuse them; ask whether a value is missing; ask each question also with
        yes for missing values ("age <= 62.5 or missing"); or leave their rows out of the fit.
    encoding : {"questions", "paper"}, default="questions"
        Readable questions, or the 0/1 columns of the paper's experiments.
    max_levels : int, default=100
        Most levels a column of categories may have.
    levels : {"each", "grouped", "subsets"}, default="each"
        A question for each level; with "grouped" also for groups of levels, in the order of their
        risk (this needs ``y``); with "subsets" for every division of up to 8 levels in two, and
        for groups by risk where there are more.
    categorical : list of column names or None, default=None
        Columns whose numbers are codes of categories.
    exclude : list of column names or None, default=None
        Columns without questions. Columns that number the rows have none either, with a
        ``DataWarning``, unless ``thresholds`` or ``categorical`` name them.

    Attributes
    ----------
    questions_ : Questions
        The questions, in the order of the columns of ``transform``.
    n_splits_ : int
        How many there would be with every cut of every number, and without a boosted model that
        chooses among them.

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
        levels: str = "each",
        categorical: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
    ) -> None:
        self.thresholds = thresholds
        self.missing = missing
        self.encoding = encoding
        self.max_levels = max_levels
        self.levels = levels
        self.categorical = categorical
        self.exclude = exclude

    # Which columns held the outcome, if the fit of a tree took it from the frame of X.
    roles_: Roles | None = None
    causes_: Causes | None = None  # of competing risks, if the fit saw some
    # The labels of the event and of censored rows, if there is one cause and flags do not tell it.
    one_cause_: Causes | None = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "Binarizer":
        """Choose the questions. ``y`` (event and time) is used by "auto" and "guess"."""
        check_options(self)
        # A copy is fitted: if it fails, this one keeps its questions and their columns.
        fitted = copy(self)
        cautions = fitted._fit(X, y, sample_weight)
        self.__dict__ = fitted.__dict__
        warn_of_data(cautions)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Sequence[str]:
        """What must be said of the columns."""
        if y is not None:
            study = read_study(self, X, y, sample_weight, self.missing)
            self.fit_table(study.table, study.events, study.left_out)
            return study.cautions
        table, left_out, cautions = read_columns(self, X)
        is_kept = rows_kept(table.without(left_out), self.missing)
        table = table if is_kept.all() else table.take(is_kept)
        self.fit_table(table, None, left_out)
        return cautions

    def fit_table(
        self,
        table: Table,
        events: EventTable | None,
        left_out: Sequence[str] = (),
        kept: str | None = None,
        known: "KnownColumns | None" = None,
    ) -> "Binarizer":
        """Choose the questions for rows that were read and are all to be fitted on.

        There are none about columns that are left out. Those about a column that is to be kept are
        not open to choice. If rows are groups, what is known of the columns tells their values.
        """
        self._published_names: list[str] = []
        self.n_splits_ = 0
        self.roles_ = None
        causes = None if events is None else events.causes
        is_one = causes is not None and not causes.are_several
        self.causes_, self.one_cause_ = (None, causes) if is_one else (causes, None)
        is_auto = isinstance(self.thresholds, str) and self.thresholds == "auto"
        is_plain = self.encoding == "questions" and is_auto and not left_out
        if table.matrix is not None and is_plain:
            self.questions_ = Questions(table.names)
            self.n_splits_ = len(table.names)
            self.seen_ = (Seen("number", is_zero_one=True),) * len(table.names)
            return self
        columns = table.columns if known is None else known.columns
        check_texts(columns)
        rules = check_rules(self.thresholds, columns)
        self.seen_ = tuple(
            Seen.of(column, is_left_out=column.name in left_out) for column in columns
        )
        if self.encoding == "paper":
            named = paper_questions(table.columns)
            named = [(n, q) for n, q in named if not self.seen_[q.column].is_left_out]
            questions: Sequence[Question] = tuple(question for _, question in named)
            self._published_names = [name for name, _ in named]
        else:
            questions = self._readable(table, events, rules, kept, known)
        self.questions_ = Questions(table.names, questions)
        self.n_splits_ = max(self.n_splits_, len(questions))
        check_question_count(len(self.questions_))
        return self

    def _readable(
        self,
        table: Table,
        events: EventTable | None,
        rules: Sequence[Rule],
        kept: str | None,
        known: "KnownColumns | None",
    ) -> Sequence[Question]:
        """The questions about all columns; with an outcome, those worth searching."""
        covariates = list(self._covariates(table.columns if known is None else known.columns))
        check_levels([column for _, column in covariates], self.max_levels)
        parts: list[Part] = []
        for j, column in covariates:
            rule, is_zero_one = rules[j], self.seen_[j].is_zero_one
            cuts, n_values = (None, None) if known is None else (known.cuts[j], known.n_values[j])
            found = readable_questions(j, column, rule, is_zero_one=is_zero_one, cuts=cuts)
            n_cut_out = 0 if is_zero_one else n_cuts_left_out(column, found, n_values)
            if column.kind == "level":
                found = Asked((*found.parts, *self._groups_of_levels(j, table.columns[j], events)))
            if self.missing == "better" and self.seen_[j].has_missing:
                occurring = (column.levels[k] for k in column.occurring()) if column.levels else ()
                found = Asked((*found.parts, *also_if_missing(found, occurring).parts))
                n_cut_out *= 2
            parts += found.parts
            self.n_splits_ += len(found) + n_cut_out
        check_guess(rules, events)
        questions = Asked(tuple(parts))
        if events is None:
            return questions
        left_out = left_out_by(self.seen_, table.names)
        wanted = set() if kept is None else {table.names.index(kept)}
        if self.levels == "subsets":
            wanted.update(j for j, column in covariates if column.kind == "level")
        return screened(questions, rules, table, events, left_out, wanted)

    def _groups_of_levels(
        self, j: int, column: Column, events: EventTable | None
    ) -> Sequence[Question]:
        """Those of two levels or more that are asked about."""
        every = all_level_groups(j, column) if self.levels == "subsets" else None
        if every is not None:
            return every
        is_grouped = self.levels in ("grouped", "subsets") and events is not None
        return level_groups(j, column, events) if is_grouped and events is not None else []

    def _covariates(self, columns: Sequence[Column]) -> Iterator[tuple[int, Column]]:
        """Places and columns of those that are not left out."""
        for j, column in enumerate(columns):
            if not self.seen_[j].is_left_out:
                yield j, column

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """The answers, rows x questions: 1 is yes."""
        table = self.read(X)
        warn_of_unseen(table, dict(enumerate(self.seen_)))
        return self.questions_.matrix(table)

    def read(self, X: Any, model: Any = None) -> Table:
        """New rows, checked against the columns of the fit; messages speak of the model."""
        check_is_fitted(self, "questions_")
        covariates = covariates_of(X, self.roles_)
        return read_new_rows(model or self, covariates, self.seen_, self.missing)

    def read_with_outcome(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        model: Any = None,
        *,
        needs_weight: bool = False,
    ) -> Study:
        """Rows whose outcome is known; as at fit, those with missing values may be left out.

        Lazy rows come as groups of those with the same answers, time and event. Other rows than
        those of the fit need not have its column of weights.
        """
        if is_streamed(X):
            from survtree._data.read_lazy import check_lazy_again  # polars is slow to import
            from survtree._questions.lazy_groups import grouped_known_rows

            given = X, y, sample_weight, self.roles_
            return grouped_known_rows(self, check_lazy_again(*given, needs_weight=needs_weight))
        X, y, sample_weight = rows_of(X, y, sample_weight, self.roles_, needs_weight=needs_weight)
        y = with_known_causes(y, self.known_causes)
        return read_study(model or self, X, y, sample_weight, self.missing, self.seen_)

    @property
    def known_causes(self) -> Causes | None:
        """The labels by which outcomes are read, as at the fit; None: they are flags."""
        return self.causes_ or self.one_cause_

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The questions in words, or the published names with the paper's encoding."""
        check_is_fitted(self, "questions_")
        return np.array(self._published_names or self.questions_.texts, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing in TAKE_MISSING
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags
