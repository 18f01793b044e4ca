"""One table of everything a user may set on the estimator: name, default, range, meaning.

The constructor and the docs are tested against it; ``checks.py`` beside it checks values.
"""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Option:
    """One constructor argument. ``low`` and ``high`` are inclusive unless said otherwise."""

    name: str
    default: Any
    kind: Literal["int", "float", "flag", "choice", "other"]
    help: str
    low: float | None = None
    high: float | None = None
    is_low_open: bool = False
    is_high_open: bool = False
    is_zero_refused: bool = False
    none_means: str | None = None  # what None stands for; without it None is refused
    choices: tuple[str, ...] = ()  # of a choice
    allowed: str = ""  # of another kind: the allowed values in words

    @property
    def range_text(self) -> str:
        """The allowed values in words, for messages and docs."""
        if self.kind in ("choice", "other"):
            return self.allowed or "one of " + ", ".join(map(repr, self.choices))
        if self.kind == "flag":
            return "True or False"
        number = "an integer" if self.kind == "int" else "a finite number"
        limits = ["other than 0"] if self.is_zero_refused else []
        if self.low is not None:
            limits.append(f"{'>' if self.is_low_open else '>='} {_shown(self.low)}")
        if self.high is not None:
            limits.append(f"{'<' if self.is_high_open else '<='} {_shown(self.high)}")
        text = " ".join([number, " and ".join(limits)]).strip()
        return f"{text}, or None ({self.none_means})" if self.none_means else text


def _shown(limit: float) -> str:
    return f"{limit:,}" if isinstance(limit, int) else f"{limit:g}"


MAX_DEPTH_LIMIT = 1000
CUTS = (
    "an integer >= 1 (at most this many per column, at quantiles), ('width', k) (k per column, "
    "evenly spaced), a list of at least one finite number"
)

REFERENCES = (
    "'forest', 'boosting', a fitted model with predict_survival_function, a pair (survival "
    "probabilities by row and time, times), or one loss per row"
)

OPTIONS: tuple[Option, ...] = (
    Option(
        "max_depth",
        4,
        "int",
        "Deepest the tree may grow, counted in splits from the root; a lone leaf has depth 0.",
        low=0,
        high=MAX_DEPTH_LIMIT,
        none_means="no limit",
    ),
    Option(
        "regularization",
        0.01,
        "float",
        "Penalty per leaf, in units of the loss: a split must reduce the loss by at least this "
        "much.",
        low=0.0,
    ),
    Option(
        "min_samples_leaf",
        7,
        "int",
        "Smallest number of training rows per leaf; weights do not count.",
        low=1,
    ),
    Option(
        "max_leaves",
        None,
        "int",
        "Largest number of leaves.",
        low=1,
        high=60_000,
        none_means="no limit",
    ),
    Option(
        "thresholds",
        "auto",
        "other",
        "Where numeric columns may be split, for example at age <= 62.5.",
        allowed=f"'auto', 'all', 'guess', {CUTS}, or a dict of column names to any of these "
        "except 'guess'",
    ),
    Option(
        "missing",
        "error",
        "choice",
        "Missing values: refuse them, split on whether a value is missing, or drop the rows.",
        choices=("error", "question", "drop"),
    ),
    Option(
        "encoding",
        "questions",
        "choice",
        "Splits on the columns as they are, or on the 0/1 columns of the paper's experiments.",
        choices=("questions", "paper"),
    ),
    Option(
        "max_levels",
        100,
        "int",
        "Largest number of levels of a categorical column.",
        low=2,
    ),
    Option(
        "time_buckets",
        None,
        "other",
        "Times are rounded up to this many buckets, or to the given edges, before the search.",
        allowed="an integer >= 1, a list of ascending times >= 0, or None (exact times)",
    ),
    Option(
        "time_limit",
        None,
        "float",
        "Seconds after which the search stops and returns the best tree so far with a lower bound.",
        low=0.0,
        is_low_open=True,
        none_means="no limit",
    ),
    Option(
        "memory_limit",
        None,
        "other",
        "Memory that the process may use: the search drops cached results to stay within it, "
        "and stops if that is not enough.",
        allowed="an integer >= 1,000,000 (bytes), a text such as '500MB' or '4GB', or None (no "
        "limit)",
    ),
    Option(
        "node_limit",
        None,
        "int",
        "Number of solved subsets of rows after which the search stops, as at a time limit.",
        low=1,
        none_means="no limit",
    ),
    Option(
        "gap",
        0.0,
        "float",
        "Stop when (objective - lower bound) / objective is at most this.",
        low=0.0,
        high=1.0,
        is_high_open=True,
    ),
    Option(
        "upper_bound",
        None,
        "float",
        "An objective known to be attainable; the search looks only for trees at least as good.",
        low=0.0,
        is_low_open=True,
        none_means="none known",
    ),
    Option(
        "reference",
        None,
        "other",
        "A model assumed to fit at least as well as any tree on rows that no split can separate.",
        allowed=f"{REFERENCES}, or None (no reference)",
    ),
    Option(
        "reference_mode",
        "guess",
        "choice",
        "Trust the reference, or use it only to find a first tree.",
        choices=("guess", "prove"),
    ),
    Option(
        "certificate",
        "numbers",
        "choice",
        "What is kept of the proof: its numbers, or the full proof, for survtree check-proof.",
        choices=("numbers", "full"),
    ),
    Option(
        "warm_start",
        False,
        "flag",
        "Continue the search of the last fit if the problem is the same.",
    ),
    Option(
        "n_jobs",
        None,
        "int",
        "Threads of the search; -1 uses all cores. The tree does not depend on it.",
        is_zero_refused=True,
        none_means="one thread",
    ),
    Option(
        "verbose",
        0,
        "int",
        "1 logs a progress table, 2 adds to each line what was pruned.",
        low=0,
    ),
    Option(
        "callback",
        None,
        "other",
        "Called with a Snapshot during the search; the search stops if it returns True.",
        allowed="a callable that takes a Snapshot, or None",
    ),
    Option(
        "random_state",
        None,
        "other",
        "Seed of the reference models 'forest' and 'boosting'; nothing else is random.",
        allowed="an integer from 0 to 2**32 - 1, a numpy RandomState, or None (a new seed "
        "each time)",
    ),
)

DEFAULTS: dict[str, Any] = {option.name: option.default for option in OPTIONS}
