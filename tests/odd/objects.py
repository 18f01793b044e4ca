"""Odd objects for X, y and weights, which no file can hold."""

import mmap
import tempfile
from collections import UserList
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse

N = 16
X = np.column_stack([np.arange(N) % 4, np.arange(N) % 3]).astype(float)
EVENT, TIME = np.array([True, True, False, True] * 4), np.arange(1.0, N + 1)
Y = (EVENT, TIME)


class Lying(np.ndarray):
    """An array that tells another length than it has."""

    def __len__(self) -> int:
        return 3


class Raising:
    """Raises at whatever it is asked."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise ValueError("no array for you")

    def __len__(self) -> int:
        raise RuntimeError("no length for you")


class Shapeless:
    """Becomes an array of another shape each time."""

    def __init__(self) -> None:
        self.n = N

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.n -= 1
        return np.ones((self.n, 2))


class Frame(pd.DataFrame):
    """A subclass that keeps its kind."""

    @property
    def _constructor(self) -> Any:
        return Frame


class Hostile(str):
    """A text that will not be compared."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    __hash__ = str.__hash__


def masked(which: Any) -> Any:
    return np.ma.array(X, mask=np.broadcast_to(which, X.shape))


def truncated_map() -> Any:
    """A memory map whose file was cut after it was written, before it is opened."""
    path = Path(tempfile.mkdtemp()) / "x.npy"
    np.save(path, X)
    path.write_bytes(path.read_bytes()[:200])
    return np.load(path, mmap_mode="r")


def mapped() -> Any:
    path = Path(tempfile.mkdtemp()) / "x.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def anonymous_map() -> Any:
    return np.frombuffer(mmap.mmap(-1, X.nbytes), dtype=float).reshape(X.shape)


def endless() -> Any:
    """A list that holds itself."""
    out: list[Any] = [1, 2]
    out.append(out)
    return [out] * N


def strided() -> Any:
    return np.lib.stride_tricks.as_strided(np.ones(1), (N, 2), (0, 0))


TABLES: dict[str, Callable[[], Any]] = {
    "a good array": lambda: X,
    "None": lambda: None,
    "a number": lambda: 7,
    "text": lambda: "age",
    "bytes": lambda: b"age",
    "a path": lambda: Path("rows.csv"),
    "an empty list": list,
    "an empty dict": dict,
    "empty rows": lambda: [[]] * N,
    "a dict of columns": lambda: {"a": [1] * N},
    "a generator": lambda: (row for row in X),
    "a set": lambda: {1, 2},
    "a ragged list": lambda: [[1, 2], [3]] * 8,
    "a list of texts": lambda: ["a"] * N,
    "a list of dicts": lambda: [{"a": 1}] * N,
    "a list of lists": lambda: X.tolist(),
    "a list that holds itself": endless,
    "a list of a class of its own": lambda: UserList(X.tolist()),
    "no dimension": lambda: np.array(3.0),
    "one dimension": lambda: X[:, 0],
    "three dimensions": lambda: X[None],
    "33 dimensions": lambda: np.ones((1,) * 33),
    "no rows": lambda: X[:0],
    "no columns": lambda: X[:, :0],
    "one row": lambda: X[:1],
    "rows by columns the wrong way": lambda: X.T,
    "Fortran order": lambda: np.asfortranarray(X),
    "every other row": lambda: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda: X[::-1],
    "all in one cell of memory": strided,
    "read-only": lambda: np.frombuffer(X.tobytes()).reshape(X.shape),
    "a memory map": mapped,
    "a truncated memory map": truncated_map,
    "an anonymous memory map": anonymous_map,
    "a masked array": lambda: masked([[False, True]] * N),
    "a masked array, nothing masked": lambda: masked(False),
    "a masked array, all masked": lambda: masked(True),
    "a matrix": lambda: X.view(np.matrix),
    "a record array": lambda: np.rec.fromarrays([X[:, 0], X[:, 1]], names="a,b"),
    "a structured array": lambda: np.zeros(N, dtype=[("a", float), ("b", "U3")]),
    "an array that lies about its length": lambda: X.view(Lying),
    "an object that raises": Raising,
    "an object of changing shape": Shapeless,
    "a subclass of a frame": lambda: Frame({"a": X[:, 0]}),
    "a series": lambda: pd.Series(X[:, 0]),
    "a group": lambda: pd.DataFrame(X).groupby(0),
    "hostile texts": lambda: np.array([[Hostile("a")], [Hostile("b")]] * 8, dtype=object),
    "objects of all kinds": lambda: np.array([[1], ["a"], [None], [X]] * 4, dtype=object),
    "void": lambda: np.zeros((N, 2), dtype="V8"),
    "dates": lambda: np.zeros((N, 2), dtype="M8[s]"),
    "texts": lambda: np.array([["a", "b"]] * N),
    "bytes in an array": lambda: np.array([[b"a", b"b"]] * N),
    "complex": lambda: X + 1j,
    "NaN": lambda: X * np.nan,
    "infinite": lambda: X + np.inf,
    "float16": lambda: X.astype("float16"),
    "long doubles": lambda: X.astype(np.longdouble),
    "long doubles beyond doubles": lambda: X.astype(np.longdouble) * np.longdouble("1e400"),
    "other byte order": lambda: X.astype(">f8"),
    **{
        f"sparse {kind}": lambda kind=kind: getattr(scipy.sparse, f"{kind}_array")(X)
        for kind in ("csr", "csc", "coo", "bsr", "dia", "dok", "lil")
    },
    "a sparse matrix": lambda: scipy.sparse.csr_matrix(X),
    "a class": lambda: np.ndarray,
    "a module": lambda: np,
    "10,000 columns": lambda: np.tile(X, (1, 5000)),
    "70,000 questions": lambda: (np.arange(N * 70_000).reshape(N, -1) % 7 % 2).astype(float),
}

