"""The HTML page of a model and its picture in a notebook: what they tell, and that it is safe."""

import base64
import hashlib
import json
import re
import warnings
from html.parser import HTMLParser
from importlib.metadata import version

import numpy as np
import pytest
from matplotlib.style import context
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import survtree
from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, leaf_table, metrics
from survtree._base.numbers import (
    format_count,
    format_limits,
    format_number,
    format_p_value,
    format_ratio,
    round_ticks,
)
from survtree._scoring.curves import StepFunction
from survtree._show.fonts import Fonts
from survtree._show.picture import thinned
from survtree._show.plot_curves import ON_PAGE, curves_on_page
from survtree._show.report_facts import (
    form_fields,
    report_facts,
)
from survtree._show.report_page import page
from survtree._show.report_pictures import page_pictures
from survtree.datasets import load
from tests.support.report_models import (
    GRADES,
    HOSTILE,
    hostile_model,
    large_model,
    misread_model,
    mixed_model,
    mixed_table,
)

# Some of the made-up rows are followed for much longer than all others.
pytestmark = pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")

VETERANS = tuple(load("veterans"))


def veterans(**options):
    return OptimalSurvivalTree(**{"max_depth": 3, "regularization": 0.002, **options}).fit(
        *VETERANS
    )


def facts_of(model, X=None, y=None, weight=None, cv=None, **options):
    rows = None if X is None else (X, y, weight)
    default = {"title": "t", "times": None, "compare": False, "command": None, "seed": 0}
    return report_facts(model, rows, **{**default, "cv": cv, **options})


def written(model, folder, *args, **options):
    path = folder / "report.html"
    model.report(path, *args, **options)
    return path.read_text(encoding="utf-8")


