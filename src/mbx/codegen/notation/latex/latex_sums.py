"""Laid-out expressions as LaTeX."""

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

__all__ = ["LatexSums", "number"]

_POWERS: Final = frozenset(
    {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max"}
)
_KNOWN: Final = _POWERS | {"arcsin", "arccos", "arctan"}


def number(value: Number) -> str:
    """Return a number without its sign."""
    value = magnitude(value)
    if isinstance(value, Fraction):
        return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    digits, e, exponent = repr(value).partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if e else digits


@dataclass(frozen=True, slots=True)
class LatexSums(SumWriter):
    """Writes sums in LaTeX."""

    after_lead: ClassVar[str] = " "

    @property
    def opening(self) -> str:
        """A bracket that is closed on another line."""
        return r"\bigl("

    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with its power."""
        return r"\bigr)" + (f"^{{{self.power(exponent)}}}" if exponent != 1 else "")

    def digits(self, text: str) -> str:
        """Return a whole number, or the exponent that a fraction is."""
        return text

    def number(self, value: Number) -> str:
        """Return a number without its sign."""
        return number(value)

    def sign(self, sign: str, *, first: bool) -> str:
        """Return a sign in front of a term: `+`, `-` or none."""
        return sign if first else f" {sign} "

    def product(self, factors: Sequence[str]) -> str:
        """Return factors side by side; words have a little room between them."""
        return (r" \, " if any(t.startswith(r"\mathrm") for t in factors) else " ").join(factors)

    def fraction(self, above: Sequence[str], below: Sequence[str]) -> str:
        """Return factors above others."""
        return rf"\frac{{{' '.join(above)}}}{{{' '.join(below)}}}"

    def root(self, inside: str) -> str:
        """Return a square root."""
        return rf"\sqrt{{{inside}}}"

    def takes_power(self, function: str) -> bool:
        """Return whether the power of a function stands behind its name."""
        return function in _POWERS

    def raised(self, atom: Atom, text: str, power: str) -> str:
        """Return an atom, written so, to a power."""
        if isinstance(atom, Group) or (isinstance(atom, Name) and "^" not in text):
            return f"{text}^{{{power}}}"
        return rf"\left({text}\right)^{{{power}}}"

    def bracketed(self, inside: str) -> str:
        """Return something in brackets that grow with it, if it is tall."""
        tall = any(word in inside for word in (r"\frac", r"\left", r"\begin", r"\sqrt"))
        return rf"\left({inside}\right)" if tall else f"({inside})"

    def magnitude(self, inside: str) -> str:
        """Return something between bars."""
        return rf"\left|{inside}\right|"

    def cases(self, yes: str, condition: str, no: str) -> str:
        """Return one thing if a condition holds, or another."""
        return (
            rf"\begin{{cases}} {yes} & \text{{if }} {condition} \\ {no} & "
            r"\text{otherwise} \end{cases}"
        )

    def call(self, function: str, power: str, args: Sequence[str]) -> str:
        """Return a function of arguments, to a power if there is one."""
        head = rf"\{function}" if function in _KNOWN else rf"\mathop{{\mathrm{{{function}}}}}"
        above = f"^{{{power}}}" if power else ""
        return f"{head}{above}{self.bracketed(', '.join(args))}"

    def compared(self, left: str, word: str, right: str) -> str:
        """Return that one thing is less than another, `<` or `<=`."""
        sign = "<" if word == "<" else r"\le"
        return f"{left} {sign} {right}"

    def joined(self, word: str, conditions: Sequence[str]) -> str:
        """Return conditions joined by `and` or `or`."""
        sign = r" \land " if word == "and" else r" \lor "
        return sign.join(rf"\left({one}\right)" for one in conditions)

    def negated(self, condition: str) -> str:
        """Return that a condition does not hold."""
        return rf"\lnot \left({condition}\right)"

    def not_zero(self, value: str) -> str:
        """Return that something is not zero."""
        return rf"{value} \ne 0"
