"""Models as JSON files, and back: everything a fitted tree needs to predict and to be rechecked."""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from survtree._base.files import whole_file
from survtree._data.read_new_rows import Seen
from survtree._model.estimator import OptimalSurvivalTree
from survtree._model.fitted import Fitted, Roles
from survtree._model.prepare import new_binarizer
from survtree._model.read_model_file import FORMAT, MOST_BYTES, NOT_KEPT, VERSION, check_model_file
from survtree._proof.certificate import Certificate, Guess
from survtree._questions.binarizer import Binarizer
from survtree._questions.questions import Question, Questions
from survtree._scoring.curves import LeafCurve, LeafCurves
from survtree._search.progress import Snapshot

# Of a certificate, apart from what the file holds elsewhere.
ELSEWHERE = ("tree", "binarizer", "proof")


def export_json(model: Any, file: str | os.PathLike[str] | None = None) -> str:
    """A fitted model as JSON, with its curves and its certificate; ``load`` reads it.

    The text holds no row of the training data, but for each leaf how many rows had which time. The
    format has a version and a published schema, ``docs/reference/model-1.schema.json``. Of the
    options ``callback``, ``verbose``, ``warm_start``, and a reference that is no name, stay behind.

    Parameters
    ----------
    model : OptimalSurvivalTree or OptimalSurvivalTreeCV
        A fitted one. Of the latter the chosen tree is exported.
    file : path, optional
        Where the text is written, as a whole or not at all.

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
    check_is_fitted(model)
    tree = getattr(model, "best_estimator_", model)
    text = json.dumps(_as_dict(tree, model.roles_), allow_nan=False, indent=None)
    if file is not None:
        with whole_file(file) as stream:
            stream.write(text.encode("ascii"))
    return text


def load(file: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> OptimalSurvivalTree:
    """The fitted model that ``export_json`` or ``survtree fit`` wrote to a file.

    Its predictions are the same to the last bit. Nothing in the file is run, so a file from
    somebody else is safe to load; what it claims is only as good as its source, until
    ``certificate_.verify(X, y)`` has rechecked it. A file that is damaged, or larger than
    ``most_bytes``, is a ValueError.
    """
    given = check_model_file(Path(file), most_bytes)
    curves: dict[int, LeafCurve] = given["leaves"]
    model = OptimalSurvivalTree(**_options(given["options"]))
    roles = given["roles"]
    if roles is not None:
        roles = Roles(**{**roles, "event_values": tuple(roles["event_values"])})
    of_events = [curve.times[curve.events > 0] for curve in curves.values()]
    model._fitted = Fitted(
        certificate=_certificate(given, _binarizer(model, given)),
        leaf_curves=LeafCurves(lambda: curves),
        ibs_ratio=given["ibs_ratio"],
        unique_times=np.unique(np.concatenate([c.times for c in curves.values()])),
        event_times=np.unique(np.concatenate(of_events)),
        history=tuple(Snapshot(**each) for each in given["history"]),
        roles=roles,
    )
    return model


def _as_dict(model: OptimalSurvivalTree, roles: Roles | None) -> dict[str, Any]:
    binarizer, certificate = model.binarizer_, model.certificate_
    names = [field.name for field in fields(certificate) if field.name not in ELSEWHERE]
    given = binarizer.questions_.given
    proof = {name: getattr(certificate, name) for name in names}
    if certificate.guess is not None:
        proof["guess"] = asdict(certificate.guess)
    return {
        "format": FORMAT,
        "version": VERSION,
        "survtree": version("survtree"),
        "options": {n: _plain(n, v) for n, v in model.get_params().items() if n not in NOT_KEPT},
        "columns": [
            {
                "name": name,
                **seen._asdict(),
                "levels": sorted(seen.levels),
            }
            for name, seen in zip(binarizer.questions_.names, binarizer.seen_, strict=True)
        ],
        "are_columns_named": hasattr(model, "feature_names_in_"),
        "questions": None if given is None else [question._asdict() for question in given],
        "published_names": list(binarizer._published_names),
        "tree": {name: getattr(model.tree_, name).tolist() for name in ("question", "no", "yes")},
        "leaves": [_leaf(node, curve) for node, curve in model.leaf_curves_.items()],
        "certificate": proof,
        "ibs_ratio": float(model.ibs_ratio_),
        "exact_loss": float(model.exact_loss_),
        "history": [asdict(snapshot) for snapshot in model.history_],
        "roles": None if roles is None else roles._asdict(),
    }


def _leaf(node: int, curve: LeafCurve) -> dict[str, Any]:
    lists = {name: getattr(curve, name).tolist() for name in ("times", "events", "censored")}
    counts = {"node": node, "n_rows": curve.n_rows, "n_events": curve.n_events}
    return {**counts, **lists, "survival": curve.survival(curve.times).tolist()}


def _plain(name: str, value: Any) -> Any:
    """An option as JSON has it."""
    if name in ("reference", "random_state"):
        is_kept = isinstance(value, (str, int, np.integer))
        value = value if is_kept else None
    if isinstance(value, Mapping):
        return {"by_column": {column: _plain(name, each) for column, each in value.items()}}
    if isinstance(value, tuple) and value[:1] == ("width",):
        return {"width": int(value[1])}
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [float(each) for each in value]
    return value


def _options(given: dict[str, Any]) -> dict[str, Any]:
    thresholds = given["thresholds"]
    if isinstance(thresholds, dict) and "by_column" in thresholds:
        thresholds = {name: _cuts(each) for name, each in thresholds["by_column"].items()}
    else:
        thresholds = _cuts(thresholds)
    buckets = given["time_buckets"]
    lists = buckets.tolist() if isinstance(buckets, np.ndarray) else buckets
    return {**given, "thresholds": thresholds, "time_buckets": lists}


def _cuts(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return ("width", value["width"]) if isinstance(value, dict) else value


def _binarizer(model: OptimalSurvivalTree, given: dict[str, Any]) -> Binarizer:
    columns, asked = given["columns"], given["questions"]
    names = tuple(column["name"] for column in columns)
    model.n_features_in_ = len(names)
    if given["are_columns_named"]:
        model.feature_names_in_ = np.array(names, dtype=object)
    binarizer = new_binarizer(model)
    questions = None if asked is None else tuple(Question(**each) for each in asked)
    binarizer.questions_ = Questions(names, questions)
    binarizer._published_names = given["published_names"]
    binarizer.seen_ = tuple(
        Seen(
            column["kind"],
            frozenset(column["levels"]),
            column["is_zero_one"],
            column["has_missing"],
        )
        for column in columns
    )
    return binarizer


def _certificate(given: dict[str, Any], binarizer: Binarizer) -> Certificate:
    proof = dict(given["certificate"])
    if isinstance(proof["time_buckets"], np.ndarray):
        proof["time_buckets"] = tuple(proof["time_buckets"].tolist())
    if proof["guess"] is not None:
        proof["guess"] = Guess(**proof["guess"])
    return Certificate(**proof, tree=given["tree"], binarizer=binarizer)
