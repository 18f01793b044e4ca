"""Columns that number the rows, subjects with several rows, and rows that are intervals."""

import re
import warnings

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from survtree import (
    Binarizer,
    DataWarning,
    OptimalSurvivalTree,
    OptimalSurvivalTreeCV,
    bootstrap,
    export_json,
    load,
    regularization_path,
)
from survtree.datasets import load as load_data

X, y = load_data("veterans")
FRAME = X.to_pandas()
N = len(FRAME)
BY_TIME = np.argsort(y["time"])
SORTED, OUTCOME = FRAME.iloc[BY_TIME].reset_index(drop=True), y[BY_TIME]


def left_out(**columns):
    """Which of the columns a fit has no questions about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        binarizer = Binarizer().fit(SORTED.assign(**columns))
    return [name for name in columns if not any(name in text for text in binarizer.questions_)]


@pytest.mark.parametrize(
    ("name", "values"),
    {
        "from 1": ("id", np.arange(1, N + 1)),
        "not consecutive": ("number", 1000 + 7 * np.arange(N)),
        "not in order": ("patient_id", np.random.default_rng(0).permutation(N)),
        "whole floats": ("PatientID", np.random.default_rng(0).permutation(N) * 1.0),
        "uneven": ("pid", np.cumsum(np.random.default_rng(0).integers(1, 9, N))),
        "text": ("sample", [f"S{k:04}" for k in range(N)]),
        "text of any name": ("x", [f"{k:x}-{k * k:x}" for k in range(N)]),
        "index of a file": ("Unnamed: 0", np.arange(N)),
    }.values(),
)
def test_columns_that_number_the_rows_are_left_out_with_a_warning(name, values):
    frame = SORTED.assign(**{name: values})
    with pytest.warns(DataWarning, match=rf"column '{name}' is left out: it (numbers|names) the"):
        model = OptimalSurvivalTree(3, 0.001).fit(frame, OUTCOME)
    same = OptimalSurvivalTree(3, 0.001).fit(SORTED, OUTCOME)
    assert model.objective_ == same.objective_
    assert model.excluded_ == [name]
    assert not any(name in text for text in model.questions_)
    assert model.predict(frame).tolist() == same.predict(SORTED).tolist()


@pytest.mark.parametrize(
    ("name", "values"),
    {
        "a lab value": ("crp", np.random.default_rng(0).lognormal(size=N)),
        "a rank": ("rank", np.random.default_rng(0).permutation(N)),
        "sorted floats": ("creatinine", np.linspace(0.5, 9.0, N)),
        "whole numbers in order": ("cholesterol", np.cumsum(np.arange(N) % 3 + 1)),
        "few values": ("id", np.arange(N) // 60),
        "thyroid": ("thyroid", np.random.default_rng(0).permutation(N)),
        "ids of groups": ("hospital_id", np.arange(N) // 3),
    }.values(),
)
def test_covariates_are_kept_even_if_all_values_differ(name, values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert left_out(**{name: values}) == []


@pytest.mark.parametrize(
    "options", [{"thresholds": {"id": "auto"}}, {"categorical": ["id"], "max_levels": N}]
)
def test_a_column_that_is_named_in_an_option_is_kept(options):
    places = np.random.default_rng(0).permutation(N)  # in order of time it would be a leak
    frame = FRAME.iloc[places].assign(id=range(N))
    model = OptimalSurvivalTree(1, 0.001, **options).fit(frame, y[places])
    assert model.excluded_ == []
    assert any(text.startswith("id ") for text in Binarizer(**options).fit(frame).questions_)


def test_excluded_columns_are_not_split_on_and_may_hold_anything_later():
    model = OptimalSurvivalTree(2, 0.001, exclude=["Celltype", "Age_in_years"]).fit(SORTED, OUTCOME)
    assert model.excluded_ == ["Age_in_years", "Celltype"]
    assert {text.split()[0] for text in model.questions_}.isdisjoint(model.excluded_)
    other = SORTED.assign(Celltype=1.5, Age_in_years=None)
    assert model.predict(other).tolist() == model.predict(SORTED).tolist()


def test_teachers_do_not_see_what_is_left_out(tmp_path):
    frame = SORTED.assign(id=range(N))
    with pytest.warns(DataWarning, match="'id'"):
        model = OptimalSurvivalTree().fit(frame, OUTCOME)
    same = OptimalSurvivalTree().fit(SORTED, OUTCOME)
    assert model.objective_ == same.objective_
    export_json(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.excluded_ == ["id"]
    assert loaded.warnings_ == model.warnings_ != ()
    assert loaded.certificate_.verify(frame, OUTCOME)


def test_folds_and_samples_leave_out_what_all_rows_show():
    frame = SORTED.assign(number=1000 + 7 * np.arange(N))
    with pytest.warns(DataWarning, match="'number' is left out") as found:
        model = OptimalSurvivalTreeCV(max_depths=(1,), cv=3).fit(frame, OUTCOME)
    assert len(found) == 1
    same = OptimalSurvivalTreeCV(max_depths=(1,), cv=3).fit(SORTED, OUTCOME)
    assert model.best_score_ == same.best_score_
    assert model.excluded_ == ["number"]
    with pytest.warns(DataWarning, match="'number' is left out") as found:
        stable = bootstrap(OptimalSurvivalTree(2, 0.001), frame, OUTCOME, n_bootstraps=3)
    assert len(found) == 1
    assert "number" not in stable.columns["column"].to_list()
    with pytest.warns(DataWarning, match="'number' is left out"):
        regularization_path(frame, OUTCOME, max_depth=1)


def test_a_table_of_nothing_but_identifiers_is_refused():
    with pytest.raises(ValueError, match=r"all are left out.*'id'"):
        OptimalSurvivalTree().fit(SORTED.assign(id=range(N))[["id"]], OUTCOME)


def test_subjects_with_several_rows_are_warned_of():
    frame = SORTED.assign(subject=np.arange(N) // 2)
    with pytest.warns(DataWarning, match=r"column 'subject' has 69 values in 137 rows"):
        model = OptimalSurvivalTree(1, 0.001).fit(frame, OUTCOME)
    assert model.excluded_ == ["subject"]


def intervals():
    """Two rows for every second subject: before and after a change."""
    whole = pd.DataFrame({"start": 0.0, "stop": np.arange(10.0, 50.0), "event": True})
    whole = whole.assign(age=whole["stop"] % 7, id=range(40))
    twice = whole.iloc[::2]
    first = twice.assign(stop=twice["stop"] / 2, event=False)
    later = twice.assign(start=twice["stop"] / 2)
    return pd.concat([whole.iloc[1::2], first, later], ignore_index=True)


@pytest.mark.parametrize(
    "names", [("start", "stop"), ("tstart", "tstop"), ("time1", "time2"), ("entry", "exit")]
)
def test_rows_that_are_intervals_are_refused(names):
    frame = intervals().rename(columns=dict(zip(("start", "stop"), names, strict=True)))
    message = rf"one row per subject.*'{names[0]}' and '{names[1]}' are the ends of intervals"
    with pytest.raises(ValueError, match=message):
        OptimalSurvivalTree().fit(frame, duration_col=names[1], event_col="event")


def test_intervals_are_recognised_without_names_of_the_outcome_or_ids():
    frame = intervals()
    outcome = frame["event"].to_numpy(), frame["stop"].to_numpy()
    with pytest.raises(ValueError, match="'start' and 'time' are the ends of intervals"):
        OptimalSurvivalTree().fit(frame[["start", "age"]], outcome)
    columns = {"start": "time", "stop": "time2"}
    with pytest.raises(ValueError, match="'time' and 'time2' are the ends of intervals"):
        OptimalSurvivalTree().fit(
            frame.rename(columns=columns), duration_col="time", event_col="event"
        )


def test_a_covariate_called_start_is_no_interval():
    frame = SORTED.assign(start=np.random.default_rng(0).integers(1990, 2000, N))
    OptimalSurvivalTree(1, 0.001).fit(frame, OUTCOME)
    OptimalSurvivalTree(1, 0.001).fit(SORTED.assign(start=0, stop=OUTCOME["time"] % 5), OUTCOME)


@pytest.mark.parametrize("option", ["exclude", "categorical"])
def test_options_that_name_columns_are_checked(option):
    with pytest.raises(ValueError, match=rf"{option} must name columns of X; there is no 'Agee'"):
        OptimalSurvivalTree(**{option: ["Agee"]}).fit(X, y)
    with pytest.raises(TypeError, match=re.escape("got 'age'. Pass ['age'].")):
        OptimalSurvivalTree(**{option: "age"}).fit(X, y)
    with pytest.raises(TypeError, match=f"{option} must be a list of names"):
        OptimalSurvivalTree(**{option: [1]}).fit(X, y)


@pytest.mark.parametrize("kind", [pd.Index, np.array, pd.Series, tuple, set, pl.Series])
def test_columns_may_be_named_in_what_frames_return(tmp_path, kind):
    """``X.select_dtypes(...).columns`` is an index, which cannot be asked whether it is empty."""
    codes = SORTED.assign(site=np.tile([1, 2, 30], N)[:N], other=np.tile([3, 4], N)[:N])
    of_list = {"exclude": ["other"], "categorical": ["site"]}
    model = OptimalSurvivalTree(2, 0.001, **{name: kind(of) for name, of in of_list.items()})
    expected = OptimalSurvivalTree(2, 0.001, **of_list).fit(codes, OUTCOME)
    assert clone(model).fit(codes, OUTCOME).objective_ == expected.objective_
    model.fit(codes, OUTCOME)
    assert list(model.questions_) == list(expected.questions_)
    assert len(model.near_optimal(0.05)) == len(expected.near_optimal(0.05))
    export_json(model, tmp_path / "model.json")
    assert load(tmp_path / "model.json").excluded_ == ["other"]
    frame = pl.from_pandas(codes).with_columns(t=OUTCOME["time"], e=OUTCOME["event"]).lazy()
    streamed = clone(model).fit(frame, duration_col="t", event_col="e")
    assert streamed.objective_ == pytest.approx(expected.objective_)


def test_numbers_can_be_declared_categories(tmp_path):
    codes = SORTED.assign(site=np.tile([1, 2, 30], N)[:N])
    model = OptimalSurvivalTree(2, 0.001, categorical=["site"]).fit(codes, OUTCOME)
    asked = [text for text in model.questions_ if text.startswith("site")]
    assert asked == ["site is 1", "site is 2", "site is 30"]
    assert model.predict(codes.astype({"site": float})).tolist() == model.predict(codes).tolist()
    export_json(model, tmp_path / "model.json")
    loaded = load(tmp_path / "model.json")
    assert loaded.categorical == ["site"]
    assert loaded.certificate_.verify(codes, OUTCOME)


# Text that is not what it seems.


@pytest.mark.parametrize("text", ["{:.2f}", "{:.2f}, comma", " {:.0f} "])
def test_text_that_reads_as_numbers_is_warned_of(text):
    values = np.random.default_rng(0).normal(50, 20, N)
    cells = [text.removesuffix(", comma").format(value) for value in values]
    cells = [cell.replace(".", ",") for cell in cells] if "comma" in text else cells
    frame = SORTED.assign(weight=[*cells[:60], *cells[:60], *cells[:17]])
    with pytest.warns(DataWarning, match="column 'weight' is text that reads as numbers") as found:
        Binarizer().fit(frame)
    assert ("with decimal points" in str(found[0].message)) == ("comma" in text)
    for declared in (frame.astype({"weight": "category"}), frame):
        options = {} if declared is not frame else {"categorical": ["weight"]}
        Binarizer(**options).fit(declared)


@pytest.mark.parametrize("other", ["MALE", "male", " Male", "Male  "])
@pytest.mark.parametrize("kind", [str, "category"])
def test_levels_that_differ_only_in_case_or_spaces_are_warned_of(other, kind):
    sex = np.tile(["Male", "Female", other], N)[:N]
    frame = SORTED.assign(sex=pd.Series(sex).astype(kind))
    wanted = "column 'sex' has levels that differ only .*'Male'.* or pass categorical=\\['sex'\\]"
    with pytest.warns(DataWarning, match=wanted) as found:
        model = OptimalSurvivalTree(2, 0.001).fit(frame, OUTCOME)
    assert len(found) == 1
    assert repr(other) in str(found[0].message)
    assert model.warnings_ == (str(found[0].message),)
    rows = pl.from_pandas(frame).with_columns(t=OUTCOME["time"], e=OUTCOME["event"]).lazy()
    with pytest.warns(DataWarning, match="levels that differ only"):
        OptimalSurvivalTree(2, 0.001).fit(rows, duration_col="t", event_col="e")
    OptimalSurvivalTree(2, 0.001, categorical=["sex"]).fit(frame, OUTCOME)
    with pytest.warns(DataWarning, match="1 more such group"):
        Binarizer().fit(frame.assign(sex=np.tile(["a", "A", "b", "B"], N)[:N]))


def test_levels_that_differ_in_more_are_not():
    marks = ["+", "-", "+ -", "++", "a b", "ab", "I", "II"]
    Binarizer().fit(SORTED.assign(mark=np.tile(marks, N)[:N]))


@pytest.mark.parametrize("mark", [".", ","])
def test_measured_values_as_text_are_no_identifiers(mark):
    weight = [f"{50 + k / 10:.1f}".replace(".", mark) for k in range(N)]
    with pytest.raises(ValueError, match=r"'weight' must have at most .* They read as numbers"):
        Binarizer().fit(SORTED.assign(weight=weight))


def test_a_few_codes_as_text_are_levels():
    frame = SORTED.assign(grade=np.tile(["1", "2", "3"], N)[:N])
    assert "grade is 2" in Binarizer().fit(frame).questions_.texts


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%y", "%Y-%m-%d %H:%M"])
def test_dates_as_text_are_refused_as_dates_are(form):
    days = pd.Timestamp("2020-01-31") + pd.to_timedelta(np.arange(N) % 30, "D")
    frame = SORTED.assign(visit=days.strftime(form))
    with pytest.raises(ValueError, match=r"column 'visit' must hold .* dates as text, such as"):
        OptimalSurvivalTree().fit(frame, OUTCOME)
    OptimalSurvivalTree(1, 0.001, categorical=["visit"]).fit(frame, OUTCOME)


def test_all_columns_with_too_many_levels_are_told_at_once():
    many = [f"{k}" for k in range(60)]
    frame = SORTED.assign(street=(many * 3)[:N], doctor=[f"dr {k}" for k in (many * 3)[:N]])
    with pytest.raises(ValueError, match=r"'street' \(60\), 'doctor' \(60\).*exclude=\['street'"):
        Binarizer(max_levels=50).fit(frame.astype({"street": "category"}))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("ids", [np.arange(N), [f"P{k}" for k in range(N)]], ids=["number", "text"])
def test_new_rows_may_lack_columns_that_the_fit_left_out(library, ids, tmp_path):
    pandas = FRAME.copy()
    pandas.insert(2, "pid", ids)
    whole = nw.from_native(pandas).to_arrow()
    whole = {"pandas": pandas, "polars": pl.from_arrow(whole), "pyarrow": whole}[library]
    part = nw.from_native(whole).drop("pid").to_native()
    with pytest.warns(DataWarning, match="'pid' is left out"):
        fitted = OptimalSurvivalTree(3, 0.002).fit(whole, y)
    export_json(fitted, tmp_path / "model.json")
    for model in (fitted, load(tmp_path / "model.json")):
        assert np.array_equal(model.predict(part), model.predict(whole))
        assert model.score(part, y) == model.score(whole, y)
        assert model.certificate_.verify(part, y)
        assert model.certificate_.verify(whole, y)
    assert np.array_equal(fitted.binarizer_.transform(part), fitted.binarizer_.transform(whole))
    fitted.report(tmp_path / "report.html", part, y, cv=2)
    with pytest.raises(ValueError, match="yet now missing:\n- Celltype"):
        fitted.predict(nw.from_native(part).drop("Celltype").to_native())
