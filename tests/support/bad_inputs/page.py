"""Bad inputs and what a user is told: one table, from which docs/reference/bad-inputs.md is made.

``python -m tests.support.bad_inputs.page`` writes the page anew; test_bad_inputs.py keeps it true.
"""

from pathlib import Path

from tests.support.bad_inputs.case import Case, N
from tests.support.bad_inputs.causes import CAUSED
from tests.support.bad_inputs.clusters import CLUSTERS
from tests.support.bad_inputs.exports import EXPORTS
from tests.support.bad_inputs.files import FILES
from tests.support.bad_inputs.fits import FITS
from tests.support.bad_inputs.lazy import LAZY
from tests.support.bad_inputs.metrics import METRICS
from tests.support.bad_inputs.misleading import MISLEADING
from tests.support.bad_inputs.near import NEAR
from tests.support.bad_inputs.plots import PLOTS
from tests.support.bad_inputs.predictions import PREDICTIONS
from tests.support.bad_inputs.references import REFERENCES
from tests.support.bad_inputs.report import REPORTS
from tests.support.bad_inputs.rules import RULES
from tests.support.bad_inputs.tables import TABLES
from tests.support.bad_inputs.teachers import TEACHERS
from tests.support.bad_inputs.tunings import TUNINGS

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "bad-inputs.md"
GROUPS = FITS | RULES | CAUSED | MISLEADING | REFERENCES | TEACHERS | PREDICTIONS | METRICS
GROUPS |= TUNINGS | LAZY | CLUSTERS
GROUPS |= NEAR | PLOTS | EXPORTS | REPORTS | FILES | TABLES
CASES = [case for cases in GROUPS.values() for case in cases]

HEAD = f"""# Bad inputs and what you are told

Made by `python -m tests.support.bad_inputs.page`; a test fails when a message is not the one shown.
The {len(CASES)} inputs start from a good table of {N} patients and spoil one thing: `age` is a
number, `stage` I to III, `treated` 0 or 1, `smoker` True or False; `died` and `days` are event and
time. Rows are counted from 0, and line breaks are shown as spaces. A message that ends in three
dots is scikit-learn's, and its words beyond them depend on the version.
"""


def page() -> str:
    """The page as the code has it now."""
    lines = [HEAD]
    for group, cases in GROUPS.items():
        lines += [f"## {group}", "", "| input | message |", "|---|---|", *map(_row, cases), ""]
    return "\n".join(lines)


def _row(case: Case) -> str:
    shown = f"{case.start} ..." if case.start else case.message()
    text = f"{case.kind.__name__}: {shown}".replace("|", "\\|")
    return f"| {case.title} | `{text}` |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {len(CASES)} inputs")
