"""What the words "default" and "auto" come to, beside a penalty and beside "auto"."""

from dataclasses import replace

import numpy as np
import pytest

from survtree import (
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    export_json,
    export_text,
    load,
    regularization_path,
)
from survtree._data.read_table import check_table
from survtree._data.table import EventTable
from survtree._model import defaults
from survtree._model.defaults import auto_horizon, resolved_horizon, resolved_regularization
from survtree._model.lone_leaf import why_one_leaf
from survtree._model.path import found_path
from survtree._scoring.losses import LossByDefinition
from survtree._scoring.shrinkage import SHRINKAGES, nearest_shrinkage, shrunken_curves
from survtree._scoring.teachers import built_in_curves
from survtree._search.problem import SearchSettings
from survtree._search.solve import solve
from survtree.datasets import load as load_data
from tests.support.slow_shrinkage import kaplan_meier, shrunken

X, y = load_data("veterans")
N = len(y)
EVENTS = EventTable(y["event"], y["time"], np.ones(N))
PAPER = {"max_depth": 4, "horizon": None, "shrinkage": 0, "teacher": None, "min_events_leaf": 0}


@pytest.fixture(scope="module")
def model():
    """A user who sets nothing."""
    return OptimalSurvivalTree().fit(X, y)


@pytest.mark.parametrize("regularization", [0.002, 0.01, 0.0])
def test_a_penalty_brings_the_papers_way_bit_for_bit(regularization):
    few = {"thresholds": 2} if regularization == 0 else {}
    plain = OptimalSurvivalTree(regularization=regularization, **few).fit(X, y)
    paper = OptimalSurvivalTree(regularization=regularization, **few, **PAPER).fit(X, y)
    for part in ("question", "no", "yes"):
        assert np.array_equal(getattr(plain.tree_, part), getattr(paper.tree_, part))
    curves = (m.predict_survival_function(X, return_array=True) for m in (plain, paper))
    assert np.array_equal(*curves)
    names = ("objective", "loss", "lower_bound", "status", "fingerprint", "max_depth", "counts")
    for name in (*names, "horizon", "teacher", "min_events_leaf", "loss_kind"):
        assert getattr(plain.certificate_, name) == getattr(paper.certificate_, name), name
    assert (plain.certificate_.max_depth, plain.shrinkage_) == (4, 0.0)
    assert (plain.teacher_, plain.horizon_, plain.min_events_leaf_) == (None, None, 0)
    assert plain.predicted_curves_[plain.tree_.leaves[0]].survival is (
        plain.leaf_curves_[plain.tree_.leaves[0]].survival
    )


def test_a_user_who_sets_nothing_gets_a_teacher_a_horizon_and_shrunken_curves(model):
    assert model.status_ == "optimal"
    assert (model.teacher_, model.certificate_.loss_kind) == ("auto", "teacher")
    assert model.certificate_.max_depth == 3
    assert model.horizon_ == auto_horizon(EVENTS)
    assert model.min_events_leaf_ == 1
    assert model.shrinkage_ in SHRINKAGES
    one_leaf = LossByDefinition.of(EVENTS.until(model.horizon_)).one_leaf_loss()
    assert model.regularization_ == pytest.approx(defaults.TEACHER_SHARE * one_leaf / N)
    assert model.get_params()["regularization"] == "auto"  # what the user gave stays
    leaf_of_row = model.tree_.leaf_numbers()[model.apply(X)]
    brier = LossByDefinition.of(EVENTS.until(model.horizon_))
    assert model.ibs_ratio_ == pytest.approx(1 - brier.tree_loss(leaf_of_row) / one_leaf)


def test_a_user_who_sets_nothing_gets_the_same_tree_again(model):
    again = OptimalSurvivalTree().fit(X, y)
    assert again.objective_ == model.objective_
    assert export_text(again) == export_text(model)


def test_defaults_spelled_out_are_the_defaults(model):
    names = ("horizon", "teacher", "shrinkage")
    words = {**dict.fromkeys(names, "auto"), "levels": "grouped", "min_events_leaf": 1}
    spelled = OptimalSurvivalTree(3, "auto", **words).fit(X, y)
    assert spelled.objective_ == model.objective_
    number = OptimalSurvivalTree(3, model.regularization_, **words).fit(X, y)
    assert number.objective_ == model.objective_
    assert np.array_equal(number.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("name", "value", "attribute", "found"),
    [
        ("teacher", None, "teacher_", None),
        ("teacher", "cox", "teacher_", "cox"),
        ("horizon", None, "horizon_", None),
        ("horizon", 100, "horizon_", 100.0),
        ("shrinkage", 7, "shrinkage_", 7.0),
        ("min_events_leaf", 20, "min_events_leaf_", 20),
        ("max_depth", 1, "depth_", 1),
    ],
)
def test_each_default_can_be_replaced_alone(name, value, attribute, found, model):
    other = OptimalSurvivalTree(**{"max_depth": 2, name: value}).fit(X, y)
    assert getattr(other, attribute) == found
    if name != "teacher":
        assert other.teacher_ == "auto"
    if name != "horizon":
        assert other.horizon_ == model.horizon_


