"""Seconds of the original program over ours, case by case, in fresh processes taken in turns.

    python -m benchmarks.speed --data FOLDER [--depths 2 3 4] [--limit 120] [--repeats 3]

Each case runs osst, ours, osst, ours, ...; a row holds the medians. Cases that are already in the
output file are not run again, so a long run can be stopped and taken up. The summary covers cases
on which the original needs 20 ms to 120 s; both programs use one thread.
"""

import argparse
import csv
import itertools
import math
import os
import platform
import statistics
from pathlib import Path
from typing import Any

from benchmarks import data, programs

HERE = Path(__file__).parent
REGULARIZATIONS = (0.05, 0.01, 0.005, 0.0025, 0.001, 0.0005, 0.0001)
KEYS = ("dataset", "max_depth", "regularization")
FIELDS = (
    *KEYS,
    "osst_status",
    "osst_seconds",
    "ours_status",
    "ours_seconds",
    "ratio",
    "osst_objective",
    "ours_objective",
    "osst_bytes",
    "ours_bytes",
    "machine",
)
COUNTED_SECONDS = (0.02, 120.0)


def measure(
    case: data.Encoded, depth: int, regularization: float, limit_s: float, repeats: int
) -> dict[str, Any]:
    """Medians of both programs on one case; slow cases are run once."""
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in programs.PROGRAMS}
    for _ in range(repeats):
        for name in programs.PROGRAMS:
            results[name].append(programs.run(name, case, depth, regularization, limit_s))
        if results["osst"][0].get("seconds", math.inf) > 2.0:
            break
    row: dict[str, Any] = {"machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    for name, fits in results.items():
        row[f"{name}_status"] = fits[-1]["status"]
        if all("seconds" in fit for fit in fits):
            row[f"{name}_seconds"] = statistics.median(fit["seconds"] for fit in fits)
            row[f"{name}_objective"] = fits[-1]["objective"]
            row[f"{name}_bytes"] = fits[-1]["peak_rss_bytes"] - fits[-1]["rss_before_fit_bytes"]
    if "osst_seconds" in row and "ours_seconds" in row:
        row["ratio"] = row["osst_seconds"] / row["ours_seconds"]
        difference = row["ours_objective"] / row["osst_objective"] - 1
        if difference > 2e-5:
            raise SystemExit(f"{case.path.name}, depth {depth}: ours is worse by {difference:.1e}")
    return row


def known_rows(path: Path) -> list[dict[str, str]]:
    """Rows measured before."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def summary(rows: list[dict[str, Any]]) -> str:
    """Geometric mean, slowest and fastest of the ratios that count."""
    low, high = COUNTED_SECONDS
    counted = [r for r in rows if r["ratio"] and low <= float(r["osst_seconds"]) <= high]
    if not counted:
        return "no case to count"
    ratios = sorted(float(r["ratio"]) for r in counted)
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    worst = min(counted, key=lambda r: float(r["ratio"]))
    return (
        f"{len(counted)} cases: geometric mean {mean:.1f}, smallest {ratios[0]:.1f} "
        f"({worst['dataset']}, depth {worst['max_depth']}, {worst['regularization']}), "
        f"largest {ratios[-1]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the CSV files")
    parser.add_argument("--out", type=Path, default=HERE / "results/speed_osst.csv")
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 3, 4, 5])
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one fit")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = list(known_rows(arguments.out))
    done = {tuple(row[key] for key in KEYS) for row in rows}
    is_new = not rows
    with arguments.out.open("a", newline="") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n", restval="")
        if is_new:
            table.writeheader()
        for depth, name, value in itertools.product(arguments.depths, data.NAMES, REGULARIZATIONS):
            if (name, str(depth), str(value)) in done:
                continue
            case = data.read(arguments.data, name)
            row = measure(case, depth, value, arguments.limit, arguments.repeats)
            row |= {"dataset": name, "max_depth": depth, "regularization": value}
            row = {field: row.get(field, "") for field in FIELDS}
            table.writerow(row)
            file.flush()
            rows.append(row)
            print(*(row[field] for field in FIELDS[:8]), flush=True)
    print(summary(rows))


if __name__ == "__main__":
    main()
