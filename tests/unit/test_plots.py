"""Pictures: nothing overlaps, nothing is misread, and what is drawn is what the leaves say."""

import io
import re
import subprocess
import sys
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    plot_calibration,
    plot_curves,
    plot_gap,
    plot_tree,
    regularization_path,
)
from survtree._base.numbers import format_number, format_p_value, format_weights, round_ticks
from survtree._scoring.scores import calibration_curve
from survtree._show import fonts
from survtree._show.fonts import Fonts
from survtree._show.leaf_facts import facts_to_write
from survtree._show.picture import by_risk, leaf_colours, leaf_strokes
from survtree._show.plot_curves import spread
from survtree._show.plot_tree import _content, plan_alone
from survtree.datasets import load
from tests.support.made_up_models import HOSTILE, LONG, made_up, random_tree

SIZES = {"slide": (13.3, 7.5), "page": (6.5, 5.0), "column": (3.3, 3.0), "stamp": (1.2, 1.0)}
NAMES = {
    "short": ("age", "x1"),
    "usual": ("Karnofsky_score", "Months from diagnosis", "stage"),
    "long": (LONG[:300], "W" * 300, "one two three four " * 15),
    "hostile": HOSTILE,
}


def slow(value):
    """A value that only the slow tests draw."""
    return pytest.param(value, marks=pytest.mark.slow)


@pytest.fixture(scope="module")
def veterans():
    return OptimalSurvivalTree(3, 0.002).fit(*load("veterans"))


def boxes_of(picture):
    """Where texts and axes of leaves are, in points: (what, left, bottom, right, top)."""
    figure = picture.figure
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    found = []
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and is_shown(text):
            found.append((text.get_text(), text.get_window_extent(renderer)))
    insets = picture.axes.child_axes
    found += [(f"axes {place}", inset.get_window_extent()) for place, inset in enumerate(insets)]
    scale = 72 / figure.dpi
    return [(name, *(scale * np.array(extent.extents))) for name, extent in found]


def is_shown(text):
    """Texts of axes that are off, and of ticks that are not drawn, are in the figure too."""
    return text.axes is None or text.axes.axison or text in text.axes.texts


def overlaps(boxes, slack=0.1):
    """Pairs that have more than a tenth of a point in common."""
    out = []
    for place, (one, left, bottom, right, top) in enumerate(boxes):
        for other, left_2, bottom_2, right_2, top_2 in boxes[:place]:
            wide = min(right, right_2) - max(left, left_2)
            high = min(top, top_2) - max(bottom, bottom_2)
            if min(wide, high) > slack:
                out.append((one[:20], other[:20], round(wide, 2), round(high, 2)))
    return out


def check_layout(picture):
    boxes = boxes_of(picture)
    assert overlaps(boxes) == []
    frame = picture.axes.get_window_extent()
    left, bottom, right, top = frame.extents * 72 / picture.figure.dpi
    for name, *box in boxes:
        assert box[0] >= left - 0.6, name
        assert box[1] >= bottom - 0.6, name
        assert box[2] <= right + 0.6, name
        assert box[3] <= top + 0.6, name


def drawn_on(model, size, **options):
    figure = Figure(figsize=size)
    return plot_tree(model, figure.add_axes((0, 0, 1, 1)), **options)


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("n_leaves", [1, 2, 5, 16, *map(slow, (3, 8, 11))])
def test_nothing_overlaps_in_a_figure_of_its_own(n_leaves, names):
    check_layout(plot_tree(made_up(random_tree(n_leaves, n_leaves), NAMES[names], n_leaves)))


@pytest.mark.parametrize("n_leaves", [2, 5, 9])
@pytest.mark.parametrize("way", ["down", "right"])
def test_nothing_overlaps_where_curves_are_shrunken(n_leaves, way):
    tree = random_tree(n_leaves, n_leaves)
    check_layout(plot_tree(made_up(tree, seed=n_leaves, shrinkage=20.0), direction=way))


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("n_leaves", [4, slow(11)])
def test_nothing_overlaps_in_chains_of_questions(n_leaves, names, direction):
    model = made_up(random_tree(n_leaves, 0, is_chain=True), NAMES[names])
    check_layout(plot_tree(model, direction=direction))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("n_leaves", [6, slow(2), slow(16)])
def test_nothing_overlaps_on_given_paper(n_leaves, names, size):
    model = made_up(random_tree(n_leaves, n_leaves), NAMES[names], n_leaves)
    check_layout(drawn_on(model, SIZES[size]))


