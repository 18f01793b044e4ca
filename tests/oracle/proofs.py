"""Proofs of random problems: right ones are accepted, tampered ones not: `make proofs N=1000`.

Each problem is proven by a search with all its bounds and by one with some of them off. Tampered
files get a right checksum again, so that what rejects them is what they say.
"""

import argparse
import collections
import hashlib
import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from survtree import check_proof
from survtree._proof.certificate import ProofLog, proof_of
from survtree._proof.checker import TOLERANCE, TOO_FINE, Verdict
from survtree._search.problem import SearchSettings
from survtree._search.solve import find
from tests.fuzz.proof_text import problem_fingerprint
from tests.support.problems import ALL_SWITCHES, MAKE_CASE, Case, root_loss, with_rules


def proof_of_case(case: Case, **limits: Any) -> ProofLog:
    """All of the proof of a problem."""
    solution, kept = find(case.problem, SearchSettings(**limits))
    assert kept is not None
    proof = proof_of(kept, solution)
    assert proof is not None, case
    return proof


def verdict_of(raw: bytes) -> Verdict:
    """What the checker says of these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof"
        path.write_bytes(raw)
        return check_proof(path)


def signed(lines: list[str]) -> bytes:
    """A file of these lines, with a right checksum."""
    body = "".join(f"{line}\n" for line in lines).encode()
    return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode()


class Tampering:
    """Ways to make a proof one of something that is not so, or not shown."""

    def __init__(self, case: Case, proof: ProofLog, rng: np.random.Generator) -> None:
        self.rng = rng
        self.lines = proof.to_bytes().decode().splitlines()[:-1]
        self.head = json.loads(self.lines[1])
        self.first_claim = 2 + self.head["n_rows"]
        root, penalty = root_loss(case.problem), case.problem.regularization
        # More than rounding, less than anybody would notice.
        self.little = 1e-6 * (root + penalty or 1.0)
        self.too_much = 10.0 * (root + penalty) + 1.0  # more than any rows cost as a leaf
        # Penalties that the checker takes for rounding: the last claim may then follow from none.
        self.needs_claims = penalty == 0.0 or penalty > 10.0 * TOLERANCE * root

    def ways(self) -> list[str]:
        """Those that are possible with this proof."""
        ways = ["lower_objective", "raise_last", "lower_last", "drop_last", "time", "damage", "cut"]
        ways += ["penalty"]
        if any(line.split(" ")[1] == "2" for line in self.lines[2 : self.first_claim]):
            ways += ["cause"]
        if len(self.lines) > self.first_claim + 1:
            ways += ["raise", "swap_to_front", *(["drop", "lower"] if self.needs_claims else [])]
        if self.head["tree"] is not None:
            ways += ["tree_depth", "leaf_size", "leaf_events", "other_first", "more_penalties"]
        return ways

    def tampered(self, way: str) -> bytes:
        """The file after one of them."""
        lines = list(self.lines)
        if way == "damage":
            raw = bytearray(signed(lines))
            place = int(self.rng.integers(len(raw) - 70))
            raw[place] ^= 1 << int(self.rng.integers(7))
            return bytes(raw)
        if way == "cut":
            raw = signed(lines)
            return raw[: int(self.rng.integers(len(raw) - 1))]
        if way in ("raise_last", "lower_last"):
            lines[-1] = self._moved(lines[-1], 1 if way == "raise_last" else -1)
        elif way == "lower":  # one alone may leave a proof: another claim can make up for it
            others = [self._moved(line, -1) for line in lines[self.first_claim : -1]]
            lines[self.first_claim : -1] = others
        elif way == "raise":
            claim = int(self.rng.integers(self.first_claim, len(lines) - 1))
            depth, _, *steps = lines[claim].split(" ")
            lines[claim] = " ".join([depth, repr(self.too_much), *steps])
        elif way == "drop":
            del lines[self.first_claim : -1]
        elif way == "drop_last":
            del lines[-1]
        elif way == "swap_to_front":  # a claim must not lean on what comes after it
            lines.insert(self.first_claim, lines.pop())
        elif way == "time":
            row = int(self.rng.integers(2, self.first_claim))
            time, rest = lines[row].split(" ", 1)
            lines[row] = f"{float(time) + 1.0!r} {rest}"
        elif way == "cause":  # a row that ended by another cause as one that was censored
            rows = range(2, self.first_claim)
            row = next(k for k in rows if lines[k].split(" ")[1] == "2")
            time, _, rest = lines[row].split(" ", 2)
            lines[row] = f"{time} 0 {rest}"
        else:
            head = self._other_head(way)
            lines[1] = json.dumps({**head, "problem_fingerprint": problem_fingerprint(head)})
        return signed(lines)

    def _moved(self, line: str, sign: int) -> str:
        depth, bound, *steps = line.split(" ")
        return " ".join([depth, repr(float(bound) + sign * self.little), *steps])

    def _other_head(self, way: str) -> dict:
        head = dict(self.head)
        if way == "lower_objective":
            head["objective"] -= self.little
        elif way == "penalty":
            head["regularization"] += self.little
        elif way == "more_penalties":
            old = head.get("split_penalties", [0.0] * len(head["names"]))
            head["split_penalties"] = [each + self.little for each in old]
        elif way == "other_first":  # than that of the tree; or none, and the tree must be a leaf
            others = [k + 1 for k in range(len(head["names"])) if k + 1 != head["tree"][0]]
            head["first_split"] = others if self.rng.random() < 0.5 else []
        elif way == "tree_depth":
            head["max_depth"] = 0
        elif way == "leaf_events":
            head["min_events_leaf"] = head["n_rows"]
        else:
            head["min_samples_leaf"] = head["n_rows"]
        return head


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=1000, help="number of problems")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--loss", default="brier", choices=MAKE_CASE, help="which loss")
    parser.add_argument("--rules", action="store_true", help="rules about columns")
    arguments = parser.parse_args()
    make_case = MAKE_CASE[arguments.loss]
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(arguments.first, arguments.first + arguments.n):
        case, rng = make_case(seed), np.random.default_rng(seed)
        if arguments.rules:
            case = replace(case, problem=with_rules(case.problem, seed))
        proof = proof_of_case(case)
        counts["claims"] += len(proof)
        off = tuple(rng.choice(np.array(ALL_SWITCHES, object)))
        other = proof_of_case(case, bounds_off=off, solver=("search", "lattice")[seed % 2])
        for one, how in ((proof, "accepted"), (other, "accepted with some bounds off")):
            verdict = verdict_of(one.to_bytes())
            if arguments.loss == "likelihood" and TOO_FINE in verdict.reason:
                counts["too fine for the checker"] += 1
                continue
            counts[how if verdict else "FAILED: a right proof was rejected"] += 1
            if not verdict:
                print(f"seed {seed}, off {off}: {verdict}", flush=True)
        tampering = Tampering(case, proof, rng)
        way = str(rng.choice(tampering.ways()))
        if verdict_of(tampering.tampered(way)):
            counts["FAILED: a tampered proof was accepted"] += 1
            print(f"seed {seed}: accepted after {way}", flush=True)
        else:
            counts["tampered and rejected"] += 1
            counts[f"tampered and rejected: {way}"] += 1
    for name in sorted(counts):
        print(f"{counts[name]:8,}  {name}")
    return 1 if any(name.startswith("FAILED") for name in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
