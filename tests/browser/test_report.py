"""The page of a model in a real browser: the form, the tree, hostile names, all screens."""

import warnings
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imread

from survtree import OptimalSurvivalTree
from survtree._show.leaf_facts import paths_to_nodes
from survtree.datasets import load
from tests.support.report_models import (
    GRADES,
    HOSTILE,
    hostile_chain,
    hostile_model,
    misread_model,
    mixed_model,
)

PHONE = {"viewport": {"width": 375, "height": 700}}
A4 = {"viewport": {"width": 672, "height": 900}}  # between its margins
N_ROWS = 2_000
pytestmark = [
    pytest.mark.slow,
    # Made-up times have long tails, of which a fit rightly warns.
    pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning"),
]


@pytest.fixture(scope="module")
def veterans(tmp_path_factory):
    X, y = load("veterans")
    path = tmp_path_factory.mktemp("veterans") / "report.html"
    OptimalSurvivalTree(3, 0.002).fit(X, y).report(path, X, y)
    return path


@pytest.fixture(scope="module")
def shrunken(tmp_path_factory):
    """At the defaults, where each number of a leaf has that of its Kaplan-Meier curve beside it."""
    X, y = load("gbsg2")
    path = tmp_path_factory.mktemp("shrunken") / "report.html"
    OptimalSurvivalTree().fit(X, y).report(path, X, y, cv=None)
    return path


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    """Five times with a unit, and names of groups."""
    X, y = load("gbsg2")
    path = tmp_path_factory.mktemp("crowded") / "report.html"
    model = OptimalSurvivalTree(time_unit="days").fit(X, y)
    model.rename({1: "lowest risk of all", 2: "still a low risk", 3: "x" * 40})
    model.report(path, X, y, cv=None, times=[365, 730, 1095, 1460, 1825])
    return path


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    model, X, y = hostile_model()
    path = tmp_path_factory.mktemp("hostile") / "report.html"
    model.report(path, X, y, cv=None, title=HOSTILE[0])
    return path


def mixed_rows(*, has_gaps, seed=0):
    """Rows with cells at, between and beyond what the fit saw: thresholds, gaps, new levels."""
    rng = np.random.default_rng(seed)
    gap = [None] if has_gaps else []
    cells = {
        "age": [*range(28, 95, 3), 52.5, 72.5, -1, 0.1 + 0.2, 1e9, *gap],
        "treated": [0, 1, *gap],
        "smoker": [True, False, *gap],
        "cell": ["small", "large", "other <b>", "Small", "unheard of", *gap],
        "grade": [*GRADES, "Low", "unheard of", *gap],
    }
    return [
        {name: values[rng.integers(len(values))] for name, values in cells.items()}
        for _ in range(N_ROWS)
    ]


# As typing and choosing do, a hundred times as fast: each control is set, then says so.
ENTER = """cells => {
    const set = (control, name, value) => {
        control[name] = value;
        control.dispatchEvent(new Event("input", { bubbles: true }));
    };
    document.getElementById("form").reset();
    cells.forEach(({ value, isMissing }, f) => {
        const box = document.querySelector(`[data-missing="${f}"]`);
        if (box) set(box, "checked", isMissing);
        if (!isMissing) set(document.querySelector(`[data-field="${f}"]`), "value", value);
    });
    return Number(document.getElementById("answer").dataset.found);
}"""


def entered(field, value):
    """What a control has for a value: the text of a number, or the place of a choice."""
    if value is None:
        return {"value": "", "isMissing": True}
    if field["kind"] == "number":
        return {"value": repr(value), "isMissing": False}
    choices, text = field["choices"], str(value)
    place = str(choices.index(text)) if text in choices else "other"
    return {"value": place, "isMissing": False}


def leaves_by_form(page, rows):
    facts = "JSON.parse(document.getElementById('facts').textContent).fields"
    fields = page.evaluate(facts)
    cells = [[entered(field, row[field["name"]]) for field in fields] for row in rows]
    return page.evaluate(f"rows => rows.map({ENTER})", cells)


