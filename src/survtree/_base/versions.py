"""Versions of installed programs."""

from functools import cache
from importlib.metadata import version


@cache
def version_of(name: str) -> str:
    """Read from its files once: a list of near-optimal trees makes thousands of models."""
    return version(name)
