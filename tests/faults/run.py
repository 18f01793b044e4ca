"""Faults, many times over: `make faults`. Each part prints what it did and what went wrong.

    python -m tests.faults.run [PART ...] [--times 200]

interrupts  Ctrl-C to a fit, at random moments: it ends with a tree, or as Python does, never by a
            signal or with a bug
kills       kill -9 to a process that writes models, reports, pictures, tables and proofs over and
            over: each file is whole, old or new
memory      1,000 fits in one process: resident memory does not grow
threads     8 fits at once in threads: each gives what it gives alone
forks       fork during a fit: parent and child both go on
workers     a worker process that dies: an error that says so, and the next fit works
clock       the system's clock set back during a fit: time limits keep their own
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV
from survtree.datasets import load

ROOT = Path(__file__).parents[2]
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
FIT = (
    START
    + """
from tests.hard_problem import DEPTH, REGULARIZATION, hard_problem
print("ready", flush=True)
from survtree import OptimalSurvivalTree
model = OptimalSurvivalTree(DEPTH, REGULARIZATION, n_jobs={n_jobs}).fit(*hard_problem())
print(model.status_, model.lower_bound_ <= model.objective_)
"""
)
WRITE = """
import sys, warnings
from pathlib import Path
from survtree import OptimalSurvivalTree, export_json, plot_tree
from survtree._cli import main
from survtree.datasets import load
folder = Path(sys.argv[1])
X, y = load("veterans")
models = [OptimalSurvivalTree(d, 0.002, certificate="full").fit(X, y) for d in (1, 3)]
print("ready", flush=True)
while True:
    for model in models:
        export_json(model, folder / "model.json")
        model.certificate_.write_proof(folder / "proof")
        model.report(folder / "report.html", X, y)
        plot_tree(model).save(folder / "tree.svg")
