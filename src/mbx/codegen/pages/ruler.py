"""How wide formulas are in print: a notation that writes as many signs as units of width.

Widths are those of Computer Modern at ten points, as LaTeX and Typst set it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Self

from mbx.codegen.notation.write_sums import SumWriter
from mbx.codegen.pages.breakable import CLOSERS, MARKS, OPENERS, BreakableSums
from mbx.codegen.pages.page_names import measure_name
from mbx.codegen.pages.typeset_notation import TypesetNotation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.notation.term_layout import Atom, Term
    from mbx.codegen.pages.page_names import PageNames
    from mbx.expr.nodes import Number
    from mbx.formalism.equations import Signature
    from mbx.formalism.page.page import Page

__all__ = ["Ruler", "RulerSums", "measure"]

_DIGIT: Final = 4
_SMALL: Final = 0.7
_SIGN: Final = 10
_RELATION: Final = 11
_BRACKET: Final = 4
_COMMA: Final = 6
_WIDEST: Final = 300
"""Units of the longest fraction."""


def measure(text: str) -> int:
    """Return the width of what the ruler wrote."""
    return sum(c not in MARKS or c in OPENERS or c in CLOSERS for c in text)


def _fill(units: float) -> str:
    return "x" * round(units)


class _Widths(SumWriter):
    """Writes widths."""

    __slots__ = ()
    after_lead: ClassVar[str] = ""

    @property
    def opening(self) -> str:
        """A bracket that is closed on another line."""
        return _fill(_BRACKET)

    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with its power."""
        return _fill(_BRACKET) + (self.power(exponent) if exponent != 1 else "")

    def digits(self, text: str) -> str:
        """Return a whole number, or the exponent that a fraction is."""
        return _fill(_DIGIT * len(text))

    def number(self, value: Number) -> str:
        """Return a number without its sign."""
        longest = max(len(part) for part in str(value).lstrip("-").split("/"))
        return _fill(_DIGIT * longest + 2)

    def sign(self, sign: str, *, first: bool) -> str:
        """Return a sign in front of a term."""
        return "" if not sign else _fill(7 if first else _SIGN)

    def product(self, factors: Sequence[str]) -> str:
        """Return factors side by side, with a little room."""
        return "x".join(factors)

    def fraction(self, above: Sequence[str], below: Sequence[str]) -> str:
        """Return factors above others."""
        return _fill(2 + max(measure(self.product(above)), measure(self.product(below))))

    def root(self, inside: str) -> str:
        """Return a square root."""
        return _fill(8 + measure(inside))

    def takes_power(self, function: str) -> bool:
        """Return whether the power of a function stands behind its name."""
        del function
        return True

    def raised(self, atom: Atom, text: str, power: str) -> str:
        """Return an atom to a power."""
        del atom
        return text + _fill(1 + _SMALL * measure(power))

    def bracketed(self, inside: str) -> str:
        """Return something in brackets."""
        return inside

    def magnitude(self, inside: str) -> str:
        """Return something between bars."""
        return _fill(_BRACKET) + inside

    def cases(self, yes: str, condition: str, no: str) -> str:
        """Return one thing if a condition holds, or another."""
        return _fill(60 + max(measure(yes), measure(no)) + measure(condition))

    def call(self, function: str, power: str, args: Sequence[str]) -> str:
        """Return a function of arguments."""
        head = _fill(3.6 * len(function) + _SMALL * measure(power) + 2)
        return head + self.bracketed(_fill(_COMMA).join(args))

    def compared(self, left: str, word: str, right: str) -> str:
        """Return that one thing is less than another."""
        del word
        return left + _fill(_RELATION) + right

    def joined(self, word: str, conditions: Sequence[str]) -> str:
        """Return conditions joined by `and` or `or`."""
        del word
        return _fill(_SIGN + 2 * _BRACKET).join(["", *conditions])

    def negated(self, condition: str) -> str:
        """Return that a condition does not hold."""
        return _fill(_SIGN + 2 * _BRACKET) + condition

    def not_zero(self, value: str) -> str:
        """Return that something is not zero."""
        return value + _fill(_RELATION + _DIGIT)


@dataclass(frozen=True, slots=True)
class RulerSums(BreakableSums, _Widths):
    """Writes the widths of sums, with the marks of lines that may end."""

    @property
    def measure(self) -> Self:
        """What measures terms."""
        return self

    def is_wide(self, term: Term) -> bool:
        """Return whether a fraction is longer than a line."""
        parts = ([self._factor(f) for f in factors] for factors in (term.above, term.below))
        return any(measure(self.product(part)) > _WIDEST for part in parts)

    def pair(self, brackets: str, inside: str) -> str:
        """Return something in brackets."""
        del brackets
        return _fill(2 * _BRACKET) + inside

    def lone(self, bracket: str, *, is_tall: bool) -> str:
        """Return a bracket whose other one is on another line."""
        del bracket, is_tall
        return _fill(_BRACKET)

    def is_tall(self, text: str) -> bool:
        """Return whether a text needs large brackets."""
        del text
        return False

    def slash(self) -> str:
        """Return the sign of a division on the line."""
        return _fill(_DIGIT)


class Ruler(TypesetNotation):
    """Writes the widths of the sides of equations."""

    sums: RulerSums

    def __init__(self, signature: Signature, page: Page, names: PageNames) -> None:
        """Take the names of the model and of the page."""
        super().__init__(signature, page)
        self.names = names
        self.sums = RulerSums(self.name)

    def relation(self, sign: str) -> str:
        """Return what stands between two sides."""
        del sign
        return f"\ue000{_fill(_RELATION)}"

    def symbol(self, text: str) -> str:
        """Return a name."""
        return _fill(measure_name(self.names(text)))

    def vector(self, entries: Sequence[str]) -> str:
        """Return a vector by its components."""
        return self.sums.row_vector(entries, _fill(_COMMA))

    def partial(self, of: str, by: str) -> str:
        """Return a partial derivative."""
        return _fill(8 + max(measure(of), measure(by)))

    def rate(self, of: str) -> str:
        """Return a time derivative."""
        return _fill(10) + of

    def variation(self, of: str) -> str:
        """Return a virtual change."""
        return _fill(4) + of

    def dot(self, left: str, right: str) -> str:
        """Return a scalar product."""
        return left + _fill(5) + right

    def cross(self, left: str, right: str) -> str:
        """Return a vector product."""
        return left + _fill(_SIGN) + right
