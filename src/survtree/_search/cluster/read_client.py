"""Reads what the user gives as a cluster, and whether its processes are like this one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from survtree._base import ClusterError
from survtree._base.versions import SURVTREE_VERSION

_PACKAGE = "survtree"


@contextmanager
def read_client(given: Any) -> Iterator[Any]:
    """A client of a cluster; one that was made here is closed at the end."""
    try:
        from distributed import Client
    except ImportError as error:
        raise ClusterError(
            "a cluster needs the package distributed; install it with: "
            "pip install 'survtree[cluster]'"
        ) from error
    if isinstance(given, Client):
        if given.asynchronous:
            raise ValueError(
                "client must be one that waits; got one with asynchronous=True. Pass "
                "Client(address) without it."
            )
        yield given
    elif isinstance(given, str):
        with _connected(Client, given) as client:
            yield client
    else:
        raise TypeError(
            "client must be a distributed.Client or the address of a scheduler; got "
            f"{type(given).__name__}."
        )


def _connected(kind: Any, address: str) -> Any:
    try:
        return kind(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no scheduler answers at {address!r}: {error}. Is it running, and reachable from here?"
        ) from error


def checked_versions(client: Any) -> set[str]:
    """The addresses of the workers, if scheduler and workers have the versions of this process."""
    found = client.get_versions(packages=[_PACKAGE])
    _check_one("the scheduler", found["scheduler"], found["client"])
    for address, versions in found["workers"].items():
        _check_one(f"the worker at {address}", versions, found["client"])
    return set(found["workers"])


def like_this_process(client: Any) -> tuple[set[str], dict[str, str]]:
    """Workers that can search with this process; and why others cannot, by address."""
    found = client.get_versions(packages=[_PACKAGE])
    refused: dict[str, str] = {}
    for address, versions in found["workers"].items():
        try:
            _check_one(f"the worker at {address}", versions, found["client"])
        except ClusterError as error:
            refused[address] = str(error)
    return set(found["workers"]) - set(refused), refused


def _check_one(who: str, theirs: Any, ours: Any) -> None:
    """Raise unless a process has the Python, Dask and survtree of this one."""
    if not theirs:
        raise ClusterError(f"{who} does not say which versions it has; is it running?")
    own = {**_versions_of(ours), _PACKAGE: SURVTREE_VERSION}
    for name, version in _versions_of(theirs).items():
        if version == own[name]:
            continue
        if version is None:
            raise ClusterError(
                f"{who} has no {name}; install {name} {own[name]} there, as in this process"
            )
        raise ClusterError(
            f"{who} has {name} {version}, this process has {own[name]}; install the same version "
            "on both"
        )


def _versions_of(process: Any) -> dict[str, str | None]:
    packages = process["packages"]
    python = ".".join(str(process["host"].get("python", packages.get("python"))).split(".")[:2])
    return {
        "Python": python,
        "distributed": packages.get("distributed"),
        _PACKAGE: packages.get(_PACKAGE),
    }
