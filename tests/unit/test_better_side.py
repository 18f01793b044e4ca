"""missing="better": each split is also tried with missing values on its yes side."""

import sqlite3

import numpy as np
import pandas as pd
import pytest

from survtree import (
    Binarizer,
    OptimalSurvivalTree,
    check_proof,
    export_json,
    export_python,
    export_sql,
    leaf_table,
    load,
)
from survtree.datasets import load as load_data

X, y = load_data("veterans", backend="pandas")
# The frailest were not scored, and of the treated it was not noted.
GAPS = X.assign(
    Karnofsky_score=X["Karnofsky_score"].where(X["Karnofsky_score"] > 30),
    Celltype=X["Celltype"].where(np.arange(len(X)) % 4 > 0, None),
)


@pytest.fixture(scope="module")
def model():
    options = {"missing": "better", "certificate": "full"}
    return OptimalSurvivalTree(3, 0.001, **options).fit(GAPS, y)


def asked(**columns):
    return list(Binarizer(missing="better").fit(pd.DataFrame(columns)).questions_)


def test_every_form_of_question_is_asked_with_missing_values_among_the_yeses():
    assert asked(age=[40, 60, None]) == ["age <= 50", "age is missing", "age <= 50 or missing"]
    assert asked(arm=[0, 1, None]) == ["arm = 1", "arm is missing", "arm = 1 or missing"]
    assert asked(flag=[False, True, None])[-1] == "flag is True or missing"
    ordered = pd.Categorical(["I", "II", "III", None], ["I", "II", "III"], ordered=True)
    assert asked(stage=ordered)[-2:] == ["stage is I or missing", "stage is III or missing"]
    three = asked(cell=["a", "b", "c", None])
    assert three[-3:] == [f"cell is {level} or missing" for level in "abc"]


def test_no_to_the_other_of_two_levels_says_it_already():
    assert asked(sex=["f", "m", None]) == ["sex is f", "sex is m", "sex is missing"]
    assert asked(age=[40, 60, 70]) == ["age <= 50", "age <= 65"]


def test_missing_values_go_where_the_loss_is_lower(model):
    plain = OptimalSurvivalTree(3, 0.001, missing="question").fit(GAPS, y)
    assert model.objective_ < plain.objective_
    splits = [model.questions_.text(j) for j in model.tree_.question if j >= 0]
    assert any(text.endswith(" or missing") for text in splits)
    # No imputation by one side for all splits of the table is better.
    for low, high in ((0.0, "squamous"), (200.0, "large")):
        filled = GAPS.fillna({"Karnofsky_score": low, "Celltype": high})
        # Missing rows on one side of every cut are a part of what was searched.
        other = OptimalSurvivalTree(1, 0.001, thresholds=[45]).fit(filled[["Karnofsky_score"]], y)
        one = OptimalSurvivalTree(1, 0.001, thresholds=[45], missing="better")
        one.fit(GAPS[["Karnofsky_score"]], y)
        assert one.objective_ <= other.objective_ + 1e-12


def test_the_proof_holds(model, tmp_path):
    assert model.status_ == "optimal"
    assert model.certificate_.verify(GAPS, y)
    model.certificate_.write_proof(tmp_path / "proof")
    assert check_proof(tmp_path / "proof")


def test_files_and_code_lead_to_the_same_leaves(model, tmp_path):
    leaves = model.apply(GAPS).tolist()
    export_json(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert list(loaded.questions_) == list(model.questions_)
    assert loaded.apply(GAPS).tolist() == leaves
    module = {}
    exec(export_python(model), module)
    rows = GAPS.astype(object).where(GAPS.notna(), None).to_dict("records")
    assert [module["predict_leaf"](row) for row in rows] == leaves
    with sqlite3.connect(":memory:") as database:
        GAPS.assign(place=range(len(GAPS))).to_sql("rows", database)
        query = f"SELECT {export_sql(model, dialect='sqlite')} FROM rows ORDER BY place"
        assert [leaf for (leaf,) in database.execute(query)] == leaves


def test_conditions_of_leaves_say_where_missing_values_are(model):
    table, leaves = leaf_table(model, backend="polars"), model.apply(GAPS)
    for leaf, where, n in table.select("leaf", "where", "rows").iter_rows():
        here = GAPS[leaves == leaf]
        assert n == len(here)
        says = "Karnofsky_score is missing" in where
        assert says == bool(here["Karnofsky_score"].isna().any() and "Karnofsky" in where)


def test_a_question_whether_it_is_missing_cannot_be_one_or_missing(model, tmp_path):
    text = export_json(model)
    assert '"or_missing": true' in text
    asks = '"kind": "missing", "value": null'
    wrong = text.replace(asks, f'{asks}, "or_missing": true', 1)
    (tmp_path / "wrong.json").write_text(wrong)
    with pytest.raises(ValueError, match="or_missing must be false"):
        load(tmp_path / "wrong.json")
