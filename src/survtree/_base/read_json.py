"""JSON from elsewhere: read strictly, turned into typed values, or refused with the place in it.

The json module reads the text, because msgspec would let the last of two equal names win and
refuses names that are not Unicode. msgspec then checks the values against types.
"""

import json
import math
import re
import reprlib
from collections import Counter
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

T = TypeVar("T")
# How msgspec calls the kinds of JSON, and how we do.
KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "numpy.ndarray": "an array of its own",
}


def parse_json(raw: bytes, remedy: str, what: str = "it") -> Any:
    """The values of a JSON text, or a ValueError that ends with the remedy."""
    try:
        return json.loads(
            raw.decode("utf-8"),
            object_pairs_hook=_without_repeats,
            parse_constant=_finite,
            parse_float=_finite,
            parse_int=_whole,
        )
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise ValueError(f"{what} must be JSON; {reason}. {remedy}") from error


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {short(twice)} occurs twice in one object")
    return found


def _finite(text: str) -> float:
    """Python would read NaN and Infinity, which JSON does not have, and 1e999 as infinity."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{short(text)} is not a finite number")
    return number


def _whole(text: str) -> int:
    """Python would read any number of digits; 310 of them are more than a float holds."""
    _finite(text)
    return int(text)


def convert_json(values: Any, kind: type[T], remedy: str = "", place: str = "") -> T:
    """JSON values as an object of this type, or a ValueError that names the place in them."""
    try:
        return msgspec.convert(values, kind)
    except UnicodeEncodeError as error:
        wanted = f"names and choices in {place or 'it'} must be Unicode"
        raise ValueError(f"{wanted}; got {short(error.object)}. {remedy}".rstrip()) from error
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        told = _in_words(reason, place, path.strip("`"), values, kind)
        raise ValueError(f"{told.rstrip('. ')}. {remedy}".rstrip()) from error


def short(value: Any) -> str:
    """A value as it came, but not all of it if it is long."""
    return reprlib.repr(value)


def require(holds: Any, wanted: str, value: Any, remedy: str = "") -> None:
    """Complain of a value, unless what is wanted of it holds."""
    if not holds:
        raise ValueError(f"{wanted}; got {short(value)}. {remedy}".rstrip())


def _in_words(reason: str, start: str, path: str, values: Any, kind: Any) -> str:
    """Names the place and the value there, which the message of msgspec leaves out."""
    place = f"{start}{path}".removeprefix(".")
    known = path.split("[...]")[0]  # msgspec does not tell which name of a dict it was
    steps = [name or int(number) for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", known)]
    field = re.search(r"`(.*)`$", reason)
    if field and reason.startswith("Object missing required"):
        return f"{place}{'.' if place else ''}{field[1]} is missing"
    if field and reason.startswith("Object contains unknown"):
        return f"{place or 'it'} has a part {short(field[1])} that is not known"
    for step in steps:
        values = values[step]
    if reason.startswith("Invalid enum value"):
        choices = ", ".join(map(repr, _choices_at(kind, steps)))
        return f"{place} must be one of {choices}; got {short(values)}"
    expected = re.fullmatch(r"Expected (.+?)(, got `[^`]+`)?", reason)
    if expected:
        return f"{place or 'it'} must be {_kinds_in_words(expected[1])}; got {short(values)}"
    return f"{place}: {reason}" if place else reason


def _kinds_in_words(expected: str) -> str:
    """For example `int | null` >= 1."""
    words = re.sub(r"[\w.]+", lambda kind: KINDS.get(kind[0], kind[0]), expected.split("`")[1])
    return words.replace(" | ", " or ") + expected.split("`")[2].removesuffix(".0")


def _choices_at(kind: Any, steps: list[str | int]) -> tuple[Any, ...]:
    """What a field with a choice allows, by the types on the way to it."""
    for step in steps:
        kind = _plain(get_type_hints(kind)[step] if isinstance(step, str) else get_args(kind)[0])
    return get_args(kind)


def _plain(kind: Any) -> Any:
    """A type without "or null" and without its limits."""
    if get_origin(kind) in (Annotated, Literal, list):
        return get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return next((each for each in get_args(kind) if each is not NoneType), kind)