def leaves_by_apply(model, rows, columns):
    table = pd.DataFrame(rows, columns=columns)
    table = table.astype({"age": float, "treated": float, "smoker": "boolean"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of levels that the fit did not see
        return model.apply(table).tolist()


@pytest.mark.parametrize("missing", ["question", "better", "error"])
def test_the_form_finds_the_leaf_that_apply_finds(opened, tmp_path, missing):
    model, X, _ = mixed_model(missing=missing)
    model.report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    rows = mixed_rows(has_gaps=missing != "error")
    expected = leaves_by_apply(model, rows, list(X.columns))
    assert len(set(expected)) > 8
    assert leaves_by_form(page, rows) == expected


def test_the_form_finds_the_leaf_with_the_encoding_of_the_paper(opened, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 4, 300), "b": rng.normal(size=300).round(2)})
    y = (rng.random(300) < 0.8, rng.exponential(np.exp(X["a"] + X["b"])).round(3) + 0.01)
    model = OptimalSurvivalTree(4, 0.0, encoding="paper", max_leaves=12).fit(X, y)
    asked = [model.questions_.asked[j] for j in model.tree_.question if j >= 0]
    ranges = [(question.low, question.high) for question in asked if question.column == 1]
    assert any(question.low == question.high for question in asked)
    assert all(low < high for low, high in ranges)
    ends = [end for pair in ranges for end in pair]
    b = np.resize([*np.unique(ends), *X["b"][:40]], N_ROWS)
    rows = pd.DataFrame({"a": rng.integers(-1, 5, N_ROWS), "b": b})
    model.report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert leaves_by_form(page, rows.to_dict("records")) == model.apply(rows).tolist()


def test_the_form_finds_the_leaf_of_unnamed_zeros_and_ones(opened, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 5))
    y = (rng.random(300) < 0.8, rng.exponential(np.exp(X @ np.arange(5.0))).round(3) + 0.01)
    model = OptimalSurvivalTree(4, 0.0).fit(X, y)
    model.report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    rows = [{f"x{j}": int(value) for j, value in enumerate(row)} for row in X[:N_ROWS]]
    assert leaves_by_form(page, rows) == model.apply(X[:N_ROWS]).tolist()


def test_what_is_missing_cannot_be_typed(opened, tmp_path):
    model, _, _ = mixed_model(missing="question")
    model.report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    page.fill('[data-field="0"]', "50")
    page.check('[data-missing="0"]')
    assert page.locator('[data-field="0"]').is_disabled()
    page.uncheck('[data-missing="0"]')
    assert page.locator('[data-field="0"]').is_enabled()


def test_the_form_asks_for_what_it_needs_next(opened, veterans):
    page = opened(veterans)
    assert "Karnofsky_score" in page.inner_text("#answer")
    page.fill('[data-field="0"]', "80")
    assert "Celltype" in page.inner_text("#answer")
    page.fill('[data-field="0"]', "30")
    assert "Group 5" in page.inner_text("#answer")
    assert "38 rows, 37 events" in page.inner_text("#answer")
    assert page.locator(".tree .node.on").evaluate_all("ns => ns.map(n => n.dataset.node)") == [
        *("0", "8"),
    ]
    page.click("button[type=reset]")
    page.wait_for_selector(".tree:not(.following)")


def test_enter_on_a_leaf_follows_its_path(opened, veterans):
    page = opened(veterans)
    page.focus(".tree-box")
    seen = []
    while not seen or seen[-1] != "7":
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.dataset.node"))
        assert len(seen) < 20, seen
    assert seen == ["0", "8", "1", "5", "7"]  # as the tree is read
    page.keyboard.press("Enter")
    on = page.locator(".tree .edge.on").evaluate_all("es => es.map(e => e.dataset.node)")
    assert sorted(on) == ["1", "5", "7"]
    assert page.get_attribute(".tree .leaf[data-node='7']", "aria-pressed") == "true"
    words = "not (Karnofsky_score <= 45) and Celltype is squamous and Age_in_years <= 58.5"
    assert words in page.inner_text("#followed")
    page.keyboard.press("Escape")
    assert page.locator(".tree.following").count() == 0
    assert page.inner_text("#followed") == ""


def test_a_focused_box_can_be_seen_to_be_so(opened, veterans):
    page = opened(veterans)
    page.focus(".tree-box")
    page.keyboard.press("Tab")
    width = "getComputedStyle(document.activeElement.querySelector('.box')).strokeWidth"
    assert page.evaluate(width) == "3px"


def test_pointing_at_a_leaf_lights_its_curve_alone(opened, veterans):
    page = opened(veterans)
    page.hover(".tree .leaf[data-node='6'] .box")
    lit = page.locator(".curves .curve.on").evaluate_all("cs => cs.map(c => c.dataset.leaf)")
    assert lit == ["6"]
    opacity = "e => Number(getComputedStyle(e).opacity)"
    assert page.locator(".curve[data-leaf='6']").evaluate(opacity) == 1
    assert page.locator(".curve[data-leaf='3']").evaluate(opacity) < 0.5
    page.hover("h1")
    assert page.locator(".curves.highlighting").count() == 0


