"""Models as JSON files, and back: all that a fitted tree needs to predict and to be rechecked."""

import json
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from survtree._base.files import whole_file
from survtree._base.numbers import plain_number
from survtree._base.versions import SURVTREE_VERSION
from survtree._data.read_roles import Roles
from survtree._data.read_rows import Seen
from survtree._model.defaults import resolved_shrinkage, without_defaults
from survtree._model.estimator import OptimalSurvivalTree
from survtree._model.lone_leaf import OneLeafReason
from survtree._model.prepare import new_binarizer
from survtree._model.read_model_file import (
    FORMAT,
    MOST_BYTES,
    VERSION,
    Made,
    ModelFile,
    read_model_file,
)
from survtree._model.read_model_options import SpecialCuts
from survtree._model.read_tree import tree_of
from survtree._model.recipe import UNKNOWN, Origin
from survtree._model.state import Fitted
from survtree._proof.certificate import Certificate
from survtree._questions.binarizer import Binarizer
from survtree._questions.forms import End, InLevels, InRange, IsMissing, IsOne, Question
from survtree._questions.questions import Questions
from survtree._scoring.curves import LeafCurve, LeafCurves
from survtree._scoring.incidence import CompetingCurve

# Not in a file: options that only the process of the fit can use.
NOT_KEPT = ("certificate", "warm_start", "verbose", "callback")
# Parts of a certificate that the file holds elsewhere, or not at all.
ELSEWHERE = ("tree", "binarizer", "proof", "targets", "model")
# What the file calls questions about levels, by the end of the order that the levels are.
ENDS: dict[str, End | None] = {"in": None, "up_to": "low", "from": "high"}


def export_json(model: Any, file: str | os.PathLike[str] | None = None) -> str:
    """A fitted model as JSON, with its curves and its certificate; ``load`` reads it.

    The text holds no row of the training data, but for each leaf how many rows had which time; and
    how the model was made, so that ``load(file).recipe_`` can make it again. The
    format has a version and a published schema, ``docs/reference/model-1.schema.json``. The options
    ``callback``, ``certificate``, ``verbose`` and ``warm_start`` are not kept, and neither is a
    reference or teacher that is not a name.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one, or a fitted search or pipeline with one in it; the chosen tree is exported.
    file : path, optional
        Where to write the text, as a whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> from survtree import OptimalSurvivalTree, export_json, load
    >>> from survtree.datasets import load as load_data
    >>> X, y = load_data("veterans")
    >>> model = OptimalSurvivalTree(max_depth=2).fit(X, y)
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     text = export_json(model, file.name)
    ...     same = load(file.name)
    >>> bool((same.predict(X) == model.predict(X)).all())
    True
    """
    fitted = tree_of(model)
    tree: Any = getattr(fitted, "best_estimator_", fitted)
    text = json.dumps(as_dict(tree, fitted._state), allow_nan=False, indent=None)
    if file is not None:
        with whole_file(file) as stream:
            stream.write(text.encode("ascii"))
    return text


