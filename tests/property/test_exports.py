"""Exported code and exported words lead every row to the leaf that ``apply`` tells."""

import functools
import math
import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest

from survtree import OptimalSurvivalTree, export_python, export_sql, export_text
from survtree._model.model_file import kind_and_value
from tests.support.hostile import NAMES
from tests.support.read_exports import Columns, leaves_reader, rules_reader

# Some of the made-up rows are followed for much longer than all others.
pytestmark = [
    pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning"),
    # Some split decides the event.
    pytest.mark.filterwarnings("ignore::survtree.DataWarning"),
]

N_ROWS = 1_000
HOSTILE = [
    *NAMES,
    "age <= 5",
    "a and b",
    "a or b",
    "neither a nor b",
    "not",
    "not (x",
    "(x) > 3",
    "x is missing",
    "missing",
    "x; n 3",
    "10 < y",
    "is",
    "if",
    "row",
    "lambda",
    "_column_0",
    "l",
    " padded ",
    "'; DROP TABLE t; --",
    '"""',
    "{name!r}",
    "math.",
    "math",
    "float",
    "closed)",
]
ORDER = ["low", "mid", "a or b", "high", "L5", "not L6", "L7", "L8", "L9"]
PLAIN = ["age", "bmi", "sex", "treated", "smoker", "stage", "ward", "grade"]


def columns_of(rng, n, names, gaps, levels):
    """Cells by name: two numbers, 0/1, two flags, two columns of levels, ordered levels."""
    whole, part, zero_one, flag, other, level, more, ordered = names
    cells = {
        whole: rng.integers(20, 90, n).astype(float),
        part: np.round(rng.normal(25, 6, n), 2),
        zero_one: rng.integers(0, 2, n),
        flag: rng.random(n) < 0.5,
        other: rng.random(n) < 0.2,
        level: rng.choice(levels[0], n),
        more: rng.choice(levels[1], n),
        ordered: rng.choice(ORDER, n),
    }
    cells = {name: list(map(plain, values)) for name, values in cells.items()}
    for name in gaps:
        cells[name] = [None if rng.random() < 0.15 else cell for cell in cells[name]]
    return cells


def plain(cell):
    """A NumPy value as Python's."""
    return cell.item() if hasattr(cell, "item") else cell


def frame_of(cells, ordered=None):
    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in cells.items()})
    if ordered is not None:
        frame[ordered] = pd.Categorical(cells[ordered], categories=ORDER, ordered=True)
    return frame


class Case:
    """A model of a random table, rows that it has not seen, and where they go."""

    def __init__(self, seed, is_hostile, **options):
        rng = np.random.default_rng(seed)
        self.names = list(rng.permutation(HOSTILE))[: len(PLAIN)] if is_hostile else PLAIN
        self.names = list(map(str, self.names))
        words = list(map(str, rng.permutation(HOSTILE))) if is_hostile else ["I", "II", "III", "IV"]
        levels = words[:4], words[-3:]
        takes_gaps = options.get("missing") in ("question", "better")
        gaps = [name for name in self.names if rng.random() < 0.5] if takes_gaps else []
        n = 150
        cells = columns_of(rng, n, self.names, gaps, levels)
        X = frame_of(cells, self.names[-1])
        y = rng.random(n) < 0.8, rng.exponential(self.hazard(cells, rng))
        weight = rng.integers(1, 4, n) if seed % 2 else None
        self.model = OptimalSurvivalTree(
            **{"max_depth": 4, "regularization": 0.0, "max_leaves": 12, "thresholds": 4, **options}
        )
        self.model.fit(X, y, sample_weight=weight)
        self.columns = Columns(
            frozenset(self.names[2:5]),
            {self.names[-1]: ORDER},
            frozenset(name for name in self.names if any(cell is None for cell in cells[name])),
        )
        levels = levels[0] + ["unseen", "IV "], levels[1] + ["unseen too"]
        new = columns_of(rng, N_ROWS, self.names, self.names if takes_gaps else [], levels)
        new[self.names[-1]][:50] = ["off the scale"] * 50
        cuts = [q.high for q in self.model.questions_.asked if getattr(q, "low", 0) == -math.inf]
        new[self.names[1]][: len(cuts)] = cuts  # a row at each threshold
        self.frame = frame_of(new)
        self.rows = [dict(zip(new, row, strict=True)) for row in zip(*new.values(), strict=True)]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "rows hold values that the fit did not see")
            self.leaves = self.model.apply(self.frame).tolist()
            self.risks = self.model.predict(self.frame).tolist()

    def hazard(self, cells, rng):
        """Times depend on all columns, so that trees ask about many of them."""
        total = np.zeros(len(next(iter(cells.values()))))
        for values in cells.values():
            places = {cell: rng.normal() for cell in dict.fromkeys(map(str, values))}
            total += [places[str(cell)] for cell in values]
        return 10 * np.exp(0.5 * total)


