"""Programs under comparison: each answers through its adapter, which fits in forked children.

with started("osst", "ours") as programs:
    answer = programs["osst"].fit(request)
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks import data, suites

HERE = Path(__file__).parent
RIVALS_PYTHON = HERE.parent / ".venv/rivals/bin/python"
ADAPTERS = {
    "osst": (RIVALS_PYTHON, "osst_adapter.py"),
    "sksurv": (RIVALS_PYTHON, "sksurv_adapter.py"),
    "streed": (RIVALS_PYTHON, "streed_adapter.py"),
    "treefarms": (RIVALS_PYTHON, "treefarms_adapter.py"),
    "arborenum": (RIVALS_PYTHON, "arborenum_adapter.py"),
    "ours": (Path(sys.executable), "survtree_adapter.py"),
}
# Of the memory that is free at the start, what one fit may take before it is killed.
MEMORY_SHARE = 0.85

Request = dict[str, Any]
Answer = dict[str, Any]


def request(source: data.Source, case: suites.Case, limit_s: float, **more: Any) -> Request:
    """What every adapter is asked; `more` is for those who know it.

    The limit is given to the program only where it can end by itself with what it has (ours and
    STreeD); osst overruns its own limit freely and is killed instead.
    """
    return {
        "path": str(source.path),
        "index_col": source.is_numbered,
        "max_depth": case.max_depth,
        "regularization": case.regularization,
        "min_samples_leaf": suites.MIN_SAMPLES_LEAF,
        "time_limit": limit_s,
        "limit_s": limit_s,
        **more,
    }


class Program:
    """A running adapter; started again if it should die."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._memory_limit = int(MEMORY_SHARE * free_bytes())
        self._start()

    def _start(self) -> None:
        python, adapter = ADAPTERS[self.name]
        self._server = subprocess.Popen(
            [str(python), str(HERE / "rivals" / adapter)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # no idle threads across the fork
            start_new_session=True,  # Ctrl-C is for us; the server ends when we close it
        )
        self.hello = self._read()
        if "versions" not in self.hello:
            raise SystemExit(f"{python} {adapter} does not start; see benchmarks/README.md")

    def _read(self) -> Answer:
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        answer: Answer = json.loads(line) if line else {"status": "crashed", "error": "server"}
        return answer

    def fit(self, request: Request) -> Answer:
        """The adapter's answer, or a status alone when the process was killed or died."""
        assert self._server.stdin is not None
        asked = {"memory_limit_bytes": self._memory_limit, **request}
        if self.name == "osst":
            asked["time_limit"] = None
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        answer = self._read()
        if answer.get("error") == "server":
            self.close()
            self._start()
        return answer

    def close(self) -> None:
        """End the server; a child that is fitting dies with it."""
        self._server.kill()
        self._server.communicate()

    @property
    def version(self) -> str:
        """The first package is the program, the others what it leans on."""
        (name, version), *_ = self.hello["versions"].items()
        return f"{name} {version}"


@contextmanager
def started(*names: str) -> Iterator[dict[str, Program]]:
    """These programs, running, until the block ends."""
    with ExitStack() as stack:
        programs = {}
        for name in names:
            programs[name] = Program(name)
            stack.callback(programs[name].close)
        yield programs


def free_bytes() -> int:
    """Memory that can be had without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) * 1024
