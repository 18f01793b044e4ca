"""What a cross-validation says while it chooses, and of work that was stopped."""

import warnings
from functools import partial

from survtree._base import SearchStoppedWarning
from survtree._model.cross_validation import Tuned
from survtree._search.progress import Watch


def log_scores(tuned: Tuned, watch: Watch) -> None:
    watch.say(lambda: " depth  regularization  leaves |    score  std. error")
    for k in range(len(tuned.models)):
        watch.say(partial(_line, tuned, k))


def _line(tuned: Tuned, k: int) -> str:
    model = tuned.models[k]
    depth = "none" if model.max_depth is None else model.max_depth
    mark = "  <- chosen" if k == tuned.index else ""
    return (
        f"{depth:>6}  {model.regularization:14.6f}  {model.n_leaves_:6d} | "
        f"{tuned.means[k]:8.4f}  {tuned.standard_errors[k]:10.4f}{mark}"
    )


def warn_if_incomplete(stopped_by: str, remains: str) -> None:
    message = f"stopped by {stopped_by}: {remains}. The others were not finished."
    warnings.warn(message, SearchStoppedWarning, stacklevel=3)


def warn_if_stopped(statuses: list[str]) -> None:
    stopped = [status for status in statuses if status != "optimal"]
    if stopped:
        reasons = ", ".join(sorted({status.replace("_", " ") for status in stopped}))
        warnings.warn(
            f"{len(stopped)} of {len(statuses)} searches were stopped ({reasons}); their trees are "
            "the best of a smaller depth, so the scores of deeper trees are too low.",
            SearchStoppedWarning,
            stacklevel=3,
        )
