"""What is known about a leaf, with confidence limits: for every table, picture and file."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from survtree._base.numbers import (
    Interval,
    format_decimals,
    format_exact,
    format_limits,
    format_median,
    format_number,
    format_percent,
    format_ratio,
)
from survtree._model.fitted import FittedTree
from survtree._scoring.curves import LeafCurve, LogRank, hazard_ratios, log_rank
from survtree._scoring.read_curves import check_times
from survtree._show.checks import check_confidence, check_until, frame_of
from survtree._show.conditions import conditions, paths_to_nodes


class Leaf(NamedTuple):
    """One leaf, by its node number."""

    node: int
    where: tuple[str, ...]  # all conditions hold; none of a lone leaf
    n_rows: int
    n_events: int
    share: float  # of the weight of all rows
    risk: float
    median: Interval  # inf where the curve, or its limit, stays above one half
    survival: tuple[Interval, ...]  # at the times of the facts
    restricted_mean: Interval
    hazard_ratio: Interval


class LeafFacts(NamedTuple):
    """All leaves in the order of the tree, and what their facts refer to."""

    leaves: tuple[Leaf, ...]
    times: tuple[float, ...]
    until: float  # the restricted mean counts time up to here
    confidence: float
    reference: int  # node of the leaf with hazard ratio 1
    log_rank: LogRank


def leaf_facts(
    model: FittedTree,
    times: Sequence[float] | None = None,
    *,
    confidence: float = 0.95,
    until: float | None = None,
) -> LeafFacts:
    """The facts of all leaves; ``times`` and ``until`` are chosen if not given."""
    check_is_fitted(model)
    curves, risks = model.leaf_curves_, model.leaf_risks_
    level = check_confidence(confidence)
    last = common_end(list(curves.values())) if until is None else check_until(until)
    at = quarters(model) if times is None else check_times(times).tolist()
    nodes = list(curves)
    # Nothing can be compared with a leaf that had no event.
    reference = min((n for n in nodes if curves[n].n_events), key=lambda node: risks[node])
    ratios = hazard_ratios(list(curves.values()), nodes.index(reference), level)
    total = sum(curve.weight for curve in curves.values())
    paths = paths_to_nodes(model.tree_, model.questions_)
    leaves = tuple(
        Leaf(
            node=node,
            where=conditions(model, paths[node]),
            n_rows=curve.n_rows,
            n_events=curve.n_events,
            share=curve.weight / total,
            risk=float(risks[node]),
            median=curve.quantile_with_limits(0.5, level),
            survival=tuple(curve.survival_at(time, level) for time in at),
            restricted_mean=curve.restricted_mean(last, level),
            hazard_ratio=ratio,
        )
        for (node, curve), ratio in zip(curves.items(), ratios, strict=True)
    )
    return LeafFacts(leaves, tuple(at), last, level, reference, log_rank(list(curves.values())))


def common_end(curves: Sequence[LeafCurve]) -> float:
    """The last time at which every leaf is known: rows are left, or all had their event."""
    is_known = [curve.survival.y[-1:].tolist() == [0.0] for curve in curves]
    ends = [float(curve.times[-1]) for curve in curves]
    open_ends = [end for end, known in zip(ends, is_known, strict=True) if not known]
    return min(open_ends, default=max(ends))


def quarters(model: FittedTree) -> list[float]:
    """Three round times that divide the time up to the last event into quarters."""
    last = float(model.event_times_[-1])
    return sorted({round_number(last * part / 4) for part in (1, 2, 3)})


def round_number(value: float) -> float:
    """The nearest number with two digits."""
    return float(f"{value:.1e}")


def leaf_table(
    model: Any,
    times: Sequence[float] | None = None,
    *,
    confidence: float = 0.95,
    until: float | None = None,
    backend: str = "polars",
) -> Any:
    """One row per leaf: its conditions, rows, events, median, survival and hazard ratio.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one.
    times : list of times, optional
        Survival is given at these; by default at three round times up to the last event.
    confidence : float, default=0.95
        Confidence level of all limits (``_low``, ``_high``), which hold for one number at a time.
        Survival: Greenwood's variance on the log-log scale; the median: where these limits reach
        one half; the hazard ratio: Wald's. They do not account for the choice of the splits.
    until : float, optional
        The restricted mean counts time up to here; by default up to the last time at which the
        curve of every leaf is known.
    backend : {"polars", "pandas", "pyarrow"}, default="polars"
        The library of the table.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, leaf_table
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> leaf_table(model, times=[90]).select("leaf", "rows", "events", "median", "survival_90")
    shape: (2, 5)
    ┌──────┬──────┬────────┬────────┬─────────────┐
    │ leaf ┆ rows ┆ events ┆ median ┆ survival_90 │
    │ ---  ┆ ---  ┆ ---    ┆ ---    ┆ ---         │
    │ i64  ┆ i64  ┆ i64    ┆ f64    ┆ f64         │
    ╞══════╪══════╪════════╪════════╪═════════════╡
    │ 1    ┆ 99   ┆ 91     ┆ 111.0  ┆ 0.612437    │
    │ 2    ┆ 38   ┆ 37     ┆ 20.0   ┆ 0.078947    │
    └──────┴──────┴────────┴────────┴─────────────┘
    """
    facts = leaf_facts(model, times, confidence=confidence, until=until)
    return frame_of(columns_of(facts), backend)


def where_text(leaf: Leaf) -> str:
    """All conditions of a leaf."""
    return " and ".join(leaf.where) or "all rows"


def columns_of(facts: LeafFacts) -> dict[str, list[Any]]:
    """The table by columns."""
    leaves = facts.leaves
    columns: dict[str, list[Any]] = {
        "leaf": [leaf.node for leaf in leaves],
        "where": [where_text(leaf) for leaf in leaves],
        "rows": [leaf.n_rows for leaf in leaves],
        "events": [leaf.n_events for leaf in leaves],
        "share": [leaf.share for leaf in leaves],
        "risk": [leaf.risk for leaf in leaves],
    }
    intervals = {"median": [leaf.median for leaf in leaves]}
    for place, time in enumerate(facts.times):
        intervals[f"survival_{format_exact(time)}"] = [leaf.survival[place] for leaf in leaves]
    intervals["restricted_mean"] = [leaf.restricted_mean for leaf in leaves]
    intervals["hazard_ratio"] = [leaf.hazard_ratio for leaf in leaves]
    for name, values in intervals.items():
        columns[name] = [interval.value for interval in values]
        columns[f"{name}_low"] = [interval.low for interval in values]
        columns[f"{name}_high"] = [interval.high for interval in values]
    return columns


def size_text(leaf: Leaf) -> str:
    """How many rows and events."""
    return f"n {leaf.n_rows:,}, events {leaf.n_events:,}"


def median_text(median: Interval) -> str:
    """The median survival and its limits, as far as the curves reach it."""
    return f"median {format_median(median.value)}{_limits(median, format_number)}"


def survival_texts(leaf: Leaf, times: tuple[float, ...]) -> list[str]:
    """Survival at each time, and its limits."""

    def share(value: float) -> str:
        return format_decimals(value, 2)

    return [
        f"S({format_exact(time)}) {share(survival.value)}{_limits(survival, share)}"
        for time, survival in zip(times, leaf.survival, strict=True)
    ]


def risk_text(leaf: Leaf) -> str:
    """The risk score."""
    return f"risk {format_number(leaf.risk)}"


def ratio_text(leaf: Leaf, reference: int) -> str:
    """The hazard ratio and its limits, where they are known."""
    ratio = leaf.hazard_ratio
    if leaf.node == reference:
        return "hazard ratio 1 (reference)"
    if math.isnan(ratio.value):
        return "hazard ratio unknown"
    return f"hazard ratio {format_ratio(ratio.value)}{_limits(ratio, format_ratio)}"


def _limits(interval: Interval, how: Callable[[float], str]) -> str:
    limits = format_limits(interval.low, interval.high, how)
    return f" ({limits})" if limits else ""


def limits_note(facts: LeafFacts) -> str:
    """What the numbers in brackets are."""
    return f"In brackets: {format_percent(facts.confidence, None)} confidence limits."


def takes_missing(model: FittedTree) -> bool:
    """Does the model accept rows with missing values?"""
    return bool(model.binarizer_.missing == "question")