def test_without_a_teacher_the_penalty_grows_with_the_number_of_questions():
    one_leaf = LossByDefinition.of(EVENTS).one_leaf_loss()
    for n_questions, logarithm in ((0, np.log(2)), (2, np.log(2)), (50, np.log(50))):
        found = resolved_regularization("auto", EVENTS, n_questions, has_teacher=False)
        assert found == pytest.approx(one_leaf * logarithm / N)
    assert resolved_regularization(0.25, EVENTS, 50, has_teacher=False) == 0.25
    model = OptimalSurvivalTree(teacher=None).fit(X, y)
    loss = LossByDefinition.of(EVENTS.until(model.horizon_)).one_leaf_loss()
    wanted = loss * np.log(len(model.questions_)) / N
    assert model.regularization_ == pytest.approx(wanted)
    assert model.shrinkage_ == defaults.SHRINKAGE_ROWS


def test_the_horizon_is_where_most_rows_have_ended():
    time = np.arange(1.0, 101.0)
    events = EventTable(np.ones(100, bool), time, np.ones(100))
    assert 80 < auto_horizon(events) < 100  # some rows are still at risk
    last_event = EventTable(time <= 40, time, np.ones(100))
    assert auto_horizon(last_event) == 40.0
    heavy = EventTable(np.ones(100, bool), time, np.where(time == 100, 900.0, 1.0))
    assert auto_horizon(heavy) == 100.0
    only_late = EventTable(time == 99, time, np.ones(100))
    assert auto_horizon(only_late) == 100.0  # no event is early enough
    assert resolved_horizon(500.0, events) == 100.0
    assert resolved_horizon(None, events) is None


@pytest.mark.slow
def test_shrinkage_by_the_teacher_is_the_best_of_the_candidates(model):
    """By slow code: Kaplan-Meier curves of paths, and distances row by row."""
    table = check_table(OptimalSurvivalTree(), X, reset=True)
    teacher = built_in_curves("auto", table, EVENTS.until(model.horizon_), 0)
    rows = list(zip(EVENTS.time, EVENTS.event, EVENTS.weight, strict=True))
    above, leaf_of_row = model.tree_.ancestors(), model.apply(X)
    paths = {
        leaf: [
            [row for row, at in zip(rows, leaf_of_row, strict=True) if above[at, node]]
            for node in np.flatnonzero(above[leaf])
        ]
        for leaf in model.tree_.leaves.tolist()
    }

    def distance(shrinkage):
        curves = {
            leaf: np.array([shrunken(kaplan_meier, path, shrinkage, t) for t in teacher.times])
            for leaf, path in paths.items()
        }
        predicted = np.array([curves[leaf] for leaf in leaf_of_row.tolist()])
        return ((predicted - teacher.survival) ** 2 @ teacher.lengths()).sum()

    distances = [distance(shrinkage) for shrinkage in SHRINKAGES]
    leaves = model.tree_.leaf_numbers()[leaf_of_row]
    means = teacher.means(leaves, EVENTS.weight, model.n_leaves_)
    found = nearest_shrinkage(model.tree_, model.leaf_curves_, teacher, means)
    assert found == SHRINKAGES[int(np.argmin(distances))]
    assert 0 < found < SHRINKAGES[-1]
    predicted = shrunken_curves(model.tree_, model.leaf_curves_, model.shrinkage_)
    for leaf, curve in model.predicted_curves_.items():
        assert np.array_equal(curve.survival.y, predicted[leaf].survival.y)


def lone(**options):
    """A tree of a column that says nothing."""
    rng = np.random.default_rng(3)
    table, outcome = rng.normal(size=(60, 1)), (np.ones(60, bool), rng.exponential(9, 60))
    usual = {"regularization": 0.2, "horizon": "auto"}
    return OptimalSurvivalTree(**{**usual, **options}).fit(table, outcome)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"max_depth": 0}, "One leaf, because no more is allowed."),
        ({"max_leaves": 1}, "One leaf, because no more is allowed."),
        (
            {"min_samples_leaf": 31},
            "One leaf, because no split that leaves at least 31 rows on each side reduces the "
            "loss.",
        ),
        (
            {"min_events_leaf": 40},
            "One leaf, because no split that leaves at least 7 rows and 40 events on each side "
            "reduces the loss.",
        ),
    ],
)
def test_reasons_for_one_leaf(options, reason):
    model = lone(**options)
    assert model.n_leaves_ == 1
    assert model.one_leaf_reason_ == reason


def test_one_leaf_because_of_the_penalty():
    model = lone()
    assert model.one_leaf_reason_.startswith("One leaf, because the best split, x0 <= ")
    assert model.one_leaf_reason_.endswith("which is less than the penalty per leaf.")
    words = model.one_leaf_reason_.split()
    gain = float(words[words.index("by") + 1].rstrip(","))
    deeper = lone(max_depth=1, regularization=0.0)
    assert gain == pytest.approx(model.loss_ - deeper.loss_, rel=0.01)
    assert deeper.one_leaf_reason_ == ""


