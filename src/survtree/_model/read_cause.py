"""Which of the causes of a fit a user asks for."""

from collections.abc import Callable
from typing import Any

from survtree._base.words import list_names
from survtree._data.causes import Causes, label_of_cause
from survtree._scoring.curves import StepFunction


def check_cause(causes: Causes | None, cause: Any) -> Callable[[Any], StepFunction]:
    """What takes the incidence of a cause from a predicted curve; None is the target."""
    names = ("1",) if causes is None else causes.names
    wanted = label_of_cause(cause, names) if cause is not None else None
    if wanted is not None and wanted not in names:
        only = " The model was fitted to one cause." if len(names) == 1 else ""
        raise ValueError(
            f"cause must be one of those of the fit, {list_names(names)}; got {cause!r}.{only} "
            "Name one of them, or none for the cause that the tree is about."
        )
    if causes is None or not causes.are_several:
        return lambda curve: curve.survival.reversed()
    place = causes.target if wanted is None else names.index(wanted) + 1
    return lambda curve: curve.incidences[place - 1]


def check_cause_of_fit(model: Any, cause: Any) -> Callable[[Any], StepFunction]:
    """The same by the labels of a model's fit, which may have known one cause only."""
    return check_cause(model.binarizer_.known_causes, cause)
