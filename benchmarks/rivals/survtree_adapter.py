"""survtree as a server of single fits: see fork_server.py.

The request is that of `osst_adapter.py`, and may add `n_jobs`, `memory_limit`, `loss` and `within`.
`seconds` is the whole `fit`, from arrays in memory to a fitted and re-scored estimator, the first
of its process; with `within` also the list of all trees within that share of the optimum.
"""

import warnings
from typing import Any

from fork_server import Answer, Clock, serve
from reading import read_arrays

from survtree import OptimalSurvivalTree, SearchStoppedWarning


def fit(request: dict[str, Any], clock: Clock) -> Answer:
    """Fit once; the tree is told apart by its arrays."""
    # The status says it.
    warnings.simplefilter("ignore", SearchStoppedWarning)
    data = read_arrays(request)
    model = OptimalSurvivalTree(
        request["max_depth"],
        request["regularization"],
        min_samples_leaf=request["min_samples_leaf"],
        time_limit=request["time_limit"],
        memory_limit=request.get("memory_limit"),
        n_jobs=request.get("n_jobs", 1),
        # An earlier version, beside which this one is run, does not know the option.
        **{name: request[name] for name in ("loss",) if name in request},
    )
    with clock:
        model.fit(data.X, (data.event, data.time))
        near = model.near_optimal(request["within"], 10**9) if "within" in request else ()
    tree = model.tree_
    return {
        "n_trees": len(near),
        "status": model.status_,
        "objective": model.objective_,
        "lower_bound": model.lower_bound_,
        "n_leaves": model.n_leaves_,
        "depth": model.depth_,
        "counts": model.certificate_.counts,
        "tree": [tree.question.tolist(), tree.no.tolist(), tree.yes.tolist()],
    }


if __name__ == "__main__":
    serve(fit, ("survtree", "numpy"))
