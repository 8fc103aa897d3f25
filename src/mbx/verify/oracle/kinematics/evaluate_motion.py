"""Expressions evaluated along a motion, straight from the syntax trees.

Types are those of spec 3.3. A bracket has its components in the frame of its slot (spec 2.7).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from mbx.language.document import expressions as x
from mbx.verify.oracle.kinematics import oracle_poses
from mbx.verify.oracle.kinematics.declared_world import Named, find
from mbx.verify.oracle.kinematics.oracle_geometry import (
    Point,
    Pose,
    Vec,
    added,
    along,
    minus,
    scaled,
)
from mbx.verify.oracle.kinematics.oracle_motion import Flow, Partial
from mbx.verify.oracle.kinematics.oracle_poses import GROUND, AbsoluteError, Slot
from mbx.verify.oracle.numbers.jet_scalars import Dual
from mbx.verify.oracle.numbers.jets import ENDLESS, Jet
from mbx.verify.oracle.numbers.oracle_functions import bare, call
from mbx.verify.oracle.numbers.oracle_units import factor
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.language.document.expressions import Expression
    from mbx.verify.oracle.kinematics.declared_world import Level, World
    from mbx.verify.oracle.kinematics.oracle_geometry import Three
    from mbx.verify.oracle.kinematics.oracle_motion import Moving
    from mbx.verify.oracle.numbers.jet_scalars import Scalar

__all__ = ["Evaluator", "Value"]

Value: TypeAlias = Any
"""A scalar, a `Vec`, a `Point`, a `Named` thing, a truth, or rows of a tensor."""


class Evaluator:
    """Expressions and poses at one state; what has a name is evaluated once."""

    def __init__(
        self,
        world: World,
        motion: Moving,
        reactions: Mapping[str, Any] | None = None,
        virtual: Mapping[str, int] | None = None,
        *,
        outside: bool = False,
    ) -> None:
        """Take the motion, values of reactions by path, and columns of joints that let go.

        With `outside`, inputs are functions of time, also those whose values name variables.
        """
        self.outside = outside
        self.world = world
        self.motion = motion
        self.m = motion.m
        self.reactions = reactions or {}
        self.virtual = virtual or {}
        self._fixed: Evaluator | None = None
        self.lets: dict[tuple[Named, Slot | None], Value] = {}
        self.poses: dict[Named, Pose] = {}
        self.centres: dict[Named, Any] = {}
        self.ground = Pose(
            (
                (self.m.one, self.m.zero, self.m.zero),
                (self.m.zero, self.m.one, self.m.zero),
                (self.m.zero, self.m.zero, self.m.one),
            ),
            (self.m.zero, self.m.zero, self.m.zero),
        )

    # -- typed results -------------------------------------------------------------------------

    def scalar(self, node: Expression, level: Level, slot: Slot = GROUND) -> Scalar:
        """Return a scalar."""
        value = self.value(node, level, slot)
        if isinstance(value, (Jet, Dual)):
            return value
        raise OracleRefusal("this is no scalar", at=node.at)

    def vector(self, node: Expression, level: Level, slot: Slot = GROUND) -> Three:
        """Return a vector; the number 0 is the zero vector."""
        value = self.value(node, level, slot)
        if isinstance(value, Vec):
            return value.v
        if isinstance(value, Jet) and value.n == ENDLESS and value.c == (0,):
            return self.ground.p
        raise OracleRefusal("this is no vector", at=node.at)

    def point(self, node: Expression, level: Level, slot: Slot = GROUND) -> Three:
        """Return a point; a vector stands for the point at it from the origin of its slot."""
        return self.as_point(self.value(node, level, slot), slot, node)

    def as_point(self, value: Value, slot: Slot, node: Expression) -> Three:
        """Return a value as a point."""
        if isinstance(value, Named) and value.kind == "particle":
            return oracle_poses.centre(self, value)
        if isinstance(value, Point):
            return value.p
        if isinstance(value, Vec):
            return value.v if slot.pose is None else added(slot.pose.p, value.v)
        raise OracleRefusal("this is no point", at=node.at)

    def value_in_unit(self, node: Expression, level: Level, unit: str | None, slot: Slot) -> Value:
        """Return the value of something with a unit: numbers alone are in it."""
        value = self.value(node, level, slot)
        return value * self._factor(unit) if bare(node) else value

    def _factor(self, unit: str | None) -> Jet:
        known = factor(unit)
        number = self.m.field.number(known.rational)
        for base, power in known.roots:
            number *= self.m.field.number(base) ** self.m.field.number(power)
        if known.pi:
            number *= self.m.field.pi ** self.m.field.number(known.pi)
        return Jet((number,))

    # -- expressions ---------------------------------------------------------------------------

    def value(self, node: Expression, level: Level, slot: Slot = GROUND) -> Value:
        """Return what an expression is at the state."""
        match node:
            case x.Number(text, unit):
                number = self.m.constant(Fraction(text))
                return number if unit is None else number * self._factor(unit)
            case x.Reference():
                return self.reference(node, level, slot)
            case x.Group(inner):
                return self.value(inner, level, slot)
            case x.Negative(inner):
                value = self.value(inner, level, slot)
                return Vec(scaled(value.v, -self.m.one)) if isinstance(value, Vec) else -value
            case x.Sum(terms):
                return self._sum(terms, level, slot)
            case x.Product(factors):
                return self._product(factors, level, slot)
            case x.Power(base, exponent):
                return self.m.power(
                    self.scalar(base, level, slot), self.scalar(exponent, level, slot)
                )
            case x.Vector(items):
                return self._bracket(items, level, slot)
            case x.Conditional(condition, yes, no):
                chosen = yes if self.truth(condition, level) else no
                return self.value(chosen, level, slot)
            case x.Call(function, arguments):
                return call(self, function, arguments, level)
        raise OracleRefusal("this has no value", at=node.at)

    def truth(self, node: Expression, level: Level) -> bool:
        """Return whether a condition holds at the state."""
        match node:
            case x.Group(inner):
                return self.truth(inner, level)
            case x.Not(inner):
                return not self.truth(inner, level)
            case x.Junction("and", items):
                return all(self.truth(item, level) for item in items)
            case x.Junction(_, items):
                return any(self.truth(item, level) for item in items)
            case x.Comparison(operator, left, right):
                sign = self.m.sign(self.scalar(left, level) - self.scalar(right, level))
                return {
                    "<": sign < 0,
                    "<=": sign <= 0,
                    ">": sign > 0,
                    ">=": sign >= 0,
                    "==": sign == 0,
                    "!=": sign != 0,
                }[operator]
        raise OracleRefusal("this is no condition", at=node.at)

    def _sum(self, terms: tuple[tuple[str, Expression], ...], level: Level, slot: Slot) -> Value:
        total: Value = None
        for sign, term in terms:
            value = self.value(term, level, slot)
            if isinstance(value, Named):
                value = Point(self.as_point(value, slot, term))
            if total is None:
                total = value
            elif isinstance(total, (Vec, Point)):
                total = _joined(total, value, sign)
            else:
                total = total + value if sign == "+" else total - value
        return total

    def _product(
        self, factors: tuple[tuple[str, Expression], ...], level: Level, slot: Slot
    ) -> Value:
        vector: Vec | None = None
        total: Any = None
        for sign, term in factors:
            value = self.value(term, level, slot)
            if isinstance(value, Vec):
                vector = value
            elif total is None:
                total = value if sign == "*" else self.m.one / value
            else:
                total = total * value if sign == "*" else total / value
        if vector is None:
            return total
        return vector if total is None else Vec(scaled(vector.v, total))

    def _bracket(self, items: tuple[Expression, ...], level: Level, slot: Slot) -> Value:
        if any(isinstance(x.ungroup(item), x.Vector) for item in items):
            return [self.components(item, level) for item in items]
        a, b, c = (self.scalar(item, level) for item in items)
        if slot.local or slot.pose is None:
            return Vec((a, b, c))
        return Vec(along(slot.pose.axes, (a, b, c)))

    def components(self, node: Expression, level: Level) -> Three:
        """Return the entries of a bracket as they stand."""
        row = x.ungroup(node)
        if not isinstance(row, x.Vector):
            raise OracleRefusal("this is no row", at=node.at)
        a, b, c = (self.scalar(item, level) for item in row.items)
        return (a, b, c)

    # -- names ---------------------------------------------------------------------------------

    def reference(self, node: x.Reference, level: Level, slot: Slot) -> Value:
        """Return what a path names at the state."""
        first = node.path[0].name
        if first not in level.names and node.path[0].index is None:
            if first == "t":
                return self.motion.time()
            if first == "pi":
                return Jet((self.m.field.pi,))
            if first == "ground":
                if slot.local:
                    raise AbsoluteError
                return self._member(self.ground, node.path[-1].name, node)
        named, members = find(level, node)
        if named.order >= 0:
            return self.motion.variable(named, node.primes)
        match named.kind:
            case "param" | "input":
                return self._outside(named)
            case "let":
                return self._let(named, slot)
            case "multiplier" | "wrench":
                return self._reaction(named, members, node)
        return self._geometric(named, members, node, slot)

    def _outside(self, named: Named) -> Value:
        """Return a parameter or an input: from outside, bound by the parent, or as declared."""
        key = (named, None)
        if key in self.lets:
            return self.lets[key]
        value = self.motion.outside_value(named)
        if value is None:
            level, name = named.level, str(named.node.name)
            if name in level.bindings and level.parent is not None:
                value = self.value_in_unit(
                    level.bindings[name], level.parent, named.node.unit, GROUND
                )
            elif named.node.value is not None:
                value = self.value_in_unit(named.node.value, level, named.node.unit, GROUND)
            else:
                raise OracleRefusal("it has no value", named.path, named.node.at)
        if self.outside and named.kind == "input" and isinstance(value, Jet):
            value = Jet(value.c)
        value = self.lets[key] = self.motion.hold(named, value)
        return value

    def with_inputs_fixed(self) -> Evaluator:
        """Return an evaluation for the slopes of energies: an input comes from outside."""
        if self._fixed is None:
            moved = [self._outside(named) for named in self.world.inputs]
            free = all(isinstance(value, Jet) and value.n == ENDLESS for value in moved)
            self._fixed = (
                self
                if free
                else Evaluator(self.world, self.motion, self.reactions, self.virtual, outside=True)
            )
        return self._fixed

    def _let(self, named: Named, slot: Slot) -> Value:
        for key in ((named, None), (named, slot)):
            if key in self.lets:
                return self.lets[key]
        value = self.value_in_unit(named.node.value, named.level, named.node.unit, slot)
        plain = isinstance(value, (Jet, Dual))
        self.lets[named, None if plain else slot] = value
        return value

    def _reaction(self, named: Named, members: tuple[str, ...], node: x.Reference) -> Value:
        """Return a reaction, which comes from outside of the evaluation."""
        if named.path not in self.reactions:
            raise OracleRefusal("a reaction has no value here", named.path, node.at)
        parts = [Jet((value,)) for value in self.reactions[named.path]]
        if named.kind == "multiplier":
            return parts[0] if len(parts) == 1 else Vec((parts[0], parts[1], parts[2]))
        three = parts[:3] if members == ("force",) else parts[3:]
        return Vec((three[0], three[1], three[2]))

    def _geometric(
        self, named: Named, members: tuple[str, ...], node: x.Reference, slot: Slot
    ) -> Value:
        if slot.local and named is slot.owner:
            return self._member_in_body(named, members, node)
        if slot.local:
            raise AbsoluteError
        if named.kind == "point":
            return Point(oracle_poses.named_point(self, named))
        if not members:
            return named
        if members == ("com",) and named.kind in {"body", "particle"}:
            return (
                named
                if oracle_poses.by_twist(self, named)
                else Point(oracle_poses.centre(self, named))
            )
        return self._member(oracle_poses.pose(self, named), members[0], node)

    def _member_in_body(self, named: Named, members: tuple[str, ...], node: x.Reference) -> Value:
        """Return a member of a body in body components."""
        if members == ("com",):
            return Point(oracle_poses.centre_in_body(self, named))
        return self._member(self.ground, members[0] if members else "", node)

    def _member(self, pose: Pose, name: str, node: x.Reference) -> Value:
        if name in {"x", "y", "z"}:
            return Vec(pose.axes["xyz".index(name)])
        if name == "origin":
            return Point(pose.p)
        raise OracleRefusal(f"there is no member '{name}'", at=node.at)

    # -- derivatives ---------------------------------------------------------------------------

    def partial(self, expression: Expression, by: Expression, level: Level) -> Value:
        """Return a partial derivative, everything else fixed (spec 3.4)."""
        name = x.ungroup(by)
        if not isinstance(name, x.Reference):
            raise OracleRefusal("this is no variable", at=by.at)
        target = None
        if not (name.path[0].name == "t" and "t" not in level.names):
            target = (find(level, name)[0], name.primes)
        over = Partial(self.motion, target)
        inner = Evaluator(self.world, over, self.reactions, self.virtual)
        value = inner.value(expression, level)
        if isinstance(value, Vec):
            a, b, c = (self.small_part(part, over.tag) for part in value.v)
            return Vec((a, b, c))
        return self.small_part(value, over.tag)

    def later(self) -> Evaluator:
        """Return an evaluation a little later, whose small parts are rates."""
        return Evaluator(self.world, Flow(self.motion), self.reactions, self.virtual)

    def small_motion(self, column: int) -> tuple[Three, Three]:
        """Return a displacement and a turn that are zero, with six columns."""
        a, b, c, d, f, g = (self.motion.virtual(column + k) for k in range(6))
        return (a, b, c), (d, f, g)

    def small_part(self, value: Any, tag: int) -> Any:
        """Return the part of a scalar that belongs to a derivative."""
        return value.b if isinstance(value, Dual) and value.tag == tag else self.m.zero


def _joined(total: Vec | Point, value: Value, sign: str) -> Vec | Point:
    """Return a sum or difference of points and vectors."""
    first = total.v if isinstance(total, Vec) else total.p
    second = value.v if isinstance(value, Vec) else value.p
    three = added(first, second) if sign == "+" else minus(first, second)
    both = isinstance(total, Point) + isinstance(value, Point) * (1 if sign == "+" else -1)
    return Point(three) if both else Vec(three)
