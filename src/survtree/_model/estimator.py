"""OptimalSurvivalTree: validate -> binarize -> solve -> keep results."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from survtree._base.checks import check_options
from survtree._base.errors import SearchStoppedWarning
from survtree._base.tree import Tree
from survtree._data.table import EventTable
from survtree._model.checks import check_limit, check_trees_can_be_listed
from survtree._model.fitted import Roles
from survtree._model.predict import TreePredictor
from survtree._model.prepare import Prepared, prepare
from survtree._proof.certificate import Certificate, Guess, headline
from survtree._proof.proof_file import ProofLog, proof_of
from survtree._scoring.curves import LeafCurve, LeafCurves, leaf_curves
from survtree._search.problem import Problem
from survtree._search.progress import Snapshot, logger, watching
from survtree._search.reference import name_of, reference_losses
from survtree._search.replay import save_if_asked
from survtree._search.settings import SearchSettings
from survtree._search.solve import Solution, find, loss_of, optimal_trees


class OptimalSurvivalTree(TreePredictor):
    """The tree that minimises integrated Brier score + regularization x leaves, with a proof.

    Columns of X become yes/no questions (see ``Binarizer``). Each leaf predicts the Kaplan-Meier
    curve of its training rows. Among trees of equal objective the one returned is found from the
    root down: a leaf if it is as good; otherwise the first question that attains the optimum, where
    questions are ordered by how well they do alone on all rows, then by how easily they read, then
    by column name.

    Parameters
    ----------
    max_depth : int or None, default=4
        Deepest the tree may grow, counted in splits from the root; a lone leaf has depth 0. None:
        no limit.
    regularization : float, default=0.01
        Penalty per leaf, in units of the loss: a split must reduce the loss by at least this much.
    min_samples_leaf : int, default=7
        Smallest number of training rows per leaf; weights do not count.
    max_leaves : int or None, default=None
        Largest number of leaves. The best tree with at most this many leaves is found exactly,
        which a penalty alone need not do. Such a search runs in one thread without progress,
        callback, gap, upper bound, reference or warm start.
    thresholds : "auto", "all", "guess", int, ("width", int), list or dict, default="auto"
        Where numeric columns may be split, for example at age <= 62.5. See ``Binarizer``.
    missing : {"error", "question", "drop"}, default="error"
        Missing values: refuse them, split on whether a value is missing, or drop the rows. Rows to
        predict cannot be dropped: with "drop" they must be complete.
    encoding : {"questions", "paper"}, default="questions"
        Splits on the columns as they are, or on the 0/1 columns of the paper's experiments.
    max_levels : int, default=100
        Largest number of levels of a categorical column.
    time_buckets : int, list of times or None, default=None
        Times are rounded up to this many buckets, or to the given edges, before the search. This is
        an approximation for very many distinct times: objective and proof are about the rounded
        times; ``exact_loss_`` and the curves of the leaves are about the times as they are.
    time_limit : float or None, default=None
        Seconds after which the search stops and returns the best tree so far with a lower bound.
        Reading the table and fitting a reference count towards it, but are not cut short.
    memory_limit : int, str or None, default=None
        Memory that the process may use: the search drops cached results to stay within it, and
        stops if that is not enough. Bytes, or a text such as "500MB" or "4GB". The search always
        gets a tenth of it, even if the rest of the process uses more than the limit.
    node_limit : int or None, default=None
        Number of solved subsets of rows after which the search stops, as at a time limit. Unlike a
        time limit, it stops at the same place every time.
    gap : float, default=0.0
        Stop when (objective - lower bound) / objective is at most this.
    upper_bound : float or None, default=None
        An objective known to be attainable; the search looks only for trees at least as good. If
        there is none, a warning says so and the search continues without it.
    reference : str, fitted model, (survival, times), array of losses or None, default=None
        A model assumed to fit at least as well as any tree on rows that no split can separate.
        "forest" and "boosting" are fitted here (needs ``survtree[reference]``). The search then
        skips what cannot be better if the assumption holds; the status is "guessed", and
        ``certificate_.guess`` has the details.
    reference_mode : {"guess", "prove"}, default="guess"
        Trust the reference, or use it only to find a first tree. With "prove" the search then
        continues without the reference, and its proof does not depend on it.
    certificate : {"numbers", "full"}, default="numbers"
        What is kept of the proof: its numbers, or the full proof, for survtree check-proof. "full"
        derives a list of claims after the search, which takes at least as long again, and
        ``certificate_.write_proof(path)`` writes it. It needs a search without ``max_leaves`` and
        without a trusted reference.
    warm_start : bool, default=False
        Continue the search of the last fit if the problem is the same. The results of the search
        are kept in memory after the fit; they are not pickled.
    n_jobs : int or None, default=None
        Threads of the search; -1 uses all cores. The tree does not depend on it. None is one
        thread; a search with a gap above 0 always runs in one.
    verbose : int, default=0
        1 logs a progress table, 2 adds to each line what was pruned. Lines go to the logger
        "survtree", or to standard error if it has no handler.
    callback : callable or None, default=None
        Called with a Snapshot during the search; the search stops if it returns True. It is called
        for every line of the table and about ten times a second, in the thread of the fit. An
        exception that it raises ends the fit.
    random_state : int, RandomState or None, default=None
        Seed of the reference models 'forest' and 'boosting'; nothing else is random.

    Attributes
    ----------
    tree_ : Tree
        Splits and leaves as arrays.
    objective_, loss_, lower_bound_, gap_ : float
        What the tree costs and what no tree can undercut.
    status_ : str
        "optimal", "guessed", "gap_reached", "time_limit", "memory_limit", "node_limit" or
        "interrupted".
    certificate_ : Certificate
        The numbers behind the proof; ``certificate_.verify(X, y)`` rechecks them.
    n_leaves_, depth_ : int
        Size of the tree.
    ibs_ratio_ : float
        1 - loss of the tree / loss of a lone leaf, on the training rows.
    exact_loss_ : float
        Loss of the tree on the times as they are; ``loss_`` unless there are time buckets.
    binarizer_ : Binarizer
        How columns became questions; ``questions_`` are what it asks.
    unique_times_ : ndarray
        Distinct training times, ascending: the columns of predicted arrays.
    leaf_curves_ : dict of int to LeafCurve
        What each leaf (by node number) predicts.
    history_ : tuple of Snapshot
        Bounds whenever they were found to have moved; empty where the search shows no progress.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree
    >>> from survtree.datasets import load
    >>> X, y = load("veterans")
    >>> model = OptimalSurvivalTree(max_depth=2, regularization=0.001).fit(X, y)
    >>> model.status_, model.n_leaves_, round(model.objective_, 6)
    ('optimal', 4, 0.066221)
    """

    def __init__(
        self,
        max_depth: int | None = 4,
        regularization: float = 0.01,
        *,
        min_samples_leaf: int = 7,
        max_leaves: int | None = None,
        thresholds: Any = "auto",
        missing: str = "error",
        encoding: str = "questions",
        max_levels: int = 100,
        time_buckets: Any = None,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        node_limit: int | None = None,
        gap: float = 0.0,
        upper_bound: float | None = None,
        reference: Any = None,
        reference_mode: str = "guess",
        certificate: str = "numbers",
        warm_start: bool = False,
        n_jobs: int | None = None,
        verbose: int = 0,
        callback: Callable[[Snapshot], Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.regularization = regularization
        self.min_samples_leaf = min_samples_leaf
        self.max_leaves = max_leaves
        self.thresholds = thresholds
        self.missing = missing
        self.encoding = encoding
        self.max_levels = max_levels
        self.time_buckets = time_buckets
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.node_limit = node_limit
        self.gap = gap
        self.upper_bound = upper_bound
        self.reference = reference
        self.reference_mode = reference_mode
        self.certificate = certificate
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        duration_col: Any = None,
        event_col: Any = None,
    ) -> "OptimalSurvivalTree":
        """Find the optimal tree.

        Parameters
        ----------
        X : array or frame (pandas, polars, pyarrow)
            Numbers, flags and categories; see ``Binarizer`` for what becomes of them.
        y : structured array (event, time), two-column frame, or pair (event, time)
            event is True (1) when the event was seen, False (0) when the row was censored.
        sample_weight : array of positive numbers, optional
            A row of weight 2 counts as two equal rows.
        duration_col, event_col : names of columns, optional
            Instead of y: the columns of the frame X that hold time and event.
        """
        start = perf_counter()
        options = check_options(self)
        columns = {"duration_col": duration_col, "event_col": event_col}
        prepared = prepare(self, options, X, y, sample_weight, **columns)
        problem = prepared.problem
        kept = getattr(self, "_kept_search", None) if options["warm_start"] else None
        limits = limits_of(options)
        if self.reference is not None and not (limits.proves and kept and kept.is_proof(problem)):
            losses = reference_losses(
                self.reference,
                prepared.X,
                problem.answers,
                problem.events,
                options["random_state"],
            )
            limits = replace(limits, guessed_losses=losses)
        save_if_asked(problem, limits)
        limits = replace(limits, seconds_gone=perf_counter() - start)
        verbose, callback = options["verbose"], options["callback"]
        with watching(lambda: headline(problem, limits), verbose, callback) as watch:
            solution, kept = find(problem, limits, watch, kept)
            self._kept_search = kept if options["warm_start"] else None
            limits = limits if kept is None else kept.limits
            proof = None
            if options["certificate"] == "full" and kept and solution.status == "optimal":
                proof = proof_of(kept, solution, watch)
            self.keep_solution(prepared, solution, options, limits.guessed_losses, proof)
            self.history_ = tuple(watch.history)
            self.roles_ = None if event_col is None else Roles(str(duration_col), str(event_col))
            if verbose:
                logger.info("%s", self.certificate_.last_line())
        self._warn(solution, options, watch.stopped_by)
        return self

    def keep_solution(
        self,
        prepared: Prepared,
        solution: Solution,
        options: dict[str, Any],
        guessed_losses: NDArray[np.float64] | None = None,
        proof: ProofLog | None = None,
    ) -> "OptimalSurvivalTree":
        """Become the model of a solution; for those who search by other means than ``fit``."""
        self._keep(prepared, solution)
        self._certify(prepared.problem, solution, options["time_buckets"], guessed_losses, proof)
        return self

    def _keep(self, prepared: Prepared, solution: Solution) -> None:
        tree, one_leaf = solution.tree, solution.one_leaf_loss
        problem, exact = prepared.problem, prepared.exact
        self.binarizer_ = prepared.binarizer
        self._problem: Problem | None = problem
        self.tree_ = tree
        self.history_ = ()
        self.objective_ = solution.objective
        self.loss_ = solution.loss
        self.lower_bound_ = solution.lower_bound
        self.status_ = solution.status
        self.n_leaves_ = len(tree.leaves)
        self.depth_ = int(tree.depths().max())
        # A lone leaf explains nothing, not 1e-16 of it.
        is_split = self.n_leaves_ > 1 and one_leaf > 0
        self.ibs_ratio_ = 1.0 - solution.loss / one_leaf if is_split else 0.0
        self.exact_loss_ = solution.loss
        self.unique_times_ = solution.unique_times
        self.event_times_ = solution.event_times
        if exact is not problem.events:
            self.exact_loss_ = loss_of(replace(problem, events=exact), tree)
            self.unique_times_, self.event_times_ = exact.unique_times, exact.event_times
        self._leaf_curves = LeafCurves(lambda: _curves_by_node(problem, exact, tree))

    def _certify(
        self,
        problem: Problem,
        solution: Solution,
        buckets: int | tuple[float, ...] | None,
        losses: NDArray[np.float64] | None,
        proof: ProofLog | None,
    ) -> None:
        guess = None
        if losses is not None:
            guess = Guess(
                reference=name_of(self.reference),
                loss=float(losses.sum()),
                conditional_bound=solution.guessed_bound,
                lower_bound=solution.lower_bound,
                n_closed=solution.counts["pruned_by_guess"],
            )
        self.certificate_ = Certificate(
            objective=solution.objective,
            loss=solution.loss,
            lower_bound=solution.lower_bound,
            status=solution.status,
            n_leaves=self.n_leaves_,
            regularization=problem.regularization,
            max_depth=problem.max_depth,
            min_samples_leaf=problem.min_samples_leaf,
            max_leaves=problem.max_leaves,
            tolerance=solution.tolerance,
            fingerprint=problem.fingerprint(),
            seconds=solution.seconds,
            counts=solution.counts,
            tree=solution.tree,
            binarizer=self.binarizer_,
            time_buckets=buckets,
            exact_loss=None if buckets is None else self.exact_loss_,
            guess=guess,
            proof=proof,
        )
        self.gap_ = self.certificate_.gap

    def _warn(self, solution: Solution, options: dict[str, Any], interrupter: str) -> None:
        if solution.is_upper_bound_wrong:
            warnings.warn(
                f"no tree attains upper_bound={options['upper_bound']:g}; the search went on "
                f"without it and found {solution.objective:g}.",
                UserWarning,
                stacklevel=3,
            )
        if options["certificate"] == "full" and self.certificate_.proof is None:
            warnings.warn(
                "there is no full proof: a limit ended the search, or the proof would be too long.",
                UserWarning,
                stacklevel=3,
            )
        reason = {
            "time_limit": f"the time limit ({options['time_limit']} s)",
            "memory_limit": f"the memory limit ({self.memory_limit})",
            "node_limit": f"the node limit ({options['node_limit']})",
            "interrupted": interrupter,
        }.get(solution.status)
        if reason is not None:
            warnings.warn(
                f"stopped by {reason}. Objective {self.objective_:.4g}, lower bound "
                f"{self.lower_bound_:.4g}, gap {100 * self.gap_:.1f} %. The tree is valid but not "
                "proven best.",
                SearchStoppedWarning,
                stacklevel=3,
            )

    def optimal_trees(self, limit: int = 100) -> list[Tree]:
        """Every distinct tree that attains the optimum, at most ``limit``; the first is ``tree_``.

        Columns that part the training rows alike count as one question. Needs the training rows,
        which a fitted model keeps in memory but does not pickle.
        """
        check_is_fitted(self)
        limit = check_limit(limit)
        problem = check_trees_can_be_listed(self._problem, self.status_)
        return optimal_trees(problem, self.objective_, limit)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        # Large, and of use to this process only.
        return {**state, **{name: None for name in ("_problem", "_kept_search") if name in state}}


def _curves_by_node(problem: Problem, exact: EventTable, tree: Tree) -> dict[int, LeafCurve]:
    leaves = tree.leaves.tolist()
    curves = leaf_curves(exact, problem.leaf_of_row(tree), len(leaves))
    return dict(zip(leaves, curves, strict=True))


def limits_of(options: dict[str, Any]) -> SearchSettings:
    """What the options say about how the search may end."""
    may_stop = ("time_limit", "memory_limit", "node_limit", "gap", "verbose", "callback")
    return SearchSettings(
        gap=options["gap"],
        upper_bound=options["upper_bound"],
        time_limit=options["time_limit"],
        memory_limit=options["memory_limit"],
        node_limit=options["node_limit"],
        n_jobs=options["n_jobs"],
        proves=options["reference_mode"] == "prove",
        # Whoever may stop the search or watches it wants to see the gap close.
        wants_bounds=any(options[name] for name in may_stop),
    )