def test_a_split_lights_the_curves_of_its_leaves(opened, veterans):
    page = opened(veterans)
    page.click(".tree .node[data-node='5'] .box")
    lit = page.locator(".curves .curve.on").evaluate_all("cs => cs.map(c => c.dataset.leaf)")
    assert sorted(lit) == ["6", "7"]
    assert "next split: Age_in_years <= 58.5" in page.inner_text("#followed")


def test_bands_are_shown_when_asked_for(opened, veterans):
    page = opened(veterans)
    opacity = "e => Number(getComputedStyle(e).opacity)"
    assert page.locator(".band").first.evaluate(opacity) == 0
    page.check("#bands")
    assert page.locator(".band").first.evaluate(opacity) > 0.1


@pytest.mark.parametrize("start", range(0, len(HOSTILE), 4))
def test_hostile_names_run_nothing_and_show_as_they_are(opened, tmp_path, start):
    names = HOSTILE[start : start + 4]
    model, _ = hostile_chain(names)
    model.report(tmp_path / "report.html", title=names[0])
    page = opened(tmp_path / "report.html")
    shown = page.locator(".field > label:first-child").all_text_contents()
    assert set(shown) == {name or "(no name)" for name in names}
    assert page.text_content("h1") == (names[0] or "Optimal survival tree")
    for f in range(len(names)):
        page.select_option(f'[data-field="{f}"]', label="1")
    leaf = int(page.get_attribute("#answer", "data-found"))
    asked = paths_to_nodes(model.tree_, model.questions_)[leaf]
    texts = [question.text(model.questions_.names[question.column]) for question, _ in asked]
    path = [t if a.is_yes else f"not ({t})" for t, a in zip(texts, asked, strict=True)]
    group = next(group for group, node in model.groups_.items() if node == leaf)
    assert page.text_content("#followed p").startswith(f"Group {group}: {' and '.join(path)}")
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0


def test_hostile_levels_can_be_chosen(opened, tmp_path):
    rng = np.random.default_rng(0)
    levels = np.array(HOSTILE[:6] + HOSTILE[11:], dtype=object)
    X = pd.DataFrame({"v": levels[rng.integers(len(levels), size=600)]})
    rank = {level: k for k, level in enumerate(levels)}
    y = (np.ones(600, bool), rng.exponential(np.exp(X["v"].map(rank) / 2.0)) + 0.01)
    model = OptimalSurvivalTree(6, 0.0, max_leaves=10).fit(X, y)
    model.report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    for level, leaf in zip(levels, model.apply(pd.DataFrame({"v": levels})), strict=True):
        page.select_option('[data-field="0"]', label=level or "(empty)")
        assert int(page.get_attribute("#answer", "data-found")) == leaf


def test_no_page_is_wider_than_a_phone(opened, veterans, hostile, tmp_path):
    model, X, y = mixed_model(missing="question")
    model.report(tmp_path / "report.html", X, y, cv=2)
    for path in (veterans, hostile, tmp_path / "report.html"):
        page = opened(path, **PHONE)
        page.click(".outline .leaf >> nth=0")
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), path


def test_a_phone_shows_the_tree_as_an_indented_list(opened, veterans):
    page = opened(veterans, **PHONE)
    assert not page.locator(".tree").is_visible()
    assert page.locator(".outline").is_visible()
    words = page.inner_text(".outline")
    assert "Karnofsky_score <= 45?" in words
    assert page.locator(".outline .leaf").count() == 5
    left = "(query) => document.querySelector(query).getBoundingClientRect().left"
    lefts = [page.evaluate(left, f".outline {' '.join(['li'] * depth)}") for depth in (1, 2, 3)]
    assert lefts[0] + 8 < lefts[1] < lefts[2] - 8
    for way in page.locator(".outline .way").all():
        assert way.bounding_box()["height"] < 30, "a word is broken"


def test_a_desktop_shows_the_tree_as_a_picture(opened, veterans):
    page = opened(veterans)
    assert page.locator(".tree").is_visible()
    assert not page.locator(".outline").is_visible()


