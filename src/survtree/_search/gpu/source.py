"""The text of the kernels, and the variants in which it is compiled."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

THREADS = 128  # of a block
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
REALS = ("penalty", "dust")
N_COMMON = 4
ARGUMENTS = np.dtype(
    [
        *((name, "<u8") for name in (*POINTERS, *NUMBERS)),
        *((name, "<f8") for name in REALS),
        ("common", "<f8", (N_COMMON,)),
    ]
)
LOSSES = ("brier", "teacher", "likelihood", "incidence")  # each has a file of its name
# Blocks that run at once on a multiprocessor: the fewer, the more registers a thread may have.
_BLOCKS = {"brier": 8, "teacher": 8, "likelihood": 8, "incidence": 5}
_MOST_TOGETHER = 12  # kMostTogether of teacher.h


@dataclass(frozen=True)
class Variant:
    """Which loss is compiled in, for which answers and weights."""

    loss: str
    has_codes: bool
    is_weighted: bool
    n_components: int = 0  # of a teacher's vectors

    @property
    def definitions(self) -> tuple[str, ...]:
        """Options of the compiler."""
        sizes = (f"-DSURVTREE_THREADS={THREADS}", f"-DSURVTREE_BLOCKS={_BLOCKS[self.loss]}")
        flags = {"SURVTREE_CODES": self.has_codes, "SURVTREE_WEIGHTED": self.is_weighted}
        components = (f"-DSURVTREE_COMPONENTS={self.n_components}",) * (self.n_components > 0)
        return (*sizes, *components, *(f"-D{name}" for name, is_on in flags.items() if is_on))

    @property
    def text(self) -> str:
        """The source, all files in one."""
        return _joined(self.loss)

    @property
    def row_bytes(self) -> int:
        """Of a listed row."""
        weighted = {"brier": 48, "teacher": 16, "likelihood": 48, "incidence": 64}
        plain = {**weighted, "brier": 32, "incidence": 48}
        return (weighted if self.is_weighted else plain)[self.loss]

    @property
    def tile_row_bytes(self) -> int:
        """Of a row as lanes read it."""
        if self.loss != "teacher":
            return self.row_bytes
        parts = -(-self.n_components // _MOST_TOGETHER)
        return 16 * -(-(8 * -(-self.n_components // parts) + 24) // 16)


@cache
def _joined(loss: str) -> str:
    folder = files("survtree._search.gpu") / "kernels"
    names = ("sets.h", f"{loss}.h", "rows.h", "cells.h", "block.h", "kernels.h")
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def own_bytes(variant: Variant, n_cells: int, n_questions: int, n_columns: int) -> int:
    """Memory of a block for its lists: lay_out() of block.h."""
    width = -(-n_questions // 32)
    tiles = variant.tile_row_bytes * THREADS
    sets = 4 * n_cells * (width + max(width, n_columns))
    return tiles + sets + max(_COUNT_BYTES, 2 * n_cells * n_questions)


def scratch_bytes(variant: Variant, n_rows: int, n_words: int) -> int:
    """Memory for the rows that a block lists: lay_out_rows() of block.h, and some to align it."""
    return -(-(variant.row_bytes + 4 + 4 * n_words) * n_rows // 256) * 256
