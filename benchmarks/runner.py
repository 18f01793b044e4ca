"""Runs programs on one case in turns and reduces their answers to medians and a verdict."""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

Answer = dict[str, Any]
FINISHED = ("optimal", "closed", "fitted")
# A program this slow on a case is run once on it, unless it is named as steady.
SLOW_S = 2.0
# osst works in 32-bit floats.
RELATIVE = 2e-5


class Fits(Protocol):
    """Whatever answers a request: a program, or a stand-in for one."""

    def fit(self, request: dict[str, Any]) -> Answer: ...


def in_turns(
    programs: Mapping[str, Fits],
    requests: Mapping[str, dict[str, Any]],
    repeats: int,
    steady: Iterable[str] = ("ours",),
    slow_s: float = SLOW_S,
) -> dict[str, list[Answer]]:
    """Answers by label: first, second, ..., first, second, ...

    Nothing is repeated that did not finish; and of the rest, what is slow only if it is steady.
    """
    answers: dict[str, list[Answer]] = {label: [] for label in requests}
    for _ in range(repeats):
        for label, request in requests.items():
            if not is_enough(answers[label], label in set(steady), slow_s):
                answers[label].append(programs[label].fit(request))
    return answers


def is_enough(answers: list[Answer], is_steady: bool, slow_s: float = SLOW_S) -> bool:
    """Whether these runs of a program need no repeat."""
    if not answers:
        return False
    last = answers[-1]
    if last["status"] not in FINISHED:
        return True
    return not is_steady and last["seconds"] >= slow_s


def medians(answers: list[Answer]) -> Answer:
    """One answer for all repeats: seconds and bytes are medians, the rest is that of the last run.

    `bytes` is the peak above what the imports took; `fit_bytes` is above the input as well.
    """
    last = answers[-1]
    if "seconds" not in last:
        return last
    objectives = {answer.get("objective") for answer in answers}
    if len(objectives) > 1:
        raise SystemExit(f"repeats of one case gave different objectives: {objectives}")
    return {
        **last,
        "seconds": rounded(statistics.median(answer["seconds"] for answer in answers)),
        "bytes": median_above("rss_imports_bytes", answers),
        "fit_bytes": median_above("rss_before_fit_bytes", answers),
        "runs": len(answers),
    }


def rounded(seconds: float) -> float:
    """Six digits: more than a clock can tell."""
    return float(f"{seconds:.6g}")


def median_above(start: str, answers: list[Answer]) -> int:
    return int(statistics.median(answer["peak_rss_bytes"] - answer[start] for answer in answers))


def verdict(theirs: Answer, ours: Answer) -> str:
    """Our objective beside theirs, where both claim the optimum."""
    if theirs["status"] != "closed" or ours["status"] != "optimal":
        return "not compared"
    difference = ours["objective"] / theirs["objective"] - 1
    if difference > RELATIVE:
        return "ours worse"
    return "ours better" if difference < -RELATIVE else "agrees"


def columns(label: str, answer: Answer, names: Iterable[str]) -> dict[str, Any]:
    """These facts of an answer under names that tell whose they are; what is not there is blank."""
    return {f"{label}_{name}": answer.get(name, "") for name in names}


def geometric_mean(values: Iterable[float]) -> float:
    return math.exp(statistics.fmean(map(math.log, values)))


def by_group(
    rows: Iterable[Mapping[str, str]], key: str, value: Callable[[Mapping[str, str]], float]
) -> dict[str, float]:
    """Geometric mean of a value for each content of a column, in order of appearance."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(value(row))
    return {name: geometric_mean(values) for name, values in groups.items()}
