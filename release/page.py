"""The table of what was tried, in docs/contributing/release.md, from release/tried.csv.

    python -m release.page

A test fails when the page is not what this makes.
"""

import csv

from release.trial import TRIED

PAGE = TRIED.parents[1] / "docs" / "contributing" / "release.md"
BEGIN, END = "<!-- tried:begin -->", "<!-- tried:end -->"
COLUMNS = {
    "sha256": "SHA-256",
    "python": "Python",
    "machine": "machine",
    "libc": "C library",
    "pins": "other packages",
    "numpy": "NumPy",
    "scikit-learn": "scikit-learn",
    "pandas": "pandas",
    "polars": "polars",
    "passed": "passed",
    "skipped": "skipped",
    "failed": "failed",
}


def table(rows: list[dict[str, str]]) -> str:
    """In Markdown, one line for each trial."""
    lines = ["| wheel | " + " | ".join(COLUMNS.values()) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
    for row in rows:
        wheel = "-".join(row["wheel"].split("-")[2:4])
        lines.append(f"| {wheel} | " + " | ".join(row[name] for name in COLUMNS) + " |")
    return "\n".join(lines)


def page() -> str:
    """The page as it stands, with the table of today between its marks."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    with TRIED.open(newline="") as file:
        made = table(list(csv.DictReader(file)))
    return f"{before}{BEGIN}\n\n{made}\n\n{END}{after}"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
