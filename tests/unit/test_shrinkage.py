"""All that a model predicts or shows comes from the shrunken curves, and says so."""

import io
import pickle
import sqlite3

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    export_dot,
    export_json,
    export_latex,
    export_python,
    export_sql,
    export_text,
    leaf_table,
    load,
    metrics,
    plot_curves,
    plot_tree,
    regularization_path,
)
from survtree._model.cross_validation import SCORE_OF
from survtree._model.defaults import SHRINKAGE_ROWS
from survtree._model.fitted import functions_of
from survtree._model.prepare import Cohort
from survtree._show.report_facts import report_facts
from survtree._show.report_page import notebook_html
from survtree.datasets import load as load_data
from tests.support.runner import done, refused
from tests.support.slow_shrinkage import kaplan_meier, nelson_aalen, quantile, shrunken

SHRINKAGE = 40.0
NOTE = (
    "Predicted numbers and risk: by shrunken curves (shrinkage 40). Kaplan-Meier: of the group's "
    "own rows."
)


@pytest.fixture(scope="module")
def study():
    X, y = load_data("veterans", backend="pandas")
    return X, (y["event"], y["time"])


@pytest.fixture(scope="module")
def plain(study):
    return OptimalSurvivalTree(3, 0.001).fit(*study)


@pytest.fixture(scope="module")
def model(study):
    return OptimalSurvivalTree(3, 0.001, shrinkage=SHRINKAGE).fit(*study)


def paths_of(model, X, y):
    """The rows of each node on the path to each leaf."""
    visits = model.decision_path(X).toarray().astype(bool)
    rows = [(float(t), bool(e), 1.0) for e, t in zip(*y, strict=True)]
    nodes = {
        node: [row for row, here in zip(rows, visits[:, node], strict=True) if here]
        for node in range(model.tree_.n_nodes)
    }
    above = model.tree_.ancestors()
    return {
        leaf: [nodes[node] for node in np.flatnonzero(above[leaf])]
        for leaf in model.tree_.leaves.tolist()
    }


def test_predictions_are_those_of_the_definition(model, study):
    X, y = study
    times = [0.5, 10, 90, 400, 2000]
    paths, leaves = paths_of(model, X, y), model.apply(X).tolist()
    survival = model.predict_survival_function(X, times, return_array=True)
    hazard = model.predict_cumulative_hazard_function(X, times, return_array=True)
    risk, median = model.predict(X), model.predict_median(X)
    quarter = model.predict_quantile(X, 0.25)
    assert model.n_leaves_ > 4
    for leaf, path in paths.items():
        row = leaves.index(leaf)
        for kind, found in ((kaplan_meier, survival), (nelson_aalen, hazard)):
            wanted = [shrunken(kind, path, SHRINKAGE, t) for t in times]
            assert found[row] == pytest.approx(wanted, abs=1e-12)
        summed = sum(shrunken(nelson_aalen, path, SHRINKAGE, t) for t in model.event_times_)
        assert risk[row] == pytest.approx(summed)
        assert median[row] == quantile(path, SHRINKAGE, model.event_times_, 0.5)
        assert quarter[row] == quantile(path, SHRINKAGE, model.event_times_, 0.25)


def test_a_shrinkage_of_zero_predicts_the_same_bits_as_none(plain, study):
    X, _ = study
    zero = OptimalSurvivalTree(3, 0.001, shrinkage=0).fit(*study)
    assert zero.predict(X).tobytes() == plain.predict(X).tobytes()
    for name in ("predict_survival_function", "predict_cumulative_hazard_function"):
        mine, theirs = (getattr(each, name)(X, return_array=True) for each in (zero, plain))
        assert mine.tobytes() == theirs.tobytes()
    for leaf, curve in plain.leaf_curves_.items():
        assert plain.predicted_curves_[leaf].survival is curve.survival
    assert export_text(zero, "leaves", times=[90]) == export_text(plain, "leaves", times=[90])
    assert leaf_table(zero).equals(leaf_table(plain))


