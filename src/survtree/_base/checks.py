"""Checks of what comes from elsewhere: values of options, and JSON.

JSON is read strictly, turned into typed values, or refused with the place in it. The json module
reads the text, because msgspec would let the last of two equal names win and refuses names that are
not Unicode. msgspec then checks the values against types; it is imported where JSON is read.
"""

import json
import math
import numbers
import re
import reprlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from survtree._base.options import OPTIONS, Option
from survtree._base.words import did_you_mean

T = TypeVar("T")
LEAST_MEMORY = 1_000_000
MEMORY_TEXT = re.compile(r"\s*(\d{1,30}(?:\.\d{1,30})?)\s*([kmgt])(i?)b?\s*", re.IGNORECASE)
LONGEST_NAME = 100
# Kinds of characters that would break a line or cannot be written: controls, ends of lines, halves.
NOT_IN_LINES = ("Cc", "Zl", "Zp", "Cs")
BY_NAME = {option.name: option for option in OPTIONS}
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


def check_options(estimator: Any) -> dict[str, Any]:
    """Its options with numbers of the right type, or an error that states the allowed values."""
    # Read one by one: get_params would inspect the constructor's signature again.
    given = vars(estimator)
    options = {
        option.name: check_value(option, given[option.name])
        for option in OPTIONS
        if option.name in given
    }
    _check_together(options)
    return options


def _check_together(options: dict[str, Any]) -> None:
    """Options that exclude each other: max_leaves has a search of its own, without some options."""
    trusts = options.get("reference") is not None and options["reference_mode"] == "guess"
    if options.get("certificate") == "full" and trusts:
        raise ValueError(
            "certificate='full' needs a search that does not trust a reference; reference_mode is "
            "'guess'. Pass reference_mode='prove', or leave out one of the two."
        )
    if options.get("max_leaves") is not None and (name := not_with_max_leaves(options)):
        raise ValueError(
            f"{name} must be left at {BY_NAME[name].default!r} if max_leaves is set; "
            f"max_leaves is {options['max_leaves']}. Leave out one of the two."
        )


def not_with_max_leaves(options: dict[str, Any]) -> str | None:
    """An option that was set and that the search with a limit on leaves does not have."""
    for name in ("reference", "upper_bound", "gap", "certificate", "warm_start"):
        default = BY_NAME[name].default
        # A reference may be an array, which is not compared as a whole.
        if options[name] is not default and (name == "reference" or options[name] != default):
            return name
    return None


def check_option(name: str, value: Any) -> Any:
    """The value of one option, checked as in a fit."""
    return check_value(BY_NAME[name], value)


def check_value(option: Option, value: Any) -> Any:
    """A value of the type that its option needs, or an error that states the allowed values."""
    if value is option.default:
        return value
    if option.kind == "choice":
        return _check_choice(option, value)
    if option.kind == "flag":
        return _check_flag(option, value)
    if option.kind == "other":  # some are checked later, where columns or rows are known
        check = _OTHERS.get(option.name)
        return value if check is None else check(option, value)
    return _check_number(option, value)


def refusal(option: Option, value: Any, error: type[Exception] = ValueError) -> Exception:
    return error(f"{option.name} must be {option.range_text}; got {value!r}.")


def _check_choice(option: Option, value: Any) -> str:
    if isinstance(value, str) and value in option.choices:
        return value
    error = refusal(option, value, ValueError if isinstance(value, str) else TypeError)
    raise type(error)(f"{error}{did_you_mean(value, option.choices)}")


def _check_word(option: Option, value: str) -> str:
    if value in option.words:
        return value
    raise ValueError(f"{refusal(option, value)}{did_you_mean(value, option.words)}")


def _check_number(option: Option, value: Any) -> int | float | str | None:
    if value is None and option.none_means:
        return None
    if option.words and isinstance(value, str):
        return _check_word(option, value)
    if not (_is_integer(value) if option.kind == "int" else is_number(value)):
        raise refusal(option, value, TypeError)
    number: int | float = int(value) if _is_integer(value) else _as_float(value)
    if option.kind == "float":
        number = _as_float(number)
    is_below = option.low is not None and (
        number < option.low or (option.is_low_open and number == option.low)
    )
    is_above = option.high is not None and (
        number > option.high or (option.is_high_open and number == option.high)
    )
    is_refused = option.is_zero_refused and number == 0
    if is_below or is_above or is_refused or (option.kind == "float" and not np.isfinite(number)):
        raise refusal(option, value)
    return number


def _as_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:  # an integer beyond all floats
        return math.inf if number > 0 else -math.inf


