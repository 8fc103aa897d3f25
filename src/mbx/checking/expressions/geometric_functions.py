"""What the geometric functions give."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.checking.context import describe
from mbx.checking.expressions.quantity import (
    ACCELERATION,
    SPEED,
    TIME,
    UNKNOWN,
    Quantity,
    fits,
    over,
    times,
    to_power,
)
from mbx.checking.expressions.scope import VARIABLES, resolve
from mbx.language.document.expressions import Call, MaterialPoint, Reference, Vector
from mbx.language.units import ONE

if TYPE_CHECKING:
    from mbx.checking.expressions.infer import Inference

__all__ = ["geometry"]


def geometry(inference: Inference, node: Call) -> Quantity:
    """Return what a geometric function of checked arity gives."""
    match node.function:
        case "dot" | "cross":
            return _product(inference, node)
        case "norm" | "unit":
            quantity = inference.vector(node.arguments[0], None, f"the argument of {node.function}")
            if quantity.sort == "unknown":
                return UNKNOWN
            if node.function == "norm":
                return replace(quantity, sort="scalar")
            return replace(quantity, sort="vector", dimension=ONE)
        case "velocity" | "acceleration":
            return _motion(inference, node)
        case "omega":
            return _omega(inference, node)
        case "ddt":
            quantity = inference.of(node.arguments[0])
            if quantity.sort not in {"scalar", "vector", "unknown"}:
                inference.fault(
                    "MBX4033",
                    f"ddt takes a scalar or a vector, and this is a {quantity.sort}",
                    node.at,
                )
                return UNKNOWN
            order = quantity.order + 1 if quantity.order >= 0 else -1
            return replace(quantity, dimension=over(quantity.dimension, TIME), order=order)
        case "diff":
            return _diff(inference, node)
    return _tensor(inference, node)


def _product(inference: Inference, node: Call) -> Quantity:
    a, b = (inference.vector(x, None, f"an argument of {node.function}") for x in node.arguments)
    if "unknown" in {a.sort, b.sort}:
        return UNKNOWN
    return Quantity(
        "scalar" if node.function == "dot" else "vector",
        times(a.dimension, b.dimension),
        max(a.order, b.order),
        a.timed or b.timed,
    )


def _motion(inference: Inference, node: Call) -> Quantity:
    argument = node.arguments[0]
    step = 1 if node.function == "velocity" else 2
    dimension = SPEED if step == 1 else ACCELERATION
    if isinstance(argument, MaterialPoint):
        point = inference.point(argument.point, "the point")
        body = _body(inference, argument.body)
        order = max(point.order, body.order)
    elif isinstance(argument, Reference) and inference.of(argument).sort == "twist":
        return Quantity("vector", dimension, step)
    else:
        point = body = inference.point(argument, f"the argument of {node.function}")
        order = point.order
    if "unknown" in {point.sort, body.sort}:
        return UNKNOWN
    return Quantity(
        "vector", dimension, order + step if order >= 0 else -1, point.timed or body.timed
    )


def _body(inference: Inference, reference: Reference) -> Quantity:
    quantity = inference.reference(reference)
    if quantity.sort not in {"frame", "unknown"}:
        inference.fault("MBX3010", f"'{reference.path[-1].name}' is no body", reference.at)
        return UNKNOWN
    return quantity


def _omega(inference: Inference, node: Call) -> Quantity:
    argument = node.arguments[0]
    if not isinstance(argument, Reference):
        inference.fault("MBX4033", "the argument of omega is a body or a frame", node.at)
        return UNKNOWN
    if inference.reference(argument).sort == "twist":
        return Quantity("vector", to_power(TIME, -1), 1)
    quantity = _body(inference, argument)
    if quantity.sort == "unknown":
        return UNKNOWN
    return Quantity(
        "vector",
        to_power(TIME, -1),
        quantity.order + 1 if quantity.order >= 0 else -1,
        quantity.timed,
    )


def _diff(inference: Inference, node: Call) -> Quantity:
    value, by = node.arguments
    quantity = inference.of(value)
    variable = inference.of(by)
    ok = isinstance(by, Reference)
    if isinstance(by, Reference) and by.path[0].name != "t":
        target = resolve(by, inference.scope, inference.context.report)
        ok = target is not None and target.symbol.kind in {*VARIABLES, "param", "input"}
    if not ok:
        inference.fault(
            "MBX4036", "diff takes its derivative by a variable, a parameter or t", by.at
        )
        return UNKNOWN
    if "unknown" in {quantity.sort, variable.sort}:
        return UNKNOWN
    return replace(quantity, dimension=over(quantity.dimension, variable.dimension))


def _tensor(inference: Inference, node: Call) -> Quantity:
    groups = [node.arguments[:3], node.arguments[3:]]
    parts = [
        inference.vector(Vector(group, at=node.at), None, "the entries of a tensor")
        for group in groups
        if group
    ]
    a, b = parts[0], parts[-1]
    if "unknown" in {a.sort, b.sort}:
        return UNKNOWN
    if not fits(a.dimension, b.dimension):
        inference.mismatch(
            "MBX4112",
            f"the entries of a tensor have the dimensions {describe(a.dimension)} and "
            f"{describe(b.dimension)}",
            node.at,
        )
    return Quantity("tensor", a.dimension or b.dimension, max(a.order, b.order), a.timed or b.timed)
