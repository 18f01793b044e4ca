"""Plain values: numbers that JSON knows, or None."""

import math
from typing import Any

from survtree._curves import Interval


def plain(value: Any) -> Any:
    """A number as Python has it; None where it is infinite or not known."""
    if isinstance(value, (bool, str)) or value is None:
        return value
    number = value.item() if hasattr(value, "item") else value
    return number if isinstance(number, int) or math.isfinite(number) else None


def interval(given: Interval) -> dict[str, float | None]:
    """An estimate with its limits."""
    return {name: plain(value) for name, value in given._asdict().items()}
