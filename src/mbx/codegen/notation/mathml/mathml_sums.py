"""Laid-out expressions as MathML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

from mbx.codegen.notation.mathml.mathml_names import identifier
from mbx.codegen.notation.term_layout import Group, Name, magnitude
from mbx.codegen.notation.write_sums import SumWriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.notation.term_layout import Atom
    from mbx.expr.nodes import Number

__all__ = ["MINUS", "THIN", "MathMLSums", "bracketed", "number", "row"]

MINUS: Final = "\N{MINUS SIGN}"
THIN: Final = '<mspace width="0.17em"/>'
_SIGNS: Final = {"<": "&lt;", "<=": "\N{LESS-THAN OR EQUAL TO}"}
_WORD: Final = re.compile(r"(?:<msu[bp]>|<msubsup>)?<mi>[^<]{2}|<msqrt>|<mtext")
"""What needs room at its sides in a product."""
_TOKEN: Final = re.compile(r"<(m[a-z]+)[^>]*>[^<]*</\1>")


def row(text: str) -> str:
    """Return elements as one, for places that take in one."""
    return text if _TOKEN.fullmatch(text) else f"<mrow>{text}</mrow>"


def number(value: Number) -> str:
    """Return a number without its sign."""
    value = magnitude(value)
    if isinstance(value, Fraction):
        return f"<mfrac><mn>{value.numerator}</mn><mn>{value.denominator}</mn></mfrac>"
    digits, e, exponent = repr(value).partition("e")
    if not e:
        return f"<mn>{digits}</mn>"
    power = str(int(exponent)).replace("-", MINUS)
    return f"<mrow><mn>{digits}</mn><mo>·</mo><msup><mn>10</mn><mn>{power}</mn></msup></mrow>"


def bracketed(inside: str, brackets: str = "()") -> str:
    """Return something in brackets that grow with it, if it is tall."""
    tall = any(word in inside for word in ("<mfrac", "<mtable", "<msqrt"))
    fixed = "" if tall else ' stretchy="false"'
    return f"<mrow><mo{fixed}>{brackets[0]}</mo>{inside}<mo{fixed}>{brackets[1]}</mo></mrow>"


@dataclass(frozen=True, slots=True)
class MathMLSums(SumWriter):
    """Writes sums in MathML; what it returns is a run of elements."""

    after_lead: ClassVar[str] = ""

    @property
    def opening(self) -> str:
        """A bracket that is closed on another line."""
        return '<mo stretchy="false" form="prefix">(</mo>'

    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with its power."""
        bracket = '<mo stretchy="false" form="postfix">)</mo>'
        return bracket if exponent == 1 else f"<msup>{bracket}{self.power(exponent)}</msup>"

    def digits(self, text: str) -> str:
        """Return a whole number, or the exponent that a fraction is."""
        return f"<mn>{text}</mn>"

    def number(self, value: Number) -> str:
        """Return a number without its sign."""
        return number(value)

    def sign(self, sign: str, *, first: bool) -> str:
        """Return a sign, spaced by its place, whatever stands before it."""
        if not sign:
            return ""
        mark = MINUS if sign == "-" else sign
        return f'<mo form="{"prefix" if first else "infix"}">{mark}</mo>'

    def product(self, factors: Sequence[str]) -> str:
        """Return factors side by side; words have a little room between them."""
        text = last = ""
        for one in factors:
            wide = text and (_WORD.match(one) or _WORD.match(last))
            text += (THIN if wide else "") + one
            last = one
        return text

    def fraction(self, above: Sequence[str], below: Sequence[str]) -> str:
        """Return factors above others."""
        return f"<mfrac>{row(self.product(above))}{row(self.product(below))}</mfrac>"

    def root(self, inside: str) -> str:
        """Return a square root."""
        return f"<msqrt>{inside}</msqrt>"

    def takes_power(self, function: str) -> bool:
        """Return whether the power of a function stands behind its name."""
        return function != "abs"

    def raised(self, atom: Atom, text: str, power: str) -> str:
        """Return an atom, written so, to a power."""
        if isinstance(atom, Name) and text.startswith("<msub>"):  # one above the other
            inside = text.removeprefix("<msub>").removesuffix("</msub>")
            return f"<msubsup>{inside}{power}</msubsup>"
        bare = isinstance(atom, Group) or not text.startswith("<msu")
        return f"<msup>{text if bare else bracketed(text)}{power}</msup>"

    def bracketed(self, inside: str) -> str:
        """Return something in brackets that grow with it, if it is tall."""
        return bracketed(inside)

    def magnitude(self, inside: str) -> str:
        """Return something between bars."""
        return bracketed(inside, "||")

    def cases(self, yes: str, condition: str, no: str) -> str:
        """Return one thing if a condition holds, or another."""
        rows = ((yes, f"<mtext>if </mtext>{condition}"), (no, "<mtext>otherwise</mtext>"))
        cells = "".join(f"<mtr><mtd>{a}</mtd><mtd>{b}</mtd></mtr>" for a, b in rows)
        return f'<mrow><mo>{{</mo><mtable class="cases">{cells}</mtable></mrow>'

    def call(self, function: str, power: str, args: Sequence[str]) -> str:
        """Return a function of arguments, to a power if there is one."""
        head = identifier(function)
        inside = bracketed("<mo>,</mo>".join(args))
        return (f"<msup>{head}{power}</msup>" if power else head) + inside

    def compared(self, left: str, word: str, right: str) -> str:
        """Return that one thing is less than another, `<` or `<=`."""
        return f"{left}<mo>{_SIGNS[word]}</mo>{right}"

    def joined(self, word: str, conditions: Sequence[str]) -> str:
        """Return conditions joined by `and` or `or`."""
        sign = "\N{LOGICAL AND}" if word == "and" else "\N{LOGICAL OR}"
        return f"<mo>{sign}</mo>".join(map(bracketed, conditions))

    def negated(self, condition: str) -> str:
        """Return that a condition does not hold."""
        return f"<mo>\N{NOT SIGN}</mo>{bracketed(condition)}"

    def not_zero(self, value: str) -> str:
        """Return that something is not zero."""
        return f"{value}<mo>≠</mo><mn>0</mn>"
