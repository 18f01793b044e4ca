"""Tables in files: CSV, TSV, Parquet and Arrow, from a path or from standard input, and back.

Knows files and columns, not what the columns mean. Whole tables are read for a fit; rows to predict
are read and written a part at a time.
"""

import codecs
import csv
import gzip
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any

import polars as pl

from survtree._base.files import whole_file
from survtree._data.read_files import DECIMAL_COMMA, check_header, format_of, read_of

UTF_8 = "utf-8"
STANDARD_INPUT = STANDARD_OUTPUT = "-"
# Texts that stand for a missing value in a CSV file; users add their own in ``Source.na``.
NA_TEXTS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL")
FLAG_TEXTS = ({"True", "False"}, {"TRUE", "FALSE"}, {"true", "false"})
SEPARATORS = ",;\t|"
WHOLE = r"^\s*([+-]?\d+)\.0+\s*$"
THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2},\d{3}\s*$"
TEXT_FORMATS = ("csv", "tsv")
ROWS_AT_ONCE = 100_000


@dataclass(frozen=True)
class Source:
    """Where a table is, and how to read it."""

    path: str
    format: str | None = None  # None: found by the name or by the first bytes
    separator: str | None = None  # None: found in the first line
    na: tuple[str, ...] = ()  # texts that mean missing, beside the usual ones
    encoding: str = UTF_8
    codes: tuple[str, ...] = ()  # columns whose numbers are names of categories
    texts: tuple[str, ...] = ()  # columns that are text, also where all of it reads as flags

    @cached_property
    def content(self) -> bytes | None:
        """All of standard input, which can be read only once; None of a file."""
        return sys.stdin.buffer.read() if self.path == STANDARD_INPUT else None

    @cached_property
    def first_bytes(self) -> bytes:
        """By which some formats are known."""
        if self.content is not None:
            return self.content[:8]
        with open(self.path, "rb") as stream:
            return stream.read(8)

    @property
    def is_text(self) -> bool:
        """Whether rows are lines, below one with the names of the columns."""
        return format_of(self.name, self.format, self.first_bytes) in TEXT_FORMATS

    @property
    def name(self) -> str:
        """What messages call it."""
        return "standard input" if self.path == STANDARD_INPUT else self.path

    def read(self) -> pl.DataFrame:
        """The whole table."""
        with read_of(self.name, self.encoding):
            return with_flags(_scanned(self).collect(), self.texts)

    def lazy(self) -> pl.LazyFrame:
        """The table as a query, which reads it a part at a time, and again in each pass."""
        with read_of(self.name, self.encoding):
            return with_lazy_flags(_scanned(self), self.texts)

    def size_in_memory(self) -> int:
        """About so many bytes the whole table would take."""
        with read_of(self.name, self.encoding):
            if self.is_text:
                return Path(self.path).stat().st_size
            rows = _scanned(self)
            return int(rows.select(pl.len()).collect().item()) * 8 * len(rows.collect_schema())

    def parts(self, columns: Sequence[str], n_rows: int = ROWS_AT_ONCE) -> Iterator[pl.DataFrame]:
        """Some columns, a number of rows at a time."""
        with read_of(self.name, self.encoding):
            rows = _scanned(self).select(columns)
            yield from rows.collect_batches(chunk_size=n_rows, maintain_order=True)

    def schema(self) -> pl.Schema:
        """Names and types of all columns."""
        with read_of(self.name, self.encoding):
            return _scanned(self).collect_schema()

    def place(self) -> Any:
        """What polars reads: the path if it can, else the bytes."""
        return self.path if self.content is None else io.BytesIO(self.content)

    def text(self) -> IO[str]:
        """All of it as text, without a mark at the beginning."""
        name = codecs.lookup(self.encoding).name
        stream: Any = io.BytesIO(self.content or b"")
        if self.content is None:
            stream = (gzip.open if self.path.endswith(".gz") else open)(self.path, "rb")
        return io.TextIOWrapper(stream, "utf-8-sig" if name == UTF_8 else name, newline="")


def _scanned(source: Source) -> pl.LazyFrame:
    kind = format_of(source.name, source.format, source.first_bytes)
    if kind == "parquet":
        return pl.scan_parquet(source.place(), glob=False)
    return pl.scan_ipc(source.place()) if kind == "arrow" else _scanned_text(source, kind)


def _scanned_text(source: Source, kind: str) -> pl.LazyFrame:
    with source.text() as stream:
        start = stream.readline()
    separator = "\t" if kind == "tsv" else source.separator or _separator(start)
    with source.text() as stream:  # a name in quotes may go over several lines
        names = next(csv.reader(stream, delimiter=separator), [])
    check_header(source.name, names)
    place = source.place()
    if codecs.lookup(source.encoding).name != UTF_8:  # which is all that polars reads
        with source.text() as stream:
            place = io.BytesIO(stream.read().encode())
    options: dict[str, Any] = {
        "separator": separator,
        "null_values": [*NA_TEXTS, *source.na],
        "infer_schema_length": None,  # all: a text in row 500 is a text in the whole column
        "glob": False,
        "with_column_names": lambda found: names if len(names) == len(found) else found,
    }
    scan = partial(pl.scan_csv, place, **options)
    return _with_texts(scan, source.codes, [name for name in source.texts if name in names])


