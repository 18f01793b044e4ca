"""Bad inputs where a cluster is asked for."""

from typing import Any

from distributed import Client

import survtree
from tests.support.bad_inputs.case import Case


def enter(client: Any) -> None:
    """Begin a ``with`` block that fails."""
    with survtree.cluster(client):
        raise AssertionError("nobody complained")


class Asynchronous(Client):  # type: ignore[misc]
    """A client as inside an event loop; it connects to nothing."""

    asynchronous = True

    def __init__(self) -> None:
        """Do without a scheduler."""

    def __del__(self) -> None:
        """Leave nothing to be closed."""


CLUSTERS: dict[str, list[Case]] = {
    "Clusters": [
        Case("`cluster(8786)`", lambda: enter(8786), ("client", "int"), TypeError),
        Case(
            "`cluster(Client(..., asynchronous=True))`",
            lambda: enter(Asynchronous()),
            ("client", "asynchronous=True"),
        ),
    ],
}
