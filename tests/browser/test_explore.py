"""The page of near-optimal trees in a real browser: building, wishes, downloads, all screens."""

import csv
import io
import json
import math
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from survtree import OptimalSurvivalTree, export_json, leaf_table, load
from tests.browser.test_report import contrast, luminance
from tests.support.near_sets import fitted, study
from tests.support.report_models import HOSTILE, mixed_table, outcome

PHONE = {"viewport": {"width": 375, "height": 700}}
pytestmark = [
    pytest.mark.slow,
    # Made-up times have long tails, of which a fit rightly warns.
    pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning"),
]


class Explored:
    """A set, its page, and what Python says of the trees on it."""

    def __init__(self, near, path, **options):
        self.near, self.path = near, path
        near.report(path, **options)

    def splits(self, place):
        """What each tree has at a place, the way to which is written with y and n."""
        found = []
        for tree in self.near.trees:
            node = 0
            for answer in place:
                node = -1 if node < 0 or tree.question[node] < 0 else self.child(tree, node, answer)
            found.append(None if node < 0 else int(tree.question[node]))
        return found

    def child(self, tree, node, answer):
        return int((tree.yes if answer == "y" else tree.no)[node])

    def text(self, question):
        return "no split: a leaf" if question < 0 else self.near.model.questions_.text(question)


@pytest.fixture(scope="module")
def veterans(tmp_path_factory):
    path = tmp_path_factory.mktemp("veterans") / "trees.html"
    return Explored(fitted(time_unit="days").near_optimal(within=0.05), path, cv=2)


@pytest.fixture(scope="module")
def shrunken(tmp_path_factory):
    """At the defaults of the loss: leaves predict shrunken curves, and few trees are near."""
    path = tmp_path_factory.mktemp("shrunken") / "trees.html"
    return Explored(fitted(regularization="auto").near_optimal(within=0.6), path, sizes=False)


@pytest.fixture(scope="module")
def weighted(tmp_path_factory):
    """Weights that are no round numbers, missing values, and all kinds of columns."""
    X, y = mixed_table()
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(X))
    options = {"thresholds": [50.0, 65.0], "missing": "question", "max_levels": 5}
    model = OptimalSurvivalTree(2, 0.002, **options).fit(X, y, weight)
    path = tmp_path_factory.mktemp("weighted") / "trees.html"
    return Explored(model.near_optimal(within=0.3, limit=80), path, sizes=False), X


def shown_tree(page):
    """What the page says it shows."""
    return page.inner_text("#state")


def options_of(page):
    texts = page.locator("#options .option-text").all_inner_texts()
    costs = page.locator("#options .option-cost").all_inner_texts()
    return dict(zip(texts, costs, strict=True))


def saved(page, button, folder):
    with page.expect_download() as download:
        page.click(button)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def best_with(explored, place, above=None):
    """The best tree for each split at a place, among those with the same splits above it."""
    above = {} if above is None else above
    fixed = [explored.splits(way) for way in above]
    wanted = list(above.values())
    found = {}
    for k, question in enumerate(explored.splits(place)):
        if question is not None and [each[k] for each in fixed] == wanted:
            found.setdefault(explored.text(question), k)
    return found


def test_the_builder_lists_the_best_tree_of_each_first_split(opened, veterans):
    page = opened(veterans.path)
    expected = best_with(veterans, "")
    if page.locator("#options-more button").count():
        page.click("#options-more button")
    found = options_of(page)
    assert list(found) == list(expected)
    near = veterans.near
    for text, place in expected.items():
        excess = near.objectives[place] - near.optimum
        stated = found[text]
        if excess < 1e-12:
            assert stated == "best"
        else:
            assert float(stated.split()[0]) == pytest.approx(excess, abs=6e-6)


def test_choosing_by_mouse_shows_the_best_completion(opened, veterans):
    page = opened(veterans.path)
    place = best_with(veterans, "")["Karnofsky_score <= 55"]
    page.click("#tree [data-place='n'] .box")
    page.click("#tree [data-place=''] .box")
    page.click("#options button:has-text('Karnofsky_score <= 55')")
    assert f"Tree {place} of {len(veterans.near)}" in shown_tree(page)
    first = veterans.splits("")[place]
    # Then a split below it: the root is that of the tree which is shown.
    page.click("#tree [data-place='n'] .box")
    expected = best_with(veterans, "n", {"": first})
    if page.locator("#options-more button:has-text('all')").count():
        page.click("#options-more button:has-text('all')")
    assert list(options_of(page)) == list(expected)
    text, below = list(expected.items())[-1]
    page.locator("#options button", has_text=text).last.click()
    title = f"Tree {below} of {len(veterans.near)}"
    assert title in shown_tree(page)
    assert page.locator("#tree .chosen").count() == 2
    assert page.locator("#options [aria-pressed=true]").inner_text().startswith(text)
    page.click("#undo")
    assert f"Tree {place} of" in shown_tree(page)
    page.click("#again")
    assert "The best tree" in shown_tree(page)
    assert page.is_disabled("#again")


