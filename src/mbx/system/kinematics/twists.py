"""Mass elements that are known by their twists: which of these are rates of some placement.

With f(q, q', t) a component of the velocity, or of the angular velocity in local components,

    Gam_k = d/dt df/dq'_k - df/dq_k

is zero for velocities that are rates of positions (Orsino (A.6)), and is dw/dq'_k x w for
angular velocities of rotations (G. Hamel, Theoretische Mechanik, Springer 1949: the equations
of transposition). Only then is d/dt dT/dq' - dT/dq the inertia force: T by itself does not
distinguish a twist that is the rate of a placement from others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.algebra.affine import NotAffineError, split
from mbx.expr.algebra.identity import is_zero
from mbx.expr.build import sub
from mbx.expr.derivatives import jacobian
from mbx.expr.matrix import cross, matvec, minus
from mbx.expr.nodes import ZERO, Node
from mbx.expr.subs import substitute
from mbx.expr.walk import free_symbols

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.expr.matrix import Vector
    from mbx.system.system import System
    from mbx.system.world import Element

__all__ = ["not_integrable"]


def not_integrable(system: System) -> list[str]:
    """Return the elements with inertia whose twists are not proved to be rates of a placement.

    Those that name a speed without a rate are left out: it has no coordinate to derive by.
    """
    rates = {v.rate for v in system.q}
    without = {v.symbol for v in system.u} - rates - set(system.defined)
    paths = []
    for element in system.elements:
        if element.placed:
            continue
        v, w = _in_rates(system, element)
        if without.isdisjoint(free_symbols([*v, *w])) and not (
            _affine(system, v, w) and all(map(is_zero, _curvature(system, element, v, w)))
        ):
            paths.append(element.path)
    return paths


def _affine(system: System, v: Vector, w: Vector) -> bool:
    """Return whether a twist is affine in rates; abs(x') has no curvature and is no rate."""
    try:
        split([*v, *w], [q.rate for q in system.q])
    except NotAffineError:
        return False
    return True


def _in_rates(system: System, element: Element) -> tuple[Vector, Vector]:
    """Return velocity and angular velocity, declared speeds replaced by their definitions."""
    six = substitute([*element.com.v, *(element.w_local or (ZERO,) * 3)], system.defined)
    return (six[0], six[1], six[2]), (six[3], six[4], six[5])


def _curvature(system: System, element: Element, v: Vector, w: Vector) -> Iterator[Node]:
    """Yield what is zero if the twist is integrable, as far as mass and inertia notice it."""
    if element.m not in (None, ZERO):
        for gamma in _hamel(system, v):
            yield from gamma
    inertia = element.inertia
    if inertia is None or element.w_local is None:
        return
    partials = zip(*jacobian(w, [q.rate for q in system.q]), strict=True)
    for gamma, (a, b, c) in zip(_hamel(system, w), partials, strict=True):
        yield from matvec(inertia, minus(gamma, cross((a, b, c), w)))


def _hamel(system: System, f: Vector) -> Iterator[Vector]:
    """Yield Gam_k of a vector, coordinate by coordinate."""
    partials = jacobian(f, [q.rate for q in system.q])
    slopes = jacobian(f, [q.symbol for q in system.q])
    rows = [system.rates(row) for row in partials]
    for k in range(len(system.q)):
        x, y, z = (sub(rows[i][k], slopes[i][k]) for i in range(3))
        yield x, y, z
