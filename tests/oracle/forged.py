"""Forged proof files: `python -m tests.oracle.forged -n 100000` counts them by kind.

Each is made from the right proof of a small problem and gets right fingerprints and a right
checksum again, so that what rejects it is what it says. Those with other numbers may happen to be
right: if one is accepted, fractions judge whether its tree costs the optimum. A forger reads the
verdict: if it says what the tree costs, or what follows, the file is forged again to say so too.
"""

import argparse
import collections
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from survtree._proof.certificate import proof_of
from survtree._proof.read_proof import ProofProblem, read_proof
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import find
from tests.fuzz.proof_text import fingerprint, problem_fingerprint
from tests.oracle.proofs import signed, verdict_of
from tests.support.exact_losses import ExactSearch
from tests.support.problems import incidence_case, random_case, teacher_case, with_rules

MOST_ROWS, MOST_QUESTIONS = 20, 4
EXTREMES = (
    *("5e-324", "1e-316", "1e-310", "1e-308", "1e-200", "1e-160", "1e-100", "1e-20", "1e-12"),
    *("0.5", "1.0", "2.0", "1e12", "1e20", "1e50", "1e100", "1e154", "1e160", "1e200", "1e300"),
    "1.7976931348623157e+308",
)
NO_NUMBERS = (
    *("nan", "inf", "-inf", "Infinity", "1e999", "-1.0", "0x1p3", "1_0", "+1.0", " 1.0", "", "1."),
    *(".5", "１.0", "1,0", "true", "None", "1e", "--1", "1.0e+0000", "01.0"),
)
TYPES = (True, False, None, "1", [], {}, [1], {"a": 1}, 1.5, -1, 10**400, "nan")
Rng = np.random.Generator


@dataclass
class Parts:
    """A file in its parts, to be changed."""

    first: str
    head: dict[str, Any]
    rows: list[list[str]]
    claims: list[str]
    is_malformed: bool = False  # then no verdict but "rejected" is right

    @classmethod
    def of(cls, raw: bytes) -> "Parts":
        first, head, *lines = raw.decode().split("\n")[:-2]
        parts = json.loads(head)
        n = parts["n_rows"]
        return cls(first, parts, [line.split(" ") for line in lines[:n]], lines[n:])

    def raw(self, *, with_fingerprints: bool = True) -> bytes:
        """The file."""
        head = dict(self.head)
        if with_fingerprints:
            try:
                head["fingerprint"] = fingerprint(head, self.rows)
                head["problem_fingerprint"] = problem_fingerprint(head)
            except (ValueError, TypeError, AttributeError, LookupError, OverflowError):
                pass  # what is not even a number has none
        rows = [" ".join(row) for row in self.rows]
        return signed([self.first, json.dumps(head), *rows, *self.claims])

    def state(self, objective: float) -> None:
        """Say that the tree costs this, and that nothing costs less."""
        self.head["objective"] = objective
        if len(words := self.claims[-1].split(" ")) > 1:
            self.claims[-1] = " ".join([words[0], repr(objective), *words[2:]])


Forge = Callable[[Parts, Rng], None]


def small_problem(seed: int, loss: str) -> tuple[Problem, float | None]:
    """A random problem of few rows and questions, and its horizon, if it has one."""
    make_case = {"teacher": teacher_case, "incidence": incidence_case}.get(loss, random_case)
    problem = make_case(seed).problem
    rng = np.random.default_rng([7, seed])
    n = min(MOST_ROWS, len(problem.events))
    first = np.flatnonzero(problem.events.event)[:1]
    rows = np.unique(np.append(rng.permutation(len(problem.events))[: n - 1], first))
    events = problem.events.take(rows)
    if events.time.max() == 0:
        events.time[:] = 1.0
    horizon = None
    if loss == "horizon":
        horizon = float(rng.choice(events.time[events.time > 0]))
        events = events.until(horizon)
    answers = np.ascontiguousarray(problem.answers[rows][:, :MOST_QUESTIONS])
    names = replace(problem.questions, names=problem.questions.names[: answers.shape[1]])
    targets = None if problem.targets is None else problem.targets[rows]
    limits = {"min_samples_leaf": min(problem.min_samples_leaf, 3), "targets": targets}
    return replace(problem, answers=answers, events=events, questions=names, **limits), horizon


