"""How the pages become a site: ``make docs``. They are plain Markdown, which GitHub shows too."""

from importlib.metadata import version as version_of
from pathlib import Path

project = "survtree"
author = "The survtree developers"
copyright = author
version = release = version_of("survtree")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

# Links to headings are written as GitHub makes them.
myst_heading_anchors = 4

# Types are told by the docstrings, in words; those of signatures would be links to elsewhere.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
toc_object_entries_show_parents = "hide"
# The template of a class lists its members itself.
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = f"survtree {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).with_name("_static") / "search-scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_persistent": ["search-button"],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "header_links_before_dropdown": 8,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
}
# The front page has no neighbours to list.
html_sidebars = {"index": []}
