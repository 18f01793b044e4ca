"""Tables larger than memory: fits on files, beside polars that merely reads and groups them.

    python -m benchmarks.larger_than_memory --data FOLDER [--folder FOLDER] [--case NAME]...

Two tables are written in pieces, unless the folder has them: `household`, 100,000,000 rows drawn
with replacement from the paper's household (15 flags, times in thousandths); and `raw`, 10,000,000
made-up rows of ten numbers, of which five are measured in tenths or whole units and five differ in
every row, with times in days. household: depth 4. raw: 15 quantiles of each column (150 questions),
depth 4, with a time limit of 120 seconds; `raw, depth 1` and `raw, depth 2` are the same with
smaller trees and no limit. The penalty per leaf is 0.01.

Each fit (`survtree`) and each `scan_parquet(file).group_by(all columns).len()` (`polars`) runs in a
process of its own, whose largest resident memory is `peak_mb`; seconds are those of the whole
process. `polars, codes` is the stricter rival: polars groups by the codes of a fit, which are
known to it, and only the seconds of this query count.

What stands in the way of a proof at depth 4 on raw: its rows all differ, so that grouping spares
nothing. One look at all first splits is 10,000,000 rows times 150 questions, and all pairs of
questions are 150 times as much; three levels of splits are more than two cores do in minutes.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl

from benchmarks import data
from benchmarks.streaming import PEAK
from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree._data.files import write_parts

KEYS = ("case", "program")
FIELDS = (*KEYS, "rows", "status", "leaves", "objective", "gap", "seconds", "peak_mb", "file_mb")
PIECE = 1_000_000
SEED = 0
ROWS = {"household": 100_000_000, "raw": 10_000_000}
OPTIONS = {
    "household": "max_depth=4",
    "raw, depth 1": "max_depth=1, thresholds=15",
    "raw, depth 2": "max_depth=2, thresholds=15",
    "raw": "max_depth=4, thresholds=15, time_limit=120",
}
FIT = """
import sys, warnings
import polars as pl
from survtree import OptimalSurvivalTree
warnings.simplefilter("ignore")
model = OptimalSurvivalTree(
    regularization=0.01, memory_limit="4GB", n_jobs=-1, {options}
)
model.fit(pl.scan_parquet(sys.argv[1]), duration_col="time", event_col="event")
print(model.status_, model.n_leaves_, repr(model.objective_), model.gap_, "")
"""
GROUP = """
import sys
import polars as pl
rows = pl.scan_parquet(sys.argv[1])
names = rows.collect_schema().names()
print("grouped", rows.group_by(names).len().collect(engine="streaming").height, "", "", "")
"""
GROUP_CODES = """
import sys, time, warnings
import polars as pl
import survtree._questions.lazy_groups as groups
from survtree import OptimalSurvivalTree
warnings.simplefilter("ignore")
class Known(Exception): pass
def stop(rows, grouping, *rest):
    raise Known(rows, grouping)
groups.grouped = stop
model = OptimalSurvivalTree(regularization=0.01, {options})
try:
    model.fit(pl.scan_parquet(sys.argv[1]), duration_col="time", event_col="event")
except Known as known:
    rows, grouping = known.args