@pytest.mark.slow
def test_a_tree_of_many_leaves_is_drawn_on_any_paper():
    model = made_up(random_tree(60, 0))
    for size in ("column", "stamp"):
        picture = drawn_on(model, SIZES[size])
        assert len(picture.axes.child_axes) == 60
        assert overlaps(boxes_of(picture)) == []


@pytest.mark.slow
def test_no_figure_is_larger_than_a_file_may_be():
    model = made_up(random_tree(330, 0))
    content = _content(model, facts_to_write(model, None, 0.95, None), "Time", Fonts())
    for direction in ("down", "right"):
        plan = plan_alone(content, direction)
        assert max(plan.width, plan.height) <= 14_400
        assert len(plan.cells) == 330


def test_all_is_told_where_there_is_room(veterans):
    for size in ("slide", "page"):
        texts = " ".join(
            text.get_text() for text in drawn_on(veterans, SIZES[size]).axes.texts
        ).replace("\n", " ")
        for words in ("Karnofsky_score <= 45", "Age_in_years <= 58.5", "Celltype is squamous"):
            assert words in texts
        assert "Group 5 38 rows 37 events median 20 (15 to 25)" in texts
        assert texts.split().count("yes") == texts.split().count("no") == 4


def test_letters_are_legible_in_a_column(veterans):
    picture = drawn_on(veterans, SIZES["column"])
    sizes = {text.get_fontsize() for text in picture.axes.texts}
    assert min(sizes) >= 5
    assert any("median" in text.get_text() for text in picture.axes.texts)


def test_a_leaf_is_drawn_once_with_its_own_curve(veterans):
    insets = plot_tree(veterans).axes.child_axes
    assert len(insets) == veterans.n_leaves_
    drawn = [inset.lines[0].get_ydata()[1:-1].tolist() for inset in insets]
    curves = {node: curve.survival.y.tolist() for node, curve in veterans.leaf_curves_.items()}
    assert sorted(drawn) == sorted(curves.values())
    assert drawn[0] == curves[8]  # yes is on the left
    assert {inset.get_xlim() for inset in insets} == {(0, 999)}
    assert len({inset.get_ylim() for inset in insets}) == 1


def test_a_band_is_that_of_the_leaf(veterans):
    inset = plot_tree(veterans, confidence=0.8).axes.child_axes[0]
    corners = inset.collections[0].get_paths()[0].vertices
    low, high = veterans.leaf_curves_[8].band(0.8)
    assert set(np.round(np.concatenate([low.y, high.y]), 9)) <= set(np.round(corners[:, 1], 9))


def test_a_median_that_is_not_reached_is_told():
    X, y = load("gbsg2")
    model = OptimalSurvivalTree(2, 0.0).fit(X, y)
    texts = " ".join(text.get_text() for text in plot_tree(model).axes.texts).replace("\n", " ")
    assert "median not reached" in texts
    assert "inf" not in texts
    assert re.search(r"\([\d,]+ or more\)", texts)


def test_missing_values_are_told_of():
    X, y = load("veterans")
    gaps = X.to_pandas()
    gaps.loc[:20, "Karnofsky_score"] = np.nan
    model = OptimalSurvivalTree(1, 0.0, missing="question").fit(gaps, y)
    assert "no or missing" in [text.get_text() for text in plot_tree(model).axes.texts]


@pytest.mark.parametrize("plot", [plot_tree, plot_curves])
def test_no_name_is_read_as_mathematics_or_lacks_a_glyph(plot):
    model = made_up(random_tree(20, 1), HOSTILE)
    picture = plot(model, time_label="50%_\\of$x$ 🫀\n<b>")
    for text in [*picture.axes.texts, picture.axes.xaxis.label]:
        assert not text.get_parse_math() or text.get_text() == ""
        assert not text.get_usetex()
    for kind in ("png", "svg", "pdf"):
        assert picture._bytes(kind, 60)  # a warning of a glyph would be an error
    written = " ".join(text.get_text() for text in picture.figure.findobj(Text))
    assert "🫀" not in written
    assert "$x$ □\\n<b>" in written.replace("\n", " ")


def test_an_svg_of_hostile_names_is_one_picture_and_nothing_else(tmp_path):
    plot_tree(made_up(random_tree(20, 1), HOSTILE)).save(tmp_path / "tree.svg")
    kinds = {node.tag.split("}")[-1] for node in ElementTree.parse(tmp_path / "tree.svg").iter()}
    assert kinds.isdisjoint({"script", "a", "foreignObject", "image"})


