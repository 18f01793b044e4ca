"""How a fitted model was made: enough to make it again from the same rows.

A recipe is there to be run, and a model file may come from anybody. So no code is kept: options are
kept as literals of Python and a command as its arguments, and the recipe is written anew.
"""

import ast
import math
import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import sklearn

from survtree._base.numbers import plain_number
from survtree._base.options import OPTIONS
from survtree._base.versions import SURVTREE_VERSION
from survtree._model.defaults import is_word, without_defaults
from survtree._model.prepare import Prepared
from survtree._scoring.teachers import BUILT_IN

# Neither tree nor predictions depend on these.
WITHOUT_EFFECT = ("certificate", "warm_start", "n_jobs", "device", "verbose", "callback")
PLAIN = "OptimalSurvivalTree"
OURS = ("survtree._model.estimator", "survtree._model.tuning")
WIDEST = 88  # of a call on one line


def versions_now() -> dict[str, str]:
    """Of the programs that a result depends on."""
    found = {
        "survtree": SURVTREE_VERSION,
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    return {**found, "Python": platform.python_version()}


_PLAIN_TYPES = (bool, int, str, type(None))


@cache
def defaults_of(estimator: type) -> Mapping[str, Any]:
    """The defaults of the options of an estimator."""
    # inspect.signature() says the same, in a tenth of the time of a small fit.
    init = estimator.__init__  # type: ignore[misc]
    code, first = init.__code__, init.__defaults__ or ()
    positional = code.co_varnames[code.co_argcount - len(first) : code.co_argcount]
    return {**dict(zip(positional, first, strict=True)), **(init.__kwdefaults__ or {})}


@dataclass(frozen=True)
class Origin:
    """What a fit leaves behind so that it can be run again.

    ``options`` are those that the user has set, as Python writes them; None is one that cannot be
    written, such as a splitter. Trees of a path were not fitted by themselves: they have no
    estimator.
    """

    data: str  # fingerprint of the rows
    versions: Mapping[str, str] = field(default_factory=versions_now)
    seed: int | None = None  # None: nothing was random
    is_weighted: bool = False
    estimator: str = ""
    options: Mapping[str, str | None] = field(default_factory=dict)
    command: tuple[str, ...] = ()  # arguments of the survtree command
    is_grouped: bool = False  # did folds keep groups of rows together?

    @classmethod
    def of(cls, prepared: Prepared) -> "Origin":
        """Of a search; who wanted it is not known yet."""
        is_weighted = bool((prepared.exact.weight != 1.0).any())
        return cls(prepared.data, seed=prepared.seed, is_weighted=is_weighted)

    def made_by(self, estimator: Any) -> "Origin":
        """The same with the name of the estimator and the options that the user has set on it."""
        # A class of the user's that is derived from ours is not known to others.
        ours = next(each for each in type(estimator).__mro__ if each.__module__ in OURS)
        given = {name: getattr(estimator, name) for name in defaults_of(ours)}
        options = set_options(ours, given, self.seed)
        return replace(self, estimator=ours.__name__, options=options)


UNKNOWN = Origin("", {})  # files of earlier versions do not say


def set_options(
    estimator: type, given: Mapping[str, Any], seed: int | None
) -> dict[str, str | None]:
    """The options that are not at their default, and the seed that was used, as literals."""
    used = dict(given) if seed is None else {**given, "random_state": seed}
    return {
        name: literal(used[name])
        for name, default in defaults_of(estimator).items()
        if name in used
        and (not _is_same(used[name], default) or (name, seed) == ("random_state", 0))
    }


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)


@dataclass(frozen=True)
class Recipe:
    """How to make a model again: run ``code``, or the command, on the same rows.

    ``code`` fits the very tree, with every option written out; ``options`` are these, as Python
    writes them. ``code_as_made`` has only those that were set, and repeats a cross-validation if
    there was one; it is empty for a tree of a path.
    ``command`` is empty unless the model was made on the command line. ``data`` is a fingerprint of
    the rows: that of a repeated fit must be the same. A fit that a limit of time or memory has
    stopped may stop elsewhere the next time: ``is_repeatable`` is False.
    """

    code: str
    options: Mapping[str, str | None]
    code_as_made: str
    is_complete: bool  # no option of the code had to be left open, as three dots
    is_repeatable: bool
    command: str
    seed: int | None
    data: str
    versions: Mapping[str, str]

    def __str__(self) -> str:
        return self.code


