"""Curves, the censoring curve, losses of rows, metrics and comparisons of leaves."""
