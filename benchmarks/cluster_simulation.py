"""How far one search on a cluster scales: a simulation of up to 1,024 workers.

    python -m benchmarks.cluster_simulation --data FOLDER [--workers 1 2 4 16]

First the real search is shared by virtual workers in this process. They exchange results as those
of a cluster do, so that what is done twice is counted, not guessed; seconds are counted work over
the rate of a plain search on this machine. Messages wait for each other at the scheduler, where
each is assumed to take 4 ms and its bytes; what importing a result takes is measured. Then the
orders of the last of these runs are drawn from, with as many of them as a search of an hour and
of a day has, for 16, 128 and 1,024 workers. Rows that are already in the output file are not made
again.
"""

import heapq
import itertools
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.cluster import problem_for
from benchmarks.runner import rounded
from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree._search.cluster.crew import Slot
from survtree._search.cluster.parts import Loaded, Order, Reply, Slice
from survtree._search.cluster.shared_search import Pace, SharedSearch
from survtree._search.cluster.worker import Session
from survtree._search.engines import run_limits, search_of
from survtree._search.problem import Clock, Problem, SearchSettings

NOTES = """
**What it says.** Two things end the scaling. A short search runs out of parts: what a worker does
while others do not yet know of it is done twice (`work`), and every depth begins and ends in one
process; a search of seconds is about three times as fast with 16 workers. A long one is held up
by the scheduler: every result goes to every worker, so bytes grow with the square of the workers,
and between 16 and 128 of them the scheduler is busy all the time. Beyond that more workers make it
slower: 1,024 of them would need results that are exchanged in groups, or only those that took long
to find. `drawn` rows leave out what is done twice, and say what the messages alone allow.
"""

KEYS = ("kind", "dataset", "max_depth", "regularization", "hours", "workers")
FIELDS = (*KEYS, "speedup", "work", "orders", "megabytes", "busy", "scheduler")
CASES = (("01", "flchain", 5, 0.0005),)
# Of the scheduler; assumed, not measured.
MESSAGE_S, LATENCY_S, BYTES_PER_S = 0.004, 0.002, 1e9
LONG_HOURS, MANY = (1.0, 24.0), (16, 128, 1024)
PACE_S = (0.2, 0.3, 0.1, 0.4)  # as in Pace


@dataclass(frozen=True)
class Trace:
    """An order: seconds of work, and bytes there and back."""

    seconds: float
    bytes_in: int
    bytes_out: int


class Hub:
    """The scheduler: messages wait for each other."""

    def __init__(self) -> None:
        self.free_s = self.busy_s = 0.0

    def pass_on(self, now: float, n_bytes: float) -> float:
        took = MESSAGE_S + n_bytes / BYTES_PER_S
        self.free_s = max(now, self.free_s) + took
        self.busy_s += took
        return self.free_s


class VirtualCrew:
    """Workers in this process with a clock of their own; their work is real."""

    def __init__(self, n: int, rate: float) -> None:
        self._slots: set[Slot] = {(f"worker {k:04}", 0) for k in range(n)}
        self._rate = rate
        self._sessions: dict[Slot, Session] = {}
        self._coming: list[tuple[float, int, Slot, Loaded | Reply]] = []
        self._number = itertools.count()
        self.hub = Hub()
        self.now_s = 0.0
        self.trace: list[Trace] = []

    def slots(self) -> set[Slot]:
        return self._slots

    def load(self, slot: Slot, problem: Problem, settings: SearchSettings) -> None:
        session = self._sessions[slot] = Session(problem, settings)
        self._come(self.now_s, slot, Loaded(session.search.signature()))

    def order(self, slot: Slot, order: Order) -> None:
        begun = self.hub.pass_on(self.now_s, order.entries.nbytes) + LATENCY_S
        start = time.process_time()
        session = self._sessions[slot]
        session.search.add_entries(order.entries)
        import_s = time.process_time() - start
        reply = session.work(order)
        work_s = reply.counts["lane_rows"] / self._rate
        self.trace.append(Trace(work_s, order.entries.nbytes, reply.n_bytes))
        self._come(begun + import_s + work_s + LATENCY_S, slot, reply)

    def _come(self, at: float, slot: Slot, answer: Loaded | Reply) -> None:
        heapq.heappush(self._coming, (at, next(self._number), slot, answer))

    def abandon(self, slot: Slot) -> None:
        """Everyone answers."""

    def nudge(self, slots: set[Slot]) -> None:
        """What is being done was done already; slices are short instead."""

    def wait(self, seconds: float) -> list[tuple[Slot, Loaded | Reply]]:
        if not self._coming:
            return []
        at, _, slot, answer = heapq.heappop(self._coming)
        n_bytes = answer.n_bytes if isinstance(answer, Reply) else 0
        self.now_s = max(self.now_s, self.hub.pass_on(at, n_bytes))
        return [(slot, answer)]

    def dismiss(self) -> None:
        self._sessions.clear()


