"""Competing risks on public tables: held-out scores beside R's models, and leaves beside survfit.

    python -m benchmarks.competing_risks

Needs R with survival, riskRegression and cmprsk (Debian: r-cran-...), and SurvSet 0.2.11. Ours is
fitted at its defaults, and at its defaults without a teacher; beside it are one Aalen-Johansen
curve for all rows, the two cause-specific Cox models of riskRegression (CSC) and its Fine-Gray
model (FGR), both of all columns with levels as flags and medians in missing cells. There are five
folds with about equally many rows of each end; all are scored up to the same horizon, with the
censoring curve of the training rows. A model of R that fails on a fold has no score there.

`leaves` compares each number of each leaf of our tree on all rows with R's multi-state survfit:
incidences of all causes, their standard errors and log-log limits.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from benchmarks.competing_risks.r_models import OUTCOME, R, numbers_only
from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree import OptimalSurvivalTree
from survtree._data.causes import with_cause
from survtree._model.defaults import auto_horizon
from survtree._scoring.curves import one_curve
from survtree._scoring.incidence import CompetingCurve
from survtree._scoring.read_scored import check_scored
from survtree.metrics import cumulative_dynamic_auc, harrell_c, ibs_ratio

N_FOLDS, SEED = 5, 0
SCORES = ("ibs_ratio", "harrell_c", "mean_auc")
KEYS = ("dataset", "cause")
FACTS = (*KEYS, "rows", "events", "others", "horizon", "model", "folds")
SCORE_FIELDS = (*FACTS, *(f"{name}{end}" for name in SCORES for end in ("", "_se")), "leaves")
LEAF_FIELDS = (*KEYS, "leaves", "numbers", "free", "incidence", "error", "low", "high")
MODELS = ("ours", "ours, no teacher", "one curve", "cause-specific Cox", "Fine-Gray")


def survset_follic() -> pd.DataFrame:
    """Follicular lymphoma: relapse (1) and death without it (2)."""
    from SurvSet.data import SurvLoader

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # its pickles are of an older NumPy
        frame = SurvLoader().load_dataset("follic")["df"]
    return frame.drop(columns="pid").rename(columns={"event": "cause"})


def outcome(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """What ended each row, and when."""
    return frame["cause"].to_numpy(), frame["time"].to_numpy(dtype=float)


def folds_of(frame: pd.DataFrame) -> list[tuple[np.ndarray, np.ndarray]]:
    """Training and held-out rows."""
    splitter = StratifiedKFold(N_FOLDS, shuffle=True, random_state=SEED)
    return list(splitter.split(frame, frame["cause"]))


def ours(train: pd.DataFrame, cause: int, **options: Any) -> OptimalSurvivalTree:
    """Our tree; missing cells may be split on."""
    model = OptimalSurvivalTree(missing="question", **options)
    return model.fit(train.drop(columns=list(OUTCOME)), outcome(train), cause=cause)


def predictions(
    train: pd.DataFrame, test: pd.DataFrame, cause: int, times: np.ndarray, r: R
) -> dict[str, Callable[[], tuple[np.ndarray, float]]]:
    """By model: 1 - the incidence of the cause (row, time), and the number of leaves, if any."""
    X = test.drop(columns=list(OUTCOME))

    def of_tree(**options: Any) -> tuple[np.ndarray, float]:
        model = ours(train, cause, **options)
        found = model.predict_cumulative_incidence(X, times=times, return_array=True)
        return 1.0 - found, model.n_leaves_

    def of_all() -> tuple[np.ndarray, float]:
        events = check_scored(with_cause(outcome(train), cause), None)
        return np.tile(one_curve(events)(times), (len(test), 1)), 1

    def of_r(method: str) -> tuple[np.ndarray, float]:
        both = numbers_only(pd.concat([train, test], ignore_index=True))
        first, last = both.iloc[: len(train)], both.iloc[len(train) :]
        varies = [name for name in first if name in OUTCOME or first[name].nunique() > 1]
        found = r.risks(method, first[varies], last[varies], times, cause)
        return 1.0 - np.maximum.accumulate(found, axis=1), np.nan

    return dict(
        zip(
            MODELS,
            (
                of_tree,
                lambda: of_tree(teacher=None),
                of_all,
                lambda: of_r("csc"),
                lambda: of_r("fgr"),
            ),
            strict=True,
        )
    )


def scores_of(
    curves: tuple[np.ndarray, np.ndarray], test: Any, train: Any, horizon: float
) -> tuple[float, ...]:
    """Held-out scores; the censoring curve is that of the training rows."""
    return (
        ibs_ratio(test, curves, train=train, horizon=horizon),
        harrell_c(test, curves),
        cumulative_dynamic_auc(test, curves, train=train, horizon=horizon).mean,
    )


def held_out(name: str, frame: pd.DataFrame, cause: int, r: R) -> list[dict[str, Any]]:
    """The mean scores of each model, and their standard errors over the folds."""
    found: dict[str, list[tuple[float, ...]]] = {model: [] for model in MODELS}
    events = check_scored(with_cause(outcome(frame), cause), None)
    horizon = auto_horizon(events)
    for train_rows, test_rows in folds_of(frame):
        train, test = frame.iloc[train_rows], frame.iloc[test_rows]
        y_train, y_test = (with_cause(outcome(part), cause) for part in (train, test))
        times = np.unique(check_scored(y_train, None).event_times)
        for model, predict in predictions(train, test, cause, times, r).items():
            try:
                survival, n_leaves = predict()
            except RuntimeError as error:
                print(f"{name}, cause {cause}, {model}: {error}", flush=True)
                continue
            scores = scores_of((survival, times), y_test, y_train, horizon)
            found[model].append((*scores, n_leaves))
    return [
        {"dataset": name, "cause": cause, "rows": len(frame), "events": int(events.event.sum())}
        | {"others": int(events.is_other.sum()), "horizon": horizon, "model": model}
        | _means(np.array(each))
        for model, each in found.items()
        if each
    ]


def _means(scores: np.ndarray) -> dict[str, Any]:
    n = len(scores)
    errors = scores.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(scores.shape[1], np.nan)
    means = scores.mean(axis=0)
    told: dict[str, Any] = {"folds": n}
    for k, name in enumerate(SCORES):
        told |= {name: f"{means[k]:.4f}", f"{name}_se": f"{errors[k]:.4f}"}
    return told | {"leaves": "" if np.isnan(means[-1]) else f"{means[-1]:.1f}"}


def compare_leaves(name: str, frame: pd.DataFrame, cause: int, r: R) -> dict[str, Any]:
    """The largest difference of each kind of number between our leaves and R's survfit."""
    model = ours(frame, cause)
    codes, time = outcome(frame)
    found = r.leaves(model.apply(frame.drop(columns=list(OUTCOME))), time, codes)
    largest = dict.fromkeys(("free", "incidence", "error", "low", "high"), 0.0)
    for (leaf, k), theirs in found.groupby(["leaf", "cause"]):
        curve = model.leaf_curves_[leaf]
        assert isinstance(curve, CompetingCurve)
        # R writes 15 digits of its times: the nearest ones are meant.
        apart = np.abs(curve.times - theirs["time"].to_numpy()[:, np.newaxis])
        nearest = apart.argmin(axis=1)
        place, at = model.causes_.names.index(str(k)) + 1, curve.times[nearest]
        low, high = curve.incidence_band(place)
        has_risen = theirs["incidence"].to_numpy() > 0
        mine = {
            "free": curve.event_free(at),
            "incidence": curve.incidence(place)(at),
            "error": curve.standard_error(place)[nearest],
            "low": low(at),
            "high": high(at),
        }
        for kind, values in mine.items():
            is_known = has_risen | (kind not in ("low", "high"))
            apart = np.abs(values - theirs[kind].to_numpy())[is_known]
            largest[kind] = max(largest[kind], float(np.nanmax(apart, initial=0.0)))
    facts = {"dataset": name, "cause": cause, "leaves": model.n_leaves_, "numbers": 5 * len(found)}
    return facts | {kind: f"{value:.1e}" for kind, value in largest.items()}