def test_the_builder_works_by_keyboard(opened, veterans):
    page = opened(veterans.path)
    page.focus("#tree")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.place") == ""
    width = "getComputedStyle(document.activeElement.querySelector('.box')).strokeWidth"
    assert page.evaluate(width) == "4px"
    page.keyboard.press("Tab")
    place = page.evaluate("document.activeElement.dataset.place")
    assert place != ""
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "option"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.place") == place
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    chosen = page.evaluate("document.activeElement.querySelector('.option-text').textContent")
    page.keyboard.press("Enter")
    assert "The best tree:" not in shown_tree(page)
    pressed = (
        "document.activeElement.getAttribute('aria-pressed') + document.activeElement.innerText"
    )
    assert page.evaluate(pressed).startswith(f"true{chosen}")


def test_a_wish_against_a_column_shows_the_best_tree_without_it(opened, veterans):
    page = opened(veterans.path)
    page.check("[aria-label='without Celltype']")
    best = veterans.near.best(avoids="Celltype")
    text = shown_tree(page)
    assert f"objective {best.objective_:.7f}" in text
    assert "Celltype" not in text.partition("Splits on")[2]
    names = [set(columns.split(", ")) for columns in veterans.near.table()["columns"]]
    others = [k for k, used in enumerate(names) if "Celltype" not in used]
    wanted = min(names[others[1]] - names[others[0]])
    page.check(f"[aria-label='with {wanted}']")
    assert f"Tree {others[1]} of" in shown_tree(page)
    page.click("#undo")
    page.click("#undo")
    assert page.is_checked("[aria-label='Celltype: with or without']")
    assert "The best tree" in shown_tree(page)


def test_what_no_tree_of_the_set_avoids_is_still_there_with_its_cost(opened, shrunken):
    page = opened(shrunken.path)
    best = shrunken.near.best(avoids="Celltype")
    excess = 100 * (best.objective_ / shrunken.near.optimum - 1)
    row = page.locator("tr[data-column]", has_text="Celltype")
    assert row.locator(".cost-without").inner_text() == f"+{excess:.0f}\u00a0%"
    page.check("[aria-label='without Celltype']")
    assert "no tree without Celltype is better" in shown_tree(page)
    assert "The best tree without Celltype" in shown_tree(page)


def test_numbers_restrict_the_set(opened, veterans):
    page = opened(veterans.path)
    page.fill("#most", "3")
    page.press("#most", "Enter")
    sizes = [len(tree.leaves) for tree in veterans.near.trees]
    first = next(k for k, n in enumerate(sizes) if n <= 3)
    assert f"Tree {first} of" in shown_tree(page)
    assert f"{sum(n <= 3 for n in sizes)} trees of the set agree" in shown_tree(page)
    page.fill("#most", "")
    page.fill("#rows", "30")
    page.press("#rows", "Enter")
    least = [min(c.n_rows for c in model.leaf_curves_.values()) for model in veterans.near]
    assert page.inner_text("#trees-note").startswith(f"{sum(n >= 30 for n in least)} of ")
    page.fill("#events", "1000")
    page.press("#events", "Enter")
    assert "No tree of the set is like this" in shown_tree(page)
    page.click("#again")
    assert "The best tree" in shown_tree(page)


def test_the_slider_walks_along_the_path(opened, veterans):
    page = opened(veterans.path)
    page.focus("#size")
    before = page.inner_text("#size-said")
    page.keyboard.press("Home")
    assert page.inner_text("#size-said").startswith("1 leaf: loss on the training rows 100.0")
    assert "; 1 leaf," in shown_tree(page)
    page.keyboard.press("ArrowRight")
    assert "; 2 leaves," in shown_tree(page)
    assert "cross-validated" in page.inner_text("#size-said")
    assert page.evaluate("document.activeElement.id") == "size"
    page.keyboard.press("End")
    assert page.inner_text("#size-said") == before
    page.click("#size-table button >> nth=1")
    assert "; 2 leaves," in shown_tree(page)


def test_pinned_trees_stand_side_by_side(opened, veterans):
    page = opened(veterans.path)
    page.click("#pin")
    page.click("#options button >> nth=1")
    page.click("#pin")
    pins = page.locator(".pin")
    assert pins.count() == 2
    one, other = (pins.nth(k).bounding_box() for k in range(2))
    assert one["y"] == other["y"]
    assert one["x"] + one["width"] <= other["x"]
    assert pins.nth(0).locator("h3").inner_text() == "The best tree"
    pins.nth(0).locator("text=Show").click()
    assert "The best tree" in shown_tree(page)
    pins.nth(0).locator("text=Unpin").click()
    assert pins.count() == 1


