"""Views of a model that take times, and those that do not."""

import inspect
from collections.abc import Callable
from typing import Any

import typer


def with_times(view: Callable[..., Any], model: Any, times: Any, what: str, **options: Any) -> Any:
    """What a function makes of a model; times are for those that show survival at them."""
    if times is None:
        return view(model, **options)
    if "times" not in inspect.signature(view).parameters:
        raise typer.BadParameter(f"{what} shows no survival at times", param_hint="--times")
    return view(model, times=times, **options)
