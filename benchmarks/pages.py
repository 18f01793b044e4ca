"""Pages of the documentation, made from the files in results/.

    python -m benchmarks.pages [FOLDER]

writes docs/results/*.md: of each file what its table shows, the command that fills it, what
``--summary`` prints of it, the rows if they are few, and the machines and commits they name; and
the short table between the two marks of README.md. A page whose table has parts is made from the
files of those parts that have rows, and is left out if none has. A test fails when a page is not
what this makes.
"""

import contextlib
import csv
import importlib
import io
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from benchmarks import gpu
from benchmarks.every_cut import notes as every_cut
from benchmarks.new_rows import page as new_rows
from benchmarks.tables import HERE, MACHINE

README = HERE.parent / "README.md"
BEGIN, END = "<!-- new_rows:begin -->", "<!-- new_rows:end -->"
DOCS = HERE.parent / "docs" / "results"
MOST_ROWS = 25  # beyond that the file itself is the better place to look

Row = dict[str, str]


@dataclass(frozen=True)
class Page:
    """One file of results, or one for each part: whose it is, how it is made, what to call it."""

    file: str
    module: str
    title: str
    command: str
    # A run that keeps other things in its file prints no summary of it.
    is_summed_up: bool = True
    notes: str = ""  # on how to read it
    also: tuple[str, ...] = ()  # further modules that say what is measured
    parts: tuple[str, ...] = ()  # of the table, each with a file that need not be there yet

    @property
    def name(self) -> str:
        return self.file.replace("_", "-")

    @property
    def files(self) -> tuple[str, ...]:
        """The names of its files, without the ending."""
        return tuple(f"{self.file}_{part}" for part in self.parts) or (self.file,)


PAGES = (
    Page(
        "speed_osst",
        "speed",
        "Seconds and memory of the original, divided by ours",
        "make bench-speed",
    ),
    Page(
        "new_rows",
        "new_rows.__main__",
        "Held-out quality on public tables",
        "make bench-new_rows",
        notes=new_rows.NOTES,
        also=("new_rows.scoring", "new_rows.models", "new_rows.tables"),
    ),
    Page(
        "competing_risks",
        "competing_risks.__main__",
        "Competing risks beside R",
        "make bench-competing_risks",
        parts=("scores", "leaves"),
    ),
    Page("household", "household", "Two million rows", "make bench-household"),
    Page(
        "gpu",
        "gpu",
        "The search on a GPU",
        "python -m benchmarks.gpu",
        False,
        parts=("searches", "kernel", "random"),
        notes=gpu.NOTES,
    ),
    Page("parity_osst", "parity", "The same answers as the original", "make parity", False),
    Page("protocol", "protocol", "The paper's protocol", "make bench-protocol"),
    Page("streed", "streed", "Compared with STreeD", "make bench-streed"),
    Page(
        "likelihood",
        "likelihood",
        "Compared with SurTree on the likelihood",
        "make bench-likelihood",
    ),
    Page(
        "likelihood_new_rows",
        "likelihood_new_rows",
        "Held-out scores of trees by the likelihood",
        "make bench-likelihood_new_rows",
    ),
    Page("threads", "threads", "One thread and two threads", "make bench-threads"),
    Page("no_limit", "no_limit", "No limit on depth", "make bench-no_limit"),
    Page("raw_tables", "raw_tables", "Raw tables", "make bench-raw_tables ARGS=--all"),
    Page(
        "every_cut",
        "every_cut.__main__",
        "Every cut of numeric columns",
        "make bench-every_cut",
        notes=every_cut.NOTES,
        parts=("depth2", "depth3", "osst", "depth4", "default", "memory"),
    ),
    Page("near_optimal", "near_optimal", "Near-optimal sets", "make bench-near_optimal"),
    Page(
        "explore_page", "explore_page", "The page of near-optimal trees", "make bench-explore_page"
    ),
    Page(
        "near_rivals",
        "near_rivals",
        "Near-optimal sets of programs for classification",
        "make bench-near_rivals",
    ),
    Page("path", "path", "Regularization paths", 'make bench-path ARGS="--repeats 7"'),
    Page("tuning", "tuning", "Sizes selected by cross-validation", "make bench-tuning"),
    Page("anytime", "anytime", "Results before the end of a search", "make bench-anytime"),
    Page(
        "best_known",
        "anytime",
        "The best objectives known",
        "make bench-anytime ARGS=--best",
        False,
    ),
    Page("kept_limits", "kept_limits", "Are time limits kept?", "make bench-kept_limits"),
    Page("memory", "memory", "Memory limits", 'make bench-memory ARGS="--seconds 200"'),
    Page("ablation", "ablation", "With a forest as reference model", "make bench-ablation"),
    Page("watched", "watched", "Work of searches that can be stopped", "make bench-watched"),
    Page("metrics", "metrics", "Seconds of the metrics", "make bench-metrics"),
    Page("streaming", "streaming", "Predictions from file to file", "make bench-streaming"),
    Page("import_cost", "import_cost", "Time to import the package", "make bench-import_cost"),
)


def rows_by_file(page: Page) -> dict[str, list[Row]]:
    """The rows of each file of a page; those of a part that has none are left out."""
    found = {file: rows_of(file, may_be_missing=bool(page.parts)) for file in page.files}
    return {file: rows for file, rows in found.items() if rows}


