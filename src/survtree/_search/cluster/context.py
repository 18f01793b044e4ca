"""The cluster that fits use, and which searches can go there."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from survtree._search.cluster.read_client import checked_versions, read_client
from survtree._search.cluster.shared_search import SharedSearch
from survtree._search.engines import TreeSearch, uses_cuts
from survtree._search.problem import Clock, Problem, SearchSettings
from survtree._search.progress import Watch

_client: ContextVar[Any] = ContextVar("client", default=None)


@contextmanager
def cluster(client: Any) -> Iterator[Any]:
    """Let the workers of a Dask cluster share the search of every fit inside the ``with`` block.

    Tree, objective, bounds and status are those of a fit in this process alone. Each thread of a
    worker is a searcher with a cache of its own; workers may be lost or come later. What a core
    solves within half a second is not sent anywhere.

    Parameters
    ----------
    client : distributed.Client or str
        A client of the cluster, or the address of its scheduler, such as "tcp://10.0.0.1:8786".

    Examples
    --------
    >>> import survtree
    >>> with survtree.cluster("tcp://10.0.0.1:8786"):  # doctest: +SKIP
    ...     model = survtree.OptimalSurvivalTree(max_depth=6).fit(X, y)
    """
    with read_client(client) as found:
        before = _client.set((found, checked_versions(found)))
        try:
            yield found
        finally:
            _client.reset(before)


def current_client() -> Any:
    """That of the innermost ``with`` block, with its workers at the time; None outside of all."""
    return _client.get()


def why_not_there(problem: Problem, settings: SearchSettings) -> str | None:
    """Why workers cannot share this search; None if they can."""
    if uses_cuts(problem, settings) and settings.work_limit is not None:
        return "a look at every cut that may do only so much work stays in one process"
    if settings.guessed_losses is not None:
        return "a search with a reference model stays in one process"
    if settings.solver == "lattice":
        return "a lattice stays in one process"
    if settings.node_limit is not None or settings.check_keys:
        return "a search with node_limit or check_keys stays in one process"
    if "permutation" in settings.bounds_off:
        return "without the permutation bound there are no results to exchange"
    return None


def on_cluster(
    client: tuple[Any, set[str]],
    search: TreeSearch,
    problem: Problem,
    settings: SearchSettings,
    watch: Watch | None,
    clock: Clock,
) -> dict[str, Any]:
    """The result of a search, shared with the workers of a cluster."""
    from survtree._search.cluster.dask_crew import DaskCrew

    crew = DaskCrew(*client)
    return SharedSearch(search, problem, settings, crew).run(watch, clock)
