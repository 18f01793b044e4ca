"""A cause named where no other one competes: its labels are remembered wherever rows are read."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from survtree import (
    DataWarning,
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    export_json,
    export_text,
    load,
    metrics,
    regularization_path,
)
from survtree._data.causes import Causes, with_cause
from survtree._data.read_events import read_events
from survtree._show.report_facts import report_facts

RNG = np.random.default_rng(11)
N = 160
X = pd.DataFrame({"a": RNG.integers(0, 2, N), "b": RNG.normal(size=N).round(2)})
ENDS = np.array([RNG.exponential(9 - 5 * X["a"]), RNG.exponential(8, N)])
DIED, TIME = ENDS.argmin(axis=0) == 0, np.ceil(ENDS.min(axis=0)) + 0.5
PLAIN_Y = (DIED, TIME)
ROLES = {"duration_col": "t", "event_col": "status"}
# The event column, its label of the event, and that of censored rows.
CODINGS = {
    "0 is the event": (np.where(DIED, 0, 1), 0, 1),
    "2 is the event": (np.where(DIED, 2, 1), 2, 1),
    "words": (np.where(DIED, "died", "lost"), "died", "lost"),
    "texts of digits": (np.where(DIED, "1", "0"), "1", None),
    "flags the other way round": (~DIED, False, True),
}


def tree(**options):
    return OptimalSurvivalTree(2, 0.01, **options)


@pytest.fixture(scope="module")
def plain():
    return tree().fit(X, PLAIN_Y)


@pytest.fixture(scope="module", params=CODINGS)
def coded(request):
    """The frame, its event column, how the cause is named, and the model."""
    status, cause, censored = CODINGS[request.param]
    frame, named = X.assign(t=TIME, status=status), {"cause": cause, "censored": censored}
    return frame, status, named, tree().fit(frame, **ROLES, **named)


def test_the_frame_of_the_fit_is_read_by_its_labels(coded, plain, tmp_path):
    frame, status, named, model = coded
    assert model.causes_ is None
    assert export_text(model) == export_text(plain)
    assert model.certificate_.fingerprint == plain.certificate_.fingerprint
    assert model.score(frame) == model.score(X, (status, TIME)) == plain.score(X, PLAIN_Y)
    assert metrics.ibs_ratio(frame, model) == metrics.ibs_ratio(PLAIN_Y, plain, X=X)
    found = metrics.uno_c(frame, model, train=frame)
    assert found == metrics.uno_c(PLAIN_Y, plain, X=X, train=PLAIN_Y)
    assert model.certificate_.verify(frame)
    assert not model.certificate_.verify(X, with_cause((status, TIME), *swapped(named)))
    options = {"title": "", "times": None, "cv": None, "compare": False, "command": None}
    rows = X, (status, TIME), None
    assert report_facts(model, rows, seed=0, **options)["data"]["events"] == DIED.sum()
    model.report(tmp_path / "page.html", frame, cv=None)


def swapped(named):
    """The event counted as censored, and the other way round."""
    censored = "0" if named["censored"] is None else named["censored"]
    return censored, named["cause"]


def test_it_is_fitted_again_by_what_its_recipe_says(coded):
    frame, status, named, model = coded
    space = {"X": frame}
    exec(str(model.recipe_.code), space)
    assert export_text(space["model"]) == export_text(model)
    exec(str(space["model"].recipe_.code_as_made), space)
    assert export_text(space["model"]) == export_text(model)
    space = {"X": X, "y": (status, TIME)}
    exec(str(tree().fit(X, space["y"], **named).recipe_.code), space)
    assert export_text(space["model"]) == export_text(model)


def test_a_model_file_keeps_the_labels(coded, plain, tmp_path):
    frame, _, _, model = coded
    text = export_json(model, tmp_path / "model.json")
    same = load(tmp_path / "model.json")
    assert export_json(same) == text
    assert "one_cause" in json.loads(text)
    assert same.causes_ is None
    assert same.score(frame) == plain.score(X, PLAIN_Y)
    assert same.certificate_.verify(frame)
    assert same.recipe_.code == model.recipe_.code


def test_the_cause_is_known_by_its_own_name(coded):
    frame, _, named, model = coded
    curves = model.predict_cumulative_incidence(frame, cause=named["cause"], return_array=True)
    assert (curves == model.predict_cumulative_incidence(X, return_array=True)).all()
    with pytest.raises(ValueError, match=r"those of the fit, '.*'; got 'none'.*to one cause"):
        model.predict_cumulative_incidence(frame, cause="none")


def test_a_fitted_estimator_is_resampled_by_the_labels_of_its_fit(coded, plain):
    frame, _, _, model = coded
    wanted = bootstrap(plain, X, PLAIN_Y, n_bootstraps=3)
    found = bootstrap(model, frame, n_bootstraps=3)
    assert found.harrell_c == wanted.harrell_c
    assert found.model.score(frame) == plain.score(X, PLAIN_Y)


def test_trees_of_a_path_and_a_cross_validation_know_the_labels(coded):
    frame, _, named, _ = coded
    path = regularization_path(frame, **ROLES, **named, max_depth=1, min_regularization=0.01)
    wanted = regularization_path(X, PLAIN_Y, max_depth=1, min_regularization=0.01)
    assert path[-1].score(frame) == wanted[-1].score(X, PLAIN_Y)
    how = {"max_depths": [1], "min_regularization": 0.01, "cv": 3}
    tuned = OptimalSurvivalTreeCV(**how).fit(frame, **ROLES, **named)
    same = OptimalSurvivalTreeCV(**how).fit(X, PLAIN_Y)
    assert tuned.best_score_ == same.best_score_
    assert tuned.score(frame) == tuned.best_estimator_.score(frame) == same.score(X, PLAIN_Y)
    assert "cause=" in tuned.recipe_.code_as_made
    nested = tuned.nested_score(frame, cv=2), same.nested_score(X, PLAIN_Y, cv=2)
    assert nested[0].scores.tolist() == nested[1].scores.tolist()


def test_a_scorer_of_a_cross_validation_gets_flags():
    status, cause, censored = CODINGS["0 is the event"]

    def scoring(model, X, y):
        event, time = y
        return model.score(X, (event, time))

    how = {"max_depths": [1], "min_regularization": 0.01, "cv": 3, "scoring": scoring}
    tuned = OptimalSurvivalTreeCV(**how).fit(X, (status, TIME), cause=cause, censored=censored)
    assert tuned.best_score_ == OptimalSurvivalTreeCV(**how).fit(X, PLAIN_Y).best_score_


@pytest.mark.parametrize("kind", list(CODINGS))
def test_lazy_rows_are_read_by_the_labels_of_the_fit(kind):
    status, cause, censored = CODINGS[kind]
    frame = pl.from_pandas(X.assign(t=TIME, status=status))
    model = tree(teacher=None).fit(frame.lazy(), **ROLES, cause=cause, censored=censored)
    plain = tree(teacher=None).fit(X, PLAIN_Y)
    assert export_text(model) == export_text(plain)
    assert model.causes_ is None
    for rows in (frame, frame.lazy()):
        assert model.score(rows) == pytest.approx(plain.score(X, PLAIN_Y))
        assert model.certificate_.verify(rows)
    assert f"event_col='status', cause='{cause}'" in model.recipe_.code


def test_usual_flags_need_no_labels():
    for status in (DIED, DIED.astype(int), DIED.astype(float)):
        model = tree().fit(X, (status, TIME), cause=1)
        assert "cause" not in model.recipe_.code
        assert "one_cause" not in json.loads(export_json(model))
        assert model.score(X, PLAIN_Y) == model.score(X, (DIED.astype(int), TIME))


def test_other_labels_are_refused():
    status, cause, censored = CODINGS["words"]
    model = tree().fit(X, (status, TIME), cause=cause, censored=censored)
    with pytest.raises(ValueError, match=r"causes of the fit, 'died', or 'lost' \(censored\)"):
        model.score(X, (np.where(DIED, "died", "moved"), TIME))


@pytest.mark.parametrize("kind", ["2 is the event", "words", "texts of digits"])
def test_flags_stay_flags_where_there_is_no_doubt(kind, plain):
    status, cause, censored = CODINGS[kind]
    model = tree().fit(X, (status, TIME), cause=cause, censored=censored)
    assert model.score(X, PLAIN_Y) == plain.score(X, PLAIN_Y)


def test_flags_are_refused_where_0_is_the_event():
    status, cause, censored = CODINGS["0 is the event"]
    model = tree().fit(X, (status, TIME), cause=cause, censored=censored)
    with pytest.raises(ValueError, match="it holds flags, which do not tell"):
        model.score(X, PLAIN_Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f["one_cause"].update(name="1"), "one_cause.name must differ"),
        (lambda f: f["one_cause"].pop("censored"), "one_cause"),
        (
            lambda f: f.update(causes={"names": ["1", "2"], "target": 1, "censored": "0"}),
            "one_cause must be left out where there are causes",
        ),
    ],
)
def test_damaged_labels_in_a_model_file_are_refused(tmp_path, change, message):
    status, cause, censored = CODINGS["0 is the event"]
    model = tree().fit(X, (status, TIME), cause=cause, censored=censored)
    content = json.loads(export_json(model))
    change(content)
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=re.escape(message)):
        load(tmp_path / "model.json")


# What the labels of causes may be.

CODES = RNG.integers(0, 3, N)


def test_flags_do_not_tell_which_of_several_causes_it_was():
    model = tree().fit(X, (CODES, TIME), cause=2)
    for score in (
        lambda: metrics.ibs_ratio((CODES == 2, TIME), model, X=X),
        lambda: model.score(X, (pd.Series(CODES == 2), TIME)),
        lambda: metrics.uno_c((CODES, TIME), model, X=X, train=(CODES == 2, TIME)),
    ):
        with pytest.raises(ValueError, match=r"'1', '2', or '0' \(censored\); it holds flags"):
            score()


@pytest.mark.parametrize(
    ("names", "censored", "likely"),
    [
        (["Censored", "relapse", "death"], "censored", "'Censored'"),
        (["alive", "relapse", "death"], "lost", "'alive'"),
        (["0", "relapse", "death"], "lost", "'0'"),
    ],
)
def test_a_misspelled_label_of_censored_rows_is_refused(names, censored, likely):
    y = np.array(names)[CODES], TIME
    message = f"no row has '{censored}', but some have {likely}, which would be a cause"
    for read in (
        lambda: tree().fit(X, y, cause="death", censored=censored),
        lambda: read_events(with_cause(y, "death", censored)),
    ):
        with pytest.raises(ValueError, match=message):
            read()


def test_codes_of_censored_rows_are_not_taken_for_a_cause():
    with pytest.raises(ValueError, match="no row has '9', but some have '0'"):
        tree().fit(X, (CODES, TIME), cause=1, censored=9)


@pytest.mark.parametrize("is_lazy", [False, True])
def test_that_no_row_has_the_label_of_censored_rows_is_said(is_lazy):
    status = np.array(["moved", "relapse", "death"])[CODES]
    frame = pl.DataFrame({"a": X["a"].to_numpy(), "t": TIME, "status": status})
    model = tree(teacher=None)
    with pytest.warns(DataWarning, match="no row has 'lost', so none counts") as found:
        model.fit(frame.lazy() if is_lazy else frame, **ROLES, cause="death", censored="lost")
    assert len(found) == 1
    assert model.causes_ == Causes(("death", "moved", "relapse"), 1, "lost")
    assert "none counts as censored" in model.warnings_[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.score(frame)
