"""Seconds of one fit, whatever the program: what run_time.py and scalability.py share.

Python programs answer through their adapters (benchmarks/rivals), R through trees.R; the clock
covers the fit alone, not starting the program or reading the file.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from benchmarks.data import Source
from benchmarks.paper import r_programs
from benchmarks.paper.growers import IN_PYTHON, InR, present
from benchmarks.programs import Program, request, started
from benchmarks.runner import FINISHED
from benchmarks.speed import within
from benchmarks.suites import Case

HAVE_A_PENALTY = ("ours", "osst")
READ_CSV = ("osst", "rpart", "ctree")
FACTS = ("status", "seconds", "n_leaves", "objective")


class TimedR:
    """rpart grown to its end (cp 0), or ctree at its default level."""

    def __init__(self, name: str) -> None:
        self.name, self._program = name, r_programs.RProgram(name)
        self.version = self._program.version

    def fit(self, source: Source, max_depth: int, limit_s: float) -> dict[str, Any]:
        setting = 0.0 if self.name == "rpart" else 0.05
        files, limits = (source.path, source.path), r_programs.Limits(max_depth)
        trees = self._program.trees(files, limits, (setting,), InR.START_S + limit_s)
        if trees is None:
            return {"status": "killed"}
        tree = trees[0]
        return {"status": "fitted", "seconds": tree.seconds, "n_leaves": len(set(tree.leaves))}


Timed = Program | TimedR


def is_finished(row: Mapping[str, str]) -> bool:
    """Whether the seconds of a row are those of a whole fit."""
    return row["status"] in FINISHED


def ran_out(row: Mapping[str, str]) -> bool:
    """Whether a limit ended the fit: the program was killed, or stopped by itself."""
    return row["status"].startswith(("killed", "time_limit"))


@contextmanager
def timed(names: tuple[str, ...]) -> Iterator[dict[str, Timed]]:
    """Those of these programs that can run here."""
    have = present(names)
    python = [name for name in have if name == "ours" or name in IN_PYTHON]
    with started(*python) as running:
        yield {name: running[name] if name in running else TimedR(name) for name in have}


def fitted(program: Timed, source: Source, case: Case, limit_s: float) -> dict[str, Any]:
    """Facts of one fit; one that took longer than the limit counts as killed."""
    if isinstance(program, TimedR):
        answer = program.fit(source, case.max_depth or 0, limit_s)
    else:
        splits = 2 ** (case.max_depth or 0) - 1
        answer = program.fit(request(source, case, limit_s, max_num_nodes=splits))
    answer = within(limit_s, answer)
    told = {name: answer.get(name, "") for name in FACTS}
    if told["seconds"] != "":
        told["seconds"] = f"{told['seconds']:.4g}"
    return told
