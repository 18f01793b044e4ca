"""Times at which survival is stated, units of time, and answers on the edges of a tree."""

import numpy as np
import pandas as pd
import pytest

from survtree import (
    OptimalSurvivalTree,
    export_dot,
    export_json,
    export_latex,
    export_text,
    leaf_table,
    plot_calibration,
    plot_curves,
    plot_tree,
)
from survtree import load as load_model
from survtree._questions.forms import IsMissing
from survtree._show.leaf_facts import answers_on_edges, paths_to_nodes
from survtree._show.usual_times import has_medians, readable_below, stated_time, usual_times
from survtree.datasets import load


@pytest.fixture(scope="module")
def aids():
    return OptimalSurvivalTree(2, 0.0005).fit(*load("aids"))


@pytest.fixture(scope="module")
def veterans():
    return OptimalSurvivalTree(2, 0.001).fit(*load("veterans"))


@pytest.mark.parametrize(
    ("limit", "unit", "expected"),
    [
        (364.0, None, 300),
        (2659.0, None, 2500),
        (0.37, None, 0.3),
        (1.0, None, 1),
        (364.0, "days", 270),
        (365.0, "Days", 365),
        (1900.0, "day", 1825),
        (4000.0, "days", 3650),
        (70.0, "months", 60),
        (11.0, "months", 9),
        (0.5, "months", 0.5),
        (7.7, "years", 6),
        (130.0, "weeks", 104),
    ],
)
def test_times_are_readable_in_their_unit(limit, unit, expected):
    assert readable_below(limit, unit) == expected


@pytest.mark.parametrize("name", ["veterans", "gbsg2", "whas500", "aids", "aids_death"])
def test_every_group_is_followed_to_the_stated_time(name):
    model = OptimalSurvivalTree(2, 0.0005).fit(*load(name))
    time = stated_time(model)
    for curve in model.leaf_curves_.values():
        is_before = curve.times < time
        assert curve.censored[is_before].sum() <= curve.weight / 2
    at_risk = [curve.at_risk([time])[0] for curve in model.leaf_curves_.values()]
    assert sum(at_risk) >= sum(curve.weight for curve in model.leaf_curves_.values()) / 10
    times = usual_times(model)
    assert times[-1] == time
    assert times == sorted(set(times))
    assert 1 <= len(times) <= 3


def test_survival_at_a_stated_time_stands_where_medians_are_not_reached(aids, veterans):
    assert not has_medians(aids)
    assert has_medians(veterans)
    time = f"{stated_time(aids):g}"
    for style in ("tree", "rules", "leaves"):
        assert "median not reached" not in export_text(aids, style)
        assert export_text(aids, style).count(f"S({time}) 0.") == aids.n_leaves_
        assert "Most medians are not reached" in export_text(aids, style)
        assert "median" in export_text(veterans, style)
    for export in (export_dot, export_latex):
        assert "median not reached" not in export(aids)
        assert export(aids).count(f"S({time})") == aids.n_leaves_
    texts = [text.get_text() for text in plot_tree(aids).axes.texts]
    assert sum(f"S({time})" in text for text in texts) == aids.n_leaves_
    assert not any("median not reached" in text for text in texts)
    assert "median not reached" not in aids._repr_html_()


def test_times_are_the_users_in_every_view(veterans):
    for text in (
        *(export_text(veterans, style, times=[90]) for style in ("tree", "rules", "leaves")),
        export_dot(veterans, times=[90]),
        export_latex(veterans, times=[90]),
    ):
        assert text.count("S(90)") == veterans.n_leaves_
    texts = [text.get_text() for text in plot_tree(veterans, times=[90, 180]).axes.texts]
    assert sum("S(90)" in text and "S(180)" in text for text in texts) == veterans.n_leaves_
    assert "survival_90" in leaf_table(veterans, times=[90]).columns


