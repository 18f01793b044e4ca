"""Thresholds: between values that occur, parting them as the middle does, easy to read."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from survtree import OptimalSurvivalTree
from survtree._base.numbers import format_exact
from survtree._questions.checks import Rule
from survtree._questions.encodings import (
    AUTO_CUTS,
    GUESS_CUTS,
    clear_cuts,
    cut_points,
    easiest_between,
)

TINY = 5e-324
LARGEST = np.finfo(float).max
RULES = [
    Rule("auto"),
    Rule("all"),
    Rule("guess"),
    Rule("quantiles", 1),
    Rule("quantiles", 3),
    Rule("width", 1),
    Rule("width", 4),
]
COLUMNS = st.one_of(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40),
    st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=100),
    st.lists(st.integers(-3, 3).map(lambda k: k * TINY), min_size=1, max_size=10),
    st.lists(st.sampled_from([-LARGEST, -1.0, -0.0, TINY, 1e300, LARGEST]), min_size=1),
    st.lists(st.integers(0, 30).map(lambda k: 1 + k * 2.0**-52), min_size=1, max_size=20),
)


def cuts_of(values, *rule):
    return cut_points(np.array(values, dtype=float), Rule(*rule)).tolist()


@settings(deadline=None, max_examples=300)
@given(COLUMNS, st.sampled_from(RULES))
@example([-LARGEST, LARGEST], Rule("width", 4))
def test_each_threshold_parts_the_values_between_two_neighbours(values, rule):
    distinct = np.unique(values)
    cuts = cuts_of(values, *rule)
    assert cuts == sorted(set(cuts))
    for cut in cuts:
        assert distinct[0] <= cut < distinct[-1]
        assert float(format_exact(cut)) == cut
        assert not format_exact(cut).startswith("-0") or cut < 0
    if rule.kind == "width":
        assert len(cuts) <= rule.value
        return
    places = np.searchsorted(distinct, cuts, side="right")
    assert len(set(places.tolist())) == len(cuts)  # no two ask the same
    for cut, above in zip(cuts, places.tolist(), strict=True):
        low, high = distinct[above - 1], distinct[above]
        assert low < cut < high or (cut == low and np.nextafter(low, high) == high)
        middle = (Fraction(low) + Fraction(high)) / 2
        assert [v <= cut for v in values] == [Fraction(v) <= middle for v in values]


@settings(deadline=None, max_examples=300)
@given(COLUMNS)
@example([62.0, 63.0])
@example([110.0, 140.0])
def test_no_threshold_near_the_middle_has_fewer_digits(values):
    distinct = np.unique(values)
    for cut, low, high in zip(cuts_of(values, "all"), distinct, distinct[1:], strict=False):
        middle = Decimal(float(low / 2 + high / 2))
        n_digits = len(Decimal(format_exact(cut)).normalize().as_tuple().digits)
        for fewer in range(1, n_digits if low < cut else 18):
            rounded = Context(prec=fewer, rounding=ROUND_HALF_EVEN).plus(middle)
            assert not low < float(rounded) < high


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([62, 63], "62.5"),
        ([110, 140], "120"),
        ([0.1, 0.2], "0.15"),
        ([-3, 5], "1"),
        ([-1, 1], "0"),
        ([-0.0, TINY], "0"),
        ([1, np.nextafter(1, 2)], "1"),
        ([1000, 1001], "1000.5"),
        ([1e22, 3e22], "2e+22"),
        ([-LARGEST, LARGEST], "0"),
        ([TINY, 3 * TINY], "1e-323"),
        ([0.30000000000000004, 0.30000000000000016], "0.3000000000000001"),
    ],
)
def test_thresholds_read_easily(values, expected):
    (cut,) = cuts_of(values, "all")
    assert format_exact(cut) == expected


@pytest.mark.parametrize("values", [[], [3.0], [3.0] * 9, [0.0, -0.0]])
@pytest.mark.parametrize("rule", RULES)
def test_a_column_of_one_value_is_not_cut(values, rule):
    assert cuts_of(values, *rule) == []


def test_quantiles_put_about_equally_many_rows_between_cuts():
    assert cuts_of(range(100), "quantiles", 3) == [24.5, 49.5, 74.5]
    assert cuts_of(range(100), "quantiles", 1) == [49.5]
    assert len(cuts_of(range(1000), "auto")) == AUTO_CUTS
    assert len(cuts_of(range(1000), "guess")) == GUESS_CUTS
    assert len(cuts_of(range(1000), "all")) == 999


def test_few_values_are_all_parted():
    assert cuts_of([1, 2, 3, 3, 3], "quantiles", 2) == [1.5, 2.5]
    assert cuts_of([1, 2, 3, 3, 3], "quantiles", 10**30) == [1.5, 2.5]


def test_many_rows_of_one_value_leave_fewer_cuts():
    values = [0] * 90 + list(range(1, 11))
    assert cuts_of(values, "quantiles", 4) == [0.5]
    assert cuts_of(values[::-1], "quantiles", 4) == [0.5]


def test_even_widths():
    assert cuts_of(range(101), "width", 4) == [20.0, 40.0, 60.0, 80.0]
    # Quantiles would cut among the zeros' neighbours; widths go by size alone.
    assert cuts_of([0] * 50 + [1, 2, 90, 100], "width", 1) == [50.0]


def test_given_thresholds_stay_as_they_are():
    assert cuts_of([1, 2, 3], "given", (-7.25, 2.0, 1e9)) == [-7.25, 2.0, 1e9]


def test_a_number_near_a_point_is_not_the_end_of_its_interval():
    assert easiest_between(1.0, 2.0, 1.04) == 1.04
    assert easiest_between(1.0, 2.0, 1.96) == 1.96
    assert easiest_between(1.0, 3.0, 2.04) == 2.0


def test_a_cut_of_numbers_in_single_precision_is_none_of_them():
    """6.4 in single precision is above 6.4: a cut there would part the two."""
    tenths = np.arange(-200, 200) / 10
    single = tenths.astype(np.float32).astype(np.float64)
    low, high = single[:-1], single[1:]
    cuts = clear_cuts(low, high, low / 2 + high / 2)
    assert ((low < cuts) & (cuts < high)).all()
    assert ((tenths[:-1] < cuts) & (cuts < tenths[1:])).all()
    in_single = cuts.astype(np.float32)
    assert ((low < in_single) & (in_single < high)).all()
    assert max(len(f"{cut:.17g}".lstrip("-")) for cut in cuts.tolist()) <= 20


def test_a_row_in_double_precision_goes_where_the_same_row_in_single_precision_went():
    rng = np.random.default_rng(0)
    x = rng.choice([6.1, 6.2, 6.3, 6.4, 6.5], 400)
    time = rng.exponential(np.where(x >= 6.4, 1.0, 10.0)) + 0.01
    frame = pd.DataFrame({"x": x.astype("float32")})
    model = OptimalSurvivalTree(1, 0.001, thresholds="all").fit(frame, (np.ones(400, bool), time))
    assert model.n_leaves_ == 2
    assert (model.apply(frame) == model.apply(pd.DataFrame({"x": x}))).all()


def test_neighbours_in_single_precision_are_still_parted():
    low = np.array([1.0, 16_777_216.0, 0.0])
    high = np.nextafter(low.astype(np.float32), np.float32(np.inf)).astype(np.float64)
    cuts = clear_cuts(low, high, low / 2 + high / 2)
    assert ((low <= cuts) & (cuts < high)).all()
