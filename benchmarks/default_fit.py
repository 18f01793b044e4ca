"""Processor seconds of a fit at its defaults: what a new user waits for.

    python -m benchmarks.default_fit [--rows 1000] [--columns 20] [--repeats 5]

Simulated rows of which four columns matter, half of them numbers and half flags; about a third is
censored. Seconds are of the processor, so other work on the machine matters little; the first fit,
which imports what it needs, is not counted. Needs no data and writes no file.
"""

import argparse
import statistics
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from survtree import OptimalSurvivalTree


def made_up(n_rows: int, n_columns: int) -> tuple[Any, Any]:
    """Numbers first, then flags; two of each matter."""
    rng = np.random.default_rng(0)
    n_flags = n_columns // 2
    numbers = rng.normal(size=(n_rows, n_columns - n_flags))
    flags = rng.integers(0, 2, (n_rows, n_flags))
    risk = numbers[:, :2].sum(axis=1) + flags[:, :2].sum(axis=1)
    time, lost = rng.exponential(np.exp(-0.5 * risk)), rng.exponential(1.2, n_rows)
    return np.column_stack([numbers, flags]), (time <= lost, np.minimum(time, lost))


def seconds(fit: Callable[[], Any]) -> float:
    start = process_time()
    fit()
    return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("rows", 1000), ("columns", 20), ("repeats", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    X, y = made_up(arguments.rows, arguments.columns)
    model = OptimalSurvivalTree().fit(X, y)
    found = [seconds(lambda: OptimalSurvivalTree().fit(X, y)) for _ in range(arguments.repeats)]
    print(model.certificate_.summary())
    print(
        f"{arguments.rows:,} rows, {arguments.columns} columns: "
        f"{statistics.median(found):.2f} s of the processor, the median of {len(found)} "
        f"({min(found):.2f} to {max(found):.2f})"
    )


if __name__ == "__main__":
    main()
