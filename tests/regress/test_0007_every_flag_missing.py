"""A categorical event without any value raised IndexError. Found by fuzzing outcomes."""

import numpy as np
import pandas as pd
import pytest

from survtree import OptimalSurvivalTree


def test_every_flag_is_missing():
    event = pd.Series(pd.Categorical([None, None, None]))
    with pytest.raises(ValueError, match=r"every row has a missing value\. Remove the rows"):
        OptimalSurvivalTree().fit(np.array([[0], [1], [1]]), (event, np.arange(1.0, 4.0)))