words = [each.alias(str(k)) for k, each in enumerate(grouping.words)]
start = time.perf_counter()
query = rows.frame.select(words).group_by([str(k) for k in range(len(words))]).len()
n_groups = query.collect(engine="streaming").height
print("grouped", n_groups, "", "", time.perf_counter() - start)
"""


def household(source: data.Source, n: int) -> Iterator[pl.DataFrame]:
    """Rows of household, drawn with replacement."""
    with np.load(source.path) as file:
        X, event, time = (file[name] for name in ("X", "event", "time"))
    rng = np.random.default_rng(SEED)
    for first in range(0, n, PIECE):
        rows = rng.integers(0, len(X), min(PIECE, n - first))
        columns = {f"flag{j}": X[rows, j] for j in range(X.shape[1])}
        yield pl.DataFrame({**columns, "time": time[rows], "event": event[rows].astype(np.int8)})


def raw(n: int) -> Iterator[pl.DataFrame]:
    """Patients of a made-up registry: times in days, of which risk factors take some."""
    rng = np.random.default_rng(SEED)
    for first in range(0, n, PIECE):
        m = min(PIECE, n - first)
        age, fraction = rng.normal(62, 12, m).clip(18, 100).round(1), 80 * rng.beta(5, 4, m)
        creatinine, protein = rng.lognormal(0, 0.4, m).round(2), rng.lognormal(1, 1.2, m)
        marker = rng.normal(size=m)
        risk = 0.9 * (age > 65) + 0.7 * (fraction < 35) * (creatinine > 1.2) + 0.4 * (protein > 6)
        died = rng.exponential(3000 * np.exp(-risk - 0.3 * (marker > 0.5)))
        lost = rng.uniform(200, 3650, m)
        yield pl.DataFrame(
            {
                "age": age,
                "bmi": rng.normal(27, 5, m).clip(14, 60).round(1),
                "creatinine": creatinine,
                "protein": protein,
                "haemoglobin": rng.normal(13.5, 1.8, m).round(1),
                "pressure": rng.normal(135, 18, m).round(),
                "fraction": fraction,
                "dose": rng.gamma(2, 10, m),
                "marker": marker,
                "noise": rng.random(m),
                "time": np.ceil(np.minimum(died, lost)),
                "event": (died <= lost).astype(np.int8),
            }
        )


def table_of(case: str) -> str:
    return case.split(",")[0]


def written(folder: Path, case: str, source: Path | None) -> Path:
    """The file of a case, in the folder or newly written to it."""
    name = table_of(case)
    path = folder / f"{name}-{ROWS[name]}.parquet"
    if not path.exists():

        def parts() -> Iterator[pl.DataFrame]:
            if name == "raw":
                return raw(ROWS[name])
            return household(data.locate(source, "household"), ROWS[name])

        write_parts(str(path), "parquet", next(parts()).schema, parts)
    return path


def measured(code: str, path: Path) -> dict[str, object]:
    """What a process prints, its seconds unless it prints them, and its largest memory."""
    command = [sys.executable, "-c", PEAK, sys.executable, "-c", code, str(path)]
    start = perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seconds = perf_counter() - start
    *_, answer, peak = done.stdout.splitlines()
    status, leaves, objective, gap, own_seconds = answer.split(" ")
    return {
        "status": status,
        "leaves": leaves,
        "objective": objective,
        "gap": gap,
        "seconds": f"{float(own_seconds or seconds):.1f}",
        "peak_mb": round(float(peak)),
        "file_mb": round(path.stat().st_size / 1e6),
    }


def summary(rows: list[dict[str, str]]) -> str:
    lines = []
    for case in OPTIONS:
        ours = [row for row in rows if row["case"] == case and row["program"] == "survtree"]
        others = [row for row in rows if row["case"] == table_of(case) and row not in ours]
        others = [row for row in others if row["program"] != "survtree"]
        for row in (*(others if case in ROWS else ()), *ours):
            gap = f", gap {100 * float(row['gap']):.1f} %" if row["gap"] else ""
            lines.append(
                f"{case}, {int(row['rows']):,} rows, {row['program']}: {row['status']}{gap}, "
                f"{row['seconds']} s, {row['peak_mb']} MB"
            )
        for row in ours:
            for other in others:
                ratio = float(row["seconds"]) / float(other["seconds"])
                lines.append(f"{case}: survtree / {other['program']} {ratio:.2f}")
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__, "larger_than_memory.csv")
    parser.add_argument("--folder", type=Path, help="for the large files, which are kept there")
    parser.add_argument("--case", choices=OPTIONS, action="append")
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEYS)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        for case in () if arguments.summary else arguments.case or OPTIONS:
            options = OPTIONS[case]
            programs = {"survtree": FIT.format(options=options)}
            if case in ROWS:
                codes = GROUP_CODES.format(options=options)
                programs = {"polars": GROUP, "polars, codes": codes, **programs}
            for program, code in programs.items():
                if table.has(case, program):
                    continue
                facts = measured(code, written(folder, case, arguments.data))
                version = f"survtree{revision()}, polars {pl.__version__}"
                row = {"case": case, "program": program, "rows": ROWS[table_of(case)], **facts}
                table.add({**row, **machine(), "programs": version})
    print(summary(table.rows))


if __name__ == "__main__":
    main()
