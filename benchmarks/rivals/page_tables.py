"""Undoes what a fork does to memory, so that a child is like a process that has just imported.

After a fork every page is shared until someone writes it, and pages of libraries are not mapped
until someone reads them. Both are settled by page faults, which would fall into the fit: some
milliseconds, as much as a small fit of ours, and megabytes that only look like the fit's. So the
server notes once which of its pages are resident, and a child has just these mapped, and copied
where they can be written, before it does anything else. No page is touched that the imports had not
touched. Linux 5.14 or later; elsewhere this does nothing.
"""

import ctypes
import itertools
import mmap
from array import array
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

MADV_POPULATE_READ, MADV_POPULATE_WRITE = 22, 23
PRESENT_BIT = 63  # of a page's entry in /proc/self/pagemap


class Run(NamedTuple):
    """Consecutive resident pages, and what to ask the kernel for."""

    start: int
    n_bytes: int
    advice: int


def resident_runs() -> list[Run]:
    """What this process holds in memory; nothing where that cannot be read."""
    try:
        with open("/proc/self/maps") as maps, open("/proc/self/pagemap", "rb", 0) as pages:
            return [run for line in maps for run in runs_of(line, pages)]
    except OSError:
        return []


def runs_of(line: str, pages: BinaryIO) -> Iterator[Run]:
    """The resident runs of one mapping, given as a line of /proc/self/maps."""
    span, permissions, *_, name = line.split()
    # The kernel's own pages ([vdso] and the like) cannot be asked for.
    if permissions[0] != "r" or name.startswith("[v"):
        return
    first, end = (int(address, 16) // mmap.PAGESIZE for address in span.split("-"))
    is_copied = permissions[1] == "w" and permissions[3] == "p"
    pages.seek(8 * first)
    entries = array("Q", pages.read(8 * (end - first)))
    advice = MADV_POPULATE_WRITE if is_copied else MADV_POPULATE_READ
    for is_resident, group in itertools.groupby(entries, lambda entry: entry >> PRESENT_BIT):
        n_pages = len(list(group))
        if is_resident:
            yield Run(first * mmap.PAGESIZE, n_pages * mmap.PAGESIZE, advice)
        first += n_pages


def restore(runs: list[Run]) -> None:
    """In a child: map these pages. It does no harm if a run is gone or the kernel too old."""
    madvise = ctypes.CDLL(None).madvise if runs else None
    for start, n_bytes, advice in runs:
        madvise(ctypes.c_void_p(start), ctypes.c_size_t(n_bytes), advice)
