"""Bad files for the command line, and columns that they do not have."""

import contextlib
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from survtree import OptimalSurvivalTree
from survtree._cli.inputs import Reading, Splitting
from survtree._cli.studies import study_to_check, study_to_fit
from survtree._data.files import write_parts
from survtree._data.read_files import check_can_write, check_kept
from tests.support.bad_inputs.case import FRAME, MATRIX, Case, Y

GOOD = FRAME.to_csv(index=False)


def fit(content: str | bytes = GOOD, name: str = "trial.csv", **reading: Any) -> None:
    """Reads a file as 'survtree fit' does."""
    exclude, groups = reading.pop("exclude", None), reading.pop("groups", None)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        study_to_fit(name, Reading(**reading), Splitting(exclude=exclude), groups)


def check(content: str, model: Any) -> None:
    """Reads a file as 'survtree evaluate' does."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("new.csv").write_text(content)
        study_to_check("new.csv", Reading(), model, "model.json")


def write(path: str, kind: str | None = None) -> None:
    """Writes a table of one row."""
    table = pl.DataFrame({"leaf": [1]})
    write_parts(path, kind, table.schema, lambda: iter([table]))


def writable(path: str) -> None:
    """Asks whether a file can be written, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        check_can_write(path)


def with_columns(**columns: Any) -> str:
    """The good file with other columns."""
    return str(FRAME.assign(**columns).to_csv(index=False))


fitted = OptimalSurvivalTree(1).fit(FRAME, duration_col="days", event_col="died")

TABLES: dict[str, list[Case]] = {
    "Command line: files": [
        Case("`trial.xlsx`", lambda: fit(name="trial.xlsx"), (".parquet",)),
        Case("`--format excel`", lambda: fit(format="excel"), ("'excel'",)),
        Case("an empty file", lambda: fit(""), ("trial.csv",)),
        Case("half a Parquet file", lambda: fit(b"PAR1...", name="trial.parquet"), start="trial"),
        Case("a name twice in the header", lambda: fit("age,age\n1,2\n"), ("'age'",)),
        Case("latin-1", lambda: fit("größe\n1\n".encode("latin-1")), ("latin-1",)),
        Case("`--text-encoding klingon`", lambda: fit(encoding="klingon"), ("'klingon'",)),
        Case(
            "one cell that is no number",
            lambda: fit(with_columns(age=[*map(str, range(15)), "unknown"])),
            ("trial.csv:17", "'unknown'"),
        ),
        Case("a result in `out.xlsx`", lambda: write("out.xlsx"), (".xlsx",)),
        Case("a result in a folder that is not there", lambda: writable("no/model.json")),
        Case("a folder as the result", lambda: writable("."), ("folder",)),
    ],
    "Command line: columns": [
        Case("`--time dais`", lambda: fit(time="dais", event="died"), ("'dais'", "'days'")),
        Case("`--event death`", lambda: fit(time="days", event="death"), ("'death'",)),
        Case("`--weights w`", lambda: fit(weights="w"), ("'w'",)),
        Case("`--weights days`", lambda: fit(weights="days"), ("'days'", "times")),
        Case("`--groups died`", lambda: fit(groups="died"), ("'died'", "events")),
        Case(
            "`--weights age --groups age`",
            lambda: fit(weights="age", groups="age"),
            ("'age'", "weights"),
        ),
        Case("`--exclude ages`", lambda: fit(exclude=["ages"]), ("'ages'", "'age'")),
        Case("`--exclude days`", lambda: fit(exclude=["days"]), ("'days'",)),
        Case(
            "two columns that could be the time",
            lambda: fit(with_columns(months=1.0)),
            ("'days'", "'months'"),
        ),
        Case(
            "no column that could be the event",
            lambda: fit(str(FRAME.rename(columns={"died": "x"}).to_csv(index=False))),
            ("--event",),
        ),
        Case(
            "events coded 1 and 2",
            lambda: fit(with_columns(died=FRAME["died"] + 1)),
            ("1, 2", "--event-value"),
        ),
        Case("`--event-value dead`", lambda: fit(event_value=["dead"]), ("'dead'", "'1'")),
        Case(
            "an event flag that is missing",
            lambda: fit(with_columns(died=[None, *FRAME["died"][1:]])),
            ("row 0",),
        ),
        Case(
            "new rows without a column of the model",
            lambda: check(str(FRAME.drop(columns="age").to_csv(index=False)), fitted),
            ("'age'",),
        ),
        Case(
            "a model of an array without names",
            lambda: check(GOOD, OptimalSurvivalTree(1).fit(MATRIX, Y)),
            ("without names",),
        ),
        Case(
            "`--keep risk`",
            lambda: check_kept(["risk"], ["leaf", "risk", "median"]),
            ("'risk'",),
        ),
    ],
}
