"""What is asked of exports of a fitted model."""

import builtins
import keyword
from collections.abc import Iterable, Sequence
from typing import Any

from survtree._validation.words import did_you_mean

MOST_NESTED = 200  # databases differ; some stop at 10, few beyond 500


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """One of the words that an argument knows."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"{name} must be one of {', '.join(map(repr, choices))}; got {value!r}."
            f"{did_you_mean(value, choices)}"
        )
    return value


def check_sql_texts(texts: Iterable[str]) -> None:
    """Names and levels that SQL can hold."""
    for text in texts:
        if "\0" in text:
            raise ValueError(
                "names of columns and levels must not have the character NUL, which SQL cannot "
                f"hold; {text!r} does. Rename it and fit again."
            )


def check_sql_depth(depth: int) -> None:
    """Complain of a tree whose expression is nested more deeply than databases take."""
    if depth > MOST_NESTED:
        raise ValueError(
            f"a tree must be at most {MOST_NESTED} deep for SQL, which nests an expression a "
            f"question; this one is {depth} deep. Fit with a smaller max_depth."
        )


def check_function_name(name: Any, taken: Sequence[str]) -> str:
    """A name for a function of a module that has names of its own."""
    is_name = isinstance(name, str) and name.isascii() and name.isidentifier() and name[0] != "_"
    is_free = is_name and not keyword.iskeyword(name) and not hasattr(builtins, name)
    if not is_free or name in taken:
        raise ValueError(
            "name must be an ASCII name of a function that does not start with an underscore and "
            f"is neither built in nor one of {', '.join(taken)}; got {name!r}. Pass a name such as "
            "'predict_leaf'."
        )
    return str(name)