def test_the_curves_of_the_leaves_stay_those_of_their_rows(model, plain):
    for leaf, curve in plain.leaf_curves_.items():
        assert np.array_equal(model.leaf_curves_[leaf].survival.y, curve.survival.y)


def test_words_stand_for_numbers(study):
    X, y = study
    words = (("default", 0.0), ("auto", SHRINKAGE_ROWS))
    for given, wanted in (*words, (7, 7.0), (np.float32(0.5), 0.5)):
        fitted = OptimalSurvivalTree(1, 0.01, shrinkage=given).fit(X, y)
        assert fitted.shrinkage_ == wanted
        assert type(fitted.shrinkage_) is float
        assert fitted.shrinkage is given


def test_a_lone_leaf_has_nothing_to_be_shrunken_towards(study):
    X, y = study
    lone, own = (OptimalSurvivalTree(0, shrinkage=s).fit(X, y) for s in (60, 0))
    assert np.array_equal(lone.predict(X), own.predict(X))
    assert export_text(lone, "leaves") == export_text(own, "leaves")


def test_scores_of_new_rows_come_from_the_shrunken_curves(model, plain, study):
    X, y = study
    survival = model.predict_survival_function(X, model.event_times_, return_array=True)
    curves = survival, model.event_times_
    assert metrics.ibs_ratio(y, model, X=X) == pytest.approx(metrics.ibs_ratio(y, curves))
    assert metrics.ibs_ratio(y, model, X=X) < plain.ibs_ratio_
    assert model.ibs_ratio_ == plain.ibs_ratio_
    assert model.score(X, y) == metrics.harrell_c_of_risk(y, model.predict(X))
    rows = Cohort(X, model._state.problem.events)
    wanted = {"ibs_ratio": metrics.ibs_ratio(y, curves), "harrell_c": model.score(X, y)}
    for name, score in SCORE_OF.items():
        assert score(model, rows, rows.events) == pytest.approx(wanted[name])
    times = model.event_times_
    for function, row in zip(functions_of(model, X), survival, strict=True):
        assert np.array_equal(function(times), row)


def test_paths_cross_validation_and_the_bootstrap_shrink(study):
    X, y = study
    path = regularization_path(X, y, max_depth=2, min_regularization=0.002, shrinkage=9)
    assert [tree.shrinkage_ for tree in path] == [9.0] * len(path)
    assert path.at(0.01).shrinkage_ == 9.0
    options = {"max_depths": (2,), "min_regularization": 0.001, "cv": 3, "random_state": 0}
    tuned = OptimalSurvivalTreeCV(shrinkage=9, **options).fit(X, y)
    plain = OptimalSurvivalTreeCV(**options).fit(X, y)
    assert (tuned.shrinkage_, plain.shrinkage_) == (9.0, 0.0)
    assert tuned.best_estimator_.shrinkage_ == 9.0
    same = tuned.cv_results_["param_regularization"] == plain.cv_results_["param_regularization"]
    assert same.all()
    scores = tuned.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"]
    assert not np.array_equal(*scores)
    tree = OptimalSurvivalTree(1, 0.001, shrinkage=9)
    found = bootstrap(tree, X, y, n_bootstraps=2, random_state=0)
    assert found.model.shrinkage_ == 9.0
    assert found.ibs_ratio.apparent == pytest.approx(metrics.ibs_ratio(y, found.model, X=X))


def test_pickles_and_files_keep_the_shrinkage(model, study, tmp_path):
    X, _ = study
    export_json(model, tmp_path / "model.json")
    for same in (pickle.loads(pickle.dumps(model)), load(tmp_path / "model.json")):
        assert same.shrinkage_ == SHRINKAGE
        assert same.predict(X).tobytes() == model.predict(X).tobytes()
        assert np.array_equal(same.predict_median(X), model.predict_median(X))


