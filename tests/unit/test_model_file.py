"""A model comes back from its file as it was; a file that is no model is refused in words."""

import json
import pickle
import random
import warnings
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    SearchStoppedWarning,
    export_json,
    load,
    regularization_path,
)
from survtree._model.read_model_file import VERSION
from survtree.datasets import load as load_data
from tests.support import hostile, model_schema

N = 1_000
GRADES = ["low", "mid", "high"]


def mixed(n, rng, is_new=False):
    """A table with every kind of column; new rows have gaps and levels that no fit saw."""
    levels = ["I", "II", "III", *(["IV"] if is_new else [])]
    gaps = rng.random(n) < 0.1
    return pd.DataFrame(
        {
            "age": np.where(gaps, np.nan, rng.normal(60, 10, n).round(1)),
            "stage": rng.choice(levels, n),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], n), ["low", "mid", "high"], ordered=True
            ),
            "treated": rng.random(n) < 0.5,
            "site": np.where(rng.random(n) < 0.1, None, rng.choice(["a", "b"], n)),
            "dose": rng.integers(0, 2, n),
        }
    )


def outcome(n, rng):
    """Times with ties, a third of them censored."""
    return rng.random(n) < 0.7, np.ceil(rng.exponential(20, n))


def fitted(seed=0, n=300, weight=None, **options):
    """A tree of several leaves over all kinds of columns."""
    rng = np.random.default_rng(seed)
    X, y = mixed(n, rng), outcome(n, rng)
    options = {"max_depth": 3, "regularization": 0.0, "missing": "question", **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SearchStoppedWarning)
        return OptimalSurvivalTree(**options).fit(X, y, weight), X, y


def weights(n=300):
    return np.random.default_rng(1).random(n) + 0.1


MODELS = {
    "plain": lambda: fitted(),
    "weighted": lambda: fitted(weight=weights()),
    "buckets": lambda: fitted(time_buckets=7),
    "edges": lambda: fitted(time_buckets=[10.0, 30.0]),
    "stopped": lambda: fitted(node_limit=40, n_jobs=2),
    "few leaves": lambda: fitted(max_leaves=3),
    "guessed": lambda: fitted(reference=np.full(300, 1e-6)),
    "by width": lambda: fitted(thresholds={"age": ("width", 3)}),
    "by list": lambda: fitted(thresholds={"age": [50.5, 61.0], "dose": "all"}),
    "a column called width": lambda: fitted(thresholds=("width", 3)),
    "paper": lambda: fitted(encoding="paper", missing="drop", max_depth=2),
    "lone leaf": lambda: fitted(max_depth=0),
    "shrunken": lambda: fitted(weight=weights(), shrinkage=25.0),
    "shrunken by default": lambda: fitted(shrinkage="auto"),
}


def assert_same(model, same, X):
    """Everything a user may ask of a model, to the last bit."""
    assert np.array_equal(model.apply(X), same.apply(X))
    assert model.predict(X).tobytes() == same.predict(X).tobytes()
    assert model.predict_quantile(X, 0.3).tobytes() == same.predict_quantile(X, 0.3).tobytes()
    for name in ("predict_survival_function", "predict_cumulative_hazard_function"):
        mine, theirs = (getattr(m, name)(X, return_array=True) for m in (model, same))
        assert mine.tobytes() == theirs.tobytes()
    for name in ("objective_", "loss_", "lower_bound_", "gap_", "status_", "n_leaves_", "depth_"):
        assert getattr(model, name) == getattr(same, name)
    for name in ("ibs_ratio_", "exact_loss_", "history_", "roles_", "n_features_in_", "shrinkage_"):
        assert getattr(model, name) == getattr(same, name)
    assert model.one_leaf_reason_ == same.one_leaf_reason_
    assert same.certificate_.counts == model.certificate_.counts
    assert repr(same.certificate_) == repr(model.certificate_)
    assert np.array_equal(model.unique_times_, same.unique_times_)
    assert np.array_equal(model.event_times_, same.event_times_)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore:rows hold values that the fit did not see")
