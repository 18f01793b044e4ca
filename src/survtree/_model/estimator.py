"""OptimalSurvivalTree: check the options, prepare the problem, search, keep what was found."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from survtree._base.checks import check_options
from survtree._data.read_columns import warn_of_data
from survtree._model.deeper import Found, searched
from survtree._model.every_cut import with_every_cut
from survtree._model.fitted import FittedTree
from survtree._model.prepare import copy_feature_names, prepare, rows_and_roles
from survtree._model.search_settings import settings_for
from survtree._model.shortfalls import warn_of_shortfalls
from survtree._model.state import Fitted
from survtree._model.tree_lists import TreeLists
from survtree._proof.certificate import Certificate, proof_of
from survtree._proof.guess import Guess
from survtree._scoring.tail import heavy_tail, warn_of_tail
from survtree._search.history import steady
from survtree._search.problem import Clock
from survtree._search.progress import Snapshot, Watch, watching
from survtree._search.read_reference import name_of
from survtree._search.replay import save_if_asked
from survtree._search.solve import KeptSearch


class OptimalSurvivalTree(TreeLists, FittedTree):
    """One small tree that is optimal, with a proof, and whose predictions hold on new rows.

    Columns of X become yes/no questions, which the tree splits on (see ``Binarizer``). A leaf is a
    group of rows with a Kaplan-Meier curve. What is minimised depends on ``regularization``:

    "auto", the default
        The tree is fitted to a teacher's survival curves: those of a forest and a Cox model, each
        predicted without the row itself. It minimises the mean squared distance between the rows'
        curves and the mean curve of their leaf, up to a horizon, plus a penalty per leaf; all three
        are chosen from the data. Leaves predict shrunken Kaplan-Meier curves.
    a number
        The tree minimises integrated Brier score + number x leaves, as in the paper, and leaves
        predict their Kaplan-Meier curves; unless horizon, teacher or shrinkage are set too.

    Ties between trees of equal objective are broken from the root down: a leaf if it is as good;
    otherwise the first question that attains the optimum, in the order of their losses as the only
    split of all rows, then of how easily they read, then of the column names.

    Parameters
    ----------
    max_depth : int, "default", "auto" or None, default="default"
        Deepest the tree may grow, counted in splits from the root; a lone leaf has depth 0. 'auto'
        is 3, or up to 5 with at most 8 leaves where that comes much nearer to the teacher.
        'default' is 'auto' if regularization is 'auto', otherwise 4. None: no limit.
    regularization : "auto" or float, default="auto"
        Penalty per leaf. 'auto' chooses it, and everything whose value is 'default', for
        predictions of new rows; beside max_leaves it is 0. A number is the penalty of the
        paper's objective, in units of the loss: a split must reduce the loss by at least this much.
    min_samples_leaf : int, default=7
        Smallest number of training rows per leaf; weights do not count.
    min_events_leaf : "default" or int, default="default"
        Smallest number of events per leaf; weights do not count. 'default' is 1 if regularization
        is 'auto', otherwise 0. A tree that is a lone leaf may have fewer.
    max_leaves : int or None, default=None
        Largest number of leaves: the best tree with at most this many, without a penalty unless
        regularization is a number. It is found exactly, which a penalty alone need not do. Such a
        search has no gap, upper bound, reference, warm start or full proof.
    loss : {"brier", "likelihood"}, default="brier"
        What trees are judged by: the integrated Brier score of their survival curves, or the
        likelihood of one hazard ratio per leaf, beside which there is neither a teacher nor a
        reference. That is LeBlanc and Crowley's; leaves predict survival curves with either.
    thresholds : "auto", "all", "guess", int, ("width", int), list or dict, default="auto"
        Where numeric columns may be split, for example at age <= 62.5. See ``Binarizer``.
    missing : {"error", "question", "better", "drop"}, default="error"
        Missing values: refuse them, split on whether a value is missing, send them to the better
        side of each split, or drop the rows. With "question" they answer no to other splits;
        "better" tries each split also with yes for them. Rows to predict cannot be dropped: with
        "drop" they must be complete.
    encoding : {"questions", "paper"}, default="questions"
        Splits on the columns as they are, or on the 0/1 columns of the paper's experiments.
    max_levels : int, default=100
        Largest number of levels of a categorical column.
    levels : {"default", "each", "grouped", "subsets"}, default="default"
        A candidate split for each level of a categorical column, or also for groups of levels in
        the order of their risk, or for every division of up to 8 levels in two. 'default' is
        'grouped' if regularization is 'auto', otherwise 'each'. With "subsets", more levels than
        that are grouped by their risk.
    categorical : list of column names or None, default=None
        Columns whose numbers are codes of categories.
    exclude : list of column names or None, default=None
        Columns that the tree must not split on. Columns that only number the rows are left out as
        well, with a warning, unless thresholds or categorical name them.
    column_penalties : dict of column names to numbers or None, default=None
        Added to the objective for every split on a column, in units of the loss: a split on it
        must reduce the loss by that much more. For columns that are costly to measure.
    first_split : column name or None, default=None
        Column that the tree splits all rows on, whether that pays or not; then each side as is
        best. One leaf if no split on it leaves enough rows and events on both sides.
    time_buckets : int, list of times or None, default=None
        Times are rounded up to this many buckets, or to the given edges, before the search. This is
        an approximation for very many distinct times: objective and proof are about the rounded
        times; ``exact_loss_`` and the curves of the leaves are about the times as they are.
    horizon : "default", "auto", float or None, default="default"
        Time up to which the loss is integrated; 'auto' is a time by which most rows have ended.
        'default' is 'auto' if regularization is 'auto', otherwise None. Curves and predictions keep
        all times. A horizon above the largest time acts as the largest time, and None as well.
    teacher : "default", "auto", "forest", "cox", fitted model, (survival, times) or None
        A model whose survival curves the tree is fitted to, instead of the outcomes themselves.
        'default' is 'auto' if regularization is 'auto', otherwise None. "auto" is the mean of a
        forest on pseudo-observations, out of bag, and a ridge Cox model, cross-fitted; "forest" and
        "cox" are one of them. A fitted model predicts the training rows: one that was fitted to the
        same rows teaches its own overfitting. The proof is then about this teacher.
    shrinkage : "default", "auto" or float, default="default"
        How strongly the predicted curve of a leaf is pulled towards the curves of the nodes above
        it, in rows; 0 predicts the curve of the leaf's own rows. 'default' is 'auto' if
        regularization is 'auto', otherwise 0. The difference between the curves of a node of n rows
        and its child counts 1 / (1 + shrinkage / n). Tree, objective and proof do not depend on it.
    time_unit : str or None, default=None
        The unit of the times, for tables, pictures and reports; the fit does not depend on it. For
        example "days". Model files keep it.
    time_limit : float or None, default=None
        Seconds after which the search stops and returns the best tree so far with a lower bound. A
        built-in teacher is cut short after half of them. Reading the table and fitting a reference
        count towards it, but are not cut short.
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
        Threads of the search and of a built-in teacher; -1 uses all cores. The tree does not depend
        on it. None is one thread; a search with a gap above 0 always runs in one.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where the search runs: on the CPU; on a CUDA GPU (needs survtree[gpu]) if a core has not
        solved it in a moment; or on the GPU where there is one, the problem can go there and a core
        is expected to take longer. The tree does not depend on it. ``certificate_.is_from_gpu``
        says what ran, and a DeviceError why "cuda" cannot be used.
    verbose : int, default=0
        1 logs a progress table, 2 adds to each line what was pruned. Lines go to the logger
        "survtree", or to standard error if it has no handler. A built-in teacher has a line too.
    callback : callable or None, default=None
        Called with a Snapshot during the search; the search stops if it returns True. It is called
        for every line of the table and about ten times a second, in the thread of the fit. An
        exception that it raises ends the fit.
    random_state : int, RandomState or None, default=0
        Seed of the teachers and reference models that are fitted here; nothing else is random. None
        draws a new seed each time.

    Attributes
    ----------
    tree_ : Tree
        Splits and leaves as arrays.
    objective_, loss_, lower_bound_, gap_ : float
        Loss plus penalties of the tree, its loss alone, a bound that no tree is below, and
        (objective - lower bound) / objective.
    status_ : str
        "optimal", "guessed", "gap_reached", "time_limit", "memory_limit", "node_limit" or
        "interrupted"; "near_optimal" of a tree that ``near_optimal`` has listed.
    certificate_ : Certificate
        The numbers behind the proof; ``certificate_.verify(X, y)`` rechecks them.
    n_leaves_, depth_ : int
        Size of the tree.
    regularization_, horizon_, teacher_, shrinkage_, min_events_leaf_
        What the words "auto" and "default" of these options came to. ``teacher_`` is a name.
    screening_ : str
        That every cut was searched, or how many of the possible splits, and whether those of the
        tree were refined; empty without cuts.
    warnings_ : tuple of str
        What in the table would mislead, in sentences: each was a ``DataWarning`` of the fit.
    excluded_ : list of str
        Columns that were left out: excluded, or numbering the rows.
    one_leaf_reason_ : str
        Why the tree has no split, in a sentence; empty if it has one.
    ibs_ratio_ : float
        1 - integrated Brier score of the tree / that of a lone leaf, on the training rows.
    exact_loss_ : float
        Loss of the tree on the times as they are; ``loss_`` unless there are time buckets.
    seed_ : int or None
        The seed that was used; None if nothing was random.
    recipe_ : Recipe
        How to make the model again: code with every option written out, the seed, versions, and a
        fingerprint of the rows.
    binarizer_ : Binarizer
        How columns became questions; ``questions_`` lists them.
    unique_times_ : ndarray
        Distinct training times, ascending: the columns of predicted arrays.
    leaf_curves_ : dict of int to LeafCurve
        The curves of each leaf's own rows (by node number), with confidence bands.
    predicted_curves_ : dict of int to PredictedCurve
        What each leaf (by node number) predicts: ``leaf_curves_``, shrunken.
    groups_, group_names_ : dict of int to int, dict of int to str
        The leaf (node number) and the name of each group; groups count from 1, the lowest risk.
    history_ : tuple of Snapshot
        Where the search stood whenever a bound had moved.

    Examples
    --------
    >>> from survtree import OptimalSurvivalTree
    >>> from survtree.datasets import load
    >>> X, y = load("veterans")
    >>> model = OptimalSurvivalTree(max_depth=2, regularization=0.001).fit(X, y)
    >>> model.status_, model.n_leaves_, round(model.objective_, 6)
    ('optimal', 4, 0.066221)
    """

    _kept_search: KeptSearch | None = None

    def __init__(
        self,
        max_depth: int | str | None = "default",
        regularization: float | str = "auto",
        *,
        min_samples_leaf: int = 7,
        min_events_leaf: int | str = "default",
        max_leaves: int | None = None,
        loss: str = "brier",
        thresholds: Any = "auto",
        missing: str = "error",
        encoding: str = "questions",
        max_levels: int = 100,
        levels: str = "default",
        categorical: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        column_penalties: Mapping[str, float] | None = None,
        first_split: str | None = None,
        time_buckets: Any = None,
        horizon: float | str | None = "default",
        teacher: Any = "default",
        shrinkage: float | str = "default",
        time_unit: str | None = None,
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
        device: str = "cpu",
        verbose: int = 0,
        callback: Callable[[Snapshot], Any] | None = None,
        random_state: Any = 0,
    ) -> None:
        self.max_depth = max_depth
        self.regularization = regularization
        self.min_samples_leaf = min_samples_leaf
        self.min_events_leaf = min_events_leaf
        self.max_leaves = max_leaves
        self.loss = loss
        self.thresholds = thresholds
        self.missing = missing
        self.encoding = encoding
        self.max_levels = max_levels
        self.levels = levels
        self.categorical = categorical
        self.exclude = exclude
        self.column_penalties = column_penalties
        self.first_split = first_split
        self.time_buckets = time_buckets
        self.horizon = horizon
        self.teacher = teacher
        self.shrinkage = shrinkage
        self.time_unit = time_unit
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
        self.device = device
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
        cause: Any = None,
        censored: Any = None,
    ) -> "OptimalSurvivalTree":
        """Find the optimal tree.

        Parameters
        ----------
        X : array or frame (pandas, polars, pyarrow), or lazy frame (polars, duckdb, dask)
            Numbers, flags and categories; see ``Binarizer`` for what becomes of them. A lazy frame
            is read in passes and need not fit in memory; its outcome is in ``duration_col`` and
            ``event_col``, and there is no teacher.
        y : structured array (event, time), two-column frame, or pair (event, time)
            event is True (1) when the event was seen, False (0) when the row was censored. With
            ``cause`` it holds what ended each row.
        sample_weight : array of numbers, 0 or more, optional
            A row of weight 2 counts as two equal rows, one of weight 0 as none. Of a lazy frame:
            the name of the column of weights.
        duration_col, event_col : names of columns, optional
            Instead of y: the columns of the frame X that hold time and event.
        cause : code or name, optional
            With competing risks: which cause the tree is about. The event column then holds what
            ended each row, 0 for a censored one; the leaves' curves are cumulative incidences.
        censored : code or name, optional
            The label of censored rows; by default 0, or the one word for it, such as "censored".
        """
        clock = Clock.started()
        options = check_options(self)
        outcome = duration_col, event_col, cause, censored
        X, y, roles = rows_and_roles(X, y, sample_weight, *outcome)
        verbose, callback = options["verbose"], options["callback"]
        with watching(verbose, callback) as watch:
            # A copy: until there is a new tree, this model keeps the columns of the one it has.
            prepared = prepare(copy(self), options, X, y, sample_weight, watch, clock)
            # Taken, since a search serves one thread at a time.
            kept = self.__dict__.pop("_kept_search", None) if options["warm_start"] else None
            settings = settings_for(options, prepared, kept)
            save_if_asked(prepared.problem, settings)
            found = searched(prepared, settings, watch, kept, clock)
            found = with_every_cut(found, settings, watch, clock)
            self._kept_search = found.kept if options["warm_start"] else None
            certificate = self._certified(found, watch)
            found = replace(found, kept=None)  # large, and of no more use
            fitted = Fitted.of(
                found.prepared,
                found.solution,
                certificate,
                history=steady(found.history),
            ).with_binarizer(roles_=roles)
            copy_feature_names(prepared.binarizer, self)
            self._fitted = replace(fitted, origin=fitted.origin.made_by(self))
            watch.say(certificate.last_line)
        warn_of_data(self.warnings_)
        warn_of_shortfalls(self, found, options, watch.stopped_by)
        self._is_interrupted = found.is_interrupted and watch.stopped_by == "an interrupt"
        tail = heavy_tail(prepared.exact.until(prepared.horizon))
        warn_of_tail(tail, can_choose=prepared.horizon is None)
        return self

    def _certified(self, found: Found, watch: Watch) -> Certificate:
        """The certificate, with what was guessed, and with a full proof if one is wanted."""
        prepared, solution, kept = found.prepared, found.solution, found.kept
        guess = proof = None
        if kept is not None and kept.settings.guessed_losses is not None:
            guess = Guess.of(name_of(self.reference), kept.settings.guessed_losses, solution)
        if self.certificate == "full" and kept is not None and solution.status == "optimal":
            proof = proof_of(kept, solution, watch, prepared.horizon)
        return prepared.certificate(
            solution,
            guess=guess,
            proof=proof,
            n_tried=found.n_tried,
            every_cut_bound=found.every_cut_bound,
        )

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        # What a search remembers is large, and of use to this process only.
        return {name: value for name, value in state.items() if name != "_kept_search"}


def with_state(model: OptimalSurvivalTree, fitted: Fitted) -> OptimalSurvivalTree:
    """A model with the options and columns of another one, and this state and regularization."""
    regularization = fitted.certificate.regularization
    options = {**model.get_params(deep=False), "regularization": regularization}
    other = OptimalSurvivalTree(**options)
    copy_feature_names(model, other)
    other._fitted = fitted
    return other
