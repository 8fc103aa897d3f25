"""Laid-out expressions as LaTeX."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.breaking import broken
from mbx.codegen.notation.term_layout import Call, Choice, Group, Logic, Name, magnitude

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.codegen.notation.term_layout import Atom, Factor, Sum, Term
    from mbx.expr.nodes import Number

__all__ = ["Writer", "number"]

_HALF: Final = Fraction(1, 2)
_KNOWN: Final = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max"})
_ARC: Final = {"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan"}


def number(value: Number) -> str:
    """Return a number without its sign."""
    value = magnitude(value)
    if isinstance(value, Fraction):
        return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"
    digits, e, exponent = repr(value).partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if e else digits


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes sums; `name` says how symbols are written."""

    name: Callable[[str], str]

    def sum(self, value: Sum) -> str:
        """Return a sum in one piece."""
        return "".join(self.signed(value)) or "0"

    def lines(self, value: Sum, width: int) -> Iterator[str]:
        """Yield a sum in pieces of about that many characters of plain text."""
        return broken(value, self, width) if value.terms else iter(("0",))

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
        return _sign(term, first=first) + ("" if plain_one else f"{self._term(term)} ")

    @property
    def opening(self) -> str:
        """A bracket that is closed on another line."""
        return r"\bigl("

    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with its power."""
        return r"\bigr)" + (f"^{{{_power(exponent)}}}" if exponent != 1 else "")

    def _term(self, term: Term) -> str:
        above = [self._factor(f) for f in term.above]
        if not term.below:
            if magnitude(term.number) != 1 or not above:
                above.insert(0, number(term.number))
            return (r" \, " if any(t.startswith(r"\mathrm") for t in above) else " ").join(above)
        top, bottom = _split(term.number)
        if top != "1" or not above:
            above.insert(0, top)
        below = [self._factor(f) for f in term.below]
        if bottom != "1":
            below.insert(0, bottom)
        return rf"\frac{{{self._bar(term.above, above)}}}{{{self._bar(term.below, below)}}}"

    def _bar(self, factors: tuple[Factor, ...], texts: list[str]) -> str:
        """Return what stands above or below a line; a sum alone needs no brackets."""
        if len(texts) == len(factors) == 1 and factors[0].exponent == 1:
            atom = factors[0].atom
            return self.sum(atom.inside) if isinstance(atom, Group) else texts[0]
        return " ".join(texts)

    def _factor(self, factor: Factor) -> str:
        atom, exponent = factor.atom, factor.exponent
        if exponent == _HALF:
            inside = self.sum(atom.inside) if isinstance(atom, Group) else self._atom(atom)
            return rf"\sqrt{{{inside}}}"
        if exponent == 1:
            return self._atom(atom)
        power = _power(exponent)
        if isinstance(atom, Call) and atom.function in _KNOWN:
            return self._call(atom, f"^{{{power}}}")
        text = self._atom(atom)
        if isinstance(atom, Group) or (isinstance(atom, Name) and "^" not in text):
            return f"{text}^{{{power}}}"
        return rf"\left({text}\right)^{{{power}}}"

    def _atom(self, atom: Atom) -> str:
        match atom:
            case Name():
                return self.name(atom.text)
            case Group():
                return _bracketed(self.sum(atom.inside))
            case Choice():
                return (
                    rf"\begin{{cases}} {self.sum(atom.yes)} & \text{{if }} "
                    rf"{self._logic(atom.condition)} \\ {self.sum(atom.no)} & "
                    r"\text{otherwise} \end{cases}"
                )
            case Call(function="abs"):
                return rf"\left|{self.sum(atom.args[0])}\right|"
            case Call():
                return self._call(atom)

    def _call(self, atom: Call, power: str = "") -> str:
        args = ", ".join(self.sum(a) for a in atom.args)
        if atom.function in _KNOWN:
            head = rf"\{atom.function}"
        else:
            word = "".join(c for c in atom.function if c.isalnum())
            head = _ARC.get(word) or rf"\mathop{{\mathrm{{{word}}}}}"
        return f"{head}{power}{_bracketed(args)}"

    def _logic(self, condition: Logic) -> str:
        sign = {"<": "<", "<=": r"\le"}.get(condition.word)
        if sign is not None:
            a, b = condition.args
            return f"{self.sum(a)} {sign} {self.sum(b)}"
        if condition.word in {"and", "or"}:
            sign = r" \land " if condition.word == "and" else r" \lor "
            return sign.join(rf"\left({self._logic(a)}\right)" for a in condition.args)
        if condition.word == "not":
            return rf"\lnot \left({self._logic(condition.args[0])}\right)"
        return rf"{self.sum(condition.args[0])} \ne 0"


def _bracketed(inside: str) -> str:
    """Return a text in brackets that grow with it, if it is tall."""
    tall = any(word in inside for word in (r"\frac", r"\left", r"\begin", r"\sqrt"))
    return rf"\left({inside}\right)" if tall else f"({inside})"


def _sign(term: Term, *, first: bool) -> str:
    sign = "-" if term.number < 0 else "" if first else "+"
    return sign if first else f" {sign} "


def _power(exponent: Number) -> str:
    return str(exponent) if isinstance(exponent, Fraction) else number(exponent)


def _split(value: Number) -> tuple[str, str]:
    value = magnitude(value)
    if isinstance(value, Fraction):
        return str(value.numerator), str(value.denominator)
    return number(value), "1"
