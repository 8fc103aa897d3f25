"""Laid-out expressions written in a notation: one walk, whatever the marks are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Final

from mbx.codegen.notation.breaking import broken
from mbx.codegen.notation.term_layout import Call, Choice, Group, Logic, Name, magnitude

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mbx.codegen.notation.term_layout import Atom, Factor, Sum, Term
    from mbx.expr.nodes import Number

__all__ = ["SumWriter"]

_HALF: Final = Fraction(1, 2)
_ARC: Final = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}


@dataclass(frozen=True, slots=True)
class SumWriter(ABC):
    """Writes sums; `name` says how symbols are written.

    A notation gives the marks; what they return can be put into what they take in.
    """

    name: Callable[[str], str]
    after_lead: ClassVar[str]
    """What stands between the front of a term and a bracket that is opened on the same line."""

    def sum(self, value: Sum) -> str:
        """Return a sum in one piece."""
        return "".join(self.signed(value)) or self.digits("0")

    def lines(self, value: Sum, width: int) -> Iterator[str]:
        """Yield a sum in pieces of about that many characters of plain text."""
        return broken(value, self, width) if value.terms else iter((self.digits("0"),))

    def signed(self, value: Sum) -> Iterator[str]:
        """Yield terms with their signs; the first has none if it is positive."""
        for k, term in enumerate(value.terms):
            yield self.signed_term(term, first=k == 0)

    def signed_term(self, term: Term, *, first: bool) -> str:
        """Return a term with its sign."""
        return self._sign(term, first=first) + self._term(term)

    def lead(self, term: Term, *, first: bool) -> str:
        """Return what stands before a bracket."""
        plain_one = not term.above and not term.below and magnitude(term.number) == 1
        front = "" if plain_one else self._term(term) + self.after_lead
        return self._sign(term, first=first) + front

    def power(self, exponent: Number) -> str:
        """Return an exponent."""
        return (
            self.digits(str(exponent)) if isinstance(exponent, Fraction) else self.number(exponent)
        )

    def _sign(self, term: Term, *, first: bool) -> str:
        return self.sign("-" if term.number < 0 else "" if first else "+", first=first)

    def _term(self, term: Term) -> str:
        above = [self._factor(f) for f in term.above]
        if not term.below:
            if magnitude(term.number) != 1 or not above:
                above.insert(0, self.number(term.number))
            return self.product(above)
        top, bottom = self._split(term.number)
        unit = self.digits("1")
        if top != unit or not above:
            above.insert(0, top)
        below = [self._factor(f) for f in term.below]
        if bottom != unit:
            below.insert(0, bottom)
        return self.fraction(self._bar(term.above, above), self._bar(term.below, below))

    def _split(self, value: Number) -> tuple[str, str]:
        value = magnitude(value)
        if isinstance(value, Fraction):
            return self.digits(str(value.numerator)), self.digits(str(value.denominator))
        return self.number(value), self.digits("1")

    def _bar(self, factors: tuple[Factor, ...], texts: list[str]) -> list[str]:
        """Return what stands above or below a line; a sum alone needs no brackets."""
        if len(texts) == len(factors) == 1 and factors[0].exponent == 1:
            atom = factors[0].atom
            return [self.sum(atom.inside)] if isinstance(atom, Group) else texts
        return texts

    def _factor(self, factor: Factor) -> str:
        atom, exponent = factor.atom, factor.exponent
        if exponent == _HALF:
            return self.root(self.sum(atom.inside) if isinstance(atom, Group) else self._atom(atom))
        if exponent == 1:
            return self._atom(atom)
        power = self.power(exponent)
        if isinstance(atom, Call) and self.takes_power(atom.function):
            return self._call(atom, power)
        return self.raised(atom, self._atom(atom), power)

    def _atom(self, atom: Atom) -> str:
        match atom:
            case Name():
                return self.name(atom.text)
            case Group():
                return self.bracketed(self.sum(atom.inside))
            case Choice():
                return self.cases(
                    self.sum(atom.yes), self._logic(atom.condition), self.sum(atom.no)
                )
            case Call(function="abs"):
                return self.magnitude(self.sum(atom.args[0]))
            case Call():
                return self._call(atom)

    def _call(self, atom: Call, power: str = "") -> str:
        word = "".join(c for c in atom.function if c.isalnum())
        return self.call(_ARC.get(word, word), power, [self.sum(a) for a in atom.args])

    def _logic(self, condition: Logic) -> str:
        match condition.word:
            case "<" | "<=":
                a, b = condition.args
                return self.compared(self.sum(a), condition.word, self.sum(b))
            case "and" | "or":
                return self.joined(condition.word, [self._logic(a) for a in condition.args])
            case "not":
                return self.negated(self._logic(condition.args[0]))
        return self.not_zero(self.sum(condition.args[0]))

    # -- marks -------------------------------------------------------------------------------

    @property
    @abstractmethod
    def opening(self) -> str:
        """A bracket that is closed on another line."""

    @abstractmethod
    def closing(self, exponent: Number) -> str:
        """Return the other bracket, with its power."""

    @abstractmethod
    def digits(self, text: str) -> str:
        """Return a whole number, or the exponent that a fraction is."""

    @abstractmethod
    def number(self, value: Number) -> str:
        """Return a number without its sign."""

    @abstractmethod
    def sign(self, sign: str, *, first: bool) -> str:
        """Return a sign in front of a term: `+`, `-` or none."""

    @abstractmethod
    def product(self, factors: Sequence[str]) -> str:
        """Return factors side by side."""

    @abstractmethod
    def fraction(self, above: Sequence[str], below: Sequence[str]) -> str:
        """Return factors above others."""

    @abstractmethod
    def root(self, inside: str) -> str:
        """Return a square root."""

    @abstractmethod
    def takes_power(self, function: str) -> bool:
        """Return whether the power of a function stands behind its name."""

    @abstractmethod
    def raised(self, atom: Atom, text: str, power: str) -> str:
        """Return an atom, written so, to a power."""

    @abstractmethod
    def bracketed(self, inside: str) -> str:
        """Return something in brackets that grow with it, if it is tall."""

    @abstractmethod
    def magnitude(self, inside: str) -> str:
        """Return something between bars."""

    @abstractmethod
    def cases(self, yes: str, condition: str, no: str) -> str:
        """Return one thing if a condition holds, or another."""

    @abstractmethod
    def call(self, function: str, power: str, args: Sequence[str]) -> str:
        """Return a function of arguments, to a power if there is one."""

    @abstractmethod
    def compared(self, left: str, word: str, right: str) -> str:
        """Return that one thing is less than another, `<` or `<=`."""

    @abstractmethod
    def joined(self, word: str, conditions: Sequence[str]) -> str:
        """Return conditions joined by `and` or `or`."""

    @abstractmethod
    def negated(self, condition: str) -> str:
        """Return that a condition does not hold."""

    @abstractmethod
    def not_zero(self, value: str) -> str:
        """Return that something is not zero."""
