"""Checks of options: numbers within their range, choices, flags, memory, times."""

import math
import numbers
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from survtree._base.options import OPTIONS, Option
from survtree._base.words import did_you_mean

T = TypeVar("T")
LEAST_MEMORY = 1_000_000
BY_NAME = {option.name: option for option in OPTIONS}


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
    if options.get("max_leaves") is None:
        return
    for name in ("reference", "upper_bound", "gap", "certificate", "warm_start", "callback"):
        default = BY_NAME[name].default
        # A reference may be an array, which is not compared as a whole.
        if options[name] is not default and (name == "reference" or options[name] != default):
            raise ValueError(
                f"{name} must be left at {default!r} if max_leaves is set; "
                f"max_leaves is {options['max_leaves']}. Leave out one of the two."
            )


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


def _check_number(option: Option, value: Any) -> int | float | None:
    if value is None and option.none_means:
        return None
    wanted = numbers.Integral if option.kind == "int" else numbers.Real
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, wanted):
        raise refusal(option, value, TypeError)
    number: int | float = int(value) if isinstance(value, numbers.Integral) else float(value)
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


def _as_float(number: int | float) -> float:
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
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt])(i?)b?\s*", value, re.IGNORECASE)
        if found is None:
            raise refusal(option, value)
        base = 1024 if found[3] else 1000
        value = int(float(found[1]) * base ** (1 + "kmgt".index(found[2].lower())))
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, np.bool_)):
        raise refusal(option, value, TypeError)
    if int(value) < LEAST_MEMORY:
        raise refusal(option, value)
    return int(value)


def _check_random_state(option: Option, value: Any) -> Any:
    if value is None or isinstance(value, np.random.RandomState):
        return value
    if not isinstance(value, numbers.Integral) or isinstance(value, (bool, np.bool_)):
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


_OTHERS: dict[str, Callable[[Option, Any], Any]] = {
    "time_buckets": _check_time_buckets,
    "memory_limit": _check_memory,
    "callback": _check_callback,
    "random_state": _check_random_state,
}


def is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def is_count(value: Any) -> bool:
    return is_number(value) and isinstance(value, numbers.Integral) and int(value) >= 1


def _is_finite_number(value: Any) -> bool:
    try:
        return is_number(value) and bool(np.isfinite(float(value)))
    except OverflowError:  # an integer beyond all floats
        return False


def ascending_numbers(values: Any) -> tuple[float, ...] | None:
    """The distinct numbers of a list, sorted; None if it is not a list of finite numbers."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        return None
    found = list(values)
    if not all(map(_is_finite_number, found)):
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


def check_has_proof(proof: T | None, status: str) -> T:
    """The full proof of a certificate, or an error that says which options lead to one."""
    if proof is None:
        raise ValueError(
            f"write_proof needs a full proof; the certificate has its numbers only (status "
            f"{status!r}). Fit with certificate='full' until the status is 'optimal'; a loaded "
            "model has no proof."
        )
    return proof
