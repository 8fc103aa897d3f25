"""Momenta of the mass elements, in ground components, and their rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import NULL, cross, matvec, plus, times
from mbx.expr.derivatives import pullback
from mbx.expr.nodes import ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.expr.build import Vector
    from mbx.mechanics.motion import Motion, Moving

__all__ = ["momentum_rates", "project_rates"]


def _momenta(moving: Moving) -> tuple[Vector, Vector]:
    """Return m v in ground components, and the angular momentum about the mass centre.

    The latter has ground components where the element has a frame, else its own.
    """
    linear = NULL if moving.m is ZERO else times(moving.m, moving.v)
    if not moving.turns:
        return linear, NULL
    spin = matvec(moving.inertia, moving.w)
    return linear, spin if moving.element.frame is None else matvec(moving.element.R, spin)


def momentum_rates(motion: Motion) -> list[tuple[Vector, Vector]]:
    """Return how fast momenta change, seen from the ground, by differentiating them."""
    momenta = [_momenta(moving) for moving in motion.elements]
    # all at once: one walk over what the elements share
    rates = iter(motion.rate([x for pair in momenta for v in pair if v is not NULL for x in v]))
    wrenches: list[tuple[Vector, Vector]] = []
    for moving, (linear, spin) in zip(motion.elements, momenta, strict=True):
        force = NULL if linear is NULL else _vector(rates)
        torque = NULL if spin is NULL else _vector(rates)
        if spin is not NULL and moving.element.frame is None:
            # local components turn with the element
            torque = plus(torque, cross(moving.w, spin))
        wrenches.append((force, torque))
    return wrenches


def project_rates(motion: Motion, rates: list[tuple[Vector, Vector]]) -> list[Node]:
    """Return the generalized forces of momentum rates: partial velocities in the same frame."""
    outputs: list[Node] = []
    weights: list[Node] = []
    for moving, (force, torque) in zip(motion.elements, rates, strict=True):
        w = moving.w
        if moving.element.frame is not None and torque is not NULL:
            w = matvec(moving.element.R, w)
        for speeds, values in ((moving.v, force), (w, torque)):
            for speed, value in zip(speeds, values, strict=True):
                if speed is not ZERO and value is not ZERO:
                    outputs.append(speed)
                    weights.append(value)
    return pullback(outputs, weights, motion.u)


def _vector(nodes: Iterator[Node]) -> Vector:
    return (next(nodes), next(nodes), next(nodes))
