"""The frame that a fit took is taken by all that comes later, and tables come back in its kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import survtree
from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    leaf_table,
    metrics,
    plot_calibration,
    regularization_path,
)
from survtree.datasets import load

X, Y = load("veterans")
FRAME = X.with_columns(days=Y["time"].copy(), died=Y["event"].astype("int8"))
NAMES = {"duration_col": "days", "event_col": "died"}
SMALL = {"max_depth": 2, "regularization": 0.001}
KINDS = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "pyarrow": pa.Table}


def frame_in(library):
    if library == "pandas":
        return FRAME.to_pandas().set_index(pd.Index([f"row {k}" for k in range(len(FRAME))]))
    return FRAME if library == "polars" else FRAME.to_arrow()


@pytest.fixture(scope="module", params=sorted(KINDS))
def library(request):
    return request.param


@pytest.fixture(scope="module")
def frame(library):
    return frame_in(library)


@pytest.fixture(scope="module")
def model(frame):
    return OptimalSurvivalTree(**SMALL).fit(frame, **NAMES)


@pytest.fixture(scope="module")
def expected():
    return OptimalSurvivalTree(**SMALL).fit(X, Y)


def test_rows_are_predicted_from_the_frame_of_the_fit(model, frame, expected):
    for method in ("apply", "predict", "predict_median"):
        found = getattr(model, method)(frame)
        assert found.tolist() == getattr(expected, method)(X).tolist()
    curves = model.predict_survival_function(frame, times=[90], return_array=True)
    assert curves.shape == (len(X), 1)
    assert model.decision_path(frame).shape[0] == len(X)


def test_a_frame_needs_no_outcome_to_be_predicted(model, expected):
    assert model.predict(
        X if model._state.frame_library == "polars" else X.to_pandas()
    ).tolist() == (expected.predict(X).tolist())


def test_scores_and_rechecks_take_the_outcome_from_the_frame(model, frame, expected):
    assert model.score(frame) == expected.score(X, Y)
    assert model.certificate_.verify(frame)
    assert model.score(frame, Y) == expected.score(X, Y)


def test_metrics_take_the_frame_as_the_outcome(model, frame, expected):
    right = metrics.ibs_ratio(Y, expected, X=X, train=Y)
    assert metrics.ibs_ratio(frame, model, train=frame) == right
    assert metrics.ibs_ratio_scorer(model, frame) == right
    assert metrics.uno_c(frame, model, train=frame) == metrics.uno_c(Y, expected, X=X, train=Y)


def test_calibration_takes_the_frame(model, frame):
    drawn = plot_calibration(model, frame, time=90)
    assert drawn.axes.get_xlabel() == "Predicted survival at 90"


def test_reports_take_the_frame(model, frame, tmp_path):
    model.report(tmp_path / "page.html", frame, cv=None)
    assert "Karnofsky_score" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_bootstrap_of_a_fitted_model_takes_its_frame(model, frame, library):
    found = bootstrap(model, frame, n_bootstraps=2, random_state=0)
    again = bootstrap(model, frame, n_bootstraps=2, random_state=0, **NAMES)
    assert str(found) == str(again)
    for table in (found.questions, found.columns, found.samples, found.table()):
        assert isinstance(table, KINDS[library])
    assert found.model.score(frame) == model.score(frame)


def test_tables_of_results_are_of_the_kind_of_the_frame(model, frame, library):
    assert isinstance(leaf_table(model), KINDS[library])
    assert isinstance(leaf_table(model, backend="pyarrow"), pa.Table)
    path = regularization_path(frame, **NAMES, max_depth=1)
    assert isinstance(path.table(), KINDS[library])


def test_predictions_as_a_table_are_of_the_kind_of_the_rows(model, frame, library, expected):
    table = model.predict_table(frame, times=[90])
    assert isinstance(table, KINDS[library])
    as_polars = pl.DataFrame(
        {name: table[name].to_numpy() for name in ("leaf", "risk", "median", "survival_90")}
    )
    assert as_polars["leaf"].to_list() == expected.apply(X).tolist()
    assert as_polars["risk"].to_list() == expected.predict(X).tolist()
    assert as_polars["median"].to_list() == expected.predict_median(X).tolist()
    curves = expected.predict_survival_function(X, times=[90], return_array=True)
    assert as_polars["survival_90"].to_list() == curves[:, 0].tolist()


def test_predictions_of_a_pandas_frame_keep_its_index():
    frame = frame_in("pandas").iloc[5:9]
    model = OptimalSurvivalTree(**SMALL).fit(frame_in("pandas"), **NAMES)
    assert model.predict_table(frame).index.tolist() == frame.index.tolist()


def test_predictions_of_an_array_are_a_polars_table():
    rows = X.select("Karnofsky_score", "Age_in_years").to_numpy()
    model = OptimalSurvivalTree(**SMALL).fit(rows, Y)
    assert isinstance(model.predict_table(rows.tolist()), pl.DataFrame)


def test_trees_of_paths_and_searches_know_the_columns_of_the_outcome():
    options = {"max_depths": (1,), "min_regularization": 0.001, "cv": 2}
    tuned = OptimalSurvivalTreeCV(**options).fit(FRAME, **NAMES)
    assert tuned.score(FRAME) == tuned.best_estimator_.score(FRAME)
    nested = OptimalSurvivalTreeCV(**options).nested_score(FRAME, cv=2, **NAMES)
    assert tuned.nested_score(FRAME, cv=2).mean == nested.mean
    path = regularization_path(FRAME, **NAMES, max_depth=1)
    assert path[-1].score(FRAME) == path.at(path[-1].regularization).score(FRAME)


def test_columns_of_the_outcome_outlive_a_file(tmp_path):
    model = OptimalSurvivalTree(**SMALL).fit(FRAME, **NAMES)
    survtree.export_json(model, tmp_path / "model.json")
    loaded = survtree.load(tmp_path / "model.json")
    assert loaded.score(FRAME) == model.score(FRAME)
    assert loaded.certificate_.verify(FRAME)


def test_values_and_weights_of_a_command_count_in_python(tmp_path):
    from typer.testing import CliRunner

    from survtree._cli import app

    words = pl.Series(["dead" if died else "alive" for died in Y["event"]])
    table = X.with_columns(days=Y["time"].copy(), status=words, w=pl.int_range(len(X)) % 3 + 1)
    table.write_csv(tmp_path / "table.csv")
    options = ["--time", "days", "--event", "status", "--event-value", "dead", "--weights", "w"]
    options += ["--regularization", "0.01", "--depth", "2"]
    command = ["fit", str(tmp_path / "table.csv"), "-o", str(tmp_path / "m.json"), *options]
    assert CliRunner().invoke(app, command).exit_code == 0
    model = survtree.load(tmp_path / "m.json")
    assert model.certificate_.verify(table)
    assert model.certificate_.verify(table.to_pandas())
    rows, once = table.drop("w"), np.ones(len(table))
    with pytest.raises(ValueError, match=r"the frame has no 'w'. Pass y"):
        model.certificate_.verify(rows)
    assert model.certificate_.verify(rows, sample_weight=table["w"].to_numpy())
    assert model.score(rows) == model.score(table, sample_weight=once)
    assert model.score(rows.lazy()) == pytest.approx(model.score(rows))
    assert model.score(table.lazy()) == pytest.approx(model.score(table))
    right = metrics.ibs_ratio(table, model, sample_weight=once)
    assert metrics.ibs_ratio(rows, model) == right != metrics.ibs_ratio(table, model)
    model.report(tmp_path / "page.html", rows, cv=None)


def test_a_frame_without_the_outcome_cannot_be_scored():
    model = OptimalSurvivalTree(**SMALL).fit(FRAME, **NAMES)
    with pytest.raises(ValueError, match=r"'days', 'died'; the frame has no 'died'. Pass y"):
        model.score(FRAME.drop("died"))


EXPORTS = {
    name: getattr(survtree, name)
    for name in ("export_text", "export_dot", "export_latex", "export_sql", "export_python")
}


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_exports_show_the_tree_of_a_search(export):
    search = GridSearchCV(OptimalSurvivalTree(**SMALL), {"max_depth": [1, 2]}, cv=2).fit(X, Y)
    assert export(search) == export(search.best_estimator_)


@pytest.mark.parametrize("export", EXPORTS.values(), ids=EXPORTS)
def test_exports_show_the_tree_of_a_pipeline_with_the_names_it_gives(export):
    numbers = X.select("Karnofsky_score", "Age_in_years")
    pipeline = make_pipeline(StandardScaler(), OptimalSurvivalTree(**SMALL)).fit(numbers, Y)
    text = export(GridSearchCV(pipeline, {}, cv=2).fit(numbers, Y))
    assert text == export(pipeline)
    assert "Karnofsky" in text
    assert "x0" not in text


def test_columns_without_names_keep_their_numbers():
    numbers = X.select("Karnofsky_score", "Age_in_years").to_numpy()
    pipeline = make_pipeline(FunctionTransformer(), OptimalSurvivalTree(**SMALL)).fit(numbers, Y)
    assert survtree.export_text(pipeline) == survtree.export_text(pipeline[-1])


def test_files_tables_and_pictures_take_searches_and_pipelines(tmp_path):
    numbers = X.select("Karnofsky_score", "Age_in_years")
    pipeline = make_pipeline(StandardScaler(), OptimalSurvivalTree(**SMALL)).fit(numbers, Y)
    search = GridSearchCV(pipeline, {}, cv=2).fit(numbers, Y)
    assert survtree.export_json(search) == survtree.export_json(search.best_estimator_[-1])
    assert "Karnofsky_score" in leaf_table(search)["where"][0]
    for draw in (survtree.plot_tree, survtree.plot_curves, survtree.plot_gap):
        assert draw(search).axes is not None
    assert plot_calibration(search, numbers, Y, time=90).axes is not None
    expected = metrics.harrell_c(Y, pipeline[-1], X=pipeline[:-1].transform(numbers))
    assert metrics.harrell_c(Y, search, X=numbers) == expected


def test_a_path_is_not_one_tree():
    with pytest.raises(TypeError, match="Pass one of its trees"):
        survtree.export_text(regularization_path(X, Y, max_depth=1))
