"""Every program as a grower of trees: training rows and a depth in, the leaf of each row out.

Each program is run over a grid of its own: ours finds the best tree of every size in one search,
osst has penalties per leaf, SurTree (pystreed) and scikit-survival numbers of leaves, rpart
its pruning sequence and ctree significance levels. All keep the same number of rows
a leaf.
"""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from benchmarks.data import Encoded, Source
from benchmarks.household import written
from benchmarks.paper import r_programs
from benchmarks.paper.settings import ALPHAS, Grid
from benchmarks.parity import leaves_of
from benchmarks.problems import problem_of
from benchmarks.programs import RIVALS_PYTHON, Program, request, started
from benchmarks.suites import Case
from survtree import __version__
from survtree._base.tree import Tree
from survtree._search.problem import ChosenLoss, SearchSettings
from survtree._search.solve import frontier

NAMES = ("ours", "osst", "streed", "sksurv", "rpart", "ctree")
RIVALS = NAMES[1:]
IN_PYTHON = ("osst", "streed", "sksurv")


@dataclass(frozen=True)
class Part:
    """Training rows and rows to predict, in memory and as files of 0/1 columns, event and time."""

    train: Encoded
    new: Encoded


@dataclass(frozen=True)
class Grown:
    """One tree. A run that was killed has a status and nothing else."""

    setting: str
    status: str
    seconds: float | None = None
    depth: int = 0
    leaves: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    new_leaves: np.ndarray = field(default_factory=lambda: np.empty(0, int))

    @property
    def n_leaves(self) -> int:
        return len(np.unique(self.leaves))


class Grower(Protocol):
    """A program; `name` and `version` are for the facts of a row."""

    name: str

    @property
    def version(self) -> str: ...

    def grow(self, part: Part, depth: int, grid: Grid) -> list[Grown]: ...


@contextmanager
def parted(case: Encoded, train: np.ndarray, new: np.ndarray) -> Iterator[Part]:
    """These rows of a data set as a part, with files that go away."""
    with tempfile.TemporaryDirectory() as folder:
        yield Part(
            *(
                chosen(case, places, Path(folder) / name)
                for name, places in (("train", train), ("new", new))
            )
        )


def chosen(case: Encoded, places: np.ndarray, path: Path) -> Encoded:
    arrays = {"X": case.X[places], "event": case.event[places], "time": case.time[places]}
    source = written(path, arrays, True)
    columns = [f"f{j}" for j in range(case.X.shape[1])]  # as the file names them
    return Encoded(source.path, False, columns, **arrays)


def routed(tree: Tree, X: np.ndarray) -> np.ndarray:
    """The leaf of each row of 0/1 columns."""
    return tree.apply(len(X), lambda column: X[:, column] == 1)


def grown_of(setting: str, status: str, seconds: float, tree: Tree, part: Part) -> Grown:
    depth = int(tree.depths().max())
    leaves, new_leaves = routed(tree, part.train.X), routed(tree, part.new.X)
    return Grown(setting, status, seconds, depth, leaves, new_leaves)


