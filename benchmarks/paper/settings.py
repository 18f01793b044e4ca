"""What the experiments run: data sets, depths, grids and limits, in full and with --quick.

Depths are ours (questions asked on the way to a leaf); the paper counts the root too, so its depth
is one more.
"""

from dataclasses import dataclass

from benchmarks.data import NAMES
from benchmarks.suites import MIN_SAMPLES_LEAF

# The paper's penalties per leaf, large ones first: they are easier.
REGULARIZATIONS = (
    *(0.1, 0.05, 0.01, 0.005, 0.0025, 0.001),
    *(0.0005, 0.00025, 0.0001, 0.00005, 0.000025, 0.00001),
)
# Significance levels below which ctree splits; the first is its default.
ALPHAS = (0.05, 0.0001, 0.001, 0.01, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 0.99)
MOST_LEAVES = 32  # asked of programs that are told a number of leaves: one run each
FOLD_SEED = 666
N_FOLDS = 5


@dataclass(frozen=True)
class Grid:
    """One experiment on trees."""

    datasets: tuple[str, ...]
    depths: tuple[int, ...]
    regularizations: tuple[float, ...]
    most_leaves: int
    limit_s: float  # for one run of a program; ours needs one for all sizes of a depth
    min_rows: int = MIN_SAMPLES_LEAF  # in a leaf


OPTIMALITY = Grid(
    ("servo", "veterans", "maintenance", "gbsg2", "whas500", "churn", "credit", "employee"),
    tuple(range(1, 9)),
    REGULARIZATIONS,
    MOST_LEAVES,
    120.0,
)
OPTIMALITY_QUICK = Grid(
    ("servo", "veterans", "maintenance", "gbsg2"), (1, 2, 3), (0.01, 0.0025, 0.0005), 8, 5.0
)

GENERALIZATION = Grid(
    ("servo", "maintenance", "churn", "credit", "employee"),
    (1, 2, 3, 4),
    REGULARIZATIONS,
    16,
    120.0,
)
GENERALIZATION_QUICK = Grid(("servo", "maintenance"), (2, 3), (0.01, 0.001), 8, 5.0)

RUN_TIME = Grid((*NAMES, "household"), (1, 2, 3, 4, 5), REGULARIZATIONS, 0, 60.0)
RUN_TIME_QUICK = Grid(("veterans", "gbsg2", "whas500"), (1, 2, 3), (0.01, 0.001, 0.0001), 0, 5.0)


@dataclass(frozen=True)
class Sizes:
    """Growing parts of household, with so much censoring in percent."""

    rows: tuple[int, ...]
    censored: tuple[int, ...]
    limit_s: float
    max_depth: int = 4
    regularization: float = 0.01
    datasets: tuple[str, ...] = ("household",)


SCALABILITY = Sizes(
    (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 2_049_280),
    (20, 50, 80),
    600.0,
)
SCALABILITY_QUICK = Sizes((100, 1_000, 10_000, 100_000), (20, 80), 5.0)


@dataclass(frozen=True)
class BlackBoxes:
    """Data sets, and what is tried for each model before its best setting is fitted again."""

    datasets: tuple[str, ...]
    cox_alphas: tuple[float, ...]
    forest_leaves: tuple[int, ...]
    forest_trees: int
    boosting_rates: tuple[float, ...]
    boosting_depths: tuple[int, ...]
    tree_depths: tuple[int, ...]
    pamm_limit_s: float


BLACK_BOX = BlackBoxes(
    ("servo", "veterans", "maintenance", "gbsg2", "whas500", "churn", "credit", "employee"),
    (0.01, 0.1, 1.0, 10.0, 100.0),
    (3, 7, 15, 30),
    200,
    (0.05, 0.1, 0.3),
    (1, 2, 3),
    (1, 2, 3, 4),
    1800.0,
)
BLACK_BOX_QUICK = BlackBoxes(
    ("servo", "veterans", "maintenance", "gbsg2"),
    (0.1, 1.0, 10.0),
    (7, 15),
    50,
    (0.1,),
    (1, 2),
    (1, 2, 3, 4),
    60.0,
)