def test_right_to_left_names_keep_their_words_and_the_sign_its_side():
    face = Fonts()
    line = face.wrapped("גיל המטופל <= 4", 1e9, 9, 4).lines[0]
    assert line.replace("\u200e", "") == "גיל המטופל <= 4"
    assert line.startswith("\u200e")
    assert "ל\u200e <= 4" in line
    assert face.wrapped("age <= 4", 1e9, 9, 4).lines == ("age <= 4",)


def test_a_long_name_is_not_measured_again_and_again(monkeypatch):
    measured = []

    def unit_width(text, files):
        measured.append(len(text))
        return usual(text, files)

    usual = fonts._unit_width
    monkeypatch.setattr(fonts, "_unit_width", unit_width)
    name = "w" * 50_000
    for text in (name, f"{name} <= 62.5"):
        assert len(Fonts().wrapped(text, 80, 9, 3).lines) == 3
    assert sum(measured) < 20 * len(name)


def test_long_words_are_broken_and_long_names_are_cut_before_what_is_asked():
    face = Fonts()
    for name in ("W" * 300, LONG, "one two " * 40, "é" * 300):
        wrapped = face.wrapped(f"{name} <= 62.5", 80, 9, 3)
        assert len(wrapped.lines) == 3
        assert wrapped.lines[-1].startswith("...")
        assert wrapped.lines[-1].endswith(" <= 62.5")
        assert not wrapped.is_whole
        assert max(face.width(line, 9) for line in wrapped.lines) <= 80
    short = face.wrapped("Karnofsky_score <= 45", 70, 9, 3)
    assert short.is_whole
    assert short.lines == ("Karnofsky_", "score <= 45")


def test_colours_order_leaves_by_risk_in_grey_too():
    for n_leaves in (2, 5, 16):
        model = made_up(random_tree(n_leaves, 3))
        colours, strokes, order = leaf_colours(model), leaf_strokes(model), by_risk(model)
        greys = [np.dot(colours[node][:3], [0.2126, 0.7152, 0.0722]) for node in order]
        assert all(np.diff(greys) < -0.01)
        assert greys[0] < 0.75  # shows on white
        if n_leaves > 3:
            assert all(strokes[a] != strokes[b] for a, b in pairwise(order))


def test_a_leaf_has_one_colour_in_both_pictures(veterans):
    colours = leaf_colours(veterans)
    for line in plot_curves(veterans).axes.lines:
        if line.get_label().startswith("group"):
            group = int(re.match(r"group (\d+)", line.get_label())[1])
            assert line.get_color() == colours[veterans.groups_[group]]
    insets = plot_tree(veterans).axes.child_axes
    assert {inset.lines[0].get_color() for inset in insets} == set(colours.values())
    assert insets[0].lines[0].get_color() == colours[8]


@pytest.mark.parametrize("n_leaves", [1, 2, 5, 9, 16])
@pytest.mark.parametrize("width", [6.4, 3.3])
def test_nothing_overlaps_beside_and_below_curves(n_leaves, width):
    model = made_up(random_tree(n_leaves, n_leaves), seed=n_leaves)
    axes = Figure(figsize=(width, 4.5), layout="constrained").subplots()
    pictures = [plot_curves(model), plot_curves(model, at_risk=False), plot_curves(model, axes)]
    for picture in pictures:
        assert overlaps(boxes_of(picture), slack=0.5) == []
        width_pt, height_pt = picture.figure.get_size_inches() * 72
        for name, left, bottom, right, top in boxes_of(picture):
            assert min(left, bottom) > -1, name
            assert right < width_pt + 1, name
            assert top < height_pt + 1, name


def test_rows_at_risk_stand_below_their_ticks(veterans):
    times = [0, 90, 365]
    picture = plot_curves(veterans, times=times)
    assert picture.axes.get_xticks().tolist() == times
    numbers = [text.get_text() for text in picture.axes.texts if text.get_text().isdigit()]
    expected = [veterans.leaf_curves_[node].at_risk(times) for node in by_risk(veterans)]
    assert list(map(float, numbers)) == np.concatenate(expected).tolist()
    without = plot_curves(veterans, at_risk=False)
    assert not any(text.get_text().isdigit() for text in without.axes.texts)


