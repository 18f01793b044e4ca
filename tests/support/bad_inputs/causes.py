"""Bad inputs with competing risks."""

from typing import Any

import numpy as np
import pandas as pd

from survtree import DataWarning, OptimalSurvivalTree, metrics
from tests.support.bad_inputs.case import TABLE, TIME, Case, Y, but
from tests.support.bad_inputs.fits import fit, fit_named

CAUSES = np.array([1, 2, 0, 1] * 4)
WORDS = np.array(["censored", "death", "relapse"])[CAUSES]
DATES = pd.Series(pd.date_range("2020-01-01", periods=len(CAUSES)))


def fit_cause(event: Any, cause: Any = None, censored: Any = None, **options: Any) -> Any:
    """Fits the good table with these causes."""
    model = OptimalSurvivalTree(**options)
    return model.fit(TABLE, (event, TIME), cause=cause, censored=censored)


def fit_flags() -> Any:
    """Scores flags by a tree of one cause, whose code 0 is the event and 1 censored."""
    model = fit_cause(np.where(CAUSES == 0, 1, 0), 0, 1, regularization=0.01)
    return model.score(TABLE, (CAUSES > 0, TIME))


def fitted() -> Any:
    """A tree about cause 1."""
    return fit_cause(CAUSES, 1, regularization=0.01)


CAUSED: dict[str, list[Case]] = {
    "`cause` and `censored`": [
        Case("codes 0, 1, 2 without a cause", lambda: fit(y=(CAUSES, TIME)), ("cause=1",)),
        Case("words without a cause", lambda: fit(y=(WORDS, TIME)), ("cause='death'",)),
        Case("`cause=3`", lambda: fit_cause(CAUSES, 3), ("'1', '2'", "3")),
        Case("`cause='relaps'`", lambda: fit_cause(WORDS, "relaps"), ("'relapse'",)),
        Case("`censored=0` alone", lambda: fit_cause(CAUSES, censored=0), ("cause=",)),
        Case(
            "no word for censored",
            lambda: fit_cause(np.where(WORDS == "censored", "lost", WORDS), "death"),
            ("censored", "'lost'"),
        ),
        Case(
            "`censored='Censored'` of rows with `censored`",
            lambda: fit_cause(WORDS, "death", "Censored"),
            ("'Censored'", "'censored'"),
        ),
        Case("`censored=9` of codes 0, 1, 2", lambda: fit_cause(CAUSES, 1, 9), ("'9'", "'0'")),
        Case(
            "`censored='lost'` of no row",
            lambda: fit_cause(np.where(CAUSES == 0, "relapse", WORDS), "death", "lost"),
            ("none counts as censored", "'lost'"),
            DataWarning,
        ),
        Case("a negative code", lambda: fit_cause(CAUSES - 1, 1), ("row 2 has -1",)),
        Case("a code of 1.5", lambda: fit_cause(CAUSES * 1.5, 3), ("row 0 has 1.5",)),
        Case(
            "a missing code",
            lambda: fit_cause(but(CAUSES, 3, np.nan, float), 1),
            ("row 3", "missing"),
        ),
        Case(
            "more labels than causes can be",
            lambda: OptimalSurvivalTree().fit(
                np.arange(40.0).reshape(-1, 1), (np.arange(40), np.arange(1.0, 41)), cause=1
            ),
            ("at most 20", "swapped"),
        ),
        Case(
            "two columns of small whole numbers",
            lambda: fit_named(TABLE, pd.DataFrame({"days": TIME, "cause": CAUSES}), cause=1),
            ("pair",),
        ),
        Case(
            "a pair (time, cause)",
            lambda: OptimalSurvivalTree().fit(TABLE, (TIME, CAUSES), cause=1),
            ("swapped",),
        ),
        Case("dates as causes", lambda: fit_cause(DATES, 1), ("dates",)),
        Case(
            "`reference='forest'`",
            lambda: fit_cause(CAUSES, 1, regularization=0.01, reference="forest"),
            ("reference", "competing risks"),
        ),
        Case(
            "a teacher of one cause",
            lambda: fit_cause(CAUSES, 1, teacher=OptimalSurvivalTree().fit(TABLE, Y)),
            ("teacher", "OptimalSurvivalTree"),
        ),
        Case(
            "a new label in rows to score",
            lambda: fitted().score(TABLE, (np.where(CAUSES == 2, 5, CAUSES), TIME)),
            ("'5'", "'1', '2'"),
        ),
        Case(
            "True and False to score by causes 1, 2",
            lambda: metrics.ibs_ratio((CAUSES == 1, TIME), fitted(), X=TABLE),
            ("'1', '2'", "flags"),
        ),
        Case("the same where 0 is the one cause", fit_flags, ("'0'", "'1' (censored)", "flags")),
        Case(
            "`predict_cumulative_incidence(X, cause=9)`",
            lambda: fitted().predict_cumulative_incidence(TABLE, cause=9),
            ("'1', '2'", "9"),
        ),
        Case(
            "the same of a tree with one cause",
            lambda: OptimalSurvivalTree().fit(TABLE, Y).predict_cumulative_incidence(TABLE, 2),
            ("one cause", "2"),
        ),
        Case(
            "`log_likelihood` of it",
            lambda: metrics.log_likelihood((CAUSES, TIME), fitted(), X=TABLE),
            ("log_likelihood", "one cause"),
        ),
        Case(
            "a page of its near-optimal trees",
            lambda: fitted().near_optimal(within=0.1).report("page.html"),
            ("one cause",),
        ),
    ],
}
