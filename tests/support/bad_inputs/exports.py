"""Bad arguments of exports."""

from dataclasses import replace
from typing import Any

import polars as pl

from survtree import (
    OptimalSurvivalTree,
    export_dot,
    export_latex,
    export_python,
    export_sql,
    export_text,
)
from tests.support.bad_inputs.case import TABLE, Case, Y
from tests.support.made_up_models import made_up, random_tree


def fitted(table: Any = TABLE) -> Any:
    """A small model."""
    return OptimalSurvivalTree(1, 0.0, min_samples_leaf=2).fit(table, Y)


def odd(name: str, level: str) -> Any:
    """A model of a table with one column, of two levels."""
    return fitted(pl.DataFrame({name: [level] * 8 + ["no"] * 8}))


def deep(depth: int) -> Any:
    """A model whose tree is a chain."""
    return made_up(random_tree(depth + 1, 0, is_chain=True))


def write_deep_proof(depth: int) -> None:
    """Writes the proof of a fit whose tree is exchanged for a chain."""
    options: dict[str, Any] = {"min_samples_leaf": 2, "certificate": "full"}
    certificate = OptimalSurvivalTree(1, 0.01, **options).fit(TABLE, Y).certificate_
    assert certificate.proof is not None
    tree = random_tree(depth + 1, 0, is_chain=True)
    replace(certificate, proof=replace(certificate.proof, tree=tree)).write_proof("proof")


EXPORTS: dict[str, list[Case]] = {
    "Exports": [
        Case("`style='rule'`", lambda: export_text(fitted(), "rule"), ("style", "'rules'")),
        Case("`style=None`", lambda: export_text(fitted(), None), ("style", "None")),
        Case(
            "`confidence=95` of a text",
            lambda: export_text(fitted(), "leaves", confidence=95),
            ("confidence",),
        ),
        Case(
            "`times` of a text that descend",
            lambda: export_text(fitted(), times=[5, 3]),
            ("times",),
        ),
        Case("`confidence=0` of Graphviz", lambda: export_dot(fitted(), confidence=0)),
        Case("`confidence=1` of LaTeX", lambda: export_latex(fitted(), confidence=1)),
        Case("`what='leaves'`", lambda: export_sql(fitted(), what="leaves"), ("what", "'leaf'")),
        Case("`dialect='mysql'`", lambda: export_sql(fitted(), dialect="mysql"), ("dialect",)),
        Case("a column with NUL in its name", lambda: export_sql(odd("a\0b", "x")), ("'a\\x00b'",)),
        Case("a level with NUL", lambda: export_sql(odd("a", "x\0")), ("'x\\x00'",)),
        Case("a tree too deep for SQL", lambda: export_sql(deep(201)), ("201", "200")),
        Case("a tree too deep for a proof file", lambda: write_deep_proof(401), ("401", "400")),
        Case("`name='two words'`", lambda: export_python(fitted(), "two words"), ("name",)),
        Case("`name='class'`", lambda: export_python(fitted(), "class"), ("name",)),
        Case("`name='print'`", lambda: export_python(fitted(), "print"), ("name",)),
        Case("`name='survival'`", lambda: export_python(fitted(), "survival"), ("name",)),
        Case("`name='_leaf'`", lambda: export_python(fitted(), "_leaf"), ("name",)),
        Case("`name=3`", lambda: export_python(fitted(), 3), ("name", "3")),
    ],
}
