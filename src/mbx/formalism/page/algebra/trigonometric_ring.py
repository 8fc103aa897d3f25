"""Expressions as fractions of polynomials, with sines and cosines of a basis of angles.

In the ring, sin^2 = 1 - cos^2 and the sine and cosine of a sum of angles are written out, so that
equal expressions are the same polynomial and common factors cancel. SymPy's sparse polynomials
have the greatest common divisors and factors that this needs.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import gcd, lcm
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.polynomial import EMPTY, flat, from_polynomial, monomial_product
from mbx.expr.algebra.shorten import cost, written
from mbx.expr.algebra.trigonometry import gather
from mbx.expr.build import divide, function, mul, power, scale, total
from mbx.expr.nodes import FUNCTION, NUMBER, ONE, ZERO, Node, number

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from mbx.expr.algebra.polynomial import Monomial, Polynomial

__all__ = ["Fractions", "shorten_units"]

_TERMS: Final = 2500
"""Terms of a polynomial that is still handled."""
_OPENED: Final = 5000
"""Operations of what is written with unit vectors, each as often as it is printed."""
_KEPT: Final = 2000
"""Expressions of which that form is remembered."""
_HANDLED: Final = 150_000
"""Terms of all polynomials of a field together."""
_BASES: Final = 3000
"""Choices of a basis that are compared."""
_ANGLES: Final = 4
"""Angles of which the best basis is looked for."""
_MAIN: Final = 4.0
"""How much more an angle counts that shall stay whole."""
_TURNS: Final = frozenset({"sin", "cos", "tan"})

Angle = dict["Monomial", Fraction]
"""An angle as a sum of terms with factors."""
Rational = Any
"""A fraction of two polynomials of SymPy."""


class Fractions:
    """The field of fractions of the expressions that are to be handled together."""

    def __init__(
        self,
        nodes: Sequence[Node],
        main: Sequence[Node] = (),
        units: Sequence[Sequence[Node]] = (),
    ) -> None:
        """Find the atoms of expressions and make the field.

        The angles of `main` stay whole. The squares of `units` add up to one.
        """
        from sympy import QQ  # noqa: PLC0415  heavy, and for display only
        from sympy.polys.fields import field  # noqa: PLC0415

        self._known: dict[Node, Rational] = {}
        self._left = _HANDLED
        angles, atoms = _find_atoms([*main, *nodes])
        self.basis = _choose_basis(angles, set(_find_atoms(main)[0]))
        self.atoms = sorted(atoms, key=lambda node: node.order)
        angle_nodes = [_angle_node(unit) for unit in self.basis]
        self.sines = [function("sin", unit) for unit in angle_nodes]
        self.cosines = [function("cos", unit) for unit in angle_nodes]
        self.generators = [*self.atoms, *self.sines, *self.cosines]
        names = [f"x{k}" for k in range(len(self.generators))] or ["x0"]
        self.field, *symbols = field(names, QQ)
        self.ring = self.field.ring
        self._symbol = dict(zip(self.generators, symbols, strict=False))
        first = len(self.atoms)
        count = len(angle_nodes)
        self._pairs = [(first + k, first + count + k) for k in range(count)]
        self._roots: list[tuple[int, Any]] = []
        self._roots = [*self._find_roots(), *self._find_units(units)]

    def _find_roots(self) -> list[tuple[int, Any]]:
        """Return the square roots among the atoms, with the polynomials below them."""
        roots: list[tuple[int, Any]] = []
        for k, atom in enumerate(self.atoms):
            if atom.op == "power" and atom.value == Fraction(1, 2):
                with suppress(TooLargeError):
                    base = self(atom.args[0])
                    if base.denom == self.ring.one:
                        roots.append((k, base.numer))
        return roots

    def _find_units(self, units: Sequence[Sequence[Node]]) -> list[tuple[int, Any]]:
        """Return the last symbol of each unit vector, with the polynomial that its square is."""
        found: list[tuple[int, Any]] = []
        for parts in units:
            if set(parts) <= set(self.atoms):
                *others, last = parts
                square = self.ring.one
                for part in others:
                    square -= self._symbol[part].numer ** 2
                found.append((self.atoms.index(last), square))
        return found

    def clear(self, values: Sequence[Rational]) -> tuple[list[Any], Any]:
        """Return fractions times their common denominator, and that."""
        ring = self.ring
        below = ring.one
        for value in values:
            below = below.lcm(value.denom)
        products = [value * below for value in values]
        number = ring.domain.one
        for product in products:
            number = _lcm(number, product.denom.LC)
        above = [
            product.numer.mul_ground(number / product.denom.LC) if product != 0 else ring.zero
            for product in products
        ]
        return above, below.mul_ground(number)

    # -- from expressions --------------------------------------------------------------------

    def __call__(self, node: Node) -> Rational:
        """Return an expression as a fraction in normal form."""
        for part in _outside([node]):
            if part not in self._known:
                self._known[part] = self.reduce(self._open(part))
        return self._known[node]

    def _open(self, node: Node) -> Rational:
        if node in self._symbol:
            return self._symbol[node]
        parts = [self._known[a] for a in node.args] if _is_open(node) else []
        match node.op:
            case "number":
                return self.field(_exact(node.value))
            case "add":
                self._work(sum(len(part.numer) for part in parts), parts)
                result = self.field(_exact(node.value)) if node.value else self.field(0)
                for part in parts:
                    result += part
                return result
            case "scale":
                return parts[0] * _exact(node.value)
            case "product":
                self._work(len(parts[0].numer) * len(parts[1].numer), parts)
                return parts[0] * parts[1]
            case "power" if node.value.__class__ is int:
                self._check(parts[0], abs(node.value))
                if node.value < 0 and parts[0] == 0:
                    raise TooLargeError
                return parts[0] ** node.value
            case "function" if node.value in _TURNS:
                sine, cosine = self._turn(_angle(node.args[0]))
                if node.value == "tan":
                    return sine / cosine
                return sine if node.value == "sin" else cosine
        raise TooLargeError

    def _work(self, terms: int, parts: Sequence[Rational]) -> None:
        """Count the terms that are handled, those below the line as often as they are cancelled."""
        below = 1
        for part in parts:
            below *= len(part.denom)
        self._left -= terms * below * below
        if self._left < 0:
            raise TooLargeError

    def _turn(self, angle: Angle) -> tuple[Rational, Rational]:
        """Return the sine and cosine of a sum of multiples of the angles of the basis."""
        sine, cosine = self.field(0), self.field(1)
        factors = _coordinates(angle, self.basis)
        if factors is None:
            raise TooLargeError
        for k, factor in enumerate(factors):
            s, c = self._symbol[self.sines[k]], self._symbol[self.cosines[k]]
            s = s if factor > 0 else -s
            for _ in range(abs(factor)):
                sine, cosine = (
                    self.reduce(sine * c + cosine * s),
                    self.reduce(cosine * c - sine * s),
                )
        return sine, cosine

    # -- normal form -------------------------------------------------------------------------

    def reduce(self, value: Rational, kept: Sequence[bool] = ()) -> Rational:
        """Return a fraction without squares of sines, or of cosines where sines are `kept`."""
        self._check(value)
        above = self._without_squares(value.numer, kept)
        below = self._without_squares(value.denom, kept)
        if below == 0:
            raise TooLargeError
        return self.field(above) / self.field(below)

    def _without_squares(self, polynomial: Any, kept: Sequence[bool]) -> Any:
        for k, (sine, cosine) in enumerate(self._pairs):
            this, other = (cosine, sine) if kept and kept[k] else (sine, cosine)
            unit = self.ring.one - self.ring.gens[other] ** 2
            polynomial = self._replace_square(polynomial, this, unit)
        for k, base in self._roots:
            polynomial = self._replace_square(polynomial, k, base)
        return polynomial

    def _replace_square(self, polynomial: Any, this: int, unit: Any) -> Any:
        """Return a polynomial with another one for the square of a generator."""
        if all(monomial[this] <= 1 for monomial in polynomial):
            return polynomial
        powers = [self.ring.one]
        parts: dict[int, Any] = {}
        for monomial, coefficient in polynomial.terms():
            half, odd = divmod(monomial[this], 2)
            rest = list(monomial)
            rest[this] = odd
            parts.setdefault(half, self.ring.zero)
            parts[half] += self.ring({tuple(rest): coefficient})
        result = self.ring.zero
        for half, part in sorted(parts.items()):
            while len(powers) <= half:
                powers.append(powers[-1] * unit)
            result += part * powers[half]
            if len(result) > _TERMS:
                raise TooLargeError
        return result

    def _check(self, value: Rational, times: int = 1) -> None:
        if max(len(value.numer), len(value.denom)) ** min(times, 4) > _TERMS:
            raise TooLargeError

    # -- to expressions ----------------------------------------------------------------------

    def node(self, value: Rational) -> Node:
        """Return the shortest expression of a fraction that is found."""
        if value == 0:
            return ZERO
        best: Node | None = None
        for kept in self.variants(value):
            form = self.reduce(value, kept) if any(kept) else value
            above = self.polynomial_node(form.numer)
            below = self.polynomial_node(form.denom)
            found = above if below is ONE else divide(above, below)
            if best is None or cost([found]) < cost([best]):
                best = found
        assert best is not None  # noqa: S101  there is one variant at least
        return best

    def variants(self, value: Rational) -> Iterable[tuple[bool, ...]]:
        """Yield choices of the sines or cosines whose squares stay."""
        squared = [
            any(
                m[s] > 1 or m[c] > 1
                for polynomial in (value.numer, value.denom)
                for m in polynomial
            )
            for s, c in self._pairs
        ]
        free = [k for k, is_squared in enumerate(squared) if is_squared][:3]
        for chosen in range(2 ** len(free)):
            kept = [False] * len(self._pairs)
            for bit, k in enumerate(free):
                kept[k] = bool(chosen >> bit & 1)
            yield tuple(kept)

    def polynomial_node(self, polynomial: Any) -> Node:
        """Return an expression of a polynomial, its angles gathered and its factors taken out."""
        terms: Polynomial = {}
        for exponents, coefficient in polynomial.terms():
            factors = [
                (generator, e)
                for generator, e in zip(self.generators, exponents, strict=False)
                if e
            ]
            monomial = monomial_product(factors, ())
            terms[monomial] = terms.get(monomial, 0) + _number(coefficient)
        plain = from_polynomial(terms)
        gathered = from_polynomial(gather(terms))
        return min(gathered, plain, key=lambda node: cost([node]))


@lru_cache(maxsize=_KEPT)
def shorten_units(node: Node, units: tuple[tuple[Node, ...], ...]) -> Node:
    """Return an expression in which the squares of unit vectors add up to one, if shorter."""
    if written([node]) > _OPENED:
        return node
    try:
        fractions = Fractions([node, *(x for unit in units for x in unit)], units=units)
        found = fractions.node(fractions(node))
    except TooLargeError:
        return node
    return found if cost([found]) < cost([node]) else node


def _lcm(a: Any, b: Any) -> Any:
    """Return the least common multiple of the whole numbers that two denominators are."""
    return a * b / gcd(int(a), int(b))


def _exact(value: Any) -> Any:
    from sympy import QQ  # noqa: PLC0415  heavy, and for display only

    if isinstance(value, float):
        raise TooLargeError  # a rounded number has no exact factors
    exact = Fraction(value)
    return QQ(exact.numerator, exact.denominator)


def _number(value: Any) -> Any:
    above, below = int(value.numerator), int(value.denominator)
    return above if below == 1 else Fraction(above, below)


# -- atoms and angles ------------------------------------------------------------------------


def _outside(nodes: Sequence[Node]) -> list[Node]:
    """Return the parts of expressions, each after its own parts, but for what atoms hold."""
    parts: list[Node] = []
    seen: set[Node] = set()
    stack = [(node, False) for node in reversed(list(nodes))]
    while stack:
        node, is_ready = stack.pop()
        if is_ready:
            parts.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            if _is_open(node):
                stack.extend((a, False) for a in reversed(node.args) if a not in seen)
    return parts


def _is_open(node: Node) -> bool:
    """Return whether a node is a sum, a product or a whole power."""
    if node.op == "power":
        return node.value.__class__ is int
    return node.op in {"add", "scale", "product"}


def _find_atoms(nodes: Sequence[Node]) -> tuple[dict[tuple[Any, ...], Angle], set[Node]]:
    """Return the angles of sines and cosines, and what else is no sum, product or whole power."""
    angles: dict[tuple[Any, ...], Angle] = {}
    atoms: set[Node] = set()
    for node in _outside(nodes):
        if node.op is FUNCTION and node.value in _TURNS:
            try:
                angle = _angle(node.args[0])
            except TooLargeError:  # an angle with a rounded factor is not taken apart
                atoms.add(node)
                continue
            angles[_key(angle)] = angle
        elif node.op is not NUMBER and not _is_open(node):
            atoms.add(node)
    return angles, atoms


def _angle(node: Node) -> Angle:
    """Return an angle as a sum of monomials with exact factors."""
    terms = node.args if node.op == "add" else (node,)
    angle: Angle = {}
    for term in terms:
        for monomial, factor in flat(term).items():
            if isinstance(factor, float):
                raise TooLargeError
            angle[monomial] = angle.get(monomial, Fraction(0)) + Fraction(factor)
    if node.op == "add" and node.value:
        if isinstance(node.value, float):
            raise TooLargeError
        angle[EMPTY] = angle.get(EMPTY, Fraction(0)) + Fraction(node.value)
    return {monomial: factor for monomial, factor in angle.items() if factor}


def _key(angle: Angle) -> tuple[Any, ...]:
    pairs = [([(a.order, e) for a, e in m], f) for m, f in angle.items()]
    return tuple(sorted((tuple(m), f) for m, f in pairs))


def _angle_node(angle: Angle) -> Node:
    return total(
        [
            scale(factor, mul(*(power(a, e) for a, e in monomial))) if monomial else number(factor)
            for monomial, factor in angle.items()
        ]
    )


def _choose_basis(
    angles: dict[tuple[Any, ...], Angle], main: Collection[tuple[Any, ...]]
) -> list[Angle]:
    """Return angles of which all others are whole combinations, with the shortest sums."""
    keys = sorted(angles, key=lambda key: (key not in main, key))
    listed = [angles[key] for key in keys]
    weights = [_MAIN if key in main else 1.0 for key in keys]
    terms = sorted({m for a in listed for m in a}, key=lambda m: [(x.order, e) for x, e in m])
    units: list[Angle] = []
    for term in terms:
        factors = [abs(a[term]) for a in listed if term in a]
        units.append({term: Fraction(1, _common_denominator(factors)) * _common_factor(factors)})
    if not 1 < len(units) <= _ANGLES:
        return units
    candidates = [a for a in listed if _coordinates(a, units) is not None] + units
    best, least = units, _effort(listed, units, weights)
    for tried, chosen in enumerate(combinations(candidates, len(units))):
        if tried > _BASES:
            break
        basis = list(chosen)
        effort = _effort(listed, basis, weights)
        if effort < least:
            best, least = basis, effort
    return best


def _common_denominator(factors: Sequence[Fraction]) -> int:
    return lcm(*(f.denominator for f in factors))


def _common_factor(factors: Sequence[Fraction]) -> int:
    below = _common_denominator(factors)
    return gcd(*(int(f * below) for f in factors))


def _effort(angles: Sequence[Angle], basis: Sequence[Angle], weights: Sequence[float]) -> float:
    """Return how many terms the sines of angles have in a basis; infinite if they have none."""
    effort = 0.0
    for angle, weight in zip(angles, weights, strict=True):
        factors = _coordinates(angle, basis)
        if factors is None:
            return float("inf")
        effort += weight * 2.0 ** (sum(map(abs, factors)) - 1)
    return effort


def _coordinates(angle: Angle, basis: Sequence[Angle]) -> list[int] | None:
    """Return the whole factors with which an angle is a sum of angles, if there are any."""
    terms = list({m: None for a in (angle, *basis) for m in a})
    rows = [[a.get(m, Fraction(0)) for a in basis] + [angle.get(m, Fraction(0))] for m in terms]
    n = len(basis)
    pivots: list[int] = []
    at = 0
    for column in range(n):
        found = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if found is None:
            return None
        rows[at], rows[found] = rows[found], rows[at]
        lead = rows[at][column]
        rows[at] = [x / lead for x in rows[at]]
        for i, row in enumerate(rows):
            if i != at and row[column]:
                ratio = row[column]
                rows[i] = [x - ratio * y for x, y in zip(row, rows[at], strict=True)]
        pivots.append(column)
        at += 1
    if any(row[n] for row in rows[at:]):
        return None
    factors = [rows[k][n] for k in range(n)]
    return [int(f) for f in factors] if all(f.denominator == 1 for f in factors) else None
