"""The first line of the progress table."""

from survtree._base.numbers import format_count, format_penalty
from survtree._base.versions import SURVTREE_VERSION
from survtree._search.engines import n_threads
from survtree._search.problem import Problem, SearchSettings


def headline(problem: Problem, settings: SearchSettings) -> str:
    """The first line of the progress table."""
    n, p = problem.events.n_rows, problem.answers.shape[1]
    depth = "no limit" if problem.max_depth is None else problem.max_depth
    leaves = "" if problem.max_leaves is None else f"  at most {problem.max_leaves} leaves"
    return (
        f"survtree {SURVTREE_VERSION} | {n:,} rows  {p} questions  "
        f"{len(problem.events.event_times):,} event times | regularization "
        f"{format_penalty(problem.regularization)}  depth {depth}{leaves} | "
        f"{format_count(n_threads(settings), 'thread')}"
    )