def test_a_model_comes_back_as_it_was(name, tmp_path):
    model, X, y = MODELS[name]()
    text = export_json(model, tmp_path / "model.json")
    assert (tmp_path / "model.json").read_text() == text
    same = load(tmp_path / "model.json")
    new = mixed(N, np.random.default_rng(9), is_new=True)
    if model.missing == "drop":
        new = new.dropna()
    assert_same(model, same, new)
    assert export_json(same) == text
    weight = weights() if name in ("weighted", "shrunken") else None
    assert same.certificate_.verify(X, y, weight)
    assert same.score(X, y) == model.score(X, y)
    jsonschema.validate(json.loads(text), model_schema.json_schema())


def test_options_come_back(tmp_path):
    model, X, y = fitted(
        thresholds={"age": ("width", 3), "dose": 4}, memory_limit="4GB", random_state=7, n_jobs=2
    )
    export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    assert same.get_params() == model.get_params()
    assert clone(same).fit(X, y).objective_ == model.objective_


NUMBERS = {
    "fractions": {
        "regularization": Fraction(1, 1000),
        "gap": Fraction(0),
        "shrinkage": Fraction(5, 2),
        "horizon": Fraction(30),
        "time_limit": Fraction(1000),
        "thresholds": {"age": [Fraction(101, 2)], "dose": 1},
        "column_penalties": {"age": Fraction(1, 2000)},
    },
    "numpy": {
        "regularization": np.longdouble(0.001),
        "max_depth": np.int8(2),
        "thresholds": {"age": np.array([50.5, 61.0], dtype=np.longdouble)},
    },
}


@pytest.mark.parametrize("options", NUMBERS.values(), ids=NUMBERS)
def test_numbers_of_any_type_are_written_as_those_of_json(tmp_path, options):
    model, X, _ = fitted(**options)
    text = export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    assert_same(model, same, X)
    assert json.loads(text)["options"]["regularization"] == float(options["regularization"])
    assert same.recipe_.is_complete
    assert export_json(same) == text


def test_a_column_may_be_called_width(tmp_path):
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame({"width": rng.normal(size=80)}), outcome(80, rng)
    for thresholds in ({"width": 3}, ("width", 3), {"width": ("width", 3)}):
        model = OptimalSurvivalTree(2, 0.0, thresholds=thresholds).fit(X, y)
        export_json(model, tmp_path / "model.json")
        assert load(tmp_path / "model.json").thresholds == thresholds


def test_a_table_without_names_and_one_of_0_and_1_come_back(tmp_path):
    rng = np.random.default_rng(0)
    for X in (rng.normal(size=(90, 3)), rng.integers(0, 2, (90, 3))):
        model = OptimalSurvivalTree(2, 0.0).fit(X, outcome(90, rng))
        export_json(model, tmp_path / "model.json")
        same = load(tmp_path / "model.json")
        assert_same(model, same, X)
        assert not hasattr(same, "feature_names_in_")
        assert same.questions_.given == model.questions_.given


@pytest.mark.slow
def test_tuned_models_and_those_of_a_path_come_back(tmp_path):
    X, y = load_data("veterans")
    tuned = OptimalSurvivalTreeCV(max_depths=(1, 2), cv=3, random_state=0).fit(X, y)
    for model in (tuned, *regularization_path(X, y, max_depth=2)):
        export_json(model, tmp_path / "model.json")
        assert_same(model, load(tmp_path / "model.json"), X)


def test_names_of_the_outcome_come_back(tmp_path):
    X, y = load_data("veterans")
    frame = X.to_pandas().assign(days=y["time"], died=y["event"])
    for each in (OptimalSurvivalTree(1), OptimalSurvivalTreeCV(max_depths=(1,), cv=2)):
        model = each.fit(frame, duration_col="days", event_col="died")
        export_json(model, tmp_path / "model.json")
        assert load(tmp_path / "model.json").roles_ == ("days", "died", (), None, ())


