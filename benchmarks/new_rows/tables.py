"""The tables of the benchmark, the part that each is in, and its folds.

They are raw, with their categories and missing cells: those of SurvSet without time-varying
covariates, with one kind of event and at least 80 rows; rossi of lifelines; and four of the paper's
sets, in the paper's 0/1 encoding. Every study is there once. What is changed:

- columns without two different values, and text columns with a different value in every row, are
  dropped, as are columns that were only known after the time had begun to run (KNOWN_LATER);
- of a column with more than 30 levels, all but the 19 most frequent become the level "other": ctree
  tries every division of the levels into two;
- a time that is not above 0 becomes half of the smallest time above 0.
"""

import hashlib
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks import data

FEWEST_ROWS, MOST_ROWS = 80, 60_000
MOST_LEVELS, KEPT_LEVELS = 30, 19
N_FOLDS = 5
# Two kinds of event beside censoring.
NOT_ONE_EVENT = {"follic"}
# The same persons as in another table: retinopathy, NSBCD, nki70.
SAME_STUDY = {"diabetes", "gse4335", "DBCD"}
# What became of the person, or how long they stayed: the cause of death, the progression of the
# disease and when it came, the state after two months, days in hospital counted in the time itself.
KNOWN_LATER = {
    "flchain": ["fac_chapter"],
    "grace": ["num_los"],
    "mgus": ["num_pctime", "fac_pcdx"],
    "support2": ["fac_sfdm2"],
}
# The paper's other survival sets are in SurvSet: aids (actg), flchain, gbsg2, uissurv (uis),
# veterans (veteran), whas500. Five are regression sets with made-up censoring.
OF_THE_PAPER = ("maintenance", "credit", "churn", "employee")
ROSSI = "rossi"
# Tables of lifelines: the columns of the event and of the time. Only rossi is in the benchmark.
OF_LIFELINES = {ROSSI: ("arrest", "week"), "larynx": ("death", "time")}


class Rows(NamedTuple):
    """A table and its outcome: event flags (True: seen) and times above 0."""

    name: str
    X: pd.DataFrame
    event: np.ndarray
    time: np.ndarray

    def part(self, rows: np.ndarray) -> "Rows":
        """Some of the rows."""
        X = self.X.iloc[rows].reset_index(drop=True)
        return Rows(self.name, X, self.event[rows], self.time[rows])


class Fold(NamedTuple):
    """Row numbers of the training and of the held-out rows."""

    repeat: int
    fold: int
    train: np.ndarray
    test: np.ndarray


def part_of(name: str) -> str:
    """Whether defaults may be chosen on this table, or are judged on it."""
    is_odd = hashlib.sha256(name.encode()).digest()[0] % 2
    return "judged" if is_odd else "chosen on"


def names(folder: Path | None = None) -> list[str]:
    """All tables; those of the paper only with the folder that `make data` filled."""
    known = _survset().df_ds
    is_used = ~known.is_td & (known.n >= FEWEST_ROWS) & (known.n <= MOST_ROWS)
    found = [name for name in known.ds[is_used] if name not in NOT_ONE_EVENT | SAME_STUDY]
    return [*found, ROSSI, *(OF_THE_PAPER if folder is not None else ())]


def load(name: str, folder: Path | None = None) -> Rows:
    """One table."""
    if name in OF_THE_PAPER:
        assert folder is not None
        frame = _of_the_paper(folder, name)
    else:
        frame = _of_lifelines(name) if name in OF_LIFELINES else _of_survset(name)
    X = frame.drop(columns=["event", "time", *KNOWN_LATER.get(name, ())])
    event, time = frame["event"].to_numpy() == 1, frame["time"].to_numpy().astype(float)
    return Rows(name, _columns(X), event, _above_zero(time))


@cache
def _survset() -> Any:
    from SurvSet.data import SurvLoader

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its pickles are of an older NumPy
        return SurvLoader()


def _of_survset(name: str) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame: pd.DataFrame = _survset().load_dataset(name)["df"]
    return frame.drop(columns="pid").reset_index(drop=True)


def _of_the_paper(folder: Path, name: str) -> pd.DataFrame:
    frame = pd.read_csv(data.locate(folder, name).path)
    *_, event, time = frame.columns
    return frame.rename(columns={event: "event", time: "time"})


def _of_lifelines(name: str) -> pd.DataFrame:
    """Read beside the package, which need not be able to run here."""
    package = find_spec("lifelines")
    if package is None or package.origin is None:
        raise SystemExit("lifelines is not installed; make bench-new_rows installs it")
    frame = pd.read_csv(Path(package.origin).parent / "datasets" / f"{name}.csv")
    event, time = OF_LIFELINES[name]
    return frame.rename(columns={event: "event", time: "time"})


def _columns(X: pd.DataFrame) -> pd.DataFrame:
    """Columns that may tell something, with at most 30 levels each."""
    kept = {}
    for name, column in X.items():
        is_text = not pd.api.types.is_numeric_dtype(column)
        n_values = column.nunique()
        if n_values > 1 and not (is_text and n_values == len(column)):
            kept[str(name)] = _fewer_levels(column) if is_text else column
    return pd.DataFrame(kept)


def _fewer_levels(column: pd.Series) -> pd.Series:
    text = column.astype(object).where(column.notna(), None)
    text = text.map(str, na_action="ignore")
    counts = (
        text.value_counts().sort_index(kind="stable").sort_values(ascending=False, kind="stable")
    )
    if len(counts) > MOST_LEVELS:
        frequent = set(counts.index[:KEPT_LEVELS])
        text = text.map(lambda level: level if level in frequent else "other", na_action="ignore")
    return text.astype("category")


def _above_zero(time: np.ndarray) -> np.ndarray:
    return np.where(time > 0, time, time[time > 0].min() / 2)


def n_repeats(n_rows: int) -> int:
    """Small tables are divided more often: what is held out of them is noisier."""
    return 4 if n_rows < 300 else 2 if n_rows < 1000 else 1


def folds(rows: Rows, seed: int = 0) -> Iterator[Fold]:
    """Five folds with about equally many events each, for every repeat; by `seed` other ones."""
    for repeat in range(n_repeats(len(rows.time))):
        splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed + repeat)
        for fold, (train, test) in enumerate(splitter.split(rows.X, rows.event)):
            yield Fold(repeat, fold, train, test)
