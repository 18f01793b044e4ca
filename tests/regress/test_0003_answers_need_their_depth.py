"""An answer proven for every depth was used where too little depth was left to attain it.

The lower bound then came out below the optimum and the tree above it.
"""

import pytest

from tests.support.saved_problems import check_saved


@pytest.mark.parametrize("name", ["0003a", "0003b"])
def test_answers_need_their_depth(name):
    check_saved(name)
