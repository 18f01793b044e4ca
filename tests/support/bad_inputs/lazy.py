"""Bad inputs of rows that are read in passes."""

from typing import Any

import polars as pl

from survtree import OptimalSurvivalTree
from tests.support.bad_inputs.case import EVENT, TABLE, TIME, Case

ROWS = pl.DataFrame(
    {**{name: TABLE[name].to_list() for name in TABLE.columns}, "days": TIME, "died": EVENT}
)


def fit_lazy(
    frame: Any = ROWS,
    sample_weight: Any = None,
    *,
    duration_col: Any = "days",
    event_col: Any = "died",
    **options: Any,
) -> Any:
    """Fits the good table, spoilt, as a lazy frame."""
    model = OptimalSurvivalTree(**{"regularization": 0.01, **options})
    roles = {"duration_col": duration_col, "event_col": event_col}
    return model.fit(frame.lazy(), None, sample_weight, **roles)


def at(column: str, row: int, value: Any) -> pl.DataFrame:
    """The good rows but for one cell."""
    cells = ROWS[column].to_list()
    cells[row] = value
    return ROWS.with_columns(pl.Series(column, cells, strict=False))


LAZY: dict[str, list[Case]] = {
    "A lazy X": [
        Case("no columns of the outcome", lambda: fit_lazy(event_col=None), ("duration_col",)),
        Case("a column that is not there", lambda: fit_lazy(event_col="dead"), ("'dead'",)),
        Case(
            "weights that are no column",
            lambda: fit_lazy(ROWS, [1.0] * len(ROWS)),
            ("sample_weight",),
            kind=TypeError,
        ),
        Case("a negative time", lambda: fit_lazy(at("days", 3, -2.0)), ("row 3 has -2.0",)),
        Case("a missing time", lambda: fit_lazy(at("days", 5, None)), ("row 5",)),
        Case("an event of 2", lambda: fit_lazy(at("died", 7, 2)), ("row 7 has 2",)),
        Case("a missing event", lambda: fit_lazy(at("died", 4, None)), ("row 4",)),
        Case("a missing age", lambda: fit_lazy(at("age", 9, None)), ("'age' (1, ", "row 9")),
        Case("an infinite age", lambda: fit_lazy(at("age", 2, float("inf"))), ("row 2 has inf",)),
        Case(
            "a negative weight",
            lambda: fit_lazy(ROWS.with_columns(w=pl.int_range(pl.len()) - 1.0), "w"),
            ("row 0 has -1.0",),
        ),
        Case(
            "weights in the column of the times",
            lambda: fit_lazy(ROWS, "days"),
            ("sample_weight", "'days'"),
        ),
        Case("no rows", lambda: fit_lazy(ROWS.clear()), ("at least one row",)),
        Case("`teacher='cox'`", lambda: fit_lazy(teacher="cox"), ("teacher", "'cox'")),
        Case("`certificate='full'`", lambda: fit_lazy(certificate="full"), ("certificate",)),
        Case("`encoding='paper'`", lambda: fit_lazy(encoding="paper"), ("encoding",)),
        Case(
            "for a model that was given `y`",
            lambda: OptimalSurvivalTree(1, 0.01).fit(TABLE, (EVENT, TIME)).score(ROWS.lazy()),
            ("this fit was given y",),
        ),
        Case(
            "for a model: a column is not there",
            lambda: fit_lazy().score(ROWS.drop("age").lazy()),
            ("'age'",),
        ),
        Case(
            "for a model: text in place of numbers",
            lambda: fit_lazy().score(ROWS.with_columns(age=pl.lit("old")).lazy()),
            ("'age'", "row 0", "'old'"),
        ),
    ],
}
