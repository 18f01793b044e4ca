"""Workers of a shared search in this very process, who come late, are lost and forget things."""

import numpy as np

from survtree._search.cluster.crew import Lost
from survtree._search.cluster.parts import Loaded, Reply, Slice
from survtree._search.cluster.shared_search import Pace, SharedSearch
from survtree._search.cluster.worker import Session
from survtree._search.engines import run_limits, search_of
from survtree._search.problem import Clock, SearchSettings

# Slices by counted work, and so small that random problems need many.
SMALL = Pace(*(Slice(nodes=n) for n in (2, 2, 2, 4)), beat_s=0.0)
STATED = ("objective", "loss", "lower_bound", "guessed_bound", "tolerance", "status")


class MadeUpCrew:
    """Answers come in random order; any message may be the last one of a worker."""

    def __init__(self, seed, n=3, risk=0.1):
        self._rng = np.random.default_rng([2027, seed])
        self._slots = {(f"worker {k}", 0) for k in range(n)}
        self._sessions = {}
        self._open = {}
        self._risk = risk
        self._n_new = n
        self.orders = []
        self.n_lost = 0

    def slots(self):
        if self._rng.random() < self._risk and len(self._slots) < 5:  # one comes late
            self._n_new += 1
            self._slots = {*self._slots, (f"worker {self._n_new}", 0)}
        return set(self._slots)

    def load(self, slot, problem, settings):
        session = self._sessions[slot] = Session(problem, settings, costly_from=300)
        self._open[slot] = Loaded(session.search.signature())

    def order(self, slot, order):
        self.orders.append(order)
        self._open[slot] = order

    def abandon(self, slot):
        self._open.pop(slot, None)

    def nudge(self, slots):
        assert slots <= self._open.keys()

    def wait(self, seconds):
        if not self._open:
            return []
        slots = sorted(self._open)
        slot = slots[self._rng.integers(len(slots))]
        message = self._open.pop(slot)
        if isinstance(message, Loaded):
            return [(slot, message)]
        fate = self._rng.random() / self._risk if self._risk else np.inf
        if fate < 0.4:  # it is killed at once, or after all the work
            return [(slot, self._lost(slot))]
        if fate < 0.6:
            self._sessions[slot].work(message)
            return [(slot, self._lost(slot))]
        if fate < 1.0:  # it was restarted at the same address
            return [(slot, Reply(is_known=False))]
        return [(slot, self._sessions[slot].work(message))]

    def _lost(self, slot):
        self.n_lost += 1
        self._slots = self._slots - {slot}
        return Lost("killed")

    def dismiss(self):
        self._open = {}


def answer_of(raw):
    """All that a search states, but for counts and seconds."""
    tree = tuple(tuple(raw["tree"][name].tolist()) for name in ("question", "no", "yes"))
    return tree, *(raw[name] for name in STATED)


def check_shared(problem, seed, settings=None, risk=0.1, n=3, pace=SMALL, kind=MadeUpCrew):
    """Raise unless a crew reaches the answer of one process; returns the crew."""
    settings = settings or SearchSettings(solver="search")
    alone = search_of(problem, settings)
    expected = answer_of(alone.run(run_limits(settings, alone)))
    crew = kind(seed, n, risk)
    search = search_of(problem, settings)
    raw = SharedSearch(search, problem, settings, crew, pace).run(None, Clock.started())
    assert answer_of(raw) == expected
    assert not crew.orders or raw["counts"]["cluster_tasks"] == len(crew.orders)
    return crew
