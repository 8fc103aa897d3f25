"""The whole world on a frame that is shifted and turned against ground.

Every level gets a frame of its own for the new world, and all that was said in ground's
components or from ground's origin is said from there. What no result may depend on, the moments
of inertia that a planar body leaves open, is given some value, for the body turns about other
axes of ground now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.scope import resolve
from mbx.language.document.bodies import (
    Body,
    ComClause,
    InertiaClause,
    MassClause,
    Particle,
    PointClause,
    VelocityClause,
)
from mbx.language.document.declarations import Let
from mbx.language.document.document import Branch, ExpectRank, Independent, InlineSubsystem, State
from mbx.language.document.experiments import Initial
from mbx.language.document.expressions import (
    Call,
    Group,
    Identifier,
    MaterialPoint,
    Number,
    Product,
    Reference,
    Segment,
    Sum,
    Vector,
    children,
    ungroup,
    walk,
    with_children,
)
from mbx.language.document.kinematic_statements import (
    AxisRotation,
    Define,
    Frame,
    Invariant,
    Placement,
    Point,
)
from mbx.language.document.load_statements import Between, Force, Gravity, Torque
from mbx.language.document.metadata import Ext, Meta
from mbx.language.document.node import rewrite
from self_test.metamorphic.edit import (
    NotApplicableHereError,
    Variant,
    at_every_level,
    context_of,
    fresh,
    path,
    place,
    scopes,
    signed,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.language.document.expressions import Expression
    from mbx.linking.link import Linked

__all__ = ["rotated", "turn"]

AXES: Final = ("z", "x", "y")
ANGLES: Final = ("0.7", "-0.4", "1.1")
"""About the axes above, one after the other."""
SHIFT: Final = ("0.3", "-0.2", "0.5")
"""In m, or in a smaller power of ten that is nearer to the lengths of the model.

Forms that take moments about the origin lose digits by the square of its distance in lengths of the
model, and their pages say so.
"""
_SAID: Final = (Initial, State, Branch, ExpectRank, Independent, Meta, Ext)
"""Statements without vectors."""


def turn() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return R_GW, which takes components in the new world to components in ground."""
    R = np.eye(3)
    for axis, angle in zip(AXES, ANGLES, strict=True):
        k = "xyz".index(axis)
        c, s = np.cos(float(angle)), np.sin(float(angle))
        one = np.eye(3)
        i, j = (k + 1) % 3, (k + 2) % 3
        one[i, i], one[j, j], one[i, j], one[j, i] = c, c, -s, s
        R = R @ one
    return R


def rotated(linked: Linked, length: float = 1.0) -> Variant:
    """Return a model whose world is shifted and turned, with the same coordinates.

    `length` is the usual one of the model, in m.
    """
    power = min(0, round(np.log10(length)))
    world = fresh(linked, "turned_world")
    known = scopes(context := context_of(linked))

    def level(body: Sequence[Any], prefix: str) -> list[Any]:
        turning = _Turning(world, Inference(context, known[prefix]), _open_mass(body))
        return [_frame(world, power), *(turning.statement(one) for one in body)]

    return Variant(at_every_level(linked, level), turn=turn())


def _open_mass(body: Sequence[Any]) -> str:
    """Return what a mass that a level leaves open is, in kg.

    A body without mass between two that have some stops the forms that invert inertias: where
    there is one, those around it have none either.
    """
    masses = [
        clause.value
        for one in body
        if isinstance(one, Body)
        for clause in one.clauses
        if isinstance(clause, MassClause)
    ]
    return "0" if any(isinstance(x, Number) and float(x.text) == 0 for x in masses) else "1"


def _frame(world: str, power: int) -> Frame:
    rotations = tuple(
        AxisRotation(kind="axis", axis=path(axis), angle=signed(angle))
        for axis, angle in zip(AXES, ANGLES, strict=True)
    )
    shift = Vector(tuple(signed(f"{x}e{power}" if power else x, "m") for x in SHIFT))
    return Frame(
        kind="frame",
        name=Identifier(world),
        placement=Placement(base=path("ground"), point=shift, rotations=rotations),
    )


