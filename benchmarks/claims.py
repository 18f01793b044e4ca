"""Every claim of README and docs that a measurement carries, with the command that shows it.

A claim names its files; its figure is computed from their rows (figures.py, beside.py), never
typed. ``make pages`` makes docs/results/claims.md of all claims, and fills the
parts of README.md and paper.md that name figures.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks import beside, figures
from benchmarks.figures import Figure
from benchmarks.markdown import markdown_table
from benchmarks.origins import (
    age_line,
    core_today,
    is_of_today,
    known_commits,
    origins_of,
    with_origins,
)
from benchmarks.tables import rows_of


@dataclass(frozen=True)
class Claim:
    """What is claimed, the file whose rows give the figure, the command that fills the file."""

    what: str
    file: str
    command: str
    figure: Figure


TRUTH = (
    Claim(
        "the same objective as osst, or a lower one, on the paper's data sets",
        "parity_osst",
        "make parity",
        figures.verdicts,
    ),
    Claim(
        "the same, in the table of seconds (depth 2 to 5)",
        "speed_osst",
        "make bench-speed",
        figures.verdicts,
    ),
    Claim(
        "the paper's run-time protocol up to depth 5: 17 data sets, 12 penalties",
        "protocol",
        "make bench-protocol",
        figures.proven,
    ),
    Claim(
        "no limit on depth: veterans, gbsg2, maintenance, whas500 at penalties 0.01 and 0.005",
        "no_limit",
        "make bench-no_limit",
        figures.proven,
    ),
    Claim(
        "raw tables of SurvSet, and 2,000,000 simulated rows, without any preparation: over the "
        "candidate splits that each fit searched",
        "raw_tables",
        "make bench-raw_tables ARGS=--all",
        figures.raw_tables,
    ),
    Claim(
        "raw tables, every cut of every column, depth 2",
        "every_cut_depth2",
        "make bench-every_cut",
        figures.proven,
    ),
    Claim(
        "raw tables, defaults at depth 3: proofs over every cut",
        "every_cut_default",
        "make bench-every_cut",
        figures.every_cut_by_default,
    ),
    Claim(
        "random problems on a GPU: the same trees and numbers as on a CPU",
        "gpu_random",
        "python -m benchmarks.gpu random",
        figures.gpu_random,
    ),
    Claim(
        "competing risks: every number of our leaves beside R's multi-state survfit",
        "competing_risks_leaves",
        "make bench-competing_risks",
        figures.competing_leaves,
    ),
    Claim(
        "fits with a time limit return in time, with right bounds",
        "kept_limits",
        "make bench-kept_limits",
        figures.kept_limits,
    ),
)

HELD_OUT = (
    *(
        Claim(
            f"our default trees beside {words}",
            "new_rows",
            "make bench-new_rows",
            lambda rows, other=other: figures.held_out(figures.shared_results(), other),
        )
        for other, words in (
            ("ctree", "ctree (partykit)"),
            ("rpart", "rpart"),
            ("sksurv_depth3", "scikit-survival's tree, depth 3"),
            ("surtree", "SurTree (STreeD), depth 3"),
            ("ours_paper", "our own trees by the paper's objective (penalty 0.01, depth 4)"),
            ("greedy_teacher", "a greedy tree for the same teacher"),
            ("forest", "a random survival forest (no tree)"),
            ("cox", "Cox with a ridge penalty (no tree)"),
        )
    ),
    Claim(
        'Harrell\'s C at depth 3 with `loss="likelihood"`',
        "likelihood_new_rows",
        "make bench-likelihood_new_rows",
        figures.likelihood_held_out,
    ),
    Claim(
        "competing risks: IBS ratio beside R's models",
        "competing_risks_scores",
        "make bench-competing_risks",
        figures.competing_scores,
    ),
    Claim(
        "size and IBS ratio, size selected by the one-standard-error rule: ours up to depth 4, "
        "scikit-survival's greedy tree up to depth 10",
        "tuning",
        "make bench-tuning",
        figures.tuning,
    ),
)

SPEED = (
    Claim(
        "seconds of osst / ours, one thread each, where osst needs 20 ms to 120 s",
        "speed_osst",
        "make bench-speed",
        figures.osst_speed,
    ),
    Claim(
        "seconds of STreeD (a simpler loss, no penalty per leaf) / ours, depth 4",
        "streed",
        "make bench-streed",
        figures.streed_speed,
    ),
    Claim(
        "seconds of SurTree / ours, both by the likelihood, depth 3 to 5",
        "likelihood",
        "make bench-likelihood",
        figures.likelihood,
    ),
    Claim(
        "household, depth 5, penalty 0.01",
        "household",
        "make bench-household",
        figures.household,
    ),
    Claim(
        "seconds with one thread / with two, cases over one second",
        "threads",
        "make bench-threads",
        figures.two_threads,
    ),
    Claim(
        "seconds of one core / of a GPU",
        "gpu_searches",
        "python -m benchmarks.gpu searches --problems PLACE --device cuda",
        figures.gpu_searches,
    ),
    Claim(
        "the same, geometric means: paths, five folds of them, near-optimal sets, other losses",
        "gpu_searches",
        "python -m benchmarks.gpu searches --problems PLACE --device cuda",
        figures.gpu_kinds,
    ),
    Claim(
        "on a GPU: credit, 0/1 columns; whas500, every cut",
        "gpu_searches",
        "python -m benchmarks.gpu searches --problems PLACE --device cuda",
        figures.gpu_deepest,
    ),
    Claim(
        "rows x splits a second of the GPU's kernel alone, 500 to 8,000 rows",
        "gpu_kernel",
        "python -m benchmarks.gpu kernel",
        figures.gpu_kernel,
    ),
    Claim(
        "one search on two workers of a Dask cluster, all on one machine of two cores: seconds "
        "with one worker / with two",
        "cluster_workers",
        "python -m benchmarks.cluster --data .data",
        figures.cluster_workers,
    ),
    Claim(
        "a regularization path (every tree that is optimal for some penalty from 0.00001 on)",
        "path",
        'make bench-path ARGS="--repeats 7"',
        figures.path,
    ),
    Claim(
        "near-optimal sets",
        "near_optimal",
        "make bench-near_optimal",
        figures.near_optimal,
    ),
    Claim(
        "near-optimal sets: seconds of programs for classification / ours",
        "near_rivals",
        "make bench-near_rivals",
        figures.near_rivals,
    ),
    Claim(
        "stopped after 1 s: five problems that take up to minutes to prove (depth 6 to 8)",
        "anytime",
        "make bench-anytime",
        figures.anytime,
    ),
    Claim(
        "with a forest as reference model (guess)",
        "ablation",
        "make bench-ablation",
        figures.ablation,
    ),
    Claim(
        "what it costs that a search can be watched and stopped: its seconds / without",
        "watched",
        "make bench-watched",
        figures.watched,
    ),
    Claim("all metrics, 100,000 rows, 8 leaves", "metrics", "make bench-metrics", figures.metrics),
    Claim(
        "seconds of imports, each beside what it needs anyway",
        "import_cost",
        "make bench-import_cost",
        figures.import_cost,
    ),
)

SIZE = (
    Claim(
        "peak memory of osst / ours, where osst needs over 1 GB",
        "speed_osst",
        "make bench-speed",
        figures.osst_memory,
    ),
    Claim(
        "a search of 200 s under memory limits",
        "memory",
        'make bench-memory ARGS="--seconds 200"',
        figures.memory,
    ),
    Claim(
        "`survtree predict`, from file to file",
        "streaming",
        "make bench-streaming",
        figures.streaming,
    ),
    Claim(
        "the page of near-optimal trees",
        "explore_page",
        "make bench-explore_page",
        figures.explore_page,
    ),
    Claim(
        "tables larger than memory, from Parquet files",
        "larger_than_memory",
        "make bench-larger_than_memory",
        figures.larger_than_memory,
    ),
)

SECTIONS = {
    "Correctness": TRUTH,
    "Held-out quality": HELD_OUT,
    "Speed": SPEED,
    "Memory and size": SIZE,
}
ALL = tuple(claim for claims in SECTIONS.values() for claim in claims)


def measured_at(file: str) -> str:
    """Days of the commits that the rows of a file name, and whether the core has changed since."""
    rows = rows_of(file)
    commits, today = known_commits(), core_today()
    ours = [origin for origin in origins_of(rows) if origin.commit in commits]
    dates = sorted({commits[origin.commit].date for origin in ours})
    if not dates:
        return "no commit named"
    names = sorted({origin.commit for origin in ours})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    told = names[0] if len(names) == 1 else f"{len(names)} commits"
    old = [
        row
        for row, origin in with_origins(rows)
        if origin.commit in commits and not is_of_today(origin, commits, today)
    ]
    if not old:
        return f"{when} ({told})"
    is_theirs = not any(row.get("method", "ours").startswith("ours") for row in old)
    return f"{when} ({told}), earlier core{' for other programs' * is_theirs}"


def lines_of(claims: Iterable[Claim]) -> list[tuple[str, ...]]:
    """A line of the table for each claim whose file is there."""
    return [
        (
            claim.what,
            claim.figure(rows),
            f"`{claim.command}`: [{claim.file}.csv](../../benchmarks/results/{claim.file}.csv)",
            measured_at(claim.file),
        )
        for claim in claims
        if (rows := rows_of(claim.file))
    ]


HEADER = ("claim", "figure", "command, and the file that it fills", "measured")
INTRODUCTION = """\
# All claims, and the command that shows each

