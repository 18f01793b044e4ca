"""The problems that are searched on a GPU, as files that need no more than NumPy to be read."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from survtree import OptimalSurvivalTree
from survtree._base.checks import check_options
from survtree._data.causes import Causes
from survtree._data.table import EventTable
from survtree._model.prepare import prepare
from survtree._questions.questions import Questions
from survtree._search.problem import Problem, SearchSettings
from survtree._search.read_replay import read_replay
from survtree._search.replay import save

ENCODED = (
    *(("whas500", 5, 0.001), ("gbsg2", 4, 0.001), ("flchain", 4, 0.001), ("flchain", 5, 0.0005)),
    *(("credit", 5, 0.0005), ("credit", 6, 0.0005), ("churn", 4, 0.001)),
)
EVERY_CUT = (("whas500", 3, 0.005), ("gbsg2", 3, 0.005), ("whas500", 4, 0.005))
OTHER_LOSSES = (
    *(("likelihood", "credit", 5, 0.002), ("likelihood", "flchain", 5, 0.001)),
    *(("incidence", "credit", 5, 0.0005), ("incidence", "flchain", 4, 0.001)),
)
TAUGHT = (("01", "credit", 5, 0.0005), ("cuts", "whas500", 3, 0.001))  # against a teacher
# Whole paths from the problem's penalty on, five folds of them, and all trees within 2 %.
MODES = (
    *(("path", "01", "flchain", 4, 0.001), ("path", "01", "credit", 5, 0.0005)),
    *(("folds", "01", "credit", 4, 0.0005), ("near", "01", "flchain", 4, 0.001)),
    ("near", "cuts", "whas500", 3, 0.005),
)


@dataclass(frozen=True)
class Stored:
    """A problem and what is to be done with it."""

    mode: str
    loss: str
    answers: str
    dataset: str
    problem: Problem

    @property
    def name(self) -> str:
        """Of its file."""
        return f"{self.mode} {self.loss} {self.answers} {self.dataset} {self.problem.max_depth}"


def all_problems(folder: Path) -> Iterator[Stored]:
    """With the packages that read the data."""
    from benchmarks import data

    def encoded(name: str, depth: int, penalty: float) -> Problem:
        from benchmarks.problems import problem_of

        return problem_of(data.read(folder, name), depth, penalty)

    for case in ENCODED:
        yield Stored("fit", "brier", "01", case[0], encoded(*case))
    yield Stored("fit", "brier", "01", "household", household(folder / data.HOUSEHOLD, 5, 0.01))
    for case in EVERY_CUT:
        yield Stored("fit", "brier", "cuts", case[0], every_cut(*case))
    for loss, *case in OTHER_LOSSES:
        problem = by_loss(loss, encoded(*case))
        yield Stored("fit", loss, "01", case[0], problem)
    for answers, *case in TAUGHT:
        problem = encoded(*case) if answers == "01" else every_cut(*case)
        yield Stored("fit", "teacher", answers, case[0], taught(problem))
    for mode, answers, *case in MODES:
        problem = encoded(*case) if answers == "01" else every_cut(*case)
        yield Stored(mode, "brier", answers, case[0], problem)


def household(path: Path, max_depth: int, penalty: float) -> Problem:
    """Two million rows."""
    with np.load(path) as file:
        X, event, time = (file[name] for name in ("X", "event", "time"))
    events = EventTable(event.astype(bool), time.astype(float), np.ones(len(time)))
    questions = Questions(tuple(f"f{j}" for j in range(X.shape[1])))
    return Problem(X.astype(np.uint8), events, questions, penalty, max_depth, 7)


def every_cut(name: str, max_depth: int, penalty: float) -> Problem:
    """A raw table of scikit-survival with every cut of its columns, in codes."""
    from sksurv import datasets

    X, y = getattr(datasets, f"load_{name}")()
    given = {"thresholds": "all", "teacher": None, "horizon": None, "min_events_leaf": 0}
    model = OptimalSurvivalTree(max_depth, penalty, min_samples_leaf=7, **given)
    return prepare(model, check_options(model), X, y, None).problem


def by_loss(loss: str, problem: Problem) -> Problem:
    """The same rows; for competing risks a third of the events, at random, had another cause."""
    if loss == "likelihood":
        return replace(problem, loss=loss)
    events = problem.events
    is_other = events.event & (np.random.default_rng(0).random(len(events)) < 1 / 3)
    cause = np.where(is_other, 2, events.event).astype(np.uint8)
    causes = Causes(("event", "other"), 1)
    event = events.event & ~is_other
    return replace(problem, events=replace(events, event=event, cause=cause, causes=causes))


def taught(problem: Problem) -> Problem:
    """Against vectors of ten numbers: survival at ten times, smoothed over rows of like answers."""
    events, matrix = problem.events, problem.matrix.astype(float)
    times = np.quantile(events.time[events.event], (np.arange(10) + 0.5) / 10)
    alive = (events.time[:, np.newaxis] > times).astype(float)
    ones = np.column_stack([np.ones(len(alive)), matrix])
    fitted = ones @ np.linalg.lstsq(ones, alive, rcond=1e-6)[0]
    return replace(problem, targets=np.clip(fitted, 0.0, 1.0))


def write(data: Path, problems: Path) -> None:
    """Makes the files."""
    problems.mkdir(parents=True, exist_ok=True)
    for stored in all_problems(data):
        path = save(stored.problem, SearchSettings(), problems)
        path.rename(problems / f"{stored.name}.npz")


def stored_problems(problems: Path) -> Iterator[Stored]:
    """Reads them again, one after the other."""
    for path in sorted(problems.glob("*.npz")):
        mode, loss, answers, dataset, _ = path.stem.split(" ")
        yield Stored(mode, loss, answers, dataset, read_replay(path).problem)
