"""The model of a report: its symbols, its subsystems, its parts, and its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import safe_text
from mbx.checking.describe_model import describe
from mbx.codegen.notation.html_equations import linked as with_links
from mbx.codegen.notation.html_equations import symbol_table
from mbx.formalism.equations import signature
from mbx.language.document.metadata import Meta

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from mbx.checking.describe_model import Description, Tree
    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = ["metadata", "parts", "subsystems", "symbols"]


def symbols(system: System) -> tuple[tuple[str, Markup, Markup, str], ...]:
    """Return the rows of the table of symbols; unknowns belong to forms."""
    return symbol_table(signature(system))


def subsystems(description: Description) -> tuple[tuple[int, str], ...]:
    """Return the subsystems with their depths, each below its parent; nothing if there is none."""
    if not description.tree.children:
        return ()
    rows: list[tuple[int, str]] = []
    stack: list[tuple[int, Tree]] = [(0, description.tree)]  # deeper than Python calls go
    while stack:
        depth, part = stack.pop()
        rows.append((depth, safe_text(part.name)))
        stack += [(depth + 1, child) for child in reversed(part.children)]
    return tuple(rows)


def parts(linked: Linked) -> tuple[Description, tuple[tuple[str, str], ...]]:
    """Return the description of a model, and its parts: what they are, and their names."""
    description = describe(linked)
    bodies = ", ".join(element.path for element in description.bodies)
    joints = ", ".join(
        f"{element.path} ({element.kind}{', closes a loop' if element.loop else ''})"
        for element in description.joints
    )
    invariants = ", ".join(
        f"{element.path} (order {element.order})" for element in description.invariants
    )
    rows = (
        ("bodies", bodies),
        ("joints", joints),
        ("invariants", invariants),
        ("loads", ", ".join(description.loads)),
        ("experiments", ", ".join(description.experiments)),
    )
    return description, tuple((what, safe_text(names)) for what, names in rows if names)


def metadata(document: Document) -> Iterator[tuple[str, Markup]]:
    """Yield the metadata of a document: authors, licence, origin."""
    for item in document.items:
        if isinstance(item, Meta):
            for entry in item.items:
                doi = entry.key == "doi" and not entry.value.startswith(("doi:", "http"))
                yield (
                    entry.key.replace("_", " "),
                    with_links(f"doi:{entry.value}" if doi else entry.value),
                )
