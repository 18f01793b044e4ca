"""Which cases each table runs. Data only; how they are run is in runner.py and the tables."""

import itertools
from dataclasses import dataclass

from benchmarks.data import NAMES

MIN_SAMPLES_LEAF = 7


@dataclass(frozen=True)
class Case:
    """One fit: depth counts splits on a path (None: no limit), the penalty per leaf is ours."""

    dataset: str
    max_depth: int | None
    regularization: float


def grid(
    depths: tuple[int, ...], names: tuple[str, ...], regularizations: tuple[float, ...]
) -> list[Case]:
    """All combinations, small depths first, so that a run stopped early has covered those."""
    product = itertools.product(depths, names, regularizations)
    return [Case(name, depth, value) for depth, name, value in product]


# Parity: two regularizations for all sets, two more for the small ones.
SMALL = ("veterans", "servo", "sync", "real-estate", "gbsg2", "whas500", "uissurv", "maintenance")
PARITY = grid((2, 3, 4), NAMES, (0.01, 0.001)) + grid((2, 3, 4), SMALL, (0.005, 0.0001))

# Speed: large penalties first, as they are easier; the rule that skips osst leans on that.
SPEED_DEPTHS = (2, 3, 4, 5)
SPEED_REGULARIZATIONS = (0.05, 0.01, 0.005, 0.0025, 0.001, 0.0005, 0.0001)

# Household: number of rows, and who runs on them; the last part is all rows.
HOUSEHOLD = Case("household", 5, 0.01)
HOUSEHOLD_PARTS = (
    (10_000, ("ours", "osst")),
    (31_623, ("ours",)),
    (100_000, ("ours",)),
    (316_228, ("ours",)),
    (1_000_000, ("ours",)),
    (2_049_280, ("ours", "sksurv")),
)

# Threads: candidates; those on which one thread needs over a second are reported.
THREADS = (
    Case("credit", 5, 0.01),
    Case("churn", 6, 0.01),
    Case("uissurv", 7, 0.01),
    Case("whas500", 7, 0.005),
    Case("flchain", 4, 0.01),
    Case("flchain", 4, 0.001),
)

# STreeD has no penalty per leaf; 15 splits are all that depth 4 allows.
STREED = tuple(Case(name, 4, 0.0) for name in NAMES)
STREED_MAX_SPLITS = 15
LIKELIHOOD_DEPTHS = (3, 4, 5)

NO_LIMIT = tuple(
    Case(name, None, value)
    for value in (0.01, 0.005)
    for name in ("veterans", "gbsg2", "whas500", "maintenance")
)

# The paper's run-time protocol; it counts nodes on a path, 2 to 6.
PROTOCOL = grid(
    (1, 2, 3, 4, 5),
    (*NAMES, "household"),
    (0.1, 0.05, 0.01, 0.005, 0.0025, 0.001, 0.0005, 0.00025, 0.0001, 0.00005, 0.000025, 0.00001),
)
