"""The kernels of the GPU compiled for the CPU, where a block is one thread: the same source.

`HostDevice` stands in for a GPU, so that everything but the GPU itself is tested without one.
"""

import ctypes
import hashlib
import os
import subprocess
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import numpy as np
from numpy.typing import NDArray

from survtree._search.gpu.device import INFINITE, Launch
from survtree._search.gpu.source import Variant


class HostDevice:
    """A device whose memory is that of the process."""

    own_bytes = 128 * 1024
    n_blocks = 4
    free_bytes = 2**30
    name = "CPU"

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
    """Compiled once a machine: the name says of which source."""
    compiler = os.environ.get("CXX", "c++")
    flags = ("-std=c++17", "-O2", "-shared", "-fPIC", "-Wall", "-Werror", *variant.definitions)
    text = variant.text + repr((compiler, flags))
    place = Path(gettempdir()) / f"survtree_kernels_{hashlib.sha256(text.encode()).hexdigest()}.so"
    if not place.exists():
        source, made = (place.with_suffix(f".{os.getpid()}{end}") for end in (".cpp", ".so"))
        source.write_text(variant.text, "utf-8")
        quiet = ("-Wno-unused-function", "-Wno-unused-variable", "-Wno-unused-parameter")
        subprocess.run([compiler, *flags, *quiet, "-o", made, source], check=True)
        made.replace(place)
        source.unlink()
    return ctypes.CDLL(str(place))