def test_a_named_leaf_keeps_its_name_in_every_download(opened, veterans, tmp_path):
    page = opened(veterans.path)
    page.fill("#leaves input >> nth=0", "low risk")
    page.press("#leaves input >> nth=0", "Enter")
    assert "Group 1: low risk" in page.locator("#tree").text_content()
    model = load(saved(page, "#save-model", tmp_path))
    assert model.group_names_[1] == "low risk"
    assert model.group_names_[2] == "group 2"
    for button in ("#save-tree", "#save-curves"):
        picture = ElementTree.parse(saved(page, button, tmp_path))
        assert "low risk" in "".join(picture.getroot().itertext())
    table = pl.read_csv(saved(page, "#save-table", tmp_path))
    assert table["name"][0] == "low risk"
    # Another leaf cannot have the same name.
    page.fill("#leaves input >> nth=1", "low risk")
    page.press("#leaves input >> nth=1", "Enter")
    assert load(saved(page, "#save-model", tmp_path)).group_names_[2] == "group 2"


@pytest.mark.parametrize("kind", ["veterans", "shrunken"])
def test_a_downloaded_model_is_that_of_python(opened, request, tmp_path, kind):
    explored = request.getfixturevalue(kind)
    X, _ = study()
    page = opened(explored.path)
    for place in (0, 1, len(explored.near) - 1):
        page.evaluate("document.getElementById('trees-more').click()")
        page.click(f"#trees [data-tree='{place}']")
        file = saved(page, "#save-model", tmp_path)
        expected = explored.near[place]
        assert json.loads(file.read_text()) == json.loads(export_json(expected))
        model = load(file)
        assert (model.predict(X) == expected.predict(X)).all()
        curves = [m.predict_survival_function(X, return_array=True) for m in (model, expected)]
        assert np.array_equal(*curves)


def test_a_model_of_weighted_rows_with_missing_values_is_that_of_python(opened, weighted, tmp_path):
    explored, X = weighted
    page = opened(explored.path)
    for place in (0, 7, 19):
        page.click(f"#trees [data-tree='{place}']")
        file = saved(page, "#save-model", tmp_path)
        expected = explored.near[place]
        assert json.loads(file.read_text()) == json.loads(export_json(expected))
        assert (load(file).predict(X) == expected.predict(X)).all()


def test_trees_outside_the_set_can_be_downloaded(opened, veterans, shrunken, tmp_path):
    page = opened(shrunken.path)
    page.check("[aria-label='without Celltype']")
    found = load(saved(page, "#save-model", tmp_path))
    assert found.objective_ == shrunken.near.best(avoids="Celltype").objective_
    assert found.status_ == "optimal"
    page = opened(veterans.path)
    page.click("#size-table button >> nth=0")
    assert "The best tree with 1 leaf" in shown_tree(page)
    found = load(saved(page, "#save-model", tmp_path))
    again = OptimalSurvivalTree(**found.get_params()).fit(*study())
    assert (found.n_leaves_, found.objective_) == (1, pytest.approx(again.objective_))


@pytest.mark.parametrize("kind", ["veterans", "shrunken", "weighted"])
def test_the_leaf_table_is_that_of_python(opened, request, tmp_path, kind):
    explored = request.getfixturevalue(kind)
    explored = explored[0] if kind == "weighted" else explored
    page = opened(explored.path)
    page.click("#trees [data-tree='1']")
    rows = list(csv.DictReader(io.StringIO(saved(page, "#save-table", tmp_path).read_text())))
    times = json.loads(page.text_content("#facts"))["times"]
    expected = leaf_table(explored.near[1], times, backend="polars").to_dicts()
    assert len(rows) == len(expected)
    for row, known in zip(rows, expected, strict=True):
        assert row["where"] == known["where"]
        for name, value in row.items():
            if name in ("where", "name"):
                continue
            wanted = known[name]
            given = math.nan if value == "" else float(value)
            assert given == pytest.approx(wanted, nan_ok=True, rel=1e-9), name


def test_missing_values_are_named_where_they_go(opened, weighted):
    explored, _ = weighted
    page = opened(explored.path)
    texts = page.locator("#tree text").all_text_contents()
    model = explored.near[0]
    asked = [model.questions_.asked[j] for j in model.tree_.question if j >= 0]
    has_gaps = [model.binarizer_.seen_[question.column].has_missing for question in asked]
    assert ("no or missing" in texts) == any(has_gaps)


