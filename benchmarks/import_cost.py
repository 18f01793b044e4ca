"""What `import survtree` costs beside `import sklearn.base`, which any estimator needs.

    python -m benchmarks.import_cost [--repeats 15]

Fresh interpreters in turns; seconds of the import statement alone, medians. Also lists which heavy
libraries either import has loaded.
"""

import statistics
import subprocess
import sys
from importlib import metadata

from benchmarks.tables import Table, machine, parsed, parser_of

IMPORTS = ("survtree", "sklearn.base")
HEAVY = ("matplotlib", "jinja2", "polars", "typer", "pandas", "narwhals")
LEAST_REPEATS = 15
FIELDS = ("survtree_seconds", "sklearn_base_seconds", "ratio", "runs", "loaded", "loaded_by_base")


def answer_of(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def seconds_of(module: str) -> float:
    clock = "from time import perf_counter; start = perf_counter()"
    return float(answer_of(f"{clock}; import {module}; print(perf_counter() - start)"))


def loaded(module: str) -> str:
    names = answer_of(f"import sys, {module}; print(*sys.modules)").split()
    return " ".join(name for name in HEAVY if name in names)


def versions() -> str:
    packages = ("survtree", "scikit-learn")
    return "; ".join(f"{name} {metadata.version(name)}" for name in packages)


def measure(repeats: int) -> dict[str, object]:
    """Medians of both imports; a first round, which fills the disk cache, is not counted."""
    seconds: dict[str, list[float]] = {module: [] for module in IMPORTS}
    for turn in range(repeats + 1):
        for module in IMPORTS:
            value = seconds_of(module)
            if turn > 0:
                seconds[module].append(value)
    ours, base = (statistics.median(seconds[module]) for module in IMPORTS)
    return {
        "survtree_seconds": f"{ours:.4f}",
        "sklearn_base_seconds": f"{base:.4f}",
        "ratio": f"{ours / base:.3f}",
        "runs": repeats,
        "loaded": loaded("survtree"),
        "loaded_by_base": loaded("sklearn.base"),
    }


def main() -> None:
    parser = parser_of(__doc__, "import_cost.csv", needs_data=False)
    parser.add_argument("--repeats", type=int, default=LEAST_REPEATS)
    arguments = parsed(parser)
    if not arguments.summary:
        # One row: a second run replaces the first.
        arguments.out.unlink(missing_ok=True)
        table = Table(arguments.out, FIELDS, ())
        table.add(
            {**measure(max(arguments.repeats, LEAST_REPEATS)), **machine(), "programs": versions()}
        )
    for row in Table(arguments.out, FIELDS, ()).rows:
        print(
            f"import survtree {row['survtree_seconds']} s / import sklearn.base "
            f"{row['sklearn_base_seconds']} s = {row['ratio']}; heavy libraries loaded: "
            f"{row['loaded'] or 'none'} (by sklearn.base alone: {row['loaded_by_base'] or 'none'})"
        )


if __name__ == "__main__":
    main()
