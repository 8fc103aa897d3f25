"""What each name of a model stands for, in dependency order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.quantity import (
    FRAME,
    LENGTH,
    POWER,
    TIME,
    UNKNOWN,
    Quantity,
    over,
    times,
    to_power,
)
from mbx.checking.expressions.scope import VARIABLES, binding_of
from mbx.checking.rules.placements import joint_quantity, placement_quantity, twist_quantity
from mbx.language.document.expressions import Vector, ungroup
from mbx.language.units import usual_unit

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Symbol
    from mbx.checking.rules.joints import Parents
    from mbx.language.units import Dimension

__all__ = ["fill_quantities", "multiplier_dimension", "multiplier_unit"]


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
