"""The values of what a page states, at a state: names by their definitions, derivatives by jets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import EquationsError
from mbx.codegen.pages.check.jets import FUNCTIONS, Jet, divide, power, slope_of
from mbx.codegen.pages.check.page_syntax import (
    Apply,
    Choose,
    Columns,
    Compare,
    Derivative,
    Divide,
    Multiply,
    Negate,
    Number,
    Power,
    Product,
    Sum,
    Term,
    Total,
    Word,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PageValues", "Value"]

Value = Any
"""A number, a jet, or a list of these."""

_PLANE: Final = 2
_SPACE: Final = 3


class PageValues:
    """Evaluates terms at a state.

    Attributes:
        known: Values of what the state, the parameters and the equations give, by name.
        rates: How fast the known names change, by name; constant if a name is not there.
        definitions: What the page defines, by name.
    """

    def __init__(
        self,
        known: Mapping[str, float],
        rates: Mapping[str, float],
        definitions: Mapping[str, Term],
    ) -> None:
        """Take what is known at the state."""
        self.known = known
        self.rates = rates
        self.definitions = definitions
        self._sizing: set[str] = set()
        self._sizes: dict[str, float] = {}
        self._memory: dict[str, Value] = {}

    def __call__(self, term: Term) -> Value:
        """Return the value of a term."""
        return self._evaluate(term, {}, self._memory)

    def _name(self, name: str, moved: Mapping[str, Value], memory: dict[str, Value]) -> Value:
        """Return the value of a name; `moved` are values that stand for known ones."""
        if name in moved:
            return moved[name]
        if name in self.definitions:
            if name not in memory:
                memory[name] = self._evaluate(self.definitions[name], moved, memory)
            return memory[name]
        if name in self.known:
            return self.known[name]
        if name == "pi":
            return math.pi
        raise EquationsError(f"'{name}' on the page is neither known nor defined there")

    def _evaluate(self, term: Term, moved: Mapping[str, Value], memory: dict[str, Value]) -> Value:
        def value(inner: Term) -> Value:
            return self._evaluate(inner, moved, memory)

        match term:
            case Number():
                return term.value
            case Word():
                return self._name(term.text, moved, memory)
            case Sum():
                result = value(term.terms[0])
                for each in term.terms[1:]:
                    result = _add(result, value(each))
                return result
            case Negate():
                return _multiply(-1.0, value(term.inside))
            case Multiply():
                return _multiply(value(term.left), value(term.right))
            case Divide():
                return _multiply(divide(1.0, _scalar(value(term.below))), value(term.above))
            case Product():
                return _product(value(term.left), value(term.right), is_cross=term.is_cross)
            case Power():
                exponent = _plain(value(term.exponent))
                whole = int(exponent) if exponent == int(exponent) else exponent
                return power(_scalar(value(term.base)), whole)
            case Apply():
                return _apply(term.function, [_scalar(value(x)) for x in term.args])
            case Columns():
                return [_scalar(value(x)) for x in term.entries]
            case Derivative():
                return self._partial(term, moved)
            case Total():
                return self._total(term, moved, self.rates)
            case Compare():
                left, right = _plain(value(term.left)), _plain(value(term.right))
                return float(left < right if term.word == "<" else left <= right)
            case Choose():
                return value(term.yes) if _plain(value(term.condition)) else value(term.no)

    def is_known(self, term: Term) -> bool:
        """Return whether all names in a term, and in their definitions, have values."""
        seen: set[str] = set()
        pending = [*words_of(term)]
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            if name in self.definitions:
                pending += words_of(self.definitions[name])
            elif name not in self.known:
                return False
        return True

    def size(self, term: Term) -> float:
        """Return the sum of the magnitudes of what a term adds up."""
        match term:
            case Sum():
                return sum(self.size(each) for each in term.terms)
            case Negate():
                return self.size(term.inside)
            case Multiply() | Product():
                return self.size(term.left) * self.size(term.right)
            case Divide():
                return self.size(term.above) / (abs(_plain(self(term.below))) or 1.0)
            case Columns():
                return max(self.size(each) for each in term.entries)
            case Power(exponent=Number(value=exponent)) if exponent > 0:
                return float(self.size(term.base) ** exponent)
            case Word() if term.text in self.definitions and term.text not in self._sizing:
                if term.text not in self._sizes:
                    self._sizing.add(term.text)
                    self._sizes[term.text] = self.size(self.definitions[term.text])
                    self._sizing.discard(term.text)
                return self._sizes[term.text]
            case Total():
                return sum(_largest(self._total(term, {}, {n: r})) for n, r in self.rates.items())
            case Derivative() if term.of in self.definitions:
                whole = self.size(Word(term.of)) / max(1.0, _largest(self(Word(term.by))))
                return max(whole, _largest(self(term)))
        return _largest(self(term))

    def slope(self, term: Term, by: str) -> Value:
        """Return the derivative of a term by a name, all other names fixed."""
        return _slope(self._evaluate(term, {by: Jet(self._name(by, {}, {}), 1.0)}, {}))

    def _partial(self, term: Derivative, moved: Mapping[str, Value]) -> Value:
        """Return the derivative of a name as the page defines it, all other symbols fixed."""
        if term.of not in self.definitions:
            raise EquationsError(f"'{term.of}' on the page has a derivative, and no definition")
        at = self._name(term.by, moved, {})
        ahead = _lifted(moved)
        ahead[term.by] = Jet(at, 1.0)
        return _slope(self._name(term.of, ahead, {}))

    def _total(self, term: Total, moved: Mapping[str, Value], rates: Mapping[str, float]) -> Value:
        """Return the derivative along the motion, as far as names change with some rates."""
        ahead = _lifted(moved)
        for name, rate in rates.items():
            # a page may vary what a name changes with: the derivative of a rate by an acceleration
            ahead[name] = Jet(self._name(name, moved, {}), moved.get(f"{name}'", rate))
        if isinstance(term.of, Derivative):
            return _slope(self._partial(term.of, ahead))
        return _slope(self._name(term.of.text, ahead, {}))


def _lifted(moved: Mapping[str, Value]) -> dict[str, Value]:
    """Return values that do not change in the next direction, so that jets are of one depth."""
    return {name: Jet(value, 0.0) for name, value in moved.items()}


def _largest(value: Value) -> float:
    """Return the magnitude of a number, or of the largest component of a vector."""
    return max(abs(_plain(x)) for x in (value if isinstance(value, list) else [value]))


def words_of(term: Term) -> list[str]:
    """Return the names in a term."""
    match term:
        case Word():
            return [term.text]
        case Derivative():
            return [term.of, term.by]
        case Number():
            return []
        case Sum():
            inside: tuple[Term, ...] = term.terms
        case Negate():
            inside = (term.inside,)
        case Multiply() | Product():
            inside = (term.left, term.right)
        case Divide():
            inside = (term.above, term.below)
        case Power():
            inside = (term.base, term.exponent)
        case Apply():
            inside = term.args
        case Columns():
            inside = term.entries
        case Total():
            inside = (term.of,)
        case Compare():
            inside = (term.left, term.right)
        case Choose():
            inside = (term.condition, term.yes, term.no)
    return [name for each in inside for name in words_of(each)]


def _slope(value: Value) -> Value:
    return [slope_of(x) for x in value] if isinstance(value, list) else slope_of(value)


def _scalar(value: Value) -> Value:
    if isinstance(value, list):
        raise EquationsError("a vector stands on the page where a number belongs")
    return value


def _plain(value: Value) -> float:
    value = _scalar(value)
    while isinstance(value, Jet):
        value = value.value
    return float(value)


def _add(a: Value, b: Value) -> Value:
    if isinstance(a, list) and isinstance(b, list):
        return [x + y for x, y in zip(a, b, strict=True)]
    return _scalar(a) + _scalar(b)


def _multiply(a: Value, b: Value) -> Value:
    if isinstance(a, list):
        return [x * _scalar(b) for x in a]
    if isinstance(b, list):
        return [a * x for x in b]
    return a * b


def _product(a: Value, b: Value, *, is_cross: bool) -> Value:
    if not isinstance(a, list) and not isinstance(b, list) and not is_cross:
        return a * b  # in a plane what turns is a number
    if is_cross and not isinstance(a, list) and isinstance(b, list) and len(b) == _PLANE:
        return [-(a * b[1]), a * b[0]]
    if not isinstance(a, list) or not isinstance(b, list) or len(a) != len(b):
        raise EquationsError("a product on the page is not one of two vectors")
    if not is_cross:
        total = a[0] * b[0]
        for x, y in zip(a[1:], b[1:], strict=True):
            total = total + x * y
        return total
    if len(a) == _PLANE:
        return a[0] * b[1] - a[1] * b[0]
    return [
        a[(k + 1) % _SPACE] * b[(k + 2) % _SPACE] - a[(k + 2) % _SPACE] * b[(k + 1) % _SPACE]
        for k in range(_SPACE)
    ]


def _apply(function: str, args: list[Value]) -> Value:
    match function:
        case "and":
            return float(all(_plain(x) for x in args))
        case "or":
            return float(any(_plain(x) for x in args))
        case "not":
            return float(not _plain(args[0]))
        case "nonzero":
            return float(_plain(args[0]) != 0)
    return FUNCTIONS[function](*args)
