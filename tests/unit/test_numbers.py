"""Numbers read the same in every table, picture and file."""

import math

import pytest

from survtree._base.numbers import (
    format_count,
    format_exact,
    format_limits,
    format_median,
    format_number,
    format_p_value,
    format_penalty,
    format_percent,
    format_ratio,
    json_number,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((None, "–"), (0.0, "0"), (12.0, "12"), (12.3456, "12.3"), (0.01234, "0.0123")),
        *((999.4, "999"), (999.7, "1,000"), (1234.56, "1,235"), (-2345.6, "-2,346")),
        *((123456789.0, "123,456,789"), (2.5e12, "2.5e+12"), (1e300, "1e+300")),
        *((0.00001234, "1.23e-05"), (math.inf, "inf")),
    ],
)
def test_a_number_has_three_digits_and_a_power_of_ten_only_if_it_is_tiny_or_huge(value, text):
    assert format_number(value) == text


def test_shares_have_the_decimals_that_are_asked_for_or_those_they_need():
    assert (format_percent(0.956), format_percent(0.956, 1)) == ("96 %", "95.6 %")
    assert (format_percent(0.95, None), format_percent(0.975, None)) == ("95 %", "97.5 %")
    assert format_percent(None) == "–"


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (3.0, 5.25, "3 to 5.25"),
        (3.0, math.inf, "3 or more"),
        (3.0, None, "3 or more"),
        (None, None, ""),
        (math.nan, math.nan, ""),
        (3.0, math.nan, ""),
        (math.inf, math.inf, ""),
    ],
)
def test_limits_are_stated_as_far_as_they_are_known(low, high, text):
    assert format_limits(low, high) == text


def test_other_kinds_of_numbers():
    assert (format_count(1, "leaf"), format_count(2, "leaf"), format_count(1200)) == (
        *("1 leaf", "2 leaves", "1,200"),
    )
    assert (format_ratio(0.0), format_ratio(0.004), format_ratio(12.34)) == ("0", "0.00", "12.3")
    assert (format_p_value(0.00099), format_p_value(0.001)) == ("p < 0.001", "p = 0.001")
    assert (format_penalty(0.01), format_penalty(0.00335)) == ("0.010", "0.00335")
    assert (format_median(math.inf), format_median(1814.0)) == ("not reached", "1,814")
    assert (format_exact(90.0), format_exact(0.1 + 0.2)) == ("90", "0.30000000000000004")
    assert (json_number(math.inf), json_number(2), json_number("a")) == (None, 2, "a")
