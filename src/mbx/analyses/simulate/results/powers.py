"""What changes the energy of a system: the powers of its loads, of time, and of its invariants.

Virtual power on the speeds themselves says, with v = v_u u + v_0 the velocities of mass elements,
f their wrenches that have no potential, Q the other loads on u, and A ud + b = 0 the invariants,

    d(T + V)/dt = f . v + Q . u + (m a - f) . v_0 + dV/dt|(u = 0) + lam . A u.

The third and the fourth term are what moves bodies, or changes a potential, by time itself. The
last one is zero where invariants are homogeneous in the speeds.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.elimination import vanishes
from mbx.expr.build import add, mul, neg, scale, sub
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import ordered, substitute
from mbx.expr.nodes import LESS, ONE, ZERO
from mbx.mechanics import balance, energy, invariants, loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.mechanics.motion import Motion

__all__ = ["acts", "by_loads", "by_time", "left_to_invariants", "moved_by_time", "rheonomic"]

_SECOND: Final = 2


def acts(node: Node) -> bool:
    """Return whether a power is not zero everywhere, on whichever side of its conditions."""
    conditions = [one for one in ordered([node]) if one.op is LESS]
    if not conditions:
        return not vanishes(node)
    sides = [dict.fromkeys(conditions, side) for side in (ONE, ZERO)]
    sides += [
        {**dict.fromkeys(conditions, rest), one: side}
        for one in conditions
        for side, rest in ((ONE, ZERO), (ZERO, ONE))
    ]
    return any(not vanishes(substitute([node], each)[0]) for each in sides)


def by_loads(moving: Motion) -> dict[str, Node]:
    """Return the power of each load that has no potential, by path."""
    system = moving.system
    elements = {m.path: m for m in moving.elements}
    powers: dict[str, list[Node]] = {}
    for damping in system.dissipations:
        slopes = gradient(moving.express([damping.value])[0], moving.u)
        powers.setdefault(damping.path, []).append(neg(_dot(slopes, moving.u)))
    for force in system.forces:
        on = elements[force.on]
        wrench = moving.express([*force.force, *force.torque])
        powers.setdefault(force.path, []).append(_dot(wrench, (*on.v, *on.w)))
    others = [(x.path, x.on, x.value) for x in system.generalized]
    others += [(x.path, x.on, x.value) for x in system.effective]
    for path, speed, value in others:
        rows = loads.conjugate(moving, speed, moving.express([value])[0])
        powers.setdefault(path, []).append(_dot(rows, moving.u))
    for element in moving.elements:
        if element.weight is not None and not element.high:
            powers[f"weight of {element.path}"] = [_dot(element.weight, element.v)]
    return {path: add(*terms, ZERO) for path, terms in powers.items()}


def by_time(moving: Motion, V: Node) -> Node:
    """Return the power of what moves bodies, or changes the potential energy V, by time itself."""
    still = dict.fromkeys(moving.u, ZERO)
    twists = [x for m in moving.elements for x in (*m.v, *m.w)]
    moved = substitute(twists, still)
    lacking = [x for f, t in _lacking(moving) for x in (*f, *t)]
    return add(_dot(lacking, moved), substitute(moving.rate([V]), still)[0])


def left_to_invariants(moving: Motion, V: Node) -> list[Node]:
    """Return A^T lam: what the speeds lack of inertia, beside all loads."""
    slopes = gradient(V, [v.symbol for v in moving.system.q])
    qd = [moving.qd[v.symbol] for v in moving.system.q]
    rows = zip(
        loads.project(moving, _lacking(moving)),
        *(
            [mul(slope, x) for x in gradient(rate, moving.u)]
            for slope, rate in zip(slopes, qd, strict=True)
        ),
        gradient(energy.dissipation(moving), moving.u),
        *(
            [neg(x) for x in some(moving)]
            for some in (loads.generalized_loads, loads.non_ideal, loads.effective)
        ),
        strict=True,
    )
    return [add(*terms) for terms in rows]


def rheonomic(moving: Motion, known: Mapping[Node, Node]) -> Iterator[str]:
    """Yield the invariants whose reactions do work: rheonomic, or not homogeneous in the speeds."""
    levels = invariants.levels(moving)
    rows = [row for row in levels.rows if row.order < _SECOND]
    values = substitute(list(levels.velocity), known)
    for row, value in zip(rows, values, strict=True):
        # the power of the reaction, per unit of it: zero by itself, or where the invariant holds
        power = _dot(gradient(value, moving.u), moving.u)
        if not any(vanishes(sub(power, scale(k, value))) for k in (1, 2)):
            yield row.path


def moved_by_time(moving: Motion, known: Mapping[Node, Node]) -> Iterator[str]:
    """Yield the mass elements that move while all speeds are zero."""
    still = {**known, **dict.fromkeys(moving.u, ZERO)}
    for element in moving.elements:
        if not all(map(vanishes, substitute([*element.v, *element.w], still))):
            yield element.path


def _lacking(moving: Motion) -> list[tuple[Vector, Vector]]:
    """Return m a - f and I wd + w x I w - t of each mass element."""
    found: list[tuple[Vector, Vector]] = []
    for element, wrench in zip(moving.elements, loads.wrenches_without_energy(moving), strict=True):
        inertia = balance.inertia_wrench(element)
        a, b, c, d, e, f = (sub(x, y) for x, y in zip(chain(*inertia), chain(*wrench), strict=True))
        found.append(((a, b, c), (d, e, f)))
    return found


def _dot(a: Iterable[Node], b: Iterable[Node]) -> Node:
    return add(ZERO, ZERO, *(mul(x, y) for x, y in zip(a, b, strict=True)))
