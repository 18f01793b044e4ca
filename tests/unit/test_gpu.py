"""A search on a GPU, from the estimator down; the CPU stands in for the GPU (host_device.py)."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from survtree import OptimalSurvivalTree, OptimalSurvivalTreeCV, regularization_path
from survtree._base import DeviceError, SearchStoppedWarning
from survtree._data.read_table import default_names
from survtree._data.table import EventTable
from survtree._questions.questions import Questions
from survtree._search import run as running
from survtree._search.gpu import device as cuda
from survtree._search.gpu.engine import cuda_device
from survtree._search.gpu.source import (
    ARGUMENTS,
    LOSSES,
    THREADS,
    Variant,
    own_bytes,
    scratch_bytes,
)
from survtree._search.problem import Problem, SearchSettings
from survtree._search.solve import find, solve
from survtree.datasets import load
from tests.support.hard_problem import hard_problem
from tests.support.host_device import HostDevice, on_host, sizes_of
from tests.support.problems import random_case
from tests.support.runner import done, survtree


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (120, 6))
    time = rng.exponential(1.0 + X[:, 0] + 2 * X[:, 1])
    return X, rng.random(120) < 0.7, time


@pytest.fixture
def without_cupy() -> Iterator[None]:
    """As on a machine on which CuPy is not installed."""
    cuda_device.cache_clear()
    with mock.patch.dict(sys.modules, {"cupy": None}):
        yield
    cuda_device.cache_clear()


def tree_of(rows: Any, **options: Any) -> OptimalSurvivalTree:
    X, event, time = rows
    return OptimalSurvivalTree(3, 0.003, min_samples_leaf=5, **options).fit(X, (event, time))


def test_a_fit_on_a_gpu_is_that_of_the_cpu(rows: Any) -> None:
    plain = tree_of(rows)
    with on_host():
        found = tree_of(rows, device="cuda")
    assert found.status_ == plain.status_ == "optimal"
    assert found.objective_ == plain.objective_
    assert np.array_equal(found.tree_.question, plain.tree_.question)
    assert np.array_equal(found.predict(rows[0]), plain.predict(rows[0]))
    assert found.certificate_.is_from_gpu
    assert not plain.certificate_.is_from_gpu
    assert "searched on a GPU" in found.certificate_.last_line()


def test_a_path_on_a_gpu_is_that_of_the_cpu(rows: Any) -> None:
    X, event, time = rows
    plain = regularization_path(X, (event, time), max_depth=3, min_regularization=0.001)
    with on_host():
        found = regularization_path(
            X, (event, time), max_depth=3, min_regularization=0.001, device="cuda"
        )
    assert len(found) == len(plain) > 2
    for a, b in zip(found, plain, strict=True):
        assert np.array_equal(a.tree_.question, b.tree_.question)
        assert a.regularization_interval_ == b.regularization_interval_
        assert a.certificate_.is_from_gpu
        assert not b.certificate_.is_from_gpu


def test_a_path_that_is_stopped_has_what_was_found(rows: Any) -> None:
    X, event, time = rows
    with on_host(), pytest.warns(SearchStoppedWarning, match="time limit"):
        found = regularization_path(
            X, (event, time), max_depth=3, min_regularization=0.001, device="cuda", time_limit=1e-9
        )
    assert found.status_ == "time_limit"
    assert found[0].n_leaves_ == 1


def test_cross_validation_on_a_gpu_is_that_of_the_cpu(rows: Any) -> None:
    X, event, time = rows
    options: dict[str, Any] = {"max_depths": [2, 3], "teacher": None, "cv": 3}
    plain = OptimalSurvivalTreeCV(**options).fit(X, (event, time))
    with on_host():
        found = OptimalSurvivalTreeCV(**options, device="cuda").fit(X, (event, time))
    assert {**found.best_params_, "device": "cpu"} == plain.best_params_
    assert found.best_score_ == plain.best_score_
    assert found.certificate_.is_from_gpu


def test_near_optimal_trees_on_a_gpu_are_those_of_the_cpu(rows: Any) -> None:
    plain = tree_of(rows).near_optimal(within=0.05)
    with on_host():
        found = tree_of(rows, device="cuda").near_optimal(within=0.05)
    assert len(found) == len(plain) > 5
    for a, b in zip(found, plain, strict=True):
        assert np.array_equal(a.tree_.question, b.tree_.question)
        assert a.objective_ == b.objective_


def test_a_list_that_is_interrupted_on_a_gpu_ends(rows: Any) -> None:
    with on_host():
        model = tree_of(rows, device="cuda")
        with (
            mock.patch.object(HostDevice, "launch", side_effect=KeyboardInterrupt),
            pytest.warns(SearchStoppedWarning, match="an interrupt"),
            mock.patch("survtree._search.near_trees.AT_ONCE", 1),
        ):
            model.near_optimal(within=5.0, limit=10**6)


def test_a_core_looks_first_even_where_a_gpu_is_asked_for(rows: Any) -> None:
    with on_host(), mock.patch.object(running, "FIRST_WORK", 10**9):
        found = tree_of(rows, device="cuda")
    assert found.status_ == "optimal"
    assert not found.certificate_.is_from_gpu


def test_a_limit_on_leaves_goes_to_the_gpu_where_that_is_enough(rows: Any) -> None:
    plain = tree_of(rows, max_leaves=3)
    with on_host():
        found = tree_of(rows, max_leaves=3, device="cuda")
    assert found.objective_ == plain.objective_
    assert np.array_equal(found.tree_.question, plain.tree_.question)


def test_small_problems_stay_on_the_cpu(rows: Any) -> None:
    with on_host():
        assert not tree_of(rows, device="auto").certificate_.is_from_gpu


@contextmanager
def slow_core() -> Iterator[None]:
    """As if a core had not finished within the moment that it is given first."""
    with mock.patch.object(running, "soon_on_cpu", return_value=None):
        yield


def test_auto_goes_to_the_gpu_where_a_core_does_not_finish_at_once() -> None:
    problem = replace(random_case(7).problem, max_depth=3)
    with on_host(), slow_core():
        found = solve(problem, SearchSettings(device="auto"))
    plain = solve(problem, SearchSettings())
    assert running.ON_GPU in found.counts
    assert np.array_equal(found.tree.question, plain.tree.question)


def test_auto_says_why_it_stays_on_the_cpu(
    without_cupy: None, caplog: pytest.LogCaptureFixture
) -> None:
    problem = replace(random_case(7).problem, max_depth=3)
    with caplog.at_level(logging.INFO, "survtree"), slow_core():
        found = solve(problem, SearchSettings(device="auto"))
    assert found.status == "optimal"
    assert running.ON_GPU not in found.counts
    assert "needs CuPy" in caplog.text


def test_without_cupy_the_message_says_what_to_install(rows: Any, without_cupy: None) -> None:
    with pytest.raises(DeviceError, match=r"needs CuPy.*survtree\[gpu\].*device='cpu'"):
        tree_of(rows, device="cuda")


def test_without_a_gpu_the_message_says_so() -> None:
    class Error(Exception):
        pass

    cupy = mock.MagicMock()
    cupy.cuda.runtime.CUDARuntimeError = cupy.cuda.driver.CUDADriverError = Error
    cupy.cuda.memory.OutOfMemoryError = type("OutOfMemoryError", (Exception,), {})
    cupy.cuda.runtime.getDeviceCount.return_value = 0
    with mock.patch.dict(sys.modules, {"cupy": cupy}), pytest.raises(DeviceError, match="no CUDA"):
        cuda.CudaDevice()
    cupy.cuda.runtime.getDeviceCount.side_effect = Error("driver too old")
    with (
        mock.patch.dict(sys.modules, {"cupy": cupy}),
        pytest.raises(DeviceError, match=r"cannot be used \(driver too old\)"),
    ):
        cuda.CudaDevice()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"certificate": "full"}, "full certificate"),
        ({"node_limit": 5}, "node_limit"),
    ],
)
def test_what_a_gpu_cannot_do_is_refused(rows: Any, options: Any, words: str) -> None:
    with on_host(), pytest.raises(DeviceError, match=words):
        tree_of(rows, device="cuda", **options)


@pytest.mark.parametrize("depth", [None, 8])
def test_depths_beyond_the_kernels_are_refused(depth: int | None) -> None:
    problem = replace(random_case(7).problem, max_depth=depth)
    with on_host(), pytest.raises(DeviceError, match="max_depth must be a number up to 7"):
        find(problem, SearchSettings(device="cuda"))


def test_a_loss_without_a_kernel_is_refused(rows: Any) -> None:
    without = mock.patch("survtree._search.gpu.engine.LOSSES", ("teacher",))
    with on_host(), without, pytest.raises(DeviceError, match="'brier' has no kernel"):
        tree_of(rows, device="cuda")


def test_too_little_memory_is_told(rows: Any) -> None:
    with (
        on_host(),
        mock.patch.object(HostDevice, "most_bytes", 10),
        pytest.raises(DeviceError, match="too little free memory"),
    ):
        tree_of(rows, device="cuda")


def test_a_time_limit_leaves_a_tree_and_bounds_that_hold(rows: Any) -> None:
    best = tree_of(rows).objective_
    with on_host(), pytest.warns(SearchStoppedWarning, match="time limit"):
        found = tree_of(rows, device="cuda", time_limit=1e-9)
    assert found.status_ == "time_limit"
    assert found.lower_bound_ <= best <= found.objective_


def test_a_callback_stops_it(rows: Any) -> None:
    best = tree_of(rows).objective_
    with (
        on_host(),
        mock.patch("survtree._search.progress.BEAT_S", -1.0),
        pytest.warns(SearchStoppedWarning, match="callback"),
    ):
        found = tree_of(rows, device="cuda", callback=lambda _: True)
    assert found.status_ == "interrupted"
    assert found.lower_bound_ <= best <= found.objective_


def test_an_interrupt_stops_it(rows: Any) -> None:
    class Interrupting(HostDevice):
        n_left = 1

        def launch(self, call: Any) -> None:
            self.n_left -= 1
            if self.n_left == 0:
                raise KeyboardInterrupt
            super().launch(call)

    device = Interrupting()
    with (
        mock.patch.object(running, "cuda_device", return_value=device),
        mock.patch.object(running, "FIRST_WORK", 0),
        pytest.warns(SearchStoppedWarning, match="interrupt"),
    ):
        found = tree_of(rows, device="cuda")
    assert found.status_ == "interrupted"


@pytest.mark.parametrize(
    ("loss", "n_components"),
    [*((loss, 0) for loss in LOSSES if loss != "teacher"), *(("teacher", n) for n in (1, 12, 25))],
)
@pytest.mark.parametrize("has_codes", [False, True])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_sizes_are_those_of_the_kernels(
    loss: str, n_components: int, has_codes: bool, is_weighted: bool
) -> None:
    variant = Variant(loss, has_codes, is_weighted, n_components)
    arguments = np.zeros((), ARGUMENTS)
    for level, n_questions, n_columns, n_words in ((0, 1, 0, 2), (3, 841, 14, 7), (6, 56, 0, 2)):
        numbers = (10, n_questions, n_columns, n_words, level)
        names = ("n_rows", "n_questions", "n_columns", "n_words", "level")
        for name, number in zip(names, numbers, strict=True):
            arguments[name] = number
        sizes = sizes_of(variant, arguments)
        assert sizes["arguments"] == ARGUMENTS.itemsize
        assert sizes["row"] == variant.row_bytes
        assert sizes["tile_row"] == variant.tile_row_bytes
        assert sizes["own"] == own_bytes(variant, 1 << level, n_questions, n_columns)
        assert 0 <= scratch_bytes(variant, 10, n_words) - sizes["scratch"] < 256
    assert THREADS % 32 == 0


def test_a_fit_at_its_defaults_is_that_of_the_cpu() -> None:
    X, y = load("veterans")
    plain = OptimalSurvivalTree().fit(X, y)
    with on_host():
        found = OptimalSurvivalTree(device="cuda").fit(X, y)
    assert found.status_ == plain.status_
    assert found.objective_ == plain.objective_
    assert np.array_equal(found.tree_.question, plain.tree_.question)


def test_auto_continues_on_a_gpu_what_a_core_has_begun() -> None:
    X, (event, time) = hard_problem(300, 20)
    events = EventTable(event, time, np.ones(len(time)))
    problem = Problem(X.astype(np.uint8), events, Questions(default_names(20)), 0.0005, 4, 5)
    plain = solve(problem, SearchSettings())
    nothing = mock.patch("survtree._search.gpu.engine.LANE_ROWS_A_SECOND", 1e30)
    with on_host(), nothing, mock.patch.object(running, "FIRST_ON_CPU_S", 0.001):
        found = solve(problem, SearchSettings(device="auto"))
    assert running.ON_GPU in found.counts
    assert found.objective == plain.objective
    assert np.array_equal(found.tree.question, plain.tree.question)


def test_the_command_line_has_it(tmp_path: Path, without_cupy: None) -> None:
    data = tmp_path / "veterans.csv"
    done("datasets", "save", "veterans", data)
    fit = ("fit", data, "--depth", "2", "--regularization", "0.001", "-o", tmp_path / "tree.json")
    done(*fit, "--device", "auto")
    run = survtree(*fit, "--device", "cuda")
    assert run.exit_code == 2
    assert "needs CuPy" in run.stderr
    run = survtree("path", data, "--depth", "2", "--device", "cuda")
    assert run.exit_code == 2
    assert "needs CuPy" in run.stderr