def test_weights_are_told_without_silly_digits():
    assert format_weights([[12, 3.0000000001], [1234, 0]]) == [["12", "3"], ["1,234", "0"]]
    assert format_weights([[12.345, 3], [0, 0.5]]) == [["12.3", "3.0"], ["0.0", "0.5"]]
    assert format_weights([[1234.567, 3.3]]) == [["1,235", "3"]]
    X, y = load("veterans")
    weights = np.random.default_rng(0).uniform(0.1, 2, len(y))
    model = OptimalSurvivalTree(1, 0.001).fit(X, y, sample_weight=weights)
    texts = [text.get_text() for text in plot_curves(model).axes.texts]
    assert all(len(text) < 6 for text in texts if text[0].isdigit())


def test_p_is_told_if_it_is_asked_for_and_called_optimistic(veterans):
    assert plot_curves(veterans).axes.get_title(loc="right") == ""
    tested = plot_curves(veterans, log_rank=True).axes
    assert tested.get_title(loc="right") == "log-rank p < 0.001, optimistic"
    lone = OptimalSurvivalTree(0).fit(*load("veterans"))
    assert plot_curves(lone, log_rank=True).axes.get_title(loc="right") == ""
    assert (format_p_value(0.0009), format_p_value(0.0456)) == ("p < 0.001", "p = 0.046")


def test_bands_are_left_out_where_they_would_hide_curves(veterans):
    assert len(plot_curves(veterans).axes.collections) == 0
    assert len(plot_curves(veterans, bands=True).axes.collections) == 5
    few = OptimalSurvivalTree(1, 0.001).fit(*load("veterans"))
    assert len(plot_curves(few).axes.collections) == 2
    assert len(plot_curves(few, bands=False).axes.collections) == 0


def test_labels_are_spread_but_stay_in_order():
    for wanted in ([1.0, 0.51, 0.5, 0.0, 0.0], [0.0, 0.5, 1.0, 0.0, 0.2]):
        places = spread(wanted, [0.1] * 5, 0.05, 1.0)
        assert max(np.diff(places)) <= -0.1 + 1e-12
        assert 0 <= places[-1] < places[0] <= 1


def test_a_label_with_a_rule_gets_the_room_that_it_needs():
    first, second, third = spread([0.9, 0.9, 0.85], [0.1, 0.3, 0.1], 0.05, 1.0)
    assert first - second >= 0.1 - 1e-12
    assert second - third >= 0.3 - 1e-12
    assert spread([0.0], [0.3], 0.05, 1.0) == [pytest.approx(0.2)]  # its last line is at 0


@pytest.mark.parametrize("end", [1e-3, 0.7, 1.0, 3.0, 12, 99, 100, 2659, 1e7])
@pytest.mark.parametrize("most", [1, 2, 5, 8])
def test_ticks_are_few_and_round(end, most):
    ticks = round_ticks(end, most)
    assert ticks[0] == 0
    assert 2 <= len(ticks) <= most + 1
    assert ticks[-1] <= end * (1 + 1e-9)
    assert all(len(f"{tick:.6g}".rstrip("0").strip("0.")) <= 9 for tick in ticks)
    step = ticks[1] / 10 ** np.floor(np.log10(ticks[1]) + 1e-9)
    assert min(abs(step - round_step) for round_step in (1, 2, 2.5, 5)) < 1e-9


def test_times_are_told_as_a_reader_needs_them():
    told = {20.0: "20", 2018.0: "2,018", 12.3456: "12.3", 1234.56: "1,235", 0.01234: "0.0123"}
    assert {value: format_number(value) for value in told} == told


def test_calibration_shows_the_groups_of_the_metric():
    X, y = load("whas500")
    model = OptimalSurvivalTree(2, 0.005).fit(X[:250], y[:250])
    picture = plot_calibration(model, X[250:], y[250:], 365, n_groups=3)
    expected = calibration_curve(y[250:], model, 365, n_groups=3, X=X[250:])
    points = picture.axes.collections[-1].get_offsets().data
    assert points[:, 0] == pytest.approx(expected.predicted)
    assert points[:, 1] == pytest.approx(expected.observed)
    bars = picture.axes.collections[0].get_segments()
    for (x, _), bar in zip(points, bars, strict=True):
        assert bar[:, 0] == pytest.approx([x, x])
    for (_, observed), bar in zip(points, bars, strict=True):
        assert bar[0, 1] <= observed <= bar[1, 1]


def test_calibration_is_at_the_median_event_time_unless_told(veterans):
    X, y = load("veterans")
    picture = plot_calibration(veterans, X, y)
    median = np.quantile(y["time"][y["event"]], 0.5, method="inverted_cdf")
    assert picture.axes.get_xlabel() == f"Predicted survival at {format_number(median)}"
    points = picture.axes.collections[-1].get_offsets().data
    assert points[:, 0] == pytest.approx(points[:, 1], abs=0.01)  # training rows


