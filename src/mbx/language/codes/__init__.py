"""The diagnostic codes: a page for each, and the chapter of the spec that is made of them.

A page is Markdown: a heading with code and title, the rule, the severity, a wrong and a right
example. `python -m mbx.language.codes` writes the chapter.
"""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import Final

__all__ = ["FAMILIES", "codes", "page", "severity", "write_index"]

FAMILIES: Final = {
    "1": "Text",
    "2": "JSON",
    "3": "Names and topology",
    "4": "Physics and dimensions",
    "5": "Limits",
    "7": "Files",
}
"""What the first digit of a code stands for."""

_PAGES: Final = Path(__file__).parent

_TABLE: Final = ("| code | severity | title |", "|---|---|---|")

_HEAD: Final = """\
# Diagnostic codes

Every finding has a code, a place and a severity: an error, a warning or a note.
A model with errors is not used; warnings and notes do not stop anything.
The first digit of a code tells its family.
Limits, family 5, are raised by `mbx --limit NAME=VALUE` and never by a model.
`mbx explain MBX3104` prints the page of a code.
This chapter is made of these pages by `python -m mbx.language.codes`.
"""


def codes() -> dict[str, str]:
    """Return every code that has a page, sorted, with its title."""
    names = sorted(path.stem for path in _PAGES.glob("MBX*.md"))
    return {code: _title(code) for code in names}


def page(code: str) -> str:
    """Return the page of a code."""
    return (_PAGES / f"{code}.md").read_text("utf-8")


def severity(code: str) -> str:
    """Return how bad a code is: error, warning or note."""
    match = re.search(r"^Severity: (error|warning|note)\b", page(code), re.MULTILINE)
    if match is None:
        raise ValueError(code)
    return match[1]


def write_index() -> str:
    """Return the chapter of the spec: a table for each family, then every page."""
    titles = codes()
    families = [(digit, list(group)) for digit, group in groupby(titles, key=lambda code: code[3])]
    parts = [_HEAD]
    for digit, family in families:
        rows = [
            f"| [{code}](#{code.lower()}) | {severity(code)} | {titles[code]} |" for code in family
        ]
        parts.append("\n".join([f"## {digit}: {FAMILIES[digit]}", "", *_TABLE, *rows, ""]))
    for digit, family in families:
        parts.append(f"## {FAMILIES[digit]}, page by page\n")
        parts += [f"({code.lower()})=\n{_deeper(page(code))}" for code in family]
    return "\n".join(parts)


def _title(code: str) -> str:
    """Return the heading of a page without the code."""
    return page(code).partition("\n")[0].removeprefix(f"# {code}: ")


def _deeper(text: str) -> str:
    """Return a page with its headings two levels down; a fenced example has none."""
    return re.sub(r"^(#+ (?:MBX|Wrong$|Right$))", r"##\1", text, flags=re.MULTILINE)
