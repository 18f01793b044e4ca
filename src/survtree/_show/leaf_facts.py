"""What is known about a leaf: its conditions, its numbers with limits, and what it predicts.

The conditions are those of its path, with what is asked of one column put together. The answer no
is also that of a missing value and of a level that the fit did not see, so a condition that only
rests on noes says so where the column had missing values.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from survtree._base.numbers import Interval, format_exact
from survtree._base.tree import Tree
from survtree._base.words import quoted_level, quoted_name
from survtree._data.causes import Causes
from survtree._data.read_rows import TAKE_MISSING
from survtree._model.fitted import FittedTree
from survtree._questions.forms import (
    MOST_LEVELS_LISTED,
    End,
    InLevels,
    InRange,
    IsMissing,
    IsOne,
    Question,
    of_present_values,
    range_text,
    says_yes_if_missing,
)
from survtree._questions.questions import Questions
from survtree._scoring.compare_curves import LogRank, hazard_ratios, log_rank
from survtree._scoring.curves import LeafCurve
from survtree._scoring.incidence import CompetingCurve
from survtree._scoring.read_curves import check_times
from survtree._scoring.relative_hazards import relative_hazards
from survtree._show.checks import check_confidence, check_until
from survtree._show.shown_curves import CurveWords, shown_at, shown_curve, words_of
from survtree._show.usual_times import has_medians, stated_time, unit_of, usual_times

CONFIDENCE = 0.95
YES, NO, NO_OR_MISSING = "yes", "no", "no or missing"


class Answer(NamedTuple):
    """A question and its answer."""

    question: Question
    is_yes: bool


def paths_to_nodes(tree: Tree, questions: Questions) -> dict[int, tuple[Answer, ...]]:
    """The answers on the way from the root to each node."""
    paths: dict[int, tuple[Answer, ...]] = {0: ()}
    for node in range(tree.n_nodes):  # parents come before children
        if tree.question[node] >= 0:
            question = questions.asked[int(tree.question[node])]
            paths[int(tree.yes[node])] = (*paths[node], Answer(question, True))
            paths[int(tree.no[node])] = (*paths[node], Answer(question, False))
    return paths


def questions_of(model: FittedTree) -> list[Question]:
    """The questions of the splits, from the root down."""
    return [model.questions_.asked[j] for j in model.tree_.question if j >= 0]


def columns_asked(model: FittedTree) -> list[int]:
    """Places of the columns that the tree splits on, from the root down."""
    return list(dict.fromkeys(question.column for question in questions_of(model)))


def conditions(model: FittedTree, path: Sequence[Answer]) -> tuple[str, ...]:
    """The conditions of a path in words, in the order in which columns first occur."""
    by_column: dict[int, list[Answer]] = {}
    for answer in path:
        by_column.setdefault(answer.question.column, []).append(answer)
    return tuple(
        text
        for column, answers in by_column.items()
        for text in _of_column(
            model.questions_.names[column], answers, model.binarizer_.seen_[column].has_missing
        )
    )


def _of_column(name: str, group: list[Answer], has_gaps: bool) -> list[str]:
    are_missing = [answer.is_yes for answer in group if isinstance(answer.question, IsMissing)]
    others = [answer for answer in group if not isinstance(answer.question, IsMissing)]
    if any(are_missing):
        return [f"{quoted_name(name)} is missing"]
    if not others:
        return [f"{quoted_name(name)} is not missing"]
    holds_missing = all(says_yes_if_missing(question) == is_yes for question, is_yes in group)
    parts = _without_missing(name, [Answer(of_present_values(q), is_yes) for q, is_yes in others])
    if holds_missing and not parts:
        return [f"{quoted_name(name)} is missing"]
    if not (holds_missing and has_gaps):
        return parts
    inner = [part[1:-1] if part[:1] == "(" else part for part in parts]
    return [f"({part} or {quoted_name(name)} is missing)" for part in inner]


def _without_missing(name: str, group: list[Answer]) -> list[str]:
    """Questions about one column have one form, apart from the one whether it is missing.

    Nothing is returned if no value answers so: the rows are those without one.
    """
    first, answer = group[0]
    if isinstance(first, IsOne):
        if len({is_yes for _, is_yes in group}) > 1:
            return []
        no = f"{quoted_name(name)} {'= 0' if first.word is None else 'is False'}"
        return [first.text(name) if answer else no]
    ranges = [(q, answer) for q, answer in group if isinstance(q, InRange)]
    levels = [(q, answer) for q, answer in group if isinstance(q, InLevels)]
    if ranges:
        return _of_numbers(name, ranges)
    text = _of_levels(quoted_name(name), levels)
    return [text] if text else []


def _of_numbers(name: str, group: list[tuple[InRange, bool]]) -> list[str]:
    """One range, and what is left out of it."""
    for question, answer in group:
        if question.is_one_value and answer:
            return [question.text(name)]
    ends = [_ends(question, answer) for question, answer in group]
    low, high = max(low for low, _ in ends), min(high for _, high in ends)
    if low >= high:
        return []
    parts = [range_text(quoted_name(name), low, high)] if low > -math.inf or high < math.inf else []
    for question, answer in group:
        if answer or question.is_cut:
            continue
        if question.is_one_value and low < question.high <= high:
            parts.append(f"{quoted_name(name)} != {format_exact(question.high)}")
        if not question.is_one_value and question.low < high and low < question.high:
            parts.append(f"not ({question.text(name)})")
    return parts


def _ends(question: InRange, answer: bool) -> tuple[float, float]:
    """What the number is above, and at most; a no to a range with one end is beyond that end."""
    low, high = question.low, question.high
    if answer:
        return low, high
    return high if low == -math.inf else -math.inf, low if high == math.inf else math.inf


def _of_levels(name: str, group: list[tuple[InLevels, bool]]) -> str:
    yes = [question for question, answer in group if answer]
    no = [question for question, answer in group if not answer]
    if not yes:
        return _none_of_levels(name, no)
    left = [
        level
        for level in yes[0].levels
        if all((level in question.levels) == answer for question, answer in group)
    ]
    return _one_of_levels(name, yes[0], left) if left else ""


def _one_of_levels(name: str, question: InLevels, left: list[str]) -> str:
    """One of the levels that are left; those of an ordered column are neighbours."""
    if len(left) == 1:
        return f"{name} is {quoted_level(left[0])}"
    if question.end is None or len(left) <= MOST_LEVELS_LISTED:
        # In brackets: what is joined by "and" must not be read into it.
        return f"({name} is {' or '.join(map(quoted_level, left))})"
    low, high = quoted_level(left[0]), quoted_level(left[-1])
    if question.end == "low" and left[0] == question.levels[0]:
        return f"{name} <= {high}"
    if question.end == "high" and left[-1] == question.levels[-1]:
        return f"{name} >= {low}"
    return f"{low} <= {name} <= {high}"


def _none_of_levels(name: str, no: list[InLevels]) -> str:
    """None of the levels that were asked for."""
    refused = list(dict.fromkeys(level for question in no for level in question.levels))
    if len(refused) == 1:
        return f"{name} is not {quoted_level(refused[0])}"
    if no[0].end is None or len(refused) <= MOST_LEVELS_LISTED:
        return f"{name} is neither {' nor '.join(map(quoted_level, refused))}"
    below, above = levels_at_end(no, "low"), levels_at_end(no, "high")
    if not above:
        return f"{name} > {quoted_level(below[-1])}"
    if not below:
        return f"{name} < {quoted_level(above[0])}"
    return f"{quoted_level(below[-1])} < {name} < {quoted_level(above[0])}"


def levels_at_end(questions: Sequence[Question], end: End) -> tuple[str, ...]:
    """The longest set of levels at one end of the order of a column, none if there is no such."""
    found = [q.levels for q in questions if isinstance(q, InLevels) and q.end == end]
    return max(found, key=len, default=())


def answers_on_edges(model: FittedTree) -> dict[int, str]:
    """What is written on the edge to each node but the root: the answers that lead there."""
    paths = paths_to_nodes(model.tree_, model.questions_)
    return {node: _edge_text(model, *path) for node, path in paths.items() if path}


def _edge_text(model: FittedTree, *path: Answer) -> str:
    """Missing rows are named where they go, unless the path has already parted with them."""
    *before, (question, is_yes) = path
    if is_yes:
        return YES
    has_missing = model.binarizer_.seen_[question.column].has_missing
    if not has_missing or says_yes_if_missing(question):
        return NO
    of_column = (answer for answer in before if answer.question.column == question.column)
    are_gone = any(says_yes_if_missing(q) != answer for q, answer in of_column)
    return NO if are_gone else NO_OR_MISSING


class Predicted(NamedTuple):
    """What a leaf predicts by a shrunken curve."""

    median: float
    survival: tuple[float, ...]  # at the times of the facts; with competing risks the incidence


class Leaf(NamedTuple):
    """One leaf: its node, and its group by risk with the name that the user gave it.

    Risk and ``predicted`` are of the predicted curve, everything else of the leaf's own rows.
    """

    node: int
    group: int
    name: str  # empty if there is none
    where: tuple[str, ...]  # all conditions hold; none of a lone leaf
    n_rows: int
    n_events: int
    share: float  # of the weight of all rows
    risk: float
    median: Interval  # inf where the curve, or its limit, stays above one half
    survival: tuple[Interval, ...]  # at the times of the facts; as above
    restricted_mean: Interval
    hazard_ratio: Interval
    predicted: Predicted | None = None  # None: the Kaplan-Meier curve of the leaf's own rows
    relative_hazard: float | None = None  # against all rows; of trees by the likelihood
    # With competing risks, of all causes: rows that ended by each, and incidence at the times.
    n_by_cause: tuple[int, ...] = ()
    incidences: tuple[tuple[Interval, ...], ...] = ()


class LeafFacts(NamedTuple):
    """All leaves in the order of their groups, and what their facts refer to.

    ``has_medians``: enough groups reach their median for it to be worth showing.
    """

    leaves: tuple[Leaf, ...]
    times: tuple[float, ...]
    until: float  # the restricted mean counts time up to here
    confidence: float
    reference: int  # node of the leaf with hazard ratio 1
    log_rank: LogRank
    shrinkage: float
    unit: str | None
    has_medians: bool
    causes: Causes | None = None

    @property
    def words(self) -> CurveWords:
        """How the curves are called."""
        return words_of(self.causes)


def leaf_facts(
    model: FittedTree,
    times: Sequence[float] | None = None,
    *,
    confidence: float = CONFIDENCE,
    until: float | None = None,
    time_unit: str | None = None,
) -> LeafFacts:
    """The facts of all leaves; ``times`` and ``until`` are chosen if not given."""
    check_is_fitted(model)
    curves, risks, unit = model.leaf_curves_, model.leaf_risks_, unit_of(model, time_unit)
    level = check_confidence(confidence)
    last = common_end(list(curves.values())) if until is None else check_until(until)
    at = usual_times(model, unit) if times is None else check_times(times).tolist()
    nodes = list(curves)
    # Nothing can be compared with a leaf that had no event.
    reference = min((n for n in nodes if curves[n].n_events), key=lambda node: risks[node])
    ratios = hazard_ratios(list(curves.values()), nodes.index(reference), level)
    total = sum(curve.weight for curve in curves.values())
    paths = paths_to_nodes(model.tree_, model.questions_)
    groups = {node: group for group, node in model.groups_.items()}
    names, proof = given_names(model), model.certificate_
    is_by_likelihood = proof.loss_kind == "likelihood"
    hazards = relative_hazards(curves, proof.horizon) if is_by_likelihood else {}
    leaves = [
        Leaf(
            node=node,
            group=groups[node],
            name=names[node],
            where=conditions(model, paths[node]),
            n_rows=curve.n_rows,
            n_events=curve.n_events,
            share=curve.weight / total,
            risk=float(risks[node]),
            median=curve.quantile_with_limits(0.5, level),
            survival=tuple(shown_at(curve, time, level) for time in at),
            restricted_mean=curve.restricted_mean(last, level),
            hazard_ratio=ratio,
            predicted=_predicted(model, node, at),
            relative_hazard=hazards.get(node),
            **_of_causes(curve, at, level),
        )
        for (node, curve), ratio in zip(curves.items(), ratios, strict=True)
    ]
    return LeafFacts(
        tuple(sorted(leaves, key=lambda leaf: leaf.group)),
        tuple(at),
        last,
        level,
        reference,
        log_rank(list(curves.values())),
        shrinkage_of(model),
        unit,
        has_medians(model),
        model.causes_,
    )


def _of_causes(curve: LeafCurve, times: Sequence[float], confidence: float) -> dict[str, Any]:
    """What there is to say of all causes, if there are several."""
    if not isinstance(curve, CompetingCurve):
        return {}
    causes = range(1, len(curve.by_cause) + 1)
    return {
        "n_by_cause": tuple(curve.n_rows_by_cause),
        "incidences": tuple(
            tuple(curve.incidence_at(time, cause, confidence) for time in times) for cause in causes
        ),
    }


def facts_to_write(
    model: FittedTree, times: Sequence[float] | None, confidence: float, time_unit: str | None
) -> LeafFacts:
    """The facts for views that say little of a leaf: its median, or survival at one time instead.

    Times that the user names come besides the median.
    """
    check_is_fitted(model)
    if times is None:
        times = () if has_medians(model) else (stated_time(model, unit_of(model, time_unit)),)
    return leaf_facts(model, times, confidence=confidence, time_unit=time_unit)


def given_names(model: FittedTree) -> dict[int, str]:
    """The names that the user gave to groups, by leaf; empty where there is none."""
    given = model._state.group_names or ("",) * len(model.tree_.leaves)
    return dict(zip(model.groups_.values(), given, strict=True))


def shrinkage_of(model: FittedTree) -> float:
    """The shrinkage of the predicted curves; 0 for a lone leaf, which always predicts its own."""
    return model.shrinkage_ if model.n_leaves_ > 1 else 0.0


def _predicted(model: FittedTree, node: int, times: Sequence[float]) -> Predicted | None:
    if shrinkage_of(model) == 0:
        return None
    curve = model.predicted_curves_[node]
    return Predicted(curve.quantile(0.5), tuple(float(shown_curve(curve)(time)) for time in times))


def common_end(curves: Sequence[LeafCurve]) -> float:
    """The last time at which every leaf is known: rows are left, or all had their event."""
    ends = [(float(curve.times[-1]), curve.survival.y[-1:].tolist() == [0.0]) for curve in curves]
    return min((end for end, is_known in ends if not is_known), default=max(ends)[0])


def where_text(leaf: Leaf) -> str:
    """All conditions of a leaf."""
    return _rule(leaf.where)


def rules_of(model: FittedTree) -> dict[int, str]:
    """All conditions of each node."""
    paths = paths_to_nodes(model.tree_, model.questions_)
    return {node: _rule(conditions(model, path)) for node, path in paths.items()}


def _rule(where: Sequence[str]) -> str:
    return " and ".join(where) or "all rows"


def takes_missing(model: FittedTree) -> bool:
    """Does the model accept rows with missing values?"""
    return model.binarizer_.missing in TAKE_MISSING