def right_proof(seed: int, loss: str, *, has_rules: bool = False) -> bytes:
    """The proof of a small problem as the search writes it."""
    problem, horizon = small_problem(seed, loss)
    problem = with_rules(problem, seed) if has_rules else problem
    solution, kept = find(problem, SearchSettings())
    assert kept is not None
    proof = proof_of(kept, solution, horizon=horizon)
    assert proof is not None
    return proof.to_bytes()


# Forgeries. Most begin with another tree, which is then said to be the best.


def other_tree(parts: Parts, rng: Rng) -> None:
    """A lone leaf, or one split, with a claim that it is the best."""
    n_questions = len(parts.head["names"])
    question = int(rng.integers(0, n_questions + 1))
    parts.head["tree"] = [question, None, None] if question else None
    if rng.random() < 0.5:
        parts.claims = parts.claims[-1:]
    parts.state(float(parts.head["objective"]) * float(rng.choice([0.5, 1.0, 1.1, 2.0])))


def one_weight(parts: Parts, rng: Rng) -> None:
    """The same extreme weight everywhere."""
    other_tree(parts, rng)
    weight = str(rng.choice(EXTREMES))
    for row in parts.rows:
        row[2] = weight


def mixed_weights(parts: Parts, rng: Rng) -> None:
    """Extreme weights beside each other."""
    other_tree(parts, rng)
    few = rng.choice(EXTREMES, int(rng.integers(2, 5)))
    for row in parts.rows:
        row[2] = str(rng.choice(few))


def widest_weights(parts: Parts, rng: Rng) -> None:
    """Weights that span just what is allowed, or just more."""
    other_tree(parts, rng)
    power = float(rng.choice([-100, -88, -6, 0, 50, 88]))
    span = 12.0 + float(rng.choice([-1e-9, 0.0, 1e-9]))
    for row in parts.rows:
        row[2] = repr(10.0 ** (power + float(rng.choice([0.0, span, span / 2]))))


def extreme_times(parts: Parts, rng: Rng) -> None:
    """Times near the ends of the range, and next to each other."""
    other_tree(parts, rng)
    near = float(rng.choice([1.0, 1e-300, 1e300]))
    few = [*rng.choice(EXTREMES, 3), repr(near), repr(float(np.nextafter(near, 2 * near))), "0.0"]
    for row in parts.rows:
        row[0] = str(rng.choice(few))
    _horizon_at_the_end(parts)


def extreme_times_and_weights(parts: Parts, rng: Rng) -> None:
    """Both at once."""
    mixed_weights(parts, rng) if rng.random() < 0.5 else widest_weights(parts, rng)
    extreme_times(parts, rng)


def extreme_targets(parts: Parts, rng: Rng) -> None:
    """Vectors of a teacher at the ends of the range; added where there are none."""
    other_tree(parts, rng)
    few = [*rng.choice(EXTREMES, 2), "0.0", f"-{rng.choice(EXTREMES)}"]
    n_targets = parts.head.setdefault("n_targets", int(rng.integers(1, 4)))
    for row in parts.rows:
        row[4:] = [str(rng.choice(few)) for _ in range(n_targets)]


def other_penalty(parts: Parts, rng: Rng) -> None:
    """A penalty that is far too small or large."""
    other_tree(parts, rng)
    parts.head["regularization"] = float(rng.choice(EXTREMES))


def other_rules(parts: Parts, rng: Rng) -> None:
    """Rules under which other trees are the best."""
    if rng.random() < 0.5:
        other_tree(parts, rng)
    name = str(rng.choice(["max_depth", "min_samples_leaf", "min_events_leaf"]))
    low = 1 if name == "min_samples_leaf" else 0
    parts.head[name] = int(rng.integers(low, 6))