def test_no_page_is_wider_than_a_phone(opened, veterans, shrunken, weighted):
    for explored in (veterans, shrunken, weighted[0]):
        page = opened(explored.path, **PHONE)
        assert not page.locator("#tree").is_visible()
        page.click("#pin")
        page.click("summary")
        page.locator("#outline button").nth(1).click()
        page.locator("#options button").last.click()
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
        page.click("#wishes label >> nth=1")
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_stand_out_from_the_paper(opened, veterans, scheme):
    page = opened(veterans.path, color_scheme=scheme)
    paper = luminance(page, "body", "backgroundColor")
    assert (paper > 0.9) if scheme == "light" else (paper < 0.05)
    for query, style in (
        ("body", "color"),
        (".note", "color"),
        ("#options .option-cost", "color"),
        (".wishes span", "color"),
        ("a", "color"),
        ("button.link", "color"),
        ("#tree .ink-text", "fill"),
        ("#tree .muted-text", "fill"),
        ("#curves text", "fill"),
    ):
        assert contrast(paper, luminance(page, query, style)) >= 4.5, query
    for k in range(4):
        assert contrast(paper, luminance(page, f"#curves .r{k} .leaf-line", "stroke")) >= 3, k


def test_hostile_names_run_nothing_and_show_as_they_are(opened, tmp_path):
    rng = np.random.default_rng(0)
    names = HOSTILE[:3] + HOSTILE[-3:]
    X = pl.DataFrame({name: rng.integers(0, 2, 300) for name in names})
    risk = sum((k + 1) * X[name].to_numpy() for k, name in enumerate(names)).astype(float)
    model = OptimalSurvivalTree(2, 0.0, min_samples_leaf=2).fit(X, outcome(risk - risk.mean()))
    model.near_optimal(within=0.1).report(tmp_path / "trees.html", title=names[0])
    page = opened(tmp_path / "trees.html")
    shown = page.locator(".wishes tbody th").all_text_contents()
    assert {text.strip() for text in shown} <= {name.strip() or "(no name)" for name in names}
    page.fill("#leaves input >> nth=0", "<img src=x onerror=alert(1)>")
    page.press("#leaves input >> nth=0", "Enter")
    page.click("#pin")
    page.click("#options button >> nth=0")
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    table = saved(page, "#save-table", tmp_path).read_text()
    assert not any(line.startswith(("=", "+", "@")) for line in table.splitlines())


def test_a_set_of_one_leaf_is_a_page_too(opened, tmp_path):
    X, y = study()
    model = OptimalSurvivalTree(2, 0.5).fit(X, y)
    model.near_optimal(within=0.0).report(tmp_path / "trees.html")
    page = opened(tmp_path / "trees.html")
    assert "Splits on no column" in shown_tree(page)
    assert load(saved(page, "#save-model", tmp_path)).n_leaves_ == 1


def test_a_page_without_scripts_says_so(opened, veterans):
    page = opened(veterans.path, java_script_enabled=False)
    assert page.locator("text=This page needs JavaScript").is_visible()
    assert page.locator("#optimism").is_visible()
    assert not page.locator("#build").is_visible()


def test_wishes_beyond_the_set_say_how_to_go_on(opened, shrunken):
    page = opened(shrunken.path)
    page.check("[aria-label='without Celltype']")
    page.check("[aria-label='without Karnofsky_score']")
    text = shown_tree(page)
    assert "No tree of the set is like this" in text
    call = 'near.best(avoids=["Celltype","Karnofsky_score"])'
    assert call in text
    best = eval(call, {"near": shrunken.near})
    assert best.objective_ > shrunken.near.optimum * 1.6
    row = page.locator("tr[data-column]", has_text="Treatment")
    assert row.locator(".cost-with").inner_text() == "not here"


def test_a_tree_that_was_searched_for_one_wish_may_fulfil_others(opened, tmp_path):
    """Of two trees that divide the rows in the same way the set has one."""
    rng = np.random.default_rng(0)
    x, a = rng.integers(0, 2, (2, 400))
    b = np.where(x == 1, a, rng.integers(0, 2, 400))
    time = rng.exponential(np.exp(-1.5 * x - 2.0 * x * a)) + 0.01
    model = OptimalSurvivalTree(2, 0.001).fit(np.c_[x, a, b], (np.ones(400, bool), time))
    near = model.near_optimal(within=0.01)
    near.report(tmp_path / "trees.html", sizes=False)
    page = opened(tmp_path / "trees.html")
    page.check("[aria-label='without x2']")
    page.check("[aria-label='with x1']")
    best = near.best(uses="x1", avoids="x2")
    assert best.objective_ == pytest.approx(near.optimum, rel=1e-12)
    assert "No tree" not in shown_tree(page)
    assert "none is lower" in shown_tree(page)
    assert "Splits on x0 and x1" in shown_tree(page)
