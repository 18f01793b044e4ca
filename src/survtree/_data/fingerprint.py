"""A fingerprint of the rows of a fit: whether somebody else has the same ones.

It is of values, not of types: the same rows in another kind of frame have the same fingerprint.
"""

import hashlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import Column, EventTable, Table


def data_fingerprint(table: Table, events: EventTable) -> str:
    """SHA-256 of columns, outcome and weights, in the order of the rows."""
    digest = hashlib.sha256(f"{table.n_rows} rows".encode())
    for name, *parts in _columns(table):
        raw = name.encode("utf-8", "surrogatepass")
        # The length first, so that no two tables are written alike.
        digest.update(f"column {len(raw)} ".encode() + raw)
        for part in parts:
            digest.update(part)
    digest.update(b"outcome")
    digest.update(np.packbits(events.event).data)
    if events.cause is not None and events.causes is not None:
        digest.update(repr(events.causes.names).encode("utf-8", "surrogatepass"))
        digest.update(events.cause.tobytes())
    for numbers in (events.time, events.weight):
        digest.update(_plain(numbers))
    return digest.hexdigest()


def _columns(table: Table) -> Iterator[tuple[str, *tuple[bytes, ...]]]:
    if table.matrix is not None:
        for place, name in enumerate(table.names):
            yield name, *_zeros_and_ones(table.matrix[:, place])
        return
    for column in table.columns:
        yield column.name, *_values(column)


def _values(column: Column) -> tuple[bytes, ...]:
    values = column.values
    if column.kind in ("level", "ordered"):
        return _levels(column)
    if not ((values != 0) & (values != 1)).any():
        return _zeros_and_ones(values)
    return b"numbers", _plain(np.where(column.is_missing(), np.nan, values))


def _zeros_and_ones(values: NDArray[np.generic]) -> tuple[bytes, ...]:
    return b"zeros and ones", np.packbits(values.astype(bool)).tobytes()


def _levels(column: Column) -> tuple[bytes, ...]:
    """The levels that occur, in their own order if they have none, and the level of each row."""
    occurring = column.occurring().tolist()
    if column.kind == "level":
        occurring.sort(key=lambda place: column.levels[place])
    of_place = np.full(len(column.levels) + 1, -1)
    of_place[occurring] = np.arange(len(occurring))
    words = repr([column.levels[place] for place in occurring])
    rows = of_place[column.values].astype("<i8").tobytes()
    return column.kind.encode(), words.encode("utf-8", "surrogatepass"), rows


def _plain(numbers: NDArray[np.generic]) -> bytes:
    # Adding 0 makes -0 the same as 0, as they are to every split.
    return (numbers.astype("<f8") + 0.0).tobytes()
