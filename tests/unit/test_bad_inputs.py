"""The page of bad inputs is what the code says now, and each message is of use."""

import re

import pytest

from tests.support.bad_inputs.forms import TELLS_ALL, TELLS_OTHERWISE, TELLS_RANGE
from tests.support.bad_inputs.page import CASES, GROUPS, PAGE, page

OWN = [case for case in CASES if not case.start]


def test_the_page_is_what_the_code_says_now():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.support.bad_inputs.page"


def test_every_group_and_title_occurs_once():
    assert len(CASES) >= 70
    for cases in GROUPS.values():
        assert len({case.title for case in cases}) == len(cases)


@pytest.mark.parametrize("case", OWN, ids=lambda case: case.title)
def test_messages_say_what_is_needed_what_came_where_and_what_next(case):
    message = case.message()
    for name in case.names:
        assert name in message
    forms = (TELLS_ALL, TELLS_RANGE, *TELLS_OTHERWISE)
    assert any(form.fullmatch(message) for form in forms), message


@pytest.mark.parametrize("case", OWN, ids=lambda case: case.title)
def test_messages_are_the_same_on_every_machine(case):
    message = case.message()
    assert not re.search(r"0x[0-9a-f]{4}|<class|np\.(float|int|str)|array\(|\.\.\.\.", message)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.start], ids=lambda case: case.title
)
def test_scikit_learn_still_starts_so(case):
    assert case.message().startswith(case.start)
