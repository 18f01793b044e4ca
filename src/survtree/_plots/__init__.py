"""Pictures of fitted trees, with matplotlib but none of its global state."""

from survtree._plots.calibration import plot_calibration
from survtree._plots.curves import plot_curves
from survtree._plots.gap import plot_gap
from survtree._plots.picture import Picture
from survtree._plots.tree import plot_tree

__all__ = ["Picture", "plot_calibration", "plot_curves", "plot_gap", "plot_tree"]
