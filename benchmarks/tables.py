"""Result tables: CSV files a stopped run takes up again, with facts on the machine in each row."""

import argparse
import csv
import io
import os
import platform
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.programs import Program

HERE = Path(__file__).parent
MACHINE = ("cpu", "cores", "load", "python", "programs")
CASE = ("dataset", "max_depth", "regularization")


class Table:
    """Rows of text under fixed columns; rows on disk count as done."""

    def __init__(self, path: Path, fields: tuple[str, ...], keys: tuple[str, ...] = CASE) -> None:
        self.path, self.fields, self.keys = path, (*fields, *MACHINE), keys
        self.rows: list[dict[str, str]] = []
        if path.exists():
            with path.open(newline="", encoding="utf-8") as file:
                self.rows = self._checked(csv.DictReader(file))

    def _checked(self, reader: "csv.DictReader[str]") -> list[dict[str, str]]:
        if tuple(reader.fieldnames or ()) != self.fields:
            raise SystemExit(f"{self.path} has other columns; pass --fresh or another --out")
        return list(reader)

    def has(self, *key: Any) -> bool:
        """Whether a row with these contents of the key columns is there."""
        wanted = tuple(map(str, key))
        return any(tuple(row[name] for name in self.keys) == wanted for row in self.rows)

    def add(self, row: Mapping[str, Any]) -> None:
        """Append to the file at once, so that nothing measured is lost; and say so."""
        self.add_all([row])

    def add_all(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows that are only worth something together: all are written in one go.

        They come from one run, so the facts on the machine are told in the first of them alone.
        """
        lines = [{field: str(row.get(field, "")) for field in self.fields} for row in rows]
        for line in lines[1:]:
            line.update(dict.fromkeys(MACHINE, ""))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = io.StringIO()
        writer = csv.DictWriter(text, self.fields, lineterminator="\n")
        if not self.path.exists():
            writer.writeheader()
        writer.writerows(lines)
        with self.path.open("a", newline="", encoding="utf-8") as file:
            file.write(text.getvalue())
        self.rows += lines
        for line in lines:
            print(*(f"{k}={v}" for k, v in line.items() if v and k not in MACHINE), flush=True)


def rows_of(file: str) -> list[dict[str, str]]:
    """The rows of ``results/FILE.csv``, or of the paper's folder for ``paper/FILE``; none if there
    is no such file.
    """
    folder, _, name = file.rpartition("/")
    path = HERE / folder / "results" / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def machine(*programs: Program) -> dict[str, Any]:
    """Facts a number of seconds means nothing without."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "load": f"{os.getloadavg()[0]:.1f}",
        "python": platform.python_version(),
        "programs": "; ".join(map(described, programs)),
    }


def described(program: Program) -> str:
    return program.version + (revision() if program.name.startswith("ours") else "")


def revision() -> str:
    """The commit of our sources, with a + when they were changed since; blank outside git."""
    if shutil.which("git") is None:
        return ""
    git = ("git", "-C", str(HERE.parent))
    commit = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    changed = subprocess.run(
        [*git, "status", "--porcelain", "src", "core", "bindings"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return f" at {commit}{'+' if changed else ''}" if commit else ""


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def parser_of(doc: str | None, out: str, *, needs_data: bool = True) -> argparse.ArgumentParser:
    """The options all tables share."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if needs_data:
        parser.add_argument("--data", type=Path, help="folder that make data filled")
    parser.add_argument("--out", type=Path, default=HERE / "results" / out)
    parser.add_argument("--fresh", action="store_true", help="forget what the file holds")
    parser.add_argument("--summary", action="store_true", help="only print what the file says")
    return parser


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Arguments; checks that there is data to run on and forgets old rows if told to."""
    arguments = parser.parse_args()
    if arguments.summary:
        return arguments
    if "data" in arguments and (arguments.data is None or not arguments.data.is_dir()):
        parser.error(f"--data must be the folder that 'make data' filled; got {arguments.data}")
    if arguments.fresh:
        arguments.out.unlink(missing_ok=True)
    if arguments.out.exists():
        print(f"what {arguments.out.name} holds is not run again; --fresh starts over")
    return arguments
