"""Numbers that are known before any motion: parameters, lets and constants, in SI.

Evaluated in floats with every size bounded, so that no constant, however written, costs
time or memory: MBX4102, MBX4103, MBX5010.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.checking.expressions.known_vectors import Vectors
from mbx.checking.expressions.scope import Scope, binding_of, resolve
from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Expression,
    Group,
    Junction,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Reference,
    Sum,
    children,
)
from mbx.language.document.node import expressions_of
from mbx.language.limits import LIMITS
from mbx.language.units import UnitError
from mbx.linking.expand import bare, literal, unit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.checking.context import Context
    from mbx.checking.expressions.known_vectors import Components, Known
    from mbx.checking.expressions.scope import Symbol

__all__ = ["Evaluator", "check_constants", "fill_values"]

_FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    name: getattr(math, name)
    for name in (
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "sqrt",
    )
} | {"abs": abs, "min": min, "max": max, "sign": lambda x: float((x > 0) - (x < 0))}
_OF_VECTORS: Final = frozenset({"dot", "norm", "unit"})
_COMPARE: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": float.__lt__,
    "<=": float.__le__,
    ">": float.__gt__,
    ">=": float.__ge__,
    "==": float.__eq__,
    "!=": float.__ne__,
}


class _Fault(Exception):  # noqa: N818  never leaves this module
    def __init__(self, code: str, message: str, node: Expression) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.node = node


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Values of the expressions of one level; with a `time`, also of what depends on it."""

    context: Context
    scope: Scope
    time: float | None = None
    vectors: dict[tuple[int, int, bool], Known | None] = field(
        default_factory=dict, compare=False, repr=False
    )

    def value(self, node: Expression) -> float | None:
        """Return an expression's value in SI; none if it depends on something unknown."""
        return self._evaluate(node, None)

    def in_unit(self, node: Expression, unit: str | None) -> float | None:
        """Return a value that stands where a unit is declared: numbers alone are in it."""
        return self._evaluate(node, unit if bare(node) else None)

    def _evaluate(self, node: Expression, unit: str | None) -> float | None:
        try:
            value = self._value(node)
            value = None if value is None else _in_unit(value, unit, node)
        except _Fault as bad:
            self.context.report.add(bad.code, bad.message, bad.node.at)
            return None
        except UnitError:
            return None  # reported where it is written
        if value is not None and 0 < abs(value) < sys.float_info.min:
            message = "a number so small that digits are lost"
            self.context.report.add("MBX5005", message, node.at, severity="warning")
        return value

    def _value(self, node: Expression) -> float | None:
        match node:
            case Number(text, unit):
                try:
                    return _in_unit(float(literal(text)), unit, node)
                except UnitError:
                    return None
            case Group(x):
                return self._value(x)
            case Negative(x):
                value = self._value(x)
                return None if value is None else -value
            case Reference():
                return self._reference(node)
            case Sum(terms):
                total: float | None = 0.0
                for sign, term in terms:
                    part = self._value(term)
                    if total is None or part is None:
                        total = None
                    else:
                        total += part if sign == "+" else -part
                return None if total is None else _refuse_overflow(total, node)
            case Product():
                return self._product(node)
            case Power(base, exponent):
                b, e = self._value(base), self._value(exponent)
                return None if b is None or e is None else _power(b, e, node)
            case Call(function, arguments):
                if function in _OF_VECTORS:
                    return self._of_vectors(node)
                values = [self._value(a) for a in arguments]
                if any(v is None for v in values) or function not in _FUNCTIONS:
                    return None
                return _apply(node, function, values)  # type: ignore[arg-type]
            case Conditional(condition, yes, no):
                truth = self._truth(condition)
                picked = [self._value(yes), self._value(no)]
                return None if truth is None else picked[0 if truth else 1]
        return None

    def vector(self, node: Expression) -> Components | None:
        """Return the components of a vector, in the slot's frame or in ground, if all are known."""
        try:
            vector = self._vector(node, slot=True)
        except (_Fault, UnitError):
            return None  # reported with the scalars it is in
        return None if vector is None else vector[0]

    def _vector(self, node: Expression, *, slot: bool) -> Known | None:
        def scalar(expression: Expression, scope: Scope) -> float | None:
            return replace(self, scope=scope)._value(expression)  # noqa: SLF001  of the same class

        return Vectors(self.scope, scalar, self.vectors).of(node, slot=slot)

    def _of_vectors(self, node: Call) -> float | None:
        """Return a norm or a product of known vectors; refuse the direction of none."""
        arguments = [self._vector(a, slot=False) for a in node.arguments]
        if any(v is None for v in arguments):
            return None
        vectors = [v[0] for v in arguments if v is not None]
        match node.function, vectors:
            case "dot", [a, b]:
                return _refuse_overflow(sum(x * y for x, y in zip(a, b, strict=True)), node)
            case "norm", [a]:
                return _refuse_overflow(math.hypot(*a), node)
            case "unit", [a] if not any(a):
                raise _Fault("MBX4103", "division by zero: the zero vector has no direction", node)
        return None

    def _truth(self, node: Expression) -> bool | None:
        match node:
            case Group(x):
                return self._truth(x)
            case Comparison(operator, left, right):
                a, b = self._value(left), self._value(right)
                return None if a is None or b is None else _COMPARE[operator](a, b)
            case Junction(operator, items):
                parts = [self._truth(i) for i in items]
                if any(p is None for p in parts):
                    return None
                return all(parts) if operator == "and" else any(parts)
            case Not(x):
                truth = self._truth(x)
                return None if truth is None else not truth
        return None

    def _reference(self, node: Reference) -> float | None:
        if len(node.path) == 1 and node.path[0].name == "pi":
            return math.pi
        if node.path[0].name in {"t", "ground"}:
            return self.time if node.path[0].name == "t" else None
        target = resolve(node, self.scope)
        if target is None or node.primes or target.members:
            return None
        return self.context.values.get(target.symbol)

    def _product(self, node: Product) -> float | None:
        value: float | None = 1.0
        for sign, factor in node.factors:
            part = self._value(factor)
            if sign == "/" and part == 0:
                raise _Fault("MBX4103", "division by zero", factor)
            if value is None or part is None:
                value = None
                continue
            product = value * part if sign == "*" else value / part
            value = _refuse_underflow(
                _refuse_overflow(product, node), node, zero=value == 0 or (part == 0)
            )
        return value


