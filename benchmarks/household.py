"""Two million rows: ours on growing parts of household, osst and scikit-survival.

    python -m benchmarks.household --data FOLDER [--repeats 3] [--osst-limit 1200]

Depth 5, regularization 0.01. Rows are in one random order (fixed seed) and a part is its beginning;
osst gets the smallest part only, scikit-survival's greedy tree all rows. Seconds are whole
fits from arrays in memory (of osst: the native call), bytes the peak above the input. Other
programs run once if they need 2 s or more. Cases in the output file are not run again.
"""

import itertools
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import data, suites
from benchmarks.programs import Program, request, started
from benchmarks.runner import in_turns, medians
from benchmarks.tables import CASE, Table, machine, parsed, parser_of

KEYS = ("program", "rows")
FACTS = ("status", "seconds", "runs", "objective", "n_leaves")
FIELDS = (*KEYS, *CASE, *FACTS, "bytes")
SEED = 0


@contextmanager
def parts(source: data.Source) -> Iterator[dict[int, dict[str, data.Source]]]:
    """Files of each part by program, in a folder that goes away; osst reads CSV only."""
    with np.load(source.path) as file:
        arrays = {name: file[name] for name in ("X", "event", "time")}
    order = np.random.default_rng(SEED).permutation(len(arrays["X"]))
    with tempfile.TemporaryDirectory() as folder:
        out: dict[int, dict[str, data.Source]] = {}
        for n_rows, names in suites.HOUSEHOLD_PARTS:
            path = Path(folder) / str(n_rows)
            part = {name: values[order[:n_rows]] for name, values in arrays.items()}
            out[n_rows] = {name: written(path, part, name == "osst") for name in names}
        yield out


def written(path: Path, part: Mapping[str, np.ndarray], is_csv: bool) -> data.Source:
    """The part as a file: NPZ, or CSV whose times keep all their digits."""
    if not is_csv:
        np.savez(path.with_suffix(".npz"), **part)
        return data.Source(path.with_suffix(".npz"))
    header = [f"f{j}" for j in range(part["X"].shape[1])] + ["event", "time"]
    rows = zip(part["X"].tolist(), part["event"].tolist(), part["time"].tolist(), strict=True)
    lines = (",".join(map(str, [*x, int(event), time])) for x, event, time in rows)
    path.with_suffix(".csv").write_text("\n".join([",".join(header), *lines]) + "\n")
    return data.Source(path.with_suffix(".csv"))


def run(
    table: Table,
    programs: Mapping[str, Program],
    sources: Mapping[int, Mapping[str, data.Source]],
    limits: Mapping[str, float],
    repeats: int,
) -> None:
    """Each part: its programs in turns, as far as they are not in the table yet."""
    for n_rows, by_name in sources.items():
        asked = {
            name: request(source, suites.HOUSEHOLD, limits[name])
            for name, source in by_name.items()
            if not table.has(name, n_rows)
        }
        for name, answers in in_turns(programs, asked, repeats).items():
            table.add({"program": name, "rows": n_rows, **facts(medians(answers), programs[name])})


def facts(answer: dict[str, Any], program: Program) -> dict[str, Any]:
    shown = {name: answer.get(name, "") for name in FACTS}
    memory = {"bytes": answer.get("fit_bytes", "")}
    return {**asdict(suites.HOUSEHOLD), **shown, **memory, **machine(program)}


def summary(rows: Sequence[Mapping[str, str]]) -> str:
    """Growth of our cost, and each rival over ours on all rows."""
    ours = [row for row in rows if row["program"] == "ours" and row["seconds"]]
    ours.sort(key=lambda row: int(row["rows"]))
    rivals = [row for row in rows if row["program"] != "ours"]
    lines = [
        f"{row['program']}, {int(row['rows']):,} rows: {shown(row)}" for row in [*ours, *rivals]
    ]
    lines += [growth(before, after) for before, after in itertools.pairwise(ours)]
    if len(ours) > 1:
        lines.append("from first to last: " + growth(ours[0], ours[-1]))
    # A rival that was killed has no seconds to compare.
    lines += [ratio(row, ours[-1]) for row in rivals if row["seconds"] and ours]
    return "\n".join(lines)


def shown(row: Mapping[str, str]) -> str:
    if not row["seconds"]:
        return row["status"]
    return f"{row['status']}, {float(row['seconds']):.3g} s, {float(row['bytes']) / 1e6:.0f} MB"


def growth(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """The power is 1 where cost grows like the rows."""
    more_rows = int(after["rows"]) / int(before["rows"])
    cost = float(after["seconds"]) / float(before["seconds"])
    power = math.log(cost) / math.log(more_rows)
    return f"rows x {more_rows:.2f}: seconds x {cost:.2f} (power {power:.2f})"


def ratio(rival: Mapping[str, str], ours: Mapping[str, str]) -> str:
    times = float(rival["seconds"]) / float(ours["seconds"])
    left, right = f"{int(rival['rows']):,}", f"{int(ours['rows']):,}"
    return f"{rival['program']} ({left} rows) / ours ({right} rows): {times:.1f}"


def main() -> None:
    parser = parser_of(__doc__, "household.csv")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for ours")
    parser.add_argument("--osst-limit", type=float, default=1200.0)
    parser.add_argument("--sksurv-limit", type=float, default=1200.0)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEYS)
    limits = {
        "ours": arguments.limit,
        "osst": arguments.osst_limit,
        "sksurv": arguments.sksurv_limit,
    }
    if not arguments.summary:
        source = data.locate(arguments.data, "household")
        with parts(source) as sources, started(*limits) as programs:
            run(table, programs, sources, limits, arguments.repeats)
    print(summary(table.rows))


if __name__ == "__main__":
    main()
