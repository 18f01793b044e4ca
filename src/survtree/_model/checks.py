"""Checks of what users pass to fitted models, paths, cross-validation and the bootstrap."""

import numbers
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from survtree._base.checks import BY_NAME, check_short_text, check_value, is_count, is_number
from survtree._base.options import Option
from survtree._base.words import did_you_mean
from survtree._data.causes import Causes, causes_of
from survtree._data.table import EventTable
from survtree._proof.certificate import Certificate
from survtree._search.near_trees import NearTrees, ended_by
from survtree._search.problem import Problem
from survtree._search.read_reference import check_reference

T = TypeVar("T")
MOST = 2**62  # trees that anybody can list; the core counts to a little more
# Options of a tree that a path and a cross-validation pass on as they are.
TREE_OPTIONS = (
    *("min_samples_leaf", "min_events_leaf", "max_leaves", "loss", "thresholds", "missing"),
    *("encoding", "max_levels", "levels", "categorical", "exclude", "column_penalties"),
    *("first_split", "time_buckets", "horizon", "teacher", "shrinkage", "time_unit"),
    *("time_limit", "memory_limit", "node_limit", "device"),
)
PATH_OPTIONS = ("max_depth", *TREE_OPTIONS, "n_jobs", "verbose", "callback", "random_state")
MIN_REGULARIZATION = replace(BY_NAME["regularization"], name="min_regularization")


def check_share(quantile: Any) -> float:
    """A share strictly between 0 and 1."""
    if not isinstance(quantile, numbers.Real) or not 0 < float(quantile) < 1:
        raise ValueError(
            f"quantile must be a number between 0 and 1, both excluded; got {quantile!r}. Pass 0.5 "
            "for the median."
        )
    return float(quantile)


def check_group_names(names: Any, given: Sequence[str]) -> tuple[str, ...]:
    """The names of all groups after some of them were given others; empty where there is none."""
    if not isinstance(names, Mapping):
        raise TypeError(
            f"names must map numbers of groups to names; got {type(names).__name__}. Pass a dict "
            "such as {1: 'low risk'}."
        )
    new = list(given)
    for group, name in names.items():
        if not is_count(group) or group > len(new):
            raise ValueError(
                f"groups must be numbers from 1 to {len(new)}, the lowest risk first; got "
                f"{group!r}. leaf_table(model) lists the groups."
            )
        if name is not None and not isinstance(name, str):
            raise TypeError(
                f"the name of group {group} must be a text, or None for none; got {name!r}. Pass "
                "a str."
            )
        new[group - 1] = (
            "" if name is None else check_short_text(f"the name of group {group}", name)
        )
    return check_names_differ(new)


def check_names_differ(names: Sequence[str]) -> tuple[str, ...]:
    """Names of groups, none of them twice; empty ones do not count."""
    twice = [name for name, n in Counter(filter(None, names)).items() if n > 1]
    if twice:
        raise ValueError(
            f"the names of groups must differ; {twice[0]!r} is given to more than one. Pass "
            "another name for one of them."
        )
    return tuple(names)


def check_limit(limit: Any) -> int:
    """A positive count, of which as much is left as the core can count to."""
    if not is_count(limit):
        raise ValueError(f"limit must be a positive integer; got {limit!r}.")
    return min(int(limit), MOST)


def check_some_trees(method: str, found: NearTrees) -> None:
    """Refuse what is about trees of a list that was ended before one was found."""
    if len(found.trees) == 0:
        raise ValueError(
            f"{method} must be of a list with a tree; none was found, since the list was ended by "
            f"{ended_by(found.status)}. Give it more time, memory or nodes."
        )


def check_some_samples(found: Sequence[Any]) -> None:
    """Refuse to say how often a tree is in the sets of samples none of which was solved."""
    if len(found) == 0:
        raise ValueError(
            "stability needs samples that are searched to the end; the memory limit stopped the "
            "search of each. Fit again with a larger memory_limit."
        )


def check_rows_kept(method: str, rows: Any) -> None:
    """Refuse what needs single rows of the fit, where it read groups of equal rows."""
    if rows is None:
        raise ValueError(
            f"{method} must be of a fit on rows in memory; a fit on a lazy frame does not keep "
            "them. Fit the collected frame, or a sample of it."
        )


def check_has_rows(method: str, kept: T | None) -> T:
    """What holds the training rows, which a fit keeps in its process."""
    if kept is None:
        raise ValueError(
            f"{method} needs the training rows; this model does not have them, as after loading, "
            "copying or a cross-validation. Fit it again."
        )
    return kept


def check_is_optimum(method: str, certificate: Certificate) -> None:
    """The tree must be the proven optimum of a fit."""
    if certificate.choice is not None:
        raise ValueError(
            f"{method} needs the model of a fit; this tree is one that near_optimal gave. Call it "
            "on the model that was fitted."
        )
    if certificate.status != "optimal":
        raise ValueError(
            f"{method} needs a proven optimum; the status of this fit is {certificate.status!r}. "
            "Fit again without limits."
        )


