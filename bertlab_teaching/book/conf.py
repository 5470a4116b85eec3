"""Sphinx's settings for the book (https://www.sphinx-doc.org/en/master/usage/configuration.html)."""

import bertlab

project = "bertlab"
author = "the bertlab authors"
copyright = "the bertlab authors. Text and figures: CC BY 4.0. Code: Apache License 2.0"
version = release = bertlab.__version__
extensions = [
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "bertlab_teaching.book.search",
]
templates_path = ["../templates/book"]

nb_execution_mode = "off"  # show stored outputs
myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
# The lessons are written for JupyterLab, where a % or a (...)= at the beginning of a line has no meaning.
myst_disable_syntax = ["myst_block_break", "myst_line_comment", "myst_target", "myst_role"]
smartquotes = False
suppress_warnings = ["myst.header"]  # a lesson's parts may begin two levels below the one before

autosummary_generate = False
autodoc_typehints = "none"  # docstrings describe parameters in words
default_role = "py:obj"  # the meaning of single backticks in a docstring
numpydoc_show_class_members = False
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

html_theme = "sphinx_book_theme"
html_title = "bertlab: BERT, from the inside"
html_theme_options = {
    "home_page_in_toc": True,
    "show_toc_level": 2,
    "use_download_button": False,  # a lesson's own link hands it out as students get it
    "navbar_persistent": [],  # the search stands in the sidebar
    "max_navbar_depth": 1,  # a deeper one has buttons to unfold it, and these have no name
}
html_context = {"default_mode": "auto"}  # light or dark, as the reader's machine is
html_sidebars = {"**": ["search-button-field.html", "sbt-sidebar-nav.html"]}
html_static_path = ["static"]
html_css_files = ["book.css"]
html_js_files = ["book.js", "search.js"]
html_use_index = False
html_copy_source = False
html_show_sourcelink = False
