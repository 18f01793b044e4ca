"""scikit-survival's greedy SurvivalTree as a server of single fits: see fork_server.py.

Reads `path`, `index_col`, `max_depth` and `min_samples_leaf` of the request. `seconds` is the whole
`fit`; the columns are 32-bit floats beforehand, which is what it would turn them into. `low_memory`
spares it a curve for every node, of which none is read here. It minimises no objective that could
be compared.
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
        low_memory=True,
    )
    with clock:
        model.fit(features, y)
    return {"status": "fitted", "n_leaves": int(model.tree_.n_leaves)}


if __name__ == "__main__":
    serve(fit, ("scikit-survival", "numpy"))