class Parts(HTMLParser):
    """The elements of a page, and its text by the element around it."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self.attributes, self._open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self._open.append(tag)

    def handle_data(self, data):
        self.texts.append((self._open[-1] if self._open else "", data))

    def inside(self, tag):
        return [text for around, text in self.texts if around == tag]


def test_facts_are_plain_values():
    model, X, y = mixed_model(missing="question")
    facts = facts_of(model, X, y, cv=3)
    assert json.loads(json.dumps(facts, allow_nan=False))["title"] == "t"


def test_leaves_are_told_as_in_the_leaf_table():
    model = veterans()
    leaves = facts_of(model, times=[90])["leaves"]
    table = leaf_table(model, times=[90])
    for name, key in (("rows", "rows"), ("events", "events"), ("risk", "risk")):
        assert [leaf[key] for leaf in leaves] == table[name].to_list()
    for name in ("median", "hazard_ratio", "restricted_mean"):
        for end in ("value", "low", "high"):
            told = [leaf[name][end] for leaf in leaves]
            column = name if end == "value" else f"{name}_{end}"
            known = [value if np.isfinite(value) else None for value in table[column]]
            assert told == known
    assert [leaf["survival"][0]["low"] for leaf in leaves] == table["survival_90_low"].to_list()


def test_ranks_follow_risk():
    facts = facts_of(veterans())
    risks = {leaf["node"]: leaf["risk"] for leaf in facts["leaves"]}
    by_rank = sorted((node for node in facts["tree"] if "rank" in node), key=lambda n: n["rank"])
    assert [n["node"] for n in by_rank] == sorted(risks, key=risks.get)


def test_a_split_counts_the_rows_of_its_leaves():
    tree = facts_of(veterans())["tree"]
    assert tree[0]["rows"] == 137
    assert tree[0]["events"] == 128
    for node in tree:
        if "yes" in node:
            assert node["rows"] == tree[node["yes"]]["rows"] + tree[node["no"]]["rows"]


@pytest.mark.parametrize("seed", range(20))
def test_a_thinned_curve_is_never_off_by_more_than_a_place_of_the_screen(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 20_000))
    times = np.unique(rng.exponential(1.0, n))
    curve = StepFunction(times, np.sort(rng.random(len(times)))[::-1], before=1.0)
    end = float(times[-1])
    across, up = ON_PAGE
    thin = thinned(curve, end, ON_PAGE)
    assert len(thin.x) <= up
    assert set(thin.x) <= set(curve.x)
    assert (curve(thin.x) == thin.y).all()
    # Times of one place across are one place; before its last step the next place is reached.
    last_of_place = np.append(np.diff(np.floor(times / end * across)) > 0, True)
    assert np.abs(thin(times) - curve(times))[last_of_place].max() <= 1 / up


def test_curves_that_a_screen_can_show_are_told_as_they_are():
    model = veterans()
    lines = {line.get_gid(): line for line in curves_on_page(model, 0.95).axes.lines}
    for node, curve in model.leaf_curves_.items():
        line = lines[f"curve-{node}.line"]
        assert line.get_xdata()[1:-1].tolist() == curve.survival.x.tolist()
        assert line.get_ydata()[1:-1].tolist() == curve.survival.y.tolist()


def test_two_writes_are_byte_equal(tmp_path):
    model, X, y = mixed_model(missing="question")
    assert written(model, tmp_path, X, y, cv=2) == written(model, tmp_path, X, y, cv=2)


@pytest.mark.slow
def test_a_large_study_makes_a_small_page(tmp_path):
    model, X, y = large_model()
    assert model.n_leaves_ == 16
    assert len(model.unique_times_) == len(X) == 100_000
    text = written(model, tmp_path, X, y, cv=2)
    assert len(text.encode()) < 1_000_000


def test_a_page_without_rows_says_so(tmp_path):
    text = written(veterans(), tmp_path)
    assert "made without rows" in text
    assert 'id="scores"' not in text
    assert 'id="data"' not in text
    assert "Proven optimal on the training rows." in text
    assert "made without rows" not in written(veterans(), tmp_path, *VETERANS, cv=None)


def test_held_out_scores_are_those_of_fits_without_the_fold():
    X, y = VETERANS
    model = veterans()
    told = facts_of(model, X, y, cv=3, seed=7)["scores"]
    expected = {"Harrell's C": [], "IBS ratio": [], "Uno's C": []}
    folds = StratifiedKFold(3, shuffle=True, random_state=7)
    for train, test in folds.split(X, y["event"]):
        refit = clone(model).fit(X[train.tolist()], y[train])
        held_out, rows = y[test], X[test.tolist()]
        expected["Harrell's C"].append(metrics.harrell_c(held_out, refit, X=rows))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", metrics.BeyondTrainingWarning)
            for name, metric in (("IBS ratio", metrics.ibs_ratio), ("Uno's C", metrics.uno_c)):
                expected[name].append(metric(held_out, refit, X=rows, train=y[train]))
    by_name = {metric["name"]: metric for metric in told["metrics"]}
    assert told["n_folds"] == 3
    for name, scores in expected.items():
        assert by_name[name]["mean"] == pytest.approx(np.mean(scores))
        error = np.std(scores, ddof=1) / np.sqrt(3)
        assert by_name[name]["standard_error"] == pytest.approx(error)


def test_scores_on_the_rows_of_the_fit_are_those_of_the_model():
    model = veterans()
    told = {m["name"]: m["apparent"] for m in facts_of(model, *VETERANS)["scores"]["metrics"]}
    assert told["IBS ratio"] == pytest.approx(model.ibs_ratio_)
    assert told["integrated Brier score"] == pytest.approx(model.loss_)


def test_refits_hold_to_the_options_of_the_model():
    model, X, y = mixed_model(missing="question", max_leaves=2)
    same = [OptimalSurvivalTree(5, 0.0, max_leaves=2, thresholds=5, missing="question")]
    told = facts_of(model, X, y, cv=2)["scores"]["metrics"]
    again = facts_of(same[0].fit(X, y), X, y, cv=2)["scores"]["metrics"]
    deeper, _, _ = mixed_model(missing="question")
    assert told == again
    assert told != facts_of(deeper, X, y, cv=2)["scores"]["metrics"]


def test_a_bound_known_for_all_rows_is_not_asked_of_some():
    model = veterans(upper_bound=veterans().objective_)
    scores = facts_of(model, *VETERANS, cv=3)["scores"]
    assert scores["metrics"] == facts_of(veterans(), *VETERANS, cv=3)["scores"]["metrics"]


def test_every_held_out_row_is_calibrated_once():
    scores = facts_of(veterans(), *VETERANS, cv=3, times=[60, 120])["scores"]
    assert [at["time"] for at in scores["calibration"]] == [60, 120]
    for at in scores["calibration"]:
        assert sum(at["n_rows"]) == 137
        limits = zip(at["low"], at["observed"], at["high"], strict=True)
        assert all(low <= observed <= high for low, observed, high in limits)


def test_the_rows_of_the_fit_alone_say_nothing_of_calibration():
    assert facts_of(veterans(), *VETERANS)["scores"]["calibration"] == []


def test_rows_that_are_not_those_of_the_fit_are_new(tmp_path):
    X, y = VETERANS
    model = OptimalSurvivalTree(2, 0.001).fit(X[:90], y[:90])
    facts = facts_of(model, X[90:], y[90:], cv=5)
    assert not facts["scores"]["is_training"]
    assert facts["scores"]["n_folds"] == 0
    told = {metric["name"]: metric["apparent"] for metric in facts["scores"]["metrics"]}
    assert told["Harrell's C"] == pytest.approx(metrics.harrell_c(y[90:], model, X=X[90:]))
    assert facts["scores"]["calibration"]
    assert "treated as new rows" in written(model, tmp_path, X[90:], y[90:])


def test_a_reference_that_knows_all_rows_is_not_cross_validated(tmp_path):
    losses = np.zeros(137)
    model = veterans(reference=losses, reference_mode="prove")
    assert facts_of(model, *VETERANS, cv=5)["scores"]["why_not_held_out"] == "reference"
    assert "uses a reference model" in written(model, tmp_path, *VETERANS)


def test_folds_that_were_listed_are_not_made_of_fewer_rows(tmp_path):
    halves = [(np.arange(70), np.arange(70, 137)), (np.arange(70, 137), np.arange(70))]
    model = OptimalSurvivalTreeCV(max_depths=(1,), cv=halves).fit(*VETERANS)
    assert "folds that were listed" in written(model, tmp_path, *VETERANS)


@pytest.mark.slow
def test_a_tuned_model_has_a_page(tmp_path):
    model = OptimalSurvivalTreeCV(max_depths=(1,), cv=2, random_state=1).fit(*VETERANS)
    text = written(model, tmp_path, *VETERANS, cv=2)
    assert "OptimalSurvivalTreeCV(max_depths=(1,), cv=2, random_state=1)" in text


def test_the_outcome_may_be_columns_of_the_table(tmp_path):
    X, y = VETERANS
    frame = X.with_columns(days=y["time"], died=y["event"])
    model = OptimalSurvivalTree(2, 0.002).fit(frame, duration_col="days", event_col="died")
    text = written(model, tmp_path, frame, cv=None)
    assert "Every claim held" in text


def test_weights_are_those_of_the_fit(tmp_path):
    X, y = VETERANS
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    model = OptimalSurvivalTree(2, 0.002).fit(X, y, weight)
    assert "Every claim held" in written(model, tmp_path, X, y, sample_weight=weight, cv=2)
    assert "Not every claim held" in written(model, tmp_path, X, y, cv=2)


def test_rows_left_out_of_the_fit_are_counted():
    X, y = mixed_table()
    model = OptimalSurvivalTree(2, 0.0, missing="drop").fit(X, y)
    data = facts_of(model, X, y, cv=2)["data"]
    complete = len(X.dropna())
    assert (data["rows"], data["left_out"]) == (complete, 400 - complete)


def test_columns_are_told_by_kind():
    model, X, y = mixed_model(missing="question")
    columns = {c["name"]: c for c in facts_of(model, X, y)["data"]["columns"]}
    assert columns["age"]["quartiles"][::2] == [30, X["age"].median(), 89]
    assert columns["age"]["missing"] == X["age"].isna().sum() > 0
    assert [pair["level"] for pair in columns["grade"]["levels"]] == GRADES
    counts = X["cell"].value_counts().tolist()
    assert [pair["n"] for pair in columns["cell"]["levels"]] == counts
    assert {pair["level"] for pair in columns["smoker"]["levels"]} == {"True", "False"}
    assert {pair["level"] for pair in columns["treated"]["levels"]} == {"0", "1"}


def test_follow_up_is_the_median_time_to_censoring():
    # By hand: events hide the end of follow-up; of 4 at risk at 2 one ends, of 2 at 6 one.
    X = np.array([[0], [1], [0], [1], [0]])
    y = ([True, False, True, False, True], [1.0, 2.0, 3.0, 6.0, 9.0])
    model = OptimalSurvivalTree(1, 0.0, min_samples_leaf=1).fit(X, y)
    assert facts_of(model, X, y)["data"]["follow_up"] == 6.0


def test_every_field_of_the_form_is_of_the_kind_of_its_column():
    model, _, _ = mixed_model(missing="question")
    fields = {field["name"]: field for field in form_fields(model)}
    assert set(fields) == {"age", "treated", "smoker", "cell", "grade"}
    assert {name: field["kind"] for name, field in fields.items()} == {
        "age": "number",
        "treated": "flag",
        "smoker": "flag",
        "cell": "level",
        "grade": "level",
    }
    assert fields["grade"]["choices"] == GRADES
    assert all(field["can_be_missing"] for field in fields.values())
    assert not any(field["can_be_missing"] for field in form_fields(mixed_model()[0]))


def test_the_proof_is_told_in_words(tmp_path):
    text = " ".join(written(veterans(), tmp_path, *VETERANS, cv=None).split())
    assert "loss 0.056729" in text
    assert "5 leaves × 0.002" in text
    assert (
        "all trees over 44 candidate splits, of depth at most 3, with at least 7 rows per leaf"
        in text
    )
    assert veterans().certificate_.fingerprint in text


@pytest.mark.parametrize("shrinkage", ["default", 0])
def test_the_proof_for_a_teacher_says_which_curves_the_leaves_predict(tmp_path, shrinkage):
    model = OptimalSurvivalTree(shrinkage=shrinkage).fit(*VETERANS)
    text = " ".join(written(model, tmp_path, *VETERANS, cv=None).split())
    own = "curves of the teacher, but the Kaplan-Meier curves of their own rows."
    pulled = (
        "curves of the teacher, but shrunken ones: the Kaplan-Meier curve of the leaf's own rows"
    )
    assert (own in text, pulled in text) == (shrinkage == 0, shrinkage != 0)
    assert "The leaves show Kaplan-Meier curves of their own rows" not in text


def test_what_was_assumed_or_rounded_or_stopped_is_told(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", survtree.SearchStoppedWarning)
        stopped = veterans(max_depth=5, regularization=0.0, node_limit=1)
    assert stopped.status_ == "node_limit"
    assert "Stopped by the node limit" in written(stopped, tmp_path)
    assert "Not proven optimal." in written(stopped, tmp_path)
    rounded = written(veterans(time_buckets=10), tmp_path, *VETERANS, cv=None)
    assert "rounded up to 10 buckets" in rounded
    text = written(veterans(horizon=100), tmp_path, *VETERANS, cv=2)
    assert "the integrated Brier score, integrated to 100, with weights" in text
    assert "are integrated to 100, the horizon of the fit" in text
    guessed = written(veterans(reference=np.zeros(137)), tmp_path)
    assert "does the best tree lose less than the reference" in guessed


@pytest.mark.filterwarnings("ignore::survtree.DataWarning")
@pytest.mark.parametrize("is_text", [False, True])
def test_a_column_that_numbers_the_rows_is_a_note_and_no_warning(tmp_path, is_text):
    X, y = VETERANS
    rows = np.arange(len(X))
    numbered = X.with_columns(patient_id=np.char.add("p", rows.astype(str)) if is_text else rows)
    model = OptimalSurvivalTree(1, 0.01).fit(numbered, y)
    parts = Parts(written(model, tmp_path, numbered, y, cv=None))
    assert ("id", "notes") in parts.attributes
    assert ("id", "warnings") not in parts.attributes
    assert [said for said in parts.inside("bdi") if "left out" in said]


@pytest.mark.filterwarnings("ignore::survtree.DataWarning")
def test_warnings_and_notes_of_the_same_fit_are_apart():
    facts = facts_of(misread_model())
    assert ["'number' is left out" in said for said in facts["notes"]] == [True]
    assert ["reads as numbers" in said for said in facts["warnings"]] == [True]


def test_a_lone_leaf_has_a_page(tmp_path):
    text = written(veterans(max_depth=0), tmp_path, *VETERANS, cv=2)
    assert "one curve for all rows" in text
    assert 'id="find"' not in text


@pytest.mark.slow
def test_the_code_shown_makes_the_same_model(tmp_path):
    model = OptimalSurvivalTreeCV(max_depths=(1, 2), cv=3).fit(*VETERANS)
    shown = Parts(written(model, tmp_path, *VETERANS, cv=None)).inside("code")
    codes = [text for text in shown if "import" in text]
    assert len(codes) == 2
    for code in codes:
        names = dict(zip("Xy", VETERANS, strict=True))
        exec(code, names)
        again = names["model"]
        assert again.predict(VETERANS[0]).tolist() == model.predict(VETERANS[0]).tolist()
        assert again.recipe_.data in shown


def test_seed_versions_and_rows_are_shown(tmp_path):
    text = written(OptimalSurvivalTree(1, random_state=11).fit(*VETERANS), tmp_path)
    assert "<dt>Seed</dt><dd>11</dd>" in text
    for name in ("survtree", "numpy", "scikit-learn"):
        assert f"{name} {version(name)}" in text


def test_a_command_is_shown_instead_of_code_that_was_never_written(tmp_path):
    text = written(veterans(), tmp_path, command="survtree fit 'a & b.csv' --depth 3")
    assert "survtree fit &#39;a &amp; b.csv&#39; --depth 3" in text
    assert text.count("from survtree import") == 1


def test_hostile_names_stay_text(tmp_path):
    model, X, y = hostile_model()
    title = "</title><script>alert(1)</script>{{7*7}}"
    parts = Parts(written(model, tmp_path, X, y, cv=None, title=title))
    assert parts.tags.count("script") == 2
    assert not {"img", "i"} & set(parts.tags)
    assert not [name for name, _ in parts.attributes if name.startswith("on")]
    assert not [name for name, _ in parts.attributes if name == "style"]
    assert parts.inside("title")[0] == title
    told = parts.inside("bdi")
    for name in HOSTILE:
        assert (name or "(no name)") in told


def test_embedded_data_cannot_end_their_script(tmp_path):
    model, X, y = hostile_model()
    text = written(model, tmp_path, X, y, cv=None)
    embedded = re.search(r'<script type="application/json" id="facts">(.*?)</script>', text, re.S)
    assert not set("<>&\u2028\u2029") & set(embedded[1])
    names = {field["name"] for field in json.loads(embedded[1])["fields"]}
    assert names == {field["name"] for field in form_fields(model)}


def test_the_policy_names_the_code_and_styles_of_the_page(tmp_path):
    text = written(veterans(), tmp_path)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_the_page_has_no_address_of_another_place(tmp_path):
    text = written(veterans(), tmp_path, *VETERANS, cv=None)
    links = {value for name, value in Parts(text).attributes if name in ("href", "src", "action")}
    assert all(link.startswith("#") or link == "data:," for link in links)
    assert not re.search(r"url\(|@import|https?://", text)


@pytest.mark.parametrize("name", [*HOSTILE, "Karnofsky_performance_score", "年齢" * 30])
@pytest.mark.parametrize("after", [" <= 45", " is " + " or ".join(HOSTILE[:3])])
def test_a_split_fits_its_box_and_keeps_its_end(name, after):
    fonts = Fonts(is_browser=True)
    text = fonts.drawable(f"{name}{after}")
    lines = fonts.wrapped(text, 120, 9, 4).lines
    assert max(fonts.width(line, 9) for line in lines) <= 120
    assert len(lines) <= 4
    assert "".join(lines).replace("\u200e", "").endswith(text[-5:].strip())


def test_a_browser_finds_a_font_for_every_character():
    name = "年齢 🫀 ضغط الدم"
    assert Fonts(is_browser=True).drawable(name) == name
    assert "□" in Fonts().drawable(name)
    assert Fonts(is_browser=True).width("年", 10) > Fonts(is_browser=True).width("a", 10)


def test_words_of_a_name_are_one_run_of_text():
    lines = Fonts(is_browser=True).wrapped("ضغط الدم <= 45", 1e9, 9, 4).lines
    assert lines == ("\u200eضغط الدم\u200e <= 45",)


def test_numbers_read_well():
    numbers = (None, 0.0, 12.0, 1234567.0, 3.14159, 1200.4)
    assert [format_number(value) for value in numbers] == [
        *("–", "0", "12", "1,234,567", "3.14", "1,200"),
    ]
    assert [format_ratio(v) for v in (1.2345, 12.345, 123.45)] == ["1.23", "12.3", "123"]
    assert format_count(1, "leaf") == "1 leaf"
    assert format_count(1200, "row") == "1,200 rows"
    assert format_p_value(1e-9) == "p < 0.001"
    assert format_limits(1.0, None) == "1 or more"
    assert format_limits(None, None) == ""
    assert round_ticks(999.0) == [0, 200, 400, 600, 800]
    assert round_ticks(0.011) == [0, 0.002, 0.004, 0.006, 0.008, 0.01]


def test_a_notebook_shows_the_tree_and_its_proof():
    model, _, _ = hostile_model()
    html = model._repr_html_()
    parts = Parts(html)
    assert len(html) < 60_000
    assert not {"script", "style", "img"} & set(parts.tags)
    assert not [name for name, _ in parts.attributes if name == "id"]
    assert model.certificate_.summary() in parts.inside("p")
    assert model._repr_mimebundle_()["text/html"] == html


def test_a_notebook_shows_the_options_of_a_model_that_was_not_fitted():
    model = OptimalSurvivalTree(max_depth=2)
    assert "sk-" in model._repr_html_()
    assert "sk-" in model._repr_mimebundle_()["text/html"]


def test_the_text_of_the_page_is_made_of_facts_alone():
    model = veterans()
    facts = facts_of(model, *VETERANS, cv=2)
    again = json.loads(json.dumps(facts), object_hook=with_numbers)
    assert page_pictures(model, again) == page_pictures(model, facts)
    pictures = page_pictures(model, facts)
    assert page(again, pictures) == page(facts, pictures)


def with_numbers(found):
    """JSON has no numbers as keys."""
    return {int(key) if key.isdigit() else key: value for key, value in found.items()}


def test_pictures_do_not_follow_the_style_of_plots():
    model = veterans()
    facts = facts_of(model)
    expected = model._repr_html_(), page_pictures(model, facts)
    with context("dark_background"):
        assert (model._repr_html_(), page_pictures(model, facts)) == expected


def test_lines_of_a_leaf_are_centred_whatever_the_font_of_the_browser():
    html = veterans()._repr_html_()
    lines = re.findall(r"<text ([^>]*)>(?:Group \d|\d+ rows|\d+ events|median)", html)
    assert len(lines) == 4 * 5
    assert all('text-anchor="middle"' in attributes for attributes in lines)
    assert len({re.search(r' x="([^"]*)"', attributes)[1] for attributes in lines}) == 5


def test_what_is_drawn_of_a_leaf_is_in_its_group():
    model = veterans()
    tree = str(page_pictures(model, facts_of(model)).tree)
    groups = dict(re.findall(r'<g class="node[^"]*" data-node="(\d+)".*?</title>(.*?)</g>', tree))
    assert len(groups) == model.tree_.n_nodes
    for group, node in model.groups_.items():
        inside, curve = groups[str(node)], model.leaf_curves_[node]
        assert f">Group {group}<" in inside
        assert f">{curve.n_rows} rows<" in inside
        assert inside.count("leaf-line") == inside.count("leaf-fill") == 1
        assert inside.count('class="box') == 1
