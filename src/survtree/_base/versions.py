"""The version of the package."""

from importlib.metadata import version

SURVTREE_VERSION = version("survtree")  # read once: that takes as long as a small fit
