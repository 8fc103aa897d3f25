"""Laid-out expressions as Typst."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

from mbx.codegen.notation.term_layout import Group, Name, magnitude
from mbx.codegen.notation.write_sums import SumWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.notation.term_layout import Atom
    from mbx.expr.nodes import Number

__all__ = ["TypstSums"]

_KNOWN: Final = frozenset(
    {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max"}
    | {"arcsin", "arccos", "arctan"}
)


@dataclass(frozen=True, slots=True)
class TypstSums(SumWriter):
    """Writes sums in Typst."""

    after_lead: ClassVar[str] = " "

    @property
    def opening(self) -> str:
        """A bracket that is closed on another line."""
        return "\\("

    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with its power."""
        return "\\)" + (f"^({self.power(exponent)})" if exponent != 1 else "")

    def digits(self, text: str) -> str:
        """Return a whole number, or the exponent that a fraction is."""
        return text

    def number(self, value: Number) -> str:
        """Return a number without its sign."""
        value = magnitude(value)
        if isinstance(value, Fraction):
            return f"frac({value.numerator}, {value.denominator})"
        digits, e, exponent = repr(value).partition("e")
        return f"{digits} dot.op 10^({int(exponent)})" if e else digits

    def sign(self, sign: str, *, first: bool) -> str:
        """Return a sign in front of a term: `+`, `-` or none."""
        return sign if first else f" {sign} "

    def product(self, factors: Sequence[str]) -> str:
        """Return factors side by side; words have a little room between them."""
        wide = any(factor.startswith('"') for factor in factors)
        return (" thin " if wide else " ").join(factors)

    def fraction(self, above: Sequence[str], below: Sequence[str]) -> str:
        """Return factors above others."""
        return f"frac({self.product(above)}, {self.product(below)})"

    def root(self, inside: str) -> str:
        """Return a square root."""
        return f"sqrt({inside})"

    def takes_power(self, function: str) -> bool:
        """Return whether the power of a function stands behind its name."""
        return function in _KNOWN

    def raised(self, atom: Atom, text: str, power: str) -> str:
        """Return an atom, written so, to a power."""
        bare = isinstance(atom, Group) or (isinstance(atom, Name) and "^" not in text)
        return f"{text}^({power})" if bare else f"({text})^({power})"

    def bracketed(self, inside: str) -> str:
        """Return something in brackets, which grow with it."""
        return f"({inside})"

    def magnitude(self, inside: str) -> str:
        """Return something between bars."""
        return f"abs({inside})"

    def cases(self, yes: str, condition: str, no: str) -> str:
        """Return one thing if a condition holds, or another."""
        return f'cases({yes} & "if" {condition}, {no} & "otherwise")'

    def call(self, function: str, power: str, args: Sequence[str]) -> str:
        """Return a function of arguments, to a power if there is one."""
        head = function if function in _KNOWN else f'op("{function}")'
        above = f"^({power}) " if power else ""
        return f"{head}{above}({', '.join(args)})"

    def compared(self, left: str, word: str, right: str) -> str:
        """Return that one thing is less than another, `<` or `<=`."""
        return f"{left} {word} {right}"

    def joined(self, word: str, conditions: Sequence[str]) -> str:
        """Return conditions joined by `and` or `or`."""
        return f" {word} ".join(f"({one})" for one in conditions)

    def negated(self, condition: str) -> str:
        """Return that a condition does not hold."""
        return f"not ({condition})"

    def not_zero(self, value: str) -> str:
        """Return that something is not zero."""
        return f"{value} != 0"