OUTCOMES: dict[str, Callable[[], Any]] = {
    "a good pair": lambda: Y,
    "None": lambda: None,
    "a number": lambda: 7,
    "text": lambda: "died",
    "times alone": lambda: TIME,
    "events alone": lambda: EVENT,
    "swapped": lambda: (TIME, EVENT),
    "three": lambda: (EVENT, TIME, TIME),
    "one in a pair": lambda: (EVENT,),
    "an empty pair": tuple,
    "a dict": lambda: {"event": EVENT, "time": TIME},
    "a generator": lambda: (values for values in Y),
    "a row less": lambda: (EVENT[1:], TIME[1:]),
    "of different length": lambda: (EVENT, TIME[1:]),
    "a pair of numbers": lambda: (1, 2),
    "a pair of None": lambda: (None, None),
    "two dimensions each": lambda: (EVENT[:, None], TIME[:, None]),
    "two columns": lambda: np.column_stack([EVENT, TIME]),
    "a structured array": lambda: np.rec.fromarrays(Y, names="event,time"),
    "a structured array of three": lambda: np.rec.fromarrays((*Y, TIME), names="a,b,c"),
    "a structured array of one": lambda: np.rec.fromarrays((EVENT,), names="a"),
    "a structured array of texts": lambda: np.zeros(N, dtype=[("a", "U3"), ("b", "U3")]),
    "a structured array of arrays": lambda: np.zeros(N, dtype=[("a", "?", 2), ("b", "f8", 2)]),
    "masked times": lambda: (EVENT, np.ma.array(TIME, mask=TIME > 9)),
    "masked events": lambda: (np.ma.array(EVENT, mask=TIME > 9), TIME),
    "times of objects": lambda: (EVENT, TIME.astype(object)),
    "times of odd objects": lambda: (EVENT, np.array([object()] * N)),
    "times of Fractions": lambda: (EVENT, [__import__("fractions").Fraction(1, 3)] * N),
    "complex times": lambda: (EVENT, TIME + 1j),
    "dates": lambda: (EVENT, TIME.astype("M8[D]")),
    "spans": lambda: (EVENT, TIME.astype("m8[D]")),
    "texts": lambda: (EVENT, TIME.astype(str)),
    "NaN": lambda: (EVENT, TIME * np.nan),
    "infinite": lambda: (EVENT, TIME + np.inf),
    "negative": lambda: (EVENT, -TIME),
    "all zero": lambda: (EVENT, TIME * 0),
    "subnormal": lambda: (EVENT, TIME * 5e-324),
    "the largest": lambda: (EVENT, np.full(N, 1.7976931348623157e308)),
    "float16": lambda: (EVENT, TIME.astype("float16")),
    "long doubles beyond doubles": lambda: (
        EVENT,
        TIME.astype(np.longdouble) * np.longdouble("1e400"),
    ),
    "events of 2": lambda: (EVENT + 1, TIME),
    "events of -1": lambda: (-1 * EVENT, TIME),
    "events of texts": lambda: (["dead", "alive"] * 8, TIME),
    "events of NaN": lambda: (np.where(EVENT, 1.0, np.nan), TIME),
    "no event": lambda: (EVENT & False, TIME),
    "an array that lies about its length": lambda: (EVENT, TIME.view(Lying)),
    "an object that raises": lambda: (EVENT, Raising()),
    "sparse": lambda: scipy.sparse.csr_array(np.column_stack(Y)),
    "a frame of one column": lambda: pd.DataFrame({"time": TIME}),
    "a frame of three": lambda: pd.DataFrame({"event": EVENT, "time": TIME, "more": TIME}),
    "a frame with an index of its own": lambda: pd.DataFrame(
        {"event": EVENT, "time": TIME}, index=range(N, 0, -1)
    ),
    "a memory map, truncated": lambda: (EVENT, truncated_map()[:, 0]),
}

WEIGHTS: dict[str, Callable[[], Any]] = {
    "ones": lambda: np.ones(N),
    "a number": lambda: 1.0,
    "text": lambda: "weight",
    "zero": lambda: np.zeros(N),
    "negative": lambda: -np.ones(N),
    "NaN": lambda: np.full(N, np.nan),
    "infinite": lambda: np.full(N, np.inf),
    "subnormal": lambda: np.full(N, 5e-324),
    "the largest": lambda: np.full(N, 1.7976931348623157e308),
    "over 12 orders": lambda: 10.0 ** np.linspace(-6, 6, N),
    "over 13 orders": lambda: 10.0 ** np.linspace(-6, 7, N),
    "texts": lambda: ["1"] * N,
    "two dimensions": lambda: np.ones((N, 1)),
    "a row less": lambda: np.ones(N - 1),
    "masked": lambda: np.ma.array(np.ones(N), mask=TIME > 9),
    "sparse": lambda: scipy.sparse.csr_array(np.ones((1, N))),
    "an object that raises": Raising,
    "complex": lambda: np.ones(N) + 1j,
    "flags": lambda: EVENT,
}
