"""Laid-out expressions as MathML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.breaking import broken
from mbx.codegen.notation.mathml.mathml_names import identifier
from mbx.codegen.notation.term_layout import Call, Choice, Group, Logic, Name, magnitude

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.codegen.notation.term_layout import Atom, Factor, Sum, Term
    from mbx.expr.nodes import Number

__all__ = ["MINUS", "THIN", "Writer", "bracketed", "number", "row"]

MINUS: Final = "\N{MINUS SIGN}"
THIN: Final = '<mspace width="0.17em"/>'
_HALF: Final = Fraction(1, 2)
_ARC: Final = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
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


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes sums; `name` says how symbols are written."""

    name: Callable[[str], str]

    def sum(self, value: Sum) -> str:
        """Return a sum in one piece."""
        return "".join(self.signed(value)) or "<mn>0</mn>"

    def lines(self, value: Sum, width: int) -> Iterator[str]:
        """Yield a sum in pieces of about that many characters of plain text."""
        return broken(value, self, width) if value.terms else iter(("<mn>0</mn>",))

    def signed(self, value: Sum) -> Iterator[str]:
        """Yield terms with their signs; the first has none if it is positive."""
        for k, term in enumerate(value.terms):
            yield self.signed_term(term, first=k == 0)

    def signed_term(self, term: Term, *, first: bool) -> str:
        """Return a term with its sign."""
        return _sign(term, first=first) + self._term(term)

    def lead(self, term: Term, *, first: bool) -> str:
        """Return what stands before a bracket."""
        plain_one = not term.above and not term.below and magnitude(term.number) == 1
        return _sign(term, first=first) + ("" if plain_one else self._term(term))

    @property
    def opening(self) -> str:
        """A bracket that is closed on another line."""
        return '<mo stretchy="false" form="prefix">(</mo>'

    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with its power."""
        bracket = '<mo stretchy="false" form="postfix">)</mo>'
        return bracket if exponent == 1 else f"<msup>{bracket}{_power(exponent)}</msup>"

    def _term(self, term: Term) -> str:
        above = [self._factor(f) for f in term.above]
        if not term.below:
            if magnitude(term.number) != 1 or not above:
                above.insert(0, number(term.number))
            return _product(above)
        top, bottom = _split(term.number)
        if top != "<mn>1</mn>" or not above:
            above.insert(0, top)
        below = [self._factor(f) for f in term.below]
        if bottom != "<mn>1</mn>":
            below.insert(0, bottom)
        return f"<mfrac>{self._bar(term.above, above)}{self._bar(term.below, below)}</mfrac>"

    def _bar(self, factors: tuple[Factor, ...], texts: list[str]) -> str:
        """Return what stands above or below a line; a sum alone needs no brackets."""
        if len(texts) == len(factors) == 1 and factors[0].exponent == 1:
            atom = factors[0].atom
            return row(self.sum(atom.inside) if isinstance(atom, Group) else texts[0])
        return row(_product(texts))

    def _factor(self, factor: Factor) -> str:
        atom, exponent = factor.atom, factor.exponent
        if exponent == _HALF:
            inside = self.sum(atom.inside) if isinstance(atom, Group) else self._atom(atom)
            return f"<msqrt>{inside}</msqrt>"
        if exponent == 1:
            return self._atom(atom)
        power = _power(exponent)
        if isinstance(atom, Call) and atom.function != "abs":
            return self._call(atom, power)
        text = self._atom(atom)
        if isinstance(atom, Name) and text.startswith("<msub>"):  # one above the other
            inside = text.removeprefix("<msub>").removesuffix("</msub>")
            return f"<msubsup>{inside}{power}</msubsup>"
        bare = isinstance(atom, Group) or not text.startswith("<msu")
        return f"<msup>{text if bare else bracketed(text)}{power}</msup>"

    def _atom(self, atom: Atom) -> str:
        match atom:
            case Name():
                return self.name(atom.text)
            case Group():
                return bracketed(self.sum(atom.inside))
            case Choice():
                return self._choice(atom)
            case Call(function="abs"):
                return bracketed(self.sum(atom.args[0]), "||")
            case Call():
                return self._call(atom)

    def _choice(self, atom: Choice) -> str:
        rows = (
            (self.sum(atom.yes), f"<mtext>if </mtext>{self._logic(atom.condition)}"),
            (self.sum(atom.no), "<mtext>otherwise</mtext>"),
        )
        cells = "".join(f"<mtr><mtd>{a}</mtd><mtd>{b}</mtd></mtr>" for a, b in rows)
        return f'<mrow><mo>{{</mo><mtable class="cases">{cells}</mtable></mrow>'

    def _call(self, atom: Call, power: str = "") -> str:
        args = "<mo>,</mo>".join(self.sum(a) for a in atom.args)
        word = "".join(c for c in atom.function if c.isalnum())
        head = identifier(_ARC.get(word, word))
        return (f"<msup>{head}{power}</msup>" if power else head) + bracketed(args)

    def _logic(self, condition: Logic) -> str:
        sign = _SIGNS.get(condition.word)
        if sign is not None:
            a, b = condition.args
            return f"{self.sum(a)}<mo>{sign}</mo>{self.sum(b)}"
        if condition.word in {"and", "or"}:
            sign = "\N{LOGICAL AND}" if condition.word == "and" else "\N{LOGICAL OR}"
            return f"<mo>{sign}</mo>".join(bracketed(self._logic(a)) for a in condition.args)
        if condition.word == "not":
            return f"<mo>\N{NOT SIGN}</mo>{bracketed(self._logic(condition.args[0]))}"
        return f"{self.sum(condition.args[0])}<mo>≠</mo><mn>0</mn>"


def _product(factors: list[str]) -> str:
    """Return factors side by side; words have a little room between them."""
    text = last = ""
    for one in factors:
        wide = text and (_WORD.match(one) or _WORD.match(last))
        text += (THIN if wide else "") + one
        last = one
    return text


def bracketed(inside: str, brackets: str = "()") -> str:
    """Return something in brackets that grow with it, if it is tall."""
    tall = any(word in inside for word in ("<mfrac", "<mtable", "<msqrt"))
    fixed = "" if tall else ' stretchy="false"'
    return f"<mrow><mo{fixed}>{brackets[0]}</mo>{inside}<mo{fixed}>{brackets[1]}</mo></mrow>"


def _sign(term: Term, *, first: bool) -> str:
    """Return the sign of a term, spaced by its place, whatever stands before it."""
    sign = MINUS if term.number < 0 else "" if first else "+"
    return f'<mo form="{"prefix" if first else "infix"}">{sign}</mo>' if sign else ""


def _power(exponent: Number) -> str:
    return f"<mn>{exponent}</mn>" if isinstance(exponent, Fraction) else number(exponent)


def _split(value: Number) -> tuple[str, str]:
    value = magnitude(value)
    if isinstance(value, Fraction):
        return f"<mn>{value.numerator}</mn>", f"<mn>{value.denominator}</mn>"
    return number(value), "<mn>1</mn>"