def test_exported_code_predicts_the_shrunken_curves(model, study):
    X, _ = study
    text = export_python(model)
    assert "shrunken curves (shrinkage 40)" in text
    module = {}
    exec(text, module)
    rows = X.to_dict("records")
    leaves = [module["predict_leaf"](row) for row in rows]
    assert [module["RISK"][leaf] for leaf in leaves] == model.predict(X).tolist()
    assert [module["MEDIAN"][leaf] for leaf in leaves] == model.predict_median(X).tolist()
    at = [0.0, 1.0, 55.5, 90.0, 999.0, 5000.0]
    found = [[module["survival"](row, time) for time in at] for row in rows]
    assert found == model.predict_survival_function(X, at, return_array=True).tolist()
    base = sqlite3.connect(":memory:")
    X.to_sql("rows", base, index=False)
    query = f"SELECT {export_sql(model, what='risk', dialect='sqlite')} FROM rows"
    assert [risk for (risk,) in base.execute(query)] == model.predict(X).tolist()


def test_the_command_line_predicts_the_shrunken_curves(study, tmp_path):
    X, (event, time) = study
    frame = X.assign(days=time, died=event.astype(int))
    frame.to_csv(tmp_path / "data.csv", index=False)
    out = tmp_path / "model.json"
    options = ("--depth", 3, "--regularization", 0.001, "--shrinkage", 40, "-o", out)
    told = done("fit", tmp_path / "data.csv", *options)
    assert NOTE in told
    assert "KM: the Kaplan-Meier curve of the group's own rows." in told
    model = load(out)
    found = pl.read_csv(io.StringIO(done("predict", out, tmp_path / "data.csv", "--times", "90")))
    X = pd.read_csv(tmp_path / "data.csv")[list(X)]
    assert found["risk"].to_list() == model.predict(X).tolist()
    assert found["median"].fill_null(np.inf).to_list() == model.predict_median(X).tolist()
    wanted = model.predict_survival_function(X, [90], return_array=True)[:, 0]
    assert found["survival_90"].to_list() == wanted.tolist()
    assert model.shrinkage_ == SHRINKAGE
    tuned = ("tune", tmp_path / "data.csv", "--depths", "1", "--folds", 2, "--seed", 0, "--json")
    assert '"shrinkage": 3.0' in done(*tuned, "--shrinkage", 3)
    assert "--shrinkage must be" in refused("fit", tmp_path / "data.csv", "--shrinkage", "-1")


def test_texts_put_what_is_predicted_beside_the_curve_of_the_leaf(model, plain):
    table = leaf_table(model, times=[90], backend="polars")
    own = leaf_table(plain, times=[90], backend="polars")
    of_risk = ("group", "risk", "hazard_ratio")
    rest = [name for name in own.columns if not name.startswith(of_risk)]
    assert table.select(rest).sort("leaf").equals(own.select(rest).sort("leaf"))
    for leaf, curve in model.predicted_curves_.items():
        row = table.row(by_predicate=pl.col("leaf") == leaf, named=True)
        assert row["predicted_median"] == curve.quantile(0.5)
        assert row["predicted_survival_90"] == curve.survival(90)
        assert row["risk"] == model.leaf_risks_[leaf]
    leaf, curve = next(iter(model.predicted_curves_.items()))
    median, mine = f"{curve.quantile(0.5):g}", f"{model.leaf_curves_[leaf].quantile(0.5):g}"
    both = f"predicted median {median}, Kaplan-Meier {mine}"
    for style in ("tree", "rules", "leaves"):
        text = export_text(model, style, times=[90])
        assert both in text
        assert f"predicted S(90) {float(curve.survival(90)):.2f}, Kaplan-Meier " in text
        assert NOTE in text.splitlines()
    assert NOTE in export_dot(model)
    assert both in export_latex(model)
    assert "shrinkage 40" in export_latex(model)
    assert "predicted" not in export_text(plain, "leaves", times=[90])


