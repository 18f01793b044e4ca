"""The kernels of the GPU compiled for the CPU, where a block is one thread: the same source.

`HostDevice` stands in for a GPU, so that everything but the GPU itself is tested without one.
"""

import ctypes
import hashlib
import os
import platform
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from survtree._search.gpu.device import INFINITE, Launch
from survtree._search.gpu.source import Variant

# Not a folder that others may write to: what lies there is loaded.
PLACE = Path(__file__).parents[2] / "build" / "host-kernels"


class HostDevice:
    """A device whose memory is that of the process."""

    own_bytes = 128 * 1024
    n_blocks = 4
    most_bytes = 2**30
    name = "CPU"

    def has_room(self, n_bytes: int) -> bool:
        return n_bytes <= self.most_bytes

    def put(self, values: NDArray[Any]) -> Any:
        return np.array(values, order="C", copy=True)

    def room(self, n_bytes: int) -> Any:
        return np.empty(n_bytes, np.uint8)

    def table(self, size: int) -> Any:
        return np.full(size, INFINITE)

    def address(self, array: Any) -> int:
        return int(array.ctypes.data)

    def take(self, array: Any) -> NDArray[Any]:
        return np.array(array)

    def launch(self, call: Launch) -> None:
        function = getattr(_library(call.variant), call.kernel)
        numbers = [ctypes.c_uint64(number) for number in call.numbers]
        function(ctypes.c_void_p(call.arguments.ctypes.data), *numbers)


@cache
def _library(variant: Variant) -> ctypes.CDLL:
    """Compiled once a copy of the repository: the name says of which source."""
    compiler = os.environ.get("CXX", "c++")
    flags = ("-std=c++17", "-O2", "-shared", "-fPIC", "-Wall", "-Werror", *variant.definitions)
    text = variant.text + repr((compiler, flags, platform.machine()))
    PLACE.mkdir(parents=True, exist_ok=True)
    place = PLACE / f"{hashlib.sha256(text.encode()).hexdigest()}.so"
    if not place.exists():
        source, made = (place.with_suffix(f".{os.getpid()}{end}") for end in (".cpp", ".so"))
        source.write_text(variant.text, "utf-8")
        quiet = ("-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-parameter")
        subprocess.run([compiler, *flags, *quiet, "-o", made, source], check=True)
        made.replace(place)
        source.unlink()
    return ctypes.CDLL(str(place))


@contextmanager
def on_host() -> Iterator[HostDevice]:
    """Searches on a GPU run on the CPU meanwhile; the core does nothing before."""
    device = HostDevice()
    with (
        mock.patch("survtree._search.run.cuda_device", return_value=device),
        mock.patch("survtree._search.run.FIRST_WORK", 0),
        mock.patch("survtree._search.gpu.optima.WORTH_WORK", 0),
    ):
        yield device


def sizes_of(variant: Variant, arguments: NDArray[Any]) -> dict[str, int]:
    """What the kernels say of the sizes that Python computes as well."""
    library, place = _library(variant), ctypes.c_void_p(arguments.ctypes.data)
    for name in ("own_bytes", "scratch_bytes", "row_bytes", "tile_row_bytes", "arguments_bytes"):
        getattr(library, name).restype = ctypes.c_uint64
    return {
        "own": library.own_bytes(place),
        "scratch": library.scratch_bytes(place),
        "row": library.row_bytes(),
        "tile_row": library.tile_row_bytes(),
        "arguments": library.arguments_bytes(),
    }
