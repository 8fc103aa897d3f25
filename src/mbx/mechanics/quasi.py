"""Quasi-velocities: speeds and other functions of the velocities that need be rates of nothing.

With q1 for the quasi-velocities as functions of t, q and qd, the Hamel matrix

    Gam = d/dt dq1/dqd - dq1/dq

is zero for the rates of functions of q and t (Orsino (A.6), in N01). On the speeds it is a force,
Phi^T Gam^T p with the momenta p = dT/du and Phi = dqd/du.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import dot, sub
from mbx.expr.derivatives import gradient, jacobian, pullback

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.mechanics.motion import Motion

__all__ = ["hamel_forces", "hamel_matrix"]


def hamel_matrix(speeds: Motion, rates: Motion, functions: Sequence[Node]) -> list[list[Node]]:
    """Return Gam in terms of the speeds: a row a function of t, q and qd, a column a coordinate.

    It is affine in ud; free of it for functions that are affine in the rates.
    """
    n = len(rates.u)
    Psi = jacobian(functions, rates.u)
    turned = rates.rate([x for row in Psi for x in row])
    slopes = jacobian(functions, [v.symbol for v in rates.system.q])
    entries = [sub(a, b) for a, b in zip(turned, (x for row in slopes for x in row), strict=True)]
    replaced = speeds.express(entries)
    return [replaced[k : k + n] for k in range(0, len(replaced), max(n, 1))]


def hamel_forces(speeds: Motion, rates: Motion, T: Node) -> list[Node]:
    """Return Phi^T Gam^T dT/du, where Gam is that of the speeds and T a function of them."""
    Gam = hamel_matrix(speeds, rates, rates.express(speeds.u))
    p = gradient(T, speeds.u)
    forces = [dot(column, p) for column in zip(*Gam, strict=True)]
    return pullback([speeds.qd[v.symbol] for v in speeds.system.q], forces, speeds.u)