def lines_of(axes):
    """The steps that are drawn, as values, with their widths."""
    drawn = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    return [(set(line.get_ydata()), line.get_linewidth()) for line in drawn]


def test_plots_draw_the_predicted_curve_and_a_thin_one_of_the_leaf(model):
    picture = plot_curves(model, bands=True)
    drawn = lines_of(picture.axes)
    assert len(drawn) == 2 * model.n_leaves_
    widest = max(width for _, width in drawn)
    main = [values for values, width in drawn if width == widest]
    thin = [values for values, width in drawn if width < widest]
    for leaf, curve in model.predicted_curves_.items():
        assert set(curve.survival.y) | {1.0} in main
        assert set(model.leaf_curves_[leaf].survival.y) | {1.0} in thin
    assert "Predicted (shrunken) curves" in picture.axes.get_title(loc="left")
    assert "Kaplan-Meier" in picture.axes.get_title(loc="left")
    without = plot_curves(model, bands=False).axes
    assert len(lines_of(without)) == model.n_leaves_
    assert without.get_title(loc="left") == "Predicted (shrunken) curves"
    tree = plot_tree(model).axes
    assert [len(lines_of(inset)) for inset in tree.child_axes] == [2] * model.n_leaves_
    words = " ".join(text.get_text() for text in tree.texts).replace("\n", " ")
    assert "Line: predicted (shrunken) curve. Thin line: Kaplan-Meier of the group" in words
    assert "predicted median" in words


@pytest.mark.parametrize("size", [(3.3, 3.0), (9.0, 5.0)], ids=["narrow", "wide"])
def test_the_words_above_curves_stand_clear_of_the_test(model, size):
    figure = Figure(figsize=size, layout="constrained")
    axes = plot_curves(model, figure.subplots(), bands=True, log_rank=True).axes
    figure.draw_without_rendering()
    words = next(text for text in figure.findobj(Text) if text.get_text().startswith("Predicted"))
    test = next(text for text in figure.findobj(Text) if text.get_text().startswith("log-rank"))
    is_above = test.get_text().endswith("\n\n")
    assert is_above == (size[0] < 5)
    right = words.get_window_extent().x1
    assert is_above or right < test.get_window_extent().x0
    assert axes.get_title(loc="right").strip() == "log-rank p < 0.001, optimistic"


def test_plots_without_shrinkage_are_as_before(plain):
    axes = plot_curves(plain).axes
    assert axes.get_title(loc="left") == ""
    assert len(lines_of(axes)) == plain.n_leaves_
    words = " ".join(text.get_text() for text in plot_tree(plain).axes.texts)
    assert "predicted" not in words


def test_the_report_says_which_curve_it_shows(model, plain, study, tmp_path):
    X, y = study
    pages = []
    for each in (model, plain):
        each.report(tmp_path / "report.html", X, y, cv=None)
        pages.append((tmp_path / "report.html").read_text(encoding="utf-8"))
    for words in ("Predicted (shrunken) curve of each leaf", "(shrinkage 40)", "Predicted<br>"):
        assert words in pages[0]
        assert words not in pages[1]
    assert "Kaplan-Meier curve of each leaf" in pages[1]
    how = {"title": "", "times": [90], "cv": None, "command": None, "seed": 0}
    how |= {"compare": False}
    facts = report_facts(model, (X, y, None), **how)
    for leaf in facts["leaves"]:
        curve = model.predicted_curves_[leaf["node"]]
        assert leaf["predicted"] == {
            "median": curve.quantile(0.5),
            "survival": [float(curve.survival(90))],
        }
    scores = {each["name"]: each["apparent"] for each in facts["scores"]["metrics"]}
    assert scores["IBS ratio"] == pytest.approx(metrics.ibs_ratio(y, model, X=X))
    assert "predicted median" in notebook_html(model)
