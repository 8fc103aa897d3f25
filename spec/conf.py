"""How the specification is built: Sphinx, MyST, furo.

Nothing is fetched while it is built; formulas are set by MathJax where a page is viewed.
"""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.highlighting import lexers

from mbx.show.coverage.coverage_page import coverage_page
from mbx.show.highlighting import MbLexer

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


def write_coverage(app: Sphinx) -> None:
    """Write coverage.md anew, from what the cases of the library say."""
    page, text = Path(app.srcdir, "coverage.md"), coverage_page()
    if not page.exists() or page.read_text("utf-8") != text:  # else it would be built again
        page.write_text(text, "utf-8")


def setup(app: Sphinx) -> None:
    """Have coverage.md written before pages are read."""
    app.connect("builder-inited", write_coverage)