def _in_unit(value: float, unit: str | None, node: Expression) -> float:
    """Return the SI value of a number in a unit."""
    scaled = _refuse_overflow(value * float(unit_of(unit).factor), node)
    return _refuse_underflow(scaled, node, zero=value == 0)


def _refuse_underflow(value: float, node: Expression, *, zero: bool) -> float:
    """Return a value unless it is so small that nothing is left of it."""
    if value == 0 and not zero:
        raise _Fault("MBX5005", "a number so small that nothing is left of it", node)
    return value


def _refuse_overflow(value: float, node: Expression) -> float:
    if (
        math.isnan(value)
        or math.isinf(value)
        or (value and abs(math.log2(abs(value))) > LIMITS.largest_log2 and abs(value) > 1)
    ):
        raise _Fault("MBX5010", f"a constant beyond 2^{LIMITS.largest_log2:.0f}", node)
    return value


def _power(base: float, exponent: float, node: Expression) -> float:
    if base == 0 and exponent < 0:
        raise _Fault("MBX4103", "division by zero", node)
    if base < 0 and exponent != int(exponent):
        raise _Fault("MBX4102", "a negative number has no such power", node)
    if base and abs(exponent * math.log2(abs(base))) > LIMITS.largest_log2:
        raise _Fault("MBX5010", f"a constant beyond 2^{LIMITS.largest_log2:.0f}", node)
    return _refuse_underflow(_refuse_overflow(float(base**exponent), node), node, zero=base == 0)


def _apply(node: Call, function: str, values: list[float]) -> float | None:
    try:
        result = _refuse_overflow(float(_FUNCTIONS[function](*values)), node)
        return _refuse_underflow(result, node, zero=function != "exp")
    except OverflowError:
        raise _Fault("MBX5010", f"a constant beyond 2^{LIMITS.largest_log2:.0f}", node) from None
    except TypeError:
        return None  # the number of arguments is reported elsewhere
    except ValueError:
        shown = ", ".join(f"{v:g}" for v in values)
        raise _Fault("MBX4102", f"{function} has no value at {shown}", node) from None


def fill_values(context: Context, pinned: Mapping[str, float] | None = None) -> None:
    """Evaluate parameters and lets, each after what it is made of.

    A pinned path has its pinned value, whatever the model declares.
    """
    pinned = pinned or {}
    for symbol in context.order:
        if symbol.kind not in {"param", "let"}:
            continue
        value = pinned[symbol.path] if symbol.path in pinned else _symbol(symbol, context)
        if value is not None:
            context.values[symbol] = value


def _symbol(symbol: Symbol, context: Context) -> float | None:
    bound = binding_of(symbol)
    if bound is not None:
        return Evaluator(context, bound[1]).in_unit(bound[0], symbol.unit)
    if symbol.node.value is None:
        return None
    evaluator = Evaluator(context, symbol.scope)
    if symbol.kind == "let" and symbol.unit is None:
        return evaluator.value(symbol.node.value)
    return evaluator.in_unit(symbol.node.value, symbol.unit)


_EVALUATED = frozenset({"param", "let"})


def check_constants(context: Context) -> None:
    """Report constants inside expressions that have no value or are too large."""
    for scope in context.root.walk():
        evaluator = Evaluator(context, scope)
        for statement in scope.statements:
            if statement.kind in _EVALUATED or statement.kind == "inline_subsystem":
                continue
            for expression in expressions_of(statement):
                _parts(expression, evaluator)


def _parts(node: Expression, evaluator: Evaluator) -> None:
    """Evaluate the largest constant parts of an expression."""
    if isinstance(node, (Number, Reference)):
        return
    if evaluator.value(node) is None:
        for child in children(node):
            _parts(child, evaluator)
