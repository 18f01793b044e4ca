"""What is known about the 17 data sets of the paper: the archives that hold them, and checksums.

The checksums are those of the files that were inspected when the tables were written; other files
are refused. Counts are those of the published 0/1 tables.
"""

import csv
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Archive:
    """A source archive of a package index, pinned."""

    name: str
    version: str
    n_bytes: int
    sha256: str

    @property
    def folder(self) -> str:
        """The one folder that everything in the archive lies in."""
        return f"{self.name}-{self.version}"

    @property
    def file(self) -> str:
        """The archive's file name."""
        return f"{self.folder}.tar.gz"


@dataclass(frozen=True)
class Member:
    """A file inside an archive; more than `n_bytes` of it are never read."""

    archive: Archive
    path: str
    n_bytes: int


@dataclass(frozen=True)
class PaperSet:
    """A data set of the paper, the file that `fetch` writes for it, and what it is made from.

    The checksum of a CSV file is that of its bytes; that of an NPZ file is of its arrays, since
    compressed bytes depend on the program that compressed them.
    """

    name: str
    n_rows: int
    n_columns: int
    n_events: int
    description: str
    file: str
    members: tuple[Member, ...]
    sha256: str


OSST = Archive(
    "osst", "0.1.8", 6006149, "218e9c78ca7eae43811f0cdcf691e6cf3c5641d6c11283cfa16faba33bb1b803"
)
OSRT = Archive(
    "osrt", "0.2.2", 5005262, "c5495f21cfa91d93bb95210ef52bcb50027b38c5266a97284ec5280a4d142c18"
)


def _member(archive: Archive, path: str, n_bytes: int) -> Member:
    return Member(archive, f"{archive.folder}/experiments/datasets/{path}", n_bytes)


def _table(row: dict[str, str]) -> PaperSet:
    name, file = row["name"], f"{row['name']}.csv"
    member = _member(OSST, f"{name}/{file}", int(row["bytes"]))
    counts = int(row["rows"]), int(row["columns"]), int(row["events"])
    return PaperSet(name, *counts, row["description"], file, (member,), row["sha256"])


_TEXT = (files("survtree.datasets") / "data" / "paper.csv").read_text(encoding="utf-8")
TABLES = tuple(map(_table, csv.DictReader(_TEXT.splitlines())))
# osst's file has the event flags, but its times are cut to ten values; osrt's has the times as they
# were measured, of the same rows in the same order.
HOUSEHOLD = PaperSet(
    name="household",
    n_rows=2049280,
    n_columns=15,
    n_events=1639529,
    description="regression set, random censoring: electric power by the minute",
    file="household_raw_time.npz",
    members=(
        _member(OSST, "household/household.csv", 93155930),
        _member(OSRT, "household_consumption/household.csv", 80363380),
    ),
    sha256="85358a098521d5e63d24a80202d51b9699b6ecf34b5355b573d136b34652feb6",
)
