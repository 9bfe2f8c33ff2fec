"""How the documentation is built: `make docs`."""

import csv
import re
import sys
from collections import Counter
from pathlib import Path

from docutils import nodes

import ordinate

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Ordinate"
author = "The Ordinate developers"
copyright = author
version = release = ordinate.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "command_help",
    "estimator_table",
    "live_code",
    "mathml",
    "offline",
    "public_names",
]
exclude_patterns = ["_build", "auto_pages"]


def count_verdicts():
    """Say how many rows of the coverage page have which verdict."""
    tables = sorted((Path(__file__).parent / "results").glob("coverage-*.csv"))
    rows = [row for path in tables for row in csv.DictReader(path.open(encoding="utf-8"))]
    verdicts = [re.match(r"\*\*(.*?)\*\*", row["published method"])[1] for row in rows]
    n = Counter(verdicts)
    printed = len(rows) - n["ours"]
    good, caused, other = n["reproduces"], n["reproduces with a cause"], n["differs"]
    return (
        f"Of {printed} quantities, tables and figures {good} reproduce, {caused} reproduce with a"
        f" named cause, {other} differ and {printed - good - caused - other} are missing or cannot"
        " be run."
    )


rst_epilog = f".. |coverage-counts| replace:: {count_verdicts()}"
templates_path = ["_templates"]
nitpicky = False

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's type slot already says it, with shapes
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 5,
    "write_computation_times": False,  # a page that loads scripts from elsewhere
    "copyfile_regex": r".*\.rst",
    "within_subsection_order": "FileNameSortKey",
    "nested_sections": False,
    "doc_module": ("ordinate",),  # pages of the reference list the examples that use a name
    "backreferences_dir": "api/generated/gallery",
}

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "Ordinate"
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_css_files = ["ordinate.css"]
html_show_sourcelink = False
html_search_scorer = str(Path(__file__).parent / "_static" / "scorer.js")
html_show_search_summary = False  # excerpts are fetched, which a page opened from a disk may not
html_theme_options = {
    "navbar_align": "left",
    "logo": dict.fromkeys(("image_light", "image_dark"), "_static/logo.svg") | {"text": "Ordinate"},
    "header_links_before_dropdown": 6,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "show_prev_next": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"*": []}  # pages at the top have no section of their own


def skip_foreign_members(app, what, name, obj, skip, options):
    """Leave out what classes inherit from other packages; it is documented there."""
    owner = getattr(obj, "__objclass__", obj)
    return skip or not (getattr(owner, "__module__", None) or "ordinate").startswith("ordinate")


def keep_figures_whole(app, doctree, docname):
    """Mark cells of tables that hold a figure such as ".12 ± .03", lest a phone breaks them."""
    for entry in doctree.findall(nodes.entry):
        text = entry.astext()
        if len(text) <= 18 and re.match(r"[−+<≥≤~]?\s*\.?\d", text):
            entry["classes"].append("unbroken")


def setup(app):
    app.connect("autodoc-skip-member", skip_foreign_members)
    app.connect("doctree-resolved", keep_figures_whole)
