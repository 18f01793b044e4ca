"""The text of the kernels, and the variants in which it is compiled."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

THREADS = 256  # of a block
MOST_LEVELS = 6  # questions of a set: kMostLevels of sets.h
LEAVES, OPTIMA, COMBINE, LANES = range(4)  # Mode of sets.h

# The fields of Arguments (sets.h), in their order: addresses first.
POINTERS = (
    *("answers", "column", "cut", "first_cut", "facts", "copies", "events"),
    *("inverse", "choose", "below", "values", "scratch"),
)
NUMBERS = (
    *("scratch_bytes", "n_rows", "n_questions", "n_words", "n_columns", "n_facts"),
    *("level", "mode", "min_rows", "min_events"),
)
REALS = ("penalty", "end_high", "end_low", "total_weight")
ARGUMENTS = np.dtype(
    [*((name, "<u8") for name in (*POINTERS, *NUMBERS)), *((name, "<f8") for name in REALS)]
)


@dataclass(frozen=True)
class Variant:
    """Which loss is compiled in, for which answers and weights, with rows kept where."""

    loss: str
    has_codes: bool
    is_weighted: bool
    has_own_rows: bool  # in the memory of a block

    @property
    def definitions(self) -> tuple[str, ...]:
        """Options of the compiler."""
        flags = {
            "SURVTREE_CODES": self.has_codes,
            "SURVTREE_WEIGHTED": self.is_weighted,
            "SURVTREE_OWN_ROWS": self.has_own_rows,
        }
        chosen = tuple(f"-D{name}" for name, is_on in flags.items() if is_on)
        return (f"-DSURVTREE_THREADS={THREADS}", *chosen)

    @property
    def text(self) -> str:
        """The source, all files in one."""
        return _joined(self.loss)

    def row_bytes(self, n_words: int) -> int:
        """Of a listed row, its number and its answers."""
        row = {"brier": 40 if self.is_weighted else 24, "teacher": 16}[self.loss]
        return row + 4 + 4 * n_words


@cache
def _joined(loss: str) -> str:
    folder = files("survtree._search.gpu") / "kernels"
    names = ("sets.h", f"{loss}.h", "cells.h", "block.h", "kernels.h")
    return "\n".join((folder / name).read_text("utf-8") for name in names)


def list_bytes(n_cells: int, n_questions: int, n_columns: int) -> int:
    """Of a block's lists but its rows: lay_out() of block.h."""
    width = -(-n_questions // 32)
    at = 4 * 2048 + 4 * n_cells * (width + max(width, n_columns))
    return -(-(at + 2 * n_cells * n_questions) // 16) * 16
