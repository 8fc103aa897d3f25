"""What an expression is: its sort, its dimension, and the members that its sort has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mbx.base.diagnostics import suggestion
from mbx.checking.context import describe
from mbx.language import units
from mbx.language.limits import LIMITS
from mbx.language.units import ONE, Dimension
from mbx.linking.expand import bare, pure_value

if TYPE_CHECKING:
    from fractions import Fraction

    from mbx.checking.expressions.infer import Inference
    from mbx.checking.expressions.scope import Symbol
    from mbx.language.document.expressions import Expression, Reference, Segment


__all__ = [
    "ACCELERATION",
    "ENERGY",
    "FORCE",
    "FRAME",
    "INERTIA",
    "LENGTH",
    "MASS",
    "POWER",
    "RATE",
    "SPEED",
    "TIME",
    "TORQUE",
    "TWIST",
    "UNKNOWN",
    "Quantity",
    "Sort",
    "fits",
    "joined",
    "member",
    "over",
    "power_of",
    "product_of",
    "same",
    "sum_of",
    "times",
    "to_power",
    "unprimed",
    "vector_of",
]

Sort = Literal[
    "scalar", "vector", "point", "frame", "twist", "tensor", "condition", "wrench", "unknown"
]
"""A twist is a body known by its velocity alone, or its mass centre; a wrench is a reaction."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Sort, dimension and order of an expression.

    `dimension` is none where any fits: a bare zero, or after a fault. `order` is that of the
    highest variable rate in it, -1 without variables; `timed` is whether it names t.
    """

    sort: Sort
    dimension: Dimension | None = ONE
    order: int = -1
    timed: bool = False


UNKNOWN = Quantity("unknown", None)
FRAME = Quantity("frame", None)
TWIST = Quantity("twist", None, 0)

LENGTH = units.parse("m").dimension
TIME = units.parse("s").dimension
MASS = units.parse("kg").dimension
SPEED = units.parse("m/s").dimension
RATE = units.parse("1/s").dimension
ACCELERATION = units.parse("m/s^2").dimension
FORCE = units.parse("N").dimension
TORQUE = units.parse("N*m").dimension
ENERGY = units.parse("J").dimension
POWER = units.parse("W").dimension
INERTIA = units.parse("kg*m^2").dimension


def times(a: Dimension | None, b: Dimension | None) -> Dimension | None:
    """Return the dimension of a product."""
    return None if a is None or b is None else tuple(x + y for x, y in zip(a, b, strict=True))


def over(a: Dimension | None, b: Dimension | None) -> Dimension | None:
    """Return the dimension of a quotient."""
    return None if a is None or b is None else tuple(x - y for x, y in zip(a, b, strict=True))


def to_power(a: Dimension | None, power: Fraction | int) -> Dimension | None:
    """Return the dimension of a power."""
    return None if a is None else tuple(x * power for x in a)


def fits(a: Dimension | None, b: Dimension | None) -> bool:
    """Return whether two dimensions can stand on the two sides of an equals sign."""
    return a is None or b is None or a == b


def sum_of(inference: Inference, node: Expression, terms: Any) -> Quantity:
    """Return what a sum is: scalars, vectors, or points moved and subtracted."""
    parts = [(sign, inference.of(e)) for sign, e in terms]
    if any(q.sort == "unknown" for _, q in parts):
        return UNKNOWN
    points = sum(1 if s == "+" else -1 for s, q in parts if q.sort == "point")
    if any(q.sort == "point" for _, q in parts):
        rest = [q for _, q in parts if q.sort != "point"]
        if any(q.sort != "vector" or not fits(q.dimension, LENGTH) for q in rest) or (
            points not in {0, 1}
        ):
            inference.fault(
                "MBX4032",
                "points can be moved by vectors of length and subtracted from "
                "each other, nothing else",
                node.at,
                help="write P + v, P - v or P - Q",
            )
            return UNKNOWN
        order, timed = joined(*(q for _, q in parts))
        if points:
            return Quantity("point", LENGTH, order, timed)
        return Quantity("vector", LENGTH, order, timed)
    return same(inference, node, [q for _, q in parts], "the terms of a sum")


def same(inference: Inference, node: Expression, parts: list[Quantity], what: str) -> Quantity:
    """Require one sort and one dimension of several parts."""
    if any(q.sort == "unknown" for q in parts):
        return UNKNOWN
    sorts = {q.sort for q in parts}
    order, timed = joined(*parts)
    if len(sorts) > 1 or not sorts <= {"scalar", "vector"}:
        inference.fault("MBX4031", f"{what} are {' and '.join(sorted(sorts))}", node.at)
        return UNKNOWN
    dimension: Dimension | None = None
    for q in parts:
        if dimension is None:
            dimension = q.dimension
        elif not fits(dimension, q.dimension):
            inference.mismatch(
                "MBX4112",
                f"{what} have the dimensions {describe(dimension)} and {describe(q.dimension)}",
                node.at,
            )
            return Quantity(parts[0].sort, None, order, timed)
    return Quantity(parts[0].sort, dimension, order, timed)


def product_of(inference: Inference, node: Expression, factors: Any) -> Quantity:
    """Return what a product is: scalars, or scalars times one vector."""
    result = Quantity("scalar", ONE)
    for sign, factor in factors:
        q = inference.of(factor)
        if q.sort == "unknown" or result.sort == "unknown":
            result = UNKNOWN
            continue
        vectors = [x for x in (result, q) if x.sort == "vector"]
        if (
            any(x.sort not in {"scalar", "vector"} for x in (result, q))
            or len(vectors) > 1
            or (sign == "/" and q.sort == "vector")
        ):
            inference.fault(
                "MBX4031",
                f"a {result.sort} {'times' if sign == '*' else 'over'} a {q.sort}",
                node.at,
                help="use dot(a, b) or cross(a, b)" if len(vectors) > 1 else None,
            )
            result = UNKNOWN
            continue
        combine = times if sign == "*" else over
        dimension = combine(result.dimension, q.dimension)
        order, timed = joined(result, q)
        result = Quantity("vector" if vectors else "scalar", dimension, order, timed)
    return result


def power_of(inference: Inference, base: Expression, exponent: Expression) -> Quantity:
    """Return what a power is; a base with a dimension needs a number for its exponent."""
    b = inference.scalar(base, None, "a base")
    e = inference.scalar(exponent, ONE, "an exponent")
    number = pure_value(exponent) if bare(exponent) else None
    if number is not None and not _modest(number):
        inference.fault("MBX5010", f"an exponent beyond {LIMITS.largest_exponent}", exponent.at)
        return UNKNOWN
    order, timed = joined(b, e)
    if b.sort == "unknown" or e.sort == "unknown":
        return UNKNOWN
    if b.dimension is None or b.dimension == ONE:
        return Quantity("scalar", b.dimension, order, timed)
    if number is None or isinstance(number, float):
        inference.mismatch(
            "MBX4114",
            f"a base of dimension {describe(b.dimension)} needs a number for its exponent",
            exponent.at,
        )
        return Quantity("scalar", None, order, timed)
    return Quantity("scalar", to_power(b.dimension, number), order, timed)


def vector_of(inference: Inference, node: Expression, items: tuple[Expression, ...]) -> Quantity:
    """Return what a bracket is: a vector of scalars, or a tensor of vectors."""
    parts = [inference.of(i) for i in items]
    if any(q.sort == "unknown" for q in parts):
        return UNKNOWN
    if len(items) != 3:  # noqa: PLR2004  space has three
        inference.fault(
            "MBX4035", f"a bracket has three components, and this has {len(items)}", node.at
        )
        return UNKNOWN
    sort = "tensor" if all(q.sort == "vector" for q in parts) else "vector"
    component = same(inference, node, parts, "the components of a bracket")
    if component.sort == "unknown":
        return component
    return Quantity(sort, component.dimension, component.order, component.timed)  # type: ignore[arg-type]


def joined(*parts: Quantity) -> tuple[int, bool]:
    """Return the highest order of several parts, and whether any names t."""
    return max(q.order for q in parts), any(q.timed for q in parts)


def _modest(number: Fraction | float) -> bool:
    return abs(float(number)) <= LIMITS.largest_exponent


_AXES = ("x", "y", "z")


def unprimed(inference: Inference, node: Reference, name: str) -> None:
    """Report primes on something that is no variable."""
    if node.primes:
        inference.fault(
            "MBX3040",
            f"'{name}' is no variable and has no rate",
            node.at,
            help="use ddt(…) for the rate of an expression",
        )


def member(
    inference: Inference,
    owner: Quantity,
    segment: Segment,
    node: Reference,
    symbol: Symbol | None = None,
) -> Quantity:
    """Return what a member of a frame, body or reaction is."""
    name = segment.name
    if owner.sort == "unknown":
        if symbol is not None and symbol.kind in {"joint", "state", "branch", "invariant"}:
            _none(inference, node, name, symbol, ())
        return UNKNOWN
    if owner.sort == "wrench":
        known: tuple[str, ...] = ("force", "torque")
        if name in known:
            return Quantity("vector", FORCE if name == "force" else TORQUE, owner.order)
        return _none(inference, node, name, symbol, known)
    kind = symbol.kind if symbol is not None else owner.sort
    known = _members(kind, owner)
    if name not in known or segment.index is not None:
        if owner.sort == "twist" and name in {*_AXES, "origin"}:
            inference.fault(
                "MBX3107",
                f"body '{node.path[0].name}' is known by its twist alone and has no '{name}'",
                node.at,
                help="only its mass centre is known",
            )
            return UNKNOWN
        return _none(inference, node, name, symbol, known)
    if owner.sort == "twist":
        return owner
    if name in _AXES:
        return Quantity("vector", ONE, owner.order, owner.timed)
    return Quantity("point", LENGTH, owner.order, owner.timed)


def _members(kind: str, owner: Quantity) -> tuple[str, ...]:
    match kind:
        case "body":
            return ("com",) if owner.sort == "twist" else (*_AXES, "origin", "com")
        case "particle":
            return ("com",)
        case "frame":
            return (*_AXES, "origin")
    return ()


def _none(
    inference: Inference,
    node: Reference,
    name: str,
    symbol: Symbol | None,
    known: tuple[str, ...],
) -> Quantity:
    owner = symbol.name if symbol is not None else node.path[0].name
    inference.fault(
        "MBX3009",
        f"'{owner}' has no '{name}'",
        node.at,
        help=suggestion(name, known) or ("it has " + ", ".join(known) if known else None),
    )
    return UNKNOWN
