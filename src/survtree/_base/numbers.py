"""Numbers as people read them: one format for each kind, in every table, picture and file."""

import math
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, NamedTuple

UNKNOWN = "–"
NOT_REACHED = "not reached"


class Interval(NamedTuple):
    """An estimate and its confidence limits; NaN where the data do not determine them."""

    value: float
    low: float
    high: float


def format_exact(number: float) -> str:
    """A number with the fewest digits that identify it."""
    return repr(number).removesuffix(".0")


def format_number(value: float | None, digits: int = 3) -> str:
    """A number with a few significant digits; a power of ten only if it is tiny or huge."""
    if value is None:
        return UNKNOWN
    is_whole = abs(value) >= 10**digits - 0.5 or float(value).is_integer()
    return f"{value:,.0f}" if is_whole and abs(value) < 1e9 else f"{value:.{digits}g}"


def format_decimals(value: float | None, decimals: int = 3) -> str:
    """A number with a fixed number of decimals."""
    return UNKNOWN if value is None else f"{value:.{decimals}f}"


def format_percent(share: float | None, decimals: int | None = 0) -> str:
    """A share in percent; without a number of decimals it has as many as it needs."""
    if share is None:
        return UNKNOWN
    return f"{100 * share:g} %" if decimals is None else f"{100 * share:.{decimals}f} %"


def format_count(n: int, thing: str = "") -> str:
    """A count, and what is counted: 1 row, 1,200 rows."""
    plural = thing.replace("leaf", "leaves") if "leaf" in thing else f"{thing}s"
    return f"{n:,} {thing if n == 1 else plural}" if thing else f"{n:,}"


def format_ratio(value: float | None) -> str:
    """A ratio with three digits, and at most two decimals."""
    if value is None or value == 0:
        return UNKNOWN if value is None else "0"
    return f"{value:,.{max(0, 2 - (value >= 10) - (value >= 100))}f}"


def format_p_value(p: float) -> str:
    """A p-value as papers print it."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def format_limits(
    low: float | None, high: float | None, how: Callable[[float], str] = format_number
) -> str:
    """Confidence limits in words: "3 to 5"; "3 or more" without an upper limit; "" without any."""
    if low is None or not math.isfinite(low) or (high is not None and math.isnan(high)):
        return ""
    if high is None or math.isinf(high):
        return f"{how(low)} or more"
    return f"{how(low)} to {how(high)}"


def with_unit(text: str, unit: str | None) -> str:
    """A text about time and the unit of time, if that is known."""
    return f"{text} {unit}" if text and unit else text


def format_median(median: float, unit: str | None = None) -> str:
    """A median survival time, which is infinite if the curve stays above one half."""
    return NOT_REACHED if math.isinf(median) else with_unit(format_number(median), unit)


def format_weights(rows: Iterable[Iterable[float]]) -> list[list[str]]:
    """Weights of rows as a table of texts: counts if they are counts, otherwise few digits."""
    table = [[float(weight) for weight in row] for row in rows]
    weights = [weight for row in table for weight in row]
    are_counts = all(abs(weight - round(weight)) < 1e-6 * max(1.0, weight) for weight in weights)
    digits = 0 if are_counts or max(weights) >= 100 else 1 if max(weights) >= 10 else 2
    return [[f"{weight:,.{digits}f}" for weight in row] for row in table]


def format_penalty(regularization: float) -> str:
    """The penalty per leaf with three decimals, or as many as it needs."""
    has_three = round(regularization, 3) == regularization
    return f"{regularization:.3f}" if has_three else f"{regularization:g}"


def round_ticks(end: float, most: int = 6) -> list[float]:
    """Round numbers from 0 to the end, evenly spaced; at most ``most`` after the 0."""
    step = 10.0 ** math.floor(math.log10(end / most))
    while end / step >= most + 1:
        step = next(
            step * factor for factor in (2.0, 2.5, 5.0, 10.0) if end / (step * factor) < most + 1
        )
    # As they are written: 3 x 0.1 is 0.30000000000000004.
    return [float(f"{step * place:.6g}") for place in range(int(end / step * (1 + 1e-12)) + 1)]


def relative_gap(objective: float, lower_bound: float) -> float:
    """(objective - lower bound) / objective; 0 where both are 0."""
    return (objective - lower_bound) / objective if objective > 0 else 0.0


def plain_number(value: Any) -> Any:
    """A number of any type, such as a fraction, as one of Python; all else as it is."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return int(value) if isinstance(value, Integral) else float(value)


def json_number(value: Any) -> Any:
    """A number as JSON has it: None where it is infinite or unknown."""
    if isinstance(value, (bool, str)) or value is None:
        return value
    number = value.item() if hasattr(value, "item") else value
    return number if isinstance(number, int) or math.isfinite(number) else None


def json_interval(interval: Interval) -> dict[str, float | None]:
    """An estimate with its limits."""
    return {name: json_number(value) for name, value in interval._asdict().items()}
