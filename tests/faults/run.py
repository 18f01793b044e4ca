"""Faults, many times over: `make faults`. Each part prints what it did and what went wrong.

    python -m tests.faults.run [PART ...] [--times 200]

interrupts  Ctrl-C to a fit, at random moments: it ends with a tree, or as Python does, never by a
            signal or with a bug
kills       kill -9 to a process that writes models, reports, pictures, tables and proofs over and
            over: each file is whole, old or new
starve      fits with hardly any memory: MemoryError or a tree, and the next fit works
disks       a full disk and a read-only one: OSError, and what was there stays as it was
memory      1,000 fits in one process: resident memory does not grow
threads     8 fits at once in threads: each gives what it gives alone
forks       fork during a fit: parent and child both go on
workers     a worker process that dies: an error that says so, and the next fit works
clock       the system's clock set back during a fit: time limits keep their own
"""

import argparse
import contextlib
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
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV
from survtree.datasets import load
from tests.faults.writers import is_whole, writers

ROOT = Path(__file__).parents[2]
START = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
FIT = (
    START
    + """
from survtree import OptimalSurvivalTree
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem
model, given = OptimalSurvivalTree(DEPTH, REGULARIZATION, n_jobs={n_jobs}), hard_problem()
print("ready", flush=True)
model.fit(*given)
print(model.status_, model.lower_bound_ <= model.objective_)
"""
)
WRITE = """
import sys
from pathlib import Path
from tests.faults.writers import writers
both = [writers(depth) for depth in (1, 3)]
print("ready", flush=True)
while True:
    for each in both:
        for name, write in each.items():
            write(Path(sys.argv[1], name))
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
        time.sleep(moment.choice([0.001, 0.1, 1.0]) * moment.random())
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            _, err = process.communicate()
            ends[f"FAILED: still running after a minute, {err[-300:]!r}"] += 1
            continue
        if process.returncode == 0 and out.strip() == "interrupted True":
            ends["the search ended with its best tree"] += 1
        elif "KeyboardInterrupt" in err and process.returncode in (1, 130, -signal.SIGINT):
            ends["before or after the search: KeyboardInterrupt"] += 1
        else:
            ends[f"FAILED: exit {process.returncode}, {out!r}, {err[-300:]!r}"] += 1
    return ends


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


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A file system of its own, two megabytes large; only root may make one."""
    with tempfile.TemporaryDirectory() as folder:
        mount("-t", "tmpfs", "-o", "size=2m", "tmpfs", folder)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", folder], check=True)


def mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


def disks(times: int) -> Counter[str]:
    """Nothing more can be written; what was there stays as it was."""
    del times
    if os.geteuid() != 0:
        return Counter({"not tried: only root can make a file system": 1})
    counts: Counter[str] = Counter()
    old, new = writers(1), writers(3)
    with small_disk() as folder:
        for name, write in old.items():
            write(folder / name)
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        filler = folder / "filler"
        with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        counts += refusals("full", folder, new, before)
        filler.unlink()
        mount("-o", "remount,ro", str(folder))
        counts += refusals("read-only", folder, new, before)
    return counts


def refusals(
    disk: str, folder: Path, new: dict[str, Callable[[Path], None]], before: dict[str, bytes]
) -> Counter[str]:
    """What each writer says where it cannot write."""
    counts: Counter[str] = Counter()
    for name, write in new.items():
        try:
            write(folder / name)
            counts[f"FAILED: {disk} disk: {name} was written"] += 1
        except OSError:
            counts[f"{disk} disk: OSError, or exit code 2"] += 1
        except Exception as error:
            counts[f"FAILED: {disk} disk: {name}: {error!r}"] += 1
    left = {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "filler"}
    same = "old files are as they were, and nothing else is there"
    counts[f"{disk} disk: {same}" if left == before else f"FAILED: {disk} disk: {set(left)}"] += 1
    return counts


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
    from tests.support.hard_problem import hard_problem

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
        is_right = model.status_ == "optimal"
        counts[
            "the next search with processes works" if is_right else "FAILED: the next search"
        ] += 1
    return counts


CLOCK = """
import time, warnings
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem
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


STARVE = """
import resource, sys, warnings
from survtree import OptimalSurvivalTree
from survtree.datasets import load
from tests.support.hard_problem import DEPTH, REGULARIZATION, hard_problem
warnings.simplefilter("ignore")
small, hard = load("veterans"), hard_problem()
OptimalSurvivalTree(2).fit(*small)
with open("/proc/self/statm") as file:
    taken = int(file.read().split()[0]) * resource.getpagesize()
limit = taken + int(float(sys.argv[1]) * 2**20)
resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
try:
    options = {"n_jobs": int(sys.argv[2]), "time_limit": 2.0}
    print(OptimalSurvivalTree(DEPTH, REGULARIZATION, **options).fit(*hard).status_)
except MemoryError:
    print("MemoryError")
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(OptimalSurvivalTree(2).fit(*small).status_)
"""


def starve(times: int) -> Counter[str]:
    """No memory left beyond a few megabytes; then there is again."""
    counts: Counter[str] = Counter()
    for k in range(max(1, times // 10)):
        arguments = [str(1.6 ** (k % 12) - 1), str(1 + k % 2)]
        done = subprocess.run(
            [sys.executable, "-c", STARVE, *arguments], cwd=ROOT, capture_output=True, text=True
        )
        lines = done.stdout.split()
        if done.returncode == 0 and lines[1:] == ["optimal"]:
            counts[f"{lines[0]}; the next fit works"] += 1
        else:
            told = done.stderr.splitlines()[-3:]
            counts[f"FAILED: {arguments}, exit {done.returncode}, {lines}, {told}"] += 1
    return counts


def clock(times: int) -> Counter[str]:
    """Python's clock goes a day back at every call; the core asks a steady one."""
    del times
    done = subprocess.run(
        [sys.executable, "-c", CLOCK], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    right = done.stdout.strip() == "time_limit True"
    return Counter({"the limit was kept" if right else f"FAILED: {done.stdout}{done.stderr}": 1})


EACH = (interrupts, kills, disks, memory, starve, threads, forks, workers, clock)
PARTS = {part.__name__: part for part in EACH}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--times", type=int, default=200)
    arguments = parser.parse_args()
    n_failed = 0
    for name in arguments.parts or PARTS:
        print(name, flush=True)
        for what, n in sorted(PARTS[name](arguments.times).items()):
            print(f"  {n:6,}  {what}", flush=True)
            n_failed += what.startswith("FAILED")
    return 1 if n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
