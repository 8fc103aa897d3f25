"""The bodies of a model as a page shows them: names, axes, velocities, accelerations, moments.

Vectors have the components in which they are shortest: of the ground, of the body, or of a frame on
the way to it. In a plane they have two components, and what turns is a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.shorten import cost, shortened, written
from mbx.expr.build import UNIT, add, matmul, matvec, mul, neg, sub, transposed
from mbx.expr.evaluate import free_symbols, substitute
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.mechanics.balance import inertia_wrench

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.expr.build import Matrix, Vector
    from mbx.mechanics.motion import Motion, Moving
    from mbx.system.kinematics.frames import Frame

__all__ = ["Axes", "Body", "Plane", "bodies_of", "find_plane", "tidy"]

_AXES: Final = ("x", "y", "z")
_SHOWN: Final = 150
"""Operations of what is still shortened."""
_PRINTED: Final = 1500
"""Likewise, each operation as often as it is printed."""
_TRIED: Final = 400
"""Operations of a vector that is written in several axes to find the shortest."""
_KEPT: Final = 5000
"""Expressions of which the short form is remembered."""


def tidy(nodes: Iterable[Node]) -> list[Node]:
    """Return expressions in the shortest form that is found; long ones as they are."""
    return [_tidied(node) for node in nodes]


@lru_cache(maxsize=_KEPT)
def _tidied(node: Node) -> Node:
    if not node.args or cost([node]) > _SHOWN or written([node]) > _PRINTED:
        return node
    return shortened([node])[0]


@dataclass(frozen=True, slots=True)
class Plane:
    """The plane in which everything moves: the axes of the ground in it, and the one across.

    They are right-handed, so that what turns about the one across turns the first to the second.
    """

    first: int
    second: int
    normal: int

    @property
    def words(self) -> str:
        """The plane in words: `z = 0`."""
        return f"{_AXES[self.normal]} = 0"


def find_plane(motion: Motion) -> Plane | None:
    """Return the plane of the ground in which all bodies move, if there is one."""
    if not motion.elements:
        return None
    moving = [k for k in range(3) if any(m.v[k] is not ZERO for m in motion.elements)]
    turning = {
        k
        for m in motion.elements
        for k in range(3)
        if m.turns and m.element.frame is not None and m.element.w[k] is not ZERO
    }
    if any(m.turns and m.element.frame is None for m in motion.elements):
        return None
    for normal in (2, 1, 0):
        if normal not in moving and turning <= {normal}:
            return Plane((normal + 1) % 3, (normal + 2) % 3, normal)
    return None


@dataclass(frozen=True, slots=True)
class Axes:
    """Axes in which vectors are written, R_WA; None of the ground.

    `words` is what people call them.
    """

    words: str
    R: Matrix | None

    def components(self, v: Vector) -> Vector:
        """Return the components of a vector that has those of the ground."""
        return v if self.R is None else matvec(transposed(self.R), v)


_GROUND: Final = Axes("ground", None)


@dataclass(eq=False)
class Body:
    """A mass element on a page."""

    moving: Moving
    word: str
    plane: Plane | None
    axes: Axes
    turning_axes: Axes
    inserted: Mapping[Node, Node]

    @property
    def m(self) -> Node:
        """Its mass."""
        return self.moving.m

    @property
    def turns(self) -> bool:
        """Whether its rotation has inertia."""
        return self.moving.turns and any(x is not ZERO for row in self.moving.inertia for x in row)

    @cached_property
    def v(self) -> tuple[Node, ...]:
        """Components of the velocity of its mass centre."""
        return self._shown(self.axes, self._insert(self.moving.v))

    @cached_property
    def a(self) -> tuple[Node, ...]:
        """Components of the acceleration of its mass centre, in the axes of `v`."""
        return self._shown(self.axes, self._insert(self.moving.a))

    @cached_property
    def w(self) -> tuple[Node, ...]:
        """Components of its angular velocity; one in a plane."""
        return self._turning(self.w_ground, self.moving.w)

    def shown(self, v: Vector) -> tuple[Node, ...]:
        """Return the components of a vector in the axes of `v`."""
        return self._shown(self.axes, self._insert(v))

    def relative(self, v: Sequence[Node], other: Sequence[Node] | None) -> tuple[Node, ...]:
        """Return the components of a vector minus another one, in short form."""
        if other is None or all(x is ZERO for x in other):
            return tuple(v)
        return tuple(tidy([sub(x, y) for x, y in zip(v, other, strict=True)]))

    def turned(self, local: Vector) -> tuple[Node, ...]:
        """Return components in the axes of `w` of a vector in the axes of the body."""
        return self._turning(self._in_ground(local), local)

    @cached_property
    def alpha(self) -> tuple[Node, ...]:
        """Components of its angular acceleration, in the axes of `w`."""
        if self.is_isotropic and self.turning_axes.R is None:
            a, b, c = self.moving.motion.rate(self.w_ground)
            return self._turning((a, b, c), None)
        return self._turning(self._in_ground(self.moving.wd), self.moving.wd)

    @cached_property
    def moment(self) -> tuple[Node, ...]:
        """Components of the rate of its angular momentum about the mass centre."""
        if self.is_isotropic:
            rates = tidy(self.moving.motion.rate(self.w_ground))
            a, b, c = (mul(self.moving.inertia[0][0], x) for x in rates)
            return self._turning((a, b, c), None)
        local = inertia_wrench(self.moving)[1]
        return self._turning(self._in_ground(local), local)

    @cached_property
    def w_ground(self) -> Vector:
        """Components of its angular velocity in the ground, before others are put in."""
        frame = self.moving.element.frame
        if frame is None:
            return self.moving.w
        a, b, c = self.moving.motion.express(frame.w)
        return (a, b, c)

    def axes_rate(self, axes: Axes) -> tuple[Node, ...]:
        """Return the components of the angular velocity of axes of the body, in these."""
        if axes.R is None:
            return (ZERO,) if self.plane is not None else (ZERO, ZERO, ZERO)
        frame = next(f for f in _chain(self.moving.element.frame) if f.R is axes.R)
        a, b, c = self.moving.motion.express(frame.w)
        if self.plane is not None:
            return tuple(tidy([self._insert((a, b, c))[self.plane.normal]]))
        return tuple(tidy(axes.components(self._insert((a, b, c)))))

    @cached_property
    def momentum(self) -> tuple[Node, ...]:
        """Components of its angular momentum about the mass centre, in the axes of `w`."""
        rows = [add(*(mul(x, w) for x, w in zip(row, self.w, strict=True))) for row in self.inertia]
        return tuple(tidy(rows))

    @property
    def is_isotropic(self) -> bool:
        """Whether its inertia is the same about all axes."""
        return _is_isotropic(self.moving)

    def _insert(self, v: Vector) -> Vector:
        """Return a vector with the dependent speeds that are put in replaced."""
        if not self.inserted:
            return v
        a, b, c = substitute(v, self.inserted)
        return (a, b, c)

    @property
    def inertia(self) -> Matrix:
        """Its inertia about the mass centre; the axes of `w` are chosen so that it is the same."""
        return self.moving.inertia

    @cached_property
    def J(self) -> Node:  # noqa: N802  the letter of every text
        """Its moment of inertia about the normal of the plane."""
        assert self.plane is not None  # noqa: S101  asked for in a plane only
        n = self.normal_in_body
        rows = matvec(self.moving.inertia, n)
        return tidy([add(*(mul(a, b) for a, b in zip(n, rows, strict=True)))])[0]

    @cached_property
    def normal_in_body(self) -> Vector:
        """The normal of the plane in the axes of the body."""
        assert self.plane is not None  # noqa: S101  asked for in a plane only
        R = self.moving.element.R
        a, b, c = tidy(R[self.plane.normal])
        return (a, b, c)

    def _in_ground(self, local: Vector) -> Vector:
        """Return components in the ground of a vector in the axes of the body."""
        frame = self.moving.element.frame
        return local if frame is None else matvec(frame.R, local)

    def _turning(self, ground: Vector, local: Vector | None) -> tuple[Node, ...]:
        """Return components in the axes of what turns, given those in the ground and the body."""
        if self.plane is not None:
            return tuple(tidy([self._insert(ground)[self.plane.normal]]))
        frame = self.moving.element.frame
        if frame is None:
            return tuple(tidy(self._insert(local or ground)))
        if local is not None and self.turning_axes.R is frame.R:
            return tuple(tidy(self._insert(local)))
        return tuple(tidy(self.turning_axes.components(self._insert(ground))))

    def _shown(self, axes: Axes, v: Vector) -> tuple[Node, ...]:
        components = tidy(axes.components(v))
        if self.plane is None:
            return tuple(components)
        return _in_plane(components, axes, self.plane)


def _in_plane(components: Sequence[Node], axes: Axes, plane: Plane) -> tuple[Node, ...]:
    """Return the two components that are not across the plane."""
    if axes.R is None:
        return components[plane.first], components[plane.second]
    k = _across(axes, plane)
    return components[(k + 1) % 3], components[(k + 2) % 3]


def _across(axes: Axes, plane: Plane) -> int:
    assert axes.R is not None  # noqa: S101  not of the ground
    row = axes.R[plane.normal]
    return next(k for k in range(3) if row[k] in (ONE, neg(ONE)))


def bodies_of(motion: Motion, inserted: Mapping[Node, Node] | None = None) -> list[Body]:
    """Return the mass elements of a motion with their names and axes.

    Args:
        motion: The motion.
        inserted: Dependent speeds, and their rates, that are put in wherever they stand.
    """
    known = inserted or {}
    plane = find_plane(motion)
    words = _words([m.path for m in motion.elements])
    bodies: list[Body] = []
    for moving, word in zip(motion.elements, words, strict=True):
        candidates = list(_candidates(moving, word, plane))
        axes = _choose(candidates, _put(moving.v, known))
        turning = _GROUND
        frame = moving.element.frame
        if plane is None and moving.turns and frame is not None:
            turning = _turning_axes(moving, candidates, known)
        bodies.append(Body(moving, word, plane, axes, turning, known))
    return bodies


def _turning_axes(moving: Moving, candidates: Sequence[Axes], known: Mapping[Node, Node]) -> Axes:
    """Return the axes with a constant inertia in which the angular velocity is shortest."""
    frame = moving.element.frame
    assert frame is not None  # noqa: S101  asked for with a frame only
    a, b, c = moving.motion.express(frame.w)
    if _is_isotropic(moving) and written((a, b, c)) <= written(moving.w):
        return _GROUND
    symmetric = [each for each in candidates if _keeps_inertia(moving, each)]
    if not symmetric:
        return _GROUND
    return _choose(symmetric, _put(matvec(frame.R, moving.w), known))


def _is_isotropic(moving: Moving) -> bool:
    inertia = moving.inertia
    same = inertia[0][0]
    return all(
        x is (same if i == j else ZERO) for i, row in enumerate(inertia) for j, x in enumerate(row)
    )


def _put(v: Vector, known: Mapping[Node, Node]) -> Vector:
    a, b, c = substitute(v, known) if known else v
    return (a, b, c)


def _words(paths: Sequence[str]) -> list[str]:
    """Return the last part of each name where that is enough, else the whole name."""
    short = [path.rpartition(".")[2] for path in paths]
    return [s if short.count(s) == 1 else p for s, p in zip(short, paths, strict=True)]


def _candidates(moving: Moving, word: str, plane: Plane | None) -> Iterator[Axes]:
    yield _GROUND
    if moving.element.frame is None:
        return
    seen = [_GROUND.R]
    for k, frame in enumerate(_chain(moving.element.frame)):
        if any(frame.R is R for R in seen) or _is_unit(frame.R):
            continue
        seen.append(frame.R)
        if plane is not None and all(x not in (ONE, neg(ONE)) for x in frame.R[plane.normal]):
            continue
        symbols = set(free_symbols([*_entries(frame.R)]))
        order = [v.symbol for v in moving.motion.system.q if v.symbol in symbols]
        angles = ", ".join(str(s.value) for s in order)
        yield Axes(word if k == 0 else f"{word}, turned by {angles} only", frame.R)


def _chain(frame: Frame | None) -> Iterator[Frame]:
    while frame is not None:
        yield frame
        frame = frame.parent


def _entries(R: Matrix) -> Iterator[Node]:
    for row in R:
        yield from row


def _is_unit(R: Matrix) -> bool:
    return all(x is (ONE if i == j else ZERO) for i, row in enumerate(R) for j, x in enumerate(row))


def _choose(candidates: Sequence[Axes], v: Vector) -> Axes:
    """Return the axes in which a vector is shortest; the first of several."""
    if len(candidates) == 1:
        return candidates[0]
    if written(v) > _TRIED:
        return candidates[0]
    sizes = [cost(tidy(each.components(v))) for each in candidates]
    return candidates[sizes.index(min(sizes))]


def _keeps_inertia(moving: Moving, axes: Axes) -> bool:
    """Return whether a body has a constant inertia in some axes: its own, or those of symmetry."""
    frame = moving.element.frame
    if frame is None or axes.R is None:
        return False
    if axes.R is frame.R:
        return True
    if len({moving.inertia[k][k] for k in range(3)}) == len(_AXES):
        return False  # no axis of symmetry that is an axis of the body
    relative = UNIT
    for each in _chain(frame):
        if each.R is axes.R:
            break
        relative = matmul(each.rotation.R, relative)
    entries = [x for row in relative for x in row]
    if written(entries) > _TRIED:
        return False
    turned = _turned(moving.inertia, relative)
    kept = tidy([x for row in moving.inertia for x in row])
    return [x for row in turned for x in row] == kept


def _turned(inertia: Matrix, R: Matrix) -> list[list[Node]]:
    entries = [
        add(*(mul(R[i][k], inertia[k][n], R[j][n]) for k in range(3) for n in range(3)))
        for i in range(3)
        for j in range(3)
    ]
    flat = tidy(entries)
    return [flat[3 * i : 3 * i + 3] for i in range(3)]