def test_the_gap_is_drawn_from_a_history_and_from_a_callback():
    snapshots = []
    X, y = load("veterans")
    model = OptimalSurvivalTree(3, 0.002, callback=snapshots.append).fit(X, y)
    axes = plot_gap(model).axes
    objective, lower = axes.lines[:2]
    assert objective.get_ydata()[-1] == lower.get_ydata()[-1] == model.objective_
    assert axes.get_title().startswith("optimal after ")
    assert all(np.diff(objective.get_ydata()) <= 0)
    assert plot_gap(snapshots).axes.get_title().startswith("gap 0.0 % after ")


def test_seconds_are_logarithmic_where_they_span_decades(veterans):
    row = veterans.history_[0]
    rows = [type(row)(**{**vars(row), "seconds": s}) for s in (0.0, 0.01, 2.0, 30.0)]
    axes = plot_gap(rows).axes
    assert axes.get_xscale() == "log"
    assert {"0.1", "1", "10"} <= {label.get_text() for label in axes.get_xticklabels()}
    assert plot_gap(rows[2:]).axes.get_xscale() == "linear"


def test_a_stopped_search_says_so():
    X, y = load("gbsg2")
    with pytest.warns(UserWarning, match="stopped"):
        model = OptimalSurvivalTree(5, 0.0, node_limit=50).fit(X, y)
    assert re.fullmatch(r"node limit after \S+ s, gap [\d.]+ %", plot_gap(model).axes.get_title())


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_picture_is_the_same_file(veterans, tmp_path, kind):
    for name in ("one", "two"):
        plot_tree(veterans).save(tmp_path / f"{name}.{kind}")
    one, two = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert one.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])
    assert [path.name for path in sorted(tmp_path.iterdir())] == [f"one.{kind}", f"two.{kind}"]


def test_a_file_that_is_there_stays_if_drawing_fails(veterans, tmp_path, monkeypatch):
    (tmp_path / "tree.png").write_bytes(b"old")
    picture = plot_tree(veterans)
    monkeypatch.setattr(picture.figure, "savefig", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        picture.save(tmp_path / "tree.png")
    assert (tmp_path / "tree.png").read_bytes() == b"old"


def test_a_notebook_shows_a_picture(veterans):
    picture = plot_curves(veterans)
    pixels = imread(io.BytesIO(picture._repr_png_()))
    assert pixels.shape[1] == int(7.8 * 110)
    assert repr(picture) == "Picture()"


def test_given_axes_are_drawn_on_in_parts_of_figures_too(veterans):
    figure = Figure(figsize=(10, 5), layout="constrained")
    left, right = figure.subfigures(1, 2)
    axes = left.subplots()
    picture = plot_tree(veterans, axes)
    assert picture.figure is figure
    assert picture.axes is axes
    assert plot_curves(veterans, right.subplots()).figure is figure
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_cross_validated_and_path_models_are_drawn():
    X, y = load("veterans")
    tuned = OptimalSurvivalTreeCV(max_depths=(1,), cv=2, random_state=0).fit(X, y)
    for model in (tuned, regularization_path(X, y, max_depth=2)[-1]):
        assert len(plot_tree(model).axes.child_axes) == model.n_leaves_
        assert plot_curves(model).axes.get_ylabel() == "Survival"


def test_every_kind_of_question_is_drawn():
    X, y = load("veterans")
    flags = X.to_pandas().assign(flag=X["Karnofsky_score"].to_numpy() > 50)
    for options in ({"encoding": "paper"}, {}):
        model = OptimalSurvivalTree(2, 0.0, **options).fit(flags, y)
        texts = " ".join(text.get_text() for text in plot_tree(model).axes.texts)
        for node in np.flatnonzero(model.tree_.question >= 0):
            question = model.questions_.text(int(model.tree_.question[node]))
            assert question in texts.replace("\n", " ")


@pytest.mark.slow
def test_pictures_do_without_pyplot():
    code = (
        "import sys; from survtree import OptimalSurvivalTree, plot_tree, plot_curves, plot_gap\n"
        "from survtree.datasets import load\n"
        "model = OptimalSurvivalTree(1, 0.001).fit(*load('veterans'))\n"
        "for plot in (plot_tree, plot_curves, plot_gap): plot(model)._repr_png_()\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