def _check_flag(option: Option, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refusal(option, value, TypeError)


def _check_memory(option: Option, value: Any) -> int | None:
    """Bytes, given as such or with a unit: 1 kB is 1000 bytes, 1 KiB is 1024."""
    if value is None:
        return None
    if isinstance(value, str):
        found = MEMORY_TEXT.fullmatch(value)
        if found is None:
            raise refusal(option, value)
        base = 1024 if found[3] else 1000
        value = int(float(found[1]) * base ** (1 + "kmgt".index(found[2].lower())))
    if not _is_integer(value):
        raise refusal(option, value, TypeError)
    if int(value) < LEAST_MEMORY:
        raise refusal(option, value)
    return int(value)


def _check_random_state(option: Option, value: Any) -> Any:
    if value is None or isinstance(value, np.random.RandomState):
        return value
    if not _is_integer(value):
        raise refusal(option, value, TypeError)
    if not 0 <= int(value) < 2**32:
        raise refusal(option, value)
    return int(value)


def _check_callback(option: Option, value: Any) -> Any:
    if value is None or callable(value):
        return value
    raise refusal(option, value, TypeError)


def _check_time_buckets(option: Option, value: Any) -> int | tuple[float, ...]:
    """A number of buckets, or their upper ends."""
    if is_count(value):
        return int(value)
    edges = ascending_numbers(value)
    if edges is None or not edges or edges[0] < 0 or list(edges) != [float(v) for v in value]:
        is_wrong_value = is_number(value) or edges is not None
        raise refusal(option, value, ValueError if is_wrong_value else TypeError)
    return edges


def _check_columns(option: Option, value: Any) -> tuple[str, ...] | None:
    """Names of columns; whether X has them is known later."""
    if value is None:
        return None
    if isinstance(value, str):
        raise TypeError(f"{refusal(option, value, TypeError)} Pass [{value!r}].")
    is_list = isinstance(value, (list, tuple, set, frozenset))
    # Arrays, indexes and series of pandas and polars: all have a shape.
    if not is_list and len(getattr(value, "shape", ())) != 1:
        raise refusal(option, value, TypeError)
    if not all(isinstance(name, str) for name in value):
        raise refusal(option, value, TypeError)
    return tuple(map(str, value))


def _check_penalties(option: Option, value: Any) -> dict[str, float] | None:
    """Penalties by column, those of 0 left out; whether X has the columns is known later."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise refusal(option, value, TypeError)
    if not all(map(is_number, value.values())):
        raise refusal(option, value, TypeError)
    penalties = {str(name): _as_float(each) for name, each in sorted(value.items())}
    if not all(0 <= each < math.inf for each in penalties.values()):
        raise refusal(option, value)
    return {name: each for name, each in penalties.items() if each > 0} or None


def _check_column(option: Option, value: Any) -> str | None:
    """The name of a column; whether X has it is known later."""
    if value is None or isinstance(value, str):
        return value
    raise refusal(option, value, TypeError)


def _check_time_unit(option: Option, value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise refusal(option, value, TypeError)
    return check_short_text(option.name, value)


def check_short_text(role: str, text: str) -> str:
    """A text that is written beside numbers: on one line, not empty, and not long."""
    is_odd = any(unicodedata.category(sign) in NOT_IN_LINES for sign in text)
    if is_odd or not text.strip() or len(text) > LONGEST_NAME:
        raise ValueError(
            f"{role} must be a text of 1 to {LONGEST_NAME} characters on one line; got "
            f"{short(text)}. Pass a shorter or plainer one."
        )
    return text.strip()


_OTHERS: dict[str, Callable[[Option, Any], Any]] = {
    "time_unit": _check_time_unit,
    "time_buckets": _check_time_buckets,
    "categorical": _check_columns,
    "exclude": _check_columns,
    "column_penalties": _check_penalties,
    "first_split": _check_column,
    "memory_limit": _check_memory,
    "callback": _check_callback,
    "random_state": _check_random_state,
}


def is_number(value: Any) -> bool:
    if type(value) in (int, float):  # asking an abstract class takes longer
        return True
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _is_integer(value: Any) -> bool:
    return type(value) is int or (is_number(value) and isinstance(value, numbers.Integral))


def is_count(value: Any) -> bool:
    return _is_integer(value) and int(value) >= 1


def ascending_numbers(values: Any) -> tuple[float, ...] | None:
    """The distinct numbers of a list, sorted; None if it is not a list of finite numbers."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        return None
    found = list(values)
    if not all(is_number(value) and math.isfinite(_as_float(value)) for value in found):
        return None
    return tuple(sorted({float(v) for v in found}))


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of the words that an argument allows."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}."
            f"{did_you_mean(value, choices)}"
        )
    return value


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
    import msgspec

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
