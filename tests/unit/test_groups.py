"""Groups: leaves numbered by risk, the same everywhere, with names that users give them."""

import re
import sqlite3
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    export_dot,
    export_json,
    export_latex,
    export_python,
    export_sql,
    export_text,
    leaf_table,
    plot_calibration,
    plot_curves,
    plot_tree,
)
from survtree import load as load_model
from survtree._model.groups import leaves_by_risk
from survtree._show.leaf_facts import rules_of
from survtree.datasets import load

SETS = ("veterans", "gbsg2", "whas500")


@pytest.fixture(scope="module", params=SETS)
def model(request):
    return OptimalSurvivalTree(3, 0.002).fit(*load(request.param))


@pytest.fixture
def veterans():
    return OptimalSurvivalTree(2, 0.001).fit(*load("veterans"))


def groups_and_rows(text):
    """Group and number of rows wherever a text names both."""
    found = re.findall(r"[Gg]roup (\d+)\b[^\n]*?\bn (?:= )?(\d+)", text)
    return {(int(group), int(n)) for group, n in found}


def test_groups_count_leaves_by_predicted_risk(model):
    assert list(model.groups_) == list(range(1, model.n_leaves_ + 1))
    risks = [model.leaf_risks_[node] for node in model.groups_.values()]
    assert risks == sorted(risks)


@pytest.mark.parametrize("name", SETS)
def test_the_group_of_a_row_is_the_place_of_its_risk(name):
    X, y = load(name)
    model = OptimalSurvivalTree(3, 0.002).fit(X, y)
    risk, group = model.predict(X), model.predict_group(X)
    assert group.tolist() == (np.unique(risk, return_inverse=True)[1] + 1).tolist()
    assert [model.groups_[k] for k in group] == model.apply(X).tolist()


def test_leaves_of_one_risk_are_in_the_order_in_which_they_are_read(veterans):
    tree = veterans.tree_
    assert leaves_by_risk(tree, dict.fromkeys(tree.leaves.tolist(), 1.0)) == [6, 5, 3, 2]
    assert leaves_by_risk(tree, {2: 1.0, 3: 2.0, 5: 1.0, 6: 2.0}) == [5, 2, 6, 3]


def test_every_view_gives_a_leaf_the_same_number(model):
    expected = {(group, model.leaf_curves_[node].n_rows) for group, node in model.groups_.items()}
    for style in ("tree", "rules", "leaves"):
        assert groups_and_rows(export_text(model, style)) == expected
    assert groups_and_rows(export_dot(model).replace("\\n", " ")) == expected
    assert groups_and_rows(export_latex(model)) == expected
    table = leaf_table(model)
    assert set(zip(table["group"], table["rows"], strict=True)) == expected
    assert table["group"].to_list() == sorted(table["group"])
    legend = [text.get_text() for text in plot_curves(model).axes.texts]
    assert groups_and_rows("\n".join(legend)) == expected


def test_the_tree_names_groups_in_bold_above_the_right_curves(model):
    texts = {text.get_gid(): text.get_text() for text in plot_tree(model).axes.texts}
    for group, node in model.groups_.items():
        assert texts[f"node-{node}.name"].startswith(f"Group {group}")


def test_the_legend_is_in_order_and_tells_the_rules(model):
    picture = plot_curves(model)
    texts = {text.get_gid(): text for text in picture.axes.texts if text.get_gid()}
    heights = [texts[f"curve-{node}.text"].get_position()[1] for node in model.groups_.values()]
    assert heights == sorted(heights, reverse=True)
    rules = rules_of(model)
    for node in model.groups_.values():
        assert texts[f"curve-{node}.rule"].get_text().replace("\n", " ") == rules[node]
    labels = picture.axes.get_legend_handles_labels()[1]
    assert [label for label in labels if not label.startswith("_")] == [
        f"group {group}: {rules[node]}" for group, node in model.groups_.items()
    ]


@pytest.mark.parametrize("n_leaves", [1, 2, 5, 12, 30])
def test_labels_beside_curves_never_overlap(n_leaves):
    rng = np.random.default_rng(n_leaves)
    x = rng.integers(0, 40, (400, 3)).astype(float)
    time = rng.exponential(1 + x @ [1.0, 0.5, 0.2])
    frame = pl.DataFrame(x, schema=["a column with a long name", "another one", "third"])
    model = OptimalSurvivalTree(6, 0.0, max_leaves=n_leaves, thresholds=3, min_samples_leaf=3)
    model.fit(frame, (rng.random(400) < 0.7, time)).rename({1: "W" * 90})
    picture = plot_curves(model)
    picture.figure.draw_without_rendering()
    texts = [t for t in picture.axes.texts if (t.get_gid() or "").startswith("curve-")]
    boxes = sorted((text.get_window_extent() for text in texts), key=lambda box: -box.y1)
    for upper, lower in pairwise(boxes):
        assert lower.y1 <= upper.y0 + 2


