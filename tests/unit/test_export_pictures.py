"""Sources of pictures: the real programs take them, and show what the tree says."""

import itertools
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pandas as pd
import pytest

from survtree import OptimalSurvivalTree, export_dot, export_latex
from survtree._show.export_latex import readable, typeset
from survtree.datasets import load
from tests.property.test_exports import HOSTILE, case_of

# Some of the made-up rows are followed for much longer than all others.
pytestmark = pytest.mark.filterwarnings("ignore::survtree.TailWeightWarning")

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def has_latex():
    """Is there a pdflatex that finds what the pictures need?"""
    if shutil.which("pdflatex") is None:
        return False
    asked = ["kpsewhich", "standalone.cls", "tikz.sty"]
    return len(subprocess.run(asked, capture_output=True, text=True).stdout.split()) == 2


needs_latex = pytest.mark.skipif(not has_latex(), reason="no pdflatex with standalone and tikz")
ODD = [
    *("μg/L β-blocker Δ", "Größe ≤ 3 cm²", "naïve Señor Łódź Ångström", "日本", "e\u0301", "ﬁ"),
    *(
        "--- '' ,, `` ?` !` << >>",
        "~^_#&%${}\\|",
        "\\input{secret}",
        "[0pt]",
        "*",
        "a\0b",
    ),
    *("אבג", "\u202e evil", "W" * 80, "& &amp; &lt;", "\\N \\G \\l", "a\tb"),
]


@pytest.fixture(scope="module")
def sixteen():
    X, y = load("gbsg2")
    model = OptimalSurvivalTree(5, 0.0, min_samples_leaf=5, max_leaves=16, thresholds=5)
    model.fit(X, y)
    assert model.n_leaves_ == 16
    return model


@pytest.fixture(scope="module", params=["plain", "hostile with gaps 10", "hostile paper"])
def random_model(request):
    return case_of(request.param).model


def named(name, level):
    """A model that asks one question, about an odd level of an odd column."""
    cells = [level] * 8 + ["no"] * 8
    y = [k % 4 > 0 for k in range(16)], range(1, 17)
    return OptimalSurvivalTree(1, 0.0, min_samples_leaf=2).fit(pd.DataFrame({name: cells}), y)


# Graphviz.


def svg_texts(model):
    """What Graphviz shows, by node."""
    svg = subprocess.run(
        ["dot", "-Tsvg"], input=export_dot(model).encode(), capture_output=True, check=True
    )
    assert svg.stderr == b""
    space = "{http://www.w3.org/2000/svg}"
    nodes = [g for g in ET.fromstring(svg.stdout).iter(f"{space}g") if g.get("class") == "node"]
    return {
        int(node.find(f"{space}title").text[1:]): [t.text for t in node.iter(f"{space}text")]
        for node in nodes
    }


def squeezed(text):
    return re.sub(r"\s", "", text)


@needs_dot
def test_graphviz_shows_each_question_and_leaf(random_model):
    texts = svg_texts(random_model)
    tree = random_model.tree_
    groups = {node: group for group, node in random_model.groups_.items()}
    assert sorted(texts) == list(range(tree.n_nodes))
    for node, question in enumerate(tree.question):
        if question < 0:
            curve = random_model.leaf_curves_[node]
            size = f"n {curve.n_rows:,}, events {curve.n_events:,}"
            assert texts[node][:2] == [f"group {groups[node]}", size]
            assert texts[node][2].startswith("median ")
        else:
            shown = "".join(texts[node])
            assert squeezed(shown) == squeezed(random_model.questions_.text(int(question)))


@needs_dot
@pytest.mark.parametrize("text", [*HOSTILE, *ODD], ids=ascii)
def test_graphviz_shows_odd_names_as_they_are(text):
    model = named(text, text)
    shown = "".join(svg_texts(model)[0])
    assert squeezed(shown) == squeezed(model.questions_.text(0))


# LaTeX.


def compiled(source, folder):
    """What pdflatex says."""
    (folder / "tree.tex").write_text(source, encoding="ascii")
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "tree.tex"]
    done = subprocess.run(run, cwd=folder, capture_output=True, check=False)
    said = done.stdout.decode(errors="replace")
    assert done.returncode == 0, said[-1500:]
    assert "LaTeX Font Warning" not in said
    assert "Missing character" not in said
    return said


MEASURE = r"""\foreach \k in {@NODES@} {
  \path (n\k.south west); \pgfgetlastxy{\xa}{\ya}
  \path (n\k.north east); \pgfgetlastxy{\xb}{\yb}
  \typeout{box \k: \xa \ya \xb \yb}
}
\end{tikzpicture}"""


def boxes(model, folder):
    """Left, bottom, right and top of each node, as typeset."""
    nodes = ",".join(map(str, range(model.tree_.n_nodes)))
    source = export_latex(model, standalone=True)
    source = source.replace(r"\end{tikzpicture}", MEASURE.replace("@NODES@", nodes))
    said = compiled(source, folder).replace("\n", "")
    number = r"(-?[\d.]+)pt"
    found = re.findall(rf"box (\d+): {number} ?{number} ?{number} ?{number}", said)
    return {int(node): tuple(map(float, sides)) for node, *sides in found}


def assert_nothing_overlaps(model, folder):
    found = boxes(model, folder)
    assert sorted(found) == list(range(model.tree_.n_nodes))
    for a, b in itertools.combinations(found.values(), 2):
        assert a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1], (a, b)


@pytest.mark.slow
@needs_latex
def test_sixteen_leaves_do_not_overlap(sixteen, tmp_path):
    assert_nothing_overlaps(sixteen, tmp_path)


@pytest.mark.slow
@needs_latex
def test_long_names_do_not_overlap(random_model, tmp_path):
    assert_nothing_overlaps(random_model, tmp_path)


@pytest.mark.slow
@needs_latex
def test_latex_takes_odd_names(tmp_path):
    pictures = [export_latex(named(text, text)) for text in (*HOSTILE, *ODD)]
    head = r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage{tikz}\begin{document}"
    body = "\n\n".join(pictures)
    compiled(f"{head}\n{body}\n\\end{{document}}", tmp_path)


@pytest.mark.slow
@needs_latex
def test_a_document_of_its_own_is_one_page(sixteen, tmp_path):
    said = compiled(export_latex(sixteen, standalone=True), tmp_path)
    assert "(1 page," in said.replace("\n", "")


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("age <= 62.5", r"age $\leq$ 62.5"),
        ("grade >=", r"grade $\geq$"),
        ("50%_\\of$x", r"50\%\_\textbackslash{}of\$x"),
        (
            "#&^~{}<|>`",
            r"\#\&\textasciicircum{}\textasciitilde{}\{\}\textless{}\textbar{}"
            r"\textgreater{}\textasciigrave{}",
        ),
        ("-->", r"-{}-\textgreater{}"),
        ("é ç Ł ß", r"\'{e} \c{c} \L{} \ss{}"),
        ("β μ Ω λ", r"$\beta$ $\mu$ $\Omega$ $\lambda$"),
        ("🫀 א", r"[U+1FAC0] [U+05D0]"),
    ],
)
def test_text_becomes_latex(text, source):
    assert typeset(readable(text)) == source


def test_a_long_question_keeps_its_start_and_its_end():
    source = export_latex(named("start" + "x" * 300 + "finish", "I"))
    assert "start" in source
    assert "finish is I" in source.replace(r"\\{}", " ")
    assert len(source) < 1500
