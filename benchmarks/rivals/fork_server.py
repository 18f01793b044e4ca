"""The loop all adapters share: import once, then fit every request in a forked child.

    python some_adapter.py            # JSON lines in, JSON lines out; the first line out is a hello

Starting Python and importing takes seconds and some programs can fit only once a process, so the
server itself never fits: a child does, which starts like a process that has just imported
(page_tables.py) and whose memory is its own. An adapter is a function `fit(request, clock)` that
reads the data, enters `clock` around the fit, and returns a dict. The answer adds:

    seconds               inside `with clock`
    rss_imports_bytes     resident when the child began, before it read anything
    rss_before_fit_bytes  resident when the clock was entered, the input included
    peak_rss_bytes        most resident inside `with clock`, all of the above included

Of the request, this file reads `limit_s` and `memory_limit_bytes` (null or missing: none). A child
beyond them is killed, which gives `{"status": "killed"}` or `{"status": "killed: memory"}`; one
that dies or raises gives `{"status": "crashed"}` and says more in `error`.

Only the standard library: adapters run under different environments and find this file beside them.
"""

import contextlib
import ctypes
import json
import os
import platform
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from page_tables import Run, resident_runs, restore

# `limit_s` is for the fit; reading the data comes on top.
GRACE_S = 5.0
POLL_S = 0.2
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux's prctl

Answer = dict[str, Any]


class Clock:
    """Seconds and memory of one fit; to be entered once, when the data is in memory."""

    def __init__(self) -> None:
        trim()
        self.facts: Answer = {"rss_imports_bytes": resident_bytes(os.getpid(), "VmRSS")}

    def __enter__(self) -> "Clock":
        trim()
        self.facts["rss_before_fit_bytes"] = resident_bytes(os.getpid(), "VmRSS")
        reset_peak()
        self._start = time.perf_counter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.facts["seconds"] = time.perf_counter() - self._start
        self.facts["peak_rss_bytes"] = resident_bytes(os.getpid(), "VmHWM")


Fit = Callable[[dict[str, Any], Clock], Answer]


def resident_bytes(pid: int, field: str) -> int:
    """VmRSS (now) or VmHWM (most so far) of a process; where there is no /proc, the most so far."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    # A process that has just ended has no memory to show.
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0) * 1024


def trim() -> None:
    """Give back what is free: memory that imports or reading left over must not serve the fit."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def reset_peak() -> None:
    """Let VmHWM start again: after a fork it stands where the server's memory stood."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def serve(fit: Fit, packages: Iterable[str], grace_s: float = GRACE_S) -> None:
    """Say hello with the versions of these packages, then answer until the input ends."""
    die_with_parent()
    versions = {name: metadata.version(name) for name in packages}
    send({"python": platform.python_version(), "versions": versions})
    runs = resident_runs()
    for line in sys.stdin:
        send(answer(fit, json.loads(line), grace_s, runs))


def die_with_parent() -> None:
    """Leave no fit behind that nobody waits for (Linux only)."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)


def send(message: Answer) -> None:
    print(json.dumps(message), flush=True)


def answer(fit: Fit, request: dict[str, Any], grace_s: float, runs: list[Run]) -> Answer:
    """Fit in a child and wait for what it says."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read_end)
        restore(runs)
        run_child(fit, request, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb", buffering=0) as pipe:
        text, reason = listen(pid, pipe, request, grace_s)
    if reason is not None:
        os.kill(pid, signal.SIGKILL)
    _, wait_status = os.waitpid(pid, 0)
    if reason is not None:
        return {"status": reason}
    if not text:
        return {"status": "crashed", "error": f"wait status {wait_status}"}
    message: Answer = json.loads(text)
    return message


def listen(
    pid: int, pipe: Any, request: dict[str, Any], grace_s: float
) -> tuple[bytes, str | None]:
    """What the child wrote, and why it must be killed, if it must."""
    limit_s, memory = request.get("limit_s"), request.get("memory_limit_bytes")
    deadline = float("inf") if limit_s is None else time.monotonic() + limit_s + grace_s
    text = b""
    while time.monotonic() < deadline:
        if not select.select([pipe], [], [], POLL_S)[0]:
            if memory is not None and resident_bytes(pid, "VmRSS") > memory:
                return text, "killed: memory"
            continue
        chunk = pipe.read(65536)
        if not chunk:
            return text, None
        text += chunk
    return text, "killed"


def run_child(fit: Fit, request: dict[str, Any], write_end: int) -> NoReturn:
    """Fit, write one answer and end without touching what belongs to the server."""
    die_with_parent()
    clock = Clock()
    # Native code may print to file descriptor 1, which carries the server's answers.
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    try:
        message = {**fit(request, clock), **clock.facts}
    except Exception as error:
        message = {"status": "crashed", "error": f"{type(error).__name__}: {error}"}
    with os.fdopen(write_end, "w", encoding="utf-8") as stream:
        json.dump(message, stream)
    os._exit(0)
