"""Settings of the documentation: Markdown pages, a gallery of executed examples, the reference."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import suffice  # noqa: E402

project = "suffice"
author = "suffice developers"
copyright = author
release = version = suffice.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "sphinx_copybutton",
    "docstrings",
    "examples",
    "mathml",
    "explorer_page",
    "sample_report",
]
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py", "gallery/**/*.zip"]
templates_path = ["_templates"]
nitpicky = True

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "attrs_inline"]
myst_heading_anchors = 3

# Formulas are MathML, which browsers draw themselves: no script, no font, no request.
html_math_renderer = "mathml"

default_role = "literal"
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
autodoc_default_options = {"members": True, "inherited-members": True}
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"\.py$",
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "plot_gallery": "True",
    "abort_on_example_error": True,
    "min_reported_time": 5,
    "write_computation_times": False,
    "backreferences_dir": None,
    "within_subsection_order": "order.as_listed",
}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "suffice"
html_static_path = ["_static"]
html_css_files = ["suffice.css"]
html_context = {"default_mode": "auto"}
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": [], "lecture": [], "errata": []}
html_theme_options = {
    "logo": {"text": "suffice"},
    "use_edit_page_button": False,
    "navbar_align": "left",
    "show_toc_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "footer_start": ["copyright"],
    "footer_end": [],
}