Made by `make pages`: all figures are computed from the files named beside them.

Each command, after `make data`, runs what its file does not hold yet. So on a copy of the
repository it only prints the committed figures; to measure for yourself, add options: `make
bench-path ARGS="--fresh --out build/path.csv"`. `ARGS=--summary` only prints what a file says.
Commands that begin with `python` are for the Python of `.venv`; those about a GPU need a machine
with one and `pip install ".[gpu]"`, and [their page](gpu.md) says how the problems get
there.

"Measured" is the date of the commit that the rows name, not of this page ("no commit named": the
rows do not say). "Earlier core" means that the C++ core has changed since, so that seconds may be
different by now ("for other programs": only rows in which ours did no more than score); what the
defaults of a fit are may have changed too, and with them trees and scores of fits at their
defaults. [How the benchmarks measure](method.md) says what is timed and how. Each page of results
names its machines. The same pair of programs can have different ratios in two tables: data sets,
depths, limits and machines differ, and the page of each table says which they are. So does the
number of public tables: comparisons with other programs leave out tables that one of them did not
finish, proofs those whose rows or columns are beyond a limit of their page.
"""
BESIDE = """\
## Compared with other programs on training rows

The paper's encoded data sets, with at least 7 rows per leaf: trees of eight of them, chosen by us,
seconds of all 17. Of the other programs only osst minimises the score compared here. The leaves of
every program are scored by our exact loss, so that trees are compared and not the programs'
conventions. Each different tree
of a program with at least two leaves is compared with ours of the same depth limit and at most as
many leaves (`python -m benchmarks.paper.optimality --summary`). "Equal" means the same training
loss. Seconds are geometric means over those data sets that both programs finish entirely
(`python -m benchmarks.paper.run_time --summary`; [the paper's experiments](paper.md)).
"""
BESIDE_HEADER = (
    "program",
    "its tree is",
    "it takes",
    "our tree is better / equal / worse",
    "its training IBS ratio is below ours by (percentage points, mean per data set)",
    "its seconds / ours at depth 2, 3, 4, 5",
)


def page(others: Iterable[str] = ()) -> str:
    """docs/results/claims.md; ``others`` are links to pages whose files carry no claim here."""
    lines = [INTRODUCTION]
    for title, claims in SECTIONS.items():
        lines += [f"## {title}", "", *markdown_table(HEADER, lines_of(claims)), ""]
    measured = [row for name in ("optimality", "run_time") for row in rows_of(f"paper/{name}")]
    lines += [BESIDE, *markdown_table(BESIDE_HEADER, beside.long_lines()), ""]
    lines += [beside.faster_line(), ""]
    if age := age_line(measured):
        lines += [age, ""]
    if links := ", ".join(others):
        lines += ["## More measurements", "", f"{links}."]
    return "\n".join(lines).rstrip() + "\n"