def other_rules_of_columns(parts: Parts, rng: Rng) -> None:
    """Other penalties of splits, or another first split."""
    if rng.random() < 0.5:
        other_tree(parts, rng)
    n = len(parts.head["names"])
    if rng.random() < 0.5:
        parts.head["split_penalties"] = [float(each) for each in rng.choice(EXTREMES, n)]
    else:
        parts.head["first_split"] = [k + 1 for k in range(n) if rng.random() < 0.5]


def malformed_rules_of_columns(parts: Parts, rng: Rng) -> None:
    """Penalties of other questions, or such that are none; a first split that does not exist."""
    n, odd = len(parts.head["names"]), TYPES[int(rng.integers(len(TYPES)))]
    if rng.random() < 0.5:
        odd = -1 if odd == 1.5 else odd  # that would be a penalty
        lists = ([odd] * n, [0.0] * (n + 1), [0] * n, [-1e-9] * n, dict.fromkeys(range(n), 0.0))
        parts.head["split_penalties"] = lists[int(rng.integers(len(lists)))]
    else:
        lists = ([0], [n + 1], [1, 1], [odd], [1.0], "1", [True], {"1": 1}, None, [n, 1, 1])
        parts.head["first_split"] = lists[int(rng.integers(len(lists)))]
    parts.is_malformed = True


def without_new_fingerprints(parts: Parts, rng: Rng) -> None:
    """Penalty, rules or rows of another problem, under the old fingerprints."""
    name = str(rng.choice(["regularization", "max_depth", "min_samples_leaf", "horizon", "row"]))
    if name == "row":
        row = parts.rows[int(rng.integers(len(parts.rows)))]
        row[1] = "1" if row[1] == "0" else "0"
    elif name == "horizon":
        last = max(float(row[0]) for row in parts.rows)
        parts.head["horizon"] = None if parts.head["horizon"] is not None else last
    else:
        parts.head[name] = (parts.head[name] or 0) + 1
    parts.is_malformed = True


def other_horizon(parts: Parts, rng: Rng) -> None:
    """A horizon that the times do not keep to."""
    last = max(float(row[0]) for row in parts.rows)
    parts.head["horizon"] = last * float(rng.choice([0.5, 0.999, 1.001, 2.0]))
    parts.is_malformed = True


def no_number(parts: Parts, rng: Rng) -> None:
    """A word in the place of a number, or a number in another spelling."""
    word, place = str(rng.choice(NO_NUMBERS)), int(rng.integers(4))
    row = parts.rows[int(rng.integers(len(parts.rows)))]
    if place < 3:
        row[(0, 2, 1)[place]] = word
    else:
        depth, _, *steps = parts.claims[-1].split(" ")
        parts.claims[-1] = " ".join([depth, word, *steps])
    parts.is_malformed = True


def not_finite(parts: Parts, rng: Rng) -> None:
    """NaN or infinity in the head."""
    name = str(rng.choice(["objective", "regularization", "horizon", "max_depth"]))
    parts.head[name] = float(rng.choice([np.nan, np.inf, -np.inf]))
    parts.is_malformed = True


def other_type(parts: Parts, rng: Rng) -> None:
    """Something else than the head has in this place, such as true for a number."""
    names = sorted(name for name in parts.head if "fingerprint" not in name)  # made right again
    name = names[int(rng.integers(len(names)))]
    value = TYPES[int(rng.integers(len(TYPES)))]
    old = parts.head[name]
    is_right_type = type(value) is type(old) or (name == "max_depth" and type(value) is int)
    if is_right_type or (name in ("tree", "max_depth", "horizon") and value is None):
        value = {"x": old}
    parts.head[name] = value
    parts.is_malformed = True


