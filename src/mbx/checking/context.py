"""What the rules share: the model, its names, what is known of them, and the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mbx.language.units import show_dimension

if TYPE_CHECKING:
    from mbx.base.diagnostics import Report, Severity
    from mbx.checking.expressions.quantity import Quantity
    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.language.units import Dimension
    from mbx.linking.link import Linked

__all__ = ["Context", "describe"]


@dataclass(slots=True)
class Context:
    """A linked model under examination."""

    linked: Linked
    root: Scope
    report: Report
    relaxed: bool = False
    quantities: dict[Symbol, Quantity] = field(default_factory=dict)
    values: dict[Symbol, float] = field(default_factory=dict)
    order: list[Symbol] = field(default_factory=list)

    @property
    def severity(self) -> Severity:
        """How bad a fault of dimension is."""
        return "warning" if self.relaxed else "error"


def describe(dimension: Dimension | None) -> str:
    """Return a dimension for a message."""
    if dimension is None:
        return "any dimension"
    text = show_dimension(dimension)
    return "a pure number" if text == "1" else text
