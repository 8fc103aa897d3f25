"""Expressions as people write them: sums of terms in an order, products without brackets.

The kernel keeps products in pairs, in an order of structure. Here a product is one row of
factors: numbers, parameters (masses, then gravity, then lengths), variables, their rates,
functions, brackets. Nothing is expanded; the value is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.expr.build import power
from mbx.expr.nodes import (
    ADD,
    CHOOSE,
    LESS,
    NUMBER,
    ONE,
    POWER,
    PRODUCT,
    SCALE,
    ZERO,
    Node,
    Number,
)
from mbx.expr.nodes import (
    plain as plain_number,
)
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.formalism.equations import Quantity, Signature

__all__ = [
    "Atom",
    "Call",
    "Choice",
    "Factor",
    "Group",
    "Layout",
    "Logic",
    "Name",
    "Sum",
    "Term",
    "magnitude",
]

_HALF: Final = Fraction(1, 2)
_LONG: Final = 10**LIMITS.integer_digits
_LEAST: Final = Fraction(1, 10**300)
"""Numbers beyond this and its inverse are no doubles."""


@dataclass(frozen=True, slots=True)
class Name:
    """A symbol."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function of sums."""

    function: str
    args: tuple[Sum, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A sum in brackets."""

    inside: Sum


@dataclass(frozen=True, slots=True)
class Logic:
    """A condition: `<` of two sums; `not`, `and`, `or` of conditions."""

    word: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One sum or another."""

    condition: Logic
    yes: Sum
    no: Sum


Atom = Name | Call | Group | Choice


@dataclass(frozen=True, slots=True)
class Factor:
    """An atom to a positive power."""

    atom: Atom
    exponent: Number


@dataclass(frozen=True, slots=True)
class Term:
    """A number times factors, above and below the line."""

    number: Number
    above: tuple[Factor, ...] = ()
    below: tuple[Factor, ...] = ()


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms; none is zero."""

    terms: tuple[Term, ...]


@dataclass(slots=True)
class Layout:
    """Brings nodes into order; what was laid out is remembered."""

    places: dict[str, tuple[int, int]]
    _sums: dict[Node, Sum] = field(default_factory=dict)

    @classmethod
    def of(cls, signature: Signature) -> Layout:
        """Return the layout for the symbols of a signature."""
        places: dict[str, tuple[int, int]] = {"t": (5, 0)}
        for k, one in enumerate(signature.parameters):
            places[one.symbol.value] = (_rank(one), k)
        later = (signature.inputs, signature.q, signature.u, signature.derived, signature.highest)
        for rank, group in enumerate(later, 4):
            places |= {one.symbol.value: (2 * rank, k) for k, one in enumerate(group)}
        return cls(places)

    def __call__(self, node: Node) -> Sum:
        """Return a node as a sum."""
        if node not in self._sums:
            found = [self._term(factor, n) for factor, n in _addends(node)]
            self._sums[node] = _ordered(found, self._term_key)
        return self._sums[node]

    def _term(self, factor: Number, node: Node) -> Term:
        number, powers = _product(node)
        number = plain_number(number * factor)
        above: list[Factor] = []
        below: list[Factor] = []
        for base, exponent in powers:
            atom, sign = self._atom(base)
            if sign < 0 and exponent.__class__ is int and exponent % 2:
                number = -number
            (above if exponent > 0 else below).append(Factor(atom, magnitude(exponent)))
        above.sort(key=self._factor_key)
        below.sort(key=self._factor_key)
        return Term(number, tuple(above), tuple(below))

    def _atom(self, node: Node) -> tuple[Atom, int]:
        """Return a base of a power, and -1 if it is shown with the opposite sign."""
        match node.op:
            case "symbol":
                return Name(node.value), 1
            case "function":
                return Call(node.value, tuple(self(a) for a in node.args)), 1
            case "power" if _is_magnitude(node):
                return Call("abs", (self(node.args[0].args[0]),)), 1
            case "choose":
                condition, yes, no = node.args
                return Choice(self._logic(condition), self(yes), self(no)), 1
            case "less":
                return Choice(self._logic(node), self(ONE), self(ZERO)), 1
        inside = self(node)
        if inside.terms and inside.terms[0].number < 0:  # then all are
            opposite = (Term(-t.number, t.above, t.below) for t in inside.terms)
            return Group(Sum(tuple(opposite))), -1
        return Group(inside), 1

    def _logic(self, node: Node) -> Logic:
        if node.op is LESS:
            return Logic("<", tuple(self(a) for a in node.args))
        if node.op is not CHOOSE:
            return Logic("is not zero", (self(node),))
        first, yes, no = node.args
        if (yes, no) == (ZERO, ONE):
            return _not(self._logic(first))
        if no is ZERO:
            return Logic("and", (self._logic(first), self._logic(yes)))
        if yes is ONE:
            return Logic("or", (self._logic(first), self._logic(no)))
        if yes is ZERO:
            return Logic("and", (_not(self._logic(first)), self._logic(no)))
        if no is ONE:
            return Logic("or", (_not(self._logic(first)), self._logic(yes)))
        return Logic("is not zero", (self(node),))

    # -- order -----------------------------------------------------------------------------

    def _factor_key(self, factor: Factor) -> tuple[Any, ...]:
        atom = factor.atom
        if isinstance(atom, Name):
            return *self.places.get(atom.text, (30, 0)), atom.text, "", factor.exponent
        if isinstance(atom, Call):
            keys = [self._term_key(t) for a in atom.args for t in a.terms]
            return 40, 0, "", (tuple(keys), atom.function), factor.exponent
        return 50 if isinstance(atom, Group) else 60, 0, "", repr(atom), factor.exponent

    def _term_key(self, term: Term) -> tuple[Any, ...]:
        if not term.above and not term.below:
            return (((99,),),)
        above = tuple(self._factor_key(f) for f in term.above) or ((90,),)
        return above, tuple(self._factor_key(f) for f in term.below), term.number


def magnitude(value: Number) -> Number:
    """Return a number without its sign, of so many digits that it can be read back."""
    size = value if value >= 0 else -value
    if isinstance(size, float) or max(size.numerator, size.denominator) < _LONG:
        return size
    return float(size) if _LEAST < size < 1 / _LEAST else size


def _rank(one: Quantity) -> int:
    """Return the place of a parameter: masses and forces, then rates, then the rest."""
    if "kg" in one.dimension:
        return 1
    return 2 if one.dimension.endswith(("/s", "/s^2")) else 3


def _addends(node: Node) -> list[tuple[Number, Node]]:
    """Return the terms of a node with their factors; sums in sums are opened."""
    found: list[tuple[Number, Node]] = []
    stack: list[tuple[Number, Node]] = [(1, node)]
    while stack:
        factor, n = stack.pop()
        if n.op is ADD:
            stack += [(factor, a) for a in reversed(n.args)]
            if n.value:
                found.append((factor * n.value, ONE))
        elif n.op is SCALE and n.args[0].op in {ADD, SCALE}:
            stack.append((factor * n.value, n.args[0]))
        elif n.op is NUMBER:
            if n.value:
                found.append((factor * n.value, ONE))
        else:
            found.append((factor, n))
    return found


def _product(node: Node) -> tuple[Number, list[tuple[Node, Number]]]:
    """Return the number in a product, and its other factors with their powers."""
    number: Number = 1
    powers: dict[tuple[Node, bool], Number] = {}
    stack: list[tuple[Node, Number]] = [(node, 1)]
    while stack:
        n, exponent = stack.pop()
        whole = exponent.__class__ is int
        if n.op is NUMBER and whole:
            number *= _raised(n.value, exponent)
        elif n.op is SCALE and whole:
            number *= _raised(n.value, exponent)
            stack.append((n.args[0], exponent))
        elif n.op is PRODUCT and whole:
            stack += [(a, exponent) for a in reversed(n.args)]
        elif n.op is POWER and n.value == -_HALF and whole and _is_square(n.args[0]):
            stack.append((power(n.args[0], _HALF), -exponent))
        elif n.op is POWER and whole and not _is_magnitude(n):
            stack.append((n.args[0], exponent * n.value))
        else:
            # a factor above the line and one below are never cancelled: zero is left undefined
            key = n, exponent > 0
            powers[key] = powers.get(key, 0) + exponent
    return number, [(n, exponent) for (n, _), exponent in powers.items()]


def _raised(value: Number, exponent: Any) -> Any:
    return value**exponent if isinstance(value, float) else Fraction(value) ** exponent


def _is_magnitude(node: Node) -> bool:
    """Whether a node is the root of a square."""
    return node.op is POWER and node.value == _HALF and _is_square(node.args[0])


def _is_square(node: Node) -> bool:
    return node.op is POWER and node.value == 2  # noqa: PLR2004


def _ordered(terms: Iterable[Term], key: Any) -> Sum:
    """Return terms in order; a positive one comes first if there is one."""
    numbers: dict[tuple[tuple[Factor, ...], tuple[Factor, ...]], Number] = {}
    for one in terms:
        like = one.above, one.below
        numbers[like] = plain_number(numbers.get(like, 0) + one.number)
    found = sorted((Term(n, *like) for like, n in numbers.items() if n), key=key)
    if found and found[0].number < 0:
        first = next((k for k, t in enumerate(found) if t.number > 0), 0)
        found.insert(0, found.pop(first))
    return Sum(tuple(found))


def _not(condition: Logic) -> Logic:
    if condition.word == "<":
        return Logic("<=", condition.args[::-1])
    return Logic("not", (condition,))
