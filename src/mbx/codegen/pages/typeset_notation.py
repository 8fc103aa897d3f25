"""Products of vectors as signs between them: what needs brackets, from left to right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.codegen.pages.page_notation import PageNotation
from mbx.expr.nodes import ONE, SYMBOL, Node
from mbx.formalism.page.page import Cross, Dot

if TYPE_CHECKING:
    from mbx.formalism.page.page import Side

__all__ = ["TypesetNotation"]


class TypesetNotation(PageNotation):
    """A notation in which a vector product is a sign, as a scalar product is."""

    def name(self, text: str) -> str:
        """Return a symbol: of the model, of the page, or an operation."""
        match self.page.operators.get(text):
            case Dot(left, right):
                return self.dot(self.operand(left), self.last_operand(right))
            case Cross(left, right):
                return self.cross(self.operand(left), self.last_operand(right))
        return super().name(text)

    def operand(self, side: Side) -> str:
        """Return the first factor of a product of vectors; a sum or a product is in brackets."""
        is_product = isinstance(self.page.operators.get(_symbol_text(side)), Dot | Cross)
        if is_product or len(side.parts) > 1 or self.is_sum(side):
            return self.sums.bracketed(self.side(side))
        return self.side(side)

    def last_operand(self, side: Side) -> str:
        """Return the other factor; all but a name or a vector by components is in brackets."""
        (first, *others) = side.parts
        is_single = not others and (
            bool(_symbol_text(side)) if isinstance(first, Node) else first.factor is ONE
        )
        return self.operand(side) if is_single else self.sums.bracketed(self.side(side))


def _symbol_text(side: Side) -> str:
    """Return the text of the symbol that a side is; "" if it is none."""
    (first, *others) = side.parts
    is_symbol = not others and isinstance(first, Node) and first.op == SYMBOL
    return str(first.value) if is_symbol and isinstance(first, Node) else ""