def other_names(parts: Parts, rng: Rng) -> None:
    """Objects for names, or too many or few of them."""
    names = parts.head["names"]
    odd = TYPES[int(rng.integers(len(TYPES)))]
    odd = {"name": odd} if isinstance(odd, str) else odd
    others = [
        [odd] * len(names),
        names[:-1],
        [*names, "more"],
        dict.fromkeys(names),
        "".join(names),
    ]
    parts.head["names"] = others[int(rng.integers(len(others)))]
    parts.is_malformed = True


def other_version(parts: Parts, rng: Rng) -> None:
    """A first line that is not that of a proof which is checked."""
    lines = ["1", "3", "20", "2 ", "2x", "2.0", " 2", "02", "", "２"]
    parts.first = f"survtree proof {lines[int(rng.integers(len(lines)))]}"
    parts.is_malformed = True


def odd_claim(parts: Parts, rng: Rng) -> None:
    """A claim about no rows, no depth, itself, or questions that do not exist; then the worst."""
    other_tree(parts, rng)
    high, n = repr(float(parts.head["objective"]) * 3 + 1.0), len(parts.head["names"])
    steps = int(rng.integers(1, n + 1))
    odd = [
        *(f"3 {high} {steps} -{steps}", f"3 {high} {n + 1}", f"3 {high} 0", f"-1 {high}"),
        *(f"9 {high} {steps}", f"9 {high} -{steps}", f"0 {high}", f"1000000000 {high}"),
        *(parts.claims[-1], f"3  {high}", f"3 {high} {steps}.0", f"3\t{high}", f"3 {high} "),
    ]
    parts.claims.insert(int(rng.integers(len(parts.claims) + 1)), odd[int(rng.integers(len(odd)))])


def shallow_claims(parts: Parts, rng: Rng) -> None:
    """Claims that are made for a smaller depth, or said of a larger one."""
    other_tree(parts, rng)
    changed = []
    for line in parts.claims:
        depth, rest = line.split(" ", 1)
        changed.append(f"{max(0, int(depth) + int(rng.integers(-2, 3)))} {rest}")
    parts.claims = changed


def raised_claims(parts: Parts, rng: Rng) -> None:
    """Every claim says a little more than follows."""
    other_tree(parts, rng)
    more = 1.0 + 10.0 ** -float(rng.integers(1, 9))
    changed = []
    for line in parts.claims:
        depth, bound, *steps = line.split(" ")
        changed.append(" ".join([depth, repr(float(bound) * more), *steps]))
    parts.claims = changed
    parts.state(float(parts.head["objective"]) * more)


def mixed_claims(parts: Parts, rng: Rng) -> None:
    """Claims in another order, twice, or left out."""
    if rng.random() < 0.5:
        other_tree(parts, rng)
    kept = rng.random(len(parts.claims)) < 0.8
    last, others = parts.claims[-1], [c for c, k in zip(parts.claims, kept, strict=True) if k]
    parts.claims = [str(line) for line in rng.permutation(np.array([*others, last]))]
    if rng.random() < 0.5:
        parts.claims.append(last)


def odd_tree(parts: Parts, rng: Rng) -> None:
    """A tree that is none."""
    leaf = None
    odd = [[1], [1, leaf], [True, leaf, leaf], [1.0, leaf, leaf], [0, leaf, leaf], [-1, leaf, leaf]]
    odd += [
        [len(parts.head["names"]) + 1, leaf, leaf],
        {"question": 1},
        "leaf",
        0,
        False,
        [[], [], []],
    ]
    odd += [[1, leaf, leaf, leaf], [1, 0, leaf], [1, [1, leaf, leaf], leaf], ["1", leaf, leaf]]
    parts.head["tree"] = odd[int(rng.integers(len(odd)))]
    parts.is_malformed = True


def other_rows(parts: Parts, rng: Rng) -> None:
    """A number of rows that is not that of the file, or rows with more or fewer parts."""
    row = parts.rows[int(rng.integers(len(parts.rows)))]
    way = int(rng.integers(4))
    if way == 0:
        parts.head["n_rows"] += int(rng.choice([-1, 1, 10**9]))
    elif way == 1:
        row.append("1.0")
    elif way == 2:
        row[3] = row[3] + "1" if rng.random() < 0.5 else row[3][:-1] + "2"
    else:
        row[0] += str(rng.choice(["\x0b", "\x1c", "\x85", "\u2028", "\r"]))
    parts.is_malformed = True


