"""Points that are written as sums, and the mass elements that they are fixed to.

`B.origin + (1 m)*B.x` is a point of B as the origin of `B at [1 m, 0, 0]` is. The terms of the
sum are followed one by one: points that cancel are left out, vectors are written in axes of the
body or of frames that are parts of it, and the components found there must be constant. A point
that only the motion keeps fixed to a body, as one of another body on their common hinge, is not
taken for a point of it: which of the two bodies takes a load is then not written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from mbx.checking.expressions.scope import resolve
from mbx.expr.algebra.identity import is_zero
from mbx.expr.build import NULL, UNIT, cross, divide, matvec, minus, plus, settled, times
from mbx.expr.nodes import ONE, ZERO, number
from mbx.language.document.expressions import Call, Negative, Product, Reference, Sum, ungroup
from mbx.language.document.expressions import Vector as Bracket
from mbx.system.kinematics.frames import GROUND, Frame, Point
from mbx.system.kinematics.relative import components, relative
from mbx.system.world import Element, norm, point_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.expr.build import Vector
    from mbx.language.document.expressions import Expression
    from mbx.system.lower_expressions import Lowering

__all__ = ["attached", "placed"]

_LETTERS: Final = "xyz"

Terms = tuple[tuple[str, "Expression"], ...]
Factors = tuple[tuple[Literal["*", "/"], "Expression"], ...]


def attached(here: Lowering, terms: Terms, total: Vector) -> Point:
    """Return the point that a sum of one point and vectors is; `total` is where it is."""
    flat = list(_flat(terms, 1))
    points = _remaining(here, flat)
    vectors = [(sign, node) for sign, node in flat if isinstance(here.of(node), tuple)]
    bodies = {point.on for _, point in points}
    on = next(iter(bodies)) if len(bodies) == 1 else None
    if on:
        element = here.world.elements[on]
        frame = element.frame
        if frame is None and all(map(is_zero, minus(total, points[0][1].p))):
            return points[0][1]
        offset = None if frame is None else _total(here, vectors, frame)
        if frame is not None and offset is not None:
            r = plus(_sum(points, frame), offset)
            if _still(here, r):
                return frame.at(r, here.world.rates, element.path)
    still = all(x is ZERO for x in here.world.rates(total))
    return Point(total, here.world.rates, "" if still else None)


def placed(here: Lowering, node: Expression, total: Vector) -> Point:
    """Return the point that a vector is, from the origin of the slot's frame; likewise."""
    frame = here.frame
    r = _local_components(here, node, frame)
    if r is not None and frame.on is not None and _still(here, r):
        return frame.at(r, here.world.rates, frame.on)
    return Point(total, here.world.rates)


def _flat(terms: Terms, sign: int) -> Iterator[tuple[int, Expression]]:
    """Yield the terms of a sum and of the sums in it, each with its sign."""
    for mark, term in terms:
        node, inner = ungroup(term), sign if mark == "+" else -sign
        while isinstance(node, Negative):
            node, inner = ungroup(node.operand), -inner
        if isinstance(node, Sum):
            yield from _flat(node.terms, inner)
        else:
            yield inner, node


def _remaining(here: Lowering, terms: Sequence[tuple[int, Expression]]) -> list[tuple[int, Point]]:
    """Return the points of a sum that no other term takes away again, and how often each is."""
    counts: dict[int, int] = {}
    known: dict[int, Point] = {}
    for sign, node in terms:
        value = here.of(node)
        if isinstance(value, (Point, Frame, Element)):
            point = point_of(value)
            known[id(point)] = point
            counts[id(point)] = counts.get(id(point), 0) + sign
    return [(count, known[k]) for k, count in counts.items() if count]


def _sum(points: Sequence[tuple[int, Point]], frame: Frame) -> Vector:
    """Return a sum of points of one body, in the components of its frame."""
    return plus(NULL, *(times(number(count), components(point, frame)) for count, point in points))


def _total(here: Lowering, terms: Sequence[tuple[int, Expression]], frame: Frame) -> Vector | None:
    """Return a sum of vectors in the components of a frame; None if that is not seen."""
    total: Vector = NULL
    for sign, node in terms:
        part = _local_components(here, node, frame)
        if part is None:
            return None
        total = plus(total, part) if sign > 0 else minus(total, part)
    return total


def _local_components(here: Lowering, node: Expression, frame: Frame) -> Vector | None:
    """Return a vector in the components of a frame, if it is written in axes fixed to it."""
    match ungroup(node):
        case Bracket() as bracket:
            a, b, c = (here.scalar(x) for x in bracket.items)
            return _turned(here, here.frame, frame, (a, b, c))
        case Sum(terms):
            flat = list(_flat(terms, 1))
            vectors = [(s, x) for s, x in flat if isinstance(here.of(x), tuple)]
            points = _remaining(here, flat)
            if any(frame.on is None or point.on != frame.on for _, point in points):
                return None
            total = _total(here, vectors, frame)
            return None if total is None else plus(_sum(points, frame), total)
        case Negative(operand):
            inner = _local_components(here, operand, frame)
            return None if inner is None else minus(NULL, inner)
        case Product(factors):
            return _product(here, factors, frame)
        case Call("cross", (first, second)):
            left = _local_components(here.inside(GROUND), first, frame)
            right = _local_components(here.inside(GROUND), second, frame)
            return None if left is None or right is None else cross(left, right)
        case Call("unit", (argument,)):
            inner = _local_components(here.inside(GROUND), argument, frame)
            return None if inner is None else times(divide(ONE, norm(inner)), inner)
        case Reference() as reference:
            return _named(here, reference, frame)
    return None


def _product(here: Lowering, factors: Factors, frame: Frame) -> Vector | None:
    """Return a vector times scalars."""
    scalars: list[tuple[Literal["*", "/"], Expression]] = []
    vectors: list[tuple[Literal["*", "/"], Expression]] = []
    for sign, factor in factors:
        (vectors if isinstance(here.of(factor), tuple) else scalars).append((sign, factor))
    if len(vectors) != 1:
        return None
    inner = _local_components(here, vectors[0][1], frame)
    return None if inner is None else times(here.of(Product(tuple(scalars))), inner)


def _named(here: Lowering, reference: Reference, frame: Frame) -> Vector | None:
    """Return an axis of a frame, or what a name stands for."""
    target = resolve(reference, here.scope)
    if target is not None and target.symbol.kind == "let" and not target.members:
        return _local_components(
            type(here)(here.world, target.symbol.scope), target.symbol.node.value, frame
        )
    path = reference.path
    if len(path) < 2 or path[-1].name not in _LETTERS:  # noqa: PLR2004  a frame and its axis
        return None
    owner = here.of(Reference(path[:-1]))
    axes = owner if isinstance(owner, Frame) else getattr(owner, "frame", None)
    if axes is None:
        return None
    return _turned(here, axes, frame, UNIT[_LETTERS.index(path[-1].name)])


def _turned(here: Lowering, axes: Frame, frame: Frame, v: Vector) -> Vector | None:
    """Return components in one frame as those in another that it is a part of."""
    walked: Frame | None = axes
    while walked is not None and walked is not frame:
        walked = walked.parent
    if walked is None or axes.on != frame.on:
        return None
    seen = relative(axes, frame, here.world.rates)
    return settled(matvec(seen.R, v)) if seen.w is NULL else None


def _still(here: Lowering, r: Vector) -> bool:
    return all(x is ZERO or is_zero(x) for x in here.world.rates(r))
