"""What ``verify`` notices in a model whose file was changed, and what it says of it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from survtree import OptimalSurvivalTree, export_json, load
from survtree.datasets import load as load_data
from tests.support.runner import survtree


def study():
    """Numbers, levels and missing values, with weights."""
    X, y = load_data("veterans")
    frame = X.to_pandas()
    frame.loc[3, "age"] = np.nan
    return frame, y, np.random.default_rng(0).integers(1, 4, len(frame)).astype(float)


FITS = {
    "Brier": {"regularization": 0.002, "max_depth": 2},
    "shrunken": {"regularization": 0.002, "max_depth": 3, "shrinkage": 20.0},
    "teacher": {"teacher": "cox", "max_depth": 2, "min_samples_leaf": 15},
    "rounded": {"regularization": 0.002, "max_depth": 2, "time_buckets": 10, "horizon": 300.0},
}


@pytest.fixture(scope="module", params=list(FITS))
def text(request):
    X, y, weight = study()
    return export_json(
        OptimalSurvivalTree(missing="question", **FITS[request.param]).fit(X, y, weight)
    )


def verified(given, folder):
    """What ``verify`` finds of a model file with these parts."""
    (folder / "model.json").write_text(json.dumps(given))
    return load(folder / "model.json").certificate_.verify(*study())


def failed(given, folder):
    """The claims that do not hold, with what was found."""
    found = verified(given, folder)
    return {claim: found.details[claim] for claim, holds in found.checks.items() if not holds}


def exchange(leaves, *names):
    """Let the first two leaves have each other's facts."""
    for name in names:
        leaves[0][name], leaves[1][name] = leaves[1][name], leaves[0][name]


ALL_FACTS = ("n_rows", "n_events", "times", "events", "censored", "survival")


def test_a_model_as_it_was_holds(text, tmp_path):
    found = verified(json.loads(text), tmp_path)
    assert found
    assert {"curves", "IBS ratio", "columns", "shrinkage"} <= set(found.checks)


def test_exchanged_leaf_curves_are_noticed_and_named(text, tmp_path):
    given = json.loads(text)
    exchange(given["leaves"], *ALL_FACTS)
    first, second = (leaf["node"] for leaf in given["leaves"][:2])
    told = failed(given, tmp_path)
    assert list(told) == ["curves"]
    assert told["curves"] == (
        f"leaf {first} has the curve of leaf {second}; leaf {second} has the curve of leaf {first}"
    )


def test_children_that_change_places_are_noticed_by_their_curves(text, tmp_path):
    given = json.loads(text)
    tree = given["tree"]
    node = next(k for k, no in enumerate(tree["no"]) if no >= 0 and tree["no"][no] < 0)
    tree["no"][node], tree["yes"][node] = tree["yes"][node], tree["no"][node]
    assert "curves" in failed(given, tmp_path)


def more_rows(leaf):
    leaf["n_rows"] += 1


def later(leaf):
    leaf["times"][-1] += 0.5


@pytest.mark.parametrize("change", [more_rows, later])
def test_changed_counts_and_times_of_a_leaf_are_noticed(text, change, tmp_path):
    given = json.loads(text)
    change(given["leaves"][-1])
    told = failed(given, tmp_path)
    assert list(told) == ["curves"]
    assert told["curves"].startswith(f"leaf {given['leaves'][-1]['node']} ")


def test_an_event_that_moves_to_another_leaf_is_noticed(tmp_path):
    X, y = load_data("veterans")
    model = OptimalSurvivalTree(2, 0.002).fit(X, y)
    curves = model.leaf_curves_
    first = next(iter(curves))
    curve = curves[first]
    other = replace(curve, events=curve.events * 2.0, censored=curve.censored * 2.0)
    curves[first] = other  # the same survival curve, of twice the weight
    found = model.certificate_.verify(X, y)
    assert found.details["curves"] == f"leaf {first} has other times or weights than its rows"


CHANGES = {
    "ibs_ratio": "IBS ratio",
    "shrinkage": "shrinkage",
    "horizon": "data",
    "exact_loss": "exact loss",
    "levels": "columns",
    "has_missing": "columns",
    "loss": "loss",
}


