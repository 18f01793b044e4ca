"""Where rows of results come from: programs, machine, commit, its date, and whether the core has
changed since.

Rows name our commit. ``commits.csv`` keeps the date of each and the name that git gives to its
folder ``core``, so that pages can be made, and compared, where there is no history. Commits of a
branch that was landed as fewer, larger ones are marked there: git no longer knows them.
"""

import csv
import hashlib
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.tables import HERE

COMMITS = HERE / "commits.csv"
CORE = HERE.parent / "core"
SOURCES = (".cpp", ".hpp")
FIELDS = ("commit", "date", "core", "is_joined")
# "survtree 0.1.0 at 0752cd2+" or "survtree at 0752cd2"; the + is for sources that were changed.
OUR_COMMIT = re.compile(r"survtree(?: [\d.]+)? at ([0-9a-f]{7,40})(\+?)")

Row = dict[str, str]


@dataclass(frozen=True)
class Commit:
    """A commit that rows name: the day it was made, and the name of its folder ``core``."""

    date: str
    core: str
    is_joined: bool = False  # into another one: it is not in the history


@dataclass(frozen=True)
class Origin:
    """What some rows say of the programs and the machine that made them."""

    programs: str
    cpu: str = ""
    cores: str = ""
    python: str = ""

    @property
    def commit(self) -> str:
        """Ours, without the mark of changes; blank if another program made the rows alone."""
        found = OUR_COMMIT.search(self.programs)
        return found[1] if found else ""

    @property
    def is_changed(self) -> bool:
        """Whether the sources differed from the commit."""
        found = OUR_COMMIT.search(self.programs)
        return bool(found and found[2])


def with_origins(rows: Iterable[Row]) -> Iterator[tuple[Row, Origin]]:
    """Each row and its origin, which rows that were written together tell in the first."""
    origin = Origin("")
    for row in rows:
        if row.get("programs"):
            origin = Origin(row["programs"], row["cpu"], row["cores"], row["python"])
        yield row, origin


def origins_of(rows: Iterable[Row]) -> Counter[Origin]:
    """How many rows have which origin."""
    return Counter(origin for _, origin in with_origins(rows))


def known_commits() -> dict[str, Commit]:
    with COMMITS.open(newline="", encoding="utf-8") as lines:
        return {
            row["commit"]: Commit(row["date"], row["core"], row["is_joined"] == "yes")
            for row in csv.DictReader(lines)
        }


def core_today(folder: Path = CORE) -> str:
    """The name that git would give to the folder as it is now."""
    entries = []
    # Git sorts folders as if their names ended with a slash.
    for path in sorted(folder.iterdir(), key=lambda p: p.name + "/" * p.is_dir()):
        if not path.is_dir() and path.suffix not in SOURCES:
            continue  # what an editor or a system left there
        if path.is_dir():
            entries.append((b"40000", path.name, core_today(path)))
        else:
            content = path.read_bytes().replace(b"\r\n", b"\n")
            entries.append((b"100644", path.name, _hashed(b"blob", content)))
    body = b"".join(
        mode + b" " + name.encode() + b"\0" + bytes.fromhex(key) for mode, name, key in entries
    )
    return _hashed(b"tree", body)


def _hashed(kind: bytes, content: bytes) -> str:
    head = kind + b" %d\0" % len(content)
    return hashlib.sha1(head + content, usedforsecurity=False).hexdigest()


def is_of_today(origin: Origin, commits: dict[str, Commit], today: str) -> bool:
    """Whether what is known says that these rows were made with the core of today."""
    if not origin.commit:
        # Rows that name another program alone have nothing to do with our core.
        return bool(origin.programs) and "survtree" not in origin.programs
    known = commits.get(origin.commit)
    return known is not None and known.core == today and not origin.is_changed


def age_line(rows: Sequence[Row]) -> str:
    """A sentence on rows that were not made with the core of today; blank if all were."""
    commits, today, counted = known_commits(), core_today(), origins_of(rows)
    old = {o: n for o, n in counted.items() if not is_of_today(o, commits, today)}
    if not old:
        return ""
    named = sorted({o.commit + "+" * o.is_changed for o in old if o.commit})
    dates = sorted({commits[o.commit].date for o in old if o.commit in commits})
    when = f", {dates[0]}" + (f" to {dates[-1]}" if len(dates) > 1 else "") if dates else ""
    at = f" (at {', '.join(named)}{when})" if named else ""
    joined = any(commits[o.commit].is_joined for o in old if o.commit in commits)
    at += "; commits that were landed as fewer, larger ones are no longer in the history" * joined
    unnamed = sum(n for o, n in old.items() if not o.commit)
    nameless = f"; {unnamed:,} of them name no commit" if unnamed else ""
    methods = sorted({row.get("method", "") for row, o in with_origins(rows) if o in old} - {""})
    of = f" They are those of {', '.join(methods)}." if methods else ""
    return (
        f"*Of an earlier core:* {sum(old.values()):,} of {sum(counted.values()):,} rows were not "
        f"measured with the C++ core as it is today{at}{nameless}.{of}"
    )


def table_of_origins(rows: Sequence[Row]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and lines: programs, commits and processors, and how many rows name them."""
    commits, today = known_commits(), core_today()
    header = ("rows", "programs and commit", "date", "core", "processor", "cores", "Python")
    lines = []
    for origin, n in origins_of(rows).most_common():
        known = commits.get(origin.commit)
        core = "today's" if is_of_today(origin, commits, today) else "earlier"
        facts = (origin.programs, known.date if known else "", core if origin.commit else "")
        lines.append((str(n), *facts, origin.cpu, origin.cores, origin.python))
    return header, lines


def bring_up_to_date(rows: Iterable[Row]) -> None:
    """Add commits that the rows name and the file does not, where git can tell of them."""
    if not has_history():
        return
    commits = known_commits() if COMMITS.exists() else {}
    for name in {origin.commit for origin in origins_of(rows)} - {"", *commits}:
        if not is_in_history(name):
            raise SystemExit(
                f"rows of results name commit {name}, which is not in the history of this branch: "
                "commit first, then measure, and do not amend a commit that rows name"
            )
        date = _git("log", "-1", "--format=%cs", name)
        commits[name] = Commit(date, _git("rev-parse", f"{name}:core"))
    with COMMITS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows(
            (name, c.date, c.core, "yes" if c.is_joined else "")
            for name, c in sorted(commits.items())
        )


def has_history() -> bool:
    """Whether this is a clone with its whole history, and not a copy inside another repository."""
    if shutil.which("git") is None:
        return False
    inside = _ran_git("rev-parse", "--show-prefix")
    is_top = inside.returncode == 0 and not inside.stdout.strip()
    return is_top and _git("rev-parse", "--is-shallow-repository") == "false"


def is_in_history(commit: str) -> bool:
    """Whether it leads to the commit of today; one that was amended may still be in this copy."""
    return _ran_git("merge-base", "--is-ancestor", commit, "HEAD").returncode == 0


def _git(*arguments: str) -> str:
    return _ran_git(*arguments).stdout.strip()


def _ran_git(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(HERE.parent), *arguments]
    return subprocess.run(command, capture_output=True, check=False, text=True)
