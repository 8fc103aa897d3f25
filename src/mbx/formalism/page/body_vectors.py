"""The vectors of the bodies of a page: accelerations, active forces, moments, relative motions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import positive_part, written
from mbx.expr.build import NULL, add, cross, matvec, minus, mul, neg, plus, transposed
from mbx.expr.derivatives import jacobian
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.named_axes import NamedAxes, literal
from mbx.formalism.page.page import Literal, Side
from mbx.mechanics import loads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page_builder import PageBuilder, Sided
    from mbx.formalism.page.page_model import PageModel

__all__ = ["NOTHING", "BodyVectors", "Columns", "add_sides", "opposite_side"]

NOTHING: Final = Side((ZERO,))
_TRIED: Final = 3000
"""Operations of a vector of which a short form is looked for."""

Columns = tuple[list["Vector"], list["Vector"]]
"""How two sides move apart with each speed, and how they turn."""


class BodyVectors:
    """Writes the vectors of the bodies of a model along named axes.

    A vector that nobody would read raises `TooLargeError`.
    """

    def __init__(self, page: PageBuilder, model: PageModel) -> None:
        """Take the axes of the bodies."""
        self.page = page
        self.model = model
        self.plane = model.plane
        self.axes = NamedAxes(page, self.plane)
        for body in model.bodies:
            for axes in (body.axes, body.turning_axes):
                turned = "" if axes.words == body.word else ".turned"
                self.axes.add(body.word + turned, axes.R)

    def acceleration(self, body: Body) -> Node:
        """Write the acceleration of a mass centre, or its velocity where that is shorter."""
        page = self.page
        if all(x is ZERO for x in body.moving.a):
            return ZERO
        side: Sided = NOTHING
        try:
            side = self._by_joint(body) or self._vector(body, body.moving.a)
            is_short = self._is_short(side)
        except TooLargeError:
            is_short = False
        if is_short:
            name = page.name("a", body.word, is_vector=True)
            page.equal(name, side)
            return name
        shown = self._vector(body, body.moving.v)
        velocity = page.name("v", body.word, is_vector=True)
        page.equal(velocity, shown)
        return page.rate(velocity)

    def _by_joint(self, body: Body) -> Sided | None:
        """Return an acceleration as that of the joint and what the body adds, if shorter."""
        joint, frame = body.moving.element.joint, body.moving.element.frame
        motion = self.model.motion
        if joint is None or frame is None or joint.parent is None:
            return None
        before = next(each for each in self.model.bodies if each.moving.path == joint.parent)
        base = before.moving.element.frame
        at = joint.M.origin.a
        if base is None or at is NULL or written(body.moving.a) > _TRIED:
            return None
        a, b, c = motion.express(at)
        carried = tidy(matvec(transposed(base.R), (a, b, c)))
        own = tidy(matvec(transposed(frame.R), minus(body.moving.a, (a, b, c))))
        whole = tidy(body.axes.components(body.moving.a))
        if written([*carried, *own]) >= written(whole):
            return None
        self.axes.add(before.word, base.R)
        self.axes.add(body.word, frame.R)
        first, second = self.axes.along_axes(base.R, carried), self.axes.along_axes(frame.R, own)
        return add_sides(first, second)

    def turn(self, body: Body) -> Side:
        """Return the rate of the angular momentum."""
        page = self.page
        if not body.turns:
            return NOTHING
        if self.plane is not None:
            return Side((body.moment[0],))
        side: Sided = NOTHING
        try:
            side = self.axes.along_axes(self._turning(body), body.moment)
            is_short = self._is_short(side)
        except TooLargeError:
            is_short = False
        if is_short:
            return literal(side)
        local = matvec(body.moving.inertia, body.moving.w)
        shown = self._local(body, local)
        momentum = page.name("L", body.word, is_vector=True)
        page.equal(momentum, shown)
        return Side((page.rate(momentum),))

    def _turning(self, body: Body) -> tuple[Vector, Vector, Vector] | None:
        return body.turning_axes.R if body.moving.element.frame is not None else None

    def _vector(self, body: Body, v: Vector) -> Sided:
        """Return a vector of a body along the axes in which its velocity is shortest."""
        if written(v) > _TRIED:
            raise TooLargeError("a vector is too long to be read")
        if body.axes.R is None:
            return self.axes.side(v)
        return self.axes.along_axes(body.axes.R, tidy(body.axes.components(v)))

    def _local(self, body: Body, v: Vector) -> Sided:
        """Return a vector that has components in the axes of the body."""
        frame = body.moving.element.frame
        ground = v if frame is None else matvec(frame.R, v)
        R = body.turning_axes.R
        if frame is None or R is None:
            return self.axes.side(ground)
        return self.axes.along_axes(R, tidy(matvec(transposed(R), ground)))

    def active(self, body: Body) -> tuple[Sided, Sided]:
        """Return the active force and moment on a body."""
        wrench = self._wrenches[body.moving.path]
        force = self.axes.side(wrench[0])
        frame = body.moving.element.frame
        if self.plane is not None:
            ground = wrench[1] if frame is None else matvec(frame.R, wrench[1])
            return force, tidy([ground[self.plane.normal]])[0]
        return force, self._local(body, wrench[1])

    @cached_property
    def _wrenches(self) -> dict[str, tuple[Vector, Vector]]:
        motion = self.model.motion
        return dict(zip((m.path for m in motion.elements), loads.wrenches(motion), strict=True))

    def _is_short(self, side: Sided) -> bool:
        return all(written([x]) <= self.model.options.entry for x in _nodes(side))

    def moment_of(self, body: Body, arm: Vector, force: Node) -> Node:
        """Return the moment of a force on a body, `arm` away from where it is taken."""
        if self.plane is not None:
            normal = tuple(ONE if k == self.plane.normal else ZERO for k in range(3))
            arm = cross((normal[0], normal[1], normal[2]), arm)
        frame = body.moving.element.frame
        side: Sided | None = None
        if frame is not None:
            local = tidy(matvec(transposed(frame.R), arm))
            self.axes.add(body.word, frame.R)
            if written(local) <= written(tidy(arm)):
                side = self.axes.along_axes(frame.R, local)
        if side is None:
            side = self.axes.side(arm)
        if self.axes.is_nothing(side):
            return ZERO
        side, sign = signed(literal(side))
        found = self.page.cross(side, force) if self.plane is None else self.page.dot(side, force)
        return mul(sign, found)

    def relative_columns(self, sides: Sequence[tuple[str, int, Vector]]) -> Columns:
        """Return how sides move apart with each speed: elements with signs and points."""
        index = {m.path: m for m in self.model.motion.elements}
        push: list[list[Node]] = [[], [], []]
        turn: list[list[Node]] = [[], [], []]
        for element, sign, point in sides:
            moving = index[element]
            frame = moving.element.frame
            w = moving.w if frame is None else matvec(frame.R, moving.w)
            arm = minus(point, moving.element.com.p)
            v = plus(moving.v, cross(w, arm))
            for k in range(3):
                push[k].append(v[k] if sign > 0 else neg(v[k]))
                turn[k].append(w[k] if sign > 0 else neg(w[k]))
        u = self.model.u
        by_v = jacobian([add(ZERO, *x) for x in push], u)
        by_w = jacobian([add(ZERO, *x) for x in turn], u)
        return _columns(by_v), _columns(by_w)

    def power(self, force: Node | None, torque: Node | None, columns: Columns, r: int) -> Node:
        """Return what a force and a torque do to the motion with a speed."""
        push, turn = columns
        terms: list[Node] = []
        if force is not None and push[r] is not NULL:
            side, sign = signed(literal(self.axes.side(push[r])))
            terms.append(mul(sign, self.page.dot(side, force)))
        if torque is not None and turn[r] is not NULL:
            if self.plane is not None:
                terms.append(mul(turn[r][self.plane.normal], torque))
            else:
                side, sign = signed(literal(self.axes.side(turn[r])))
                terms.append(mul(sign, self.page.dot(side, torque)))
        return add(ZERO, *terms)


def _columns(rows: Sequence[Sequence[Node]]) -> list[Vector]:
    """Return the columns of three rows, in short form."""
    columns: list[Vector] = []
    for column in zip(*rows, strict=True):
        if all(x is ZERO for x in column):
            columns.append(NULL)
            continue
        a, b, c = column if written(column) > _TRIED else tidy(column)
        columns.append(NULL if a is b is c is ZERO else (a, b, c))
    return columns


def _nodes(side: Sided) -> list[Node]:
    return [
        x
        for part in literal(side).parts
        for x in ((part,) if isinstance(part, Node) else part.entries)
    ]


def signed(side: Side) -> tuple[Side, Node]:
    """Return a side that begins with a plus, and its sign."""
    if len(side.parts) == 1 and isinstance(side.parts[0], Node):
        node, sign = positive_part(side.parts[0])
        return Side((node,)), ONE if sign > 0 else neg(ONE)
    return side, ONE


def opposite_side(side: Side) -> Side:
    """Return minus a side, its components with the opposite sign."""
    return Side(
        tuple(
            neg(part) if isinstance(part, Node) else Literal(tuple(map(neg, part.entries)))
            for part in side.parts
        )
    )


def _plain(side: Side) -> Side:
    """Return a side without zeros among several parts."""
    parts = tuple(
        part
        for part in side.parts
        if part is not ZERO and (isinstance(part, Node) or any(x is not ZERO for x in part.entries))
    )
    nodes = [part for part in parts if isinstance(part, Node)]
    literals = [part for part in parts if not isinstance(part, Node)]
    total = add(*nodes) if nodes else ZERO
    return Side((total, *literals) if total is not ZERO or not literals else tuple(literals))


def add_sides(*sides: Sided) -> Side:
    """Return a sum of sides."""
    return _plain(Side(tuple(part for side in sides for part in literal(side).parts)))
