"""TreeFARMS as a server of single fits: see fork_server.py.

Reads `path`, `index_col`, `max_depth`, `regularization` and `within` of the request. Its set is of
trees that classify the event flag, whatever the time: another loss. It counts depth by leaves, one
more than splits. `seconds` is the whole `fit`; `n_trees` what it says.
"""

import contextlib
import io
from typing import Any

import pandas as pd
from fork_server import Answer, Clock, serve
from reading import read_arrays
from treefarms import TREEFARMS


def fit(request: dict[str, Any], clock: Clock) -> Answer:
    data = read_arrays(request)
    X = pd.DataFrame(data.X.astype(int), columns=[f"x{j}" for j in range(data.X.shape[1])])
    y = pd.Series(data.event.astype(int), name="event")
    model = TREEFARMS(
        {
            "regularization": request["regularization"],
            "rashomon": True,
            "rashomon_bound_multiplier": request["within"],
            "depth_budget": request["max_depth"] + 1,
            "worker_limit": 1,
        }
    )
    with contextlib.redirect_stdout(io.StringIO()):
        with clock:
            model.fit(X, y)
        n_trees = model.get_tree_count()
    return {"status": "fitted", "n_trees": int(n_trees)}


if __name__ == "__main__":
    serve(fit, ("treefarms", "numpy"))
