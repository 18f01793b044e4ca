"""Proof files: the claims of a search, in a form that ``checker`` can check without the search."""

import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._base.tree import Tree
from survtree._search.problem import Problem
from survtree._search.progress import Watch
from survtree._search.solve import KeptSearch, Solution, claims_of

MAGIC = "survtree proof 1"


@dataclass(frozen=True)
class ProofLog:
    """A tree and the claims that prove it optimal, the one about all rows last.

    A claim is about the rows with given answers to ``n_steps`` questions (column + 1 for yes,
    minus that for no): no tree on them that is at most ``depth`` deep costs less than ``bound``.
    """

    problem: Problem = field(repr=False)
    tree: Tree = field(repr=False)
    objective: float
    steps: NDArray[np.int32] = field(repr=False)
    n_steps: NDArray[np.int32] = field(repr=False)
    depth: NDArray[np.int32] = field(repr=False)
    bound: NDArray[np.float64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.bound)

    def to_bytes(self) -> bytes:
        """The file, as docs/reference/proof-file.md describes it."""
        lines = [MAGIC, json.dumps(self._head(), ensure_ascii=True), *self._rows(), *self._claims()]
        body = "".join(f"{line}\n" for line in lines).encode("ascii")
        return body + f"sha256 {hashlib.sha256(body).hexdigest()}\n".encode("ascii")

    def _head(self) -> dict[str, Any]:
        p = self.problem
        return {
            "objective": float(self.objective),
            "regularization": float(p.regularization),
            "max_depth": p.max_depth,
            "min_samples_leaf": p.min_samples_leaf,
            "tree": nested(self.tree, 0),
            "n_rows": len(p.answers),
            "names": p.questions.fingerprint_names,
            "fingerprint": p.fingerprint(),
        }

    def _rows(self) -> list[str]:
        """Time, event, weight and answers of each row."""
        events = self.problem.events
        return [
            f"{float(time)!r} {int(event)} {float(weight)!r} {''.join(map(str, answers.tolist()))}"
            for time, event, weight, answers in zip(
                events.time, events.event, events.weight, self.problem.answers, strict=True
            )
        ]

    def _claims(self) -> list[str]:
        """Depth, bound and steps of each claim."""
        ends = np.cumsum(self.n_steps).tolist()
        starts = [0, *ends[:-1]]
        steps = [str(step) for step in self.steps.tolist()]
        return [
            " ".join([str(depth), repr(bound), *steps[start:end]])
            for depth, bound, start, end in zip(
                self.depth.tolist(), self.bound.tolist(), starts, ends, strict=True
            )
        ]


def nested(tree: Tree, node: int) -> Any:
    """[column + 1, subtree of the noes, subtree of the yeses]; a leaf is None."""
    if tree.question[node] < 0:
        return None
    parts = (int(side[node]) for side in (tree.no, tree.yes))
    return [int(tree.question[node]) + 1, *(nested(tree, part) for part in parts)]


def proof_of(kept: KeptSearch, solution: Solution, watch: Watch | None = None) -> ProofLog | None:
    """The proof of a solution with status "optimal"; None if a limit ended it early."""
    claims = claims_of(kept, watch)
    if claims is None:
        return None
    return ProofLog(kept.problem, solution.tree, solution.objective, **claims)
