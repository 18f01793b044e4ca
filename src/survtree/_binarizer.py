"""Columns to yes/no questions and back to words.

Columns that hold only 0/1 or False/True are one question each: "is it 1?".
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Binarizer:
    """Question j is about column j, by name."""

    names: tuple[str, ...]

    def question(self, j: int) -> str:
        """Question j in words; the yes-branch is where it holds."""
        return f"{self.names[j]} = 1"

    def ranks(self) -> list[int]:
        """Place of each question when sorted by name: the last resort in breaking ties.

        Names of unnamed columns, x0, x1, ..., sort by number.
        """
        places = range(len(self.names))
        named = [j for j in places if self.names[j] != f"x{j}"]
        if not named:
            return list(places)
        unnamed = sorted(set(places).difference(named))
        order = unnamed + sorted(named, key=self.names.__getitem__)
        rank = [0] * len(order)
        for place, j in enumerate(order):
            rank[j] = place
        return rank
