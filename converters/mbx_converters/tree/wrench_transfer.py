"""Wrenches of mass elements seen from links, and wrenches over hinges seen as reactions of joints.

A wrench on a mass element acts at its mass centre: a force in ground components, a torque in
its own. A wrench on a link acts at its origin, all in its local components.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import NULL, cross, matvec, minus, plus, settled, transposed
from mbx.expr.nodes import ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Vector
    from mbx.mechanics.motion import Moving
    from mbx.mechanics.tree.links import Link

__all__ = ["arm", "as_reaction", "halves", "on_link"]


def halves(six: Sequence[Node]) -> tuple[Vector, Vector]:
    """Return force and torque; that of a particle has no torque."""
    padded = [*six, ZERO, ZERO, ZERO]
    f, t = padded[:3], padded[3:6]
    return settled((f[0], f[1], f[2])), settled((t[0], t[1], t[2]))


def on_link(link: Link, moving: Moving, force: Vector, torque: Vector) -> list[Node]:
    """Return a wrench on a mass element as one on a link that may be another."""
    G = transposed(link.R_W)
    element = moving.element
    if link.frame is None or not element.placed:
        return [*force, *torque]
    turned = plus(_in_ground(moving, torque), cross(minus(element.com.p, link.p), force))
    return [*matvec(G, force), *matvec(G, turned)]


def _in_ground(moving: Moving, torque: Vector) -> Vector:
    """Return a torque in ground components; a particle has none, and no axes."""
    return NULL if moving.element.w_local is None else matvec(moving.element.R, torque)


def arm(link: Link) -> Vector:
    """Return the lever of what a hinge transmits, for the reaction of its holder.

    That of a joint: from the origin of its second side to that of the link, ground components.
    That of a placement: from the mass centre to the origin, local components.
    """
    joint = link.moving.element.joint
    if joint is not None and link.moving.element.frame is not None:
        return settled(minus(link.p, joint.M.origin.p))
    return settled(minus(NULL, link.c))


def as_reaction(holder: Moving, moving: Moving, force: Vector, torque: Vector) -> list[Node]:
    """Return a wrench on a mass element as the reaction of the holder of another."""
    element, joint = holder.element, holder.element.joint
    if element.w_local is not None and element.frame is None:  # a twist alone, in its own axes
        return [*force, *torque]
    local = _in_ground(moving, torque)
    if joint is not None and element.frame is not None:
        lever = minus(moving.element.com.p, joint.M.origin.p)
        return [*force, *plus(local, cross(lever, force))]
    if element.w_local is None:
        return [*force]
    lever = minus(moving.element.com.p, element.com.p)
    return [*force, *matvec(transposed(element.R), plus(local, cross(lever, force)))]
