"""Reactions of joints and placements from the accelerations of the nodes, leaves to roots.

    W_k = M_k y''_k - f_k - (multipliers of loops on it) + sum of B_j^T W_j over what k carries

W is the wrench on a mass element at its mass centre, ground components; with (8) it is
Gd^T tau - G^T lambda.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.expr.matrix import NULL, UNIT, matvec, minus, settled, skew, transposed
from mbx.expr.nodes import ZERO, Node
from mbx.expr.subs import substitute
from mbx.expr.walk import ordered
from mbx.mechanics import loads
from mbx.mechanics.reactions import holders, loop_columns, loop_wrenches, named_in, unsure
from mbx.mechanics.tree.absolute_hinges import hinge
from mbx.system.features import Feature
from mbx_converters.rfda.absolute_rates import grid, matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.matrix import Matrix, Vector
    from mbx.formalism.named_program import NamedProgram
    from mbx.formalism.tree.named_closure import Swept
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.reactions import Holder
    from mbx.mechanics.tree.links import Links

__all__ = ["reported"]

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


def reported(
    p: NamedProgram, tree: Links, levels: Levels, swept: Swept, *, alone: bool
) -> tuple[dict[str, str], dict[int, str]]:
    """Add the reactions joint by joint, and what of them is not unique; `alone`: an open tree.

    Return the results, and the names of the wrenches W by node.
    """
    p.begin("reactions")
    motion = tree.motion
    every = replace(levels, rows=(*levels.rows, *motion.system.idle))
    results = _of_loops(p, levels, every, swept.lam)
    if Feature.GENERALIZED_LOAD in motion.system.features:
        return results, {}  # the model does not say which joints hand it on
    unseen = _unseen(tree)
    if named_in(levels, [x for force, torque in unseen.values() for x in (*force, *torque)]):
        return results, {}  # a load on accelerations that names reactions: no sum of known loads
    ydd = "ydd"
    if not alone:
        ydd = "yc"
        _accelerations(p, tree, swept.zdd)
    bodies = _bodies(tree)
    columns = loop_columns(motion, every, [(b.start, b.size) for b in bodies])
    m = len(levels.rows)
    for body in reversed(bodies):
        own = columns[body.start : body.start + body.size]
        _balance(p, tree, bodies, body, ydd, [line[:m] for line in own], swept.lam, unseen)
        _left_open(p, tree, bodies, body, own, m)
    hidden = unsure(motion)
    for body in bodies:
        if body.number - 1 not in hidden:
            path = body.holder.path
            results |= {
                f"reaction:{path}": _seen(p, tree, body, "W", "X", f"reaction {path}"),
                f"open:{path}": _seen(p, tree, body, "Wo", "Xo", ""),
            }
    return results, {b.nodes[0]: f"W_{b.number}" for b in bodies if len(b.nodes) == 1}


def _of_loops(p: NamedProgram, levels: Levels, every: Levels, lam: str) -> dict[str, str]:
    """Add the reactions of joints that have invariants, and the multipliers that are open."""
    m = len(levels.rows)
    if m:
        p.nullspace("lamn", "Aut", meaning="multipliers that do nothing")
    results: dict[str, str] = {}
    labels = [row.path for row in every.rows]
    for k, (path, six) in enumerate(loop_wrenches(every).items(), start=1):
        parts = []
        p.define(f"YL{k}", [line[:m] for line in six], columns=labels[:m])
        p.product(f"L{k}", f"YL{k}", lam, meaning=f"reaction {path}")
        if m:
            parts.append(p.product(f"Ln{k}", f"YL{k}", "lamn"))
        if len(labels) > m:
            parts.append(p.define(f"YI{k}", [line[m:] for line in six], columns=labels[m:]))
        results |= {f"reaction:{path}": f"L{k}", f"open:{path}": p.block(f"Lo{k}", [parts])}
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
    found: list[_Body] = []
    start = 0
    for k, (moving, holder) in enumerate(
        zip(tree.motion.elements, holders(tree.motion), strict=True), start=1
    ):
        size = _POINT if moving.element.w_local is None else _WHOLE
        found.append(_Body(k, tuple(nodes.get(moving.path, ())), holder, size, start))
        start += size
    return found


def _accelerations(p: NamedProgram, tree: Links, zdd: str) -> None:
    """Add the accelerations of the nodes where loops and ties hold, (5)."""
    for k, link in enumerate(tree.links, start=1):
        p.rows(f"zc_{k}", zdd, link.own)
        terms = [p.product(f"Hzc_{k}", f"H_{k}", f"zc_{k}"), f"d_{k}"]
        if link.parent is not None:
            terms.append(p.product(f"Byc_{k}", f"B_{k}", f"yc_{link.parent + 1}"))
        p.sum(f"yc_{k}", *terms, meaning=f"accelerations of {link.path}, (5)")


def _balance(
    p: NamedProgram,
    tree: Links,
    bodies: Sequence[_Body],
    body: _Body,
    ydd: str,
    loops: list[list[Node]],
    lam: str,
    unseen: dict[str, tuple[Vector, Vector]],
) -> None:
    """Add W of one mass element."""
    e = body.number
    moving = tree.motion.elements[e - 1]
    terms: list[str] = []
    signs: list[int] = []
    for k in body.nodes:
        p.product(f"My_{k}", f"M_{k}", f"{ydd}_{k}")
        p.sum(f"b_{k}", f"My_{k}", f"f_{k}", signs=(1, -1), meaning="what the loads leave open")
    if len(body.nodes) > 1:  # known by its twist: a node moves, another one turns
        moves, turns = body.nodes
        p.rows(f"bv_{e}", f"b_{moves}", range(3))
        p.rows(f"bw_{e}", f"b_{turns}", range(3, 6))
        terms.append(p.block(f"bb_{e}", [[f"bv_{e}"], [f"bw_{e}"]]))
    elif body.nodes:
        terms.append(f"b_{body.nodes[0]}")
    signs += [1 for _ in terms]
    if moving.path in unseen:
        force, torque = unseen[moving.path]
        six = [*force, *matvec(_axes(p, tree, body), torque)]
        known = dict(zip(tree.motion.ud, (row[0] for row in p.entries("ud")), strict=True))
        terms.append(p.derived(f"fu_{e}", [[x] for x in substitute(six, known)], "other loads"))
        signs.append(-1)
    if any(x is not ZERO for row in loops for x in row):
        _ground(p, tree, body, loops, f"WL_{e}")
        terms.append(p.product(f"WLl_{e}", f"WL_{e}", lam, meaning="by the joints of loops"))
        signs.append(-1)
    for child in bodies:
        if child.holder.parent == e - 1:
            terms.append(
                p.product(
                    f"Wup_{child.number}", _way_up(p, tree, bodies, child), f"W_{child.number}"
                )
            )
            signs.append(1)
    p.sum(f"W_{e}", *terms, signs=tuple(signs), meaning=f"what holds {moving.path}")


def _left_open(
    p: NamedProgram,
    tree: Links,
    bodies: Sequence[_Body],
    body: _Body,
    own: list[list[Node]],
    m: int,
) -> None:
    """Add the directions in which W is not unique."""
    e = body.number
    width = len(own[0])
    held = [[line[:m] for line in own], [line[m:] for line in own]]
    parts = []
    if m:
        _ground(p, tree, body, held[0], f"WN_{e}")
        parts.append(p.product(f"Wn_{e}", f"WN_{e}", "lamn"))
    if width > m:
        parts.append(_ground(p, tree, body, held[1], f"WI_{e}"))
    if not parts:
        p.define(f"Wo_{e}", [[] for _ in range(_WHOLE)])
        return
    terms = [p.block(f"Wl_{e}", [parts])]
    terms += [
        p.product(f"Wou_{c.number}", f"up_{c.number}", f"Wo_{c.number}")
        for c in bodies
        if c.holder.parent == e - 1
    ]
    p.sum(f"Wo_{e}", *terms, signs=(-1, *(1 for _ in terms[1:])))


def _ground(p: NamedProgram, tree: Links, body: _Body, rows: list[list[Node]], name: str) -> str:
    """Add columns of forces and of torques in own components, as wrenches in ground components."""
    if len(rows) == _POINT:
        return p.define(name, [*rows, *([ZERO] * len(rows[0]) for _ in range(3))])
    R = _axes(p, tree, body)
    turned = [matvec(R, settled((a, b, c))) for a, b, c in zip(*rows[3:], strict=True)]
    torques = [list(row) for row in zip(*turned, strict=True)] or [[], [], []]
    return p.derived(name, [*rows[:3], *torques])


def _axes(p: NamedProgram, tree: Links, body: _Body) -> Matrix:
    """Return the axes of a mass element in ground components; known by its twist, it has none."""
    frame = tree.motion.elements[body.number - 1].element.frame
    if frame is None:
        return UNIT
    return matrix(p, f"Rw_{body.nodes[0]}") if body.nodes else frame.R


def _way_up(p: NamedProgram, tree: Links, bodies: Sequence[_Body], child: _Body) -> str:
    """Add what takes a wrench on a mass element to what carries it."""
    parent = child.holder.parent
    name = f"up_{child.number}"
    if parent is not None and len(child.nodes) == len(bodies[parent].nodes) == 1:
        (k,), (j,) = child.nodes, bodies[parent].nodes
        if tree.links[k - 1].parent == j - 1:
            return p.sum(name, f"BT_{k}")
    elements = tree.motion.elements
    to = NULL if parent is None else elements[parent].element.com.p
    way = minus(elements[child.number - 1].element.com.p, to)
    return p.define(name, grid([[UNIT, None], [skew(way), UNIT]]))


def _seen(p: NamedProgram, tree: Links, body: _Body, wrench: str, name: str, meaning: str) -> str:
    """Add a wrench as it is reported: at the joint, or of a placement in own components."""
    e = body.number
    element = tree.motion.elements[e - 1].element
    name = f"{name}_{e}"
    if body.size == _POINT:
        return p.rows(name, f"{wrench}_{e}", range(3), meaning)
    if not body.holder.joint or element.frame is None or element.joint is None:
        turn = grid([[UNIT, None], [None, transposed(_axes(p, tree, body))]])
    else:
        R = _axes(p, tree, body)
        if body.nodes:
            arm = matvec(R, hinge(tree, body.nodes[0] - 1).e)
        else:
            arm = minus(element.com.p, element.joint.M.origin.p)
        turn = grid([[UNIT, None], [skew(arm), UNIT]])
    p.derived(f"{name}m", turn)
    return p.product(name, f"{name}m", f"{wrench}_{e}", meaning=meaning)
