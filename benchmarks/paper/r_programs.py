"""rpart and ctree (partykit) as Rscript processes that read the same files as everybody.

Where R or a package is missing, `missing` says so and the program's rows are left out.
"""

import csv
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.suites import MIN_SAMPLES_LEAF

HERE = Path(__file__).parent
# ctree takes its scores of censored outcomes from coin.
PACKAGES = {"rpart": ("rpart", "survival"), "ctree": ("partykit", "coin", "survival")}
PAMM = ("pammtools", "mgcv", "survival")
HOW_TO = (
    "install R with its packages rpart, partykit, coin, survival and pammtools (Debian: "
    "benchmarks/paper/install_r.sh)"
)


class RTree(NamedTuple):
    """One tree as R told it: what was asked, how deep it is, and where rows end."""

    setting: str
    seconds: float
    depth: int
    leaves: np.ndarray
    new_leaves: np.ndarray


class Limits(NamedTuple):
    """Of a tree: questions on the way to a leaf, and fewest rows in one."""

    max_depth: int
    min_rows: int = MIN_SAMPLES_LEAF


@cache
def versions(*packages: str) -> dict[str, str]:
    """Versions of R and of those packages that it has; nothing without R."""
    if shutil.which("Rscript") is None:
        return {}
    names = ", ".join(f'"{name}"' for name in packages)
    code = (
        'cat("R", format(getRversion()), "\\n"); '
        f"for (p in c({names})) if (nzchar(system.file(package = p))) "
        'cat(p, format(packageVersion(p)), "\\n")'
    )
    told = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    return dict(line.split() for line in told.stdout.splitlines())


def missing(*packages: str) -> list[str]:
    have = versions(*packages)
    return [name for name in ("R", *packages) if name not in have]


class RProgram:
    """Trees of one method; `name` and `version` are for the facts of a row."""

    def __init__(self, name: str) -> None:
        self.name = name
        have = versions(*PACKAGES[name])
        package = PACKAGES[name][0]
        self.version = f"{package} {have[package]} (R {have['R']})"

    def trees(
        self, files: tuple[Path, Path], limits: Limits, settings: Sequence[float], limit_s: float
    ) -> list[RTree] | None:
        """Trees of the first file, routed on both: one a setting, which is cp of rpart,
        alpha of ctree. rpart without settings: every subtree that it can prune to.

        None if that takes longer than `limit_s`.
        """
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "trees.csv"
            asked = [self.name, *files, *limits, out, *settings]
            if not ran("trees.R", asked, limit_s):
                return None
            with out.open(newline="", encoding="utf-8") as file:
                return [read(line) for line in csv.reader(file)]


def ran(script: str, asked: Sequence[object], limit_s: float) -> bool:
    """Whether the script ended in time; what it complains of is ours to hear."""
    try:
        subprocess.run(
            ["Rscript", "--vanilla", str(HERE / script), *map(str, asked)],
            timeout=limit_s,
            check=True,
            capture_output=True,
            text=True,
        )
    except subprocess.TimeoutExpired:
        return False
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{script} failed:\n{error.stderr}") from error
    return True


def read(line: list[str]) -> RTree:
    """setting, seconds, depth, number of training rows, leaves of training rows, of new rows."""
    setting, seconds, depth, n_rows, *leaves = line
    numbers = np.array(leaves, dtype=int)
    cut = int(n_rows)
    return RTree(setting, float(seconds), int(depth), numbers[:cut], numbers[cut:])
