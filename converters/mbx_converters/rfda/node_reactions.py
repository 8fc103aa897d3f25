"""Reactions of joints and placements from the accelerations of the nodes, leaves to roots.

    W_k = M_k y''_k - f_k - (multipliers of loops on it) + sum of B_j^T W_j over what k carries

W is the wrench on a mass element at its mass centre, ground components; with (8) it is
Gd^T tau - G^T lambda.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.expr.build import NULL, UNIT, matvec, minus, settled, skew, transposed
from mbx.expr.evaluate import ordered, substitute
from mbx.expr.nodes import ZERO
from mbx.mechanics import loads
from mbx.mechanics.reactions import holders, loop_columns, loop_wrenches, named_in, unsure
from mbx.system.find_features import Feature
from mbx_converters.rfda.absolute_rates import block, column, grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix as Block
    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.tree.closure import Swept
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.reactions import Holder
    from mbx.mechanics.tree.links import Links
    from mbx_converters.rfda.absolute_rates import ByNode, Nodes, Sweep

__all__ = ["report_reactions"]

_WHOLE: Final = 6
_POINT: Final = 3


@dataclass(frozen=True, eq=False, slots=True)
class _Body:
    """A mass element: its number, the nodes that are it, and what holds it."""

    number: int
    nodes: tuple[int, ...]
    holder: Holder
    size: int
    start: int


def report_reactions(
    p: Program,
    on: Nodes,
    levels: Levels,
    closed: Swept,
    A: Matrix,
    swept: Sweep,
    H: ByNode,
    *,
    alone: bool,
) -> tuple[dict[str, Matrix], ByNode]:
    """Add the reactions joint by joint, and what of them is not unique; `alone`: an open tree.

    Return the results, and the wrenches W by node.
    """
    p.begin("reactions")
    motion = on.tree.motion
    every = replace(levels, rows=(*levels.rows, *motion.system.idle))
    m = len(levels.rows)
    free = p.null("lamn", A.T, meaning="multipliers that do nothing") if m else None
    results = _of_loops(p, every, m, closed.lam, free)
    if Feature.GENERALIZED_LOAD in motion.system.features:
        return results, {}  # the model does not state which joints hand it on
    unseen = _unseen(on.tree)
    if named_in(levels, [x for force, torque in unseen.values() for x in (*force, *torque)]):
        return results, {}  # a load on accelerations that names reactions: no sum of known loads
    ydd: ByNode = swept.ydd if alone else _accelerations(p, on, H, closed.zdd)
    bodies = _bodies(on.tree)
    columns = loop_columns(motion, every, [(b.start, b.size) for b in bodies])
    report = _Report(p, on, bodies, unseen, closed, free)
    for body in reversed(bodies):
        own = columns[body.start : body.start + body.size]
        held, idle = [line[:m] for line in own], [line[m:] for line in own]
        report.balance(body, swept.f, ydd, held)
        report.left_open(body, held, idle)
    hidden = unsure(motion)
    for body in bodies:
        e, path = body.number, body.holder.path
        if e - 1 not in hidden:
            results |= {
                f"reaction:{path}": report.at_joint(body, report.W[e], "X", f"reaction {path}"),
                f"open:{path}": report.at_joint(body, report.Wo[e], "Xo", ""),
            }
    return results, {b.nodes[0]: report.W[b.number] for b in bodies if len(b.nodes) == 1}


def _of_loops(
    p: Program, every: Levels, m: int, lam: Matrix, free: Matrix | None
) -> dict[str, Matrix]:
    """Add the reactions of joints that have invariants, and what of them is open."""
    results: dict[str, Matrix] = {}
    labels = [row.path for row in every.rows]
    for k, (path, six) in enumerate(loop_wrenches(every).items(), start=1):
        parts = []
        YL = p.define(f"YL{k}", [line[:m] for line in six], columns=labels[:m])
        results[f"reaction:{path}"] = p.let(f"L{k}", YL @ lam, f"reaction {path}")
        if free is not None:
            parts.append(YL @ free)
        if len(labels) > m:
            parts.append(p.define(f"YI{k}", [line[m:] for line in six], columns=labels[m:]))
        results[f"open:{path}"] = p.let(f"Lo{k}", p.block([parts]))
    return results


def _unseen(tree: Links) -> dict[str, tuple[Vector, Vector]]:
    """Return the wrenches that are no loads on links: on accelerations, or on what is no link."""
    motion = tree.motion
    ud = set(motion.ud)
    return {
        m.path: wrench
        for m, wrench in zip(motion.elements, loads.wrenches(motion), strict=True)
        if m.path in tree.bare or not ud.isdisjoint(ordered([*wrench[0], *wrench[1]]))
    }


def _bodies(tree: Links) -> list[_Body]:
    nodes: dict[str, list[int]] = {}
    for k, link in enumerate(tree.links, start=1):
        nodes.setdefault(link.moving.path, []).append(k)
    bodies: list[_Body] = []
    start = 0
    for k, (moving, holder) in enumerate(
        zip(tree.motion.elements, holders(tree.motion), strict=True), start=1
    ):
        size = _POINT if moving.element.w_local is None else _WHOLE
        bodies.append(_Body(k, tuple(nodes.get(moving.path, ())), holder, size, start))
        start += size
    return bodies


def _accelerations(p: Program, on: Nodes, H: ByNode, zdd: Matrix) -> ByNode:
    """Add the accelerations of the nodes where loops and ties hold, (5)."""
    ydd: dict[int, Matrix] = {}
    for k, link in on.links:
        total = H[k] @ p.let(f"zc_{k}", zdd.rows(link.own)) + on.d[k]
        if j := on.parent(k):
            total += on.B[k] @ ydd[j]
        ydd[k] = p.let(f"yc_{k}", total, f"accelerations of {link.path}, (5)")
    return ydd


@dataclass(frozen=True, slots=True)
class _Report:
    """Wrenches on mass elements, by their numbers.

    Attributes:
        unseen: Wrenches that are no loads on links, by path.
        free: Multipliers that do nothing to the motion; None where there are none.
        up: What takes the wrench on an element to what carries it.
        W: Wrenches on the elements, at their mass centres, ground components.
        Wo: The directions in which these are not unique.
    """

    p: Program
    on: Nodes
    bodies: Sequence[_Body]
    unseen: dict[str, tuple[Vector, Vector]]
    closed: Swept
    free: Matrix | None
    up: dict[int, Matrix] = field(default_factory=dict)
    W: dict[int, Matrix] = field(default_factory=dict)
    Wo: dict[int, Matrix] = field(default_factory=dict)

    def balance(self, body: _Body, f: ByNode, ydd: ByNode, loops: list[list[Node]]) -> None:
        """Add W of a mass element."""
        p, e = self.p, body.number
        path = self.on.tree.motion.elements[e - 1].path
        W = self._left_by_loads(body, f, ydd)
        if path in self.unseen:
            fu = self._other_loads(body, *self.unseen[path])
            W = -fu if W is None else W - fu
        assert W is not None  # noqa: S101  an element that is no node is among the unseen
        if any(x is not ZERO for row in loops for x in row):
            WL = self._in_ground(body, loops, f"WL_{e}")
            W -= p.let(f"WLl_{e}", WL @ self.closed.lam, "by the joints of loops")
        for child in self._carried(body):
            up = self.up[child.number] = self._way_up(child)
            W += up @ self.W[child.number]
        self.W[e] = p.let(f"W_{e}", W, f"what holds {path}")

    def _left_by_loads(self, body: _Body, f: ByNode, ydd: ByNode) -> Matrix | None:
        """Return what inertia needs besides the loads; None for an element that is no node."""
        p, M = self.p, self.on.M
        b = [p.let(f"b_{k}", M[k] @ ydd[k] - f[k], "what the loads leave open") for k in body.nodes]
        if len(b) > 1:  # known by its twist: a node moves, another one turns
            moves, turns = b
            both = p.stack(moves.rows(range(3)), turns.rows(range(3, 6)))
            return p.let(f"bb_{body.number}", both)
        return b[0] if b else None

    def _other_loads(self, body: _Body, force: Vector, torque: Vector) -> Matrix:
        """Add a wrench that is no load on a link, and may name accelerations."""
        p = self.p
        six = [*force, *matvec(self._axes(body), torque)]
        ud = dict(zip(self.on.tree.motion.ud, column(p, self.closed.ud), strict=True))
        return p.column(f"fu_{body.number}", substitute(six, ud), "other loads")

    def left_open(self, body: _Body, held: list[list[Node]], idle: list[list[Node]]) -> None:
        """Add the directions in which W is not unique."""
        p, e = self.p, body.number
        parts = []
        if self.free is not None:
            parts.append(self._in_ground(body, held, f"WN_{e}") @ self.free)
        if idle[0]:
            parts.append(self._in_ground(body, idle, f"WI_{e}"))
        if not parts:
            self.Wo[e] = p.define(f"Wo_{e}", [[] for _ in range(_WHOLE)])
            return
        Wo = -p.let(f"Wl_{e}", p.block([parts]))
        for child in self._carried(body):
            Wo += self.up[child.number] @ self.Wo[child.number]
        self.Wo[e] = p.let(f"Wo_{e}", Wo)

    def _carried(self, body: _Body) -> list[_Body]:
        """Return the elements that an element holds."""
        return [child for child in self.bodies if child.holder.parent == body.number - 1]

    def _in_ground(self, body: _Body, rows: list[list[Node]], name: str) -> Matrix:
        """Add columns of forces and of torques in own components, as wrenches in the ground."""
        if len(rows) == _POINT:
            zero = [[ZERO] * len(rows[0]) for _ in range(3)]
            return self.p.define(name, [*rows, *zero])
        R = self._axes(body)
        turned = [matvec(R, settled((a, b, c))) for a, b, c in zip(*rows[3:], strict=True)]
        torques = [list(row) for row in zip(*turned, strict=True)] or [[], [], []]
        return self.p.define(name, [*rows[:3], *torques])

    def _axes(self, body: _Body) -> Block:
        """Return the axes of an element in the ground; known by its twist, it has none."""
        frame = self.on.tree.motion.elements[body.number - 1].element.frame
        if frame is None:
            return UNIT
        return block(self.p, self.on.Rw[body.nodes[0]]) if body.nodes else frame.R

    def _way_up(self, child: _Body) -> Matrix:
        """Return what takes a wrench on an element to what carries it."""
        parent = child.holder.parent
        if parent is not None and len(child.nodes) == len(self.bodies[parent].nodes) == 1:
            (k,), (j,) = child.nodes, self.bodies[parent].nodes
            if self.on.parent(k) == j:
                return self.on.B[k].T
        elements = self.on.tree.motion.elements
        to = NULL if parent is None else elements[parent].element.com.p
        way = minus(elements[child.number - 1].element.com.p, to)
        return self.p.define(f"up_{child.number}", grid([[UNIT, None], [skew(way), UNIT]]))

    def at_joint(self, body: _Body, wrench: Matrix, name: str, meaning: str) -> Matrix:
        """Add a wrench as it is reported: at the joint, or of a placement in own components."""
        p, name = self.p, f"{name}_{body.number}"
        element = self.on.tree.motion.elements[body.number - 1].element
        if body.size == _POINT:
            return p.let(name, wrench.rows(range(3)), meaning)
        if not body.holder.joint or element.frame is None or element.joint is None:
            turn = grid([[UNIT, None], [None, transposed(self._axes(body))]])
        else:
            if body.nodes:
                arm = matvec(self._axes(body), self.on.hinge(body.nodes[0]).e)
            else:
                arm = minus(element.com.p, element.joint.M.origin.p)
            turn = grid([[UNIT, None], [skew(arm), UNIT]])
        return p.let(name, p.define(f"{name}m", turn) @ wrench, meaning)
