"""Checks of the options of a fit on rows that are read in passes."""

from typing import Any

STREAMED_WITHOUT_TEACHER = (
    "X is lazy, so the tree is fitted to the outcomes themselves, as with teacher=None: a teacher "
    "would need all rows in memory. For a tree that is fitted to a teacher collect a random sample "
    "of the rows and fit on that.",
)


def streamed_options(options: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The options of a fit on rows that are read in passes, and what must be said of them.

    Refuses what needs all rows in memory.
    """
    unlike = {
        "teacher": (None, "default"),
        "reference": (None,),
        "certificate": ("numbers",),
        "encoding": ("questions",),
    }
    for name, allowed in unlike.items():
        value = options[name]
        if not any(value is each or (isinstance(value, str) and value == each) for each in allowed):
            raise ValueError(
                f"{name} must be {allowed[0]!r} where X is lazy, since rows are read in passes and "
                f"kept as groups; got {value!r}. Leave it out, or collect X, or a random sample of "
                "its rows, first."
            )
    is_auto = isinstance(options["regularization"], str) and options["teacher"] == "default"
    said = STREAMED_WITHOUT_TEACHER if is_auto and options["loss"] == "brier" else ()
    return {**options, "teacher": None}, said
