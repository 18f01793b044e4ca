"""Numbers as a reader wants them."""

from typing import Any

UNKNOWN = "–"


def numeral(value: float | None, digits: int = 3) -> str:
    """A number with a few digits, never as a power of ten unless it is tiny."""
    if value is None:
        return UNKNOWN
    if float(value).is_integer() or abs(value) >= 10**digits:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) >= 1e-4 else f"{value:.1e}"


def fixed(value: float | None, decimals: int = 3) -> str:
    """A number with so many decimals."""
    return UNKNOWN if value is None else f"{value:.{decimals}f}"


def percent(share: float | None, decimals: int = 0) -> str:
    """A share in percent."""
    return UNKNOWN if share is None else f"{100 * share:.{decimals}f} %"


def count(n: int, thing: str = "") -> str:
    """A count, of things if told which."""
    plural = thing.replace("leaf", "leaves") if "leaf" in thing else f"{thing}s"
    return f"{n:,} {thing if n == 1 else plural}".strip() if thing else f"{n:,}"


def ratio(value: float | None) -> str:
    """A ratio with three digits, and no more decimals than two."""
    return UNKNOWN if value is None else f"{value:,.{max(0, 2 - (value >= 10) - (value >= 100))}f}"


def probability(p: float) -> str:
    """A p-value."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def limits(given: dict[str, Any], how: Any = numeral) -> str:
    """Confidence limits in brackets; nothing where none are known."""
    low, high = given["low"], given["high"]
    if low is None:
        return ""
    return f"({how(low)} or more)" if high is None else f"({how(low)} to {how(high)})"
