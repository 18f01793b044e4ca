"""A wheel in an environment of its own: installed without a compiler, then tested.

    python3.13 -m release.trial dist/survtree-...whl [--pins oldest] [--tests ...]
    python3.13 -m release.trial --here    # the same tests of what is installed for this interpreter

The environment is made for the interpreter that runs this, which needs nothing but the standard
library, so that it can be one of another system (chroot). ``--pins`` chooses versions of other
packages: the newest, each dependency at the oldest version that pyproject.toml allows, or pandas 2.
One line for each trial is added to release/tried.csv; release/page.py makes a table of them.
"""

import argparse
import csv
import hashlib
import os
import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRIED = ROOT / "release" / "tried.csv"
DIGITS = 12  # of the SHA-256 of a wheel: which of those with one name was tried
# What is read in the environment, and stated in the table.
SHOWN = ("numpy", "scikit-learn", "pandas", "polars", "narwhals", "matplotlib")
FIELDS = (
    "wheel",
    "sha256",
    "python",
    "machine",
    "libc",
    "pins",
    *SHOWN,
    "passed",
    "skipped",
    "failed",
)
FIELDS += ("tests",)
# For tests that need no other program and take about a minute.
TESTERS = ("pytest>=8", "hypothesis>=6.100", "jsonschema>=4.18", "pandas>=2.2.2", "pyarrow>=15")
NAMES = ("validation", "outcome_columns", "binarizer", "exports", "leaf_facts", "cut_points")
NAMES += ("identifiers", "usual_times", "new_rows", "screening", "column_rules", "one_frame")
TESTS = (
    *(f"tests/oracle/test_{name}.py" for name in ("brute_force", "likelihood", "tie_rule")),
    "tests/oracle/test_horizon.py",
    *(f"tests/unit/test_{name}.py" for name in NAMES),
    "tests/property/test_asked.py",
    "tests/property/test_exports.py",
)


def dependencies() -> list[str]:
    """The lines of pyproject.toml that say what an installation brings with it."""
    return list(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"])


def pinned(pins: str) -> list[str]:
    """Requirements beside the wheel."""
    if pins == "oldest":
        return [line.replace(">=", "==") for line in dependencies()] + ["pandas==2.2.2"]
    return {"newest": [], "pandas 2": ["pandas<3"]}[pins]


def run(*command: str | Path, path: Path) -> str:
    """What a command prints that finds no programs but those of a folder, so no compiler."""
    words = [str(word) for word in command]
    env = {key: value for key, value in os.environ.items() if key not in ("CC", "CXX")}
    done = subprocess.run(words, cwd=ROOT, env=env | {"PATH": str(path)}, text=True, stdout=-1)
    return done.stdout


def versions(programs: Path) -> dict[str, str]:
    """Those of the packages that the table states, as they are installed."""
    code = "import importlib.metadata as m, sys; print(*(m.version(n) for n in sys.argv[1:]))"
    return dict(
        zip(SHOWN, run(programs / "python", "-c", code, *SHOWN, path=programs).split(), strict=True)
    )


def counts(printed: str) -> dict[str, int]:
    """How many tests passed, were skipped and failed, by pytest's last line."""
    last = printed.strip().splitlines()[-1]
    found = {word: int(n) for n, word in re.findall(r"(\d+) (passed|skipped|failed|errors?)", last)}
    wrong = sum(n for word, n in found.items() if word.startswith(("failed", "error")))
    return {"passed": found.get("passed", 0), "skipped": found.get("skipped", 0), "failed": wrong}


def pytest_words(tests: list[str]) -> tuple[str, ...]:
    """How the tests are called."""
    return ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", *tests)


def trial(wheel: Path, pins: str, tests: list[str]) -> dict[str, object]:
    """One line of the table."""
    name = f"{platform.python_version()}-{platform.machine()}-{pins.replace(' ', '')}"
    folder = ROOT / "build" / "trials" / name
    programs = folder / "bin"
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    install = (programs / "python", "-m", "pip", "install", "--quiet", "--only-binary=:all:")
    run(*install, wheel, *pinned(pins), *TESTERS, path=programs)
    printed = run(
        programs / "python",
        *pytest_words(tests),
        # Old packages use names that newer ones below them are about to drop.
        *(("-W", "default::DeprecationWarning") if pins == "oldest" else ()),
        path=programs,
    )
    print(printed)
    libc = " ".join(platform.libc_ver())
    return {
        "wheel": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()[:DIGITS],
        "python": platform.python_version(),
        "machine": platform.machine(),
        "libc": libc,
        "pins": pins,
        "tests": " ".join(tests) if tests != list(TESTS) else "usual",
        **versions(programs),
        **counts(printed),
    }


def record(line: dict[str, object], file: Path = TRIED) -> None:
    """Puts a trial in the place of an earlier one of the same environment."""
    lines: list[dict[str, object]] = []
    if file.exists():
        with file.open(newline="") as opened:
            lines += csv.DictReader(opened)
    same = ("python", "machine", "pins")
    lines = [old for old in lines if any(old[key] != line[key] for key in same)]
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted([*lines, line], key=lambda one: [str(one[k]) for k in same]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("wheel", type=Path, nargs="?")
    which.add_argument("--here", action="store_true")
    parser.add_argument("--pins", choices=("newest", "oldest", "pandas 2"), default="newest")
    parser.add_argument("--tests", nargs="+", default=list(TESTS))
    given = parser.parse_args()
    if given.here:
        sys.exit(subprocess.run([sys.executable, *pytest_words(given.tests)], cwd=ROOT).returncode)
    line = trial(given.wheel.resolve(), given.pins, given.tests)
    record(line)
    sys.exit(bool(line["failed"]) or not line["passed"])


if __name__ == "__main__":
    main()
