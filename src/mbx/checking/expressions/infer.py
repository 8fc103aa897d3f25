"""Sorts, dimensions and orders of expressions, and of what each name of a model stands for.

Symbols are looked up in `Context.quantities`, which is filled in dependency order, so no chain of
definitions makes the recursion deeper than one expression is nested.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import article, suggestion
from mbx.checking.context import Context, describe
from mbx.checking.expressions.geometric_functions import geometry
from mbx.checking.expressions.known_values import Evaluator
from mbx.checking.expressions.quantity import (
    FRAME,
    LENGTH,
    POWER,
    TIME,
    UNKNOWN,
    Quantity,
    fits,
    joined,
    member,
    over,
    power_of,
    product_of,
    same,
    sum_of,
    times,
    to_power,
    unprimed,
    vector_of,
)
from mbx.checking.expressions.scope import VARIABLES, Scope, binding_of, resolve
from mbx.checking.rules.placements import joint_quantity, placement_quantity, twist_quantity
from mbx.language import units
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
    Vector,
    ungroup,
)
from mbx.language.functions import FUNCTIONS
from mbx.language.units import ONE, Dimension, UnitError, usual_unit
from mbx.linking.expand import bare, literal, unit_of

if TYPE_CHECKING:
    from mbx.base.diagnostics import Span
    from mbx.checking.expressions.scope import Symbol
    from mbx.checking.rules.joints import Parents


__all__ = ["Inference", "fill_quantities", "multiplier_dimension", "multiplier_unit"]

_HALF: Final = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Inference:
    """Finds what expressions of one level are, and reports where they make no sense."""

    context: Context
    scope: Scope

    # -- expectations -------------------------------------------------------------------

    def scalar(self, node: Expression, dimension: Dimension | None, what: str) -> Quantity:
        """Require a scalar of a dimension; `what` names it in messages."""
        return self.expect(node, "scalar", dimension, what)

    def vector(self, node: Expression, dimension: Dimension | None, what: str) -> Quantity:
        """Require a vector of a dimension."""
        return self.expect(node, "vector", dimension, what)

    def point(self, node: Expression, what: str) -> Quantity:
        """Require a point, or a bracket of lengths that stands for one."""
        if isinstance(ungroup(node), Vector):
            return replace(self.vector(node, LENGTH, what), sort="point")
        return self.expect(node, "point", None, what)

    def expect(
        self,
        node: Expression,
        sort: str,
        dimension: Dimension | None,
        what: str,
        *,
        remedy: str | None = None,
    ) -> Quantity:
        """Require a sort and a dimension; `remedy` is for a scalar that is none of the sort."""
        quantity = self.of(node)
        if quantity.sort == "unknown":
            return quantity
        if quantity.sort == "twist":
            self.fault(
                "MBX3107", f"{what} is a {sort}, and this is known by its velocity alone", node.at
            )
        elif quantity.sort != sort:
            self.fault(
                "MBX4033",
                f"{what} is a {sort}, and this is {article(quantity.sort)}",
                node.at,
                help=remedy if quantity.sort == "scalar" else None,
            )
        elif not fits(quantity.dimension, dimension):
            self.mismatch(
                "MBX4116",
                f"{what} has the dimension {describe(dimension)}, and this has "
                f"{describe(quantity.dimension)}",
                node.at,
            )
        return quantity

    def in_unit(self, node: Expression, unit: str | None, what: str) -> Quantity:
        """Require a value for something declared in a unit; numbers alone are in that unit."""
        dimension = _dimension(unit)
        if bare(node):
            Evaluator(self.context, self.scope).in_unit(node, unit)  # reports what is too large
            return Quantity("scalar", dimension)
        quantity = self.of(node)
        if quantity.sort not in {"scalar", "unknown"}:
            self.fault(
                "MBX4033", f"{what} is a scalar, and this is {article(quantity.sort)}", node.at
            )
        elif not fits(quantity.dimension, dimension):
            self.mismatch(
                "MBX4115",
                f"{what} is declared in {describe(dimension)}, and this has "
                f"{describe(quantity.dimension)}",
                node.at,
            )
        return quantity

    def unit(self, text: str | None, at: Span | None) -> Dimension | None:
        """Return the dimension of a unit, or report that there is no such unit."""
        if text is None or text == "integer":
            return ONE
        try:
            return units.parse(text).dimension
        except UnitError as bad:
            if bad.offset:
                self.fault(
                    "MBX4110",
                    f"'{bad.word}' has a zero of its own and cannot be used here",
                    at,
                    help="use K",
                )
            else:
                self.fault(
                    "MBX4111",
                    f"there is no unit '{bad.word}'",
                    at,
                    help=suggestion(bad.word, units.known_units()) or None,
                )
            return None

    def fault(self, code: str, message: str, at: Span | None, help: str | None = None) -> None:  # noqa: A002
        """Report a fault."""
        self.context.report.add(code, message, at, help=help)

    def mismatch(self, code: str, message: str, at: Span | None, help: str | None = None) -> None:  # noqa: A002
        """Report a fault of dimension; relaxed checking warns only."""
        self.context.report.add(code, message, at, severity=self.context.severity, help=help)

    # -- expressions ----------------------------------------------------------------------

    def of(self, node: Expression) -> Quantity:  # noqa: PLR0911  one case a node
        """Return what an expression is."""
        match node:
            case Number(text, unit):
                if unit is None:
                    zero = literal(text) == 0
                    return Quantity("scalar", None if zero else ONE)
                Evaluator(self.context, self.scope).value(node)  # reports what is too large
                return Quantity("scalar", self.unit(unit, node.at))
            case Reference():
                return self.reference(node)
            case Group(x):
                return self.of(x)
            case Negative(x):
                quantity = self.of(x)
                if quantity.sort not in {"scalar", "vector", "unknown"}:
                    self.fault("MBX4031", f"{article(quantity.sort)} has no negative", node.at)
                    return UNKNOWN
                return quantity
            case Sum(terms):
                return sum_of(self, node, terms)
            case Product(factors):
                return product_of(self, node, factors)
            case Power(base, exponent):
                return power_of(self, base, exponent)
            case Vector(items):
                return vector_of(self, node, items)
            case Call():
                return self._call(node)
            case Comparison(_, left, right):
                a, b = (
                    self.scalar(left, None, "a compared value"),
                    self.scalar(right, None, "a compared value"),
                )
                if not fits(a.dimension, b.dimension):
                    self.mismatch(
                        "MBX4112",
                        f"{describe(a.dimension)} is compared with {describe(b.dimension)}",
                        node.at,
                    )
                return Quantity("condition", None, *joined(a, b))
            case Junction(_, items):
                parts = [self.condition(i) for i in items]
                return Quantity("condition", None, *joined(*parts))
            case Not(x):
                return self.condition(x)
            case Conditional(condition, yes, no):
                c = self.condition(condition)
                a, b = self.of(yes), self.of(no)
                result = same(self, node, [a, b], "the two cases of a condition")
                order, timed = joined(result, c)
                return replace(result, order=order, timed=timed)
            case MaterialPoint():
                self.fault("MBX4034", "'P of B' stands only in velocity and acceleration", node.at)
                return UNKNOWN

    def condition(self, node: Expression) -> Quantity:
        """Require a condition."""
        return self.expect(node, "condition", None, "a condition")

    def reference(self, node: Reference) -> Quantity:
        """Return what a name stands for."""
        name = node.path[0].name
        if len(node.path) == 1 and node.path[0].index is None and name in {"t", "pi", "ground"}:
            unprimed(self, node, name)
            if name == "ground":
                return FRAME
            return Quantity("scalar", TIME, timed=True) if name == "t" else Quantity("scalar", ONE)
        if name in {"t", "pi", "ground"}:
            return self._builtin_member(node)
        target = resolve(node, self.scope, self.context.report)
        if target is None:
            return UNKNOWN
        symbol = target.symbol
        known = self.context.quantities.get(symbol, UNKNOWN)
        for segment in target.members:
            known = member(self, known, segment, node, symbol)
        if node.primes:
            if target.members or symbol.kind not in {"coordinate", "speed", "variable"}:
                unprimed(self, node, symbol.name)
                return UNKNOWN
            rate = over(known.dimension, to_power(TIME, node.primes))
            return replace(known, dimension=rate, order=known.order + node.primes)
        if known.sort == "unknown" and symbol.kind in {
            "joint",
            "invariant",
            "subsystem",
            "state",
            "branch",
            "force",
            "torque",
            "spring",
            "damper",
            "potential",
            "dissipation",
            "load",
        }:
            self.fault(
                "MBX3010", f"'{symbol.name}' is {article(symbol.kind)} and has no value", node.at
            )
        return known

    def _builtin_member(self, node: Reference) -> Quantity:
        """Return a member of ground; nothing else of the language has any."""
        unprimed(self, node, node.path[-1].name)
        known = FRAME if node.path[0].name == "ground" else Quantity("scalar", ONE)
        for segment in node.path[1:]:
            known = member(self, known, segment, node)
        return known

    def _call(self, node: Call) -> Quantity:
        builtin = FUNCTIONS.get(node.function)
        if builtin is None:
            self.fault(
                "MBX3011",
                f"there is no function '{node.function}'",
                node.at,
                help=suggestion(node.function, FUNCTIONS) or None,
            )
            return UNKNOWN
        count = len(node.arguments)
        if not builtin.least <= count <= builtin.most:
            takes = (
                f"{builtin.least}"
                if builtin.least == builtin.most
                else (f"{builtin.least} or more")
            )
            self.fault(
                "MBX3012",
                f"function '{node.function}' takes {takes} arguments, not {count}",
                node.at,
            )
            return UNKNOWN
        if builtin.rule == "geometry":
            return geometry(self, node)
        if builtin.rule == "pure":
            return self._pure(node)
        parts = [self.scalar(a, None, f"an argument of {node.function}") for a in node.arguments]
        quantity = same(self, node, parts, f"the arguments of {node.function}")
        if quantity.sort == "unknown" or builtin.rule == "same":
            return quantity
        dimension = to_power(quantity.dimension, _HALF) if builtin.rule == "root" else ONE
        return replace(quantity, dimension=dimension)

    def _pure(self, node: Call) -> Quantity:
        quantity = self.scalar(node.arguments[0], None, f"the argument of {node.function}")
        if quantity.sort == "unknown":
            return UNKNOWN
        if not fits(quantity.dimension, ONE):
            self.mismatch(
                "MBX4113",
                f"{node.function} takes a pure number, and this has {describe(quantity.dimension)}",
                node.arguments[0].at,
            )
        return replace(quantity, sort="scalar", dimension=ONE)


def _dimension(unit: str | None) -> Dimension | None:
    """Return the dimension of a declared unit; that it is none is reported where it is declared."""
    try:
        return unit_of(unit).dimension
    except UnitError:
        return None


def fill_quantities(context: Context, parents: Parents) -> None:
    """Find sort, dimension and order of every name."""
    for symbol in context.order:
        inference = Inference(context, symbol.scope)
        quantity = _quantity(symbol, inference, parents)
        if quantity is not None:
            context.quantities[symbol] = quantity


def _quantity(symbol: Symbol, inference: Inference, parents: Parents) -> Quantity | None:
    node: Any = symbol.node
    match symbol.kind:
        case "param" | "input":
            return _value(symbol, inference)
        case "let":
            if node.unit is None:
                return inference.of(node.value)
            inference.unit(node.unit, symbol.at)
            return inference.in_unit(node.value, node.unit, f"'{symbol.name}'")
        case kind if kind in VARIABLES:
            return _variable(symbol, inference)
        case "frame":
            return placement_quantity(inference, node.placement)
        case "point":
            return inference.point(node.value, f"point '{symbol.name}'")
        case "body" | "particle":
            return _mass_element(symbol, inference, parents)
        case "reaction":
            if node.kind == "joint":
                return Quantity("wrench", None)
            return _multiplier(node, inference)
    return None


def _value(symbol: Symbol, inference: Inference) -> Quantity:
    node = symbol.node
    dimension = inference.unit(symbol.unit, symbol.at)
    _range(symbol, inference)
    bound = binding_of(symbol)
    if bound is not None:
        value, parent = bound
        quantity = Inference(inference.context, parent).in_unit(
            value, symbol.unit, f"'{symbol.name}'"
        )
    elif node.value is not None:
        quantity = inference.in_unit(node.value, symbol.unit, f"'{symbol.name}'")
    else:
        quantity = Quantity("scalar", dimension)
    if symbol.kind == "param" and (quantity.order >= 0 or quantity.timed):
        inference.fault(
            "MBX4024",
            f"parameter '{symbol.name}' is not constant",
            node.value.at if node.value is not None else symbol.at,
            help="use let, or an input",
        )
    # an input may be any function of time
    return Quantity("scalar", dimension, quantity.order, quantity.timed or symbol.kind == "input")


def _range(symbol: Symbol, inference: Inference) -> None:
    if symbol.node.range is not None:
        for bound in (symbol.node.range.lower, symbol.node.range.upper):
            inference.in_unit(bound, symbol.unit, f"a bound of '{symbol.name}'")


def _variable(symbol: Symbol, inference: Inference) -> Quantity:
    _range(symbol, inference)
    if symbol.node.value is not None:
        start = inference.in_unit(symbol.node.value, symbol.unit, f"the start of '{symbol.name}'")
        if start.order >= 0 or start.timed:
            inference.fault(
                "MBX4024", f"the start of '{symbol.name}' is not constant", symbol.node.value.at
            )
    return Quantity("scalar", inference.unit(symbol.unit, symbol.at), symbol.order)


def _mass_element(symbol: Symbol, inference: Inference, parents: Parents) -> Quantity:
    clauses = {c.kind: c for c in symbol.node.clauses}
    if "velocity" in clauses or "omega" in clauses:
        velocity, omega = clauses.get("velocity"), clauses.get("omega")
        if "com" in clauses:
            inference.fault(
                "MBX4038",
                f"body '{symbol.name}' is known by its twist alone, and com has no meaning",
                clauses["com"].at,
                help="its velocity is that of its mass centre",
            )
        return twist_quantity(inference, velocity and velocity.value, omega and omega.value)
    if "at" in clauses:
        return inference.point(clauses["at"].value, f"the place of '{symbol.name}'")
    if "joint" in clauses:
        return joint_quantity(inference, clauses["joint"].call)
    placing = parents.placing.get(symbol)
    if placing is not None:
        inference.context.quantities[symbol] = FRAME  # its own side of the joint stands on it
        return joint_quantity(Inference(inference.context, placing.scope), placing.call)
    if "frame" in clauses:
        frame = placement_quantity(inference, clauses["frame"].placement)
        com = clauses.get("com")
        if com is None:
            inference.fault(
                "MBX4037",
                f"body '{symbol.name}' has a frame and no com",
                symbol.at,
                help="say where its mass centre is",
            )
        elif not isinstance(ungroup(com.value), Vector):
            point = inference.point(com.value, "com")
            if "unknown" in {frame.sort, point.sort}:
                return UNKNOWN
            return Quantity(
                "frame", None, max(frame.order, point.order), frame.timed or point.timed
            )
        return frame
    return UNKNOWN


def multiplier_dimension(dimension: Dimension | None, order: int) -> Dimension | None:
    """Return the dimension of an invariant's multiplier: its power is power.

    Fc = A^T lam, and A u has the dimension of the invariant times time to its order less one.
    """
    return over(POWER, times(dimension, to_power(TIME, order - 1)))


def multiplier_unit(node: Any, inference: Inference) -> str:
    """Return the SI unit of the multiplier of an invariant: N*m where it bars a turn."""
    return usual_unit(_multiplier(node, inference).dimension)


def _multiplier(node: Any, inference: Inference) -> Quantity:
    left, right = inference.of(node.left), inference.of(node.right)
    if "unknown" in {left.sort, right.sort}:
        return UNKNOWN
    order = max(left.order, right.order)
    dimension = left.dimension if left.dimension is not None else right.dimension
    if left.sort == "point":
        dimension = LENGTH
    sort = "scalar" if left.sort == "scalar" else "vector"
    return Quantity(sort, multiplier_dimension(dimension, order))  # type: ignore[arg-type]
