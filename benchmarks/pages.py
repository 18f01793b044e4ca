"""Pages of the documentation, made from the files in results/.

    python -m benchmarks.pages [FOLDER]

writes docs/results/*.md: of each file what its table shows, the command that fills it, what
``--summary`` prints of it, the rows if they are few, the machines and commits they name, and
whether the core has changed since; the page of all claims (claims.py); and what stands between the
marks of README.md and paper.md (prose.py). A page whose table has parts is made from the files of
those parts that have rows, and is left out if none has. A test fails when a page is not what this
makes.
"""

import contextlib
import importlib
import io
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from benchmarks import claims, cluster_simulation, gpu_page, prose
from benchmarks.every_cut import notes as every_cut
from benchmarks.markdown import markdown_table
from benchmarks.new_rows import page as new_rows
from benchmarks.origins import age_line, bring_up_to_date, table_of_origins
from benchmarks.tables import HERE, MACHINE, rows_of

README, PAPER = HERE.parent / "README.md", HERE.parent / "paper.md"
DOCS = HERE.parent / "docs" / "results"
MOST_ROWS = 25  # beyond that the file itself is the better place to look

# Tables of the paper's experiments, with what their pictures show.
PAPER_TABLES = {
    "optimality": "Training IBS ratio by number of leaves",
    "generalization": "IBS ratio on held-out rows",
    "quality": "C indices and AUC on held-out rows",
    "run_time": "Seconds by depth",
    "scalability": "Seconds by rows",
    "black_box": "Our tree compared with black-box models",
}
DRAWN = "Drawn by `make paper-figures` from the tables of the full settings."

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
        "Seconds and memory of osst, divided by ours",
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
        "python -m benchmarks.gpu searches --problems PLACE --device cuda",
        parts=("searches", "turns", "suite", "kernel", "random"),
        notes=gpu_page.NOTES,
    ),
    Page("parity_osst", "parity", "The same answers as osst", "make parity", False),
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
        notes="The commit of `ours_likelihood` was entered by hand: its rows are of the\n"
        "same run as those of `ours`, but did not name it.\n",
    ),
    Page("threads", "threads", "One thread and two threads", "make bench-threads"),
    Page(
        "cluster",
        "cluster",
        "One search on a cluster",
        "python -m benchmarks.cluster",
        parts=("workers",),
    ),
    Page(
        "cluster_simulation",
        "cluster_simulation",
        "How far one search scales",
        "python -m benchmarks.cluster_simulation",
        notes=cluster_simulation.NOTES,
    ),
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
    Page(
        "larger_than_memory",
        "larger_than_memory",
        "Tables larger than memory",
        "make bench-larger_than_memory",
    ),
    Page("import_cost", "import_cost", "Time to import the package", "make bench-import_cost"),
)


def rows_by_file(page: Page) -> dict[str, list[Row]]:
    """The rows of each file of a page; those of a part that has none are left out."""
    found = {file: rows for file in page.files if (rows := rows_of(file))}
    if not (found or page.parts):
        raise FileNotFoundError(f"benchmarks/results/{page.file}.csv has no rows")
    return found


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


def text_of(page: Page) -> str:
    by_file = rows_by_file(page)
    rows = [row for of_file in by_file.values() for row in of_file]
    links = [f"[{name}.csv](../../benchmarks/results/{name}.csv)" for name in by_file]
    lines = [
        f"# {page.title}",
        "",
        *told_age(rows),
        f"Made by `make pages` from {', '.join(links)}, "
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
    for file, of_file in by_file.items():
        lines += [f"## Rows of {file}.csv" if page.parts else "## Rows", ""]
        lines += [*verdicts(of_file), *few_rows(of_file), ""]
    lines += ["## Programs and machines", "", *origin_lines(rows)]
    return "\n".join(lines) + "\n"


def told_age(rows: Sequence[Row]) -> list[str]:
    """Whether some rows are of an earlier core."""
    return [told, ""] if (told := age_line(rows)) else []


def origin_lines(rows: Sequence[Row]) -> list[str]:
    if "cpu" not in rows[0]:
        return ["The rows of this file name neither commit nor machine."]
    told = "Rows name the programs and the machine; dates are those of our commits:"
    return [told, "", *markdown_table(*table_of_origins(rows))]


def few_rows(rows: Sequence[Row]) -> list[str]:
    """A table of them, unless they are many."""
    return table_of(rows) if len(rows) <= MOST_ROWS else [f"{len(rows):,} rows, in the file."]


def index() -> str:
    present = present_pages()
    lines = [
        "# Results",
        "",
        "[All claims](claims.md) is the summary, each with its command. [How the benchmarks "
        "measure](method.md) says what is timed and how, and [the paper's experiments](paper.md) "
        "compares all programs. Each page of the table below is made from files of "
        "`benchmarks/results` by `make pages`. Seconds are those of the machine "
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
        "claims",
        "method",
        "paper",
        *(page.name for page in present),
        "```",
    ]
    return "\n".join(lines) + "\n"


def all_pages() -> dict[str, str]:
    """Text of each page by the name of its file."""
    made = {f"{page.name}.md": text_of(page) for page in present_pages()}
    claimed = claims.page(without_claim())
    return {"index.md": index(), "claims.md": claimed, "paper.md": papers_page()} | made


def without_claim() -> list[str]:
    """Links to the pages none of whose files carries a claim."""
    claimed = {claim.file for claim in claims.ALL}
    pages = [page for page in present_pages() if not claimed & set(page.files)]
    return [f"[{page.title}]({page.name}.md)" for page in pages]


def papers_page() -> str:
    """The paper's experiments: what their folder says, how old the rows are, and the pictures."""
    rows = [row for name in PAPER_TABLES for row in rows_of(f"paper/{name}")]
    pictures = (
        f"![{words}](../../benchmarks/paper/results/{name}.svg)\n"
        for name, words in PAPER_TABLES.items()
    )
    lines = ["```{include} ../../benchmarks/paper/README.md", "```", "", "## Pictures", ""]
    lines += [*told_age(rows), DRAWN, "", *pictures]
    return "\n".join(lines)


def readme() -> str:
    """README.md with the figures that the files give."""
    return prose.filled(README.read_text(encoding="utf-8"), prose.README_PARTS)


def paper() -> str:
    """paper.md with the figures that the files give."""
    return prose.filled(PAPER.read_text(encoding="utf-8"), prose.PAPER_PARTS)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    folder.mkdir(parents=True, exist_ok=True)
    files = [file for page in PAGES for file in page.files]
    files += [f"paper/{name}" for name in PAPER_TABLES]
    bring_up_to_date([row for file in files for row in rows_of(file)])
    for name, text in all_pages().items():
        (folder / name).write_text(text, encoding="utf-8")
    if folder == DOCS:
        README.write_text(readme(), encoding="utf-8")
        PAPER.write_text(paper(), encoding="utf-8")


if __name__ == "__main__":
    main()
