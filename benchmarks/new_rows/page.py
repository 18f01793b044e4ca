"""What README and the page of results say about held-out quality, made from the result file."""

from collections.abc import Iterable

from benchmarks.new_rows.groups import MOST_LEAVES, groups, quotient
from benchmarks.new_rows.summary import OURS, Results, Row, mean, number, paired, standard_error

SCORE, SCORE_TO_THE_LAST_TIME = "ratio90", "ratio100"
BESIDE = "ctree"
# Means over fewer tables would be read as more than they are.
FEWEST_TABLES = 20
SHARE_FINISHED = 0.8
# Methods that the line on the judged part names, the best first.
MOST_NAMED = 6
NAMES = {
    "ours": "**survtree, defaults**",
    "ours_chosen_cuts": "survtree, defaults without the search over every cut",
    "ours_cv": "survtree, size by cross-validation",
    "ours_paper": "survtree, the paper's objective (0.01, depth 4)",
    "greedy_teacher": "a greedy tree for the same teacher",
    "ctree": "ctree (partykit)",
    "rpart": "rpart",
    "rpart_1se": "rpart, pruned by one standard error",
    "surtree": "SurTree (STreeD), depth 3",
    "sksurv_depth3": "scikit-survival's tree, depth 3",
    "sksurv_tree": "scikit-survival's tree",
    "kaplan_meier": "one Kaplan-Meier curve",
    "cox": "Cox with a ridge penalty",
    "forest": "random survival forest",
    "boosting": "gradient boosting",
}
HEADER = ("method", "IBS ratio (s.e.)", "better than ctree", "worst table", "C", "leaves")
NOTES = """\
## How to read it

- *Defaults against defaults.* No method was tuned for a table. Rules of our defaults were meant to
  be chosen on the tables marked "chosen on" only, but while they were compared the scores of the
  other part were seen as well: neither part is untouched, and on tables that nobody has looked at
  our lines may be somewhat lower. A number that is much better on one part than on the other hangs
  on a few tables. Which part a table is in is decided by a hash of its name. "ours_cv" selects the
  penalty by cross-validation within the training rows.
- *Standard errors are over tables.* They say how far the mean would move with other tables of this
  kind, and hold for each method alone. Tables differ much more than methods do, so two methods are
  compared by the paired differences ("- ctree", "- forest") and by the tables won and lost, not by
  whether the errors of their means overlap.
- *A ratio below 0* means that one Kaplan-Meier curve for everybody would have been better on the
  held-out rows. With a hundred rows or little signal every flexible method has such tables; the
  column "worst" shows how bad it gets.
- *Three horizons.* The last tenth or fifth of the follow-up has few rows and large weights. A
  method that looks good only up to one of the three horizons is not clearly good.
- *All trees predict by Kaplan-Meier curves of their leaves*, except ours, which predict what users
  of survtree get: curves shrunken towards larger groups. The difference between the programs is
  thus one of splits *and* of curves.
- *Cox, forests and boosted models are no trees.* They are here to show what one readable tree
  costs. Where such a model is ahead and nobody has to read it, use it.
- *C and calibration* are of secondary interest here: none of the trees optimises them. A lone
  Kaplan-Meier curve is well calibrated and useless, so read calibration beside the IBS ratio.
- *Two lines say what the parts add.* "ours_paper" is survtree with the paper's objective, a penalty
  of 0.01 and depth 4: the difference is what the defaults add. "greedy_teacher" is a greedy tree
  for the same teacher, with leaves that predict likewise: the difference is what searching all
  trees adds on new rows; the last table of the summary has it for the tables that both finished.
- *A mean hides where it comes from.* The last two tables of the summary divide the tables by how
  large ctree's trees are, since ours have at most 8 leaves by default, and by whether they came as
  the paper's 0/1 columns. A quotient below 1 says that our trees are behind there.
- *Four very wide tables are left out.* AML_Bull, DLBCL, chop and gse3143 have 3,833 to 8,661
  columns and at most 414 rows; the other programs were not run on them. Our default trees were, in
  a run whose rows are not kept (`--tables AML_Bull DLBCL chop gse3143 --methods ours`): they
  predict new rows there about as well as one curve, no better.
- *Exactness is not what is compared here.* That a tree is proven optimal for its training rows,
  limits and teacher does not make it the best tree on new rows.
"""


def compared(results: Results) -> list[str]:
    """Methods that finished most tables; others would leave too few that all have finished."""
    enough = SHARE_FINISHED * len(results.tables())
    return [method for method in results.methods() if len(results.folds[method]) >= enough]


def on_shared_tables(results: Results) -> Results:
    """Methods that are compared, on the tables of which all of them finished all folds."""
    methods, kept = compared(results), Results([])
    finished = [set(results.folds[method]) for method in methods]
    tables = sorted(set.intersection(*finished)) if finished else []
    for method in methods:
        kept.folds[method] |= {table: results.folds[method][table] for table in tables}
    return kept


