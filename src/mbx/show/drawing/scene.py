"""What is drawn of a model at a state, in ground coordinates and SI units."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.expr.build import Vector
    from mbx.expr.nodes import Node
    from mbx.show.drawing.marks.label_text import Label
    from mbx.show.drawing.solids import Solid

__all__ = ["Array", "Body", "Joint", "Line", "Mark", "Measure", "Scene", "Track", "unit"]

Array: TypeAlias = "NDArray[np.float64]"
_TINY = 1e-12


def unit(v: Array) -> Array:
    """Return the direction of a vector; zero of a zero vector."""
    size = float(np.linalg.norm(v))
    return v / size if size > _TINY else np.zeros(3)


@dataclass(slots=True)
class Body:
    """A body or a particle that has a position.

    Attributes:
        path: Its name as the whole model sees it.
        kind: body or particle.
        com: Its mass centre.
        origin: Its origin.
        R: Its axes, as columns; None of a particle.
        m: Its mass; None if it has none that is known.
        inertia: About the mass centre, in its own axes; None if unspecified.
        about: Which of its axes the only known moment is about; None where all are known.
        points: Where joints, lines and named points are on it.
        shapes: Its shapes by the hints of the model.
        centred: Whether its mass centre is known; that of a body known by its twist is not.
    """

    path: str
    kind: str
    com: Array
    origin: Array
    R: Array | None = None
    m: float | None = None
    inertia: Array | None = None
    about: int | None = None
    points: list[Array] = field(default_factory=list)
    shapes: list[Solid] = field(default_factory=list)
    centred: bool = True


@dataclass(frozen=True, slots=True)
class Measure:
    """A motion of a joint that a variable describes: its label and its value."""

    label: Label
    value: float
    symbol: Node | None = None


@dataclass(slots=True)
class Joint:
    """A joint between two bodies, None for the ground, "" for a frame that no body carries.

    Attributes:
        path: Its name.
        kind: Its kind, as in the language.
        first: The body on the first side.
        second: The body on the second side.
        F: Axes of the first side, as columns.
        p: Origin of the first side.
        M: Axes of the second side.
        q: Origin of the second side.
        axis: Its axis in ground components, where it has one.
        axis2: Its second axis.
        measures: Variables that are its motions, by the name of the argument.
        closes: Whether it closes a loop.
        along: The direction of a `general` joint that slides along a line.
        turns: The axis of a `general` joint that turns about an axis.
    """

    path: str
    kind: str
    first: str | None
    second: str | None
    F: Array
    p: Array
    M: Array
    q: Array
    axis: Array | None = None
    axis2: Array | None = None
    measures: dict[str, Measure] = field(default_factory=dict)
    closes: bool = False
    along: Array | None = None
    turns: Array | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """An element between two points; `stands` is whether each end is on the ground."""

    kind: Literal["spring", "damper", "rod", "slot"]
    a: Array
    b: Array
    stands: tuple[bool, bool] = (False, False)


@dataclass(frozen=True, slots=True)
class Track:
    """The curve on which a joint moves, fixed to a body, or to the ground."""

    on: str | None
    points: Array


@dataclass(frozen=True, slots=True)
class Mark:
    """A named point or frame; a frame has axes."""

    name: str
    p: Array
    R: Array | None = None


@dataclass(slots=True)
class Scene:
    """All that is seen.

    `pins` are positions where points of bodies meet by invariants alone, each with whether it is on
    the ground; `carried` are particles that are fixed to bodies, `spots` the only points of bodies
    that are otherwise known by their twists, `placeless` the elements of which only a
    velocity is known; `normal` is the normal of the plane of all motion, if there is such a plane.
    """

    title: str
    name: str
    bodies: dict[str, Body] = field(default_factory=dict)
    joints: list[Joint] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    pins: list[tuple[Array, bool]] = field(default_factory=list)
    shapes: list[Solid] = field(default_factory=list)
    carried: set[str] = field(default_factory=set)
    spots: dict[str, Vector] = field(default_factory=dict)
    gravity: Array | None = None
    normal: Array | None = None
    placeless: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    hidden: frozenset[str] = frozenset()
