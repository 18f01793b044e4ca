"""A fitted model as one HTML page, and as a small picture in a notebook.

Facts -> plain dict -> SVG and HTML: ``facts`` and its neighbours know the model and no markup,
``tree_svg``, ``charts`` and ``html`` know facts and no model.
"""

from survtree._report.html import notebook_html, write_report

__all__ = ["notebook_html", "write_report"]