def load(file: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> OptimalSurvivalTree:
    """The fitted model that ``export_json`` or ``survtree fit`` wrote to a file.

    Its predictions are the same to the last bit. Nothing in the file is run, so a file from
    somebody else is safe to load. What it claims is only as good as its source, until
    ``certificate_.verify(X, y)`` has rechecked it. A file that is damaged, or larger than
    ``most_bytes``, raises a ValueError that names the place in it.
    """
    return _model(read_model_file(Path(file), most_bytes))


def _model(given: ModelFile) -> OptimalSurvivalTree:
    """A model with all that a fit would have set."""
    causes = None if given.causes is None else given.causes.causes()
    one = None if given.one_cause is None else given.one_cause.causes()
    curves = {leaf.node: leaf.curve(causes) for leaf in given.leaves}
    options = {**structs.asdict(given.options), "thresholds": _cuts(given.options.thresholds)}
    model = OptimalSurvivalTree(**options)
    roles = None
    if (outcome := given.roles) is not None:
        values, left_out = tuple(outcome.event_values), tuple(outcome.left_out)
        roles = Roles(outcome.time, outcome.event, values, outcome.weight, left_out)
    of_events = [curve.times[curve.events > 0] for curve in curves.values()]
    reason = given.one_leaf_reason
    fitted = Fitted(
        certificate=_certificate(given, _binarizer(model, given)),
        leaf_curves=LeafCurves(lambda: curves),
        one_leaf_reason=OneLeafReason(lambda: reason),
        ibs_ratio=given.ibs_ratio,
        unique_times=np.unique(np.concatenate([c.times for c in curves.values()])),
        event_times=np.unique(np.concatenate(of_events)),
        history=tuple(given.history),
        shrinkage=given.shrinkage,
        asked_shrinkage=_asked_shrinkage(given, options),
        warnings=tuple(given.warnings),
        group_names=given.group_names,
        origin=_origin(given.origin),
    )
    model._fitted = fitted.with_binarizer(roles_=roles, causes_=causes, one_cause_=one)
    return model


def _asked_shrinkage(given: ModelFile, options: dict[str, Any]) -> float | None:
    """What the options say of it; None: the teacher's curves were to choose it."""
    meant = without_defaults(options, options["regularization"])
    return resolved_shrinkage(
        meant["shrinkage"], has_teacher=given.certificate.loss_kind == "teacher"
    )


def _origin(given: Made | None) -> Origin:
    if given is None:
        return UNKNOWN
    return Origin(**{**structs.asdict(given), "command": tuple(given.command)})


def as_dict(model: OptimalSurvivalTree, state: Fitted) -> dict[str, Any]:
    """What a file holds; what else the state says may be that of a search which chose the tree."""
    binarizer = model.binarizer_
    given = binarizer.questions_.given
    large = {
        "columns": [
            _column(name, seen)
            for name, seen in zip(binarizer.questions_.names, binarizer.seen_, strict=True)
        ],
        "questions": None if given is None else [_record(question) for question in given],
        "tree": {name: getattr(model.tree_, name).tolist() for name in ("question", "no", "yes")},
        "leaves": [_leaf(node, curve) for node, curve in model.leaf_curves_.items()],
    }
    return small_parts(model, state) | large


def small_parts(model: OptimalSurvivalTree, state: Fitted) -> dict[str, Any]:
    """What a file holds, with None in place of its large parts.

    These are columns, questions, tree and leaves.
    """
    binarizer, certificate, roles = (
        model.binarizer_,
        model.certificate_,
        state.certificate.binarizer.roles_,
    )
    names = [field.name for field in fields(certificate) if field.name not in ELSEWHERE]
    parameters = model.get_params(deep=False)  # not those of a teacher that is a model
    options = {name: each for name, each in parameters.items() if name not in NOT_KEPT}
    proof = {name: getattr(certificate, name) for name in names}
    if certificate.guess is not None:
        proof["guess"] = asdict(certificate.guess)
    if certificate.choice is not None:
        proof["choice"] = asdict(certificate.choice)
    return {
        "format": FORMAT,
        "version": VERSION,
        "survtree": SURVTREE_VERSION,
        "options": {name: _plain(name, each) for name, each in options.items()},
        "columns": None,
        "are_columns_named": hasattr(model, "feature_names_in_"),
        "questions": None,
        "published_names": list(binarizer._published_names),
        "tree": None,
        "leaves": None,
        "certificate": proof,
        "ibs_ratio": float(model.ibs_ratio_),
        "exact_loss": float(model.exact_loss_),
        "history": [asdict(snapshot) for snapshot in model.history_],
        "roles": None if roles is None else _roles(roles),
        "shrinkage": model.shrinkage_,
        "one_leaf_reason": state.one_leaf_reason.text,
        "warnings": list(state.warnings),
        "group_names": list(state.group_names),
        "origin": asdict(state.origin) if state.origin.data else None,
        **_labels(binarizer),
    }


def _labels(binarizer: Binarizer) -> dict[str, Any]:
    """The causes, or the labels of the one cause, if outcomes are not read as flags."""
    causes, one = binarizer.causes_, binarizer.one_cause_
    if one is not None:
        return {"one_cause": {"name": one.target_name, "censored": one.censored}}
    return {} if causes is None else {"causes": causes._asdict()}


def _column(name: str, seen: Seen) -> dict[str, Any]:
    """What the fit saw of a column; that it was left out is written only if it was."""
    facts = {"name": name, **seen._asdict(), "levels": sorted(seen.levels)}
    return {key: each for key, each in facts.items() if each or key != "is_left_out"}


def _roles(roles: Roles) -> dict[str, Any]:
    """Which columns hold the outcome; those left out are written only if there are some."""
    return {key: each for key, each in roles._asdict().items() if each or key != "left_out"}


def _leaf(node: int, curve: LeafCurve) -> dict[str, Any]:
    lists = {name: getattr(curve, name).tolist() for name in ("times", "events", "censored")}
    counts = {"node": node, "n_rows": curve.n_rows, "n_events": curve.n_events}
    of_causes = {}
    if isinstance(curve, CompetingCurve):
        of_causes = {
            "by_cause": curve.by_cause.tolist(),
            "n_rows_by_cause": list(curve.n_rows_by_cause),
        }
    return {**counts, **lists, "survival": curve.survival(curve.times).tolist(), **of_causes}


def _plain(name: str, value: Any) -> Any:
    """An option as JSON has it."""
    if name in ("reference", "teacher", "random_state"):
        is_kept = isinstance(value, (str, int, np.integer))
        value = value if is_kept else None
    value = plain_number(value)
    if name == "column_penalties" and value is not None:
        return {column: float(each) for column, each in value.items()}
    if isinstance(value, Mapping):
        return {"by_column": {column: _plain(name, each) for column, each in value.items()}}
    if isinstance(value, tuple) and value[:1] == ("width",):
        return {"width": int(value[1])}
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [str(each) if isinstance(each, str) else float(each) for each in value]
    return value


def _cuts(given: Any) -> Any:
    """Thresholds as the option has them."""
    if not isinstance(given, SpecialCuts):
        return given
    if given.by_column is None:
        return ("width", given.width)
    return {name: _cuts(each) for name, each in given.by_column.items()}


def _binarizer(model: OptimalSurvivalTree, given: ModelFile) -> Binarizer:
    names = tuple(column.name for column in given.columns)
    model.n_features_in_ = len(names)
    if given.are_columns_named:
        model.feature_names_in_ = np.array(names, dtype=object)
    binarizer = new_binarizer(model)
    asked = [question_of(*structs.astuple(q)) for q in given.questions or ()]
    binarizer.questions_ = Questions(names, None if given.questions is None else tuple(asked))
    binarizer._published_names = given.published_names
    binarizer.seen_ = tuple(
        Seen(
            column.kind,
            frozenset(column.levels),
            column.is_zero_one,
            column.has_missing,
            column.is_left_out,
        )
        for column in given.columns
    )
    return binarizer


def _record(question: Question) -> dict[str, Any]:
    """A question as the file has it."""
    kind, value = kind_and_value(question)
    also = {"or_missing": True} if getattr(question, "or_missing", False) else {}
    return {"column": question.column, "kind": kind, "value": value, **also}


def kind_and_value(question: Question) -> tuple[str, Any]:
    """What the file calls a question, and what it compares with."""
    if isinstance(question, IsOne):
        return "one", question.word
    if isinstance(question, InLevels):
        return next(kind for kind, end in ENDS.items() if end == question.end), question.levels
    if isinstance(question, IsMissing):
        return "missing", None
    assert isinstance(question, InRange)
    if question.is_one_value:
        return "equals", question.high
    if question.low == -math.inf:
        return "at_most", question.high
    return "between", (question.low, question.high)


def question_of(column: int, kind: str, value: Any = None, or_missing: bool = False) -> Question:
    """The question that ``kind_and_value`` makes these of."""
    question = _question_of(column, kind, value)
    if or_missing and isinstance(question, (InRange, InLevels)):
        return replace(question, or_missing=True)
    return question


def _question_of(column: int, kind: str, value: Any) -> Question:
    if kind == "one":
        return IsOne(column, word=value)
    if kind == "at_most":
        return InRange(column, high=value)
    if kind == "equals":
        return InRange(column, value, value)
    if kind == "between":
        return InRange(column, *value)
    if kind == "missing":
        return IsMissing(column)
    return InLevels(column, value, ENDS[kind])


def _certificate(given: ModelFile, binarizer: Binarizer) -> Certificate:
    numbers = structs.asdict(given.certificate)
    if isinstance(numbers["time_buckets"], list):
        numbers["time_buckets"] = tuple(numbers["time_buckets"])
    return Certificate(**numbers, tree=given.tree.tree(), binarizer=binarizer)
