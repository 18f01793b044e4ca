"""Bad arguments of a report."""

from typing import Any

from sklearn.exceptions import NotFittedError

from survtree import OptimalSurvivalTree
from tests.support.bad_inputs.case import FRAME, TABLE, TIME, Case, Y


def write(file: Any = "report.html", X: Any = None, y: Any = None, **options: Any) -> None:
    """Asks for a page; nothing is written, since something is wrong."""
    OptimalSurvivalTree(1, 0.0).fit(TABLE, Y).report(file, X, y, **options)


REPORTS: dict[str, list[Case]] = {
    "Report": [
        Case(
            "`report` of a model that was not fitted",
            lambda: OptimalSurvivalTree().report("report.html"),
            (),
            NotFittedError,
            "This OptimalSurvivalTree instance is not fitted yet. Call 'fit' with appropriate "
            "arguments before using this estimator.",
        ),
        Case("`file=None`", lambda: write(None), ("file", "None"), TypeError),
        Case("`file=''`", lambda: write(""), ("file", "''"), TypeError),
        Case("a folder as `file`", lambda: write("."), ("file", "folder")),
        Case("a file in no folder", lambda: write("nowhere/report.html"), ("file", "nowhere")),
        Case("`title=5`", lambda: write(title=5), ("title", "5"), TypeError),
        Case("`command=['fit']`", lambda: write(command=["fit"]), ("command", "fit"), TypeError),
        Case("`random_state=-1`", lambda: write(random_state=-1), ("random_state", "-1")),
        Case("`X` without `y`", lambda: write(X=TABLE), ("X and y", "y is missing")),
        Case("`y` without `X`", lambda: write(y=Y), ("X and y", "X is missing")),
        Case("weights without rows", lambda: write(sample_weight=TIME), ("sample_weight",)),
        Case("`cv=1`", lambda: write(X=TABLE, y=Y, cv=1), ("cv", "1")),
        Case("more folds than events", lambda: write(X=TABLE, y=Y, cv=13), ("cv is 13",)),
        Case("descending `times`", lambda: write(times=[9, 4]), ("times", "4 comes after 9")),
        Case(
            "another table where the outcome is a column of X",
            lambda: (
                OptimalSurvivalTree(1, 0.0)
                .fit(FRAME, duration_col="days", event_col="died")
                .report("report.html", TABLE)
            ),
            ("'days'", "the frame has no"),
        ),
    ],
}