def test_any_name_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    n = 200
    X = pd.DataFrame({name: rng.normal(size=n) for name in hostile.NAMES})
    X["levels"] = rng.choice(list(hostile.LEVELS), n)
    model = OptimalSurvivalTree(4, 0.0).fit(X, outcome(n, rng))
    export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    assert_same(model, same, X)
    assert same.feature_names_in_.tolist() == [*hostile.NAMES, "levels"]


def test_what_needs_the_rows_says_so(tmp_path):
    model, _, _ = fitted()
    export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    with pytest.raises(ValueError, match="this model does not have them, as after loading"):
        same.optimal_trees()
    assert export_json(pickle.loads(pickle.dumps(same))) == export_json(model)


def test_the_published_schema_is_that_of_the_code():
    assert model_schema.PAGE.read_text() == model_schema.page()


def test_models_of_all_versions_can_be_read():
    folder = Path(__file__).parents[1] / "regress" / "models"
    X, y = load_data("veterans")
    found = sorted(folder.glob("model-*.json"))
    assert len(found) == VERSION
    for path in found:
        model = load(path)
        assert model.certificate_.verify(X, y)
        expected = json.loads((folder / path.name.replace("model", "predicted")).read_text())
        assert model.predict(X).tolist() == expected["risk"]
        assert model.predict_median(X).tolist() == expected["median"]


JUNK = (None, True, -1, 0, 3, 1e300, "text", "", [], [1], [[]], {}, {"a": 1}, 2**70, "\ud800")


def places(value, path=()):
    """The paths to all values, but of long lists only the first few."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = list(enumerate(value))[:4]
    for key, each in items:
        yield from places(each, (*path, key))


def changed(value, path, junk):
    """A copy with another value at the end of a path."""
    if not path:
        return junk
    out = dict(value) if isinstance(value, dict) else list(value)
    out[path[0]] = changed(value[path[0]], path[1:], junk)
    return out


def complaint(action):
    """What an action complains of, if it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            action()
    except ValueError as error:
        return str(error)


@pytest.mark.slow
def test_a_file_with_one_wrong_value_is_refused_or_works(tmp_path):
    model, X, _ = fitted(max_depth=2)
    whole = json.loads(export_json(model))
    rng, file, messages = random.Random(0), tmp_path / "model.json", []
    for path in places(whole):
        for junk in rng.sample(JUNK, 4):
            file.write_text(json.dumps(changed(whole, path, junk)))
            messages.append(complaint(lambda: load(file)))
            if messages[-1] is None:
                # Names or kinds of columns may not be those of X.
                told = complaint(lambda: load(file).predict_survival_function(X))
                assert told is None or "fit" in told
    refused = [message for message in messages if message is not None]
    assert len(refused) > 500
    for message in refused:
        assert message.startswith(f"{file} must be a model that survtree exported; ")
        assert message.isprintable()
        assert len(message) < 800


@pytest.mark.slow
def test_a_file_that_was_cut_short_is_refused(tmp_path):
    text = export_json(fitted(max_depth=2)[0])
    file = tmp_path / "model.json"
    for end in range(0, len(text) - 1, 97):
        file.write_text(text[:end])
        with pytest.raises(
            ValueError, match="must be a model that survtree exported; it must be JSON"
        ):
            load(file)


# Predictions are made of these; a name that is not known may change what the others mean.
EXACT = ("columns", "questions", "tree", "leaves")
NAMED_FREELY = [("certificate", "counts"), ("origin", "versions"), ("origin", "options")]
# Earlier files do not have these; where they are not there, a default stands for them.
ADDED = [
    *(("shrinkage",), ("options", "shrinkage"), ("options", "min_events_leaf")),
    ("options", "loss"),
    *(("options", "horizon"), ("certificate", "min_events_leaf"), ("certificate", "horizon")),
    *(("certificate", "loss_kind"), ("certificate", "teacher"), ("certificate", "teacher_seed")),
    *(("certificate", "rows_fingerprint"), ("options", "teacher"), ("options", "levels")),
    *(("certificate", "teacher_rows"), ("one_leaf_reason",)),
    *(("options", "categorical"), ("options", "exclude"), ("warnings",)),
    ("certificate", "n_candidates"),
    *(("certificate", "n_splits"), ("certificate", "choice")),
    *(("options", "column_penalties"), ("options", "first_split")),
    *(("certificate", "column_penalties"), ("certificate", "first_split")),
    ("origin", "is_grouped"),
    *(("certificate", "n_tried"), ("certificate", "every_cut_bound")),
    *(("options", "time_unit"), ("options", "device"), ("group_names",)),
    ("origin",),
    *(("history", 0, "first_splits_done"), ("history", 0, "first_splits")),
    ("history", 0, "pruned_by_floor"),
]