def changed(given, name):
    """The file with another number in one place, and all that follows from it; None: no place."""
    certificate = given["certificate"]
    if name in ("ibs_ratio", "shrinkage"):
        given[name] = 0.5 * given[name] + (0.01 if name == "ibs_ratio" else 1.0)
    elif name == "horizon":
        certificate["horizon"] = 150.0
    elif name == "exact_loss":
        if certificate["exact_loss"] is None:
            return None
        certificate["exact_loss"] = given["exact_loss"] = 0.9 * given["exact_loss"]
    elif name == "levels":
        column = next(c for c in given["columns"] if c["kind"] == "level")
        column["levels"].append("another")
    elif name == "has_missing":
        column = next(c for c in given["columns"] if c["name"] == "age")
        column["has_missing"] = False
    else:
        more = 0.1 * certificate["loss"]
        for each in ("loss", "objective", "lower_bound"):
            certificate[each] += more
        if certificate["exact_loss"] is None:
            given["exact_loss"] = certificate["loss"]
    return given


@pytest.mark.parametrize("name", CHANGES)
def test_other_numbers_of_a_file_are_noticed(text, name, tmp_path):
    given = changed(json.loads(text), name)
    if given is None:
        pytest.skip("this model has no such number")
    assert CHANGES[name] in failed(given, tmp_path)


def test_the_loss_on_exact_times_is_stated_once(text, tmp_path):
    given = {**json.loads(text), "exact_loss": 0.123}
    (tmp_path / "model.json").write_text(json.dumps(given))
    with pytest.raises(ValueError, match="exact_loss must be"):
        load(tmp_path / "model.json")


def test_rows_in_another_kind_of_frame_are_the_same_rows(text, tmp_path):
    (tmp_path / "model.json").write_text(text)
    X, y, weight = study()
    other = X.convert_dtypes().astype({"Celltype": pd.CategoricalDtype()})
    assert load(tmp_path / "model.json").certificate_.verify(other, y, weight)


def test_levels_that_the_words_of_a_split_leave_out_are_noticed(tmp_path):
    rng = np.random.default_rng(1)
    levels = [f"grade {k}" for k in range(12)]
    place = rng.integers(0, 12, 200)
    place[place == 2] = 3  # no row has it, so that no answer depends on it
    grade = pd.Categorical.from_codes(place, levels, ordered=True)
    X, y = pd.DataFrame({"grade": grade}), (np.ones(200, dtype=bool), rng.exponential(1.0 + place))
    text = export_json(OptimalSurvivalTree(2, 0.0).fit(X, y))
    given = json.loads(text)
    asked = next(q for q in given["questions"] if len(q["value"]) > 4 and q["kind"] == "up_to")
    asked["value"].remove("grade 2")
    for each, claims in ((json.loads(text), []), (given, ["columns"])):
        (tmp_path / "model.json").write_text(json.dumps(each))
        found = load(tmp_path / "model.json").certificate_.verify(X, y)
        assert [claim for claim, holds in found.checks.items() if not holds] == claims


def test_the_command_line_names_the_leaf_and_fails(tmp_path):
    X, y = load_data("veterans")
    frame = X.to_pandas().assign(time=y["time"], event=y["event"].astype(int))
    frame.to_csv(tmp_path / "data.csv", index=False)
    options = ("--depth", "2", "--regularization", "0.002", "-o", tmp_path / "model.json")
    assert survtree("fit", tmp_path / "data.csv", *options).exit_code == 0
    right = survtree("verify", tmp_path / "model.json", tmp_path / "data.csv")
    assert right.exit_code == 0
    given = json.loads((tmp_path / "model.json").read_text())
    exchange(given["leaves"], *ALL_FACTS)
    (tmp_path / "model.json").write_text(json.dumps(given))
    run = survtree("verify", tmp_path / "model.json", tmp_path / "data.csv")
    assert run.exit_code == 1
    leaves = [leaf["node"] for leaf in given["leaves"][:2]]
    assert f"FAIL curves: leaf {leaves[0]} has the curve of leaf {leaves[1]}" in run.stdout
