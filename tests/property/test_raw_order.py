"""The order of rows and of columns changes neither the questions of a raw table nor its tree."""

import numpy as np
import pandas as pd
import pytest

from survtree import OptimalSurvivalTree, export_text
from survtree._questions import screening
from survtree.datasets import load

# Some of the made-up rows are followed for much longer than all others.
pytestmark = [
    pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning"),
    # Some split decides the event.
    pytest.mark.filterwarnings("ignore::survtree.DataWarning"),
]

THRESHOLDS = ["auto", "all", 3, ("width", 4), "guess"]
# Names that sort by number, that do not, and that are no plain words.
NAMES = ["x1", "b", "x10", "", "a <= 1", "é", "x0", "a", "\n", "B"]
ORDERED = pd.CategoricalDtype(["low", "mid", "high", "top"], ordered=True)


def random_column(rng, n):
    """A column of any kind, sometimes with gaps."""
    kind = rng.integers(6)
    if kind == 0:
        cells = rng.normal(0, 10, n).round(int(rng.integers(0, 4)))
    elif kind == 1:
        cells = rng.integers(0, rng.integers(2, 8), n)
    elif kind == 2:
        cells = rng.random(n) < 0.5
    elif kind == 3:
        cells = rng.choice(["no", "yes", "'", "missing"][: rng.integers(2, 5)], n)
    elif kind == 4:
        cells = pd.Categorical(rng.choice(ORDERED.categories, n), dtype=ORDERED)
    else:
        cells = rng.exponential(1, n)
    series = pd.Series(cells)
    is_gap = rng.random(n) < rng.choice([0, 0, 0.1])
    return series.mask(is_gap) if kind != 2 else series.astype("boolean").mask(is_gap)


def random_table(seed):
    """Columns, some of them copies of others, whose outcome depends on some of them."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(20, 80)), int(rng.integers(1, 6))
    columns = [random_column(rng, n) for _ in range(p)]
    columns.append(columns[0].copy())
    names = rng.permutation(NAMES)[: len(columns)].tolist()
    frame = pd.concat(columns, axis=1)
    frame.columns = names
    code = pd.factorize(frame[names[-1]], sort=True)[0]
    time = np.ceil(rng.exponential(3 + (code % 3 == 1) * 5, n))
    event = rng.random(n) < 0.7
    event[0] = True
    return frame, event, time


def assert_order_does_not_matter(frame, event, time, weight=None, seed=0, **options):
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(frame)), rng.permutation(frame.shape[1])
    shuffled = frame.iloc[rows, columns]
    model = OptimalSurvivalTree(**options).fit(frame, (event, time), weight)
    some = None if weight is None else weight[rows]
    again = OptimalSurvivalTree(**options).fit(shuffled, (event[rows], time[rows]), some)
    assert sorted(again.questions_.texts) == sorted(model.questions_.texts)
    assert again.objective_ == pytest.approx(model.objective_, rel=1e-13)
    assert export_text(again) == export_text(model)
    assert np.array_equal(model.apply(frame)[rows], again.apply(shuffled))
    return model


@pytest.mark.parametrize("thresholds", THRESHOLDS, ids=str)
@pytest.mark.parametrize("seed", range(15))
def test_order_does_not_change_the_tree_of_a_raw_table(seed, thresholds):
    frame, event, time = random_table(seed)
    options = {"max_depth": 2, "regularization": 0.002, "min_samples_leaf": 3}
    assert_order_does_not_matter(
        frame, event, time, seed=seed, thresholds=thresholds, missing="question", **options
    )


@pytest.mark.parametrize("seed", range(10))
def test_order_does_not_change_the_tree_of_a_user_who_sets_nothing(seed):
    frame, event, time = random_table(100 + seed)
    double = np.append(np.arange(len(frame)), np.arange(len(frame) // 3))
    frame = frame.iloc[double].reset_index(drop=True)
    weight = np.random.default_rng(seed).integers(1, 4, len(frame)).astype(float)
    assert_order_does_not_matter(
        *(frame, event[double], time[double], None if seed % 2 else weight),
        seed=seed,
        missing="question",
        min_samples_leaf=3,
    )


def many_columns(n=400, p=12, seed=0):
    """Numbers whose questions are too many to search; some columns are worth as much as others."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p))
    values[:, 1] = -values[:, 0]
    values[:, 2] = values[:, 0] ** 3
    values[:, 3] = rng.integers(0, 5, n)
    time = rng.exponential(np.exp(values[:, 0] + (values[:, 4] > 0.3)))
    frame = pd.DataFrame(values, columns=[f"column {j}" for j in range(p)])
    return frame, rng.random(n) < 0.6, np.ceil(10 * time)


@pytest.mark.parametrize("thresholds", ["auto", "guess"])
@pytest.mark.parametrize("seed", range(3))
def test_order_does_not_change_what_a_boosted_model_picks(seed, thresholds):
    frame, event, time = many_columns(seed=seed)
    options = {"max_depth": 2, "regularization": 0.002, "thresholds": thresholds}
    model = assert_order_does_not_matter(frame, event, time, seed=seed, **options)
    n_all = sum(min(15, frame[name].nunique() - 1) for name in frame)
    assert len(model.questions_) <= screening.question_budget(len(frame), 0) < n_all


@pytest.mark.parametrize("seed", range(3))
def test_order_does_not_change_which_rows_a_boosted_model_sees(seed, monkeypatch):
    for name in ("FEWEST_ROWS_SEEN", "MOST_ROWS_SEEN"):
        monkeypatch.setattr(screening, name, 150)
    sampled = []
    real = screening.sample_rows
    monkeypatch.setattr(
        screening, "sample_rows", lambda *a: sampled.append(real(*a)) or sampled[-1]
    )
    frame, event, time = many_columns(seed=seed)
    # Rows that differ in their weight alone, so that it matters which of them is seen.
    frame, event, time = pd.concat([frame] * 2), np.tile(event, 2), np.tile(time, 2)
    weight = np.repeat([1.0, 9.0], len(frame) // 2)
    options = {"max_depth": 2, "regularization": 0.002, "thresholds": "auto"}
    assert_order_does_not_matter(frame, event, time, weight, seed=seed, **options)
    assert [len(rows) for rows in sampled] == [150, 150]


@pytest.mark.parametrize("factor", [0.5, 4096.0])
def test_the_units_of_times_and_numbers_do_not_change_a_default_tree(factor):
    X, y = load("whas500")
    frame, time, event = X.to_pandas(), y["time"], y["event"]
    tree = OptimalSurvivalTree().fit(frame, (event, time))
    numbers = [name for name in frame if frame[name].nunique() > 20]
    scaled = frame.assign(**{name: frame[name] * factor for name in numbers})
    other = OptimalSurvivalTree().fit(scaled, (event, time * factor))
    assert np.array_equal(other.apply(scaled), tree.apply(frame))
    assert other.objective_ == pytest.approx(tree.objective_, rel=1e-9)
