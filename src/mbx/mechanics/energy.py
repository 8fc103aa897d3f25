"""Kinetic energy, potential energy, dissipation: functions of q, u and t."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mbx.expr.build import add, dot, matvec, mul, neg, scale
from mbx.expr.derivatives import gradient
from mbx.expr.nodes import ZERO, Node
from mbx.mechanics import loads

if TYPE_CHECKING:
    from mbx.mechanics.motion import Motion

__all__ = ["active_forces", "dissipation", "kinetic", "lagrange_operator", "potential"]

_HALF = Fraction(1, 2)


def kinetic(motion: Motion) -> Node:
    """Return T = sum of m v . v / 2 + w . I w / 2 (Orsino (A.49))."""
    terms: list[Node] = []
    for moving in motion.elements:
        if moving.m is not ZERO:
            terms.append(scale(_HALF, mul(moving.m, dot(moving.v, moving.v))))
        if moving.turns:
            terms.append(scale(_HALF, dot(moving.w, matvec(moving.inertia, moving.w))))
    return add(*terms) if terms else ZERO


def potential(motion: Motion) -> Node:
    """Return V: potentials, springs, and every weight that has a potential."""
    terms = [energy.value for energy in motion.system.potentials]
    # the position is measured from the ground's origin
    terms += [
        neg(dot(moving.weight, moving.element.com.p))
        for moving in motion.elements
        if moving.weight is not None and moving.high
    ]
    return add(*terms) if terms else ZERO


def dissipation(motion: Motion) -> Node:
    """Return D, Rayleigh's function, in q, u and t."""
    terms = motion.express([energy.value for energy in motion.system.dissipations])
    return add(*terms) if terms else ZERO


def active_forces(motion: Motion) -> list[Node]:
    """Return -dV/dq - dD/dqd and what no energy stands for, for a motion in rates."""
    slopes = gradient(potential(motion), [v.symbol for v in motion.system.q])
    damping = gradient(dissipation(motion), motion.u)
    further = (
        loads.project(motion, loads.wrenches_without_energy(motion)),
        loads.generalized_loads(motion),
        loads.non_ideal(motion),
        loads.effective(motion),
    )
    return [
        add(neg(v), neg(d), *terms) for v, d, *terms in zip(slopes, damping, *further, strict=True)
    ]


def lagrange_operator(motion: Motion, T: Node) -> list[Node]:
    """Return d/dt dT/dqd - dT/dq, for a motion in rates (Orsino (3.75))."""
    momenta = gradient(T, motion.u)
    rates = motion.rate(momenta)
    slopes = gradient(T, [v.symbol for v in motion.system.q])
    return [add(r, neg(s)) for r, s in zip(rates, slopes, strict=True)]
