"""The text of the kernels, and the variants in which it is compiled."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

THREADS = 128  # of a block
BLOCKS = 8  # that run at once on a multiprocessor: so many registers a thread may have
MOST_LEVELS = 6  # questions of a set: kMostLevels of sets.h
_COUNT_BYTES = 4 * 2048  # kMostCounts of cells.h
LEAVES, OPTIMA, COMBINE, LANES = range(4)  # Mode of sets.h

# The fields of Arguments (sets.h), in their order: addresses first.
POINTERS = (
    *("answers", "column", "cut", "first_cut", "facts", "copies", "events"),
    *("split_penalty", "choose", "below", "values", "scratch"),
)
NUMBERS = (
    *("scratch_bytes", "n_rows", "n_questions", "n_words", "n_columns", "n_facts"),
    *("level", "mode", "min_rows", "min_events"),
)
REALS = ("penalty", "end_high", "end_low", "total_weight", "dust")
ARGUMENTS = np.dtype(
    [*((name, "<u8") for name in (*POINTERS, *NUMBERS)), *((name, "<f8") for name in REALS)]
)


@dataclass(frozen=True)
class Variant:
    """Which loss is compiled in, for which answers and weights."""

    loss: str
    has_codes: bool
    is_weighted: bool

    @property
    def definitions(self) -> tuple[str, ...]:
        """Options of the compiler."""
        sizes = (f"-DSURVTREE_THREADS={THREADS}", f"-DSURVTREE_BLOCKS={BLOCKS}")
        flags = {"SURVTREE_CODES": self.has_codes, "SURVTREE_WEIGHTED": self.is_weighted}
        return (*sizes, *(f"-D{name}" for name, is_on in flags.items() if is_on))

    @property
    def text(self) -> str:
        """The source, all files in one."""
        return _joined(self.loss)

    @property
    def row_bytes(self) -> int:
        """Of a listed row."""
        return {"brier": 48 if self.is_weighted else 32, "teacher": 16}[self.loss]


@cache
def _joined(loss: str) -> str:
    folder = files("survtree._search.gpu") / "kernels"
    names = ("sets.h", f"{loss}.h", "cells.h", "block.h", "kernels.h")
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def own_bytes(variant: Variant, n_cells: int, n_questions: int, n_columns: int) -> int:
    """Memory of a block for its lists: lay_out() of block.h."""
    width = -(-n_questions // 32)
    tiles = variant.row_bytes * THREADS
    sets = 4 * n_cells * (width + max(width, n_columns))
    return tiles + sets + max(_COUNT_BYTES, 2 * n_cells * n_questions)


def scratch_bytes(variant: Variant, n_rows: int, n_words: int) -> int:
    """Memory for the rows that a block lists: lay_out_rows() of block.h, and some to align it."""
    return -(-(variant.row_bytes + 4 + 4 * n_words) * n_rows // 256) * 256