def objects(value, path=()):
    """The paths to all objects with fixed names, but of each list only to the first."""
    for found in places(value):
        here = value
        for key in found:
            here = here[key]
        is_first = all(key == 0 for key in found if isinstance(key, int))
        if isinstance(here, dict) and is_first and found not in NAMED_FREELY:
            yield found, here


def test_every_part_of_a_file_is_needed_unless_it_was_added_later(tmp_path):
    whole, file = json.loads(export_json(fitted(max_depth=1)[0])), tmp_path / "model.json"
    for path, here in objects(whole):
        for name in here:
            less = {key: each for key, each in here.items() if key != name}
            file.write_text(json.dumps(changed(whole, path, less)))
            if (*path, name) in ADDED:
                found = json.loads(export_json(load(file)))
                if path == ("options",) and name in ("horizon", "teacher"):
                    assert found["options"].pop(name) is None  # what they were before
                    found["options"][name] = here[name]
                if name == "n_splits":
                    assert found["certificate"].pop(name) is None  # nobody counted
                    found["certificate"][name] = here[name]
                if path == () and name == "origin":
                    assert found.pop(name) is None  # how it was made is not known
                    found[name] = here[name]
                assert found == whole
                continue
            with pytest.raises(ValueError, match=f'{name} is missing|has no "{name}"'):
                load(file)


def test_a_file_without_a_shrinkage_has_none(tmp_path):
    model, X, _ = fitted()
    whole, file = json.loads(export_json(model)), tmp_path / "model.json"
    for *path, name in ADDED:
        if name == "n_splits":  # without it nobody knows whether every cut was searched
            continue
        here = whole
        for key in path:
            here = here[key]
        del here[name]
    file.write_text(json.dumps(whole))
    same = load(file)
    assert same.shrinkage_ == 0
    assert_same(model, same, X)


def test_a_file_keeps_why_there_is_one_leaf(tmp_path):
    rng, file = np.random.default_rng(3), tmp_path / "model.json"
    X = pd.DataFrame({"a\nlong name\u00a0" + "x" * 100: rng.normal(size=60)})
    model = OptimalSurvivalTree(regularization=0.2).fit(X, outcome(60, rng))
    whole = json.loads(export_json(model, file))
    assert load(file).one_leaf_reason_ == model.one_leaf_reason_
    assert "the best split, 'a\\nlong name\\xa0x" in model.one_leaf_reason_
    file.write_text(json.dumps({**whole, "one_leaf_reason": "\x1b[31m"}))
    with pytest.raises(ValueError, match="one_leaf_reason must be one line"):
        load(file)


def test_a_file_with_splits_has_no_reason_for_one_leaf(tmp_path):
    whole, file = json.loads(export_json(fitted(max_depth=1)[0])), tmp_path / "model.json"
    file.write_text(json.dumps({**whole, "one_leaf_reason": "One leaf."}))
    with pytest.raises(ValueError, match="empty if there is a split"):
        load(file)


