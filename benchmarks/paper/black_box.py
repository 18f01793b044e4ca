"""One optimal tree beside models that nobody can read: scores on the half that none of them saw.

    python -m benchmarks.paper.black_box --data FOLDER [--quick] [--summary]

Half of the rows train (seed 666). Cox with a ridge penalty, random survival forest and gradient
boosted Cox (scikit-survival) are tuned by five folds of the training half, by IBS ratio, and fitted
again on all of it; ours is OptimalSurvivalTreeCV by the same folds and score (rule "minimum"); PAMM
(pammtools, through R) has a smooth baseline and linear effects and nothing to tune; its curves are
read at the ends of at most 40 intervals and held constant between. Scores as in
generalization.py; columns are the encoded 0/1 ones for all.
"""

import itertools
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, train_test_split

from benchmarks import data
from benchmarks.paper import r_programs, settings
from benchmarks.paper.command import asked, groups_of, parsed, parser_of, printed
from benchmarks.paper.growers import Part, parted
from benchmarks.paper.scoring import Curves, held_out
from benchmarks.suites import MIN_SAMPLES_LEAF
from benchmarks.tables import Table, machine, revision
from survtree import OptimalSurvivalTreeCV

FILE = "black_box.csv"
KEYS = ("dataset", "model")
SCORES = ("test_ibs_ratio", "harrell_c", "uno_c", "mean_auc")
FIELDS = (*KEYS, "rows", "setting", "size", *SCORES, "seconds")
SEED = settings.FOLD_SEED


@dataclass(frozen=True)
class Fitted:
    """Curves of the new rows, what was chosen, and how large that is, in words."""

    curves: Curves
    setting: str
    size: str


def outcome_of(rows: data.Encoded) -> np.ndarray:
    """As scikit-survival wants it."""
    out = np.empty(len(rows.time), dtype=[("event", bool), ("time", float)])
    out["event"], out["time"] = rows.event == 1, rows.time
    return out


def curves_of(model: Any, X: np.ndarray) -> Curves:
    return model.predict_survival_function(X, return_array=True), model.unique_times_


def folds_of(n_rows: int) -> list[tuple[np.ndarray, np.ndarray]]:
    folds = KFold(settings.N_FOLDS, shuffle=True, random_state=SEED)
    return list(folds.split(np.zeros(n_rows)))


def tuned(make: Callable[..., Any], tried: list[dict[str, Any]], part: Part) -> Fitted:
    """The setting with the best mean IBS ratio over folds, fitted on all training rows."""
    X, y = part.train.X.astype(float), outcome_of(part.train)

    def score(options: dict[str, Any], fold: tuple[np.ndarray, np.ndarray]) -> float:
        seen, unseen = ((y["event"][rows], y["time"][rows]) for rows in fold)
        model = make(**options).fit(X[fold[0]], y[fold[0]])
        curves = curves_of(model, X[fold[1]])
        if not np.isfinite(curves[0]).all():  # a Cox model with next to no penalty may overflow
            return -np.inf
        return held_out(unseen, curves, seen)["test_ibs_ratio"]

    folds = folds_of(len(y))
    means = [np.mean([score(options, fold) for fold in folds]) for options in tried]
    best = tried[int(np.argmax(means))]
    setting = " ".join(f"{name}={value}" for name, value in best.items())
    curves = curves_of(make(**best).fit(X, y), part.new.X.astype(float))
    return Fitted(curves, setting, f"{X.shape[1]} columns")


