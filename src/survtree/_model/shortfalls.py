"""Whatever falls short of what was asked of a fit."""

from typing import Any

from survtree._base import SearchStoppedWarning
from survtree._base.numbers import format_percent
from survtree._base.warn import warn
from survtree._model.deeper import Found


def warn_of_shortfalls(model: Any, found: Found, options: dict[str, Any], interrupter: str) -> None:
    """Warn the caller of ``fit`` of each."""
    solution = found.solution
    if solution.is_upper_bound_wrong:
        message = (
            f"no tree attains upper_bound={options['upper_bound']:g}; the search went on "
            f"without it and found {solution.objective:g}."
        )
        warn(message)
    if found.prepared.teacher is not None and found.prepared.teacher.is_cut:
        message = (
            f"the teacher was cut short: it had taken half of the time limit "
            f"({options['time_limit']} s). The same fit may give another tree next time."
        )
        warn(message, SearchStoppedWarning)
    if options["certificate"] == "full" and model.certificate_.proof is None:
        message = (
            "there is no full proof: a limit ended the search, or the proof would be too long."
        )
        warn(message)
    reasons = {
        "time_limit": f"the time limit ({options['time_limit']} s)",
        "memory_limit": f"the memory limit ({model.memory_limit})",
        "node_limit": f"the node limit ({options['node_limit']})",
        "interrupted": interrupter,
    }
    if solution.status in reasons:
        message = (
            f"stopped by {reasons[solution.status]}. Objective {model.objective_:.4g}, lower "
            f"bound {model.lower_bound_:.4g}, gap {format_percent(model.gap_, 1)}. The tree is "
            "valid but not proven best."
        )
        warn(message, SearchStoppedWarning)
    elif found.deeper_status in reasons:
        message = (
            f"stopped by {reasons[found.deeper_status]} while looking for a better tree, deeper or "
            f"over every cut. This tree is optimal for depth {model.certificate_.max_depth} and "
            "the splits that were searched."
        )
        warn(message, SearchStoppedWarning)
