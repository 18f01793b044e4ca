"""Odd inputs through the API and the command line: `python -m tests.odd.run`.

Each must end in a tree, which brute force confirms where there are not too many questions, or in a
ValueError or TypeError that tells what is needed. A frame and its Parquet file must give the same
tree. A process of its own runs each group, so that a crash would be seen, and one that hangs is
ended with its trace after two minutes.
"""

import collections
import contextlib
import faulthandler
import io
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from survtree import OptimalSurvivalTree, load
from tests.odd.files import FILES
from tests.odd.frames import all_frames
from tests.odd.objects import OUTCOMES, TABLES, WEIGHTS, X, Y
from tests.support.bad_inputs.forms import TELLS_ALL, TELLS_OTHERWISE, TELLS_RANGE
from tests.support.problems import brute_force
from tests.support.runner import survtree

SECONDS = 120
MOST_QUESTIONS = 40  # of more than that brute force is not asked
# scikit-learn's own words, for what it checks before us; and those of an object of ours.
OTHERS = (
    *("Expected 2D array", "Found array with", "Complex data not supported", "Sparse data"),
    *("Feature names are only supported", "np.matrix is not supported", "no array for you"),
)


class Outcome(NamedTuple):
    """What came of an input: a tree, something told, nothing to pass at all, or a failure."""

    kind: str
    text: str = ""


def is_told(text: str) -> bool:
    """Whether a message says what is needed, what came and what to do."""
    line = " ".join(text.split())
    forms = (TELLS_ALL, TELLS_RANGE, *TELLS_OTHERWISE)
    return line.startswith(OTHERS) or any(form.fullmatch(line) for form in forms)


def fit(*args: Any, **kwargs: Any) -> Any:
    return OptimalSurvivalTree(2, 0.001, min_samples_leaf=1).fit(*args, **kwargs)


def by_api(make: Callable[[], Any], call: Callable[[Any], Any]) -> Outcome:
    """What comes of a call with an input."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            given = make()
        except Exception as error:
            return Outcome("cannot be made", repr(error))
        try:
            model = call(given)
        except (ValueError, TypeError) as error:
            kind = "told" if is_told(str(error)) else "FAILED"
            return Outcome(kind, f"{type(error).__name__}: {error}")
        except Exception as error:
            return Outcome("FAILED", f"{type(error).__name__}: {error}")
    problem = model._fitted.problem
    if model.status_ != "optimal" or not np.isfinite(model.objective_):
        return Outcome("FAILED", f"{model.status_}, {model.objective_}")
    if problem.answers.shape[1] <= MOST_QUESTIONS:
        optimum = brute_force(problem).optimum(2)
        if abs(model.objective_ - optimum) > 1e-9:
            return Outcome("FAILED", f"{model.objective_} instead of {optimum}")
    return tree_of(model)


def tree_of(model: Any) -> Outcome:
    return Outcome("tree", f"{len(model.tree_.leaves)} leaves, {model.objective_:.9g}")


def by_command(name: str, content: bytes) -> Outcome:
    """What 'survtree fit' makes of a file."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path(name).write_bytes(content)
        options = ("--depth", 2, "--min-samples-leaf", 1, "--regularization", 0.001)
        run = survtree("fit", *options, "--output", "model.json", "--", name)
        model = load("model.json") if run.exit_code == 0 else None
    words = " ".join(run.stderr.split())
    if model is not None and model.status_ == "optimal" and np.isfinite(model.objective_):
        return tree_of(model)
    if run.exit_code == 2 and words.rstrip().endswith((".", "?")) and "Traceback" not in words:
        return Outcome("told", words)
    return Outcome("FAILED", f"exit {run.exit_code}: {words} {run.stdout[:300]} {run.exception!r}")


def as_file(frame: Any, kind: str) -> bytes | None:
    """A frame as CSV or Parquet; None where it cannot be written."""
    out = io.BytesIO()
    try:
        eager = nw.from_native(frame)
        eager = eager.collect() if isinstance(eager, nw.LazyFrame) else eager
        native = eager.to_pandas()
        if kind == "csv":
            return native.to_csv(index=False).encode("utf-8", "surrogatepass")
        native.to_parquet(out, index=False)
    except Exception:
        return None
    return out.getvalue()


def frames_by_api() -> Iterator[tuple[str, Outcome]]:
    for title, make in all_frames().items():
        yield title, frame_by_api(make)


def frame_by_api(make: Callable[[], Any]) -> Outcome:
    return by_api(make, lambda frame: fit(frame, duration_col="time", event_col="event"))


def frames_by_command() -> Iterator[tuple[str, Outcome]]:
    for title, make in all_frames().items():
        csv, parquet = (as_file(make(), kind) for kind in ("csv", "parquet"))
        if csv is not None:
            yield f"{title}, CSV", by_command("rows.csv", csv)
        if parquet is not None:
            outcome, direct = by_command("rows.parquet", parquet), frame_by_api(make)
            if outcome.kind == direct.kind == "tree" and outcome != direct:
                outcome = Outcome("FAILED", f"{outcome.text}, by the API {direct.text}")
            yield f"{title}, Parquet", outcome


def objects_by_api() -> Iterator[tuple[str, Outcome]]:
    for title, make in TABLES.items():
        yield f"X: {title}", by_api(make, lambda given: fit(given, Y))
    for title, make in OUTCOMES.items():
        yield f"y: {title}", by_api(make, lambda given: fit(X, given))
    for title, make in WEIGHTS.items():
        yield f"weights: {title}", by_api(make, lambda given: fit(X, Y, given))


def files_by_command() -> Iterator[tuple[str, Outcome]]:
    for title, (name, content) in FILES.items():
        yield title, by_command(name, content)


GROUPS = {
    "frames, API": frames_by_api,
    "frames as files, command line": frames_by_command,
    "objects, API": objects_by_api,
    "files, command line": files_by_command,
}


def run_group(name: str) -> int:
    """Prints each outcome and the counts of a group; 1 if something failed."""
    counts: collections.Counter[str] = collections.Counter()
    outcomes = GROUPS[name]()
    while True:
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        one = next(outcomes, None)
        faulthandler.cancel_dump_traceback_later()
        if one is None:
            break
        title, (kind, text) = one
        counts[kind] += 1
        print(f"  {title}: {kind} {' '.join(text.split())[:400]}", flush=True)
    print(f"{name}: {sum(counts.values())} inputs, {dict(sorted(counts.items()))}", flush=True)
    return 1 if counts["FAILED"] else 0


def main() -> int:
    if len(sys.argv) > 1:
        return run_group(sys.argv[1])
    codes = {}
    for name in GROUPS:
        run = subprocess.run(
            [sys.executable, "-m", "tests.odd.run", name], capture_output=True, text=True
        )
        codes[name] = run.returncode
        lines = run.stdout.splitlines()
        print("\n".join(line for line in lines if "FAILED" in line or not line.startswith("  ")))
        if run.returncode not in (0, 1):
            print(f"{name}: CRASHED or hung, {run.returncode}\n{lines[-1:]}\n{run.stderr[-2000:]}")
    return max(map(abs, codes.values()))


if __name__ == "__main__":
    sys.exit(main())
