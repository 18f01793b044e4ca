"""The features: any array or frame as a Table, and what a table must not have."""

from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from survtree._table import Column, Table, table_of
from survtree._validation.columns import column_of_array, column_of_series

MAX_QUESTIONS = 100_000
MAX_ANSWERS = 2**33


def check_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """X as a Table; notes names and column count on the estimator when resetting."""
    if _is_clean_array(X) and (reset or X.shape[1] == estimator.n_features_in_):
        # scikit-learn's checks find nothing here, and take longer than a small fit.
        if reset:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
        if not hasattr(estimator, "feature_names_in_") and _holds_only_0_and_1(X):
            # A copy: what happens to X after the fit must not reach the model.
            matrix = np.array(X, dtype=np.uint8, order="C")
            return Table(default_names(X.shape[1]), len(X), matrix=matrix)
    frame = as_frame(X)
    if frame is not None:
        _check_names(frame.columns)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        if len(frame) == 0:
            raise ValueError("X must have at least one row; it has 0 sample(s).")
        series = [frame.get_column(name) for name in frame.columns]  # [name] may take rows
        return table_of(list(map(column_of_series, _names(estimator), series)))
    array = check_array(_as_array(X), dtype=None, ensure_all_finite=False, estimator=estimator)
    validate_data(estimator, array, reset=reset, skip_check_array=True)
    return table_of(list(map(column_of_array, _names(estimator), array.T)))


def _is_clean_array(X: Any) -> bool:
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "biuf"


def _holds_only_0_and_1(array: NDArray[Any]) -> bool:
    if array.dtype.kind == "b":
        return True
    if array.dtype.kind == "f":
        # A look at some rows first: most tables of numbers are found out there.
        return all(bool(((a == 0) | (a == 1)).all()) for a in (array[:64], array))
    return bool(array.min() >= 0 and array.max() <= 1)


def as_frame(table: Any) -> nw.DataFrame[Any] | None:
    """X as a narwhals frame, or None if it is no frame."""
    if isinstance(table, (np.ndarray, list, tuple)):  # asking narwhals takes a while
        return None
    try:
        frame = nw.from_native(table, eager_only=True, pass_through=True)
    except ValueError:  # of pandas, whose names may repeat
        _check_names(list(table.columns))
        raise
    return frame if isinstance(frame, nw.DataFrame) else None


def _as_array(X: Any) -> Any:
    """Lists keep their types apart, and masked cells are missing ones."""
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "biuf":
        return np.ma.filled(X.astype(np.float64), np.nan)
    if isinstance(X, (list, tuple)):
        return _of_rows(X) if _is_even(X) else X
    return X


def _of_rows(rows: Sequence[Any]) -> NDArray[Any]:
    try:
        array = np.asarray(rows)
    except ValueError:  # a cell is a sequence, which is for its column to complain of
        cells = np.empty((len(rows), len(rows[0])), dtype=object)
        for row, column in np.ndindex(cells.shape):
            cells[row, column] = rows[row][column]
        return cells
    # NumPy would make text of [1, "a"], numbers and all.
    return np.array(rows, dtype=object) if array.dtype.kind in "US" else array


def _is_even(X: Sequence[Any]) -> bool:
    lengths = {len(row) if hasattr(row, "__len__") else -1 for row in X}
    return len(lengths) <= 1


def _names(estimator: Any) -> tuple[str, ...]:
    """The user's names of the columns, or x0, x1, ... where there are none."""
    named = getattr(estimator, "feature_names_in_", None)
    return tuple(named) if named is not None else default_names(estimator.n_features_in_)


def default_names(n_columns: int) -> tuple[str, ...]:
    """Names of unnamed columns."""
    return tuple(f"x{j}" for j in range(n_columns))


def _check_names(names: Sequence[Any]) -> None:
    if len(names) == 0:
        raise ValueError("X must have at least one column; it has 0 feature(s).")
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"column names must differ; {name!r} occurs twice. Rename one.")
        seen.add(name)


def check_missing(table: Table, policy: str) -> None:
    """Complain of missing cells unless the policy has a use for them."""
    if policy == "question" or table.matrix is not None:
        return
    found = [(column.name, column.is_missing()) for column in table.columns]
    counts = [(name, int(gone.sum()), int(np.argmax(gone))) for name, gone in found if gone.any()]
    if not counts:
        return
    listed = ", ".join(f"{name!r} ({n:,}, the first in row {row})" for name, n, row in counts[:10])
    more = f" and {len(counts) - 10} more" if len(counts) > 10 else ""
    remedy = (
        "missing='drop' leaves rows out of the fit; a row to predict must be filled, or the model "
        "fitted with missing='question'."
        if policy == "drop"
        else "Fill them, or pass missing='question' (being missing is a question of its own) or "
        "missing='drop' (leave these rows out)."
    )
    raise ValueError(
        f"X must not have missing values (NaN or null); of {table.n_rows:,} rows they are missing "
        f"in {listed}{more}. {remedy}"
    )


def check_some_rows(is_gap: NDArray[np.bool_]) -> None:
    """Complain if leaving rows out leaves none."""
    if is_gap.all():
        raise ValueError(
            f"missing='drop' leaves no row: each of {len(is_gap):,} has a missing value. Leave out "
            "the columns that are mostly missing, or pass missing='question'."
        )


def check_levels(column: Column, n_levels: int, max_levels: int) -> None:
    """Complain of a column of categories with too many of them."""
    if n_levels <= max_levels:
        return
    shown = ", ".join(map(repr, column.levels[:3]))
    hint = (
        "They read as numbers: convert the column to numbers."
        if all(_is_number(level) for level in column.levels)
        else "Is it an identifier? Leave it out, group its levels, or raise max_levels."
    )
    raise ValueError(
        f"column {column.name!r} must have at most {max_levels:,} levels (max_levels); it has "
        f"{n_levels:,}: {shown}, ... {hint}"
    )


def _is_number(level: str) -> bool:
    try:
        float(level)
    except ValueError:
        return False
    return True


def check_question_count(n_questions: int, n_rows: int) -> None:
    """Complain of more questions than can be asked."""
    if n_questions <= MAX_QUESTIONS and n_questions * n_rows <= MAX_ANSWERS:
        return
    raise ValueError(
        f"at most {MAX_QUESTIONS:,} questions and {MAX_ANSWERS:,} answers (rows x questions) fit; "
        f"the columns make {n_questions:,} questions on {n_rows:,} rows. Pass thresholds='auto' or "
        "a number of thresholds a column, or leave columns out."
    )
