"""Any table is fitted, or refused in words that name what is wrong with it."""

import re

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from survtree import OptimalSurvivalTree
from survtree._data.identifiers import FEWEST_NAMED
from tests.support.raw_tables import outcomes, pandas_tables, plain_tables

# Texts that are made up may be alike; such columns have tests of their own.
pytestmark = pytest.mark.filterwarnings("ignore:column .* has levels that differ only")
THRESHOLDS = ["auto", "all", "guess", 1, 3, ("width", 1), ("width", 4), [0.5], [-1, 1e300]]


def may_be_an_identifier(column):
    """Do all cells differ? Such a column may be left out, which has tests of its own."""
    return len(set(map(str, column.cells))) == len(column.cells)


@st.composite
def fits(draw):
    """A table, its outcome, and options."""
    n = draw(st.integers(1, 30))
    table = draw(pandas_tables(n) | plain_tables(n))
    assume(n < FEWEST_NAMED or not any(may_be_an_identifier(each) for each in table.columns))
    thresholds = draw(st.sampled_from([*THRESHOLDS, "by name"]))
    if thresholds == "by name":
        rule = draw(st.sampled_from([2, [0.5, 1.5], ("width", 2)]))
        thresholds = {draw(st.sampled_from(table.names)): rule}
    options = {
        "thresholds": thresholds,
        "missing": draw(st.sampled_from(["error", "question", "drop"])),
        "encoding": draw(st.sampled_from(["questions", "questions", "paper"])),
        "max_depth": draw(st.integers(0, 2)),
        "min_samples_leaf": draw(st.sampled_from([1, 2, 7])),
        "regularization": draw(st.sampled_from([0.0, 0.01])),
    }
    return table, draw(outcomes(n)), options


def complaints(table, y, options):
    """All that is wrong, as patterns of which a message must match one; nothing if it must fit."""
    named = list(zip(map(repr, table.names), table.columns, strict=True))
    wrong = [name for name, _ in named if [n for n, _ in named].count(name) > 1]
    wrong += [f"column {name} must" for name, column in named if not column.is_usable]
    wrong += ["half of a character"] if "\ud800" in table.names else []
    if wrong and isinstance(table.X, list):  # may be no table at all, which scikit-learn tells
        wrong += ["Complex data not supported", "Found array with dim 3"]
    gaps = table.gaps
    if options["missing"] == "error":
        wrong += [f"missing in {name}" for j, (name, _) in enumerate(named) if gaps[:, j].any()]
    kept = ~gaps.any(axis=1) if options["missing"] == "drop" else np.ones(len(gaps), dtype=bool)
    wrong += [] if kept.any() else ["missing='drop' leaves no row"]
    event, time = map(np.array, y)
    wrong += [] if event[kept].any() else ["no event was observed"]
    wrong += [] if time[kept].any() else ["times must not all be 0"]
    is_cut = options["thresholds"] if isinstance(options["thresholds"], dict) else {}
    for name, (shown, column) in zip(table.names, named, strict=True):
        if name in is_cut and column.is_categorical:
            wrong.append(f"column {shown} holds categories")
    return wrong


def tells(message, wrong):
    """Does a message name one of the things that are wrong?"""
    listed = re.sub(r" \([\d,]+, the first in row \d+\), ", " missing in ", message)
    return any(text in message or text in listed for text in wrong)


@settings(deadline=None, max_examples=300, suppress_health_check=list(HealthCheck))
@given(fits())
def test_any_table_is_fitted_or_refused_by_name(case):
    table, y, options = case
    wrong = complaints(table, y, options)
    model = OptimalSurvivalTree(**options)
    if wrong:
        with pytest.raises((ValueError, TypeError)) as caught:
            model.fit(table.X, y)
        assert tells(str(caught.value), wrong), (str(caught.value), wrong)
        return
    model.fit(table.X, y)
    assert model.status_ == "optimal"
    assert model.certificate_.verify(table.X, y)
    is_kept = ~table.gaps.any(axis=1) | (options["missing"] == "question")
    leaves = model.apply(table.rows(is_kept))
    sizes = {leaf: curve.n_rows for leaf, curve in model.leaf_curves_.items()}
    assert dict(zip(*np.unique(leaves, return_counts=True), strict=True)) == sizes
    assert all("\n" not in text for text in model.questions_.texts)
