"""The inertial parameters of each mass element, and the wrench of each of them alone.

A rigid body has ten, about its own origin and in its own axes: its mass, its first moments and
its inertia. The equations of Newton and Euler are linear in them:

    f = m a + (wd x + w x w x) h,    n = h x a + I wd + w x I w,

with the acceleration a of the origin against free fall (C. G. Atkeson, C. H. An, J. M. Hollerbach,
Int. J. Robotics Research 5(3), 1986, 101-119). A particle has its mass alone. A body of which
only the twist is known has its mass and its inertia about the mass centre.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.expr.build import (
    NULL,
    add,
    cross,
    dot,
    matvec,
    minus,
    mul,
    neg,
    plus,
    settled,
    sub,
    times,
    transposed,
)
from mbx.expr.derivatives import jacobian
from mbx.expr.nodes import ONE, ZERO
from mbx.system.kinematics.frames import GROUND, twice
from mbx.system.kinematics.relative import components

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.expr.build import Matrix, Vector
    from mbx.expr.nodes import Node
    from mbx.mechanics.motion import Motion, Moving
    from mbx.system.kinematics.frames import Frame

__all__ = ["InertialParameter", "inertial_parameters"]

_LETTERS: Final = "xyz"
_PRODUCTS: Final = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_UNITS: Final[tuple[Vector, ...]] = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


@dataclass(frozen=True, slots=True)
class InertialParameter:
    """An inertial parameter of a mass element.

    Attributes:
        path: Its name: that of the element and `.m`, `.mx`, `.Ixx` and so on.
        moment: 0 for a mass, 1 for a first moment, 2 for an entry of an inertia.
        meaning: What it is, in a few words.
        value: Its value in the parameters of the model.
        forces: The generalized forces that the motion takes where it is one, and all others zero.
    """

    path: str
    moment: int
    meaning: str
    value: Node
    forces: tuple[Node, ...]

    @property
    def unit(self) -> str:
        """Its SI unit."""
        return ("kg", "kg*m", "kg*m^2")[self.moment]

    @property
    def latex(self) -> str:
        """Its letter in LaTeX."""
        letter, axes = (text := self.path.rpartition(".")[2])[0], text[1:]
        return f"{letter}_{{{axes}}}" if axes else letter

    @property
    def counts(self) -> bool:
        """Whether any motion takes a force because of it."""
        return any(x is not ZERO for x in self.forces)


def inertial_parameters(motion: Motion) -> list[InertialParameter]:
    """Return the inertial parameters of a motion; they are constant in a sound model."""
    return [one for moving in motion.elements for one in _of_element(motion, moving)]


def _of_element(motion: Motion, moving: Moving) -> Iterator[InertialParameter]:
    element = moving.element
    about_centre = element.frame is None or element.m is None or not moving.turns
    if not about_centre and element.frame is not None:
        yield from _of_body(motion, moving, element.frame)
        return
    if element.m is not None:
        weight = _express(motion, element.gravity) if element.gravity else NULL
        slopes = jacobian(list(moving.v), motion.u)
        force = minus(moving.a, weight)
        forces = [dot(force, column) for column in zip(*slopes, strict=True)]
        yield InertialParameter(f"{moving.path}.m", 0, "mass", moving.m, tuple(forces))
    if moving.turns:
        turning = _columns(motion, moving.w)
        for i, j in _PRODUCTS:
            torque = _torque_of_inertia(i, j, moving.w, moving.wd)
            forces = [dot(torque, wr) for wr in turning]
            yield _inertia(moving, i, j, moving.inertia[i][j], "about its mass centre", forces)


def _inertia(
    moving: Moving, i: int, j: int, value: Node, where: str, forces: list[Node]
) -> InertialParameter:
    axes = _LETTERS[i] + _LETTERS[j]
    path = f"{moving.path}.I{axes}"
    return InertialParameter(path, 2, f"inertia {where}, {axes}", value, tuple(forces))


def _of_body(motion: Motion, moving: Moving, frame: Frame) -> Iterator[InertialParameter]:
    """Yield the ten parameters of a body about its origin."""
    v, a = _origin(motion, frame, moving.element.gravity)
    w, wd = moving.w, moving.wd
    c = components(moving.element.com, frame)
    sliding, turning = _columns(motion, v), _columns(motion, w)

    def forces(force: Vector, torque: Vector) -> list[Node]:
        pairs = zip(sliding, turning, strict=True)
        return [add(dot(force, vr), dot(torque, wr)) for vr, wr in pairs]

    path, m = moving.path, moving.m
    yield InertialParameter(f"{path}.m", 0, "mass", m, tuple(forces(a, NULL)))
    for k, e in enumerate(_UNITS):
        turned = plus(cross(wd, e), cross(w, cross(w, e)))
        yield InertialParameter(
            f"{path}.m{_LETTERS[k]}",
            1,
            f"mass by {_LETTERS[k]} of its centre",
            mul(m, c[k]),
            tuple(forces(turned, cross(e, a))),
        )
    square = dot(c, c)
    for i, j in _PRODUCTS:
        # I_o = I + m (c.c 1 - c c^T)
        moved = sub(square if i == j else ZERO, mul(c[i], c[j]))
        value = add(moving.inertia[i][j], mul(m, moved))
        torque = _torque_of_inertia(i, j, w, wd)
        yield _inertia(moving, i, j, value, "about its origin", forces(NULL, torque))


def _torque_of_inertia(i: int, j: int, w: Vector, wd: Vector) -> Vector:
    """Return E wd + w x E w, where the entries i, j and j, i of E are one."""
    return plus(_entry_by(i, j, wd), cross(w, _entry_by(i, j, w)))


def _entry_by(i: int, j: int, x: Vector) -> Vector:
    if i == j:
        return times(x[i], _UNITS[i])
    return plus(times(x[j], _UNITS[i]), times(x[i], _UNITS[j]))


def _columns(motion: Motion, v: Vector) -> list[Vector]:
    """Return the partial velocities by each speed."""
    rows = jacobian(list(v), motion.u)
    return [(x, y, z) for x, y, z in zip(*rows, strict=True)]


def _origin(motion: Motion, frame: Frame, gravity: Vector | None) -> tuple[Vector, Vector]:
    """Return the velocity of a frame's origin, and its acceleration less that of gravity.

    Both are in the components of the frame, from frame to frame as they carry each other, so that
    nothing has to be turned to the ground and back.
    """
    rate = motion.system.rates
    chain: list[Frame] = []
    walked: Frame | None = frame
    while walked is not None and walked is not GROUND:
        chain.append(walked)
        walked = walked.parent
    w, wd, v = NULL, NULL, NULL
    a: Vector = NULL if gravity is None else _negative(gravity)
    for each in reversed(chain):
        step = components(each.origin, each.parent or GROUND)
        if step is not NULL:
            first: Vector = settled(tuple(rate(step)))  # type: ignore[arg-type]
            second: Vector = settled(tuple(rate(first)))  # type: ignore[arg-type]
            v = plus(v, cross(w, step), first)
            inward = cross(w, cross(w, step))
            a = plus(a, cross(wd, step), inward, twice(cross(w, first)), second)
        back: Matrix = transposed(each.rotation.R)
        v, a, w = matvec(back, v), matvec(back, a), matvec(back, w)
        wd = plus(matvec(back, wd), cross(w, each.rotation.w), each.rotation.wd)
        w = plus(w, each.rotation.w)
    return _express(motion, v), _express(motion, a)


def _negative(v: Vector) -> Vector:
    return (neg(v[0]), neg(v[1]), neg(v[2]))


def _express(motion: Motion, v: Vector) -> Vector:
    x, y, z = motion.express(v)
    return (x, y, z)
