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
    words: tuple[str, ...] = ()  # allowed instead of a number
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
        text = ", ".join([*map(repr, self.words), f"or {text}" if self.words else text])
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

TEACHERS = (
    "'auto' (the mean of the next two), 'forest', 'cox', a fitted model with "
    "predict_survival_function, a pair (survival probabilities by row and time, times)"
)

# fmt: off
OPTIONS: tuple[Option, ...] = (
    Option("max_depth", "default", "int", low=0, high=MAX_DEPTH_LIMIT,
           words=("default", "auto"), none_means="no limit",
           help="Deepest the tree may grow, counted in splits from the root; a lone leaf has "
                "depth 0. 'auto' is 3, or up to 5 with at most 8 leaves where that comes much "
                "nearer to the teacher. 'default' is 'auto' if regularization is 'auto', "
                "otherwise 4."),
    Option("regularization", "auto", "float", low=0.0, words=("auto",),
           help="Penalty per leaf. 'auto' chooses it, and everything whose value is 'default', "
                "for predictions of new rows; beside max_leaves it is 0. A number is the penalty "
                "of the paper's objective, in units of the loss: a split must reduce the loss by "
                "at least this much."),
    Option("min_samples_leaf", 7, "int", low=1,
           help="Smallest number of training rows per leaf; weights do not count."),
    Option("min_events_leaf", "default", "int", low=0, words=("default",),
           help="Smallest number of events per leaf; weights do not count. 'default' is 1 if "
                "regularization is 'auto', otherwise 0."),
    Option("max_leaves", None, "int", low=1, high=60_000, none_means="no limit",
           help="Largest number of leaves: the best tree with at most this many, without a "
                "penalty unless regularization is a number."),
    Option("loss", "brier", "choice", choices=("brier", "likelihood"),
           help="What trees are judged by: the integrated Brier score of their survival curves, or "
                "the likelihood of one hazard ratio per leaf, beside which there is neither a "
                "teacher nor a reference."),
    Option("thresholds", "auto", "other",
           allowed=f"'auto', 'all', 'guess', {CUTS}, or a dict of column names to any of these "
                   "except 'guess'",
           help="Where numeric columns may be split, for example at age <= 62.5."),
    Option("missing", "error", "choice", choices=("error", "question", "better", "drop"),
           help="Missing values: refuse them, split on whether a value is missing, send them to "
                "the better side of each split, or drop the rows."),
    Option("encoding", "questions", "choice", choices=("questions", "paper"),
           help="Splits on the columns as they are, or on the 0/1 columns of the paper's "
                "experiments."),
    Option("max_levels", 100, "int", low=2,
           help="Largest number of levels of a categorical column."),
    Option("levels", "default", "choice", choices=("default", "each", "grouped", "subsets"),
           help="A candidate split for each level of a categorical column, or also for groups of "
                "levels in the order of their risk, or for every division of up to 8 levels in "
                "two. 'default' is 'grouped' if regularization is 'auto', otherwise 'each'."),
    Option("categorical", None, "other",
           allowed="a list of names of columns, or None",
           help="Columns whose numbers are codes of categories."),
    Option("exclude", None, "other",
           allowed="a list of names of columns, or None",
           help="Columns that the tree must not split on. Columns that only number the rows are "
                "left out as well, with a warning, unless thresholds or categorical name them."),
    Option("column_penalties", None, "other",
           allowed="a dict of names of columns to finite numbers >= 0, or None (no penalties)",
           help="Added to the objective for every split on a column, in units of the loss: a "
                "split on it must reduce the loss by that much more."),
    Option("first_split", None, "other",
           allowed="the name of a column, or None (any column)",
           help="Column that the tree splits all rows on, whether that pays or not; then each "
                "side as is best. One leaf if no split on it leaves enough rows and events on "
                "both sides."),
    Option("time_buckets", None, "other",
           allowed="an integer >= 1, a list of ascending times >= 0, or None (exact times)",
           help="Times are rounded up to this many buckets, or to the given edges, before the "
                "search."),
    Option("horizon", "default", "float", low=0.0, is_low_open=True, words=("default", "auto"),
           none_means="the last time",
           help="Time up to which the loss is integrated; 'auto' is a time by which most rows "
                "have ended. 'default' is 'auto' if regularization is 'auto', otherwise None."),
    Option("teacher", "default", "other",
           allowed=f"'default', {TEACHERS}, or None (no teacher)",
           help="A model whose survival curves the tree is fitted to, instead of the outcomes "
                "themselves. 'default' is 'auto' if regularization is 'auto', otherwise None."),
    Option("shrinkage", "default", "float", low=0.0, words=("default", "auto"),
           help="How strongly the predicted curve of a leaf is pulled towards the curves of the "
                "nodes above it, in rows; 0 predicts the curve of the leaf's own rows. 'default' "
                "is 'auto' if regularization is 'auto', otherwise 0."),
    Option("time_unit", None, "other",
           allowed="a text such as 'days', or None (not known)",
           help="The unit of the times, for tables, pictures and reports; the fit does not depend "
                "on it."),
    Option("time_limit", None, "float", low=0.0, is_low_open=True, none_means="no limit",
           help="Seconds after which the search stops and returns the best tree so far with a "
                "lower bound."),
    Option("memory_limit", None, "other",
           allowed="an integer >= 1,000,000 (bytes), a text such as '500MB' or '4GB', or None "
                   "(no limit)",
           help="Memory that the process may use: the search drops cached results to stay within "
                "it, and stops if that is not enough."),
    Option("node_limit", None, "int", low=1, none_means="no limit",
           help="Number of solved subsets of rows after which the search stops, as at a time "
                "limit."),
    Option("gap", 0.0, "float", low=0.0, high=1.0, is_high_open=True,
           help="Stop when (objective - lower bound) / objective is at most this."),
    Option("upper_bound", None, "float", low=0.0, is_low_open=True, none_means="none known",
           help="An objective known to be attainable; the search looks only for trees at least "
                "as good."),
    Option("reference", None, "other",
           allowed=f"{REFERENCES}, or None (no reference)",
           help="A model assumed to fit at least as well as any tree on rows that no split can "
                "separate."),
    Option("reference_mode", "guess", "choice", choices=("guess", "prove"),
           help="Trust the reference, or use it only to find a first tree."),
    Option("certificate", "numbers", "choice", choices=("numbers", "full"),
           help="What is kept of the proof: its numbers, or the full proof, for survtree "
                "check-proof."),
    Option("warm_start", False, "flag",
           help="Continue the search of the last fit if the problem is the same."),
    Option("n_jobs", None, "int", is_zero_refused=True, none_means="one thread",
           help="Threads of the search and of a built-in teacher; -1 uses all cores. The tree "
                "does not depend on it."),
    Option("device", "cpu", "choice", choices=("cpu", "cuda", "auto"),
           help="Where the search runs: on the CPU; on a CUDA GPU (needs survtree[gpu]) if a "
                "core has not solved it in a moment; or on the GPU where there is one, the "
                "problem can go there and a core is expected to take longer. The tree does not "
                "depend on it."),
    Option("verbose", 0, "int", low=0,
           help="1 logs a progress table, 2 adds to each line what was pruned."),
    Option("callback", None, "other",
           allowed="a callable that takes a Snapshot, or None",
           help="Called with a Snapshot during the search; the search stops if it returns True."),
    Option("random_state", 0, "other",
           allowed="an integer from 0 to 2**32 - 1, a numpy RandomState, or None "
                   "(a new seed each time)",
           help="Seed of the teachers and reference models that are fitted here; nothing else is "
                "random."),
)
# fmt: on

DEFAULTS: dict[str, Any] = {option.name: option.default for option in OPTIONS}
