"""From expressions as written to kernel nodes, vectors, points and frames.

A vector is three nodes, its ground components. A bracket has its components in the frame of
its slot. Checks come first (`mbx.check`): what is lowered here makes sense.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mbx.base.errors import MbxError, NoValueError, SourceError
from mbx.checking.expressions.scope import VARIABLES, Scope, Symbol, resolve
from mbx.checking.rules.placements import axis_letter
from mbx.expr.build import (
    FUNCTIONS,
    NULL,
    UNIT,
    Vector,
    add,
    choose,
    cross,
    divide,
    dot,
    function,
    less,
    matvec,
    minus,
    mul,
    neg,
    plus,
    power,
    times,
    transposed,
)
from mbx.expr.derivatives import gradient
from mbx.expr.nodes import NUMBER, ONE, SYMBOL, ZERO, Node, number
from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Expression,
    Group,
    Junction,
    MaterialPoint,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Reference,
    Sum,
    ungroup,
)
from mbx.language.document.expressions import (
    Vector as Bracket,
)
from mbx.linking.expand import bare, literal, unit_of
from mbx.system.kinematics.attached import attached, placed
from mbx.system.kinematics.frames import GROUND, Axis, Frame, Point
from mbx.system.symbol_names import TIME, rate_symbol
from mbx.system.world import (
    Value,
    chosen,
    compared,
    is_negative,
    is_vector,
    material_motion,
    member,
    norm,
    point_of,
    scaled,
)

if TYPE_CHECKING:
    from mbx.system.world import World

__all__ = ["Lowering"]

_LETTERS = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True, slots=True)
class Lowering:
    """Lowers the expressions of one level; brackets have components in `frame`."""

    world: World
    scope: Scope
    frame: Frame = GROUND

    def inside(self, frame: Frame) -> Lowering:
        """Return the same with another frame for brackets."""
        return replace(self, frame=frame)

    def scalar(self, node: Expression) -> Node:
        """Return a scalar."""
        value: Node = self.of(node)
        return value

    def in_unit(self, node: Expression, unit: str | None) -> Node:
        """Return a scalar that stands where a unit is declared: numbers alone are in it."""
        value = self.scalar(node)
        return mul(number(unit_of(unit).factor), value) if bare(node) else value

    def vector(self, node: Expression) -> Vector:
        """Return a vector, in ground components."""
        value = self.of(node)
        if isinstance(value, Node):  # the number 0 fits any vector
            return NULL
        return value if isinstance(value, tuple) else value.p

    def point(self, node: Expression) -> Point:
        """Return a point; a bracket is one, from the origin of its slot's frame."""
        written = ungroup(node)
        if isinstance(written, Bracket):
            components = self._components(written)
            fixed = all(x is ZERO for x in self.world.rates(components))
            on = self.frame.on if fixed else None
            return self.frame.at(components, self.world.rates, on)
        value = self.of(node)
        if isinstance(value, tuple):
            return placed(self, node, plus(self.frame.origin.p, value))
        point: Point = value if isinstance(value, Point) else value.com
        return point

    def axis(self, node: Expression) -> Axis:
        """Return a direction in the components of the slot's frame."""
        letter = axis_letter(node)
        if letter is not None:
            unit: list[Node] = [ZERO, ZERO, ZERO]
            unit[_LETTERS[letter]] = neg(ONE) if is_negative(node) else ONE
            return Axis((unit[0], unit[1], unit[2]))
        v = self.components(node)
        square = dot(v, v)
        if square is ZERO:
            raise SourceError.of("MBX4004", "the axis has no direction", node.at)
        n = times(power(square, Fraction(-1, 2)), v)
        rate = self.world.rates
        nd = rate(n)
        if all(x is ZERO for x in nd):
            return Axis(n)
        ndd = rate(nd)
        return Axis(n, (nd[0], nd[1], nd[2]), (ndd[0], ndd[1], ndd[2]))

    def motion(self, node: Expression | None) -> tuple[Node, Node, Node]:
        """Return a scalar with its two rates."""
        value = ZERO if node is None else self.scalar(node)
        (first,) = self.world.rates([value])
        (second,) = self.world.rates([first])
        return value, first, second

    def components(self, node: Expression) -> Vector:
        """Return a vector in the components of the slot's frame."""
        local = self._local(node)
        return matvec(transposed(self.frame.R), self.vector(node)) if local is None else local

    def _local(self, node: Expression) -> Vector | None:
        """Return a vector stated in the frame of the slot, without a turn to ground and back.

        Brackets are, and so are the frame's axes and its angular velocity, times scalars.
        """
        match ungroup(node):
            case Bracket() as bracket:
                return self._components(bracket)
            case Negative(operand):
                inner = self._local(operand)
                return None if inner is None else times(neg(ONE), inner)
            case Sum(terms):
                parts = [(sign, self._local(e)) for sign, e in terms]
                signed = [v if s == "+" else times(neg(ONE), v) for s, v in parts if v is not None]
                return plus(*signed) if len(signed) == len(parts) else None
            case Product(factors):
                owned = [(k, v) for k, (_, e) in enumerate(factors) if (v := self._local(e))]
                if len(owned) != 1:
                    return None
                k, vector = owned[0]
                rest = tuple(f for i, f in enumerate(factors) if i != k)
                return times(self._product(rest), vector)
            case Reference(path, 0) if len(path) > 1 and path[-1].name in _LETTERS:
                owner = self.of(Reference(path[:-1]))
                frame = owner if isinstance(owner, Frame) else getattr(owner, "frame", None)
                return UNIT[_LETTERS[path[-1].name]] if frame is self.frame else None
            case Call("omega", (argument,)):
                owner = self.of(argument)
                frame = owner if isinstance(owner, Frame) else getattr(owner, "frame", None)
                return self.frame.w_local if frame is self.frame else None
        return None

    def _components(self, bracket: Bracket) -> Vector:
        a, b, c = (self.scalar(item) for item in bracket.items)
        return a, b, c

    # -- expressions --------------------------------------------------------------------

    def of(self, node: Expression) -> Value:
        """Return what an expression stands for."""
        try:
            match node:
                case Number(text, unit):
                    value = literal(text)
                    factor = unit_of(unit).factor
                    exact = not isinstance(value, float) and not isinstance(factor, float)
                    return number(value * factor if exact else float(value) * float(factor))
                case Reference():
                    return self._reference(node)
                case Group(x):
                    return self.of(x)
                case Negative(x):
                    return scaled(neg(ONE), self.of(x))
                case Sum(terms):
                    return self._sum(terms)
                case Product(factors):
                    return self._product(factors)
                case Power(base, exponent):
                    return self._power(base, exponent)
                case Bracket():
                    return self._bracket(node)
                case Call():
                    return self._call(node)
                case Conditional(condition, yes, no):
                    return chosen(self.condition(condition), self.of(yes), self.of(no))
                case Comparison() | Junction() | Not():
                    return self.condition(node)
                case MaterialPoint():
                    raise TypeError(node)
        except NoValueError as bad:
            if node.at is None:  # made by expansion: what is around it has a span
                raise
            raise SourceError(bad.report(node.at)) from bad

    def condition(self, node: Expression) -> Node:
        """Return a condition, as 1 or 0."""
        match node:
            case Group(x):
                return self.condition(x)
            case Not(x):
                return choose(self.condition(x), ZERO, ONE)
            case Junction(operator, items):
                result = ONE if operator == "and" else ZERO
                for item in reversed(items):
                    truth = self.condition(item)
                    result = (
                        choose(truth, result, ZERO)
                        if operator == "and"
                        else choose(truth, ONE, result)
                    )
                return result
            case Comparison(operator, left, right):
                return compared(operator, self.scalar(left), self.scalar(right))
        raise TypeError(node)

    def _bracket(self, node: Bracket) -> Value:
        items = [self.of(item) for item in node.items]
        if all(isinstance(item, Node) for item in items):
            return matvec(self.frame.R, (items[0], items[1], items[2]))
        # rows of a tensor: components stay in the slot's frame
        return tuple(self.components(item) for item in node.items)

    def _sum(self, terms: Any) -> Value:
        parts = [(sign, self.of(e)) for sign, e in terms]
        points = [p for _, p in parts if not isinstance(p, (Node, tuple))]
        if not points:
            if all(isinstance(p, Node) for _, p in parts):
                return add(*(p if s == "+" else neg(p) for s, p in parts))
            return plus(*(p if s == "+" else scaled(neg(ONE), p) for s, p in parts if is_vector(p)))
        total = NULL
        count = 0
        for sign, value in parts:
            vector = value if isinstance(value, tuple) else NULL
            if not isinstance(value, (Node, tuple)):
                vector = point_of(value).p
                count += 1 if sign == "+" else -1
            total = plus(total, vector) if sign == "+" else minus(total, vector)
        if count == 0:
            return total
        return attached(self, terms, total)

    def _product(self, factors: Any) -> Value:
        scalars: list[Node] = []
        vector: Vector | None = None
        for sign, factor in factors:
            value = self.of(factor)
            if isinstance(value, tuple):
                vector = value
            elif sign == "*":
                scalars.append(value)
            else:
                scalars.append(divide(ONE, value))
        product = mul(*scalars) if scalars else ONE
        return product if vector is None else times(product, vector)

    def _power(self, base: Expression, exponent: Expression) -> Node:
        b, e = self.scalar(base), self.scalar(exponent)
        if e.op is NUMBER:
            value = e.value
            if isinstance(value, float):
                value = Fraction(value).limit_denominator(10**6)
                if float(value) != e.value:
                    return function("exp", mul(e, function("log", b)))
            return power(b, value)
        return function("exp", mul(e, function("log", b)))

    def _reference(self, node: Reference) -> Value:
        name = node.path[0].name
        if name in {"t", "pi"}:
            return TIME if name == "t" else number(math.pi)
        if name == "ground":
            return member(GROUND, [s.name for s in node.path[1:]])
        target = resolve(node, self.scope)
        if target is None:
            raise KeyError(name)
        value = self._symbol(target.symbol, node.primes)
        return member(value, [s.name for s in target.members])

    def _symbol(self, symbol: Symbol, primes: int) -> Value:
        if symbol.kind in VARIABLES:
            return rate_symbol(symbol.path, primes)
        return self.world.values[symbol]

    # -- functions ----------------------------------------------------------------------

    def _call(self, node: Call) -> Value:
        if self.frame is not GROUND:  # brackets among the arguments have ground components
            return self.inside(GROUND).of(node)
        name, arguments = node.function, node.arguments
        match name:
            case "dot":
                return dot(self.vector(arguments[0]), self.vector(arguments[1]))
            case "cross":
                return cross(self.vector(arguments[0]), self.vector(arguments[1]))
            case "norm":
                return norm(self.vector(arguments[0]))
            case "unit":
                v = self.vector(arguments[0])
                return times(divide(ONE, norm(v)), v)
            case "velocity" | "acceleration":
                return self._moving(arguments[0], second=name == "acceleration")
            case "omega":
                value = self.of(arguments[0])
                return value.w
            case "ddt":
                return self._ddt(self.of(arguments[0]))
            case "diff":
                return self._diff(arguments)
            case "diag":
                a, b, c = (self.scalar(x) for x in arguments)
                return ((a, ZERO, ZERO), (ZERO, b, ZERO), (ZERO, ZERO, c))
            case "tensor":
                xx, yy, zz, xy, xz, yz = (self.scalar(x) for x in arguments)
                return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
            case "min" | "max":
                values = [self.scalar(x) for x in arguments]
                best = values[0]
                for other in values[1:]:
                    first, second = (other, best) if name == "min" else (best, other)
                    best = choose(less(first, second), other, best)
                return best
        values = [self.scalar(x) for x in arguments]
        if name == "sqrt":
            return power(values[0], Fraction(1, 2))
        return function(name if name in FUNCTIONS else "", *values)

    def _moving(self, argument: Expression, *, second: bool) -> Vector:
        if isinstance(argument, MaterialPoint):
            point, body = self.point(argument.point), self.of(argument.body)
            return material_motion(point, body, second=second)
        value = self.of(argument)
        if isinstance(value, tuple):
            value = self.point(argument)
        point = point_of(value)
        return point.a if second else point.v

    def _ddt(self, value: Value) -> Value:
        if isinstance(value, Node):
            return self.world.rates([value])[0]
        if isinstance(value, tuple):
            a, b, c = self.world.rates(value)
            return (a, b, c)
        return point_of(value).v

    def _diff(self, arguments: tuple[Expression, ...]) -> Value:
        value, by = self.of(arguments[0]), self.scalar(arguments[1])
        if by.op is not SYMBOL:
            raise MbxError("no derivative by an input that a parent binds to an expression")
        if isinstance(value, Node):
            return gradient(value, [by])[0]
        return tuple(gradient(x, [by])[0] for x in value)
