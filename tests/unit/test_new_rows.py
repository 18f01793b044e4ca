"""New rows: missing values, levels the fit did not see, and kinds that changed since."""

import numpy as np
import pandas as pd
import pytest

from survtree import Binarizer, OptimalSurvivalTree, export_text

N = 60


def with_gaps(n=N):
    """A column that decides the outcome, with some cells missing, and one without."""
    age = np.repeat([40.0, 70.0], n // 2)
    age[::10] = np.nan
    frame = pd.DataFrame({"age": age, "noise": np.arange(n) % 3})
    time = np.where(np.arange(n) < n // 2, 20.0, 5.0) + np.arange(n) / 100
    return frame, (np.ones(n, dtype=bool), time)


def test_missing_cells_are_refused_unless_a_policy_is_named():
    frame, y = with_gaps()
    for model in (Binarizer(), OptimalSurvivalTree()):
        with pytest.raises(
            ValueError, match=r"'age' \(6, the first in row 0\).*missing='question'"
        ):
            model.fit(frame, y)


def test_missing_cells_as_a_question():
    frame, y = with_gaps()
    model = OptimalSurvivalTree(2, 0.001, missing="question").fit(frame, y)
    assert {"age <= 60", "age is missing"} <= set(model.questions_.texts)
    assert model.certificate_.verify(frame, y)
    assert model.leaf_curves_[model.apply(frame.iloc[[0]])[0]].n_rows < N
    assert len(np.unique(model.apply(frame))) == model.n_leaves_ > 1
    assert model.score(frame, y) > 0.5


def test_rows_with_gaps_are_left_out_of_fit_verify_and_score_but_not_of_predictions():
    frame, y = with_gaps()
    is_whole = frame["age"].notna().to_numpy()
    whole, kept = frame[is_whole], (y[0][is_whole], y[1][is_whole])
    expected = OptimalSurvivalTree(2, 0.001).fit(whole, kept)
    model = OptimalSurvivalTree(2, 0.001, missing="drop").fit(frame, y)
    assert model.objective_ == expected.objective_
    assert export_text(model) == export_text(expected)
    assert model.certificate_.verify(frame, y)
    assert model.certificate_.verify(whole, kept)
    assert model.score(frame, y) == expected.score(whole, kept)
    for method in ("apply", "predict", "predict_median"):
        with pytest.raises(ValueError, match=r"'age'.*a row to predict must be filled"):
            getattr(model, method)(frame)
    assert np.array_equal(model.apply(whole), expected.apply(whole))


def test_leaving_rows_out_must_leave_some_with_an_event_and_a_time():
    frame = pd.DataFrame({"a": [1.0, 2.0, None], "b": [None, None, 1.0]})
    y = ([True, True, True], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="missing='drop' leaves no row: each of 3"):
        OptimalSurvivalTree(missing="drop").fit(frame, y)
    with pytest.raises(ValueError, match="no event was observed"):
        OptimalSurvivalTree(missing="drop").fit(frame[["a"]], ([False, False, True], y[1]))
    with pytest.raises(ValueError, match="times must not all be 0"):
        OptimalSurvivalTree(missing="drop").fit(frame[["a"]], (y[0], [0.0, 0.0, 3.0]))


def test_a_first_gap_at_prediction_answers_no_and_warns_once():
    frame, y = with_gaps()
    frame["age"] = frame["age"].fillna(40.0)
    model = OptimalSurvivalTree(1, 0.001, missing="question").fit(frame, y)
    new = pd.DataFrame({"age": [None, 70.0, 40.0], "noise": [0.0, None, 0.0]})
    with pytest.warns(
        UserWarning, match="column 'age' has 1 missing value, which answers no"
    ) as caught:
        leaves = model.apply(new)
    assert len(caught) == 1
    assert "noise" not in str(caught[0].message)  # the tree does not ask about it
    assert leaves[0] == leaves[1] != leaves[2]


def of_levels():
    """A tree that asks whether the stage is III, and not about the arm."""
    stage = np.tile(["I", "II", "III"], N // 3)
    frame = pd.DataFrame({"stage": stage, "arm": ["a", "b"] * (N // 2)})
    time = np.where(stage == "III", 2.0, 20.0) + np.arange(N) / 100
    model = OptimalSurvivalTree(1, 0.001, missing="question")
    model.fit(frame, (np.ones(N, dtype=bool), time))
    assert [model.questions_.text(j) for j in model.tree_.question if j >= 0] == ["stage is III"]
    return model


def test_an_unseen_level_answers_no_and_is_told_once():
    model = of_levels()
    new = pd.DataFrame({"stage": ["IV", "III", "I", "IV"], "arm": ["c", "a", "b", "d"]})
    with pytest.warns(UserWarning, match=r"column 'stage' has 'IV' \(2 rows\)") as caught:
        leaves = model.apply(new)
    assert len(caught) == 1
    assert "arm" not in str(caught[0].message)
    assert leaves[0] == leaves[2] == leaves[3] == model.tree_.no[0]
    assert leaves[1] == model.tree_.yes[0]


def test_an_unseen_level_of_a_column_that_is_not_asked_about_is_not_told():
    model = of_levels()
    new = pd.DataFrame({"stage": ["III", "I"], "arm": ["c", None]})
    assert model.apply(new).tolist() == [model.tree_.yes[0], model.tree_.no[0]]


def test_the_transformer_tells_of_every_column():
    binarizer = Binarizer(missing="question").fit(pd.DataFrame({"a": ["u", "v", "w"]}))
    with pytest.warns(UserWarning, match="'a' has 1 missing.*'a' has 'x', 'y'") as caught:
        matrix = binarizer.transform(pd.DataFrame({"a": ["y", None, "x", "v"]}))
    assert len(caught) == 1
    assert matrix.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0]]


def test_an_unused_declared_level_counts_as_unseen_without_an_order_and_is_placed_with_one():
    declared = ["low", "mid", "high", "top"]
    cells = ["low", "high", "top"]
    for is_ordered in (False, True):
        dtype = pd.CategoricalDtype(declared, ordered=is_ordered)
        binarizer = Binarizer().fit(pd.DataFrame({"g": pd.Series(cells, dtype=dtype)}))
        new = pd.DataFrame({"g": pd.Series(["mid"], dtype=dtype)})
        if is_ordered:
            assert binarizer.get_feature_names_out().tolist() == ["g is low", "g is top"]
            assert binarizer.transform(new).tolist() == [[0, 0]]
        else:
            with pytest.warns(UserWarning, match="'g' has 'mid'"):
                assert not binarizer.transform(new).any()


@pytest.mark.parametrize("new", [["a", "b"], pd.Categorical(["a", "b"])])
def test_text_where_the_fit_had_numbers_is_refused(new):
    for cells in ([1.5, 2.5, 3.5], [0, 1, 1], [True, False, True]):
        binarizer = Binarizer().fit(pd.DataFrame({"z": cells}))
        with pytest.raises(ValueError, match=r"'z' must hold .* as at fit; row 0 has text"):
            binarizer.transform(pd.DataFrame({"z": new}))


@pytest.mark.parametrize(
    ("cells", "new"),
    [
        (["1", "2", "3"], [3, 1]),
        (["1", "2", "3"], [3.0, 1.0]),
        (pd.Categorical([1, 2, 3]), ["3", "1"]),
        (pd.Categorical([1.0, 2.0, 3.0]), [3, 1]),
        (pd.Categorical([1, 2, 3], ordered=True), [3, 1]),
        (["True", "x", "False"], [False, True]),
        (pd.Categorical([True, "x", False]), ["False", "True"]),
    ],
)
def test_levels_are_matched_by_their_words(cells, new):
    frame = pd.DataFrame({"c": cells})
    binarizer = Binarizer().fit(frame)
    expected = binarizer.transform(frame)[[2, 0]]
    assert np.array_equal(binarizer.transform(pd.DataFrame({"c": new})), expected)


def test_flags_and_numbers_stand_for_each_other():
    flags, numbers = pd.DataFrame({"f": [True, False]}), pd.DataFrame({"f": [1, 0]})
    for fitted, new in ((flags, numbers), (numbers, flags)):
        assert Binarizer().fit(fitted).transform(new).tolist() == [[1], [0]]
    binarizer = Binarizer(missing="question").fit(pd.DataFrame({"f": [1, 2, None]}))
    for gap in ([True, None], pd.array([True, None], dtype="boolean")):
        assert binarizer.transform(pd.DataFrame({"f": gap})).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("cells", [[True, False], [1, 0]])
def test_numbers_other_than_0_and_1_are_told_where_the_fit_saw_no_others(cells):
    binarizer = Binarizer().fit(pd.DataFrame({"f": cells}))
    with pytest.warns(UserWarning, match=r"'f' has 7 \(2 rows\) instead of 0 or 1"):
        assert binarizer.transform(pd.DataFrame({"f": [7, 0.2, 1]})).tolist() == [[1], [0], [1]]


@pytest.mark.parametrize("cells", [[1.5, 2.5], [True, False], ["a", "b"], [0, 1]])
def test_a_column_that_is_missing_altogether_at_prediction(cells):
    binarizer = Binarizer(missing="question").fit(pd.DataFrame({"a": [*cells, None]}))
    for empty in ([None, None], [np.nan, np.nan]):
        for dtype in (object, None, "string", "category", "boolean"):
            matrix = binarizer.transform(pd.DataFrame({"a": pd.Series(empty, dtype=dtype)}))
            assert matrix.tolist() == [[0] * (matrix.shape[1] - 1) + [1]] * 2


@pytest.mark.parametrize("cells", [["1", "2", "n.d.", None], [None, "n.d.", "1", "2"]])
def test_the_first_cell_that_is_no_number_is_named(cells):
    frame, y = with_gaps()
    model = OptimalSurvivalTree(2, 0.001, missing="question").fit(frame, y)
    new = frame.head(4).assign(age=cells)
    with pytest.raises(ValueError, match=rf"row {cells.index('n.d.')} has text: 'n\.d\.'"):
        model.predict(new)
    with pytest.raises(ValueError, match=r"row 1 has text: '1'\. Convert the column"):
        model.predict(frame.head(3).assign(age=[None, "1", "2"]))
