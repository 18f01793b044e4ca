"""The GPU as the lattice sees it: memory, kernels, and what is said where there is none."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from survtree._base import DeviceError
from survtree._search.gpu.source import THREADS, Variant

logger = logging.getLogger("survtree")
INSTEAD = "or use device='cpu', or device='auto', which uses a GPU where it can."
INFINITE = np.float64(np.inf).view(np.uint64)
_LITTLE_BYTES = 2**26
_KEPT_BYTES = 4096  # of a block's memory, for what has a fixed size


@dataclass(frozen=True)
class Launch:
    """One call of a kernel."""

    variant: Variant
    kernel: str
    arguments: NDArray[Any]  # one, as ARGUMENTS of source.py; handed over by value
    numbers: tuple[int, ...]
    n_blocks: int
    own_bytes: int = 0  # memory of each block


class Device(Protocol):
    """What runs the kernels: a GPU, or in tests the CPU."""

    @property
    def own_bytes(self) -> int:
        """Memory that a block may have for itself."""

    @property
    def n_blocks(self) -> int:
        """How many are started at once, at most."""

    def has_room(self, n_bytes: int) -> bool:
        """Whether so much memory may still be taken."""

    @property
    def name(self) -> str:
        """What a certificate calls it."""

    def put(self, values: NDArray[Any]) -> Any:
        """A copy on the device."""

    def room(self, n_bytes: int) -> Any:
        """Memory with whatever is in it."""

    def table(self, size: int) -> Any:
        """So many infinite numbers, as their bits."""

    def address(self, array: Any) -> int:
        """Where something lies."""

    def take(self, array: Any) -> NDArray[Any]:
        """A copy back here."""

    def launch(self, call: Launch) -> None:
        """Run a kernel and wait until it has ended."""


class CudaDevice:
    """The current GPU of this process, by CuPy."""

    def __init__(self) -> None:
        self._cupy = _cupy()
        with _device_errors(self._cupy):
            self._device = self._cupy.cuda.Device()
            attributes = self._device.attributes
        self._own_bytes = int(attributes["MaxSharedMemoryPerBlockOptin"]) - _KEPT_BYTES
        self._n_blocks = 8 * int(attributes["MultiProcessorCount"])

    @property
    def own_bytes(self) -> int:
        """Memory that a block may have for itself."""
        return self._own_bytes

    @property
    def n_blocks(self) -> int:
        """How many are started at once, at most."""
        return self._n_blocks

    def has_room(self, n_bytes: int) -> bool:
        """Whether the GPU has so much free, or CuPy keeps it without using it.

        Nobody asks about a little, since the answer takes longer than a small problem.
        """
        if n_bytes < _LITTLE_BYTES:
            return True
        pool = self._cupy.get_default_memory_pool()
        return n_bytes < int(self._device.mem_info[0]) + int(pool.free_bytes())

    @property
    def name(self) -> str:
        """As its maker calls it."""
        properties = self._cupy.cuda.runtime.getDeviceProperties(self._device.id)
        return str(properties["name"].decode())

    def put(self, values: NDArray[Any]) -> Any:
        """A copy on the device."""
        with _device_errors(self._cupy):
            return self._cupy.asarray(np.ascontiguousarray(values))

    def room(self, n_bytes: int) -> Any:
        """Memory with whatever is in it."""
        with _device_errors(self._cupy):
            return self._cupy.empty(n_bytes, np.uint8)

    def table(self, size: int) -> Any:
        """So many infinite numbers, as their bits."""
        with _device_errors(self._cupy):
            return self._cupy.full(size, INFINITE, np.uint64)

    def address(self, array: Any) -> int:
        """Where something lies."""
        return int(array.data.ptr)

    def take(self, array: Any) -> NDArray[Any]:
        """A copy back here."""
        with _device_errors(self._cupy):
            return np.asarray(self._cupy.asnumpy(array))

    def launch(self, call: Launch) -> None:
        """Run a kernel and wait until it has ended."""
        with _device_errors(self._cupy):
            function = _function(call.variant, call.kernel, self._device.id)
            if call.own_bytes > function.max_dynamic_shared_size_bytes:
                function.max_dynamic_shared_size_bytes = call.own_bytes
            words = (np.uint64(number) for number in call.numbers)
            arguments = (call.arguments, *words)
            function((call.n_blocks,), (THREADS,), arguments, shared_mem=call.own_bytes)
            self._cupy.cuda.get_current_stream().synchronize()


@cache
def _function(variant: Variant, kernel: str, device: int) -> Any:
    """A compiled kernel. CuPy keeps what it has compiled on disk, for other processes too."""
    return _module(variant, device).get_function(kernel)


@cache
def _module(variant: Variant, device: int) -> Any:
    logger.info("compiling the search for the GPU; the result is kept for later fits")
    options = ("-std=c++17", *variant.definitions)
    return _cupy().RawModule(code=variant.text, options=options)


def _cupy() -> Any:
    """CuPy, if it is there and finds a GPU."""
    try:
        cupy = import_module("cupy")
    except ImportError as error:
        raise DeviceError(
            f"a search on a GPU needs CuPy, which cannot be imported ({error}). Install "
            f"survtree[gpu], {INSTEAD}"
        ) from error
    with _device_errors(cupy):
        n_devices = cupy.cuda.runtime.getDeviceCount()
    if n_devices == 0:
        raise DeviceError(f"no CUDA GPU was found. Run on a machine that has one, {INSTEAD}")
    return cupy


@contextmanager
def _device_errors(cupy: Any) -> Iterator[None]:
    """What goes wrong on a GPU becomes a DeviceError that says what to do."""
    runtime, driver = cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError
    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as error:
        raise DeviceError(
            f"the GPU has too little free memory ({error}). Free some, {INSTEAD}"
        ) from error
    except (runtime, driver) as error:
        raise DeviceError(f"the GPU cannot be used ({error}). Mend that, {INSTEAD}") from error
