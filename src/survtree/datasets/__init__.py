"""Small survival data sets that come with the package, for examples and tests.

`names()` lists them, `load(name)` reads one; data/catalogue.toml has the facts about them, and
data/PROVENANCE.md says where they come from. `fetch(folder)` downloads the paper's 17 data sets.
"""

import csv
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal, get_args

import msgspec
import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from survtree._base.checks import check_choice
from survtree._data.table import Column, table_of
from survtree._questions.encodings import paper_questions
from survtree._questions.questions import Questions

from ._fetch import FetchError, fetch

__all__ = ["Dataset", "FetchError", "fetch", "load", "names"]

Cell = int | float | str | None
Encoding = Literal["raw", "paper"]
Backend = Literal["polars", "pandas", "pyarrow"]


@dataclass(frozen=True)
class _Entry:
    """What data/catalogue.toml says of a data set; its comments explain the fields."""

    file: str
    event: str
    time: str
    description: str
    source: str
    levels: dict[str, tuple[str, ...]]
    codes: frozenset[str] = frozenset()
    other_outcomes: frozenset[str] = frozenset()


def _catalogue() -> dict[str, _Entry]:
    sets = tomllib.loads(_text("catalogue.toml"))
    filled = {name: {**sets.get(facts.get("like"), {}), **facts} for name, facts in sets.items()}
    return msgspec.convert(filled, dict[str, _Entry])


def _text(file: str) -> str:
    return (files(__name__) / "data" / file).read_text(encoding="utf-8")


_CATALOGUE = _catalogue()


# Two frames compare cell by cell, not to one bool, so equality is left at identity.
@dataclass(frozen=True, eq=False)
class Dataset:
    """A feature frame, its outcome, and where they come from. Unpacks as `X, y`."""

    name: str
    X: Any = field(repr=False)
    y: NDArray[np.void] = field(repr=False)
    description: str
    source: str

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))


def names() -> list[str]:
    """The names that `load` knows."""
    return list(_CATALOGUE)


def load(name: str, *, encoding: Encoding = "raw", backend: Backend = "polars") -> Dataset:
    """Read one of the demo data sets.

    Parameters
    ----------
    name : str
        One of `names()`.
    encoding : {"raw", "paper"}
        "raw" gives the columns as the study recorded them, codes without an order as text; "paper"
        gives the 0/1 columns used in the experiments of the optimal sparse survival trees paper.
    backend : {"polars", "pandas", "pyarrow"}
        The library of the returned frame. Only this library is imported.

    Returns
    -------
    Dataset
        `X` is the frame; `y` is a structured array with the fields `event` (True when the event
        was seen) and `time`.

    Examples
    --------
    >>> X, y = load("veterans")
    >>> X.shape, int(y["event"].sum())
    ((137, 6), 128)
    """
    check_choice("name", name, names())
    check_choice("encoding", encoding, get_args(Encoding))
    check_choice("backend", backend, get_args(Backend))
    entry = _CATALOGUE[name]
    table = _read(entry.file)
    y = _outcome(table, entry)
    X = _frame(_features(table, entry, encoding), backend)
    return Dataset(name, X, y, entry.description, entry.source)


def _read(file: str) -> dict[str, list[Cell]]:
    header, *rows = csv.reader(_text(file).splitlines())
    return {
        name: _typed(cells) for name, cells in zip(header, zip(*rows, strict=True), strict=True)
    }


def _typed(cells: Sequence[str]) -> list[Cell]:
    """Integers if every filled cell is one, else floats, else text; empty cells are None."""
    for number in (int, float):
        try:
            return [number(cell) if cell else None for cell in cells]
        except ValueError:
            continue
    return [cell or None for cell in cells]


def _outcome(table: Mapping[str, list[Cell]], entry: _Entry) -> NDArray[np.void]:
    rows = list(zip(table[entry.event], table[entry.time], strict=True))
    return np.array(rows, dtype=[("event", bool), ("time", np.float64)])


def _features(
    table: Mapping[str, list[Cell]], entry: _Entry, encoding: Encoding
) -> Mapping[str, Any]:
    outcomes = {entry.event, entry.time} | entry.other_outcomes
    raw = {name: cells for name, cells in table.items() if name not in outcomes}
    if encoding == "raw":
        return raw | {name: list(map(str, raw[name])) for name in entry.codes}
    columns = [_column(name, cells, entry.levels.get(name)) for name, cells in raw.items()]
    names, asked = zip(*paper_questions(columns), strict=True)
    answers = Questions(tuple(raw), asked).matrix(table_of(columns))
    return dict(zip(names, answers.T, strict=True))


def _column(name: str, cells: Sequence[Cell], levels: tuple[str, ...] | None) -> Column:
    if levels is None:
        is_whole = all(isinstance(cell, int) for cell in cells)
        return Column(name, "number", np.array(cells, dtype=np.float64), is_whole=is_whole)
    return Column(name, "level", np.array([levels.index(str(cell)) for cell in cells]), levels)


def _frame(columns: Mapping[str, Any], backend: Backend) -> Any:
    try:
        import_module(backend)
    except ImportError as error:
        raise ImportError(
            f"backend={backend!r} needs the package {backend}, which could not be imported. "
            f"Run 'pip install {backend}' or choose another backend."
        ) from error
    return nw.from_dict(columns, backend=backend).to_native()
