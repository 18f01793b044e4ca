"""Checks of the thresholds that a user passes, of levels and their texts, and of questions.

A user's thresholds become a ``Rule`` for each column.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from survtree._base.checks import BY_NAME, ascending_numbers, is_count, is_number, refusal
from survtree._base.options import CUTS
from survtree._base.words import did_you_mean, list_names
from survtree._data.read_columns import is_numeric_text
from survtree._data.table import Column, EventTable

MAX_QUESTIONS = 20_000_000
MAX_ANSWERS = 2**33  # where each takes a byte
# This few levels that are no numbers, among many that are, stand for missing values.
MOST_ODD_LEVELS = 3
LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Rule(NamedTuple):
    """How to cut a column. ``value`` is a count for quantiles and width, the numbers for given."""

    kind: Literal["auto", "all", "guess", "quantiles", "width", "given"]
    value: Any = None


def check_rules(thresholds: Any, columns: Sequence[Column]) -> list[Rule]:
    """How to cut each column."""
    if not isinstance(thresholds, Mapping):
        return [_rule(thresholds)] * len(columns)
    names = [column.name for column in columns]
    unknown = [key for key in thresholds if key not in names]
    if unknown:
        raise ValueError(
            f"thresholds must name columns of X; there is no {unknown[0]!r}. The columns are "
            f"{list_names(names)}.{did_you_mean(unknown[0], names)}"
        )
    rules = {name: _rule(value, name) for name, value in thresholds.items()}
    for column in columns:
        is_cut = rules.get(column.name, Rule("auto")).kind not in ("auto", "all")
        is_empty = column.kind == "level" and not column.levels  # perhaps of numbers, elsewhere
        if is_cut and column.kind not in ("number", "flag") and not is_empty:
            raise ValueError(
                f"thresholds must be for columns of numbers; column {column.name!r} holds "
                "categories. Leave it out of thresholds, or convert the column to numbers."
            )
    return [rules.get(name, Rule("auto")) for name in names]


def _rule(value: Any, name: str | None = None) -> Rule:
    if isinstance(value, str):
        named = {"auto": Rule("auto"), "all": Rule("all")}
        if name is None:
            named["guess"] = Rule("guess")
        if value in named:
            return named[value]
        raise ValueError(_not_thresholds(value, name, named))
    if is_count(value):
        return Rule("quantiles", int(value))
    is_named_pair = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)
    if is_named_pair and value[0] == "width" and is_count(value[1]):
        return Rule("width", int(value[1]))
    edges = ascending_numbers(value)
    if not edges:
        is_wrong_value = is_number(value) or edges is not None
        raise (ValueError if is_wrong_value else TypeError)(_not_thresholds(value, name))
    return Rule("given", edges)


def _not_thresholds(value: Any, name: str | None, choices: Iterable[str] = ()) -> str:
    """The message about wrong thresholds, of one column or of all (no name)."""
    hint = did_you_mean(value, choices)
    if name is None:
        return f"{refusal(BY_NAME['thresholds'], value)}{hint}"
    if isinstance(value, str) and value == "guess":
        hint = " It chooses among all columns at once: pass thresholds='guess'."
    allowed, came = f"'auto', 'all', {CUTS} for each column of a dict", {name: value}
    return f"thresholds must be {allowed}; got {came!r}.{hint}"


def check_guess(rules: Sequence[Rule], events: EventTable | None) -> None:
    """Refuse thresholds="guess" without an outcome."""
    if events is None and any(rule.kind == "guess" for rule in rules):
        raise ValueError(
            "thresholds='guess' needs y, whose events and times it models; y is None. Pass "
            "fit(X, y), or other thresholds."
        )


def check_levels(columns: Sequence[Column], max_levels: int) -> None:
    """Refuse columns of categories with too many levels, all of them at once."""
    counts = {c.name: len(c.occurring()) for c in columns if c.kind in ("level", "ordered")}
    many = [column for column in columns if counts.get(column.name, 0) > max_levels]
    if len(many) == 1:
        raise ValueError(_too_many(many[0], counts[many[0].name], max_levels))
    if many:
        listed = ", ".join(f"{column.name!r} ({counts[column.name]:,})" for column in many)
        raise ValueError(
            f"columns of categories must have at most {max_levels:,} levels (max_levels); more "
            f"have {listed}. Leave them out with exclude={[column.name for column in many]!r}, "
            "convert those that hold numbers, group their levels, or raise max_levels."
        )


def _too_many(column: Column, n_levels: int, max_levels: int) -> str:
    """What to say of one such column."""
    odd = [level for level in column.levels if not is_numeric_text(level)]
    hint = "Is it an identifier? Leave it out, group its levels, or raise max_levels."
    if not odd:
        hint = "They read as numbers: convert the column to numbers."
    elif len(odd) <= MOST_ODD_LEVELS:
        hint = (
            f"All but {list_names(odd)} read as numbers: make that missing and convert "
            "the column to numbers."
        )
    return (
        f"column {column.name!r} must have at most {max_levels:,} levels (max_levels); it has "
        f"{n_levels:,}: {list_names(column.levels, 3)}. {hint}"
    )


def check_question_count(n_questions: int) -> None:
    """Refuse more questions than can be searched."""
    if n_questions > MAX_QUESTIONS:
        raise ValueError(
            f"there must be at most {MAX_QUESTIONS:,} questions; the columns make {n_questions:,}. "
            "Pass thresholds='auto' or a number of thresholds per column, or leave columns out."
        )


def check_answer_count(n_questions: int, n_rows: int) -> None:
    """Refuse more answers than can be kept, where each is kept by itself."""
    if n_questions * n_rows > MAX_ANSWERS:
        raise ValueError(
            f"there must be at most {MAX_ANSWERS:,} answers (rows x questions) where a table of "
            f"all of them is needed; the columns make {n_questions:,} questions on {n_rows:,} "
            "rows. Pass thresholds='auto' or a number of thresholds per column, or leave columns "
            "out. A fit with max_depth up to 6 needs no such table, unless max_leaves, a "
            "reference or certificate='full' is passed."
        )


def check_texts(columns: Sequence[Column]) -> None:
    """Refuse names and levels that no file can hold, since they have half of a character."""
    for column in columns:
        for what, text in (("name", column.name), *(("level", each) for each in column.levels)):
            if LONE_SURROGATE.search(text):
                raise ValueError(
                    f"names and levels must be text that can be written; a {what} of column "
                    f"{column.name!r} has half of a character (a lone surrogate): {text!r}. Read "
                    "the file with its own encoding, or rename it."
                )