def check_no_leaf_limit(problem: Problem) -> None:
    """The search that lists optimal trees has no limit on leaves."""
    if problem.max_leaves is not None:
        raise ValueError(
            f"optimal_trees needs a fit without a limit on leaves; max_leaves is "
            f"{problem.max_leaves}. Fit again with max_leaves=None and a higher regularization."
        )


WITHIN = Option("within", 0.01, "float", "Largest excess, as a share of the optimum.", low=0.0)
SLACK = Option(
    "slack", None, "float", "Largest excess.", low=0.0, none_means="within times the optimum"
)


def check_slack(within: Any, slack: Any, optimum: float) -> float:
    """By how much the objective may exceed the optimum."""
    given, share = check_value(SLACK, slack), check_value(WITHIN, within)
    return float(share * optimum if given is None else given)


def check_agreement(agreement: Any) -> float:
    """An adjusted Rand index above 0: with less, all trees would be one group."""
    if not is_number(agreement) or not 0 < float(agreement) <= 1:
        raise ValueError(
            f"agreement must be a number above 0 and at most 1; got {agreement!r}. Pass 1 for "
            "trees that part the rows alike."
        )
    return float(agreement)


def check_n_samples(n_samples: Any) -> int:
    """How many bootstrap samples are drawn."""
    if not is_count(n_samples) or int(n_samples) < 2:
        raise ValueError(f"n_samples must be an integer >= 2; got {n_samples!r}.")
    return int(n_samples)


def check_penalty(regularization: Any, lowest: float) -> float:
    """A penalty per leaf that a path covers."""
    option = replace(BY_NAME["regularization"], default=lowest, words=())
    penalty = check_value(option, regularization)
    if penalty < lowest:
        raise ValueError(
            f"regularization must be at least {lowest:g}, the smallest that this path was made "
            f"for; got {penalty:g}. Make a path with a smaller min_regularization."
        )
    return float(penalty)


def check_horizon_has_events(horizon: float, events: EventTable) -> None:
    """Some event must be seen before the horizon, unless it is the largest time."""
    first = float(events.time[events.event].min())
    if first >= horizon < events.time.max():
        raise ValueError(
            f"horizon must be a time after the first event; got {horizon:g}, and the first event "
            f"is at {first:g}. Pass a later time, or None for all times."
        )


def check_teacher_is_alone(options: Mapping[str, Any]) -> None:
    """A reference guesses losses of the outcomes, which say nothing of the loss of a teacher."""
    if options["teacher"] is not None and options.get("reference") is not None:
        raise ValueError(
            "reference must be None if there is a teacher; both were given, but a reference "
            "guesses the loss of the outcomes, and the tree is fitted to the teacher's curves. "
            "Pass teacher=None, or leave out the reference."
        )


def check_knows_causes(options: Mapping[str, Any], causes: Causes | None) -> None:
    """With competing risks a teacher must know the target cause, and there is no reference."""
    if causes is None or not causes.are_several:
        return
    check_brier_of_causes(options.get("loss", "brier"))
    if options.get("reference") is not None:
        raise ValueError(
            "reference must be None with competing risks, since its survival curves are about one "
            f"cause; got {type(options['reference']).__name__}. Leave it out."
        )
    teacher = options["teacher"]
    is_curves = teacher is None or isinstance(teacher, (str, tuple))
    if not is_curves and causes_of(teacher) is None:
        raise ValueError(
            "teacher must know the causes where there are competing risks; "
            f"{type(teacher).__name__} predicts survival curves of one cause. Pass 'auto', "
            "'forest', 'cox' or None, or a pair of 1 - the incidence of the cause (row, time) and "
            "the times."
        )


def check_brier_of_causes(loss: str) -> None:
    """The likelihood is that of one kind of event."""
    if loss != "brier":
        raise ValueError(
            f"loss must be 'brier' with competing risks, of which it scores the cumulative "
            f"incidence; got {loss!r}. Leave loss out, or pass event flags of the one cause, where "
            "rows that ended by another one are censored."
        )


def check_teacher_of_parts(teacher: Any) -> None:
    """Folds and samples are some of the rows; curves of all rows do not belong to them."""
    if isinstance(teacher, tuple):
        raise ValueError(
            "teacher must be a name, a fitted model or None where parts of the rows are fitted; "
            "got the curves of all rows. Pass 'forest' or 'cox', which is fitted to each part."
        )


def check_reference_of_parts(reference: Any) -> None:
    """The same of a reference, which may also be the losses of all rows."""
    kind = "name" if reference is None else check_reference(reference)
    if kind in ("curves", "losses"):
        raise ValueError(
            "reference must be a name, a fitted model or None where parts of the rows are fitted; "
            f"got the {kind} of all rows. Pass 'forest' or 'boosting', which is fitted to each "
            "part, or the model itself."
        )


def check_path(min_regularization: Any, options: Mapping[str, Any]) -> float:
    """The smallest penalty of a path, whose other options must make sense for a path."""
    for name in options:
        if name not in PATH_OPTIONS:
            raise TypeError(
                f"regularization_path takes the options {', '.join(PATH_OPTIONS)}; got {name!r}."
                f"{did_you_mean(name, PATH_OPTIONS)}"
            )
    option = replace(MIN_REGULARIZATION, default=0.001, words=())
    return float(check_value(option, min_regularization))


