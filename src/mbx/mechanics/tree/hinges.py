"""What carries each mass element: hinges, before it is known which rates they have.

The joint that places an element names what carries it, or the frame that it is placed on. An
element placed from a frame of which another element is a rigid part hangs on that element.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.expr.build import NULL, UNIT, matmul, matvec, minus, settled, transposed
from mbx.expr.nodes import ZERO, Node
from mbx.system.kinematics.frames import GROUND, Frame
from mbx.system.kinematics.relative import Relative, components, relative

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.mechanics.motion import Motion, Moving

    Rate = Callable[[Sequence[Node]], list[Node]]

__all__ = ["Hinge", "hinges_of", "with_inertia"]

_NO_INERTIA: Final[Matrix] = (NULL, NULL, NULL)


@dataclass(frozen=True, slots=True)
class Hinge:
    """A hinge: where its link is against the one before it, and how it moves in the speeds.

    Attributes:
        path: The mass element; of one known by its twist, with `.v` or `.w` behind.
        moving: The mass element in motion.
        parent: Position of the hinge before it; None for the ground.
        R: Axes of the link in those of the parent.
        r: Its origin from the parent's, in components of the parent.
        twist: Its twist against the parent, local components.
        frame: Its frame; None where only a twist is known.
        m: Mass.
        c: Mass centre from the origin.
        J: Inertia about the mass centre.
    """

    path: str
    moving: Moving
    parent: int | None
    R: Matrix
    r: Vector
    twist: tuple[Node, ...]
    frame: Frame | None
    m: Node
    c: Vector
    J: Matrix


def hinges_of(motion: Motion) -> list[Hinge]:
    """Return a hinge for each mass element, two for one that is known by its twist."""
    index: dict[str, int] = {}
    frames: dict[str, Frame] = {}
    parts: dict[int, str] = {}
    rate = motion.system.rates
    hinges: list[Hinge] = []
    for moving in motion.elements:
        element = moving.element
        m, J = moving.m, moving.inertia
        if not element.placed:
            v, w = tuple(moving.v), tuple(moving.w)
            base = (moving, None, UNIT, NULL)
            hinges.append(Hinge(f"{moving.path}.v", *base, (*v, *NULL), None, m, NULL, _NO_INERTIA))
            if element.w_local is not None:
                hinges.append(Hinge(f"{moving.path}.w", *base, (*NULL, *w), None, ZERO, NULL, J))
            continue
        carrier = element.carrier if element.joint is None else element.joint.parent
        frame = element.frame
        if frame is None:  # a particle: it has no axes, and takes those of what carries it
            within = element.com.within
            frame = Frame(GROUND if within is None else within[0], element.com)
        if carrier is None or not _carries(frames[carrier], frame):
            carrier, seen = _nearest_carrier(frame, frames, parts, rate)
        else:
            seen = relative(frame, frames[carrier], rate)
        parts.setdefault(id(_rigid(frame, rate)), moving.path)
        c = NULL if element.frame is None else components(element.com, frame)
        index[moving.path], frames[moving.path] = len(hinges), frame
        parent = None if carrier is None else index[carrier]
        twist = tuple(motion.express([*seen.v, *seen.w]))
        hinges.append(
            Hinge(moving.path, moving, parent, seen.R, seen.r, twist, frame, m, settled(c), J)
        )
    return hinges


def with_inertia(hinges: list[Hinge]) -> tuple[list[Hinge], frozenset[str]]:
    """Return the hinges without those of leaves that have no inertia, and what these carry."""
    needed: set[int] = set()
    for k in reversed(range(len(hinges))):
        hinge = hinges[k]
        if k in needed or hinge.m is not ZERO or any(x is not ZERO for row in hinge.J for x in row):
            needed.add(k)
            if hinge.parent is not None:
                needed.add(hinge.parent)
    kept = sorted(needed)
    index = {old: new for new, old in enumerate(kept)}
    left = {hinge.moving.path for k, hinge in enumerate(hinges) if k not in needed}
    left -= {hinges[k].moving.path for k in kept}
    return [
        replace(hinges[k], parent=None if (up := hinges[k].parent) is None else index[up])
        for k in kept
    ], frozenset(left)


def _rigid(frame: Frame, rate: Rate) -> Frame:
    """Return the first of the frames before this one that it is a rigid part of, or itself."""
    while frame.parent is not None:
        step = components(frame.origin, frame.parent)
        if frame.rotation.w is not NULL or settled(_three(rate(step))) is not NULL:
            break
        frame = frame.parent
    return frame


def _nearest_carrier(
    frame: Frame, frames: dict[str, Frame], parts: dict[int, str], rate: Rate
) -> tuple[str | None, Relative]:
    """Return what an element hangs on that no joint and no frame of another places.

    That is the nearest element that is a rigid part of a frame before this one; else the ground.
    """
    walked: Frame | None = frame
    while walked is not None:
        root = _rigid(walked, rate)
        carrier = None if root is GROUND else parts.get(id(root))
        if carrier is not None:
            seen, base = relative(frame, root, rate), relative(frames[carrier], root, rate)
            back = transposed(base.R)
            R, r = matmul(back, seen.R), matvec(back, minus(seen.r, base.r))
            return carrier, Relative(R, settled(r), seen.v, seen.w)
        walked = root.parent
    return None, relative(frame, GROUND, rate)


def _three(nodes: Sequence[Node]) -> Vector:
    return (nodes[0], nodes[1], nodes[2])


def _carries(base: Frame, frame: Frame) -> bool:
    walked: Frame | None = frame
    while walked is not None and walked is not base:
        walked = walked.parent
    return walked is base
