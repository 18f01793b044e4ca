"""The facts of all groups as one table in the user's library."""

from collections.abc import Sequence
from typing import Any

from survtree._base.numbers import Interval, format_exact
from survtree._data.frames import frame_in
from survtree._model.read_tree import shown_tree_of
from survtree._show.checks import check_backend
from survtree._show.leaf_facts import LeafFacts, leaf_facts, where_text


def leaf_table(
    model: Any,
    times: Sequence[float] | None = None,
    *,
    confidence: float = 0.95,
    until: float | None = None,
    backend: str | None = None,
    time_unit: str | None = None,
) -> Any:
    """One row per leaf: its group, conditions, rows, events, median, survival and hazard ratio.

    Groups count the leaves by risk, 1 the lowest; ``leaf`` is the node number, as ``model.apply``
    returns it. ``name`` is there if ``model.rename`` has given names.

    The risk is that of the predicted curve, all other numbers are those of the leaf's own rows. If
    ``shrinkage_`` is above 0, ``predicted_median`` and ``predicted_survival_...`` follow: those of
    the predicted, shrunken curve. Of a tree that was fitted with ``loss="likelihood"``,
    ``relative_hazard`` has the events of each leaf, divided by those expected of it with the
    cumulative hazard of all rows: the number that the likelihood gives to the leaf.

    With competing risks there are ``events_...`` of each cause, and instead of survival
    ``incidence_...`` of each cause at each time (Aalen-Johansen; limits by the delta method, on the
    log-log scale). ``events``, ``median``, ``restricted_mean`` (mean time without it) and
    ``hazard_ratio`` (cause-specific) are those of the cause that the tree is about.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one, or a fitted search or pipeline with one in it.
    times : list of times, optional
        Survival is given at these; by default at up to three round times, the last of which at
        least half of the rows of each group reached, or had their event before.
    confidence : float, default=0.95
        Confidence level of all limits (``_low``, ``_high``), which hold for one number at a time.
        Survival: Greenwood's variance on the log-log scale; the median: where these limits reach
        one half; the hazard ratio: Wald's. They do not account for the choice of the splits.
    until : float, optional
        The restricted mean counts time up to here; by default up to the last time at which the
        curve of every leaf is known.
    backend : {"polars", "pandas", "pyarrow"}, optional
        The library of the table; by default that of the frame of the fit, polars if it was none.
    time_unit : str, optional
        The unit of time, by which round times are chosen; by default that of the model.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree, leaf_table
    >>> from survtree.datasets import load
    >>> model = OptimalSurvivalTree(max_depth=1, regularization=0.001).fit(*load("veterans"))
    >>> leaf_table(model, times=[90]).select("group", "leaf", "rows", "median", "survival_90")
    shape: (2, 5)
    ┌───────┬──────┬──────┬────────┬─────────────┐
    │ group ┆ leaf ┆ rows ┆ median ┆ survival_90 │
    │ ---   ┆ ---  ┆ ---  ┆ ---    ┆ ---         │
    │ i64   ┆ i64  ┆ i64  ┆ f64    ┆ f64         │
    ╞═══════╪══════╪══════╪════════╪═════════════╡
    │ 1     ┆ 1    ┆ 99   ┆ 111.0  ┆ 0.612437    │
    │ 2     ┆ 2    ┆ 38   ┆ 20.0   ┆ 0.078947    │
    └───────┴──────┴──────┴────────┴─────────────┘
    """
    tree = shown_tree_of(model)
    facts = leaf_facts(tree, times, confidence=confidence, until=until, time_unit=time_unit)
    library = tree._state.frame_library if backend is None else check_backend(backend)
    return frame_in(library, columns_of(facts))


def columns_of(facts: LeafFacts) -> dict[str, list[Any]]:
    """The table by columns."""
    leaves = facts.leaves
    names = {"name": [leaf.name for leaf in leaves]} if any(leaf.name for leaf in leaves) else {}
    columns: dict[str, list[Any]] = {
        "group": [leaf.group for leaf in leaves],
        **names,
        "leaf": [leaf.node for leaf in leaves],
        "where": [where_text(leaf) for leaf in leaves],
        "rows": [leaf.n_rows for leaf in leaves],
        "events": [leaf.n_events for leaf in leaves],
        "share": [leaf.share for leaf in leaves],
        "risk": [leaf.risk for leaf in leaves],
    }
    intervals = {"median": [leaf.median for leaf in leaves]}
    if facts.causes is not None:
        columns |= _events_by_cause(facts)
        intervals |= _incidences(facts)
    for place, time in enumerate(facts.times if facts.causes is None else ()):
        intervals[f"survival_{format_exact(time)}"] = [leaf.survival[place] for leaf in leaves]
    intervals["restricted_mean"] = [leaf.restricted_mean for leaf in leaves]
    intervals["hazard_ratio"] = [leaf.hazard_ratio for leaf in leaves]
    for name, values in intervals.items():
        columns[name] = [interval.value for interval in values]
        columns[f"{name}_low"] = [interval.low for interval in values]
        columns[f"{name}_high"] = [interval.high for interval in values]
    if any(leaf.relative_hazard is not None for leaf in leaves):
        columns["relative_hazard"] = [leaf.relative_hazard for leaf in leaves]
    return columns | _predicted_columns(facts)


def _events_by_cause(facts: LeafFacts) -> dict[str, list[Any]]:
    """With competing risks: how many rows ended by each cause."""
    assert facts.causes is not None
    return {
        f"events_{name}": [leaf.n_by_cause[k] for leaf in facts.leaves]
        for k, name in enumerate(facts.causes.names)
    }


def _incidences(facts: LeafFacts) -> dict[str, list[Interval]]:
    """With competing risks: the incidence of each cause at each time."""
    assert facts.causes is not None
    return {
        f"incidence_{name}_{format_exact(time)}": [
            leaf.incidences[k][place] for leaf in facts.leaves
        ]
        for k, name in enumerate(facts.causes.names)
        for place, time in enumerate(facts.times)
    }


def _predicted_columns(facts: LeafFacts) -> dict[str, list[Any]]:
    """Numbers of shrunken curves, if these are predicted."""
    found = [leaf.predicted for leaf in facts.leaves if leaf.predicted is not None]
    if not found:
        return {}
    what = "survival" if facts.causes is None else f"incidence_{facts.causes.target_name}"
    survival = {
        f"predicted_{what}_{format_exact(time)}": [each.survival[place] for each in found]
        for place, time in enumerate(facts.times)
    }
    return {"predicted_median": [each.median for each in found], **survival}
