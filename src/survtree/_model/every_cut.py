"""An automatic fit over every cut, after that over chosen cuts, where the work allows it.

The cuts at quantiles, of which a boosted model may have chosen some, give a good tree in little
time. With it to beat, the search over every cut of every column is often short. Where it is not,
the tree over the chosen cuts is refined (refine.py), and the certificate says how many of the
possible splits were searched.
"""

from dataclasses import replace

import numpy as np

from survtree._base.tree import Tree
from survtree._data.table import Places
from survtree._model.deeper import Found
from survtree._model.defaults import SHALLOW, is_word
from survtree._model.prepare import Prepared, copy_feature_names
from survtree._model.refine import Refinement, can_refine, renumbered
from survtree._questions.asked import places_in
from survtree._questions.binarizer import Binarizer
from survtree._questions.questions import Questions
from survtree._search.engines import CUTS
from survtree._search.headline import headline
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Watch
from survtree._search.replay import save_if_asked
from survtree._search.solve import Solution, find_better

# Rows x cuts^2, about as many pairs of row and cut as a tree of two splits has to look at: with
# more, the search is not begun.
MOST_ESTIMATED = 1e10
# Pairs of row and cut, and tables of cuts: with more, the search is given up. Some seconds.
MOST_WORK = 2_500_000_000


def with_every_cut(found: Found, settings: SearchSettings, watch: Watch, clock: Clock) -> Found:
    """What a search over every cut finds, if it comes to its end; otherwise the tree refined."""
    prepared = found.prepared
    if not _is_open(found, settings):
        return found
    n_rows, n_questions = len(prepared.problem.answers), prepared.binarizer.n_splits_
    is_proof_likely = n_rows * float(n_questions) ** 2 <= MOST_ESTIMATED
    is_wide = not is_proof_likely and not can_refine(n_rows, n_questions)
    every = _prepared(prepared, only_chosen=is_wide)
    if is_wide and not can_refine(n_rows, len(every.problem.questions)):
        return found
    places = _places(prepared.problem.questions, every.problem.questions)
    if places is None:
        return found
    tree = renumbered(found.solution.tree, places)
    bound = None
    if is_proof_likely:
        solution = _over_every_cut(every.problem, settings, tree, watch, clock)
        if solution.status == "interrupted":
            return replace(found, deeper_status=solution.status)
        if solution.status == "optimal":
            return Found(every, solution, None, tuple(watch.history))
        tree, bound = solution.tree, solution.lower_bound
    refinement = Refinement(prepared, every, settings, watch, clock)
    return replace(refinement.run(found, tree, places), every_cut_bound=bound)


def _over_every_cut(
    problem: Problem, settings: SearchSettings, tree: Tree, watch: Watch, clock: Clock
) -> Solution:
    settings = limited_work(settings)
    save_if_asked(problem, settings)
    watch.begin_search(lambda: headline(problem, settings))
    return find_better(problem, settings, tree, watch, clock)


def limited_work(settings: SearchSettings) -> SearchSettings:
    """For a search over every cut that nobody asked for: it is given up where it takes long."""
    return replace(settings.further(), work_limit=MOST_WORK, solver=CUTS)


def _is_open(found: Found, settings: SearchSettings) -> bool:
    """Whether cuts were left out that nobody asked to leave out, and nothing else is in the way."""
    options, problem = found.prepared.options, found.prepared.problem
    binarizer, depth = found.prepared.binarizer, problem.max_depth
    is_automatic = is_word(options["regularization"], "auto") and is_word(
        binarizer.thresholds, "auto"
    )
    # Without a teacher the penalty depends on how many splits are searched.
    is_plain = problem.targets is not None and problem.max_leaves is None
    is_free = settings.guessed_losses is None and settings.upper_bound is None
    return (
        is_automatic
        and is_plain
        and is_free
        and settings.gap == 0
        and not settings.wants_proof
        and depth is not None
        and depth <= SHALLOW
        and found.solution.status == "optimal"
        and binarizer.encoding == "questions"
        and binarizer.n_splits_ > len(problem.questions)
    )


def _prepared(prepared: Prepared, *, only_chosen: bool) -> Prepared:
    """The same fit with every cut among its questions; or only of columns of chosen questions."""
    study = prepared.study
    left_out = set(study.left_out)
    if only_chosen:
        asked = {question.column for question in prepared.problem.questions.asked}
        names = enumerate(prepared.problem.questions.names)
        left_out |= {name for j, name in names if j not in asked}
    binarizer = Binarizer(**{**prepared.binarizer.get_params(), "thresholds": "all"})
    copy_feature_names(prepared.binarizer, binarizer)
    first = prepared.problem.first_split
    fitted = binarizer.fit_table(study.table, study.events, tuple(left_out), first)
    questions = fitted.questions_
    # As codes even where these are few: floors need to know which cuts are of one column.
    answers = questions.coded(study.table)
    problem = replace(prepared.problem, answers=answers, questions=questions)
    return replace(prepared, problem=problem, binarizer=binarizer)


def _places(known: Questions, every: Questions) -> Places | None:
    """The places that questions have among all; None if one is not there."""
    places = places_in(every.asked, known.asked)
    return None if -1 in places else np.array(places, dtype=np.intp)
