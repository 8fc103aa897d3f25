"""How links move, and what that needs: the formulas of the sweeps, link by link.

Accelerations `a` are those of the origins, `w` and `wd` angular velocities and their rates, all
in the link's own components. `U = wd~ + w~ w~` takes a place on a link to its acceleration.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.expr.build import NULL, add, cross, dot, matvec, mul, neg, plus, settled, sub, transposed
from mbx.expr.nodes import ZERO, Node
from mbx.mechanics.tree.base_parameters import Mass, inertia

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.tree.links import Link
    from mbx.system.system import System

__all__ = [
    "acceleration",
    "angular_velocity",
    "free_acceleration",
    "halves",
    "handed_on",
    "inertia_wrench",
    "spatial",
    "turning",
    "unit_wrench",
    "weightless",
]

Six = list[Node]


def weightless(system: System) -> tuple[System, Vector]:
    """Return the system without weights, and the acceleration of the ground that replaces them.

    Where gravity is not the same for all mass elements, their weights stay as they are.
    """
    heavy = [e for e in system.elements if e.m is not None and e.m is not ZERO]
    fields = {e.gravity for e in heavy}
    if len(fields) != 1 or None in fields:
        return system, NULL
    g = heavy[0].gravity or NULL
    light = tuple(replace(e, gravity=None) for e in system.elements)
    return replace(system, elements=light), settled((neg(g[0]), neg(g[1]), neg(g[2])))


def vector(a: Sequence[Node]) -> Vector:
    """Return three nodes as a vector, as NULL itself if all are zero."""
    return settled((a[0], a[1], a[2]))


def halves(six: Sequence[Node]) -> tuple[Vector, Vector]:
    """Return the linear and the angular half of an acceleration, or force and torque."""
    return vector(six[:3]), vector(six[3:])


def _relative(link: Link, zd: Sequence[Node]) -> tuple[Vector, Vector]:
    """Return the velocity of the origin and the angular velocity against the parent."""
    six = [add(dot(row, zd), x) for row, x in zip(link.A, link.vr, strict=True)]
    return halves(six)


def angular_velocity(link: Link, zd: Sequence[Node], w: Vector) -> Vector:
    """Return w_i = G w_k + wr."""
    return plus(matvec(transposed(link.R), w), _relative(link, zd)[1])


def free_acceleration(link: Link, zd: Sequence[Node], w: Vector) -> Six:
    """Return what of (a; wd) comes from the hinge's rates, without z''.

    (2 G w_k + wr) x vr + vr';  G w_k x wr + wr'
    """
    vr, wr = _relative(link, zd)
    before = matvec(transposed(link.R), w)
    own = [add(dot(row, zd), x) for row, x in zip(link.Ad, link.vrd, strict=True)]
    linear = plus(vector(own[:3]), cross(plus(before, before, wr), vr))
    angular = plus(vector(own[3:]), cross(before, wr))
    return [*linear, *angular]


def turning(w: Vector, wd: Vector) -> list[list[Node]]:
    """Return U = wd~ + w~ w~."""
    x, y, z = w
    xx, yy, zz = mul(x, x), mul(y, y), mul(z, z)
    xy, xz, yz = mul(x, y), mul(x, z), mul(y, z)
    return [
        [neg(add(yy, zz)), sub(xy, wd[2]), add(xz, wd[1])],
        [add(xy, wd[2]), neg(add(xx, zz)), sub(yz, wd[0])],
        [sub(xz, wd[1]), add(yz, wd[0]), neg(add(xx, yy))],
    ]


def acceleration(
    link: Link, a: Vector, wd: Vector, U: Sequence[Sequence[Node]], free: Sequence[Node]
) -> Six:
    """Return (a; wd) of a link from those of its parent, without z'': G (a_k + U_k r)."""
    G = transposed(link.R)
    carried = plus(a, at(U, link.r))
    linear = plus(matvec(G, carried), vector(free[:3]))
    return [*linear, *plus(matvec(G, wd), vector(free[3:]))]


def at(U: Sequence[Sequence[Node]], r: Vector) -> Vector:
    """Return U r."""
    return NULL if r is NULL else vector([dot(row, r) for row in U])


def inertia_wrench(mass: Mass, U: Sequence[Sequence[Node]], a: Vector) -> Six:
    """Return the wrench at the origin that moves a link: U h + m a;  [U S] + h x a.

    [U S] has the entries of U S - (U S)^T: it is J wd + w x J w.
    """
    S, h = mass.S, mass.h
    force = plus(at(U, h), vector([mul(mass.m, x) for x in a]))
    torque = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        # (U S)_kj - (U S)_jk
        torque.append(
            add(
                mul(U[k][i], S[i][j]),
                mul(U[k][j], S[j][j]),
                mul(sub(U[k][k], U[j][j]), S[j][k]),
                neg(mul(U[j][i], S[i][k])),
                neg(mul(U[j][k], S[k][k])),
            )
        )
    return [*force, *plus(vector(torque), cross(h, a))]


def unit_wrench(mass: Mass, six: Sequence[Node]) -> Six:
    """Return the wrench at the origin that an acceleration (a; wd) needs, from rest."""
    a, wd = halves(six)
    force = plus(vector([mul(mass.m, x) for x in a]), cross(wd, mass.h))
    torque = vector([dot(row, wd) for row in inertia(mass)])
    return [*force, *plus(torque, cross(mass.h, a))]


def handed_on(link: Link, six: Sequence[Node]) -> Six:
    """Return a wrench on a link as one on its parent, at the parent's origin."""
    force = matvec(link.R, vector(six[:3]))
    torque = plus(matvec(link.R, vector(six[3:])), cross(link.r, force))
    return [*force, *torque]


def spatial(mass: Mass) -> list[list[Node]]:
    """Return [m 1, -h~; h~, J]."""
    m, (x, y, z), J = mass.m, mass.h, inertia(mass)
    return [
        [m, ZERO, ZERO, ZERO, z, neg(y)],
        [ZERO, m, ZERO, neg(z), ZERO, x],
        [ZERO, ZERO, m, y, neg(x), ZERO],
        [ZERO, neg(z), y, *J[0]],
        [z, ZERO, neg(x), *J[1]],
        [neg(y), x, ZERO, *J[2]],
    ]