"""


def interrupts(times: int) -> Counter[str]:
    """What became of each process."""
    ends: Counter[str] = Counter()
    moment = random.Random(0)
    for k in range(times):
        script = FIT.format(n_jobs=1 + k % 2)
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(moment.uniform(0.0, 2.5))
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            ends["FAILED: still running after a minute"] += 1
            continue
        if process.returncode == 0 and out.strip() == "interrupted True":
            ends["the search ended with its best tree"] += 1
        elif "KeyboardInterrupt" in err and process.returncode in (1, 130, -signal.SIGINT):
            ends["before or after the search: KeyboardInterrupt"] += 1
        else:
            ends[f"FAILED: exit {process.returncode}, {out!r}, {err[-300:]!r}"] += 1
    return ends


def is_whole(path: Path) -> bool:
    """Whether a file is what its kind ends with."""
    content = path.read_bytes()
    if path.name == "model.json":
        return isinstance(json.loads(content), dict)
    ends = {"proof": b"\n", "report.html": b"</html>", "tree.svg": b"</svg>"}
    tail = content.rstrip() if path.name != "proof" else content
    return tail.endswith(ends[path.name]) and (path.name != "proof" or b"\nsha256 " in content)


def kills(times: int) -> Counter[str]:
    """What was found after each kill."""
    found: Counter[str] = Counter()
    moment = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for _ in range(times):
            process = subprocess.Popen(
                [sys.executable, "-c", WRITE, name], cwd=ROOT, stdout=subprocess.PIPE
            )
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(moment.uniform(0.0, 0.6))
            process.kill()
            process.wait()
            for path in folder.iterdir():
                if path.name.endswith(".part"):
                    found["leftovers under another name, removed"] += 1
                    path.unlink()
                elif is_whole(path):
                    found["whole files"] += 1
                else:
                    found[f"FAILED: half of {path.name}"] += 1
    return found


def resident_mb() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(times: int) -> Counter[str]:
    """Megabytes after the first tenth of the fits and after the last."""
    X, y = load("veterans")
    n = 5 * times
    for k in range(n):
        options = {"n_jobs": 2} if k % 3 == 0 else {"certificate": "full"} if k % 3 == 1 else {}
        OptimalSurvivalTree(3, 0.002 + 1e-6 * k, **options).fit(X, y).predict(X)
        if k == n // 10:
            before = resident_mb()
    grown = resident_mb() - before
    told = f"{n} fits: {before:.0f} MB after a tenth of them, {grown:+.1f} MB since"
    return Counter({("FAILED: " if grown > 20 else "") + told: 1})


def outcome_of(seed: int) -> tuple[str, float]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (300, 12))
    y = (rng.random(300) < 0.7, rng.exponential(1.0 + X[:, 0]))
    model = OptimalSurvivalTree(4, 0.001, n_jobs=1 + seed % 2).fit(X, y)
    return model.status_, model.objective_


def threads(times: int) -> Counter[str]:
    """Eight at once, again and again."""
    seeds = range(8)
    alone = {seed: outcome_of(seed) for seed in seeds}
    counts: Counter[str] = Counter()
    for _ in range(max(1, times // 8)):
        together: dict[int, tuple[str, float]] = {}
        workers = [
            threading.Thread(
                target=lambda s, out: out.update({s: outcome_of(s)}), args=(seed, together)
            )
            for seed in seeds
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        for seed in seeds:
            right = together.get(seed) == alone[seed]
            counts["right" if right else f"FAILED: {together.get(seed)}"] += 1
    return counts


def forks(times: int) -> Counter[str]:
    """A callback forks in the middle of a search; the child fits something itself."""
    from tests.hard_problem import hard_problem

    X, y = hard_problem()
    counts: Counter[str] = Counter()
    for k in range(max(1, times // 20)):
        children: list[int] = []

        def fork_once(snapshot: object, children: list[int] = children) -> bool:
            if not children:
                child = os.fork()
                if child == 0:
                    code = 1
                    try:
                        code = 0 if outcome_of(3)[0] == "optimal" else 1
                    finally:
                        os._exit(code)
                children.append(child)
                return False
            return True

        model = OptimalSurvivalTree(7, 0.0001, n_jobs=1 + k % 2, callback=fork_once)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        _, status = os.waitpid(children[0], 0)
        counts["parent and child went on" if status == 0 else "FAILED: child"] += 1
        counts["FAILED: parent"] += model.status_ != "interrupted"
    return +counts


class _Deadly:
    """Kills the process that is to fit it, if that is a worker."""

    def __init__(self, values: np.ndarray, parent: int) -> None:
        self.values, self.parent = values, parent

    def __reduce__(self) -> tuple:
        return _arrive, (self.values, self.parent)


def _arrive(values: np.ndarray, parent: int) -> np.ndarray:
    if os.getpid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
    return values


def workers(times: int) -> Counter[str]:
    """A process of the pool dies on arrival of its task."""
    from joblib import Parallel, delayed

    X, y = load("veterans")
    counts: Counter[str] = Counter()
    for _ in range(max(1, times // 50)):
        try:
            Parallel(n_jobs=2)(delayed(len)(_Deadly(np.zeros(3), os.getpid())) for _ in range(4))
            counts["FAILED: the death was not noticed"] += 1
        except Exception as error:
            counts[f"{type(error).__name__} is raised"] += 1
        model = OptimalSurvivalTreeCV(max_depths=(1, 2), cv=3, n_jobs=2).fit(X, y)
        counts["the next search with processes works"] += model.status_ == "optimal"
    return counts


CLOCK = """
import time, warnings
from tests.hard_problem import DEPTH, REGULARIZATION, hard_problem
from survtree import OptimalSurvivalTree
warnings.simplefilter("ignore")
real, calls = time.time, [0]
def backwards():
    calls[0] += 1
    return real() - 86400.0 * calls[0]
time.time = backwards
start = time.monotonic()
model = OptimalSurvivalTree(DEPTH, REGULARIZATION, time_limit=0.5).fit(*hard_problem())
print(model.status_, 0.4 < time.monotonic() - start < 30)
"""


def clock(times: int) -> Counter[str]:
    """Python's clock goes a day back at every call; the core asks a steady one."""
    del times
    done = subprocess.run(
        [sys.executable, "-c", CLOCK], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    right = done.stdout.strip() == "time_limit True"
    return Counter({"the limit was kept" if right else f"FAILED: {done.stdout}{done.stderr}": 1})


PARTS = {
    part.__name__: part for part in (interrupts, kills, memory, threads, forks, workers, clock)
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=list(PARTS))
    parser.add_argument("--times", type=int, default=200)
    arguments = parser.parse_args()
    n_failed = 0
    for name in arguments.parts:
        print(name, flush=True)
        for what, n in sorted(PARTS[name](arguments.times).items()):
            print(f"  {n:6,}  {what}", flush=True)
            n_failed += what.startswith("FAILED")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