def test_parts_that_a_later_version_may_add_do_no_harm(tmp_path):
    text, file = export_json(fitted(max_depth=1)[0]), tmp_path / "model.json"
    whole = json.loads(text)
    for path, here in [*objects(whole), (NAMED_FREELY[0], whole["certificate"]["counts"])]:
        file.write_text(json.dumps(changed(whole, path, {**here, "more": 1})))
        if path[:1] and path[0] in EXACT:
            with pytest.raises(ValueError, match="has a part 'more' that is not known"):
                load(file)
        elif path in NAMED_FREELY:
            assert load(file).certificate_.counts["more"] == 1
        else:
            assert export_json(load(file)) == text


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("tree", "question", 1), "x", "tree.question[1] must be a whole number; got 'x'. Exp"),
        (("tree", "no", 0), -2, "tree.no[0] must be a whole number >= -1; got -2. Export"),
        (("leaves", 0, "times", 0), None, "leaves[0].times[0] must be a number; got None. "),
        (
            ("columns", 1, "kind"),
            "date",
            "columns[1].kind must be one of 'number', 'flag', 'level'",
        ),
        (
            ("certificate", "status"),
            "best",
            "certificate.status must be one of 'optimal', 'near_opt",
        ),
        (("certificate", "counts", "n"), -1, "certificate.counts[...] must be a whole number >= 0"),
        (("certificate", "\ud800"), 1, r"names and choices in it must be Unicode; got '\ud800'. "),
        (("columns", 0, "kind"), "\ud800", r"names and choices in it must be Unicode; got '\ud80"),
        (("history", 0, "cache_hits"), -1, "history[0] must have no negative seconds or counts"),
        (("history", 0, "seconds"), -0.5, "history[0] must have no negative seconds or counts"),
        (("roles",), 3, "roles must be an object or null; got 3. "),
        (("certificate", "time_buckets"), 0, "certificate.time_buckets must be "),
        (
            ("certificate", "time_buckets"),
            [2.0, 1.0],
            "certificate: time_buckets must be an integer >= 1, a list of ascending times",
        ),
        (("certificate", "time_buckets"), [], "certificate: time_buckets must be an integer >= 1"),
        (("columns", 0, "name"), "a\ud800", "columns[0]: name and levels must have no half"),
        (("columns", 0, "levels"), ["\ud800"], "columns[0]: name and levels must have no half"),
        (
            ("questions", 0, "value"),
            "x",
            "questions[0]: value of a question of kind 'at_most' must",
        ),
        (("options", "gap"), 2.0, "options: gap must be a finite number >= 0 and < 1; got 2.0. Ex"),
        (("options", "thresholds"), {}, "options.thresholds: it must have width or by_column; "),
        (
            ("options", "thresholds"),
            {"by_column": {"age": {"width": 0}}},
            "options.thresholds.by_column[...].width must be a whole number >= 1",
        ),
    ],
)
def test_a_complaint_names_the_place_what_is_needed_and_what_came(tmp_path, path, value, said):
    whole, file = json.loads(export_json(fitted(max_depth=1)[0])), tmp_path / "model.json"
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    file.write_text(json.dumps(whole))
    told = complaint(lambda: load(file))
    assert told.startswith(f"{file} must be a model that survtree exported; {said}")
    assert told.endswith(". Export the model again, or ask for the file again.")


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", "-1e999", "1" + "0" * 309])
def test_numbers_that_are_not_finite_are_refused(tmp_path, text):
    file = tmp_path / "model.json"
    whole = export_json(fitted(max_depth=1)[0])
    file.write_text(whole.replace('"ibs_ratio": ', f'"ibs_ratio": {text}, "was": '))
    with pytest.raises(ValueError, match=f"it must be JSON; '{text[:9]}.*' is not a finite number"):
        load(file)


def test_an_option_too_large_for_other_readers_of_json_comes_back(tmp_path):
    model, _, _ = fitted(min_samples_leaf=10**30, memory_limit=10**30)
    export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    assert same.get_params() == model.get_params()
    assert same.certificate_.min_samples_leaf == 10**30


def test_no_partial_file_is_left(tmp_path, monkeypatch):
    model, _, _ = fitted(max_depth=1)
    (tmp_path / "model.json").write_text("old")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left")))
    with pytest.raises(OSError, match="No space left"):
        export_json(model, tmp_path / "model.json")
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]
    assert (tmp_path / "model.json").read_text() == "old"
