"""Proofs that an expression is zero wherever it has a value.

The expression is brought to a normal form: a polynomial with exact coefficients in its atoms,
where sums below the line are cleared, sines and cosines of sums are written out, and
sin^2 = 1 - cos^2. What comes out as the empty polynomial is zero. The converse does not hold:
an identity of other functions, or an identity that needs too many terms, is not proved.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import floor
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.polynomial import EMPTY, monomial_product
from mbx.expr.build import function, mul, power
from mbx.expr.evaluate import ordered, substitute
from mbx.expr.nodes import CHOOSE, FUNCTION, NUMBER, ONE, ZERO, Node, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.expr.algebra.polynomial import Monomial

__all__ = ["is_zero"]

_CONDITIONS: Final = 6  # each is tried both ways
_WORK: Final = 200_000  # terms handled
_MULTIPLE: Final = 8  # of an angle whose sine is written out
_ROUNDING: Final = 1e-12  # of the terms of a coefficient that was no exact number

Terms = dict["Monomial", tuple[Fraction, float]]
"""Coefficients by monomial, each with the sum of the sizes of what it was added up from."""


class _TooLargeError(Exception):
    """The normal form needs more terms than are worth it."""


def is_zero(node: Node) -> bool:
    """Return whether an expression is proved to be zero wherever it has a value."""
    return _by_cases(node, _CONDITIONS)


def _by_cases(node: Node, left: int) -> bool:
    """Try both sides of each condition, which then is no part of the expression any more."""
    condition = next((n.args[0] for n in ordered([node]) if n.op is CHOOSE), None)
    if condition is not None:
        sides = [substitute([node], {condition: side})[0] for side in (ONE, ZERO)]
        return left > 0 and all(_by_cases(side, left - 1) for side in sides)
    try:
        return _Expansion(node).is_zero()
    except _TooLargeError:
        return False


class _Expansion:
    """The polynomials of an expression and of all its parts."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.left = _WORK
        self.exact = True
        self.known: dict[Node, Terms] = {}
        self.bases: dict[Node, Terms] = {}  # of roots, and of what stands below the line

    def is_zero(self) -> bool:
        """Bring everything to one denominator; return whether nothing is left above it."""
        for part in ordered([self.node]):
            self.known[part] = self._reduced(self._opened(part))
        terms = self.known[self.node]
        while shifts := self._below(terms):
            terms = self._reduced(self._cleared(terms, shifts))
        least = 0.0 if self.exact else _ROUNDING
        return all(abs(value) <= least * size for value, size in terms.values())

    def _opened(self, node: Node) -> Terms:
        parts = [self.known[a] for a in node.args]
        match node.op:
            case "number":
                return self._number(node.value)
            case "add":
                return self._sum([*parts, self._number(node.value)])
            case "scale":
                return self._product(self._number(node.value), parts[0])
            case "product":
                return self._product(*parts)
            case "power" if node.value.__class__ is int and node.value > 0:
                return self._power(parts[0], node.value)
            case "power":
                return self._root(node.args[0], parts[0], node.value)
            case "function" if node.value in ("sin", "cos", "tan"):
                return self._trigonometric(node)
        return {((node, 1),): (Fraction(1), 1.0)}

    def _number(self, value: Fraction | float) -> Terms:
        self.exact = self.exact and not isinstance(value, float)
        return {EMPTY: (Fraction(value), abs(float(value)))} if value else {}

    def _work(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise _TooLargeError

    def _sum(self, parts: Iterable[Terms]) -> Terms:
        terms: Terms = {}
        for part in parts:
            self._work(len(part))
            for monomial, (value, size) in part.items():
                before = terms.get(monomial, (0, 0.0))
                terms[monomial] = (before[0] + value, before[1] + size)
        return {m: pair for m, pair in terms.items() if pair[0]}

    def _product(self, a: Terms, b: Terms) -> Terms:
        self._work(len(a) * len(b))
        terms: Terms = {}
        for m, (x, r) in a.items():
            for n, (y, s) in b.items():
                monomial = monomial_product(m, n)
                before = terms.get(monomial, (0, 0.0))
                terms[monomial] = (before[0] + x * y, before[1] + r * s)
        return {m: pair for m, pair in terms.items() if pair[0]}

    def _power(self, base: Terms, exponent: int) -> Terms:
        if exponent > _WORK:
            raise _TooLargeError
        return reduce(self._product, [base] * exponent, self._number(1))

    def _root(self, base: Node, opened: Terms, exponent: Fraction | int) -> Terms:
        """Return a root, or what stands below the line; a single term falls into its factors."""
        if len(opened) == 1 and exponent.__class__ is int:
            ((monomial, (value, size)),) = opened.items()
            inverse = tuple((atom, e * exponent) for atom, e in monomial)
            return {inverse: (value**exponent, size ** int(exponent))}
        self.bases[base] = opened
        return {((base, exponent),): (Fraction(1), 1.0)}

    def _trigonometric(self, node: Node) -> Terms:
        sine, cosine = self._turned(list(self.known[node.args[0]].items()))
        if node.value == "tan":
            below = self._root(function("cos", node.args[0]), cosine, -1)
            return self._product(sine, below)
        return sine if node.value == "sin" else cosine

    def _turned(self, angle: list[tuple[Monomial, tuple[Fraction, float]]]) -> tuple[Terms, Terms]:
        """Return sine and cosine of a sum of terms."""
        sine, cosine = self._number(0), self._number(1)
        for monomial, (value, _) in angle:
            times = (
                abs(value) if value.denominator == 1 and abs(value) <= _MULTIPLE else Fraction(1)
            )
            unit = _node(monomial, value / times)
            s, c = self._atom(function("sin", unit)), self._atom(function("cos", unit))
            for _ in range(int(times)):
                sine, cosine = (
                    self._sum([self._product(sine, c), self._product(cosine, s)]),
                    self._sum(
                        [
                            self._product(cosine, c),
                            self._product(self._number(-1), self._product(sine, s)),
                        ]
                    ),
                )
        return sine, cosine

    def _atom(self, node: Node) -> Terms:
        """Return a sine or cosine of one term; signs and constants come out of it."""
        if node.op is NUMBER:
            return self._number(node.value)
        if node.op is FUNCTION:
            return {((node, 1),): (Fraction(1), 1.0)}
        (inner,) = node.args  # an odd function of a negative angle
        return self._product(self._number(node.value), self._atom(inner))

    def _reduced(self, terms: Terms) -> Terms:
        """Return a polynomial without squares of sines."""
        while True:
            squares = [m for m in terms if any(_is_sine(a) and e >= 2 for a, e in m)]  # noqa: PLR2004
            if not squares:
                return terms
            parts: list[Terms] = [{m: p for m, p in terms.items() if m not in set(squares)}]
            for monomial in squares:
                value, size = terms[monomial]
                atom = next(a for a, e in monomial if _is_sine(a) and e >= 2)  # noqa: PLR2004
                rest = monomial_product(monomial, ((atom, -2),))
                cosine = function("cos", atom.args[0])
                squared = monomial_product(rest, ((cosine, 2),))
                parts.append({rest: (value, size), squared: (-value, size)})
            terms = self._sum(parts)

    def _below(self, terms: Terms) -> dict[Node, int]:
        """Return the bases and sines that must be cleared, with the power that does it."""
        shifts: dict[Node, int] = {}
        for monomial in terms:
            for atom, exponent in monomial:
                if exponent < 0 if _is_sine(atom) else atom in self.bases and not 0 < exponent < 1:
                    shifts[atom] = max(shifts.get(atom, 0), -floor(exponent))
        return shifts

    def _cleared(self, terms: Terms, shifts: dict[Node, int]) -> Terms:
        """Return a polynomial times whole powers of bases, which then are opened."""
        parts: list[Terms] = []
        for monomial, pair in terms.items():
            exponents = dict(monomial)
            term: Terms = {tuple((a, e) for a, e in monomial if a not in shifts): pair}
            for base, shift in shifts.items():
                exponent = exponents.get(base, 0) + shift
                whole = floor(exponent)
                if exponent != whole:
                    kept: Terms = {((base, exponent - whole),): (Fraction(1), 1.0)}
                    term = self._product(term, kept)
                if whole:
                    term = self._product(term, self._power(self._opened_base(base), whole))
            parts.append(term)
        return self._sum(parts)

    def _opened_base(self, base: Node) -> Terms:
        return self._atom(base) if _is_sine(base) else self.bases[base]


def _is_sine(atom: Node) -> bool:
    return atom.op is FUNCTION and atom.value == "sin"


def _node(monomial: Monomial, factor: Fraction) -> Node:
    return mul(number(factor), *(power(atom, e) for atom, e in monomial))
