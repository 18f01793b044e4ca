"""`survtree fit --cluster` with a real scheduler and worker."""

import json

import numpy as np
import pytest

from survtree.datasets import load
from tests.faults.cluster import quick
from tests.support.dask_processes import dask_cluster, has_searched
from tests.support.runner import done, refused

# What dask itself does is not ours to judge.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


@pytest.fixture
def study(tmp_path):
    data = load("gbsg2")
    flags = data.y["event"].astype(np.int8)
    path = tmp_path / "gbsg2.csv"
    data.X.with_columns(days=data.y["time"].copy(), died=flags).write_csv(path)
    return path


def fitted(study, *options):
    model = ("--depth", 4, "--regularization", 0.002)
    told = json.loads(done("fit", study, *model, "--json", *options))
    return {name: told[name] for name in ("objective", "lower_bound", "status")}


def test_fit_shares_its_search(study):
    with dask_cluster(1) as (client, _), quick():
        there = fitted(study, "--cluster", client.scheduler.address)
        was_shared = client.run_on_scheduler(has_searched)
    assert there == fitted(study)
    assert was_shared


def test_no_scheduler_there_is_said(study):
    assert "no scheduler answers at 'tcp://127.0.0.1:1'" in refused(
        "fit", study, "--cluster", "tcp://127.0.0.1:1"
    )
