"""How a tree was chosen that is not simply the optimum of its fit: by its place, or by a condition.

A certificate keeps it, so that a model that leaves its set still says what it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from survtree._base.numbers import format_count
from survtree._base.tree import Tree
from survtree._base.words import list_names
from survtree._questions.questions import Questions


@dataclass(frozen=True)
class Choice:
    """Which tree this is among those of a problem.

    ``place`` counts the near-optimal trees by ascending objective, from 0 for the optimum. Without
    one, the tree is the best of those that fulfil the conditions: it splits on all columns of
    ``uses`` and on none of ``avoids``, its first split is on one of ``first``, and it has at most
    so many leaves and splits on a path.
    """

    place: int | None = None
    uses: tuple[str, ...] = ()
    avoids: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    max_leaves: int | None = None
    max_depth: int | None = None

    @property
    def condition(self) -> str:
        """What is asked of a tree, to follow "trees that"; empty without a condition."""
        parts = []
        if self.uses:
            parts.append(f"split on {_listed(self.uses, 'and')}")
        if self.avoids:
            parts.append(f"do not split on {_listed(self.avoids, 'or')}")
        if self.first:
            parts.append(f"split on {_listed(self.first, 'or')} first")
        if self.max_leaves is not None:
            parts.append(f"have at most {format_count(self.max_leaves, 'leaf')}")
        if self.max_depth is not None:
            parts.append(f"have at most {format_count(self.max_depth, 'split')} on a path")
        return " and ".join([", ".join(parts[:-1]), *parts[-1:]] if parts[1:] else parts)

    def holds(self, tree: Tree, questions: Questions) -> bool:
        """Whether a tree fulfils the conditions."""
        columns = columns_of(tree, questions)
        return (
            set(self.uses) <= set(columns)
            and not set(self.avoids) & set(columns)
            and (not self.first or columns[:1] in [(name,) for name in self.first])
            and (self.max_leaves is None or len(tree.leaves) <= self.max_leaves)
            and (self.max_depth is None or int(tree.depths().max()) <= self.max_depth)
        )

    def call(self, slack: float) -> str:
        """What finds the tree again, as a call of the fitted model."""
        if self.place is not None:
            return f"near_optimal(slack={slack!r}, limit={self.place + 1})[{self.place}]"
        names = ("uses", "avoids", "first", "max_leaves", "max_depth")
        given = {name: getattr(self, name) for name in names}
        asked = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if value not in ((), None)
        }
        arguments = ", ".join(f"{name}={value!r}" for name, value in asked.items())
        return f"near_optimal(slack=0.0, limit=1).best({arguments})"


def columns_of(tree: Tree, questions: Questions) -> tuple[str, ...]:
    """The columns that a tree splits on, that of the first split first; none twice."""
    asked = tree.question[tree.question >= 0].tolist()
    return tuple(dict.fromkeys(questions.names[questions.asked[j].column] for j in asked))


def _listed(names: Sequence[str], joint: str) -> str:
    if len(names) < 3:
        return f" {joint} ".join(map(repr, names))
    return f"{list_names(names[:-1], len(names))} {joint} {names[-1]!r}"