def product_of(**values: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [dict(zip(values, some, strict=True)) for some in itertools.product(*values.values())]


def cox(part: Part, tried: settings.BlackBoxes) -> Fitted:
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    return tuned(CoxPHSurvivalAnalysis, product_of(alpha=tried.cox_alphas), part)


def forest(part: Part, tried: settings.BlackBoxes) -> Fitted:
    from sksurv.ensemble import RandomSurvivalForest

    def make(**options: Any) -> Any:
        return RandomSurvivalForest(tried.forest_trees, random_state=SEED, **options)

    found = tuned(make, product_of(min_samples_leaf=tried.forest_leaves), part)
    return Fitted(found.curves, found.setting, f"{tried.forest_trees} trees")


def boosting(part: Part, tried: settings.BlackBoxes) -> Fitted:
    from sksurv.ensemble import GradientBoostingSurvivalAnalysis

    def make(**options: Any) -> Any:
        return GradientBoostingSurvivalAnalysis(random_state=SEED, **options)

    grid = product_of(learning_rate=tried.boosting_rates, max_depth=tried.boosting_depths)
    found = tuned(make, grid, part)
    return Fitted(found.curves, found.setting, "100 trees")


def ours(part: Part, tried: settings.BlackBoxes) -> Fitted:
    model = OptimalSurvivalTreeCV(
        max_depths=tried.tree_depths,
        cv=folds_of(len(part.train.time)),
        rule="minimum",
        min_samples_leaf=MIN_SAMPLES_LEAF,
    ).fit(part.train.X, (part.train.event == 1, part.train.time))
    penalty = model.best_params_["regularization"]
    setting = f"max_depth={model.best_params_['max_depth']} regularization={penalty:.4g}"
    survival = model.predict_survival_function(part.new.X, return_array=True)
    leaves = "1 leaf" if model.n_leaves_ == 1 else f"{model.n_leaves_} leaves"
    return Fitted((survival, model.unique_times_), setting, leaves)


def pamm(part: Part, tried: settings.BlackBoxes) -> Fitted | None:
    """None if R takes longer than the limit."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "curves.csv"
        asked = (part.train.path, part.new.path, out)
        if not r_programs.ran("pamm.R", asked, tried.pamm_limit_s):
            return None
        times, *survival = np.loadtxt(out, delimiter=",")
    return Fitted((np.array(survival), times), "", f"{part.train.X.shape[1]} columns")


MODELS = {"ours": ours, "cox": cox, "forest": forest, "boosting": boosting, "pamm": pamm}


def models() -> Iterator[tuple[str, Callable[..., Fitted | None], str]]:
    """Those that can run here, with the version of what they are made with."""
    sksurv = f"scikit-survival {version('scikit-survival')}"
    tree = f"survtree {version('survtree')}{revision()}"
    lacking = r_programs.missing(*r_programs.PAMM)
    for name, fit in MODELS.items():
        if name != "pamm":
            yield name, fit, tree if fit is ours else sksurv
        elif lacking:
            print(f"pamm is left out: {', '.join(lacking)} missing; {r_programs.HOW_TO}")
        else:
            have = r_programs.versions(*r_programs.PAMM)
            yield name, fit, f"pammtools {have['pammtools']} (R {have['R']})"


def run(table: Table, folder: Path, tried: settings.BlackBoxes) -> None:
    """Every data set and model that is not in the table yet."""
    available = list(models())
    for name in tried.datasets:
        case = data.read(folder, name)
        halves = train_test_split(np.arange(len(case.time)), test_size=0.5, random_state=SEED)
        with parted(case, *map(np.sort, halves)) as part:
            for model, fit, program in available:
                if not table.has(name, model):
                    key = {"dataset": name, "model": model, "rows": len(case.time)}
                    row = row_of(fit, part, tried)
                    table.add({**key, **row, **machine(), "programs": program})


def row_of(
    fit: Callable[..., Fitted | None], part: Part, tried: settings.BlackBoxes
) -> dict[str, Any]:
    start = perf_counter()
    found = fit(part, tried)
    seconds = {"seconds": f"{perf_counter() - start:.3g}"}
    if found is None:
        return {"setting": "killed", **seconds}
    train, new = ((rows.event == 1, rows.time) for rows in (part.train, part.new))
    scores = held_out(new, found.curves, train)
    told = {name: f"{scores[name]:.6f}" for name in SCORES}
    return {"setting": found.setting, "size": found.size, **told, **seconds}


def summary(table: Table) -> str:
    lines = [
        (name, row["model"], row["size"], *(row[score][:6] for score in SCORES), row["setting"])
        for (name,), rows in groups_of(table, ("dataset",)).items()
        for row in rows
    ]
    return printed(("data set", "model", "size", *SCORES, "setting"), lines)


def main(argv: list[str] | None = None) -> None:
    arguments = parsed(parser_of(__doc__), FILE, argv=argv)
    table = Table(arguments.out / FILE, FIELDS, KEYS)
    if not arguments.summary:
        tried = settings.BLACK_BOX_QUICK if arguments.quick else settings.BLACK_BOX
        run(table, arguments.data, asked(tried, arguments))
    print(summary(table))


if __name__ == "__main__":
    main()