def short_lines(results: Results) -> list[str]:
    """A line of Markdown for each method, the best mean first."""
    means = {m: mean(results.by_table(m, SCORE).values()) for m in results.methods()}
    return [_cells_of(results, method) for method in sorted(means, key=lambda m: -means[m])]


def _cells_of(results: Results, method: str) -> str:
    found = results.by_table(method, SCORE)
    values, worst = [*found.values()], min(found, key=lambda table: found[table])
    won = sum(difference > 0 for difference in paired(results, method, BESIDE, SCORE))
    cells = (
        NAMES[method],
        f"{number(mean(values), '{:.3f}')} ({number(standard_error(values), '{:.3f}')})",
        "" if method == BESIDE else f"{won} of {len(found)}",
        f"{number(round(found[worst], 3) + 0.0, '{:.3f}')} ({worst})",
        number(mean(results.by_table(method, "c").values()), "{:.3f}"),
        number(mean(results.by_table(method, "leaves").values()), "{:.1f}"),
    )
    return f"| {' | '.join(cells)} |"


def ahead_line(results: Results) -> str:
    """Which methods have a higher mean than our default trees, and by how much."""
    told = []
    for method in results.methods():
        differences = paired(results, method, OURS, SCORE)
        if mean(differences) > 0:
            won = sum(difference > 0 for difference in differences)
            told.append(
                f"{NAMES[method]} by {mean(differences):.3f} (s.e. "
                f"{number(standard_error(differences), '{:.3f}')}; ahead on {won} of "
                f"{len(differences)} tables)"
            )
    if not told:
        return "No method is ahead of our default trees on average."
    return f"Ahead of our default trees on average: {'; '.join(told)}."


def behind_line(results: Results) -> str:
    """Where our default trees are behind ctree, or behind one curve."""
    large = groups(results)[f"ctree has more than {MOST_LEAVES}"]
    share = quotient(large, BESIDE, SCORE)
    ours, theirs = (mean(results.by_table(m, "calibration").values()) for m in (OURS, BESIDE))
    last = results.by_table(OURS, SCORE_TO_THE_LAST_TIME)
    worst = min(last, key=lambda table: last[table])
    told = []
    if share is not None and share < 1:
        told.append(
            f"on the {len(large.by_table(OURS, SCORE))} tables where ctree has more than "
            f"{MOST_LEAVES} leaves, which ours may not have by default, our mean IBS ratio is "
            f"{share:.2f} of ctree's"
        )
    if ours > theirs:
        told.append(
            "the survival probabilities of ctree are better calibrated at the median event time "
            f"(mean error {theirs:.3f}, ours {ours:.3f})"
        )
    if last[worst] < 0:
        told.append(f"up to the last time our worst table is {last[worst]:.3f} ({worst})")
    return f"Not in our favour: {'; '.join(told)}." if told else ""


def judged_line(results: Results) -> str:
    """The means of the part of the tables on which no default was meant to be chosen."""
    means = {m: mean(results.by_table(m, SCORE).values()) for m in results.methods()}
    best = sorted(means, key=lambda m: -means[m])[:MOST_NAMED]
    told = "; ".join(f"{NAMES[m].strip('*')}: {number(means[m], '{:.3f}')}" for m in best)
    return (
        f"IBS ratio on the {len(results.tables())} tables that were meant to be held back, but "
        f"whose scores were seen all the same: {told}."
    )


def left_out_line(results: Results, shared: Results) -> str:
    """Methods and tables that are not in the table, if there are any."""
    methods = [method for method in NAMES if method not in compared(results)]
    tried = {*results.methods(), *results.failed}
    counts = {m: f"{len(results.folds[m])} finished" if m in tried else "not run" for m in methods}
    told = [f"{NAMES[m].strip('*')} ({count})" for m, count in counts.items()]
    names = results.tables()
    left = [name for name in names if name not in shared.tables()]
    if left:
        told.append(
            f"{len(left)} of {len(names)} tables, which not all of these finished "
            f"({', '.join(left)})"
        )
    return f"Not in this table: {'; '.join(told)}." if told else ""


def readme_table(rows: Iterable[Row]) -> str:
    """The short table of all tables that every method finished, and what the judged part says."""
    results = Results(rows)
    shared = on_shared_tables(results)
    n_shared = len(shared.tables())
    if not {OURS, BESIDE} <= set(shared.methods()) or n_shared < FEWEST_TABLES:
        return f"The benchmark is not finished: {n_shared} tables can be compared so far.\n"
    lines = [f"All: {n_shared} tables.", "", f"| {' | '.join(HEADER)} |"]
    lines += [f"|{'---|' * len(HEADER)}", *short_lines(shared), "", ahead_line(shared), ""]
    if behind := behind_line(shared):
        lines += [behind, ""]
    lines += [judged_line(shared.part("judged")), ""]
    left_out = left_out_line(results, shared)
    return "\n".join([*lines, left_out] if left_out else lines[:-1]) + "\n"