def test_held_out_scores_stand_above_the_proof(opened, veterans):
    page = opened(veterans)
    held_out, proof = (page.locator(q).bounding_box() for q in ("#held-out", ".about-proof"))
    assert held_out["y"] < proof["y"] < 700


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_the_paper(opened, veterans, scheme):
    page = opened(veterans, color_scheme=scheme)
    paper = luminance(page, "body", "backgroundColor")
    assert (paper > 0.9) if scheme == "light" else (paper < 0.05)
    for query, style in (
        ("body", "color"),
        (".note", "color"),
        (".verdict strong", "color"),
        ("a", "color"),
        (".chart text", "fill"),
        (".tree text", "fill"),
    ):
        assert contrast(paper, luminance(page, query, style)) >= 4.5, query
    for k in range(5):
        assert contrast(paper, luminance(page, f".curve.r{k} .leaf-line", "stroke")) >= 3, k


def luminance(page, query, style):
    """Of a colour, as accessibility guidelines count it."""
    text = page.locator(query).first.evaluate(f"e => getComputedStyle(e).{style}")
    parts = np.array([float(part) for part in text[4:-1].split(",")[:3]]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def test_a_page_without_scripts_is_a_picture_and_rules(opened, veterans):
    page = opened(veterans, java_script_enabled=False)
    assert page.locator(".tree .leaf").count() == 5
    assert page.locator(".rules li").count() == 5
    assert page.locator(".rules").is_visible()
    assert not page.locator("#find").is_visible()
    page.check("#bands")
    assert page.locator("#bands").is_checked()


def test_print_is_black_on_white_and_without_the_form(opened, veterans):
    page = opened(veterans, color_scheme="dark")
    page.emulate_media(media="print")
    assert not page.locator("#find").is_visible()
    assert not page.locator("nav").is_visible()
    assert page.locator(".rules").is_visible()
    assert contrast(luminance(page, "body", "color"), 1.0) > 10
    assert luminance(page, "body", "backgroundColor") == pytest.approx(1.0)
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["veterans", "shrunken", "crowded"])
@pytest.mark.parametrize("media", ["screen", "print"])
def test_all_columns_of_the_leaves_are_seen_on_a_desktop_and_on_paper(opened, request, kind, media):
    page = opened(request.getfixturevalue(kind), **(A4 if media == "print" else {}))
    page.emulate_media(media=media)
    for box in page.locator(".scroll:has(table)").all():
        edge = box.evaluate("e => e.getBoundingClientRect().left + e.clientWidth")
        rights = "cells => cells.map(c => c.getBoundingClientRect().right)"
        assert max(box.locator("th, td, td *").evaluate_all(rights)) <= edge + 0.5
        assert box.evaluate("e => getComputedStyle(e).overflowX == 'visible'") == (media == "print")


def test_usual_numbers_of_leaves_are_not_broken(opened, shrunken):
    page = opened(shrunken)
    heights = page.locator(".leaves .own").evaluate_all(
        "es => es.filter(e => !e.innerText.includes('not reached')).map(e => e.clientHeight)"
    )
    assert len(heights) > 20
    assert len(set(heights)) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_shade_shows_where_a_phone_hides_columns(opened, shrunken, scheme):
    page = opened(shrunken, color_scheme=scheme, **PHONE)
    box = page.locator(".scroll:has(.leaves)")
    assert shades(box) == (False, True)
    box.evaluate("e => { e.scrollLeft = 200 }")
    assert shades(box) == (True, True)
    box.evaluate("e => { e.scrollLeft = e.scrollWidth }")
    assert shades(box) == (True, False)


def test_there_is_no_shade_where_all_is_seen(opened, shrunken):
    assert shades(opened(shrunken).locator(".scroll:has(.leaves)")) == (False, False)


def shades(box):
    """Is the left or the right edge of a box darker (on black paper lighter) than the paper?"""
    top = imread(BytesIO(box.screenshot()))[2, :, :3]  # above all words
    paper = top[len(top) // 2]
    return tuple(bool(np.abs(top[edge] - paper).max() > 0.1) for edge in (1, -2))


@pytest.mark.filterwarnings("ignore::survtree.DataWarning")
def test_a_warning_is_red_and_a_note_is_not(opened, tmp_path):
    misread_model().report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    edge = "e => getComputedStyle(e).borderLeftColor.match(/\\d+/g).slice(0, 3).map(Number)"
    red, *others = page.locator("#warnings").evaluate(edge)
    assert red > 2 * max(others)
    grey = page.locator("#notes").evaluate(edge)
    assert max(grey) - min(grey) < 30