def summary(rows: list[dict[str, str]]) -> None:
    """A line for each table and cause: the held-out ratio and C of each model."""
    for name, cause in dict.fromkeys((row["dataset"], row["cause"]) for row in rows):
        here = [row for row in rows if (row["dataset"], row["cause"]) == (name, cause)]
        first = here[0]
        print(
            f"{name}, cause {cause}: {first['rows']} rows, {first['events']} events of it, "
            f"{first['others']} of others, to {float(first['horizon']):.4g}"
        )
        for row in here:
            leaves = f", {row['leaves']} leaves" if row["leaves"] else ""
            print(
                f"    {row['model']:<20} IBS ratio {row['ibs_ratio']:>7} ({row['ibs_ratio_se']}), "
                f"C {row['harrell_c']}, AUC {row['mean_auc']}{leaves}"
            )


def main() -> None:
    parser = parser_of(__doc__, "competing_risks_scores.csv", needs_data=False)
    arguments = parsed(parser)
    scores = Table(arguments.out, SCORE_FIELDS, KEYS)
    if not arguments.summary:
        leaves = Table(arguments.out.with_name("competing_risks_leaves.csv"), LEAF_FIELDS, KEYS)
        with R() as r:
            run(r, scores, leaves)
    summary(scores.rows)


def run(r: R, scores: Table, leaves: Table) -> None:
    """What is not in the files yet."""
    facts = machine() | {"programs": f"survtree{revision()}; {r.versions()}"}
    for name, frame in {"follic": survset_follic(), **r.tables()}.items():
        for cause in (1, 2):
            if not leaves.has(name, cause):
                leaves.add(compare_leaves(name, frame, cause, r) | facts)
            if not scores.has(name, cause):
                scores.add_all([row | facts for row in held_out(name, frame, cause, r)])


if __name__ == "__main__":
    main()
