"""Sides of equations in a notation: sums of expressions and vectors, and operations on names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from mbx.codegen.notation.term_layout import Term, magnitude
from mbx.codegen.pages.page_layout import PageLayout
from mbx.expr.nodes import ZERO, Node
from mbx.formalism.page.page import Cross, Dot, Literal, Partial, Rate, Variation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.notation.write_sums import SumWriter
    from mbx.formalism.equations import Signature
    from mbx.formalism.page.page import Math, Page, Side

__all__ = ["PageNotation"]


class PageNotation(ABC):
    """Writes the mathematics of one page."""

    sums: SumWriter

    def __init__(self, signature: Signature, page: Page) -> None:
        """Take the names of the model and of the page."""
        self.page = page
        self.layout = PageLayout.of_page(signature, page)

    # -- what notations share ----------------------------------------------------------------

    def node(self, node: Node) -> str:
        """Return an expression in one piece."""
        return self.sums.sum(self.layout(node))

    def side(self, side: Side) -> str:
        """Return a side of an equation."""
        text = ""
        for part in side.parts:
            if not isinstance(part, Node):
                text += self.literal(part, first=not text)
            elif part is not ZERO:
                for term in self.layout(part).terms:
                    text += self.sums.signed_term(term, first=not text)
        return text or self.node(ZERO)

    def literal(self, part: Literal, *, first: bool) -> str:
        """Return a vector by its components, with its factor and its sign."""
        inside = self.vector([self.node(x) for x in part.entries])
        terms = self.layout(part.factor).terms
        if len(terms) != 1:
            factor = self.sums.bracketed(self.node(part.factor))
            return self.sums.sign("" if first else "+", first=first) + self._times(factor, inside)
        (term,) = terms
        sign = self.sums.sign("-" if term.number < 0 else "" if first else "+", first=first)
        if not term.above and not term.below and magnitude(term.number) == 1:
            return sign + inside
        positive = Term(magnitude(term.number), term.above, term.below)
        return sign + self._times(self.sums.signed_term(positive, first=True), inside)

    def _times(self, factor: str, inside: str) -> str:
        return self.sums.product([factor, inside])

    def name(self, text: str) -> str:
        """Return a symbol: of the model, of the page, or an operation."""
        operator = self.page.operators.get(text)
        match operator:
            case Partial():
                return self.partial(self.node(operator.of), self.node(operator.by))
            case Rate():
                return self.rate(self.node(operator.of))
            case Variation():
                return self.variation(self.node(operator.of))
            case Dot():
                return self.dot(self.operand(operator.left), self.operand(operator.right))
            case Cross():
                return self.cross(self.side(operator.left), self.side(operator.right))
        return self.symbol(text)

    def operand(self, side: Side) -> str:
        """Return a factor of a scalar product; a sum is in brackets."""
        text = self.side(side)
        if len(side.parts) > 1 or self.is_sum(side):
            return self.sums.bracketed(text)
        return text

    def is_sum(self, side: Side) -> bool:
        """Return whether a side has several terms."""
        first = side.parts[0]
        return isinstance(first, Node) and len(self.layout(first).terms) > 1

    def equation(self, sides: Sequence[Side]) -> str:
        """Return equal sides."""
        return self.relation("=").join(self.side(side) for side in sides)

    def math(self, math: Math) -> str:
        """Return a formula inside of prose."""
        return self.relation(math.relation).join(self.side(side) for side in math.sides)

    def variation(self, of: str) -> str:
        """Return a virtual change."""
        return f"δ{of}"

    # -- marks -------------------------------------------------------------------------------

    @abstractmethod
    def relation(self, sign: str) -> str:
        """Return what stands between two sides: `=`, `≠`."""

    @abstractmethod
    def symbol(self, text: str) -> str:
        """Return a name of the model or of the page."""

    @abstractmethod
    def vector(self, entries: Sequence[str]) -> str:
        """Return a vector by its components."""

    @abstractmethod
    def partial(self, of: str, by: str) -> str:
        """Return a partial derivative."""

    @abstractmethod
    def rate(self, of: str) -> str:
        """Return a time derivative."""

    @abstractmethod
    def dot(self, left: str, right: str) -> str:
        """Return a scalar product."""

    @abstractmethod
    def cross(self, left: str, right: str) -> str:
        """Return a vector product."""
