"""ArborEnum as a server of single fits: see fork_server.py.

Reads `path`, `index_col`, `max_depth`, `regularization` and `within` of the request. Its set is of
trees that classify the event flag, whatever the time: another loss. The options are those that it
calls exact. `seconds` is `fit` and the count of trees; `n_trees` what it says.
"""

import os
from typing import Any

from arborenum import ArborEnum
from fork_server import Answer, Clock, serve
from reading import read_arrays


def fit(request: dict[str, Any], clock: Clock) -> Answer:
    data = read_arrays(request)
    model = ArborEnum()
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # its core prints
    with clock:
        model.fit(
            data.X.astype(int),
            data.event.astype(int),
            lambda_reg=request["regularization"],
            depth_budget=request["max_depth"],
            rashomon_mult=request["within"],
            lookahead_k=request["max_depth"] - 1,
            proxy_mode="continuous",
        )
        n_trees = model.count_trees()
    os.dup2(answers, 1)
    return {"status": "fitted", "n_trees": int(n_trees)}


if __name__ == "__main__":
    serve(fit, ("arborenum", "numpy"))
