"""The 0/1 columns of the experiments in the optimal sparse survival trees paper, as questions.

Kept to repeat published numbers, not as advice: four equal-width bins are coarse, and the bins of
a skewed column can be almost empty.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from survtree._data.table import Column
from survtree._questions.questions import Question

N_BINS = 4
MOST_VALUES_KEPT = 10


def paper_questions(columns: Sequence[Column]) -> list[tuple[str, Question]]:
    """A question for each level but the first of each column, with its published name.

    Categories come first. Numbers with more than ten distinct values become four bins of equal
    width, others are their own levels; a missing number is a level of its own, the last, and a
    missing category is none.
    """
    categories = [(j, column) for j, column in enumerate(columns) if column.kind != "number"]
    numbers = [(j, column) for j, column in enumerate(columns) if column.kind == "number"]
    found = [(column.name, list(_of_categories(j, column))) for j, column in categories]
    found += [(column.name, list(_of_numbers(j, column))) for j, column in numbers]
    return [(f"{name}_{label}", question) for name, named in found for label, question in named[1:]]


def _of_categories(j: int, column: Column) -> Iterator[tuple[str, Question]]:
    for level in column.levels or ("False", "True"):
        is_flag = column.kind == "flag"
        yield level, Question(j, "one", level) if is_flag else Question(j, "in", (level,))


def _of_numbers(j: int, column: Column) -> Iterator[tuple[str, Question]]:
    is_missing = column.is_missing()
    present = column.values[~is_missing].astype(np.float64)
    distinct = np.unique(present)
    # Missing cells make the published column float: its levels are named "age_1.0", not "age_1".
    has_gaps = bool(is_missing.any())
    if len(distinct) > MOST_VALUES_KEPT:
        edges = _edges(distinct)
        # By inner edges: pandas.cut, which made the published files, puts the minimum in the first
        # bin by moving the left edge, which among large numbers moves nothing.
        is_filled = np.bincount(np.searchsorted(edges[1:-1], present), minlength=N_BINS)
        for bin_number in np.flatnonzero(is_filled).tolist():
            bounds = float(edges[bin_number]), float(edges[bin_number + 1])
            yield _label(bin_number, not has_gaps), Question(j, "between", bounds)
    else:
        for value in distinct.tolist():
            label = _label(value, column.is_whole and not has_gaps)
            yield label, Question(j, "equals", value)
    if has_gaps:
        yield "nan", Question(j, "missing")


def _label(value: float, is_whole: bool) -> str:
    return str(int(value)) if is_whole else str(float(value))


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    if math.isinf(high - low):  # the differences of quarters are finite, and the same but for size
        return 4 * np.linspace(low / 4, high / 4, N_BINS + 1)
    return np.linspace(low, high, N_BINS + 1)