CASES = {
    "plain": {"seed": 0, "is_hostile": False},
    "weights": {"seed": 1, "is_hostile": False},
    "gaps": {"seed": 2, "is_hostile": False, "missing": "question"},
    "the better side": {"seed": 2, "is_hostile": False, "missing": "better"},
    "paper": {"seed": 3, "is_hostile": False, "encoding": "paper"},
    "paper with gaps": {
        "seed": 4,
        "is_hostile": False,
        "encoding": "paper",
        "missing": "question",
    },
    "a lone leaf": {"seed": 5, "is_hostile": False, "max_depth": 0},
    **{f"hostile {k}": {"seed": k, "is_hostile": True} for k in (6, 7, 8)},
    **{
        f"hostile with gaps {k}": {"seed": k, "is_hostile": True, "missing": "question"}
        for k in (9, 10, 11, 12)
    },
    **{
        f"hostile, the better side {k}": {"seed": k, "is_hostile": True, "missing": "better"}
        for k in (14, 15, 16)
    },
    "hostile paper": {
        "seed": 13,
        "is_hostile": True,
        "encoding": "paper",
        "missing": "question",
    },
}


@functools.cache
def case_of(name):
    return Case(**CASES[name])


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return case_of(request.param)


def test_exported_python_leads_to_the_leaves(case):
    module = {}
    exec(compile(export_python(case.model), "tree.py", "exec"), module)
    assert [module["predict_leaf"](row) for row in case.rows] == case.leaves
    assert [module["RISK"][leaf] for leaf in case.leaves] == case.risks


@pytest.mark.parametrize("style", ["rules", "leaves"])
def test_exported_words_lead_to_the_leaves(case, style):
    reader = {"rules": rules_reader, "leaves": leaves_reader}[style]
    group_of = reader(export_text(case.model, style), case.columns)
    assert [case.model.groups_[group_of(row)] for row in case.rows] == case.leaves


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def test_exported_sql_leads_to_the_leaves_in_sqlite(case):
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE t ({', '.join(map(quoted, case.names))})")
    marks = ", ".join("?" * len(case.names))
    base.executemany(f"INSERT INTO t VALUES ({marks})", [tuple(row.values()) for row in case.rows])
    both = export_sql(case.model, what="both", dialect="sqlite")
    found = base.execute(f"SELECT {both} FROM t ORDER BY rowid").fetchall()
    assert [leaf for leaf, _ in found] == case.leaves
    assert [risk for _, risk in found] == case.risks
    for what, expected in (("leaf", case.leaves), ("risk", case.risks)):
        only = export_sql(case.model, what=what, dialect="sqlite")
        assert [v for (v,) in base.execute(f"SELECT {only} FROM t ORDER BY rowid")] == expected
    base.close()


def test_exported_sql_leads_to_the_leaves_in_duckdb(case):
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    if "" in case.names:  # it has no such columns, and so no rows to compare
        with pytest.raises(duckdb.Error, match="zero-length"):
            base.execute('CREATE TABLE t ("" INTEGER)')
        return
    kinds = ["DOUBLE"] * 3 + ["BOOLEAN"] * 2 + ["VARCHAR"] * 3
    table = case.frame.copy()
    for name, kind in zip(case.names, kinds, strict=True):
        table[name] = table[name].astype(
            {"DOUBLE": "Float64", "BOOLEAN": "boolean", "VARCHAR": "string"}[kind]
        )
    listed = ", ".join(f"{quoted(n)} {kind}" for n, kind in zip(case.names, kinds, strict=True))
    base.execute(f"CREATE TABLE t (number INTEGER, {listed})")
    table.insert(0, "number", range(len(table)))
    base.register("given", table)
    base.execute("INSERT INTO t SELECT * FROM given")
    both = export_sql(case.model, what="both")
    found = base.execute(f"SELECT {both} FROM t ORDER BY number").fetchall()
    assert [leaf for leaf, _ in found] == case.leaves
    assert [risk for _, risk in found] == case.risks


def test_the_models_ask_questions_of_every_kind():
    asked = set()
    for name in CASES:
        model = case_of(name).model
        used = [model.questions_.asked[j] for j in model.tree_.question if j >= 0]
        asked |= {kind_and_value(question)[0] for question in used}
    assert asked == {"one", "in", "up_to", "from", "at_most", "equals", "between", "missing"}
