"""scikit-survival's greedy SurvivalTree as a server of single fits: see fork_server.py.

Reads `path`, `index_col`, `max_depth`, `min_samples_leaf` and, if it is there, `max_leaf_nodes` of
the request. `tree` is its nodes: column (-1 at a leaf), child where that is 0, child where it is 1,
parents before children. `seconds` is the whole `fit`; the columns are 32-bit floats beforehand,
which is what it would turn them into. `low_memory` spares it a curve for every node, of which none
is read here. It minimises no objective that could be compared.
"""

from typing import Any

import numpy as np
from fork_server import Answer, Clock, serve
from reading import read_arrays
from sksurv.tree import SurvivalTree
from sksurv.util import Surv


def fit(request: dict[str, Any], clock: Clock) -> Answer:
    """Fit once."""
    data = read_arrays(request)
    features = data.X.astype(np.float32)
    y = Surv.from_arrays(data.event, data.time)
    model = SurvivalTree(
        max_depth=request["max_depth"],
        min_samples_leaf=request["min_samples_leaf"],
        max_leaf_nodes=request.get("max_leaf_nodes"),
        low_memory=True,
        random_state=0,
    )
    with clock:
        model.fit(features, y)
    tree = model.tree_
    question = np.maximum(tree.feature, -1)
    return {
        "status": "fitted",
        "n_leaves": int(tree.n_leaves),
        "tree": [part.tolist() for part in (question, tree.children_left, tree.children_right)],
    }


if __name__ == "__main__":
    serve(fit, ("scikit-survival", "numpy"))