def test_the_unit_of_time_is_shown_in_every_view(tmp_path):
    X, y = load("veterans")
    model = OptimalSurvivalTree(2, 0.001, time_unit="days").fit(X, y)
    for style in ("tree", "rules", "leaves"):
        assert export_text(model, style).count(" days") >= model.n_leaves_
    assert "S(90 days)" in export_text(model, times=[90])
    assert plot_curves(model).axes.get_xlabel() == "Time (days)"
    assert plot_curves(model, time_label="Age").axes.get_xlabel() == "Age"
    assert plot_calibration(model, X, y, 90).axes.get_xlabel().endswith("at 90 days")
    note = plot_tree(model).axes.texts[-1].get_text().replace("\n", " ")
    assert "Time from 0 to 999 days," in note
    model.report(tmp_path / "page.html", times=[90])
    page = (tmp_path / "page.html").read_text()
    assert "at 90 days</th>" in page
    assert "Time (days)" in page


def test_a_view_may_have_another_unit_and_files_keep_that_of_the_model(veterans, tmp_path):
    assert "median 20 weeks" in export_text(veterans, time_unit="weeks")
    assert "weeks" not in export_text(veterans)
    assert "median 20 weeks" in export_dot(veterans, time_unit="weeks")
    assert "median 20 weeks" in export_latex(veterans, time_unit="weeks")
    assert plot_curves(veterans, time_unit="weeks").axes.get_xlabel() == "Time (weeks)"
    X, y = load("veterans")
    model = OptimalSurvivalTree(1, 0.001, time_unit="weeks").fit(X, y)
    export_json(model, tmp_path / "model.json")
    assert "median 20 weeks" in export_text(load_model(tmp_path / "model.json"))


def test_a_unit_is_a_short_text():
    with pytest.raises(TypeError, match="time_unit must be a text such as 'days'"):
        OptimalSurvivalTree(1, time_unit=3).fit(*load("veterans"))
    for odd in ("", "a\nb", "x" * 101):
        with pytest.raises(ValueError, match="time_unit must be a text of 1 to 100 characters"):
            OptimalSurvivalTree(1, time_unit=odd).fit(*load("veterans"))


@pytest.fixture(scope="module")
def gaps():
    """Missing values of x go with large ones; then z splits, and x again."""
    rng = np.random.default_rng(0)
    x, z = rng.integers(0, 10, 600).astype(float), rng.integers(0, 2, 600)
    is_missing = rng.random(600) < 0.3
    time = np.minimum(20.0, rng.exponential(np.where(is_missing, 5.0, 1 + x) * (1 + 3 * z)))
    frame = pd.DataFrame({"x": np.where(is_missing, np.nan, x), "z": z})
    model = OptimalSurvivalTree(4, 0.0005, missing="question", thresholds={"x": [2.5, 4.5]})
    return model.fit(frame, (rng.random(600) < 0.8, time))


def test_the_edge_where_missing_rows_go_says_so(gaps):
    text = export_text(gaps)
    assert "no or missing:" in text
    assert "else, or if x is missing:" in export_text(gaps, "rules")
    assert '[label=" no or missing "]' in export_dot(gaps)
    assert "{no or missing}" in export_latex(gaps)
    for direction in ("down", "right"):
        texts = plot_tree(gaps, direction=direction).axes.texts
        assert "no or missing" in [text.get_text() for text in texts]
    assert ">no or missing<" in gaps._repr_html_()


def test_an_edge_that_missing_rows_have_left_does_not_name_them(gaps):
    answers, paths = answers_on_edges(gaps), paths_to_nodes(gaps.tree_, gaps.questions_)
    frame = pd.DataFrame({"x": [np.nan, np.nan], "z": [0, 1]})
    is_passed = gaps.decision_path(frame).toarray().any(axis=0)
    assert set(answers.values()) == {"yes", "no", "no or missing"}
    for node, answer in answers.items():
        question = paths[node][-1].question
        is_of_x = question.column == 0 and not isinstance(question, IsMissing)
        assert (answer == "no or missing") == (is_of_x and bool(is_passed[node]))


def test_pictures_with_long_answers_do_not_overlap(gaps):
    picture = plot_tree(gaps, direction="right")
    picture.figure.draw_without_rendering()
    named = {text.get_gid(): text for text in picture.axes.texts if text.get_gid()}
    boxes = [text.get_window_extent() for text in named.values()]
    for k, one in enumerate(boxes):
        for other in boxes[k + 1 :]:
            overlap = min(one.x1, other.x1) - max(one.x0, other.x0)
            below = min(one.y1, other.y1) - max(one.y0, other.y0)
            assert overlap < 2 or below < 2