@dataclass(frozen=True, slots=True)
class _Turning:
    """Says the statements of a level in the new world."""

    world: str
    inference: Inference
    mass: str

    # -- expressions -----------------------------------------------------------------------

    def vector(self, node: Expression) -> Expression:
        """Return a vector or scalar whose brackets are in ground's components."""
        return self._turned(node, ground=True)

    def local(self, node: Expression) -> Expression:
        """Return an expression whose brackets are in the components of another frame."""
        return self._turned(node, ground=False)

    def point(self, node: Expression) -> Expression:
        """Return a point in a slot of ground's: a bracket is one from the origin."""
        if isinstance(ungroup(node), Vector):
            return Sum((("+", path(self.world, "origin")), ("+", Group(self.vector(node)))))
        return self.vector(node)

    def _turned(self, node: Expression, *, ground: bool) -> Expression:
        match node:
            case Reference((Segment("ground"), *members), 0):
                return Reference((Segment(self.world), *members), at=node.at)
            case Vector(items) if ground and self._spatial(node):
                axes = zip(items, "xyz", strict=True)
                return Group(
                    Sum(
                        tuple(
                            (
                                "+",
                                Product((("*", Group(self.vector(e))), ("*", path(self.world, c)))),
                            )
                            for e, c in axes
                        )
                    )
                )
            case Call("velocity" | "acceleration", (argument,)):
                return with_children(node, (self._argument(argument),))
            case Call("omega", (Reference() as body,)) if self._twist(body):
                raise NotApplicableHereError(
                    f"the omega of a body without axes{place(node)} has no components to turn"
                )
            case Call():
                return with_children(node, tuple(map(self.vector, node.arguments)))
        inner = tuple(self._turned(e, ground=ground) for e in children(node))
        return with_children(node, inner)

    def _argument(self, node: Expression) -> Expression:
        if isinstance(node, MaterialPoint):
            return with_children(node, (self.point(node.point), self.vector(node.body)))
        return self.point(node)

    def _spatial(self, node: Vector) -> bool:
        return not any(isinstance(ungroup(e), Vector) for e in node.items)

    def _twist(self, node: Reference) -> bool:
        return self.inference.reference(node).sort == "twist"

    # -- statements ------------------------------------------------------------------------

    def statement(self, one: Any) -> Any:
        """Return a statement of a level in the new world."""
        match one:
            case InlineSubsystem():
                bindings = tuple(
                    b.model_copy(update={"value": self.vector(b.value)}) for b in one.bindings
                )
                return one.model_copy(update={"bindings": bindings})
            case Body() | Particle():
                return self._element(one)
            case Point():
                return one.model_copy(update={"value": self.point(one.value)})
            case Define() | Invariant():
                return self._equation(one)
            case Torque():
                return self._torque(one)
            case Force():
                at = None if one.point is None else self.point(one.point)
                return one.model_copy(update={"value": self.vector(one.value), "point": at})
            case Gravity():
                return one.model_copy(update={"value": self.vector(one.value)})
            case Let():
                return self._rest(one, ground=True)
            case _ if isinstance(one, _SAID):
                return one
        if isinstance(getattr(one, "line", None), Between):
            ends = {"first": self.point(one.line.first), "second": self.point(one.line.second)}
            line = one.line.model_copy(update=ends)
            return self._rest(one, ground=False).model_copy(update={"line": line})
        # placements and joints have brackets in frames of their own, all else has scalars
        return self._rest(one, ground=False)

    def _rest(self, node: Any, *, ground: bool) -> Any:
        def same(identifier: Identifier) -> Identifier:
            return identifier

        return rewrite(node, lambda e: self._turned(e, ground=ground), same)

    def _element(self, one: Any) -> Any:
        clauses = [self._clause(clause) for clause in one.clauses]
        kinds = {clause.kind for clause in clauses}
        if isinstance(one, Body) and not kinds & {"velocity", "omega"}:
            if "mass" not in kinds:
                clauses.append(MassClause(kind="mass", value=Number(self.mass, "kg")))
            if "inertia" not in kinds:
                one_each = Call("diag", (Number("1", "kg*m^2"),) * 3)
                clauses.append(InertiaClause(kind="inertia", value=one_each))
            clauses = [_spread(clause) for clause in clauses]
        return one.model_copy(update={"clauses": tuple(clauses)})

    def _clause(self, clause: Any) -> Any:
        match clause:
            case PointClause():
                return clause.model_copy(update={"value": self.point(clause.value)})
            case VelocityClause():
                return clause.model_copy(update={"value": self.vector(clause.value)})
            case ComClause():
                return clause.model_copy(update={"value": self.local(clause.value)})
        return self._rest(clause, ground=False)

    def _equation(self, one: Any) -> Any:
        """Return an equation; that of vectors is in the components of the new world."""
        sorts = {self.inference.of(one.left).sort, self.inference.of(one.right).sort}
        if sorts == {"scalar"}:
            return self._rest(one, ground=True)
        frame = path("ground") if one.frame is None else one.frame
        new = self._rest(one, ground=False)
        return new.model_copy(update={"frame": self.vector(frame)})

    def _torque(self, one: Torque) -> Torque:
        ends = [end for end in (one.on, one.origin) if end and end.path[0].name != "ground"]
        twists = [self._is_twist(end) for end in ends]
        if not any(twists):
            return one.model_copy(update={"value": self.vector(one.value)})
        if not all(twists) or any(isinstance(e, Call) for e in walk(one.value)):
            raise NotApplicableHereError(
                f"the torque{place(one)} is in components of a body without axes"
            )
        return one

    def _is_twist(self, end: Reference) -> bool:
        found = resolve(end, self.inference.scope)
        kinds = {clause.kind for clause in found.symbol.node.clauses} if found else set()
        return bool(kinds & {"velocity", "omega"})


def _spread(clause: Any) -> Any:
    """Return the inertia of a planar body with the moments that it leaves open."""
    if isinstance(clause, InertiaClause) and clause.about is not None:
        spread = Call("diag", (clause.value,) * 3)
        return clause.model_copy(update={"value": spread, "about": None})
    return clause
