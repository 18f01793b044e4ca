"""No odd input crashes, hangs or is met with words that are not ours."""

import subprocess
import sys

import pytest

from tests.odd.run import GROUPS


@pytest.mark.slow
@pytest.mark.parametrize("group", GROUPS)
def test_odd_inputs_end_in_a_tree_or_are_told_what_is_needed(group):
    command = [sys.executable, "-m", "tests.odd.run", group]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    failed = [line for line in run.stdout.splitlines() if "FAILED" in line]
    assert (run.returncode, failed) == (0, []), run.stderr[-2000:]
