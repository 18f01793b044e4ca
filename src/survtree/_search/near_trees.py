"""All trees of a problem that are nearly optimal, best first; and the best under conditions."""

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._questions.coded_answers import CodedAnswers
from survtree._questions.questions import Questions
from survtree._search.engines import (
    CUTS,
    BitSearch,
    NativeNearTrees,
    TreeSearch,
    near_of,
    run_limits,
    search_of,
    with_bug_report,
)
from survtree._search.gpu.optima import Optima
from survtree._search.problem import Problem, SearchSettings
from survtree._search.progress import Watch
from survtree._search.run import ON_GPU, optima_on_gpu
from survtree._search.solve import find

AT_ONCE = 256  # trees that are read off together


class TreesInOrder(Sequence[Tree]):
    """Trees of a native search, made when somebody asks for them."""

    def __init__(self, native: NativeNearTrees, n: int) -> None:
        self._native, self._n = native, n
        self._made: dict[int, Tree] = {}

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, place: int) -> Tree: ...
    @overload
    def __getitem__(self, place: slice) -> list[Tree]: ...
    def __getitem__(self, place: int | slice) -> Tree | list[Tree]:
        places = range(self._n)[place]
        return self._at(places) if isinstance(places, int) else list(map(self._at, places))

    def _at(self, k: int) -> Tree:
        if k not in self._made:
            first = k - k % AT_ONCE
            raw = self._native.trees(first, min(first + AT_ONCE, self._n))
            ends = raw["end"].tolist()
            for i, (begin, end) in enumerate(zip([0, *ends], ends, strict=False)):
                parts = (raw[name][begin:end] for name in ("question", "no", "yes"))
                self._made[first + i] = Tree(*parts)
        return self._made[k]


@dataclass(frozen=True)
class NearTrees:
    """Trees by ascending objective, ties by the tie rule; the first is the optimal tree of a fit.

    ``status`` is "complete" (every tree within the slack is here), "limit" (as many as asked for,
    and there are more), "time_limit", "memory_limit", "node_limit" or "interrupted".
    """

    trees: Sequence[Tree] = field(repr=False)
    objectives: NDArray[np.float64] = field(repr=False)
    optimum: float
    slack: float
    status: str
    seconds: float
    counts: dict[str, int] = field(repr=False)

    @property
    def is_complete(self) -> bool:
        """Whether every tree within the slack is here; otherwise there are at least as many."""
        return self.status == "complete"


def in_words(status: str) -> str:
    """A status as messages name it."""
    return status.replace("_", " ")


def ended_by(status: str) -> str:
    """What ended a list before all trees were found."""
    return "an interrupt" if status == "interrupted" else f"the {in_words(status)}"


@dataclass(frozen=True)
class BestFound:
    """The best tree under a condition: proven if the status is "optimal".

    ``tree`` is None if no tree fulfils the condition ("impossible"), or if none was found in time.
    """

    tree: Tree | None
    objective: float  # inf without a tree
    lower_bound: float
    status: (
        str  # "optimal", "impossible", "time_limit", "memory_limit", "node_limit", "interrupted"
    )