def check_number_of_leaves(n_leaves: float, most: int) -> None:
    """Of the largest tree that a path may have."""
    if n_leaves > most:
        raise ValueError(
            f"min_regularization must be high enough for trees of at most {most:,} leaves; at this "
            f"penalty a tree may have {n_leaves:,.0f}. Raise it, or pass max_leaves."
        )


RULES = ("minimum", "half_standard_error", "one_standard_error")
SCORES = ("ibs_ratio", "harrell_c")
TUNING = (
    MIN_REGULARIZATION,
    Option("rule", RULES[0], "choice", "Which candidate is taken.", choices=RULES),
    Option("n_repeats", 1, "int", "How many times over folds are made.", low=1),
    replace(BY_NAME["n_jobs"], none_means="one search at a time"),
    *(BY_NAME[name] for name in ("verbose", "callback", "random_state")),
)
CV = (
    "an integer >= 2, a splitter with a method split(X, y), or a list of pairs (training rows, "
    "held-out rows)"
)

Places = NDArray[np.intp]


def check_tuning(estimator: Any) -> dict[str, Any]:
    """The arguments of a cross-validation that are not options of a tree."""
    given = vars(estimator)
    return {
        **{option.name: check_value(option, given[option.name]) for option in TUNING},
        "max_depths": _check_depths(given["max_depths"]),
        "scoring": _check_scoring(given["scoring"]),
    }


def _check_depths(depths: Any) -> tuple[int | None, ...] | str:
    if isinstance(depths, str) and depths == "default":
        return depths
    option = replace(BY_NAME["max_depth"], words=())
    wanted = f"max_depths must be a list of depths, each {option.range_text}"
    if isinstance(depths, (str, bytes)) or not isinstance(depths, Iterable):
        is_number = isinstance(depths, numbers.Integral)
        remedy = f"Pass ({depths!r},) for that depth alone." if is_number else "Pass (1, 2, 3)."
        raise TypeError(f"{wanted}; got {depths!r}. {remedy}")
    found = list(depths)
    if not found:
        raise ValueError(f"{wanted}; got an empty list. Pass (1, 2, 3).")
    for depth in found:
        try:
            check_value(option, depth)
        except (TypeError, ValueError) as error:
            raise type(error)(f"{wanted}; got {depth!r} among them. Leave it out.") from error
    return tuple(dict.fromkeys(check_value(option, depth) for depth in found))


def _check_scoring(scoring: Any) -> Any:
    if callable(scoring):
        return scoring
    allowed = f"one of {', '.join(map(repr, SCORES))}, or a callable (fitted tree, X, y) -> score"
    option = Option("scoring", SCORES[0], "choice", "", choices=SCORES, allowed=allowed)
    return check_value(option, scoring)


def check_cv(cv: Any, n_events: int, n_rows: int) -> str:
    """Whether folds are given by their number, a splitter or themselves."""
    if isinstance(cv, numbers.Integral) and not isinstance(cv, (bool, np.bool_)):
        if int(cv) < 2:
            raise ValueError(f"cv must be {CV}; got {cv!r}.")
        if int(cv) > n_events:
            raise ValueError(
                f"cv must be at most the number of events, so that each fold has one; cv is {cv}, "
                f"and {n_events:,} of {n_rows:,} samples have an event. Pass a smaller cv, or more "
                "rows."
            )
        return "number"
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes)):
        return "splitter"
    if isinstance(cv, (str, bytes)) or not isinstance(cv, Iterable):
        raise TypeError(f"cv must be {CV}; got {cv!r}.")
    return "folds"


def check_nested(what: str, cv: Any) -> None:
    """Folds that are made of some of the rows, such as a sample, cannot be listed before."""
    if check_cv(cv, sys.maxsize, sys.maxsize) == "folds":
        raise ValueError(
            f"{what} needs folds that can be made of any rows; cv lists the folds of these rows. "
            "Pass cv=5 or a splitter to the constructor."
        )


def check_bootstrap(estimator: Any, kind: type, n_bootstraps: Any) -> int:
    """An estimator whose trees can be compared, and how often it is to be fitted."""
    if not isinstance(estimator, kind):
        what = estimator.__name__ if isinstance(estimator, type) else type(estimator).__name__
        came = f"the class {what}" if isinstance(estimator, type) else what
        raise TypeError(
            "estimator must be an OptimalSurvivalTree or an OptimalSurvivalTreeCV; got "
            f"{came}. Pass one with its options; it need not be fitted."
        )
    if not is_count(n_bootstraps) or int(n_bootstraps) < 2:
        raise ValueError(f"n_bootstraps must be an integer >= 2; got {n_bootstraps!r}.")
    return int(n_bootstraps)


def check_not_pickled(name: str) -> dict[str, Any]:
    """Refuse to carry trees and training rows to another process."""
    raise TypeError(
        f"{name} must stay in the process of its fit, with the training rows; it cannot be copied "
        "or pickled. Export its models one by one with export_json."
    )
