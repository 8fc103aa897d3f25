"""Reactions by name: those of joints and placements, and of joints that close loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.build import neg
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics import reactions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.formalism.page.body_vectors import BodyVectors
    from mbx.formalism.page.page_builder import Sided

__all__ = ["Reaction", "name_reactions"]


@dataclass(frozen=True, slots=True)
class Acting:
    """How a reaction acts on an element: with which sign, and where."""

    element: str
    sign: int
    point: Vector


@dataclass(frozen=True, slots=True)
class Reaction:
    """A reaction.

    Attributes:
        path: Its name in the results.
        force: The name of its force; None where it has none.
        torque: That of its torque, about the point where it acts; None where it has none.
        on: What it acts on.
        is_loop: Whether it closes a loop.
        is_known: Whether the model states all that loads the joint.
    """

    path: str
    force: Node | None
    torque: Node | None
    on: tuple[Acting, ...]
    is_loop: bool = False
    is_known: bool = True


def name_reactions(vectors: BodyVectors) -> list[Reaction]:
    """Write the reactions of a model by their components, and return their names."""
    model = vectors.model
    motion = model.motion
    loops = {loop.path: loop for loop in motion.system.loops}
    found: list[Reaction] = []
    for holder in reactions.holders(motion):
        moving = motion.elements[holder.element]
        joint = moving.element.joint
        turns = moving.element.w_local is not None
        placed = joint is None or moving.element.frame is None
        point = moving.element.com.p if placed else joint.M.origin.p  # type: ignore[union-attr]
        on = [Acting(moving.path, 1, point)]
        if holder.parent is not None:
            on.append(Acting(motion.elements[holder.parent].path, -1, point))
        key = f"reaction:{holder.path}"
        if key not in model.equations.results:
            found.append(Reaction(holder.path, None, None, tuple(on), is_known=False))
            continue
        names = _Names(vectors, key, _short(holder.path))
        force = names.force()
        torque: Node | None = None
        if turns:
            local = None if not placed or moving.element.frame is None else moving.element.frame.R
            torque = names.torque(local)
        found.append(Reaction(holder.path, force, torque, tuple(on)))
    seen: set[str] = set()
    for row in model.rows:
        if row.kind != "loop" or row.joint is None or row.joint in seen or row.measured is not None:
            continue
        if row.wrench is None or row.point is None:
            continue
        seen.add(row.joint)
        path = row.path.rpartition(".")[0]
        first = row.point
        if path in loops and reactions.meets_in_point(loops[path]):
            first = loops[path].F.origin.p  # the same point where the loop is closed
        sides = zip(row.sides, (-1, 1), (first, row.point), strict=True)
        on = [Acting(side, sign, point) for side, sign, point in sides if side is not None]
        wrenches = [r.wrench for r in model.rows if r.joint == row.joint and r.wrench is not None]
        names = _Names(vectors, f"reaction:{row.joint}", path)
        pushes = any(x is not ZERO for force, _ in wrenches for x in force)
        turned = [torque for _, torque in wrenches]
        if model.plane is not None:
            turned = [(t[model.plane.normal],) for t in turned]  # type: ignore[misc]
        turns = any(x is not ZERO for t in turned for x in t)
        force_name = names.force() if pushes else None
        torque_name = names.torque(None) if turns else None
        found.append(Reaction(row.joint, force_name, torque_name, tuple(on), is_loop=True))
    return found


def _short(path: str) -> str:
    """Return what a reaction is called: the body that it holds."""
    return path.removesuffix(".joint").removesuffix(".placement")


class _Names:
    """Names the components of a reaction."""

    def __init__(self, vectors: BodyVectors, key: str, path: str) -> None:
        self.page = vectors.page
        self.axes = vectors.axes
        self.plane = vectors.plane
        self.key = key
        self.path = path

    def force(self) -> Node:
        """Return the name of the force, a vector."""
        kept = (0, 1, 2) if self.plane is None else (self.plane.first, self.plane.second)
        return self._vector("R", kept, "force")

    def torque(self, local: Matrix | None) -> Node:
        """Return the name of the torque: a number in a plane."""
        if self.plane is None:
            return self._vector("M", (3, 4, 5), "torque", local)
        row, sign = 3 + self.plane.normal, 1
        if local is not None:
            axis = local[self.plane.normal]
            at = next(k for k, x in enumerate(axis) if x in {ONE, neg(ONE)})
            row, sign = 3 + at, 1 if axis[at] is ONE else -1
        name = self._name("M", row, "torque", "N*m")
        return name if sign > 0 else neg(name)

    def _vector(
        self, letter: str, rows: Sequence[int], kind: str, local: Matrix | None = None
    ) -> Node:
        """Name a vector; where it has the axes of a body, along these."""
        unit = "N" if letter == "R" else "N*m"
        entries = tuple(self._name(f"{letter}{'xyz'[row % 3]}", row, kind, unit) for row in rows)
        name = self.page.name(letter, self.path, is_vector=True)
        self.page.equal(name, entries if local is None else self._along(local, entries))
        return name

    def _along(self, local: Matrix, entries: tuple[Node, ...]) -> Sided:
        self.axes.add(self.path, local)
        return self.axes.along_axes(local, entries)

    def _name(self, letter: str, row: int, kind: str, unit: str) -> Node:
        meaning = f"{kind} of {self.path}"
        name = self.page.name(letter, self.path, meaning=meaning, unit=unit, is_given=True)
        self.page.known[str(name.value)] = (self.key, row)
        return name