def rows_of(file: str, *, may_be_missing: bool = False) -> list[Row]:
    path = HERE / "results" / f"{file}.csv"
    if may_be_missing and not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def present_pages() -> list[Page]:
    """The pages that have rows to show."""
    return [page for page in PAGES if rows_by_file(page)]


def doc_of(page: Page) -> str:
    """What the modules say of themselves; their lines of code come out as a block."""
    modules = [importlib.import_module(f"benchmarks.{name}") for name in (page.module, *page.also)]
    return "\n\n".join((module.__doc__ or "").strip() for module in modules)


def summary_of(page: Page) -> str:
    """What the table's own command prints of the file."""
    if not page.is_summed_up:
        return ""
    module = importlib.import_module(f"benchmarks.{page.module}")
    out = io.StringIO()
    arguments = mock.patch.object(sys, "argv", [page.module, "--summary"])
    with arguments, contextlib.redirect_stdout(out):
        module.main()
    return out.getvalue().rstrip("\n")


def markdown_table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    return [_line(header), _line(["---"] * len(header)), *map(_line, lines)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def table_of(rows: Sequence[Row]) -> list[str]:
    """All rows without the columns about machines."""
    names = [name for name in rows[0] if name not in MACHINE]
    return markdown_table(names, ([shortened(row[name]) for name in names] for row in rows))


def shortened(cell: str) -> str:
    """Six digits of a number; the file has them all."""
    try:
        number = float(cell)
    except ValueError:
        return cell
    return cell if len(cell) <= 9 or "." not in cell else f"{number:.6g}"


def verdicts(rows: Sequence[Row]) -> list[str]:
    if "verdict" not in rows[0]:
        return []
    counted = Counter(row["verdict"] for row in rows)
    return [f"Verdicts: {', '.join(f'{n} {what}' for what, n in counted.most_common())}.", ""]


def origins(rows: Sequence[Row]) -> list[str]:
    """Programs, commits and processors that the rows name, and how many rows name them."""
    if "cpu" not in rows[0]:
        return ["The rows of this file name neither commit nor machine."]
    counted: Counter[tuple[str, ...]] = Counter()
    facts: tuple[str, ...] = ()
    for row in rows:
        # Rows that were written together say it in the first of them.
        facts = (
            tuple(row[name] for name in ("programs", "cpu", "cores", "python"))
            if row["cpu"]
            else facts
        )
        counted[facts] += 1
    header = ("rows", "programs and commit", "processor", "cores", "Python")
    return markdown_table(header, ((str(n), *facts) for facts, n in counted.most_common()))


def text_of(page: Page) -> str:
    by_file = rows_by_file(page)
    links = [f"[{name}.csv](../../benchmarks/results/{name}.csv)" for name in by_file]
    lines = [
        f"# {page.title}",
        "",
        f"Made by `python -m benchmarks.pages` from {', '.join(links)}, "
        f"which `{page.command}` fills. What is measured:",
        "",
        "```none",
        doc_of(page),
        "```",
        "",
        *([page.notes] if page.notes else []),
    ]
    if summary := summary_of(page):
        lines += ["## Summary", "", "```none", summary, "```", ""]
    for file, rows in by_file.items():
        lines += [f"## Rows of {file}.csv" if page.parts else "## Rows", ""]
        lines += [*verdicts(rows), *few_rows(rows), ""]
    lines += ["## Programs and machines", ""]
    lines += ["Rows carry no date, but name the programs and the machine:", ""]
    lines += origins([row for rows in by_file.values() for row in rows])
    return "\n".join(lines) + "\n"


def few_rows(rows: Sequence[Row]) -> list[str]:
    """A table of them, unless they are many."""
    return table_of(rows) if len(rows) <= MOST_ROWS else [f"{len(rows):,} rows, in the file."]


def index() -> str:
    present = present_pages()
    lines = [
        "# Results",
        "",
        "[All figures in two tables](measured.md) is the summary. [How the benchmarks "
        "measure](method.md) says what is timed and how, and [the paper's experiments](paper.md) "
        "compares all programs. Each page of the table below is made from files of "
        "`benchmarks/results` by `python -m benchmarks.pages`. Seconds are those of the machine "
        "that the page names; commits differ from page to page.",
        "",
        *markdown_table(
            ("page", "made by"),
            ((f"[{page.title}]({page.name}.md)", f"`{page.command}`") for page in present),
        ),
        "",
        "```{toctree}",
        ":hidden:",
        "",
        "measured",
        "method",
        "paper",
        *(page.name for page in present),
        "```",
    ]
    return "\n".join(lines) + "\n"


def all_pages() -> dict[str, str]:
    """Text of each page by the name of its file."""
    return {"index.md": index()} | {f"{page.name}.md": text_of(page) for page in present_pages()}


def readme() -> str:
    """README.md with the table of held-out quality that the file gives."""
    path = HERE / "results" / "new_rows.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["seed"] == "0"]
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{new_rows.readme_table(rows)}\n{END}{after}"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in all_pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    if folder == DOCS:
        README.write_text(readme(), encoding="utf-8")


if __name__ == "__main__":
    main()
