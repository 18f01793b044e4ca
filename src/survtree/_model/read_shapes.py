"""What JSON from elsewhere must look like: shapes that check values and describe themselves.

One description serves the reader and the published JSON Schema, so that the two cannot differ.
"""

import json
import reprlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

EXPORT_AGAIN = "Export the model again, or ask for the file again."
LARGEST_COUNT = 2**53  # what every reader of JSON can hold


class Shape(Protocol):
    """Checks a value at a place such as ``leaves[3].times`` and gives it back."""

    def check(self, value: Any, place: str) -> Any:
        """The value, or a ValueError that names its place."""
        ...

    def schema(self) -> dict[str, Any]:
        """The same as JSON Schema."""
        ...


def refused(place: str, wanted: str, value: Any) -> ValueError:
    """What to raise of a value in the wrong shape."""
    return ValueError(
        f"{place or 'all of it'} must be {wanted}; got {shown(value)}. {EXPORT_AGAIN}"
    )


def shown(value: Any) -> str:
    """A value as it came, but not all of it if it is long."""
    return reprlib.repr(value)


@dataclass(frozen=True)
class Exactly:
    """One of some values."""

    values: tuple[Any, ...]

    def check(self, value: Any, place: str) -> Any:
        """See Shape."""
        if not any(value == each and type(value) is type(each) for each in self.values):
            raise refused(place, "one of " + ", ".join(map(repr, self.values)), value)
        return value

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"enum": list(self.values)}


@dataclass(frozen=True)
class Number:
    """A finite number."""

    low: float | None = None
    high: float | None = None

    def check(self, value: Any, place: str) -> Any:
        """See Shape."""
        is_number = type(value) in (int, float) and abs(value) <= np.finfo(float).max
        is_low = is_number and self.low is not None and value < self.low
        is_high = is_number and self.high is not None and value > self.high
        if not is_number or is_low or is_high:
            raise refused(place, f"a finite number{_range(self.low, self.high)}", value)
        return float(value)

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"type": "number", **_limits(self.low, self.high)}


@dataclass(frozen=True)
class Count:
    """A whole number."""

    low: int = 0
    high: int = LARGEST_COUNT

    def check(self, value: Any, place: str) -> Any:
        """See Shape."""
        if type(value) is not int or not self.low <= value <= self.high:
            raise refused(place, f"a whole number{_range(self.low, self.high)}", value)
        return value

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"type": "integer", **_limits(self.low, self.high)}


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def check(self, value: Any, place: str) -> Any:
        """See Shape."""
        if type(value) is not bool:
            raise refused(place, "true or false", value)
        return value

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Text:
    """A text of limited length."""

    longest: int = 100_000

    def check(self, value: Any, place: str) -> Any:
        """See Shape."""
        if not isinstance(value, str) or len(value) > self.longest:
            raise refused(place, f"a text of at most {self.longest:,} characters", value)
        return value

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"type": "string", "maxLength": self.longest}


@dataclass(frozen=True)
class Numbers:
    """A list of finite numbers, read as an array."""

    low: float | None = None
    is_whole: bool = False

    def check(self, value: Any, place: str) -> NDArray[Any]:
        """See Shape."""
        kinds = {int} if self.is_whole else {int, float}
        wanted = f"a list of {'whole' if self.is_whole else 'finite'} numbers{_range(self.low)}"
        if not isinstance(value, list) or not set(map(type, value)) <= kinds:
            raise refused(place, wanted, value)
        try:
            array = np.array(value, dtype=np.int32 if self.is_whole else np.float64)
        except OverflowError as error:
            raise refused(place, wanted, value) from error
        is_low = self.low is not None and bool(np.less(array, self.low).any())
        if is_low or not np.isfinite(array).all():
            raise refused(place, wanted, value)
        return array

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        kind = "integer" if self.is_whole else "number"
        return {"type": "array", "items": {"type": kind, **_limits(self.low)}}


@dataclass(frozen=True)
class ListOf:
    """A list of values of one shape."""

    item: Shape
    most: int = 1_000_000

    def check(self, value: Any, place: str) -> list[Any]:
        """See Shape."""
        if not isinstance(value, list) or len(value) > self.most:
            raise refused(place, f"a list of at most {self.most:,}", value)
        return [self.item.check(each, f"{place}[{k}]") for k, each in enumerate(value)]

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"type": "array", "items": self.item.schema(), "maxItems": self.most}


@dataclass(frozen=True)
class ByName:
    """An object whose names are the user's."""

    item: Shape

    def check(self, value: Any, place: str) -> dict[str, Any]:
        """See Shape."""
        if not isinstance(value, dict):
            raise refused(place, "an object", value)
        return {name: self.item.check(each, f"{place}.{name}") for name, each in value.items()}

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"type": "object", "additionalProperties": self.item.schema()}


@dataclass(frozen=True)
class Object:
    """An object with just these names."""

    parts: Mapping[str, Shape]

    def check(self, value: Any, place: str) -> dict[str, Any]:
        """See Shape."""
        if not isinstance(value, dict):
            raise refused(place, "an object", value)
        prefix = f"{place}." if place else ""
        for name in self.parts:
            if name not in value:
                raise ValueError(f"{prefix}{name} is missing. {EXPORT_AGAIN}")
        for name in value:
            if name not in self.parts:
                known = ", ".join(self.parts)
                raise ValueError(
                    f"{place or 'it'} must hold {known}; {shown(name)} is none of them. "
                    f"{EXPORT_AGAIN}"
                )
        return {name: shape.check(value[name], prefix + name) for name, shape in self.parts.items()}

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {
            "type": "object",
            "properties": {name: shape.schema() for name, shape in self.parts.items()},
            "required": list(self.parts),
            "additionalProperties": False,
        }


@dataclass(frozen=True)
class Either:
    """One of several shapes; ``wanted`` says which in words."""

    shapes: tuple[Shape, ...]
    wanted: str

    def check(self, value: Any, place: str) -> Any:
        """See Shape."""
        for shape in self.shapes:
            try:
                return shape.check(value, place)
            except ValueError:
                continue
        raise refused(place, self.wanted, value)

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"anyOf": [shape.schema() for shape in self.shapes]}


@dataclass(frozen=True)
class OrNull:
    """A value, or null."""

    shape: Shape

    def check(self, value: Any, place: str) -> Any:
        """See Shape."""
        return None if value is None else self.shape.check(value, place)

    def schema(self) -> dict[str, Any]:
        """See Shape."""
        return {"anyOf": [self.shape.schema(), {"type": "null"}]}


def _range(low: float | None, high: float | None = None) -> str:
    above = "" if low is None else f" >= {low:g}"
    return above if high is None or high == LARGEST_COUNT else f"{above} and <= {high:g}"


def _limits(low: float | None, high: float | None = None) -> dict[str, Any]:
    given = {"minimum": low, "maximum": high}
    return {name: limit for name, limit in given.items() if limit is not None}


def read_json(path: Path, most_bytes: int) -> Any:
    """The values in a file; an OSError if it cannot be read, a ValueError of what is not JSON."""
    with path.open("rb") as stream:
        raw = stream.read(most_bytes + 1)
    if len(raw) > most_bytes:
        raise ValueError(
            f"it must have at most {most_bytes:,} bytes; it has more. If you trust it, pass a "
            "larger most_bytes."
        )
    try:
        return json.loads(
            raw.decode("utf-8"), object_pairs_hook=_without_repeats, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:
        told = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise ValueError(f"it must be JSON; {told}. {EXPORT_AGAIN}") from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = counts.most_common(1)[0][0]
        raise ValueError(f"the name {shown(twice)} occurs twice in one object")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")
