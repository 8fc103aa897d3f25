"""The model of a report: its symbols, its subsystems, its parts, and what it says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import safe_text
from mbx.checking.describe_model import describe
from mbx.codegen.notation.html_equations import linked as with_links
from mbx.codegen.notation.html_equations import symbol_table
from mbx.formalism.signature import signature
from mbx.language.document.metadata import Meta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from mbx.checking.describe_model import Description, Tree
    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = ["parts", "said", "subsystems", "symbols"]


def symbols(system: System) -> tuple[tuple[str, Markup, Markup, str], ...]:
    """Return the rows of the table of symbols; unknowns belong to forms."""
    return symbol_table(signature(system))


def subsystems(found: Description) -> tuple[tuple[int, str], ...]:
    """Return the subsystems with their depths, each below the one it is in; none if alone."""
    if not found.tree.children:
        return ()
    rows: list[tuple[int, str]] = []
    stack: list[tuple[int, Tree]] = [(0, found.tree)]  # deeper than Python calls go
    while stack:
        depth, part = stack.pop()
        rows.append((depth, safe_text(part.name)))
        stack += [(depth + 1, child) for child in reversed(part.children)]
    return tuple(rows)


def parts(linked: Linked) -> tuple[Description, tuple[tuple[str, str], ...]]:
    """Return the description of a model, and its parts: what they are, and their names."""
    found = describe(linked)
    bodies = ", ".join(one.path for one in found.bodies)
    joints = ", ".join(
        f"{one.path} ({one.kind}{', closes a loop' if one.loop else ''})" for one in found.joints
    )
    invariants = ", ".join(f"{one.path} (order {one.order})" for one in found.invariants)
    rows = (
        ("bodies", bodies),
        ("joints", joints),
        ("invariants", invariants),
        ("loads", ", ".join(found.loads)),
        ("experiments", ", ".join(found.experiments)),
    )
    return found, tuple((what, safe_text(names)) for what, names in rows if names)


def said(document: Document) -> Iterator[tuple[str, Markup]]:
    """Yield what a document says of itself: authors, licence, where it comes from."""
    for item in document.items:
        if isinstance(item, Meta):
            for one in item.items:
                doi = one.key == "doi" and not one.value.startswith(("doi:", "http"))
                yield (
                    one.key.replace("_", " "),
                    with_links(f"doi:{one.value}" if doi else one.value),
                )
