"""Figures that README, paper and docs name, computed from the rows of result files.

Each function gets the rows of one file and gives words with numbers. Nothing here is typed: a new
measurement changes the words.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, log
from statistics import mean, median

from benchmarks import speed, threads
from benchmarks.anytime import HARD, at
from benchmarks.new_rows import page as new_rows_page
from benchmarks.new_rows.summary import Results, paired
from benchmarks.new_rows.summary import mean as mean_of
from benchmarks.tables import rows_of
from survtree._base.numbers import relative_gap

Row = Mapping[str, str]
Rows = Sequence[Row]


def geometric_mean(values: Iterable[float]) -> float:
    return exp(mean(map(log, values)))


def column(rows: Iterable[Row], name: str) -> list[float]:
    """The numbers of a column, without blank cells."""
    return [float(row[name]) for row in rows if row[name]]


def digits(value: float) -> str:
    """Two digits, and all before the point: 1,654; 72; 2.2; 0.28."""
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def seconds(value: float) -> str:
    """Seconds, or thousandths of one where it is less than a tenth."""
    return f"{digits(value)} s" if value >= 0.1 else f"{digits(1000 * value)} ms"


def counted_cases(rows: Rows) -> list[Row]:
    """Cases of the speed table that count: osst needs 20 ms to 120 s."""
    low, high = speed.COUNTED_SECONDS
    return [row for row in rows if row["ratio"] and low <= float(row["osst_seconds"]) <= high]


def osst_speed(rows: Rows) -> str:
    ratios = column(counted_cases(rows), "ratio")
    return (
        f"geometric mean {digits(geometric_mean(ratios))} over {len(ratios)} cases, smallest "
        f"{min(ratios):.1f}, largest {digits(max(ratios))}"
    )


def osst_memory(rows: Rows) -> str:
    closed = [row for row in rows if row["osst_status"] == "closed"]
    large = [row for row in closed if float(row["osst_bytes"]) > speed.COUNTED_BYTES]
    ratios = [speed.memory_ratio_of(row) for row in large]
    return (
        f"geometric mean {digits(geometric_mean(ratios))} over {len(ratios)} cases, smallest "
        f"{digits(min(ratios))}"
    )


def verdicts(rows: Rows) -> str:
    found = [row["verdict"] for row in rows]
    return ", ".join(f"{found.count(verdict)} {verdict}" for verdict in dict.fromkeys(found))


def household(rows: Rows) -> str:
    best = max((r for r in rows if r["program"] == "ours"), key=lambda r: int(r["rows"]))
    told = [
        f"{int(best['rows']):,} rows: {best['status']} in {seconds(float(best['seconds']))}, "
        f"{float(best['bytes']) / 1e6:.0f} MB above the input"
    ]
    names = {"osst": "osst", "sksurv": "scikit-survival's greedy tree"}
    for row in rows:
        if row["program"] in names and row["seconds"]:
            took = seconds(float(row["seconds"]))
            told.append(f"{names[row['program']]} needs {took} for {int(row['rows']):,} rows")
    return "; ".join(told)


def two_threads(rows: Rows) -> str:
    counted = [r for r in rows if r["ratio"] and float(r["one_seconds"]) > threads.LEAST_S]
    ratios = column(counted, "ratio")
    return f"{min(ratios):.2f} to {max(ratios):.2f} on {len(ratios)} cases"


def streed_speed(rows: Rows) -> str:
    ratios = column(rows, "ratio")
    slower = [f"{r['dataset']} ({digits(float(r['ratio']))})" for r in rows if is_below_one(r)]
    return (
        f"geometric mean {digits(geometric_mean(ratios))} over {len(ratios)} data sets; "
        f"ours is slower on {', '.join(slower) or 'none'}"
    )


def is_below_one(row: Row) -> bool:
    return bool(row["ratio"]) and float(row["ratio"]) < 1


def likelihood(rows: Rows) -> str:
    ratios = column(rows, "ratio")
    worse = sum(row["better"] not in ("ours", "equal") for row in rows)
    return (
        f"geometric mean {digits(geometric_mean(ratios))} over {len(ratios)} cases, smallest "
        f"{digits(min(ratios))}; our tree is worse in {worse}"
    )


def proven(rows: Rows) -> str:
    """How many, and how long the slowest took."""
    done = [row for row in rows if row["status"] == "optimal"]
    slowest = max(done, key=lambda row: float(row["seconds"]))
    depth = f", depth {slowest['max_depth']}" if slowest.get("max_depth", "None") != "None" else ""
    took = f"{seconds(float(slowest['seconds']))} ({slowest['dataset']}{depth})"
    return f"{len(done):,} of {len(rows):,} proven, the slowest in {took}"


def raw_tables(rows: Rows) -> str:
    agree = sum(row["words"] == "agree" for row in rows)
    return (
        f"{proven(rows)}; plain Python code that reads the printed splits agrees with `apply` on "
        f"{agree}"
    )


def every_cut_by_default(rows: Rows) -> str:
    auto = [row for row in rows if row["thresholds"] == "auto"]
    all_cuts = sum(row["is_every_cut"] == "True" for row in auto)
    return (
        f"{all_cuts} of {len(auto)} tables proven over every cut; whole fits take a median of "
        f"{seconds(median(column(auto, 'seconds')))}"
    )


def near_optimal(rows: Rows) -> str:
    ratios = column(rows, "first_over_fit")
    large = [row for row in rows if int(row["trees"]) >= 100_000]
    rate = median(int(row["trees"]) / float(row["all_s"]) for row in large)
    return (
        f"the first 1,000 take {digits(geometric_mean(ratios))} times the seconds of the fit "
        f"(geometric mean over {len(ratios)} lists); long lists come at {rate:,.0f} trees a second"
    )


def near_rivals(rows: Rows) -> str:
    told = []
    for name, words in (("treefarms", "TreeFARMS"), ("arborenum", "ArborEnum")):
        both = [row for row in rows if row[f"{name}_seconds"] and row["ours_seconds"]]
        ratios = [float(row[f"{name}_seconds"]) / float(row["ours_seconds"]) for row in both]
        told.append(f"{words} {digits(geometric_mean(ratios))} ({len(ratios)} data sets)")
    return ", ".join(told)


def explore_page(rows: Rows) -> str:
    trees, sizes = column(rows, "trees"), column(rows, "megabytes")
    return (
        f"{digits(min(trees))} trees in {min(sizes)} to {max(sizes)} MB, opened in at most "
        f"{max(column(rows, 'open_s'))} s"
    )


def cluster_workers(rows: Rows) -> str:
    counted = [row for row in rows if row["ratio"]]
    ratios, over = column(counted, "ratio"), column(counted, "overhead")
    gains = column(counted, "gain")
    same = sum(row["same_answer"] == "True" for row in counted)
    return (
        f"geometric mean {geometric_mean(ratios):.2f} over {len(ratios)} searches of 20 s to "
        f"3 minutes, smallest {min(ratios):.2f}, largest {max(ratios):.2f}; two workers are "
        f"{min(gains):.2f} to {max(gains):.2f} times as fast as no cluster; one worker takes "
        f"{100 * min(over):.0f} to {100 * max(over):.0f} % longer than no cluster; the same answer "
        f"in {same} of {len(counted)}"
    )


def larger_than_memory(rows: Rows) -> str:
    told = []
    for case in dict.fromkeys(row["case"] for row in rows):
        ours = next(r for r in rows if (r["case"], r["program"]) == (case, "survtree"))
        table = case.split(",")[0]
        (theirs,) = (r for r in rows if (r["case"], r["program"]) == (table, "polars"))
        took, ratio = float(ours["seconds"]), float(ours["seconds"]) / float(theirs["seconds"])
        told.append(
            f"{case}, {int(ours['rows']):,} rows: {ours['status']}, {seconds(took)} ({ratio:.1f} "
            f"times what polars needs to read and group them), {float(ours['peak_mb']):,.0f} MB"
        )
    return "; ".join(told)


def path(rows: Rows) -> str:
    one, twelve = column(rows, "path_over_one_fit"), column(rows, "twelve_fits_over_path")
    return (
        f"{geometric_mean(one):.2f} times the seconds of one fit (geometric mean, largest "
        f"{max(one):.2f}); twelve fits take {geometric_mean(twelve):.1f} times as long (smallest "
        f"{min(twelve):.1f})"
    )


def tuning(rows: Rows) -> str:
    told = []
    for dataset in dict.fromkeys(row["dataset"] for row in rows):
        found = {
            row["program"]: f"{row['n_leaves']} leaves {float(row['ibs_ratio']):.3f}"
            for row in rows
            if (row["dataset"], row["rule"]) == (dataset, "one_standard_error")
        }
        told.append(f"{dataset} {found['ours']}, greedy {found['sksurv']}")
    return "; ".join(told)


def anytime(rows: Rows) -> str:
    best = {row["dataset"]: float(row["objective"]) for row in rows_of("best_known")}
    over, gaps = [], []
    for name, *_ in HARD:
        of_case = [dict(row) for row in rows if row["dataset"] == name]
        now = at(of_case, 1)
        known = min([best.get(name, 9.0), *column(of_case, "objective")])
        over.append(100 * (float(now["objective"]) / known - 1))
        gaps.append(100 * relative_gap(float(now["objective"]), float(now["lower_bound"])))
    return (
        f"objective {min(over):.2f} to {max(over):.2f} % above the best known; the gap is still "
        f"{min(gaps):.0f} to {max(gaps):.0f} %"
    )


def kept_limits(rows: Rows) -> str:
    told = []
    for limit in dict.fromkeys(row["time_limit"] for row in rows):
        of_limit = [row for row in rows if row["time_limit"] == limit]
        longest = max(column(of_limit, "seconds"))
        told.append(f"limit {float(limit):g} s: {len(of_limit)} fits, longest {longest:.3f} s")
    good = sum(row["is_bracket"] == row["is_rescored"] == "True" for row in rows)
    return f"{'; '.join(told)}; bounds and objective right in {good} of {len(rows)}"


def memory(rows: Rows) -> str:
    return (
        "; ".join(
            f"{limit_words(row['memory_limit'])}: the process takes {int(row['peak_mb']):,} MB"
            for row in rows
        )
        + f" (of which {int(rows[0]['before_mb']):,} MB before the search)"
    )


def limit_words(limit: str) -> str:
    return "no limit" if limit == "None" else f"limit {limit}"


def metrics(rows: Rows) -> str:
    return f"{sum(column(rows, 'seconds')):.1f} s for {len(rows)} metrics"


def streaming(rows: Rows) -> str:
    return "; ".join(
        f"{int(row['rows']):,} rows to {row['format']}: {row['seconds']} s, {row['peak_mb']} MB"
        for row in rows
    )


def import_cost(rows: Rows) -> str:
    return "; ".join(f"`{r['what']}` / `{r['beside']}`: {float(r['ratio']):.2f}" for r in rows)


def gpu_ratios(rows: Rows) -> dict[tuple[str, ...], float]:
    """Seconds of one core / of the GPU, by case, where both searched and were timed."""
    names = ("dataset", "mode", "loss", "answers", "max_depth", "regularization")
    on_cpu, on_gpu = (
        {
            tuple(row[name] for name in names): float(row["seconds"])
            for row in rows
            if row["device"] == device and row["seconds"] and (device == "cpu" or is_on_gpu(row))
        }
        for device in ("cpu", "cuda")
    )
    return {case: on_cpu[case] / on_gpu[case] for case in on_cpu if case in on_gpu}


def is_on_gpu(row: Row) -> bool:
    """Not if a core had solved it before the GPU was asked."""
    return bool(row["gpu_lane_rows"])


def gpu_searches(rows: Rows) -> str:
    ratios = gpu_ratios(rows)
    slower = sorted({case[0] for case, ratio in ratios.items() if ratio < 1})
    first = sorted(
        {row["dataset"] for row in rows if row["device"] == "cuda" and not is_on_gpu(row)}
    )
    return (
        f"{digits(min(ratios.values()))} to {digits(max(ratios.values()))} on {len(ratios)} cases; "
        f"the GPU is slower on {', '.join(slower) or 'none'}; a core that looks first solves "
        f"{', '.join(first) or 'none'} without it"
    )


def gpu_kinds(rows: Rows) -> str:
    """Geometric means, by what is searched for and by loss."""
    ratios, words = gpu_ratios(rows), []
    for position, names in (
        (1, ("path", "folds", "near")),
        (2, ("likelihood", "incidence", "teacher")),
    ):
        for name in names:
            found = [ratio for case, ratio in ratios.items() if case[position] == name]
            words.append(f"{name} {digits(geometric_mean(found))}")
    return ", ".join(words)


def gpu_deepest(rows: Rows) -> str:
    """What takes a core minutes."""
    cases = (("credit", "6", "01"), ("whas500", "4", "cuts"))
    return ", ".join(
        f"{name}, depth {depth}: {row['status']} in {seconds(float(row['seconds']))}"
        for name, depth, answers in cases
        for row in rows
        if (row["dataset"], row["max_depth"], row["answers"]) == (name, depth, answers)
        if row["device"] == "cuda"
    )


def gpu_kernel(rows: Rows) -> str:
    speeds = column(rows, "lane_rows_per_s")
    return f"{min(speeds):.3g} to {max(speeds):.3g}"


def gpu_random(rows: Rows) -> str:
    total, failed = (sum(int(row[name]) for row in rows) for name in ("problems", "failed"))
    return f"{total:,} problems, {failed} with another answer"


def competing_leaves(rows: Rows) -> str:
    numbers = sum(int(row["numbers"]) for row in rows)
    worst = max(float(row[name]) for row in rows for name in ("free", "incidence", "error"))
    return f"{numbers:,} numbers, largest difference {worst:.1g}"


def competing_scores(rows: Rows) -> str:
    def ratio(row: Row) -> float:
        return float(row["ibs_ratio"])

    cases = dict.fromkeys((row["dataset"], row["cause"]) for row in rows)
    ahead = 0
    for case in cases:
        of_case = [row for row in rows if (row["dataset"], row["cause"]) == case]
        by_model = {row["model"]: ratio(row) for row in of_case}
        ahead += by_model["ours"] > by_model["Fine-Gray"]
    return f"one default tree is ahead of the Fine-Gray model in {ahead} of {len(cases)} cases"


def ablation(rows: Rows) -> str:
    saved = [f"{r['dataset']} {100 * float(r['share_saved']):.0f} %" for r in rows]
    quicker = [
        row["dataset"]
        for row in rows
        if float(row["guess_s"]) + float(row["forest_s"]) < float(row["exact_s"])
    ]
    return (
        f"of the seconds of the exact search saved: {', '.join(saved)}; with the seconds of "
        f"fitting the forest it saves time on {', '.join(quicker) or 'none of them'}"
    )


def watched(rows: Rows) -> str:
    ratios = column(rows, "seconds_ratio")
    return f"geometric mean {geometric_mean(ratios):.2f}, largest {max(ratios):.2f}"


def shared_results() -> Results:
    """Held-out scores of the methods that are compared, on the tables that all finished."""
    rows = [row for row in rows_of("new_rows") if row["seed"] == "0"]
    return new_rows_page.on_shared_tables(Results(rows))


def mean_ratio(results: Results, method: str) -> float:
    """The mean over tables of its held-out IBS ratio."""
    return mean_of(results.by_table(method, new_rows_page.SCORE).values())


def tables_won(results: Results, other: str) -> tuple[int, int]:
    """On how many tables our default trees have a higher IBS ratio, and of how many."""
    differences = paired(results, new_rows_page.OURS, other, new_rows_page.SCORE)
    return sum(difference > 0 for difference in differences), len(differences)


def held_out(results: Results, other: str) -> str:
    """Our default trees beside another method, over tables."""
    ours, theirs = (mean_ratio(results, m) for m in (new_rows_page.OURS, other))
    won, n_tables = tables_won(results, other)
    return (
        f"IBS ratio {ours:.3f} against {theirs:.3f}; ours is higher on {won} of {n_tables} tables"
    )


def c_of_likelihood(rows: Rows, score: str = "harrell_c") -> dict[str, dict[str, float]]:
    """By data set and program: the mean held-out score at the most leaves that all folds have."""
    from benchmarks.paper import settings
    from benchmarks.paper.generalization import means

    found: dict[str, dict[str, float]] = {}
    for dataset, program in dict.fromkeys((row["dataset"], row["program"]) for row in rows):
        some = [dict(r) for r in rows if (r["dataset"], r["program"]) == (dataset, program)]
        sizes = [k for k, v in means(some, "harrell_c").items() if v[2] == settings.N_FOLDS]
        if sizes:
            found.setdefault(dataset, {})[program] = means(some, score)[max(sizes)][0]
    return found


def likelihood_held_out(rows: Rows) -> str:
    told = []
    for dataset, by_program in c_of_likelihood(rows).items():
        told.append(
            f"{dataset} {by_program['ours_likelihood']:.3f} (SurTree {by_program['streed']:.3f}, "
            f"scikit-survival {by_program['sksurv']:.3f})"
        )
    return "; ".join(told)


Figure = Callable[[Rows], str]
