"""Equations as a part of a page in HTML: templates of the package, data that is escaped."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from mbx.base.diagnostics import safe_text
from mbx.codegen.notation.display import display, operations
from mbx.codegen.notation.exposition import LINES, Exposition, length
from mbx.codegen.notation.html_units import write_unit
from mbx.codegen.notation.latex.latex_names import Names
from mbx.codegen.notation.mathml import mathml_names, mathml_notation
from mbx.codegen.notation.notation import Aligned, Formula, Heading, Said
from mbx.codegen.notation.symbol_table import headline, symbol_rows
from mbx.codegen.pages.html_page import write_html_page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.codegen.notation.notation import Block
    from mbx.formalism.equations import Equations, Signature

__all__ = [
    "POLICY",
    "Symbol",
    "View",
    "environment",
    "fragment",
    "linked",
    "page",
    "part",
    "style",
    "symbol_table",
    "view",
]

POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)
"""What a page may load: nothing but itself."""

_SIZE: Final = 1_500_000
"""Characters of the formulas of one form that a browser shows at once without effort."""
_SYMBOLS: Final = 40
"""Symbols that are shown without being asked for."""
_LINK: Final = re.compile(
    r"(?P<url>https?://[^\s<>\"'()\[\]{}]*[^\s<>\"'()\[\]{}.,;:])|(?:doi:\s*)(?P<doi>10\.[0-9]{4,9}/[^\s<>\"',;]*[^\s<>\"',;.])"
)

_NOTHING: Final = Markup()

Symbol = tuple[str, Markup, Markup, str]
"""A row of the table of symbols: group, formula, unit, meaning."""


@dataclass(frozen=True, slots=True)
class View:
    """Equations as a template shows them.

    Attributes:
        form: Name of the form, with its variant.
        headline: Form, variant and model in a few words.
        title: The form's name in prose.
        reference: The text it follows.
        symbols: Rows of the table of symbols: group, formula, unit, meaning.
        blocks: The program: kind, and text, parts or formula.
        results: Rows of the table of results: what it is called, what is said of it.
        notes: What a reader should know.
        operations: The sentence on the number of operations.
        lines: How many lines the program has.
        cut: Likewise, if they are too many to show; else 0.
        page: The equations as a text prints them; nothing if there is no page.
    """

    form: str
    headline: str
    title: str
    reference: str
    symbols: tuple[Symbol, ...]
    blocks: tuple[tuple[str, str | Markup], ...]
    results: tuple[tuple[Markup, Markup], ...]
    notes: tuple[str, ...]
    operations: str
    lines: int
    cut: int
    page: Markup = _NOTHING


def view(equations: Equations, *, only_equations: bool = False) -> View:
    """Return equations as a template shows them; a page with `only_equations` has no words."""
    shown = display(equations)
    write = mathml_notation.notation(shown)
    laid_out = Exposition(shown, write)
    program = list(laid_out.program())
    lines = cut = length(program)
    blocks: tuple[tuple[str, str | Markup], ...] = ()
    if lines <= LINES:
        blocks = tuple(_shown(block) for block in program)
        cut = lines if sum(len(text) for _, text in blocks) > _SIZE else 0
    form = equations.formalism
    page = _NOTHING
    if equations.page is not None:
        anchor = f"{form}-{equations.variant}-eq" if equations.variant else f"{form}-eq"
        page = write_html_page(
            equations.signature, equations.page, anchor, only_equations=only_equations
        )
    variant = f", variant {equations.variant}" if equations.variant else ""
    return View(
        form=f"{form}:{equations.variant}" if equations.variant else form,
        headline=safe_text(headline(equations)),
        title=safe_text(f"{equations.title}{variant}"),
        reference=safe_text(equations.reference),
        symbols=_symbols(equations.signature, write.name),
        blocks=() if cut else blocks,
        results=tuple((_sentence((left,)), _sentence(said)) for left, said in laid_out.results()),
        notes=tuple(safe_text(note.rstrip(".")) for note in equations.notes),
        operations=operations(shown),
        cut=cut,
        lines=lines,
        page=page,
    )


def symbol_table(signature: Signature) -> tuple[Symbol, ...]:
    """Return the rows of the table of symbols of a model, without those that forms add."""
    names = Names(signature)
    kept = replace(signature, highest=(), derived=())
    return _symbols(kept, lambda path: mathml_names.name(names(path)))


def _symbols(signature: Signature, name: Callable[[str], str]) -> tuple[Symbol, ...]:
    return tuple(
        (group, _math(Formula(name(path))), write_unit(unit), safe_text(meaning))
        for group, path, unit, meaning in symbol_rows(signature)
    )


def _shown(block: Block) -> tuple[str, str | Markup]:
    match block:
        case Heading():
            return "heading", safe_text(block.text)
        case Said():
            return "said", _sentence(block.parts)
        case Aligned():
            return "aligned", Markup(mathml_notation.block(block))  # noqa: S704  its writer escapes all


def _sentence(parts: Sequence[str | Formula]) -> Markup:
    return Markup().join(
        _math(one) if isinstance(one, Formula) else safe_text(one) for one in parts
    )


def _math(formula: Formula) -> Markup:
    return Markup(mathml_notation.inline(formula))  # noqa: S704  its writer escapes all


def linked(text: str) -> Markup:
    """Return a text in which addresses of the web and DOIs are links, and nothing else is."""
    found, at = Markup(), 0
    for one in _LINK.finditer(safe_text(text)):
        target = one["url"] or f"https://doi.org/{one['doi']}"
        found += one.string[at : one.start()]
        found += Markup('<a href="{}" rel="noreferrer">{}</a>').format(target, one[0])
        at = one.end()
    return found + safe_text(text)[at:]


@cache
def environment(package: str = "mbx.codegen.notation") -> Environment:
    """Return the templates of a package; what they are given is escaped."""
    found = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["linked"] = linked
    return found


def part(shown: View, *, folded: bool = False) -> Markup:
    """Return the part of a page that speaks of one form, without its headline.

    The table of symbols can be folded away, and is if it is long.
    """
    template = environment().get_template("form.html")
    folded = folded or len(shown.symbols) > _SYMBOLS
    return Markup(template.render(form=shown, folded=folded))  # noqa: S704  a template's


def style() -> Markup:
    """Return the style sheet of pages."""
    return Markup(environment().get_template("page.css").render())  # noqa: S704  the package's own


def fragment(equations: Equations) -> str:
    """Return equations as a piece of HTML that stands in a page of somebody else."""
    return _rendered("fragment.html", equations)


def page(equations: Equations, *, only_equations: bool = False) -> str:
    """Return equations as a page of its own."""
    return _rendered("page.html", equations, only_equations=only_equations) + "\n"


def _rendered(template: str, equations: Equations, *, only_equations: bool = False) -> str:
    shown = view(equations, only_equations=only_equations)
    return (
        environment()
        .get_template(template)
        .render(form=shown, part=part(shown), style=style(), policy=POLICY)
    )