class NearSearch:
    """Keeps what it has solved, so that the next call is quicker.

    ``optimum`` is the objective of the best tree, which a fit has proven.
    """

    def __init__(
        self, problem: Problem, optimum: float, settings: SearchSettings | None = None
    ) -> None:
        self.problem = problem
        self.optimum = optimum
        self.settings = replace(settings or SearchSettings(), upper_bound=None, gap=0.0)

        # A search serves one thread at a time; others wait for it. (A callback is of the same.)
        self._is_at_work = threading.RLock()
        self._plain: TreeSearch | None = None
        self._coded: TreeSearch | None = None
        self._optima: dict[int, Optima | None] = {}  # by search

    def _search(self, wanted: Collection[int] = ()) -> TreeSearch:
        """A search that knows these questions.

        Of questions that part all rows alike the search over bits knows only one. If a condition
        is about another one, the search over codes is taken, which knows all of them.
        """
        problem = replace(self.problem, max_leaves=None)  # that is left to the search for all trees
        if self._plain is None:
            self._plain = search_of(problem, self.settings)
        if not isinstance(self._plain, BitSearch) or set(wanted).issubset(self._plain.questions):
            return self._plain
        if self._coded is None:
            self._coded = search_of(problem, replace(self.settings, solver=CUTS))
        return self._coded

    def trees(self, slack: float, limit: int, watch: Watch | None = None) -> NearTrees:
        """At most ``limit`` trees of an objective <= optimum + slack."""
        with self._is_at_work:
            native = self._native()
            raw = self._run(
                lambda turn: native.find(
                    self.optimum, slack, limit + 1, self._limits(native), turn
                ),
                native,
                watch,
            )
        n = min(raw["n_trees"], limit)
        status = "complete" if raw["is_complete"] else "limit"
        if raw["status"] != "optimal":
            status = raw["status"]
        return NearTrees(
            TreesInOrder(native, n),
            native.objectives(n),
            self.optimum,
            slack,
            status,
            raw["seconds"],
            {"subsets": raw["n_streams"], "bytes": raw["bytes"], **self._on_gpu()},
        )

    def best(
        self,
        *,
        uses: Sequence[Collection[int]] = (),
        avoids: Collection[int] = (),
        first: Collection[int] | None = None,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        watch: Watch | None = None,
    ) -> BestFound:
        """The best tree that fulfils all conditions, which are about questions by number.

        ``uses``: of each of these sets some split is one. ``avoids``: no split is one of these.
        ``first``: the first split is one of these, so the tree is no lone leaf.
        """
        if avoids:
            rest = {"uses": uses, "first": first, "max_leaves": max_leaves, "max_depth": max_depth}
            return self._best_without(set(avoids), rest, watch)
        problem = self.problem
        depths = [d for d in (problem.max_depth, max_depth) if d is not None]
        leaves = [n for n in (problem.max_leaves, max_leaves) if n is not None]
        depth, most = min(depths, default=None), min(leaves, default=None)
        if not uses and first is None:
            problem = replace(problem, max_depth=depth, max_leaves=most)
            return _plain_best(problem, self.settings, watch)
        with self._is_at_work:
            native = self._native(uses=uses, first=first, max_depth=depth, max_leaves=most)
            raw = self._run(
                lambda turn: native.find_best(self.optimum, self._limits(native), turn),
                native,
                watch,
            )
        tree = TreesInOrder(native, 1)[0] if raw["n_trees"] else None
        status = "optimal" if tree is not None else "impossible"
        if not raw["is_complete"]:
            status = raw["status"]
        objective = float(native.objectives(1)[0]) if tree is not None else np.inf
        return BestFound(tree, objective, raw["lower_bound"], status)

    def _best_without(
        self, avoids: set[int], rest: dict[str, Any], watch: Watch | None
    ) -> BestFound:
        """On the problem without some of its questions; its questions have other numbers."""
        kept = [j for j in range(len(self.problem.questions)) if j not in avoids]
        if not kept and self.problem.must_split:
            return BestFound(None, np.inf, np.inf, "impossible")
        if not kept:
            kept_problem = replace(self.problem, max_depth=0)
            return _plain_best(kept_problem, self.settings, watch)
        place = {j: k for k, j in enumerate(kept)}

        def placed(questions: Iterable[int]) -> list[int]:
            return [place[j] for j in questions if j in place]

        rest["uses"] = [placed(one) for one in rest["uses"]]
        rest["first"] = None if rest["first"] is None else placed(rest["first"])
        # The optimum of all questions is a lower bound of that of fewer.
        fewer = NearSearch(with_questions(self.problem, kept), self.optimum, self.settings)
        if self.problem.must_split and not fewer.problem.must_split:
            return BestFound(None, np.inf, np.inf, "impossible")
        found = fewer.best(**rest, watch=watch)
        if found.tree is None:
            return found
        question = np.array([-1 if j < 0 else kept[j] for j in found.tree.question.tolist()])
        tree = Tree(question.astype(np.int32), found.tree.no, found.tree.yes)
        return replace(found, tree=tree)

    def _native(self, **conditions: Any) -> NativeNearTrees:
        problem = self.problem
        sets = [*conditions.get("uses", ()), conditions.get("first") or ()]
        search = self._search([j for one in sets for j in one])
        limits = {"max_depth": problem.max_depth, "max_leaves": problem.max_leaves}
        optima = self._optima_of(search)
        return near_of(search, self.settings, optima=optima, **{**limits, **conditions})

    def _optima_of(self, search: TreeSearch) -> Optima | None:
        """What a GPU knows, if there is one and it was asked for."""
        if id(search) not in self._optima:
            problem = replace(self.problem, max_leaves=None)
            self._optima[id(search)] = optima_on_gpu(search, problem, self.settings)
        return self._optima[id(search)]

    def _on_gpu(self) -> dict[str, int]:
        """How much a GPU did."""
        lane_rows = sum(optima.lane_rows for optima in self._optima.values() if optima is not None)
        return {ON_GPU: lane_rows} if lane_rows else {}

    def _limits(self, native: NativeNearTrees) -> dict[str, Any]:
        return run_limits(self.settings, native)

    def _run(
        self,
        run: Callable[[Callable[[], None] | None], dict[str, Any]],
        native: NativeNearTrees,
        watch: Watch | None,
    ) -> dict[str, Any]:
        asked = [each for each in self._optima.values() if each is not None]
        for each in asked:
            each.is_interrupted = False  # of an earlier search

        def is_interrupted() -> bool:
            return any(each.is_interrupted for each in asked)

        def turn() -> None:
            if is_interrupted():
                raise KeyboardInterrupt
            if watch is not None:
                watch.step(0.0, f"{native.n_trees:,} trees")

        with with_bug_report(self.problem, self.settings):
            raw = run(turn)
        # A core may come to its end before its next turn; the user is told all the same.
        return {**raw, "status": "interrupted"} if is_interrupted() else raw


def with_questions(problem: Problem, kept: Sequence[int]) -> Problem:
    """The same rows with some of the questions only, in this order."""
    questions = problem.questions
    asked = tuple(questions.asked[j] for j in kept)
    answers = problem.answers
    if isinstance(answers, CodedAnswers):
        answers = answers.some(np.asarray(kept, dtype=np.intp))
    else:
        answers = np.ascontiguousarray(answers[:, list(kept)])
    return replace(problem, answers=answers, questions=Questions(questions.names, asked))


def _plain_best(problem: Problem, settings: SearchSettings, watch: Watch | None) -> BestFound:
    """Without a condition that needs more than an ordinary search."""
    found, _ = find(problem, settings, watch)
    return BestFound(found.tree, found.objective, found.lower_bound, found.status)
