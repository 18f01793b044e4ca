"""The paper's data sets as the authors encoded them, read from the folder that `make data` fills.

Sixteen are CSV files. The seventeenth, household, is an NPZ file with X, event and time: README.md
says why.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

NAMES = (
    "veterans",
    "servo",
    "sync",
    "real-estate",
    "gbsg2",
    "whas500",
    "uissurv",
    "maintenance",
    "aids",
    "aids_death",
    "insurance",
    "airfoil",
    "credit",
    "churn",
    "flchain",
    "employee",
)
# These files start with a column that only numbers the rows.
NUMBERED = {"airfoil", "insurance", "real-estate", "servo", "sync"}
HOUSEHOLD = "household_raw_time.npz"


@dataclass(frozen=True)
class Source:
    """Where a data set lies, and whether its first column only numbers the rows."""

    path: Path
    is_numbered: bool = False


@dataclass(frozen=True)
class Encoded:
    """0/1 columns, event flags (True: seen) and times."""

    path: Path
    is_numbered: bool
    columns: list[str]
    X: np.ndarray
    event: np.ndarray
    time: np.ndarray


def locate(folder: Path, name: str) -> Source:
    """The file of a data set; complains if it is not there."""
    path = folder / (HOUSEHOLD if name == "household" else f"{name}.csv")
    if not path.is_file():
        raise SystemExit(f"{path} is missing; run 'make data DATA={folder}' to fetch it")
    return Source(path, name in NUMBERED)


def read(folder: Path, name: str) -> Encoded:
    """One data set; the last column is the time, the one before it the event."""
    import polars as pl  # not needed to read problems from files: gpu.py

    path = locate(folder, name).path
    frame = pl.read_csv(path)
    if name in NUMBERED:
        frame = frame.drop(frame.columns[0])
    *columns, event, time = frame.columns
    return Encoded(
        path,
        name in NUMBERED,
        columns,
        frame.select(columns).to_numpy().astype(np.uint8),
        frame[event].to_numpy() == 1,
        frame[time].to_numpy().astype(float),
    )
