"""How a search may end, and what it may lean on: what a fit hands over beside its problem."""

from dataclasses import dataclass, field

BOUNDS = (
    "hierarchical",
    "subtree",
    "look_ahead",
    "equivalent_points",
    "incremental_progress",
    "leaf_count",
    "permutation",
)


@dataclass(frozen=True)
class Limits:
    """None of it changes the optimum.

    Replay files keep the fields by their types: numbers, flags, words that have ``choices``, tuples
    of such words, and float arrays with one number a row. Each has a default, which stands for what
    a file of an older version does not say.
    """

    gap: float = 0.0
    upper_bound: float | None = None
    time_limit: float | None = None
    memory_limit: int | None = None
    bounds_off: tuple[str, ...] = field(default=(), metadata={"choices": BOUNDS})
    check_keys: bool = False
    greedy_from: int = 10_000_000  # lane-rows done; before that greedy trees do not pay
    # Empty: the best one of this machine; the cheaper one for the problem.
    kernel: str = field(default="", metadata={"choices": ("", "plain", "avx2", "avx512")})
    layout: str = field(default="", metadata={"choices": ("", "rows", "blocks")})
    solver: str = field(default="", metadata={"choices": ("", "search", "lattice")})
    n_jobs: int | None = None
