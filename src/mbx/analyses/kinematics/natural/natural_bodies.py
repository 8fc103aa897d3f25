"""Bodies in natural coordinates: which points and unit vectors each has, and what keeps it rigid.

In a plane a body is a point and a direction, in space a point and three directions: differences
of its points first, then the axes of its joints, then further unit vectors. A body with a
single point that slides along another body takes its directions from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.kinematics.natural.body_poses import Planar, Spatial, minus
from mbx.analyses.kinematics.natural.entities import (
    Entity,
    combination,
    figure,
    shared_points,
    shared_vectors,
)
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.expr.build import dot, sub
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import NUMBER, ONE, ZERO, symbol
from mbx.language.joints import JOINTS
from mbx.numerics.tolerances import SAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.kinematics.natural.body_poses import Pose
    from mbx.analyses.kinematics.natural.mechanism import Mechanism
    from mbx.analyses.kinematics.natural.pairs import Pair
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Bodies", "Equation", "angle_between", "still"]

_APART: Final = 0.05
"""Part of a direction that must stand out of those before it."""
_PLANE: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """A constraint: its value, which is zero, its kind, what it is about, and its group."""

    value: Node
    kind: str
    about: str
    group: int


class Bodies:
    """The bodies of a mechanism in natural coordinates, for an order of its groups.

    Attributes:
        poses: Where each body is; "" is the ground.
        arms: Directions of each body, coordinates and components.
        equations: What keeps the bodies rigid.
        home: The group of each coordinate that is made here.
        carried: Bodies that take their directions from another body, by the pair.
    """

    def __init__(self, mechanism: Mechanism, order: Mapping[str, int]) -> None:
        """Make coordinates and equations of all bodies."""
        self.mechanism = mechanism
        self.order = order
        self.space = mechanism.space
        self.poses: dict[str, Pose] = {}
        self.arms: dict[str, list[tuple[tuple[Node, ...], Array]]] = {}
        self.equations: list[Equation] = []
        self.home: dict[Node, int] = {}
        self.carried: dict[str, str] = {}
        self._seen: set[Node] = set()
        self.points = shared_points(mechanism.pairs)
        self.vectors = shared_vectors(mechanism.pairs) if self._spatial else []
        self._place_known()
        self._tie_known()
        self._place_all()

    @property
    def _spatial(self) -> bool:
        return self.space.dimension != _PLANE

    # -- what is known -----------------------------------------------------------------------

    def _place_known(self) -> None:
        """Place the ground, and bodies that no joint places."""
        if self._spatial:
            unit = tuple(tuple(figure(x) for x in row) for row in np.eye(3))
            self.poses[""] = Spatial((ZERO,) * 3, np.zeros(3), unit, np.eye(3))
        else:
            self.poses[""] = Planar(self.space, "", (ZERO, ZERO), np.zeros(3), ONE, ZERO)
        for body, frame in self.mechanism.frames.items():
            columns = tuple(zip(*frame.R, strict=True))
            if self._spatial:
                self.poses[body] = Spatial(tuple(frame.p), np.zeros(3), columns, np.eye(3))
                continue
            axes, mine = self.space.axes, self.space.bodies[body]
            base = tuple(combination(e, frame.p) for e in axes.T[:2])
            along = [combination(mine[:, 0], row) for row in frame.R]
            c, s = (combination(e, along) for e in axes.T[:2])
            self.poses[body] = Planar(self.space, body, base, np.zeros(3), c, s)

    def _tie_known(self) -> None:
        """Equate what bodies share where frames place several of them."""
        for entities, point in ((self.points, True), (self.vectors, False)):
            for entity in entities:
                known = [body for body in entity.locals if body not in self.order]
                for body in known[1:]:
                    pose, local = self.poses[body], entity.locals[body]
                    mine = pose.point(local) if point else pose.vector(local)
                    tied = [v for b in known if b for v in self.mechanism.vertices_of(b)]
                    group = max(self.order[v] for v in tied)
                    for value in minus(mine, self.nodes_of(entity, point=point)):
                        self.add(value, "joint", entity.name, group)

    def _place_all(self) -> None:
        left = sorted(self.mechanism.bodies, key=lambda body: self.order[body])
        while left:
            body = next((b for b in left if self._can(b, left)), left[0])
            left.remove(body)
            self._place(body)

    def _can(self, body: str, left: Sequence[str]) -> bool:
        """Return whether all that a body could take its directions from is placed before it."""
        if self._count(body) >= (2 if self._spatial else 1):
            return True
        group = self.order[body]
        neighbours = {b for pair in self._slides(body) for b in pair.bodies if b != body}
        return not any(b in left and self.order[b] <= group for b in neighbours)

    def _slides(self, body: str) -> list[Pair]:
        return [
            p
            for p in self.mechanism.pairs
            if JOINTS[p.kind].rotation == "none" and body in p.bodies
        ]

    def _count(self, body: str) -> int:
        """Return how many directions a body has by its points and joints."""
        points = [entity.locals[body] for entity in self.points if body in entity.locals]
        directions: list[Array] = []
        for r in points[1:]:
            v = r - points[0]
            if not self._spatial:
                v = self.space.bodies[body][:, :2].T @ v
            self._stands_out(directions, v)
        if self._spatial:
            for entity in self.vectors:
                if body in entity.locals:
                    self._stands_out(directions, entity.locals[body])
        return len(directions)

    @staticmethod
    def _stands_out(directions: list[Array], v: Array) -> bool:
        """Add the part of a direction that is new, if there is enough of it."""
        size = float(np.linalg.norm(v))
        rest = v / size if size > SAME else v
        for e in directions:
            rest = rest - (rest @ e) * e
        left = float(np.linalg.norm(rest))
        if size <= SAME or left < _APART:
            return False
        directions.append(rest / left)
        return True

    # -- one body ----------------------------------------------------------------------------

    def add(self, value: Node, kind: str, about: str, group: int) -> None:
        """Add an equation, once; without coordinates it must hold by itself."""
        if value.op is NUMBER:
            if abs(float(value.value)) > SAME:
                raise NotNaturalError(f"the {kind} condition of '{about}' cannot hold")
            return
        if value not in self._seen:
            self._seen.add(value)
            self.equations.append(Equation(value, kind, about, group))

    def nodes_of(self, entity: Entity, *, point: bool) -> tuple[Node, ...]:
        """Return the coordinates of a point or unit vector, new ones if nothing places it."""
        if not entity.nodes:
            known = [b for b in entity.locals if b not in self.order]
            if known:
                pose, local = self.poses[known[0]], entity.locals[known[0]]
                entity.nodes = pose.point(local) if point else pose.vector(local)
            else:
                group = min(self.order[body] for body in entity.locals)
                mark = "@" if point else "@n"
                entity.nodes = self.fresh(f"{entity.name}{mark}", group)
        return entity.nodes

    def fresh(self, name: str, group: int) -> tuple[Node, ...]:
        """Return new coordinates of a group."""
        made = tuple(symbol(f"{name}{k}") for k in self.space.letters)
        self.home |= dict.fromkeys(made, group)
        return made

    def _place(self, body: str) -> None:
        group = self.order[body]
        points = [entity for entity in self.points if body in entity.locals]
        if not points:
            pair = next(p for p in self.mechanism.pairs if body in p.bodies)
            side = pair.first if pair.first.body == body else pair.second
            points = [Entity(body, {body: side.r})]
        for entity in points:
            self.nodes_of(entity, point=True)
        # what is known first: the ground, then groups before
        points.sort(
            key=lambda entity: max((self.home.get(x, -1) for x in entity.nodes), default=-1)
        )
        carrier = self._carrier(body)
        if self._spatial:
            rest = self._place_in_space(body, points, carrier)
        else:
            rest = self._place_in_plane(body, points, carrier)
        pose = self.poses[body]
        for entity in rest:
            for value in minus(entity.nodes, pose.point(entity.locals[body])):
                self.add(value, "rigid", body, group)

    def _carrier(self, body: str) -> Pair | None:
        """Return the pair by which a body can take its directions from another body."""
        if self._count(body) >= (2 if self._spatial else 1):
            return None
        group = self.order[body]
        for pair in self._slides(body):
            other = pair.second.body if pair.first.body == body else pair.first.body
            if other in self.poses and self.order.get(other, -1) <= group:
                return pair
        return None

    def _place_in_plane(
        self, body: str, points: list[Entity], carrier: Pair | None
    ) -> list[Entity]:
        space, group = self.space, self.order[body]
        base, r = points[0].nodes, points[0].locals[body]
        axes = space.bodies[body][:, :2]
        far = max(
            points, key=lambda entity: float(np.linalg.norm(axes.T @ (entity.locals[body] - r)))
        )
        v = far.locals[body] - r
        a, b = axes.T @ v
        size = float(np.hypot(a, b))
        if size > SAME and carrier is None:
            d = minus(far.nodes, base)
            c = combination([a / size**2, b / size**2], d)
            s = combination([-b / size**2, a / size**2], d)
            self.poses[body] = Planar(space, body, base, r, c, s)
            self.arms[body] = [(d, v)]
            self.add(sub(dot(d, d), figure(size**2)), "distance", body, group)
            return [entity for entity in points[1:] if entity is not far]
        if carrier is not None:
            first = carrier.first.body == body
            other = carrier.second.body if first else carrier.first.body
            turned = angle_between(self, carrier)
            pose = self.poses[other]
            if not isinstance(pose, Planar):
                raise TypeError(other)
            angle = -turned if first else turned
            c = combination([np.cos(angle), -np.sin(angle)], [pose.c, pose.s])
            s = combination([np.sin(angle), np.cos(angle)], [pose.c, pose.s])
            self.carried[body] = carrier.path
        else:
            c, s = self.fresh(f"{body}@v", group)
            self.add(sub(dot((c, s), (c, s)), ONE), "unit", body, group)
        self.poses[body] = Planar(space, body, base, r, c, s)
        self.arms[body] = [((c, s), axes[:, 0])]
        return points[1:]

    def _place_in_space(
        self, body: str, points: list[Entity], carrier: Pair | None
    ) -> list[Entity]:
        group = self.order[body]
        base, r = points[0].nodes, points[0].locals[body]
        vectors = [entity for entity in self.vectors if body in entity.locals]
        for entity in vectors:
            self.nodes_of(entity, point=False)
        arms: list[tuple[tuple[Node, ...], Array]] = []
        used: list[Entity] = []
        if carrier is not None:
            first = carrier.first.body == body
            mine, other = (
                (carrier.first, carrier.second) if first else (carrier.second, carrier.first)
            )
            middle = still(carrier)
            across = other.R @ (middle.T if first else middle) @ mine.R.T
            arms = [(self.poses[other.body].vector(across @ e), e) for e in np.eye(3)]
            self.carried[body] = carrier.path
        else:
            directions: list[Array] = []
            far = sorted(
                points[1:], key=lambda entity: -float(np.linalg.norm(entity.locals[body] - r))
            )
            for entity in far:
                if self._stands_out(directions, entity.locals[body] - r):
                    arms.append((minus(entity.nodes, base), entity.locals[body] - r))
                    used.append(entity)
            for entity in vectors:
                if self._stands_out(directions, entity.locals[body]):
                    arms.append((entity.nodes, entity.locals[body]))
                    used.append(entity)
            for k, v in enumerate(_completing(directions)):
                arms.append((self.fresh(f"{body}@v{k + 1}", group), v))
            for i, (a, u) in enumerate(arms):
                for b, v in arms[i:]:
                    kind = "distance" if a is b else "angle"
                    self.add(sub(dot(a, b), figure(float(u @ v))), kind, body, group)
        inverse = np.linalg.inv(np.column_stack([v for _, v in arms]))
        pose = Spatial(base, r, tuple(d for d, _ in arms), inverse)
        self.poses[body], self.arms[body] = pose, arms
        for entity in vectors:
            if entity not in used:
                for value in minus(entity.nodes, pose.vector(entity.locals[body])):
                    self.add(value, "rigid", body, group)
        return [entity for entity in points[1:] if entity not in used]


def still(pair: Pair) -> Array:
    """Return R_FM of a pair that does not turn."""
    if pair.motion is None:
        return np.eye(3)
    values = evaluate([x for row in pair.motion[0] for x in row], {})
    return np.array([float(x) for x in values]).reshape(3, 3)


def angle_between(bodies: Bodies, pair: Pair) -> float:
    """Return the angle from the first body of a pair that does not turn to its second one."""
    first, second = pair.first, pair.second
    mine, other = bodies.space.bodies[first.body], bodies.space.bodies[second.body]
    turned = mine.T @ first.R @ still(pair) @ second.R.T @ other
    return float(np.arctan2(turned[1, 0], turned[0, 0]))


def _completing(directions: list[Array]) -> list[Array]:
    """Return unit vectors that make directions up to three: axes of the body, where they can."""
    many = list(directions)
    new: list[Array] = []
    for e in np.eye(3)[[1, 2, 0]]:
        if len(many) == _PLANE:
            break
        if len(many) < 3 and all(abs(float(e @ v)) < SAME for v in many):  # noqa: PLR2004
            many.append(e)
            new.append(e)
    while len(many) < 3:  # noqa: PLR2004
        if len(many) == _PLANE:
            v = np.cross(many[0], many[1])
        else:
            k = int(np.argmin(np.abs(many[0]))) if many else 0
            v = np.cross(many[0], np.eye(3)[k]) if many else np.eye(3)[0]
        k = int(np.argmax(np.abs(v)))
        v = v / np.linalg.norm(v) * np.sign(v[k])  # the same, whichever point comes first
        many.append(v)
        new.append(v)
    return new