def test_names_are_shown_in_every_view_and_kept_in_the_file(veterans, tmp_path):
    assert veterans.rename({1: "low risk", 4: " very high risk "}) is veterans
    assert veterans.group_names_ == {
        1: "low risk", 2: "group 2", 3: "group 3", 4: "very high risk"
    }  # fmt: skip
    export_json(veterans, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    assert read.group_names_ == veterans.group_names_
    for shown in (veterans, read):
        texts = [export_text(shown, style) for style in ("tree", "rules", "leaves")]
        texts += [export_dot(shown), export_latex(shown), export_sql(shown), export_python(shown)]
        texts += [shown._repr_html_()]
        assert all("low risk" in text and "very high risk" in text for text in texts)
        assert leaf_table(shown)["name"].to_list() == ["low risk", "", "", "very high risk"]
        for plot in (plot_tree, plot_curves):
            written = [text.get_text() for text in plot(shown).axes.texts]
            assert any("Group 4: very high risk" in text for text in written)
    shown.report(tmp_path / "page.html")
    assert "group 4 (very high risk)" in (tmp_path / "page.html").read_text()


def test_names_can_be_changed_and_taken_away_and_a_fit_forgets_them(veterans):
    veterans.rename({1: "low"}).rename({2: "middle"}).rename({1: None})
    assert veterans.group_names_[1] == "group 1"
    assert veterans.group_names_[2] == "middle"
    assert veterans.fit(*load("veterans")).group_names_[2] == "group 2"
    assert "name" not in leaf_table(veterans).columns


def test_the_chosen_tree_of_a_cross_validation_keeps_its_names(tmp_path):
    model = OptimalSurvivalTreeCV(max_depths=(1,), min_regularization=0.005, cv=2, time_unit="days")
    model.fit(*load("veterans")).rename({1: "mild"})
    export_json(model, tmp_path / "model.json")
    read = load_model(tmp_path / "model.json")
    assert read.group_names_[1] == "mild"
    assert read.time_unit == "days"


def test_bad_names_are_refused(veterans):
    for names, error, said in [
        ({5: "x"}, ValueError, "groups must be numbers from 1 to 4, the lowest risk first; got 5"),
        ({0: "x"}, ValueError, "from 1 to 4"),
        ({"1": "x"}, ValueError, "got '1'"),
        ({1: 3}, TypeError, "the name of group 1 must be a text, or None for none; got 3"),
        ({1: "a\nb"}, ValueError, "on one line"),
        ({1: " "}, ValueError, "1 to 100 characters"),
        ({1: "x" * 101}, ValueError, "1 to 100 characters"),
        ({1: "\ud800"}, ValueError, "on one line"),
        ({1: "same", 2: "same"}, ValueError, "must differ; 'same' is given to more than one"),
        (["low"], TypeError, "names must map numbers of groups to names; got list"),
    ]:
        with pytest.raises(error, match=re.escape(said)):
            veterans.rename(names)
        assert veterans.group_names_[1] == "group 1"


def test_no_name_breaks_an_export(veterans):
    name = "*/ DROP /* $x$ \\ \" ' # <b> % {"
    veterans.rename({1: name, 2: "مرتفع", 3: "🫀"})
    X, _ = load("veterans")
    connection = sqlite3.connect(":memory:")
    frame = pl.DataFrame(X)
    columns = ", ".join(f'"{column}"' for column in frame.columns)
    connection.execute(f"CREATE TABLE t ({columns})")
    marks = ", ".join("?" * frame.width)
    rows = [tuple(str(v) if isinstance(v, str) else float(v) for v in r) for r in frame.rows()]
    connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
    for what, expected in (("leaf", veterans.apply(X)), ("group", veterans.predict_group(X))):
        query = f"SELECT {export_sql(veterans, what=what, dialect='sqlite')} FROM t"
        assert [row[0] for row in connection.execute(query)] == expected.tolist()
    module = {}
    exec(export_python(veterans), module)
    assert module["GROUP"] == {node: group for group, node in veterans.groups_.items()}
    assert name not in veterans._repr_html_()
    for plot in (plot_tree, plot_curves):
        plot(veterans).figure.draw_without_rendering()


def test_points_of_a_calibration_are_named_by_their_groups():
    X, y = load("whas500")
    model = OptimalSurvivalTree(2, 0.005).fit(X[:250], y[:250])
    picture = plot_calibration(model, X[250:], y[250:], time=365)
    predicted = {
        group: float(model.predicted_curves_[node].survival(365))
        for group, node in model.groups_.items()
    }
    found = {text.get_text(): text.xy[0] for text in picture.axes.texts}
    assert found == {str(group): pytest.approx(value) for group, value in predicted.items()}


def test_points_that_touch_share_a_label():
    X, y = load("whas500")
    model = OptimalSurvivalTree(2, 0.005).fit(X, y)
    (label,) = (text.get_text() for text in plot_calibration(model, X, y, time=0).axes.texts)
    assert label == ", ".join(map(str, model.groups_))
