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
        order = sorted(range(len(self.names)), key=lambda j: _natural(self.names[j], j))
        rank = [0] * len(order)
        for place, j in enumerate(order):
            rank[j] = place
        return rank


def _natural(name: str, j: int) -> tuple[int, int, str]:
    is_position = name == f"x{j}"
    return (0, j, "") if is_position else (1, 0, name)
