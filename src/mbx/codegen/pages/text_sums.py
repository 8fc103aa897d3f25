"""Expressions of a page as plain text: a blank is a product, and what is printed can be read back.

A product binds like a quotient, from left to right: `m/2 v^2` is (m/2) v^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import pi
from typing import TYPE_CHECKING, ClassVar, Final

from mbx.codegen.notation.term_layout import magnitude
from mbx.codegen.notation.write_sums import SumWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.notation.term_layout import Atom, Term
    from mbx.expr.nodes import Number

__all__ = ["TextSums"]

_PARTS: Final = 360
"""The parts of pi that are written as such."""


@dataclass(frozen=True, slots=True)
class TextSums(SumWriter):
    """Writes sums as plain text."""

    after_lead: ClassVar[str] = " "

    @property
    def opening(self) -> str:
        """A bracket that is closed on another line."""
        return "("

    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with its power."""
        return ")" + (f"^{self.power(exponent)}" if exponent != 1 else "")

    def power(self, exponent: Number) -> str:
        """Return an exponent, in brackets unless it is a whole number."""
        text = str(exponent)
        return text if text.isdigit() else f"({text})"

    def _term(self, term: Term) -> str:
        number = magnitude(term.number)
        if term.below or not term.above or not isinstance(number, Fraction):
            return super(TextSums, self)._term(term)
        factors = [self._factor(f) for f in term.above]
        if number.numerator == 1:
            return " ".join([f"{factors[0]}/{number.denominator}", *factors[1:]])
        return " ".join([f"{number.numerator}/{number.denominator}", *factors])

    def digits(self, text: str) -> str:
        """Return a whole number, or the exponent that a fraction is."""
        return text

    def number(self, value: Number) -> str:
        """Return a number without its sign."""
        value = magnitude(value)
        if isinstance(value, float):
            turns = Fraction(value / pi).limit_denominator(_PARTS)
            if turns and float(turns) * pi == value:
                above = "pi" if turns.numerator == 1 else f"{turns.numerator} pi"
                return above if turns.denominator == 1 else f"{above}/{turns.denominator}"
        return str(value) if isinstance(value, Fraction) else repr(value)

    def sign(self, sign: str, *, first: bool) -> str:
        """Return a sign in front of a term: `+`, `-` or none."""
        return sign if first else f" {sign} "

    def product(self, factors: Sequence[str]) -> str:
        """Return factors side by side."""
        return " ".join(factors)

    def fraction(self, above: Sequence[str], below: Sequence[str]) -> str:
        """Return factors above others."""
        top, bottom = self._whole(above), " ".join(below)
        single = len(below) == 1 and not _is_sum(bottom)
        return f"{top}/{bottom}" if single else f"{top}/({bottom})"

    def _whole(self, factors: Sequence[str]) -> str:
        """Return factors that stand before a slash; a single sum needs brackets there."""
        if len(factors) == 1 and _is_sum(factors[0]):
            return f"({factors[0]})"
        return " ".join(factors)

    def root(self, inside: str) -> str:
        """Return a square root."""
        return f"sqrt({inside})"

    def takes_power(self, function: str) -> bool:
        """Return whether the power of a function stands behind its name."""
        return function is None

    def raised(self, atom: Atom, text: str, power: str) -> str:
        """Return an atom, written so, to a power."""
        del atom
        return f"{text}^{power}"

    def bracketed(self, inside: str) -> str:
        """Return something in brackets."""
        return f"({inside})"

    def magnitude(self, inside: str) -> str:
        """Return something between bars."""
        return f"abs({inside})"

    def cases(self, yes: str, condition: str, no: str) -> str:
        """Return one thing if a condition holds, or another."""
        return f"(if {condition} then {yes} else {no})"

    def call(self, function: str, power: str, args: Sequence[str]) -> str:
        """Return a function of arguments, to a power if there is one."""
        name = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}.get(function, function)
        text = f"{name}({', '.join(args)})"
        return f"{text}^{power}" if power else text

    def compared(self, left: str, word: str, right: str) -> str:
        """Return that one thing is less than another, `<` or `<=`."""
        return f"{left} {word} {right}"

    def joined(self, word: str, conditions: Sequence[str]) -> str:
        """Return conditions joined by `and` or `or`."""
        return f"({f' {word} '.join(conditions)})"

    def negated(self, condition: str) -> str:
        """Return that a condition does not hold."""
        return f"not ({condition})"

    def not_zero(self, value: str) -> str:
        """Return that something is not zero."""
        return f"({value}) is not zero"


def _is_sum(text: str) -> bool:
    """Return whether a text has a sign outside of brackets."""
    depth = 0
    for k, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if depth == 0 and text[k : k + 3] in {" + ", " - "}:
            return True
    return False
