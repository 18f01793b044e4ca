"""How long it takes to import the estimator, and to run `survtree --help`.

    python -m benchmarks.import_cost [--repeats 15]

Two pairs of fresh interpreters in alternation, medians. The import of the estimator is compared
with that of `sklearn.base`, which any estimator needs: seconds of the statement alone. `survtree
--help` is compared with `python -c "import numpy, typer"`: seconds of the whole process. Also lists
which heavy libraries either of the first pair has loaded.
"""

import statistics
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from time import perf_counter

from benchmarks.tables import Table, machine, parsed, parser_of, revision

ESTIMATOR, BASE = "from survtree import OptimalSurvivalTree", "import sklearn.base"
HELP = [str(Path(sys.executable).with_name("survtree")), "--help"]
LIBRARIES = [sys.executable, "-c", "import numpy, typer"]
HEAVY = ("matplotlib", "jinja2", "polars", "typer", "pandas", "narwhals")
LEAST_REPEATS = 15
FIELDS = ("what", "seconds", "beside", "beside_seconds", "ratio", "runs", "loaded")


def answer_of(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def import_seconds(statement: str) -> float:
    clock = "from time import perf_counter; start = perf_counter()"
    return float(answer_of(f"{clock}; {statement}; print(perf_counter() - start)"))


def process_seconds(command: list[str]) -> float:
    start = perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return perf_counter() - start


def loaded(statement: str) -> str:
    names = answer_of(f"import sys; {statement}; print(*sys.modules)").split()
    return " ".join(name for name in HEAVY if name in names) or "none"


def versions() -> str:
    others = ("scikit-learn", "numpy", "typer")
    ours = f"survtree {metadata.version('survtree')}{revision()}"
    return "; ".join([ours, *(f"{name} {metadata.version(name)}" for name in others)])


def medians(
    ours: Callable[[], float], theirs: Callable[[], float], repeats: int
) -> dict[str, object]:
    """Both in turns; a first round, which fills the disk cache, is not counted."""
    pairs = [(ours(), theirs()) for _ in range(repeats + 1)][1:]
    mine, beside = map(statistics.median, zip(*pairs, strict=True))
    return {
        "seconds": f"{mine:.4f}",
        "beside_seconds": f"{beside:.4f}",
        "ratio": f"{mine / beside:.3f}",
        "runs": repeats,
    }


def measured(repeats: int) -> list[dict[str, object]]:
    imports = medians(lambda: import_seconds(ESTIMATOR), lambda: import_seconds(BASE), repeats)
    helps = medians(lambda: process_seconds(HELP), lambda: process_seconds(LIBRARIES), repeats)
    names = f"{loaded(ESTIMATOR)} (by sklearn.base alone: {loaded(BASE)})"
    return [
        {"what": ESTIMATOR, "beside": BASE, **imports, "loaded": names},
        {"what": "survtree --help", "beside": "import numpy, typer", **helps, "loaded": ""},
    ]


def main() -> None:
    parser = parser_of(__doc__, "import_cost.csv", needs_data=False)
    parser.add_argument("--repeats", type=int, default=LEAST_REPEATS)
    arguments = parsed(parser)
    if not arguments.summary:
        table = Table(arguments.out, FIELDS, ())
        for row in [] if table.rows else measured(max(arguments.repeats, LEAST_REPEATS)):
            table.add({**row, **machine(), "programs": versions()})
    for row in Table(arguments.out, FIELDS, ()).rows:
        libraries = f"; heavy libraries loaded: {row['loaded']}" if row["loaded"] else ""
        print(
            f"{row['what']} {row['seconds']} s / {row['beside']} {row['beside_seconds']} s = "
            f"{row['ratio']}{libraries}"
        )


if __name__ == "__main__":
    main()
