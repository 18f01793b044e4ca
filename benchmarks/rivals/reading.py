"""Arrays of a request's data file, for adapters whose program takes arrays.

`path` is a CSV file (0/1 columns, then the event, then the time; with `index_col` the first column
only numbers the rows) or an NPZ file with X, event and time.
"""

from typing import Any, NamedTuple

import numpy as np


class Arrays(NamedTuple):
    """0/1 columns as bytes, event flags (True: seen) and times."""

    X: np.ndarray
    event: np.ndarray
    time: np.ndarray


def read_arrays(request: dict[str, Any]) -> Arrays:
    if request["path"].endswith(".npz"):
        with np.load(request["path"]) as file:
            return Arrays(file["X"], file["event"] == 1, file["time"].astype(float))
    table = np.loadtxt(request["path"], delimiter=",", skiprows=1)
    table = table[:, 1:] if request["index_col"] else table
    features = np.ascontiguousarray(table[:, :-2], dtype=np.uint8)
    return Arrays(features, table[:, -2] == 1, np.ascontiguousarray(table[:, -1]))
