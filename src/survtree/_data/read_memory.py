"""How many groups of rows may be kept, and what is said where there are more."""

from dataclasses import dataclass
from pathlib import Path

from survtree._base.numbers import format_count

# What a fit takes for each group of rows: the group, its answers as polars and the search keep
# them, the outcome in the form of the search. Questions take a few bits each on top.
BYTES_PER_GROUP, BYTES_PER_QUESTION = 240, 0.5
SHARE = 0.8  # of the memory; the rest is for reading, for the cache of the search, and for others


@dataclass(frozen=True)
class GroupLimit:
    """Memory for groups, and how much one takes."""

    memory: int | None  # bytes; None: nobody knows
    is_asked_for: bool  # by the option memory_limit
    bytes_per_group: float

    @classmethod
    def of(cls, memory_limit: int | None, n_questions: int) -> "GroupLimit":
        """As the option says, or as much as is available."""
        memory = available_memory() if memory_limit is None else memory_limit
        size = BYTES_PER_GROUP + BYTES_PER_QUESTION * n_questions
        return cls(memory, memory_limit is not None, size)

    @property
    def most_groups(self) -> int:
        """That fit in memory."""
        return 2**32 - 2 if self.memory is None else int(SHARE * self.memory / self.bytes_per_group)

    def check(self, n_groups: int, n_rows: int) -> None:
        """Refuse more groups than fit in memory; ``n_groups`` is an estimate."""
        if n_groups <= self.most_groups:
            return
        have = "memory_limit allows" if self.is_asked_for else "are available"
        raise ValueError(
            "rows with the same answers to all questions, the same time and the same event are one "
            f"group, and all groups must fit in memory; {format_count(n_rows, 'row')} make about "
            f"{n_groups:,} groups, which take about {_size(n_groups * self.bytes_per_group)}, and "
            f"{have} {_size(self.memory or 0)}. Round the times in the query (to days or months), "
            "pass fewer thresholds, exclude columns, or fit a random sample of the rows."
        )


def available_memory() -> int | None:
    """Bytes that new work can have without swapping; None where the system does not say."""
    known = [n for n in (_of_the_machine(), _of_the_container()) if n is not None]
    return min(known, default=None)


def _of_the_machine() -> int | None:
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            found = dict(line.split(":", 1) for line in file)
        return int(found["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def _of_the_container(folder: Path = Path("/sys/fs/cgroup")) -> int | None:
    """What a limit on this group of processes leaves; None if there is none ("max")."""
    try:
        limit, used = ((folder / f"memory.{name}").read_text() for name in ("max", "current"))
        return max(0, int(limit) - int(used))
    except (OSError, ValueError):
        return None


def _size(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e8 else f"{n_bytes / 1e6:.1f} MB"
