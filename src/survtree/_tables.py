"""Tables in files: CSV, TSV, Parquet and Arrow, from a path or from standard input, and back.

Knows files and columns, not what the columns mean. Whole tables are read for a fit; rows to predict
are read and written a part at a time.
"""

import csv
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import polars as pl

from survtree import _validation
from survtree._files import whole_file

STANDARD_INPUT = STANDARD_OUTPUT = "-"
# Texts that stand for a missing cell in a CSV file; of the user's own, see ``Source.na``.
NA_TEXTS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL")
FLAG_TEXTS = ({"True", "False"}, {"TRUE", "FALSE"}, {"true", "false"})
SEPARATORS = ",;\t|"
ROWS_AT_ONCE = 100_000


@dataclass(frozen=True)
class Source:
    """Where a table is, and what there is to know for reading it."""

    path: str
    format: str | None = None  # None: told by the name or by the first bytes
    separator: str | None = None  # None: found in the first line
    na: tuple[str, ...] = ()  # texts that mean missing, beside the usual ones
    encoding: str = "utf-8"

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.path == STANDARD_INPUT else self.path

    def read(self) -> pl.DataFrame:
        """The whole table."""
        with _validation.read_of(self.name):
            return with_flags(_scanned(self).collect())

    def parts(self, columns: Sequence[str], n_rows: int = ROWS_AT_ONCE) -> Iterator[pl.DataFrame]:
        """Some columns, a number of rows at a time."""
        with _validation.read_of(self.name):
            rows = _scanned(self).select(columns)
            yield from rows.collect_batches(chunk_size=n_rows, maintain_order=True)

    def schema(self) -> pl.Schema:
        """Names and types of all columns."""
        with _validation.read_of(self.name):
            return _scanned(self).collect_schema()


def _scanned(source: Source) -> pl.LazyFrame:
    raw = _bytes_of(source)
    kind = _validation.format_of(source.name, source.format, raw.first)
    if kind == "parquet":
        return pl.scan_parquet(raw.place(), glob=False)
    if kind == "arrow":
        return pl.scan_ipc(raw.place())
    return _scanned_text(source, raw, kind)


def _scanned_text(source: Source, raw: "_Bytes", kind: str) -> pl.LazyFrame:
    header = raw.first_line(source.encoding)
    separator = "\t" if kind == "tsv" else source.separator or _separator(header)
    _validation.check_header(source.name, next(csv.reader([header], delimiter=separator), []))
    return pl.scan_csv(
        raw.place(source.encoding),
        separator=separator,
        null_values=[*NA_TEXTS, *source.na],
        infer_schema_length=None,  # all rows: a text in row 500 is a text in the whole column
        glob=False,
    )


def _separator(header: str) -> str:
    """Of those that people use, the one that parts the first line into most cells."""
    return max(SEPARATORS, key=lambda each: len(next(csv.reader([header], delimiter=each), [])))


@dataclass(frozen=True)
class _Bytes:
    """A file, or all of standard input."""

    path: str
    content: bytes | None
    first: bytes

    def place(self, encoding: str = "utf-8") -> Any:
        """What polars reads: the path if it can, else the bytes."""
        if encoding.lower().replace("-", "") != "utf8":
            raw = Path(self.path).read_bytes() if self.content is None else self.content
            return io.BytesIO(_validation.decoded(raw, encoding).encode())
        return self.path if self.content is None else io.BytesIO(self.content)

    def first_line(self, encoding: str) -> str:
        """The header of a text file."""
        stream: IO[bytes] = _opened(self.path) if self.content is None else io.BytesIO(self.content)
        with stream:
            raw = stream.readline().removeprefix(b"\xef\xbb\xbf")
        return _validation.decoded(raw, encoding).rstrip("\r\n")


def _opened(path: str) -> IO[bytes]:
    if path.endswith(".gz"):
        import gzip

        return cast(IO[bytes], gzip.open(path))
    return open(path, "rb")


def _bytes_of(source: Source) -> _Bytes:
    if source.path == STANDARD_INPUT:
        content = _standard_input()
        return _Bytes(source.path, content, content[:8])
    with open(source.path, "rb") as stream:
        return _Bytes(source.path, None, stream.read(8))


_read_before: list[bytes] = []


def _standard_input() -> bytes:
    """All of it. It can be read only once, and a table is looked at twice: columns, then rows."""
    if not _read_before:
        _read_before.append(sys.stdin.buffer.read())
    return _read_before[0]


def with_flags(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table; columns of nothing but True and False, as R writes them, as flags."""
    found = {}
    for name, dtype in frame.schema.items():
        if dtype == pl.String:
            texts = set(frame[name].unique().head(4).to_list()) - {None}
            if texts and any(texts <= words for words in FLAG_TEXTS):
                found[name] = pl.col(name).str.to_lowercase() == "true"
    return frame.with_columns(**found)


def write_parts(
    path: str, kind: str | None, schema: pl.Schema, parts: Callable[[], Iterator[pl.DataFrame]]
) -> None:
    """Write a table a part at a time, as a whole or not at all."""
    form = _validation.output_format(path, kind)
    if path == STANDARD_OUTPUT:
        _write(sys.stdout.buffer, form, schema, parts)
        return
    with whole_file(path) as stream:
        _write(stream, form, schema, parts)


def _write(
    stream: IO[bytes],
    form: str,
    schema: pl.Schema,
    parts: Callable[[], Iterator[pl.DataFrame]],
) -> None:
    if form in ("csv", "tsv"):
        separator = "\t" if form == "tsv" else ","
        schema.to_frame().write_csv(stream, separator=separator)
        for part in parts():
            harmless(part).write_csv(stream, separator=separator, include_header=False)
        return
    from polars.io.plugins import register_io_source

    failures: list[Exception] = []

    def source(columns: Any, predicate: Any, n_rows: Any, size: Any) -> Iterator[pl.DataFrame]:
        try:
            yield from parts()
        except Exception as error:  # polars would tell it in other words
            failures.append(error)
            raise

    rows = register_io_source(source, schema=schema)
    try:
        (rows.sink_parquet if form == "parquet" else rows.sink_ipc)(stream)
    except Exception as error:
        raise (failures or [error])[0] from None


def harmless(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table; a text that a spreadsheet would run as a formula begins with a quote."""
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    is_formula = pl.col(texts).str.contains(r"^[=+\-@\t\r]")
    quoted = pl.when(is_formula).then("'" + pl.col(texts)).otherwise(pl.col(texts))
    return frame.with_columns(quoted.name.keep()) if texts else frame
