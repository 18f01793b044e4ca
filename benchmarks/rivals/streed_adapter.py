"""STreeD's optimal survival trees (pystreed) as a server of single fits: see fork_server.py.

Reads `path`, `index_col`, `max_depth`, `max_num_nodes` (splits), `min_samples_leaf` and
`time_limit` of the request. `seconds` is the whole `fit`. It minimises another loss, without a
penalty per leaf, so its `score` is not comparable with an objective. `tree` is its nodes: column
(-1 at a leaf), child where that is 0, child where it is 1, parents before children.
"""

from typing import Any

from fork_server import Answer, Clock, serve
from pystreed import STreeDSurvivalAnalysis
from reading import read_arrays
from sksurv.util import Surv


class Solver(STreeDSurvivalAnalysis):
    """Its fit takes event flags as places of a list, which booleans of NumPy 2 refuse to be."""

    def _compute_baseline_cumulative_hazard_function(self, events: Any, times: Any) -> Any:
        return super()._compute_baseline_cumulative_hazard_function(events.astype(int), times)

    def _process_extra_data(self, X: Any, events: Any) -> Any:
        return super()._process_extra_data(X, events.astype(int))


def fit(request: dict[str, Any], clock: Clock) -> Answer:
    """Fit once; `optimal` is its own claim."""
    data = read_arrays(request)
    y = Surv.from_arrays(data.event, data.time)
    model = Solver(
        max_depth=request["max_depth"],
        max_num_nodes=request["max_num_nodes"],
        min_leaf_node_size=request["min_samples_leaf"],
        time_limit=request["time_limit"],
    )
    with clock:
        model.fit(data.X, y)
    result = model.fit_result
    return {
        "status": "optimal" if result.is_optimal() else "time_limit",
        "score": result.score(),
        "n_leaves": result.tree_nodes() + 1,
        "depth": result.tree_depth(),
        "tree": nodes_of(model.get_tree()),
    }


def nodes_of(root: Any) -> list[list[int]]:
    """Its linked nodes as three lists."""
    question: list[int] = []
    no: list[int] = []
    yes: list[int] = []

    def added(node: Any) -> int:
        place = len(question)
        is_leaf = node.is_leaf_node()
        question.append(-1 if is_leaf else node.feature)
        no.append(-1)
        yes.append(-1)
        if not is_leaf:
            no[place], yes[place] = added(node.left_child), added(node.right_child)
        return place

    added(root)
    return [question, no, yes]


if __name__ == "__main__":
    serve(fit, ("pystreed", "scikit-survival", "numpy"))
