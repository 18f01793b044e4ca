"""What is asked of a report."""

import os
from pathlib import Path
from typing import Any

from survtree._validation.outcome import split_outcome


def check_report_file(file: Any) -> Path:
    """A path in a folder that exists."""
    if not isinstance(file, (str, os.PathLike)) or not os.fspath(file):
        raise TypeError(
            f"file must be a path, such as 'report.html'; got {file!r}. Pass where the page is to "
            "be written."
        )
    path = Path(os.fsdecode(os.fspath(file)))
    if path.is_dir():
        raise ValueError(
            f"file must name a file; {str(path)!r} is a folder. Pass {str(path / 'report.html')!r}."
        )
    if not path.parent.is_dir():
        raise ValueError(
            f"file must be in a folder that exists; {str(path.parent)!r} does not. Make the folder "
            "first."
        )
    return path


def check_report_text(name: str, text: Any) -> str | None:
    """A text, or None."""
    if text is not None and not isinstance(text, str):
        raise TypeError(
            f"{name} must be a text or None; got {text!r} of type {type(text).__name__}. Pass a "
            "str."
        )
    return text


def check_report_rows(X: Any, y: Any, sample_weight: Any, roles: Any) -> Any:
    """X, y and weights; None if there are none. y may be in X, in the columns of the fit."""
    has_columns = roles is not None and not roles.event_values and roles.weight is None
    if X is not None and y is None and has_columns:
        X, y = split_outcome(X, None, roles.time, roles.event)
    if (X is None) != (y is None):
        absent, there = ("y", "X") if y is None else ("X", "y")
        raise ValueError(
            f"X and y must come together; {absent} is missing. Pass the rows of the fit with their "
            f"outcome, or leave out {there} for a page without what needs rows."
        )
    if X is None and sample_weight is not None:
        raise ValueError(
            "sample_weight must come with X and y; both are missing. Pass the rows that the "
            "weights are of."
        )
    return None if X is None else (X, y, sample_weight)
