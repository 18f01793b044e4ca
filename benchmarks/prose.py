"""Parts of README.md and paper.md that name figures; ``make pages`` fills them."""

import textwrap
from collections.abc import Callable, Mapping

from benchmarks import beside, figures
from benchmarks.beside import faster_line, short_lines
from benchmarks.figures import c_of_likelihood, column, counted_cases, digits, geometric_mean
from benchmarks.markdown import markdown_table, with_part
from benchmarks.new_rows import page as new_rows
from benchmarks.tables import rows_of

WIDTH = 120
Part = Callable[[], str]


def wrapped(*sentences: str) -> str:
    return textwrap.fill(" ".join(sentences), WIDTH, break_long_words=False, break_on_hyphens=False)


def held_out() -> str:
    """README: every method on new rows."""
    return new_rows.readme_table(row for row in rows_of("new_rows") if row["seed"] == "0")


def programs() -> str:
    """README: our trees beside those of other programs, on training rows."""
    header = (
        "program",
        "its tree",
        "ours is better / equal / worse",
        "its seconds / ours, depth 3",
        "depth 5",
    )
    return "\n".join([*markdown_table(header, short_lines()), "", wrapped(*not_better())])


def not_better() -> list[str]:
    """Where other programs are ahead."""
    c, ratios = (
        c_of_likelihood(rows_of("likelihood_new_rows"), score)["employee"]
        for score in ("harrell_c", "test_ibs_ratio")
    )
    return [
        "Where it is not better.",
        faster_line(),
        f"STreeD is faster on {', '.join(slower_than_streed()) or 'none'} at depth 4.",
        large_greedy_trees(),
        "By C index, which no program here optimises, STreeD and greedy trees are often better "
        f"than trees by the Brier score (employee, depth 3, held-out: STreeD {c['streed']:.3f}, "
        f"scikit-survival {c['sksurv']:.3f}, ours {c['ours']:.3f}).",
        f'With `loss="likelihood"`, STreeD\'s own loss, ours has {c["ours_likelihood"]:.3f} '
        f"there (STreeD {c['streed']:.3f}), but a held-out IBS ratio of "
        f"{ratios['ours_likelihood']:.3f} (by the Brier score {ratios['ours']:.3f}).",
    ]


def slower_than_streed() -> list[str]:
    return [row["dataset"] for row in rows_of("streed") if figures.is_below_one(row)]


def large_greedy_trees() -> str:
    """Where greedy trees whose sizes cross-validation selects predict held-out rows better."""
    found = {
        (row["dataset"], row["program"]): row
        for row in rows_of("tuning")
        if row["rule"] == "one_standard_error"
    }
    names = list(dict.fromkeys(name for name, _ in found))
    pairs = {name: (found[name, "sksurv"], found[name, "ours"]) for name in names}
    ahead = [
        f"{name}: {theirs['n_leaves']} leaves {float(theirs['ibs_ratio']):.3f}, "
        f"ours {ours['n_leaves']} leaves {float(ours['ibs_ratio']):.3f}"
        for name, (theirs, ours) in pairs.items()
        if float(theirs["ibs_ratio"]) > float(ours["ibs_ratio"])
    ]
    return (
        "With sizes selected by cross-validation and the one-standard-error rule, "
        "scikit-survival's greedy trees have the better IBS ratio on held-out rows on "
        f"{len(ahead)} of {len(names)} data sets, also against our trees for new rows "
        f"({'; '.join(ahead)})."
    )


def measured() -> str:
    """The paper: speed and held-out quality."""
    ratios = column(counted_cases(rows_of("speed_osst")), "ratio")
    streed = column(rows_of("streed"), "ratio")
    likelihood = column(rows_of("likelihood"), "ratio")
    trees, _ = beside.tables()
    better, equal, worse = beside.counts(trees, "osst")
    gpu = figures.gpu_ratios(rows_of("gpu_searches")).values()
    return wrapped(
        f"In the committed benchmarks the geometric mean of `osst`'s seconds over ours is "
        f"{digits(geometric_mean(ratios))} on {len(ratios)} cases on which `osst` needs 20 ms to "
        f"120 s (one thread each, smallest ratio {min(ratios):.1f}, largest "
        f"{digits(max(ratios))}). On the {better + equal + worse} trees that could be compared, "
        f"ours is {f'worse on {worse}' if worse else 'never worse'}.",
        f"Against STreeD at depth 4 the geometric mean is {digits(geometric_mean(streed))}, each "
        f"with its own loss, and {digits(geometric_mean(likelihood))} at depth 3 to 5 where both "
        f"minimise the likelihood. A fit with its defaults at depth 3 was proven optimal over "
        f"every cut on {every_cut_words()}, elsewhere over chosen and refined cuts. One H200 was "
        f"{digits(min(gpu))} to {digits(max(gpu))} times as fast as one core, on {len(gpu)} "
        "searches of our choice.",
    )


def measured_held_out() -> str:
    """The paper: new rows."""
    results = figures.shared_results()
    ours, cox, ctree, greedy = (
        figures.mean_ratio(results, m) for m in ("ours", "cox", "ctree", "greedy_teacher")
    )
    won, n_tables = figures.tables_won(results, "ctree")
    return wrapped(
        f"On {n_tables} public tables, with one setting per method for all, the mean held-out "
        f"IBS ratio (0: one curve for everybody, 1: perfect) is {ours:.3f} for our trees and "
        f"{ctree:.3f} for `ctree`; ours are better on {won} of them. A Cox model with a ridge "
        f"penalty, which is not a tree, has {cox:.3f}. A greedy tree for the same teacher has "
        f"{greedy:.3f}: on new rows it is the teacher that helps, not the exact search. Our trees "
        "predict shrunken curves, those of other programs Kaplan-Meier curves of their leaves; "
        "scores of all tables were seen while the defaults were chosen."
    )


def every_cut_words() -> str:
    fits = [row for row in rows_of("every_cut_default") if row["thresholds"] == "auto"]
    n_every = sum(row["is_every_cut"] == "True" for row in fits)
    return f"{n_every} of {len(fits)} raw tables"


README_PARTS: Mapping[str, Part] = {"new_rows": held_out, "programs": programs}
PAPER_PARTS: Mapping[str, Part] = {"measured": measured, "held_out": measured_held_out}


def filled(text: str, parts: Mapping[str, Part]) -> str:
    """A page with all its parts as the files give them."""
    for name, part in parts.items():
        text = with_part(text, name, part())
    return text