def _with_texts(
    scan: Callable[..., pl.LazyFrame], codes: Sequence[str], texts: Sequence[str]
) -> pl.LazyFrame:
    """Rows in which codes and texts are as they are written; 2.0 is the code 2.

    Codes that are flags stay flags, unless they are among the texts. Polars goes through all rows
    to tell.
    """
    unsure = [name for name in codes if name not in texts]
    types = scan().collect_schema() if unsure else pl.Schema()
    numbers = [name for name in unsure if types.get(name, pl.Boolean) != pl.Boolean]
    read = dict.fromkeys([*numbers, *texts], pl.String)
    if not read:
        return scan()
    rows = scan(schema_overrides=read)
    whole = [name for name in read if name in codes]
    return rows.with_columns(pl.col(whole).str.replace(WHOLE, "${1}")) if whole else rows


def _separator(start: str) -> str:
    """Of the usual separators, the one that gives the first line most cells."""
    return max(SEPARATORS, key=lambda each: len(next(csv.reader([start], delimiter=each), [])))


def with_flags(frame: pl.DataFrame, texts: Sequence[str] = ()) -> pl.DataFrame:
    """The same table; columns of nothing but True and False, as R writes them, as flags.

    Those that are known to be ``texts`` are left alone.
    """
    found = {}
    for name, dtype in frame.schema.items():
        if dtype == pl.String and name not in texts:
            words = set(frame[name].unique().head(4).to_list()) - {None}
            if words and any(words <= flags for flags in FLAG_TEXTS):
                found[name] = pl.col(name).str.to_lowercase() == "true"
    return frame.with_columns(**found)


def with_lazy_flags(frame: pl.LazyFrame, texts: Sequence[str] = ()) -> pl.LazyFrame:
    """The same of a query, which is asked once for it."""
    schema = frame.collect_schema().items()
    maybe = [name for name, dtype in schema if dtype == pl.String and name not in texts]
    if not maybe:
        return frame
    asked = [
        (pl.col(name).is_not_null().any() & pl.col(name).drop_nulls().is_in(list(words)).all())
        for name in maybe
        for words in FLAG_TEXTS
    ]
    named = [each.alias(str(k)) for k, each in enumerate(asked)]
    answers = frame.select(named).collect(engine="streaming").row(0)
    n = len(FLAG_TEXTS)
    flags = [name for k, name in enumerate(maybe) if any(answers[n * k : n * k + n])]
    return frame.with_columns(pl.col(name).str.to_lowercase() == "true" for name in flags)


def texts_of_numbers(frame: pl.DataFrame) -> list[str]:
    """Columns of text all of which reads as numbers, perhaps with decimal commas or blanks.

    Where every comma has three digits after it, it may as well part thousands: that is left alone.
    """
    found = []
    for name, dtype in frame.schema.items():
        texts = frame[name].drop_nulls().unique() if dtype == pl.String else None
        if texts is None or len(texts) == 0 or _as_numbers(texts).null_count():
            continue
        commas = texts.filter(texts.str.contains(",", literal=True))
        if len(commas) == 0 or not commas.str.contains(THOUSANDS).all():
            found.append(name)
    return found


def with_numbers(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The same table with numbers in place of the text of some columns."""
    return frame.with_columns(_as_numbers(frame[name]) for name in names)


def _as_numbers(texts: pl.Series) -> pl.Series:
    """Numbers, null where the text is none."""
    points = texts.str.strip_chars().str.replace(DECIMAL_COMMA, "${1}.${2}")
    return points.cast(pl.Float64, strict=False)


def write_parts(
    path: str, kind: str | None, schema: pl.Schema, parts: Callable[[], Iterator[pl.DataFrame]]
) -> None:
    """Write a table a part at a time, as a whole or not at all."""
    form = format_of(path, kind, is_written=True)
    if path == STANDARD_OUTPUT:
        _write(sys.stdout.buffer, form, schema, parts)
        return
    with whole_file(path) as stream:
        _write(stream, form, schema, parts)


def _write(
    stream: IO[bytes], form: str, schema: pl.Schema, parts: Callable[[], Iterator[pl.DataFrame]]
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
        except Exception as error:  # polars would raise it in other words
            failures.append(error)
            raise

    rows = register_io_source(source, schema=schema)
    try:
        (rows.sink_parquet if form == "parquet" else rows.sink_ipc)(stream)
    except Exception as error:
        if not failures and isinstance(error, pl.exceptions.PolarsError):
            # The parts are ours and right, so it is the disk.
            raise OSError(f"the table could not be written: {error}") from error
        raise (failures or [error])[0] from None


def harmless(frame: pl.DataFrame) -> pl.DataFrame:
    """The same table; a text that a spreadsheet would run as a formula begins with a quote."""
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    is_formula = pl.col(texts).str.contains(r"^[=+\-@\t\r]")
    quoted = pl.when(is_formula).then("'" + pl.col(texts)).otherwise(pl.col(texts))
    return frame.with_columns(quoted.name.keep()) if texts else frame
