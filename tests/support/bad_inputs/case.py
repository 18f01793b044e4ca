"""One bad input: how to make it, and what the message must name; and the good table it spoils."""

import functools
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

N = 16
EVENT = np.array([True, True, False, True] * 4)
TIME = np.arange(1.0, N + 1)
Y = (EVENT, TIME)
TABLE = pd.DataFrame(
    {
        "age": np.arange(40.0, 40.0 + 2 * N, 2),
        "stage": ["I", "II", "III", "II"] * 4,
        "treated": [0, 1] * 8,
        "smoker": [True, False, False, True] * 4,
    }
)
MATRIX = TABLE[["age", "treated"]].to_numpy()
FRAME = TABLE.assign(days=TIME, died=EVENT.astype(int))


class Case(NamedTuple):
    """An input, how to provoke the complaint, and what the message must name.

    ``start`` is given where scikit-learn complains: its messages change with its versions, so only
    how they start is shown.
    """

    title: str
    provoke: Callable[[], Any]
    names: tuple[str, ...] = ()
    kind: type[Exception] = ValueError
    start: str = ""

    def message(self) -> str:
        """What the user is told, on one line."""
        return _told(self)


@functools.cache  # several tests read the same message
def _told(case: Case) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            case.provoke()
        except Exception as error:
            if type(error) is case.kind:
                return " ".join(str(error).split())
            raise
    raise AssertionError(f"{case.title}: nobody complained")


def but(values: Any, place: Any, value: Any, dtype: Any = None) -> Any:
    """A copy with one value exchanged."""
    out = np.array(values, dtype=dtype)
    out[place] = value
    return out