class Ours:
    """The best tree of every number of leaves, one search a depth; seconds are of all of them."""

    version = f"survtree {__version__}"

    def __init__(self, loss: ChosenLoss = "brier") -> None:
        self.name, self._loss = "ours" if loss == "brier" else f"ours_{loss}", loss

    def grow(self, part: Part, depth: int, grid: Grid) -> list[Grown]:
        start = perf_counter()
        most = min(2**depth, max(1, len(part.train.time) // grid.min_rows))
        problem = problem_of(part.train, depth, 0.0)
        problem = replace(problem, min_samples_leaf=grid.min_rows, loss=self._loss)
        found = frontier(problem, SearchSettings(time_limit=grid.limit_s), most)
        seconds = perf_counter() - start
        return [
            grown_of(f"max_leaves={len(one.tree.leaves)}", one.status, seconds, one.tree, part)
            for one in found
        ]


class InPython:
    """A program behind an adapter of benchmarks/rivals."""

    def __init__(self, program: Program) -> None:
        self.name, self.version, self._program = program.name, program.version, program

    def grow(self, part: Part, depth: int, grid: Grid) -> list[Grown]:
        out = []
        for setting, regularization, more in self._asked(depth, grid):
            case = Case(self.name, depth, regularization)
            more["min_samples_leaf"] = grid.min_rows
            asked = request(Source(part.train.path), case, grid.limit_s, **more)
            answer = self._program.fit(asked)
            out.append(self._grown(setting, answer, part))
            # The next settings are harder: smaller penalties, more leaves.
            if answer["status"].startswith("killed"):
                break
        return out

    def _asked(self, depth: int, grid: Grid) -> Iterator[tuple[str, float, dict[str, Any]]]:
        if self.name == "osst":
            for value in grid.regularizations:
                yield f"regularization={value}", value, {}
            return
        for leaves in range(2, min(2**depth, grid.most_leaves) + 1):
            if self.name == "sksurv":
                yield f"max_leaf_nodes={leaves}", 0.0, {"max_leaf_nodes": leaves}
            else:
                yield f"max_num_nodes={leaves - 1}", 0.0, {"max_num_nodes": leaves - 1}

    def _grown(self, setting: str, answer: dict[str, Any], part: Part) -> Grown:
        tree = answer.get("tree")
        if tree is None:
            return Grown(setting, answer["status"])
        status, seconds = answer["status"], answer["seconds"]
        if self.name == "osst":
            leaves, new_leaves = leaves_of(tree, part.train), leaves_of(tree, part.new)
            return Grown(setting, status, seconds, nested_depth(tree), leaves, new_leaves)
        arrays = (np.array(values, np.int32) for values in tree)
        return grown_of(setting, status, seconds, Tree(*arrays), part)


def nested_depth(tree: dict[str, Any]) -> int:
    if "feature" not in tree:
        return 0
    return 1 + max(nested_depth(tree["true"]), nested_depth(tree["false"]))


class InR:
    """rpart or ctree; the limit is for each setting, and starting R comes on top."""

    START_S = 10.0

    def __init__(self, name: str) -> None:
        self._program = r_programs.RProgram(name)
        self.name, self.version = name, self._program.version

    def grow(self, part: Part, depth: int, grid: Grid) -> list[Grown]:
        settings = () if self.name == "rpart" else ALPHAS
        limit_s = self.START_S + grid.limit_s * max(1, len(settings))
        files, limits = (part.train.path, part.new.path), r_programs.Limits(depth, grid.min_rows)
        trees = self._program.trees(files, limits, settings, limit_s)
        if trees is None:
            return [Grown("", "killed")]
        return [Grown(t.setting, "fitted", *t[1:]) for t in trees]


def absent(name: str) -> str:
    """Why a program cannot run here; blank if it can."""
    if name in r_programs.PACKAGES:
        lacking = r_programs.missing(*r_programs.PACKAGES[name])
        return f"{', '.join(lacking)} missing; {r_programs.HOW_TO}" if lacking else ""
    if name in IN_PYTHON and not RIVALS_PYTHON.exists():
        return "its environment is missing; make .venv/.rivals"
    return ""


def present(names: tuple[str, ...]) -> list[str]:
    """Those of these programs that can run; says what the others need."""
    reasons = {name: absent(name) for name in names}
    for name, reason in reasons.items():
        if reason:
            print(f"{name} is left out: {reason}", flush=True)
    return [name for name, reason in reasons.items() if not reason]


@contextmanager
def all_growers(names: tuple[str, ...] = NAMES) -> Iterator[list[Grower]]:
    """The programs that can run here, ours first."""
    have = present(names)
    with ExitStack() as stack:
        running = stack.enter_context(started(*(name for name in have if name in IN_PYTHON)))
        yield [_grower(name, running) for name in have]


def _grower(name: str, running: dict[str, Program]) -> Grower:
    if name == "ours":
        return Ours()
    return InPython(running[name]) if name in running else InR(name)
