"""One table of everything a user may set on the estimator: name, default, range, meaning.

The constructor, the docs and the checks in ``_validation`` are tested against it.
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
    allowed: str = ""  # of another kind: what is allowed, in words

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
    "an integer >= 1 (at most so many a column, at quantiles), ('width', k) (k a column, evenly "
    "spaced), a list of at least one finite number"
)

REFERENCES = (
    "'forest', 'boosting', a fitted model with predict_survival_function, a pair (survival "
    "probabilities by row and time, times), or one loss a row"
)

OPTIONS: tuple[Option, ...] = (
    Option(
        "max_depth",
        4,
        "int",
        "Most questions asked on the way to a leaf; a lone leaf has depth 0.",
        low=0,
        high=MAX_DEPTH_LIMIT,
        none_means="no limit",
    ),
    Option(
        "regularization",
        0.01,
        "float",
        "Price of one leaf, in units of the loss: a split must save at least this much.",
        low=0.0,
    ),
    Option(
        "min_samples_leaf",
        7,
        "int",
        "Fewest training rows in a leaf; counts rows, not weights.",
        low=1,
    ),
    Option(
        "max_leaves",
        None,
        "int",
        "Most leaves of the tree.",
        low=1,
        high=60_000,
        none_means="as many as pay",
    ),
    Option(
        "thresholds",
        "auto",
        "other",
        "Where numbers are cut into questions like age <= 62.5.",
        allowed=f"'auto', 'all', 'guess', {CUTS}, or a dict that gives one of these but 'guess' "
        "for columns by name",
    ),
    Option(
        "missing",
        "error",
        "choice",
        "Missing cells: refuse them, ask about them, or leave out the rows of the fit.",
        choices=("error", "question", "drop"),
    ),
    Option(
        "encoding",
        "questions",
        "choice",
        "Readable questions, or the 0/1 columns of the paper's experiments.",
        choices=("questions", "paper"),
    ),
    Option(
        "max_levels",
        100,
        "int",
        "Most levels a column of categories may have.",
        low=2,
    ),
    Option(
        "time_buckets",
        None,
        "other",
        "Times are rounded up to so many buckets, or to given edges, before the search.",
        allowed="an integer >= 1, a list of ascending times >= 0, or None (exact times)",
    ),
    Option(
        "time_limit",
        None,
        "float",
        "Seconds after which the search stops and returns the best tree with a lower bound.",
        low=0.0,
        is_low_open=True,
        none_means="no limit",
    ),
    Option(
        "memory_limit",
        None,
        "other",
        "Memory of the process within which the search forgets what is cheap to find again; it "
        "stops once that no longer helps.",
        allowed="an integer >= 1,000,000 (bytes), a text such as '500MB' or '4GB', or None (no "
        "limit)",
    ),
    Option(
        "node_limit",
        None,
        "int",
        "Subsets of rows to solve, after which the search stops as at a time limit.",
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
        "An objective known to be attainable; only trees at least as good are looked for.",
        low=0.0,
        is_low_open=True,
        none_means="nothing known",
    ),
    Option(
        "reference",
        None,
        "other",
        "A model that is expected to lose no more than any tree on rows with equal answers.",
        allowed=f"{REFERENCES}, or None (no guess)",
    ),
    Option(
        "reference_mode",
        "guess",
        "choice",
        "Trust the reference, or only start from the tree that it leads to.",
        choices=("guess", "prove"),
    ),
    Option(
        "certificate",
        "numbers",
        "choice",
        "What is kept of the proof: its numbers, or all of it, for survtree check-proof.",
        choices=("numbers", "full"),
    ),
    Option(
        "warm_start",
        False,
        "flag",
        "Go on with the search of the last fit if it was for the same problem.",
    ),
    Option(
        "n_jobs",
        None,
        "int",
        "Threads of the search; -1: as many as there are cores. The tree does not depend on it.",
        is_zero_refused=True,
        none_means="one thread",
    ),
    Option(
        "verbose",
        0,
        "int",
        "1 logs a table of progress, 2 adds to each line what was pruned.",
        low=0,
    ),
    Option(
        "callback",
        None,
        "other",
        "Called with a Snapshot during the search; if it returns True, the search stops.",
        allowed="a callable that takes a Snapshot, or None",
    ),
    Option(
        "random_state",
        None,
        "other",
        "Seed of the reference models that have a name; nothing else is random.",
        allowed="an integer from 0 to 2**32 - 1, a numpy RandomState, or None (another one each "
        "time)",
    ),
)

DEFAULTS: dict[str, Any] = {option.name: option.default for option in OPTIONS}
