r"""Equations in Markdown, as GitHub and Jupyter read it.

Formulas are the LaTeX of `mbx.codegen.notation.latex` between dollars, and stay on lines that no
rule of Markdown takes for its own. A dollar or a backslash of a text stands in an element of its
own, so that nobody takes it for the mark of a formula, not even after Markdown was read.
"""

from __future__ import annotations

import re
from html import escape as html_escape
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.display import display, operations
from mbx.codegen.notation.exposition import LINES, Exposition, length
from mbx.codegen.notation.latex.latex_notation import Latex, aligned, notation
from mbx.codegen.notation.notation import Aligned, Formula, Heading, Said
from mbx.codegen.notation.symbol_table import headline, symbol_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.codegen.notation.notation import Block
    from mbx.formalism.equations import Equations

__all__ = ["as_formula", "begin_paragraph", "escape", "page", "write_table", "write_unit"]

_MARKS: Final = frozenset("`*_{}[]#+!|~^@")
_FIRST: Final = frozenset("-=:0123456789")  # what a list, a heading or a rule may begin with
_ALONE: Final = {"$": "<span>&#36;</span>", "\\": "<span>&#92;</span>"}
_FORMULA_WORDS: Final = re.compile(r"[^A-Za-z0-9 .,:()\[\]'-]")


class _Latex(Latex):
    """LaTeX that MathJax knows, too."""

    __slots__ = ()

    def words(self, text: str) -> str:
        """Return words that stand inside of a formula, in signs that need no escape."""
        return rf"\text{{{_FORMULA_WORDS.sub('-', text)}}}"


def escape(text: str) -> str:
    """Return a text of which Markdown takes every character as it is."""
    return "".join(_ALONE.get(c) or _character(c) for c in safe_text(text))


def _character(c: str) -> str:
    return f"&#{ord(c)};" if c in _MARKS else html_escape(c, quote=False)


def page(equations: Equations) -> str:
    """Return equations as a page in Markdown."""
    shown = display(equations)
    write = _Latex(**{name: getattr(notation(shown), name) for name in ("write", "width")})
    laid_out = Exposition(shown, write)
    blocks = list(laid_out.program())
    many = length(blocks)
    program = (
        [f"{many} lines, too many to read; the JSON form has them."]
        if many > LINES
        else [text for block in blocks for text in _framed(block)]
    )
    parts = [
        f"# {escape(headline(equations))}",
        begin_paragraph(escape(equations.reference)),
        "## Symbols",
        _symbols(equations, write),
        "## Equations",
        *program,
        "## Results",
        write_table(
            ("result", "meaning"), ((_said((a,)), _said(b)) for a, b in laid_out.results())
        ),
        *(f"Note: {escape(note.rstrip('.'))}." for note in equations.notes),
        operations(shown),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _framed(block: Block) -> Iterator[str]:
    match block:
        case Heading():
            yield f"### {escape(block.text)}"
        case Said():
            yield begin_paragraph(_said(block.parts))
        case Aligned():
            yield f"$$\n\\begin{{aligned}}\n{as_formula(aligned(block))}\n\\end{{aligned}}\n$$"


def as_formula(latex: str) -> str:
    r"""Return LaTeX that no rule of Markdown or HTML applies to: matrices in one line, no `<`."""
    return re.sub(r"(?<!\\\\)\n|(?<=\\\\)\n(?![^\n]*&=|&)", " ", latex).replace("<", r"\lt ")


def begin_paragraph(text: str) -> str:
    """Return a text that begins a line and is neither a list nor a heading."""
    return f"&#{ord(text[0])};{text[1:]}" if text[:1] in _FIRST else text


def _said(parts: Sequence[str | Formula]) -> str:
    return "".join(
        f"${as_formula(one.text)}$" if isinstance(one, Formula) else escape(one) for one in parts
    )


def _symbols(equations: Equations, write: Latex) -> str:
    rows = (
        (escape(group), f"${write.name(path)}$", write_unit(unit), escape(meaning))
        for group, path, unit, meaning in symbol_rows(equations.signature)
    )
    return write_table(("", "symbol", "unit", "meaning"), rows)


def write_unit(text: str) -> str:
    """Return a unit with its powers raised."""
    return re.sub(r"&#94;([0-9]+)", r"<sup>\1</sup>", escape(text))


def write_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
