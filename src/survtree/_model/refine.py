"""A tree over chosen cuts made better over every cut, where a proof over all of them is too long.

Two steps take turns until neither changes the tree. All trees over some questions are searched:
the chosen ones, those of the tree, and cuts that lie next to its first one. Then each side of the
first split is searched over every cut, as a problem of its own with one split less. What is stated
of the tree stays a proof: it is the best over the questions of the first step. Limits count work,
so that the same rows always give the same tree.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np

from survtree._base.tree import Tree
from survtree._data.table import Bools, Places
from survtree._model.deeper import Found
from survtree._model.prepare import Prepared
from survtree._questions.coded_answers import Answers, CodedAnswers, is_worth_coding
from survtree._questions.questions import Questions
from survtree._search.engines import CUTS
from survtree._search.headline import headline
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Watch
from survtree._search.solve import Solution, find_better

# What the search of one side may take, in pairs of row and cut: so much, and so much more for each
# row of the fit. With more, its best tree so far is taken. A fraction of what the rest of a fit
# takes, which grows with the rows as well.
LEAST_SIDE_WORK, SIDE_WORK_PER_ROW = 30_000_000, 50_000
MOST_ROUNDS = 4
# Cuts that are tried at once between the first split and its neighbours; then those between the
# best of them and its new neighbours, until there are none left.
NEAR_CUTS = 15


@dataclass
class Refinement:
    """A tree on the way. Its questions have the places that they have among all, in ``every``."""

    chosen: Prepared
    every: Prepared
    settings: SearchSettings
    watch: Watch
    clock: Clock
    known: set[int] = field(default_factory=set)  # places of the questions that are searched
    status: str = "optimal"  # of the last search

    def run(self, found: Found, tree: Tree, places: Places) -> Found:
        """The best tree over the chosen questions, which have these places, and some more."""
        self.known.update(places.tolist())
        root = None
        for _ in range(MOST_ROUNDS):
            if root != (root := int(tree.question[0])) and root >= 0:
                tree = self._with_better_sides(tree)
            n_known = len(self.known)
            self.known.update(self._near(tree), tree.question[tree.question >= 0].tolist())
            if self.status == "interrupted":
                break
            refined = replace(found, n_tried=len(self.every.problem.questions))
            if len(self.known) == n_known:
                return refined
            prepared, solution = self._over_known(tree)
            if self.status != "optimal":
                break
            history = tuple(self.watch.history)
            found = replace(refined, prepared=prepared, solution=solution, history=history)
            tree = renumbered(solution.tree, sorted(self.known))
        is_told = self.status == "interrupted"
        return replace(found, deeper_status=self.status) if is_told else found

    def _near(self, tree: Tree) -> list[int]:
        """Cuts between the first split and its neighbours among the questions known, if any."""
        root = int(tree.question[0])
        if root < 0:
            return []
        answers = _codes(self.every)
        column = answers.question_column
        is_beside = column == column[root]
        if np.count_nonzero(is_beside) == 1:
            return []
        places = np.flatnonzero(is_beside)
        places = places[np.argsort(answers.question_cut[places], kind="stable")]
        known = np.flatnonzero(np.isin(places, [*self.known, root]))
        at = int(np.searchsorted(known, np.flatnonzero(places == root)[0]))
        low = int(known[at - 1]) + 1 if at > 0 else 0
        high = int(known[at + 1]) if at + 1 < len(known) else len(places)
        between = np.setdiff1d(np.arange(low, high), known)
        if len(between) > NEAR_CUTS:
            step = (np.arange(NEAR_CUTS) + 0.5) * len(between) / NEAR_CUTS
            between = between[step.astype(np.intp)]
        return [int(place) for place in places[between]]

    def _over_known(self, tree: Tree) -> tuple[Prepared, Solution]:
        """The best tree over the questions known."""
        places = np.array(sorted(self.known))
        prepared = with_questions(self.chosen, self.every, places)
        settings = replace(self.settings, solver="")
        self.watch.begin_search(lambda: headline(prepared.problem, settings))
        start = renumbered(tree, {int(j): k for k, j in enumerate(places)})
        return prepared, self._search(prepared.problem, settings, start, self.watch)

    def _with_better_sides(self, tree: Tree) -> Tree:
        """The tree with the best that was found for each side of its first split."""
        is_yes = self.every.problem.rows_of_yes(int(tree.question[0]))
        no = self._better_side(tree.below(int(tree.no[0])), ~is_yes)
        yes = self._better_side(tree.below(int(tree.yes[0])), is_yes)
        return Tree.of_split(int(tree.question[0]), no, yes)

    def _better_side(self, tree: Tree, is_here: Bools) -> Tree:
        """The best tree for some rows over every cut, one split less deep; if stopped, so far."""
        if self.status == "interrupted" or not self.every.problem.events.weight[is_here].any():
            return tree
        problem = side_problem(self.every.problem, is_here)
        most = side_work(len(self.every.problem.answers))
        settings = replace(self.settings.further(), solver=CUTS, work_limit=most)
        return self._search(problem, settings, tree, None).tree

    def _search(
        self, problem: Problem, settings: SearchSettings, tree: Tree, watch: Watch | None
    ) -> Solution:
        solution = find_better(problem, settings, tree, watch, self.clock)
        self.status = solution.status
        return solution


def side_work(n_rows: int) -> int:
    """What the search of one side may take."""
    return LEAST_SIDE_WORK + SIDE_WORK_PER_ROW * n_rows


def can_refine(n_rows: int, n_questions: int) -> bool:
    """Whether the sides can be searched at all: all questions must be looked at once."""
    return n_rows * n_questions <= side_work(n_rows)


def with_questions(chosen: Prepared, every: Prepared, places: Places) -> Prepared:
    """A fit whose questions are some of all."""
    all_of_them, answers = every.problem.questions, _codes(every)
    questions = Questions(all_of_them.names, tuple(all_of_them.asked[j] for j in places))
    coded = answers.some(places)
    some: Answers = coded if is_worth_coding(questions) else coded.matrix()
    binarizer = copy(chosen.binarizer)
    binarizer.questions_ = questions
    problem = replace(chosen.problem, answers=some, questions=questions)
    return replace(chosen, problem=problem, binarizer=binarizer)


def side_problem(problem: Problem, is_here: Bools) -> Problem:
    """The problem of some of the rows, with one split less on a path.

    The loss is a mean over the rows, penalties are not: they grow by as much as the mean does. The
    first split is made already.
    """
    assert problem.max_depth is not None
    some, everyone = problem.take(is_here), problem.events.weight
    share = float(some.events.weight.sum() / everyone.sum())
    of_columns = {name: each / share for name, each in (problem.column_penalties or {}).items()}
    return replace(
        some,
        regularization=problem.regularization / share,
        max_depth=problem.max_depth - 1,
        column_penalties=of_columns or None,
        first_split=None,
    )


def _codes(prepared: Prepared) -> CodedAnswers:
    answers = prepared.problem.answers
    assert isinstance(answers, CodedAnswers)
    return answers


def renumbered(tree: Tree, place_of: Sequence[int] | Mapping[int, int] | Places) -> Tree:
    """The tree with other places of its questions."""
    places = [-1 if j < 0 else int(place_of[j]) for j in tree.question.tolist()]
    return Tree(np.array(places, dtype=tree.question.dtype), tree.no, tree.yes)
