"""Proof files that made the checker go on for ever, raise, or accept. Found by fuzzing proofs.

A number of rows far beyond the file's was counted out; names that are no text raised
AttributeError; and where the loss of one leaf is infinite, so was the tolerance.
"""

import json

import pytest

from tests.fuzz.proof_text import fingerprint, problem_fingerprint
from tests.oracle.proofs import proof_of_case, signed, verdict_of
from tests.support.problems import random_case


@pytest.fixture
def proof():
    return proof_of_case(random_case(4)).to_bytes().decode().splitlines()[:-1]


def with_head(lines, **changes):
    head = {**json.loads(lines[1]), **changes}
    return signed([lines[0], json.dumps(head), *lines[2:]])


def test_the_proof_as_it_was_is_accepted(proof):
    assert verdict_of(with_head(proof))


@pytest.mark.parametrize("n_rows", [10**15, 10**400, -1, 0, None, "9", 2.0])
def test_a_number_of_rows_that_is_not_that_of_the_file(proof, n_rows):
    assert not verdict_of(with_head(proof, n_rows=n_rows))


@pytest.mark.parametrize("names", [[None] * 7, None, "abcdefg", [["a"]] * 7, {}])
def test_names_that_are_no_names(proof, names):
    assert not verdict_of(with_head(proof, names=names))


def test_a_loss_that_is_no_number(proof):
    head = json.loads(proof[1])
    rows = [line.split(" ") for line in proof[2 : 2 + head["n_rows"]]]
    last = max(float(row[0]) for row in rows)
    for row in rows:  # what is left after the heavy rows is 1e-320 of them: 1 / G overflows
        row[2] = "1e-20" if float(row[0]) == last else "1e300"
    proof[2 : 2 + len(rows)] = [" ".join(row) for row in rows]
    head["fingerprint"] = fingerprint(head, rows)
    head["problem_fingerprint"] = problem_fingerprint(head)
    verdict = verdict_of(with_head(proof, **head))
    assert not verdict
    assert "weights must lie between" in str(verdict)
