"""How the specification is built: Sphinx, MyST, furo.

Nothing is fetched while it is built; formulas are set by MathJax where a page is viewed.
"""

from sphinx.highlighting import lexers

from mbx.pygments_lexer import MbLexer

project = "mbx"
author = "The mbx developers"
language = "en"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
nitpicky = True
smartquotes = False  # an apostrophe is a prime, two hyphens are an option
myst_heading_anchors = 3

html_theme = "furo"
html_title = "mbx: the specification"
html_copy_source = False
html_use_index = False
html_show_copyright = False
html_show_sphinx = False

lexers["mb"] = MbLexer()