def shared(problem: Problem, n: int, plain: dict[str, int], plain_s: float) -> dict[str, Any]:
    """A search that so many virtual workers share; and its orders."""
    rate = plain["lane_rows"] / plain_s
    per_s = plain["subsets_solved"] / plain_s
    pace = Pace(*(Slice(nodes=max(1, int(per_s * each))) for each in PACE_S), beat_s=0.0)
    settings = SearchSettings(solver="search")
    search, crew = search_of(problem, settings), VirtualCrew(n, rate)
    raw = SharedSearch(search, problem, settings, crew, pace).run(None, Clock.started())
    counts = raw["counts"]
    here_s = (counts["lane_rows"] - counts["cluster_lane_rows"]) / rate
    total_s = here_s + crew.now_s
    return {
        "speedup": plain_s / total_s,
        "work": counts["lane_rows"] / plain["lane_rows"],
        "orders": len(crew.trace),
        "megabytes": counts["cluster_bytes"] / 1e6,
        "busy": sum(one.seconds for one in crew.trace) / (n * total_s),
        "scheduler": crew.hub.busy_s / total_s,
        "trace": crew.trace,
    }


def drawn(trace: Sequence[Trace], hours: float, n: int) -> dict[str, Any]:
    """A search of so many hours of one core, whose orders are like those of a trace.

    Every result goes to all workers; slices that are cut short by the end of a part are
    as frequent as in the trace. What is done twice is as much as in the trace.
    """
    rng, hub = random.Random(0), Hub()
    left_s, now_s, busy_s, n_orders, n_bytes = 3600.0 * hours, 0.0, 0.0, 0, 0.0
    found_by_all, told = 0.0, [0.0] * n
    at_work = [(0.0, k, 0) for k in range(n)]  # when it answers, who, and with how many bytes
    whole = [one for one in trace if one.seconds > 0.0]
    while left_s > 0.0:
        answers_s, k, bytes_out = heapq.heappop(at_work)
        now_s = hub.pass_on(answers_s, bytes_out)
        found_by_all += bytes_out
        news, told[k] = found_by_all - told[k], found_by_all
        n_bytes += news + bytes_out
        one = rng.choice(whole)
        seconds = min(one.seconds, left_s)
        begun = hub.pass_on(now_s, news)
        heapq.heappush(at_work, (begun + 2 * LATENCY_S + seconds, k, one.bytes_out))
        left_s, busy_s, n_orders = left_s - seconds, busy_s + seconds, n_orders + 1
    total_s = max(answers_s for answers_s, _, _ in at_work)
    return {
        "speedup": 3600.0 * hours / total_s,
        "work": 1.0,
        "orders": n_orders,
        "megabytes": n_bytes / 1e6,
        "busy": busy_s / (n * total_s),
        "scheduler": hub.busy_s / total_s,
    }


def summary(rows: Sequence[Mapping[str, str]]) -> str:
    lines = []
    for row in rows:
        what = "shared" if row["kind"] == "shared" else f"drawn, {float(row['hours']):g} h of work"
        lines.append(
            f"{row['dataset']}, depth {row['max_depth']}, {row['regularization']} ({what}): "
            f"{row['workers']} workers {float(row['speedup']):.1f} times as fast, "
            f"work {float(row['work']):.2f}, workers busy {100 * float(row['busy']):.0f} %, "
            f"scheduler busy {100 * float(row['scheduler']):.0f} %"
        )
    return "\n".join(lines)


def main() -> int:
    parser = parser_of(__doc__, "cluster_simulation.csv")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 16])
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEYS)
    for case in () if arguments.summary else CASES:
        if table.has("drawn", *case[1:], LONG_HOURS[-1], MANY[-1]):
            continue
        problem = problem_for(arguments.data, *case)
        settings = SearchSettings(solver="search")
        search, start = search_of(problem, settings), time.process_time()
        plain = search.run(run_limits(settings, search))["counts"]
        plain_s, trace = time.process_time() - start, []
        rows = []
        for n in arguments.workers:
            found = shared(problem, n, plain, plain_s)
            trace = found.pop("trace")
            rows.append(row_of("shared", case, 0.0, n, found))
        for hours, n in itertools.product(LONG_HOURS, MANY):
            rows.append(row_of("drawn", case, hours, n, drawn(trace, hours, n)))
        for row in rows:
            table.add({**row, **machine(), "programs": f"survtree{revision()}"})
    print(summary(table.rows))
    return 0


def row_of(kind: str, case: Any, hours: float, n: int, found: dict[str, Any]) -> dict[str, Any]:
    key = dict(zip(KEYS, (kind, *case[1:], hours, n), strict=True))
    return {**key, **{name: rounded(value) for name, value in found.items()}}


if __name__ == "__main__":
    sys.exit(main())