def test_the_reason_for_one_leaf_holds_for_all_penalties_of_a_path():
    path = regularization_path(X, y, max_depth=1)
    lone = path[0]
    gain = lone.regularization_interval_[0]  # of the best split
    words = lone.one_leaf_reason_.split()
    assert float(words[words.index("by") + 1].rstrip(",")) == pytest.approx(gain, rel=0.01)
    assert lone.one_leaf_reason_.endswith("which is less than the penalty per leaf.")
    assert path.at(2 * gain).one_leaf_reason_ == lone.one_leaf_reason_


def test_one_leaf_because_the_search_was_stopped():
    problem = lone()._state.problem
    stopped = replace(solve(problem, SearchSettings()), status="node_limit")
    reason = "One leaf, because the search was stopped before it found a better tree."
    assert why_one_leaf(problem, stopped) == reason


def tuned(**options):
    return OptimalSurvivalTreeCV(**{"max_depths": (1, 2), "cv": 3, **options})


def test_tuning_by_default_is_for_new_rows():
    cv = OptimalSurvivalTreeCV(cv=3).fit(X, y)
    assert set(cv.cv_results_["param_max_depth"]) == {3}
    assert (cv.teacher_, cv.horizon_) == ("auto", auto_horizon(EVENTS))
    assert cv.seed_ == 0
    paper = OptimalSurvivalTreeCV(cv=3, min_regularization=0.01).fit(X, y)
    assert set(paper.cv_results_["param_max_depth"]) == {1, 2, 3, 4}
    assert (paper.teacher_, paper.horizon_, paper.shrinkage_) == (None, None, 0.0)


@pytest.mark.slow
def test_the_seed_is_kept_and_repeats_a_fit():
    for state in (5, np.int64(5), np.random.RandomState(1), None):
        first = tuned(random_state=state, teacher="cox").fit(X, y)
        again = tuned(random_state=first.seed_, teacher="cox").fit(X, y)
        assert first.seed_ == again.seed_
        assert first.best_score_ == again.best_score_
    assert tuned(random_state=np.int64(5), teacher="cox").fit(X, y).seed_ == 5


def test_repeats_are_more_folds_that_count_as_few():
    once, thrice = (
        tuned(n_repeats=n, min_regularization=0.002, teacher=None).fit(X, y) for n in (1, 3)
    )
    assert (once.n_splits_, thrice.n_splits_) == (3, 9)
    for k in range(3):  # the first repeat has the folds of a single one
        name = f"split{k}_test_score"
        assert np.array_equal(once.cv_results_[name], thrice.cv_results_[name])
    scores = np.array([thrice.cv_results_[f"split{k}_test_score"] for k in range(9)])
    assert thrice.cv_results_["mean_test_score"] == pytest.approx(scores.mean(axis=0))
    wanted = scores.std(axis=0, ddof=1) / np.sqrt(3)  # repeats share their rows
    assert thrice.cv_results_["standard_error_test_score"] == pytest.approx(wanted)


@pytest.mark.parametrize("seed", range(3))
def test_held_out_outcomes_never_reach_the_path_of_a_fold(seed):
    """Other outcomes of the held-out rows change scores, but no tree that they score."""
    rng = np.random.default_rng(seed)
    held_out = np.flatnonzero(rng.random(N) < 0.3)
    train = np.setdiff1d(np.arange(N), held_out)
    folds = [(train, held_out), (held_out, train)]
    event, time = y["event"].copy(), y["time"].copy()
    shuffled = rng.permutation(held_out)
    event[held_out], time[held_out] = event[shuffled], time[shuffled]
    # All rows choose the smallest penalty and the horizon, so these are fixed here.
    fixed = {"cv": folds, "min_regularization": 0.0005, "horizon": 300.0}
    options = {**fixed, "teacher": "auto", "shrinkage": "auto", "max_depths": (2,)}
    scored = []
    for outcome in ((y["event"], y["time"]), (event, time)):
        paths = []
        with pytest.MonkeyPatch.context() as patch:
            module = "survtree._model.cross_validation.found_path"
            patch.setattr(module, lambda *a, to=paths: to.append(found_path(*a)) or to[-1])
            OptimalSurvivalTreeCV(**options).fit(X, outcome)
        scored.append(paths[1][0])  # all rows come first, then the folds
    one, other = scored
    assert len(one) == len(other) > 1
    for a, b in zip(one, other, strict=True):
        assert (a.objective_, a.shrinkage_) == (b.objective_, b.shrinkage_)
        assert np.array_equal(a.certificate_.targets, b.certificate_.targets)
        assert np.array_equal(a.predict(X), b.predict(X))


def test_a_bootstrap_of_a_tree_without_a_penalty():
    found = bootstrap(OptimalSurvivalTree(1, 0.0), X, y, n_bootstraps=2, random_state=0)
    assert found.model.regularization_ == 0


def test_a_file_keeps_the_words_and_what_they_came_to(model, tmp_path):
    export_json(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.get_params() == model.get_params()
    for name in ("regularization_", "horizon_", "shrinkage_", "teacher_", "min_events_leaf_"):
        assert getattr(loaded, name) == getattr(model, name)
    assert np.array_equal(loaded.predict(X), model.predict(X))