def recipe_of(model: Any) -> Recipe:
    """The recipe of a fitted model."""
    origin = model._state.origin
    options = {name: literal(value) for name, value in full_options(model, origin).items()}
    if model.teacher_ is not None and model.teacher_ not in BUILT_IN:
        options["teacher"] = None  # a file does not keep it
    made = _code(origin.estimator, origin.options, model, origin) if origin.estimator else ""
    return Recipe(
        code=_code(PLAIN, options, model, origin),
        options=options,
        code_as_made=made,
        is_complete=None not in options.values(),
        is_repeatable=_is_repeatable(model),
        command=shlex.join(["survtree", *origin.command]) if origin.command else "",
        seed=origin.seed,
        data=origin.data,
        versions=origin.versions,
    )


def _is_repeatable(model: Any) -> bool:
    """Whether another fit gives the same tree: nothing that takes time was cut short."""
    is_cut = model.teacher_ in BUILT_IN and model.certificate_.teacher_seed is None
    return not is_cut and model.status_ not in ("time_limit", "memory_limit", "interrupted")


def full_options(model: Any, origin: Origin) -> dict[str, Any]:
    """Every option that the tree depends on, with numbers in the place of words."""
    tree, proof = getattr(model, "best_estimator_", model), model.certificate_
    given = without_defaults(tree.get_params(deep=False), tree.regularization)
    names = (
        *("max_depth", "regularization", "min_events_leaf", "max_leaves", "horizon"),
        *("column_penalties", "first_split"),
    )
    found = {name: getattr(proof, name) for name in names}
    found |= {"shrinkage": model.shrinkage_, "random_state": origin.seed or 0}
    if proof.teacher is None:  # nor is there one where rows were read in passes
        found["teacher"] = None
    if is_word(given["thresholds"], "auto") and proof.is_every_cut:
        found["thresholds"] = "all"
    if proof.is_refined:  # as only a fit does that chooses its penalty
        found["regularization"] = "auto"
    return {
        option.name: {**given, **found}[option.name]
        for option in OPTIONS
        if option.name not in WITHOUT_EFFECT
    }


def keep_command(
    model: Any, roles: Any, arguments: Sequence[str], cautions: Sequence[str] = ()
) -> None:
    """Let a model remember the command that made it, what columns of its file hold, what was said.

    ``cautions`` are about the file; those about rows and tree the model has already.
    """
    origin = replace(model._state.origin, command=tuple(arguments))
    said = tuple(dict.fromkeys((*cautions, *model.warnings_)))
    state = model._state.with_binarizer(roles_=roles)
    model._fitted = replace(state, origin=origin, warnings=said)


def _code(estimator: str, options: Mapping[str, str | None], model: Any, origin: Origin) -> str:
    arguments = [f"{name}={'...' if text is None else text}" for name, text in options.items()]
    call = f"{estimator}({', '.join(arguments)})"
    if len(call) > WIDEST:
        call = f"{estimator}(\n    " + ",\n    ".join(arguments) + ",\n)"
    rows = _rows(model, origin, estimator)
    code = f"from survtree import {estimator}\n\nmodel = {call}\nmodel.fit({rows})"
    return code + _choice(model.certificate_)


def _choice(certificate: Any) -> str:
    """What finds a tree that is not simply the optimum of its fit, after the fit."""
    if certificate.choice is None:
        return ""
    excess = certificate.objective - certificate.lower_bound
    return f"\nmodel = model.{certificate.choice.call(float(f'{1.01 * excess:.3g}'))}"


def _rows(model: Any, origin: Origin, estimator: str) -> str:
    """What the fit took; a command has read its columns itself."""
    roles = model.roles_
    rows = "X, y"
    if roles is not None and not origin.command:
        rows = f"X, duration_col={roles.time!r}, event_col={roles.event!r}"
    known = model.binarizer_.known_causes
    if known is not None:
        rows += f", cause={known.target_name!r}, censored={known.censored!r}"
    rows += ", sample_weight=weights" if origin.is_weighted else ""
    # The chosen tree itself does not depend on groups.
    return f"{rows}, groups=groups" if origin.is_grouped and estimator != PLAIN else rows


def literal(value: Any) -> str | None:
    """The value as code, if it can be written as such."""
    # Nearly all are plain; parsing takes long beside a small fit.
    if type(value) in _PLAIN_TYPES or (type(value) is float and math.isfinite(value)):
        return repr(value)
    text = repr(_plain(value))
    return text if is_literal(text) else None


def _plain(value: Any) -> Any:
    """Numbers and lists of Python for those of numpy and of other packages."""
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        plain = [_plain(each) for each in value]
        return plain if isinstance(value, list) else tuple(plain)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    value = plain_number(value)
    return value.tolist() if hasattr(value, "tolist") else value


def is_literal(text: str) -> bool:
    """Whether this is a number, a text, or a list of such, and nothing that runs."""
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
