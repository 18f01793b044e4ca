"""What users pass beside a loss."""

from collections.abc import Mapping
from typing import Any


def check_loss_is_alone(options: Mapping[str, Any]) -> None:
    """The likelihood is about the outcomes themselves, and a reference about the Brier score."""
    if options.get("loss", "brier") == "brier":
        return
    for name in ("teacher", "reference"):
        if options.get(name) is not None:
            raise ValueError(
                f"{name} must be None beside loss='likelihood'; one was given, but the likelihood "
                "is computed from the outcomes alone. Leave it out, or pass loss='brier'."
            )
