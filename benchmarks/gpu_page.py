"""What the page about searches on a GPU says beside the rows."""

from collections.abc import Iterator

from benchmarks.figures import Row, Rows, digits, seconds
from benchmarks.tables import rows_of

NOTES = """
CI has no GPU: these figures were made by hand, on the machine that the rows name. The core of the
wheel for Python 3.12 ran there. There is no limit on time in them, and the CPU's seconds are those
of one core of such a machine: the GPU's rows came first, the core's some minutes later, and credit
at depth 6 on another core at the same time.

**Searches.** `answers` is `01` for 0/1 columns and `cuts` for every cut of raw columns. `fit`
searches for one tree, `path` for the best trees of all penalties from the one given on, `folds` for
five such paths with a fifth of the rows left out, `near` for all trees within 2 %, the search for
the best one included. For competing risks a third of the events, at random, had another cause; the
teacher is a linear model of survival at ten times. `gpu_lane_rows` counts pairs of a row and a
split of its cell as if every question were asked of every cell; questions that do not part the rows
of a cell are left out, so that less is done. Objectives, bounds, statuses and numbers of leaves are
those of the core, bit for bit, wherever both ran.

Where `device="cuda"` is asked for, a core looks first, for some hundredths of a second at most.
Rows without `gpu_lane_rows` were closed by that look: `household` has 190,915 different rows and 15
questions, of which a core closes nearly all at once, so that both devices do the same work there.
Its two rows were measured minutes apart; those of `gpu_turns.csv` were taken in turns.

A core did not finish every cut of `whas500` at depth 4 in 570 s. Its row is from another machine,
where others were at work, and an earlier core, with the GPU's objective as upper bound: it is there
for the objective, has no seconds, and was entered by hand from what the search printed.

**Kernel.** Random answers to 256 questions, events in every other row, all pairs of questions: the
cells of a pair are listed, and each is split on every question.

**Speed suite.** `python -m benchmarks.gpu_suite run --problems PLACE`: the cases of
[the comparison with osst](speed-osst.md), each searched on the GPU without a core's first
look; `difference` is the largest between the objective and that of the core.

**Random problems.** Those of the oracle, with ties, weights, equal rows, any censoring, rules about
columns and leaves: trees, objectives, bounds and statuses of a GPU beside those of the core, which
does not look first here. Fourteen processes with 500 problems of each kind shared the GPU; rows of
a kind are added up to one, seconds as well. Objectives of lists are compared up to rounding. Paths
begin at a penalty of at least a millionth of the loss of one leaf
([decision 16](../decisions/0016-all-trees-on-a-gpu.md)).

**Sanitizers.** `compute-sanitizer` with memcheck, racecheck and synccheck on 12 problems of each of
nine kinds, all losses, bits and cuts: no errors. With initcheck it names reads of 16 bytes that
copy rows of 24, 40 or 56 bytes which are padded to a multiple of 16: the padding was never written,
and nothing uses it.
"""
CASE = ("mode", "loss", "answers", "dataset", "max_depth", "regularization")


def by_device(rows: Rows) -> Iterator[tuple[tuple[str, ...], Row | None, Row]]:
    """Each case with its row of a core, if there is one, and that of the GPU."""
    on_cpu = {case_of(row): row for row in rows if row["device"] == "cpu"}
    for row in rows:
        if row["device"] == "cuda":
            yield case_of(row), on_cpu.get(case_of(row)), row


def case_of(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in CASE)


def summary() -> str:
    """Seconds of a core and of the GPU, case by case."""
    widths = (5, 10, 7, 9, 5, 7, 9, 9, 6)
    header = ("", "loss", "answers", "data", "depth", "penalty", "a core", "the GPU", "ratio")
    lines = [header]
    for case, core, gpu in by_device(rows_of("gpu_searches")):
        slow, fast = core["seconds"] if core else "", gpu["seconds"]
        ratio = digits(float(slow) / float(fast)) if slow else ""
        found = seconds(float(fast)) if gpu["gpu_lane_rows"] else "not asked"
        lines.append((*case, seconds(float(slow)) if slow else "", found, ratio))
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