def _horizon_at_the_end(parts: Parts) -> None:
    if parts.head["horizon"] is not None:
        parts.head["horizon"] = max(float(row[0]) for row in parts.rows)


KINDS: tuple[Forge, ...] = (
    *(other_tree, one_weight, mixed_weights, widest_weights, extreme_times),
    *(extreme_times_and_weights, extreme_targets, other_penalty, other_rules),
    *(other_rules_of_columns, malformed_rules_of_columns),
    *(without_new_fingerprints, other_horizon, no_number, not_finite, other_type, other_names),
    *(other_version, odd_claim, shallow_claims, raised_claims, mixed_claims, odd_tree, other_rows),
)
LOSSES = ("brier", "teacher", "horizon", "incidence")
SAID = re.compile(
    r"the tree costs (\S+), not|does not follow: (\S+) does|which is below the tree's (\S+)$"
)


def outcome_of(parts: Parts, kind: Forge, rounds: int = 3) -> str:
    """What becomes of a forged file: rejected, right after all, or FAILED."""
    for _ in range(rounds):
        raw = parts.raw(with_fingerprints=kind is not without_new_fingerprints)
        verdict = verdict_of(raw)
        if verdict:
            return "FAILED" if parts.is_malformed or not is_right(read_proof(raw)) else "right"
        said = SAID.search(verdict.reason)
        if parts.is_malformed or said is None:
            return "rejected"
        parts.state(float(next(filter(None, said.groups()))))
    return "rejected"


def is_right(file: Any) -> bool:
    """Whether the tree of an accepted file costs the optimum, to what the checker promises."""
    p: ProofProblem = file.problem
    search = ExactSearch(p)
    root = search.losses.of_leaf(tuple(range(len(p.time))))
    slack = Fraction(3, 10**9) * root + Fraction(1, 2**48) * Fraction(p.regularization)
    if p.first is not None:
        penalties = np.zeros(1) if p.penalties is None else p.penalties[p.first]
        largest = float(penalties.max(initial=0.0))
        slack += Fraction(1, 2**45) * (Fraction(largest) + Fraction(p.regularization))
    return abs(Fraction(file.objective) - search.optimum()) <= slack


def forged(seeds: range, *, has_rules: bool = False) -> Iterator[tuple[str, str, str]]:
    """Loss, kind and outcome of one forged file after another; each problem serves all kinds."""
    for seed in seeds:
        loss = LOSSES[seed % len(LOSSES)]
        raw = right_proof(seed, loss, has_rules=has_rules)
        yield loss, "none: the right proof", "right" if verdict_of(raw) else "FAILED"
        for number, kind in enumerate(KINDS):
            parts, rng = Parts.of(raw), np.random.default_rng([seed, number])
            kind(parts, rng)
            yield loss, kind.__name__, outcome_of(parts, kind)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=10_000, help="number of forged files")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--rules", action="store_true", help="rules about columns")
    arguments = parser.parse_args()
    n_problems = -(-arguments.n // len(KINDS))
    counts: collections.Counter[tuple[str, str]] = collections.Counter()
    seeds = range(arguments.first, arguments.first + n_problems)
    for loss, kind, outcome in forged(seeds, has_rules=arguments.rules):
        counts[kind, outcome] += 1
        counts[f"all: {loss}", outcome] += 1
        if outcome == "FAILED":
            place = (sum(counts.values()) // 2 - 1) // (len(KINDS) + 1) + arguments.first
            print(f"FAILED: {kind}, {loss}, seed {place}", flush=True)
    for kind, outcome in sorted(counts):
        print(f"{counts[kind, outcome]:9,}  {kind}: {outcome}")
    return 1 if any(outcome == "FAILED" for _, outcome in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
