"""Predictions for two million rows from file to file: memory of the process, and seconds.

    python -m benchmarks.streaming [--rows 2000000]

A simulated study of eight columns as Parquet; a tree of its first 3,000 rows; `survtree predict`
from Parquet to Parquet and to CSV, each in a separate process. `peak_mb` is the largest resident
memory of the whole process. Checks leaf and risk of every row against the model. Needs no data.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl

from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree import load

FIELDS = ("format", "rows", "seconds", "peak_mb", "file_mb")
SURVTREE = str(Path(sys.executable).with_name("survtree"))
FIT = ("--exclude", "id", "--regularization", "0.0005", "--depth", "3", "--quiet")


def study(n: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "id": np.arange(n),
            "age": rng.normal(60, 10, n).round(1),
            "stage": rng.choice(["I", "II", "III", "IV"], n),
            "dose": rng.normal(size=n),
            "marker": rng.normal(size=n),
            "treated": rng.random(n) < 0.5,
            "site": rng.choice([f"site {k}" for k in range(40)], n),
            "time": np.ceil(rng.exponential(100, n)),
            "event": (rng.random(n) < 0.6).astype(np.int8),
        }
    )


# A process counts what its parent had when it was started, so a small one stands in between.
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000)
"""


def peak_mb(command: list[str]) -> float:
    """The most that a process had resident."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *command], check=True, stdout=subprocess.PIPE, text=True
    )
    return float(done.stdout)


def main() -> None:
    parser = parser_of(__doc__, "streaming.csv", needs_data=False)
    parser.add_argument("--rows", type=int, default=2_000_000)
    arguments = parsed(parser)
    if not arguments.summary:
        arguments.out.unlink(missing_ok=True)
        table = Table(arguments.out, FIELDS, ())
        with tempfile.TemporaryDirectory() as name:
            for row in measured(Path(name), arguments.rows):
                table.add({**row, **machine(), "programs": f"survtree{revision()}"})
    for row in Table(arguments.out, FIELDS, ()).rows:
        print(
            f"{int(row['rows']):,} rows from Parquet ({row['file_mb']} MB) to {row['format']}: "
            f"{row['seconds']} s, {row['peak_mb']} MB"
        )


def measured(folder: Path, n: int) -> list[dict[str, object]]:
    data, model, out = folder / "data.parquet", folder / "model.json", folder / "out"
    study(n).write_parquet(data)
    study(n).head(3000).write_csv(folder / "first.csv")
    fit = [SURVTREE, "fit", str(folder / "first.csv"), *FIT, "-o", str(model)]
    subprocess.run(fit, check=True, capture_output=True)
    rows = []
    for ending in ("parquet", "csv"):
        command = [SURVTREE, "predict", str(model), str(data), "--times", "50,100", "--keep", "id"]
        start = perf_counter()
        peak = peak_mb([*command, "-o", f"{out}.{ending}"])
        rows.append(
            {
                "format": ending,
                "rows": n,
                "seconds": f"{perf_counter() - start:.1f}",
                "peak_mb": round(peak),
                "file_mb": round(data.stat().st_size / 1e6),
            }
        )
    check(folder, n)
    return rows


def check(folder: Path, n: int) -> None:
    model = load(folder / "model.json")
    X = study(n).select(model.feature_names_in_.tolist())
    for found in (pl.read_parquet(folder / "out.parquet"), pl.read_csv(folder / "out.csv")):
        assert found["id"].to_list() == list(range(n))
        assert (found["leaf"].to_numpy() == model.apply(X)).all()
        assert (found["risk"].to_numpy() == model.predict(X)).all()


if __name__ == "__main__":
    main()
