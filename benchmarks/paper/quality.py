"""The trees of generalization.py by Harrell's C, Uno's C and mean dynamic AUC on held-out rows.

    python -m benchmarks.paper.quality --data FOLDER [--quick] [--summary]

One run of either writes both tables. C compares the curves of two rows at the earlier of their
times, ties count one half; the AUC is averaged over time by how far the survival curve falls.
"""

from benchmarks.paper.generalization import SCORES, filled, summary


def main(argv: list[str] | None = None) -> None:
    print(summary(filled(__doc__, argv).quality, dict.fromkeys(SCORES, 1.0)))


if __name__ == "__main__":
    main()
