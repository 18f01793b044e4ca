"""Model files: the format as types, and every complaint about a file that does not keep to it.

A file may come from anybody, so nothing in it is trusted. What it claims of a proof can only be
rechecked with the data: see ``Certificate.verify``. Parts that predictions are made of refuse names
that they do not know; elsewhere unknown names are ignored, so that a later version may add some.
The docstrings of the types are published in the JSON Schema.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta, Struct

from survtree._base.checks import (
    check_option,
    check_short_text,
    convert_json,
    parse_json,
    require,
    short,
)
from survtree._base.options import MAX_DEPTH_LIMIT
from survtree._base.tree import Tree
from survtree._base.versions import SURVTREE_VERSION
from survtree._base.words import one_line_message
from survtree._data.table import Kind as ColumnKind
from survtree._model.checks import check_names_differ
from survtree._model.read_model_leaves import Count, Leaf, NamedCauses, OneCause
from survtree._model.read_model_options import (
    Exact,
    NotNegative,
    Options,
    Positive,
    Text,
    TimeBuckets,
)
from survtree._model.recipe import is_literal
from survtree._proof.choice import Choice
from survtree._proof.guess import Guess
from survtree._questions.checks import LONE_SURROGATE
from survtree._search.problem import LossKind
from survtree._search.progress import Snapshot

FORMAT = "survtree model"
VERSION = 1
# A thousand times the size of a large model; what is read takes about ten times as much memory.
MOST_BYTES = 2**28
EXPORT_AGAIN = "Export the model again, or ask for the file again."
QuestionKind = Literal["one", "in", "up_to", "from", "at_most", "equals", "between", "missing"]
# Which questions can be asked of which kind of column.
ASKED_OF: dict[str, tuple[str, ...]] = {
    "number": ("one", "at_most", "equals", "between", "missing"),
    "flag": ("one", "missing"),
    "level": ("in", "missing"),
    "ordered": ("in", "up_to", "from", "missing"),
}

Horizon = Annotated[float, Meta(gt=0)]
Shrinkage = Annotated[
    float,
    Meta(
        ge=0,
        description="Predicted curves are pulled towards those of larger groups by so many rows; "
        "the survival of leaves is that of their own rows.",
    ),
]
GroupNames = Annotated[
    tuple[str, ...],
    Meta(
        description="Names of the groups, which are the leaves in the order of their risk; an "
        "empty text where there is none, or nothing at all."
    ),
]
Seed = Annotated[int, Meta(ge=0, le=2**32 - 1)]
Name = Annotated[str, Meta(pattern="^[A-Za-z_-]{1,40}$")]
Fingerprint = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
Node = Annotated[int, Meta(ge=-1, le=2**31 - 1)]
Levels = Annotated[tuple[str, ...], Meta(min_length=1)]
Status = Literal[
    "optimal",
    "near_optimal",
    "guessed",
    "gap_reached",
    "time_limit",
    "memory_limit",
    "node_limit",
    "interrupted",
]
# What questions compare with.
COMPARED_WITH: dict[str, Any] = {
    "one": str | None,
    "at_most": float,
    "equals": float,
    "between": tuple[float, float],
    "missing": None,
    **dict.fromkeys(("in", "up_to", "from"), Levels),
}


class Column(Exact):
    """What the fit saw of a column of X."""

    name: Text
    kind: ColumnKind
    levels: list[Text]
    is_zero_one: bool
    has_missing: bool
    is_left_out: bool = False

    def __post_init__(self) -> None:
        for text in (self.name, *self.levels):
            is_whole = LONE_SURROGATE.search(text) is None
            require(is_whole, "name and levels must have no half of a character", text)


class AskedQuestion(Exact):
    """A question about a column (by its place)."""

    column: Count
    kind: QuestionKind
    value: float | Text | tuple[float | Text, ...] | None
    or_missing: bool = False

    def __post_init__(self) -> None:
        place = f"value of a question of kind {self.kind!r}"
        self.value = convert_json(self.value, COMPARED_WITH[self.kind], place=place)


class Nodes(Exact):
    """The tree: question and children of each node, -1 at a leaf."""

    question: list[Node]
    no: list[Node]
    yes: list[Node]

    def __post_init__(self) -> None:
        sizes = [len(self.question), len(self.no), len(self.yes)]
        require(min(sizes) == max(sizes) > 0, "question, no and yes must have one length", sizes)
        tree, came = self.tree(), [self.no, self.yes]
        is_leaf, n = tree.question < 0, tree.n_nodes
        is_childless = (tree.no[is_leaf] == -1).all() and (tree.yes[is_leaf] == -1).all()
        require(is_childless, "no and yes of a leaf must be -1", came)
        children = np.concatenate([tree.no[~is_leaf], tree.yes[~is_leaf]])
        parents = np.tile(np.flatnonzero(~is_leaf), 2)
        is_once = len(children) == n - 1 == len(np.unique(children))
        is_tree = is_once and (children < n).all() and (children > parents).all()
        wanted = "no and yes must give each node but the first one parent, which comes before it"
        require(is_tree, wanted, came)
        depth = int(tree.depths().max())
        require(depth <= MAX_DEPTH_LIMIT, f"it must be at most {MAX_DEPTH_LIMIT} deep", depth)

    def tree(self) -> Tree:
        """The same as arrays."""
        lists = (self.question, self.no, self.yes)
        return Tree(*(np.array(each, dtype=np.int32) for each in lists))


class Proven(Struct):
    """The numbers of the certificate."""

    objective: NotNegative
    loss: NotNegative
    lower_bound: float
    status: Status
    n_leaves: Positive
    regularization: NotNegative
    max_depth: Annotated[int, Meta(ge=0, le=MAX_DEPTH_LIMIT)] | None
    min_samples_leaf: Annotated[int, Meta(ge=1)]
    tolerance: NotNegative
    fingerprint: Fingerprint
    seconds: NotNegative
    counts: dict[str, Count]
    time_buckets: TimeBuckets
    max_leaves: Positive | None
    exact_loss: NotNegative | None
    guess: Guess | None
    min_events_leaf: Annotated[int, Meta(ge=0)] = 0
    horizon: Horizon | None = None  # earlier files have none
    loss_kind: LossKind = "brier"
    teacher: Text | None = None
    teacher_seed: Seed | None = None
    teacher_rows: Positive | None = None
    rows_fingerprint: Fingerprint | None = None
    n_candidates: Positive | None = None
    n_splits: Annotated[int, Meta(ge=0)] | None = None
    choice: Choice | None = None
    n_tried: Positive | None = None
    every_cut_bound: NotNegative | None = None
    column_penalties: dict[Text, NotNegative] | None = None
    first_split: Text | None = None

    def __post_init__(self) -> None:
        objective, bound = self.objective, self.lower_bound
        if not self.column_penalties:
            self.check_sum(0.0)
        is_right = bound == objective if self.status == "optimal" else bound <= objective
        wanted = "lower_bound must be at most the objective, and equal to it if optimal"
        require(is_right, wanted, bound)
        over_all = self.every_cut_bound
        is_below = over_all is None or over_all <= objective
        require(is_below, "every_cut_bound must be at most the objective", over_all)
        check_option("time_buckets", self.time_buckets)
        is_placed = self.choice is not None and (self.choice.place or 0) > 0
        is_right = is_placed or self.status != "near_optimal"
        require(is_right, "choice.place must be above 0 if near_optimal", self.choice)
        n_closed = 0 if self.guess is None else self.guess.n_closed
        require(n_closed >= 0, "guess.n_closed must not be negative", n_closed)

    def check_sum(self, of_columns: float) -> None:
        """The objective is that of its terms; what columns add is known where the tree is."""
        terms = self.loss + self.regularization * self.n_leaves
        words = "loss + regularization x leaves"
        is_sum = abs(terms + of_columns - self.objective) <= 1e-9 * max(1.0, self.objective)
        words += f" + {of_columns:g}, the penalties of columns" if of_columns > 0 else ""
        require(is_sum, f"objective must be {words}", self.objective)


class Outcome(Struct):
    """Which columns of a table hold the outcome, and which a command left out of it."""

    time: Text
    event: Text
    event_values: list[Text]
    weight: Text | None
    left_out: list[Text] = []


class Made(Struct):
    """How to make the model again: options as literals of Python, a command by its arguments."""

    data: Fingerprint
    versions: dict[Name, Annotated[str, Meta(max_length=40)]]
    seed: Seed | None
    is_weighted: bool
    estimator: Literal["", "OptimalSurvivalTree", "OptimalSurvivalTreeCV"]
    options: dict[Name, Text | None]
    command: list[Text]
    is_grouped: bool = False

    def __post_init__(self) -> None:
        for name, text in self.options.items():
            is_plain = text is None or is_literal(text)
            require(is_plain, f"origin.options.{name} must be a literal of Python", text)


class ModelFile(Struct):
    """A fitted optimal survival tree, as survtree.export_json writes it."""

    format: Literal["survtree model"]
    version: Literal[1]
    survtree: Annotated[str, Meta(max_length=40)]
    options: Options
    columns: list[Column]
    are_columns_named: bool
    questions: list[AskedQuestion] | None
    published_names: list[Text]
    tree: Nodes
    leaves: list[Leaf]
    certificate: Proven
    ibs_ratio: Annotated[float, Meta(le=1)]
    exact_loss: NotNegative
    history: list[Snapshot]  # a counter that comes later needs a default, for earlier files
    roles: Outcome | None
    # Earlier files have none of these.
    shrinkage: Shrinkage = 0.0
    one_leaf_reason: Text = ""
    warnings: list[Text] = []
    group_names: GroupNames = ()
    origin: Made | None = None
    causes: NamedCauses | None = None
    one_cause: OneCause | None = None

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        is_apart = 0 < len(names) == len(set(names))
        require(is_apart, "columns must be at least one, with names that differ", names)
        for k, question in enumerate(self.questions or []):
            _check_question(question, f"questions[{k}]", self.columns)
        n = len(names if self.questions is None else self.questions)
        asked = max(self.tree.question)
        require(asked < n, f"tree.question must be below {n}, the number of questions", asked)
        self._check_leaves()
        self._check_rules([*names])
        certificate = self.certificate
        exact = certificate.loss if certificate.exact_loss is None else certificate.exact_loss
        require(self.exact_loss == exact, f"exact_loss must be {exact}", self.exact_loss)
        self._check_groups()
        for k, moment in enumerate(self.history):
            counts = [count for count in vars(moment).values() if isinstance(count, int)]
            is_right = min(moment.seconds, *counts) >= 0
            require(is_right, f"history[{k}] must have no negative seconds or counts", moment)

    def _check_leaves(self) -> None:
        nodes, leaves = [leaf.node for leaf in self.leaves], self.tree.tree().leaves.tolist()
        require(nodes == leaves, f"leaves must have the nodes {short(leaves)}", nodes)
        causes = None if self.causes is None else self.causes.causes()
        is_one = causes is None or self.one_cause is None
        require(is_one, "one_cause must be left out where there are causes", self.one_cause)
        for leaf in self.leaves:
            if causes is not None or leaf.by_cause is not None:
                leaf.check(causes)
        n_events = sum(leaf.n_events for leaf in self.leaves)
        last = max(leaf.times[-1] for leaf in self.leaves)
        require(n_events > 0, "leaves must have an event", n_events)
        require(last > 0, "leaves must have a time above 0", last)
        reason = self.one_leaf_reason
        is_right = reason.isprintable() and (reason == "" or len(leaves) == 1)
        require(is_right, "one_leaf_reason must be one line, and empty if there is a split", reason)
        n, found = len(leaves), self.certificate.n_leaves
        require(found == n, f"certificate.n_leaves must be {n}", found)

    def _check_rules(self, names: list[str]) -> None:
        """Rules are about columns of the file, and the tree keeps to them."""
        penalties, first = self.certificate.column_penalties or {}, self.certificate.first_split
        unknown = {*penalties, *([] if first is None else [first])} - set(names)
        require(not unknown, "rules must be about columns of the file", sorted(unknown))
        asked = [j for j in self.tree.question if j >= 0]
        columns = asked if self.questions is None else [self.questions[j].column for j in asked]
        splits = [names[column] for column in columns]
        self.certificate.check_sum(sum(penalties.get(name, 0.0) for name in splits))
        is_first = first is None or not splits or splits[0] == first
        require(is_first, f"the first split must be on {first!r}, as first_split says", splits[:1])

    def _check_groups(self) -> None:
        names, n = self.group_names, len(self.leaves)
        is_one_each = len(names) in (0, n)
        require(is_one_each, f"group_names must have {n} names, one for each leaf, or none", names)
        for name in filter(None, names):
            check_short_text("a name in group_names", name)
        check_names_differ(names)


def _check_question(question: AskedQuestion, place: str, columns: list[Column]) -> None:
    n = len(columns)
    require(question.column < n, f"{place}.column must be below {n}", question.column)
    of = columns[question.column].kind
    wanted = f"one of {', '.join(ASKED_OF[of])}, for a column of kind {of}"
    require(question.kind in ASKED_OF[of], f"{place}.kind must be {wanted}", question.kind)
    is_apart = question.kind != "missing" or not question.or_missing
    require(is_apart, f"{place}.or_missing must be false of the kind missing", True)


def read_model_file(path: Path, most_bytes: int = MOST_BYTES) -> ModelFile:
    """What a file holds, or an error that says what is wrong with it."""
    with path.open("rb") as stream:
        raw = stream.read(most_bytes + 1)
    try:
        if len(raw) > most_bytes:
            raise ValueError(
                f"it must have at most {most_bytes:,} bytes; it has more. If you trust it, pass a "
                "larger most_bytes."
            )
        given = parse_json(raw, EXPORT_AGAIN)
        _check_version(given)
        return convert_json(given, ModelFile, EXPORT_AGAIN)
    except (ValueError, TypeError, OverflowError) as error:
        message = f"{path} must be a model that survtree exported; {one_line_message(error)}"
        raise ValueError(message) from error


def _check_version(given: Any) -> None:
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise ValueError(
            f'it has no "format": "{FORMAT}". Pass a file that export_json or \'survtree fit\' '
            "wrote."
        )
    found = given.get("version")
    if type(found) is int and found > VERSION:
        raise ValueError(
            f"survtree {SURVTREE_VERSION} reads versions up to {VERSION}; it has version "
            f"{short(found)} of survtree {short(given.get('survtree'))}. Install a newer survtree."
        )
