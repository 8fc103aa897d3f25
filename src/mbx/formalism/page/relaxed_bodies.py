"""Accelerations of bodies in quasi-velocities: by components, or as rates where these are long.

A long acceleration is a = dv/dt + W x v in axes that turn with W, and what turns has the rates of
the components of w in the axes of the body. A page differentiates these by the accelerations, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.shorten import written
from mbx.expr.build import neg
from mbx.expr.nodes import SYMBOL, ZERO, Node
from mbx.formalism.page.bodies import Axes
from mbx.formalism.page.page import Literal, Side
from mbx.formalism.page.page_builder import opposite
from mbx.formalism.page.page_sections import BodyNames, is_nothing, rate_side, write_inertia_torque
from mbx.formalism.page.turning import Stated, state_components, state_vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.page.bodies import Body
    from mbx.formalism.page.page_builder import PageBuilder
    from mbx.formalism.page.quasi_velocities import QuasiVelocities

__all__ = ["RelaxedBodies"]

_ACCELERATION: Final = 2
"""How much longer than an entry a vector by its components may be."""
_RAW: Final = 1500
"""Operations of an acceleration whose components are looked at."""
_VELOCITY: Final = 500
"""Operations of a velocity that is still written."""


@dataclass(slots=True)
class RelaxedBodies:
    """The mass elements of a page, with and without constraint functions in their velocities."""

    page: PageBuilder
    quasi: QuasiVelocities
    bodies: list[Body] = field(init=False)
    relaxed: dict[Body, Body] = field(init=False)

    def __post_init__(self) -> None:
        """Take the bodies in the quasi-velocities."""
        relaxed = self.quasi.take_bodies(is_relaxed=True)
        self.bodies = self.quasi.take_bodies(is_relaxed=False)
        self.relaxed = dict(zip(self.bodies, relaxed, strict=True))

    def moved(self) -> list[Body]:
        """Return the bodies whose mass is moved."""
        return [b for b in self.bodies if b.m is not ZERO and not is_nothing(b.moving.v)]

    def turned(self) -> list[Body]:
        """Return the bodies whose inertia is turned."""
        return [b for b in self.bodies if b.turns and not is_nothing(b.moving.w)]

    def accelerations(
        self,
        letter: str,
        free: dict[Body, tuple[Node, ...]] | None = None,
        *,
        is_constrained: bool = False,
    ) -> dict[Body, Stated]:
        """Write the acceleration of each mass, minus what it would be without constraints.

        Args:
            letter: What it is called.
            free: What is subtracted, by its components.
            is_constrained: Whether the constraint functions, and their rates, are zero.
        """
        found: list[Stated] = []
        for b in self.moved():
            rest = (free or {}).get(b)
            components = None if self._is_long(b.moving.a) else b.relative(b.a, rest)
            if components is not None:
                short = self.quasi.constrain if is_constrained else self.quasi.model.tidy
                components = tuple(short(components))
            if components is not None and is_nothing(components):
                continue
            if components is not None and _fits(self.quasi, components):
                found.append(state_vector(self.page, letter, b, components, found))
                continue
            own = b if is_constrained else self.relaxed[b]
            v = self.quasi.model.tidy(own.v)
            self._refuse(v)
            names = BodyNames(own)
            names.v = self.page.name("v", b.word, is_vector=True)
            self.page.equal(names.v, tuple(v))
            side = rate_side(self.page, names, names.v)
            if rest is not None and not is_nothing(rest):
                side = Side((*side.parts, *opposite(Side((Literal(rest),))).parts))
            name = self.page.name(letter, b.word, is_vector=True)
            self.page.equal(name, side)
            found.append(Stated(b, name, ()))
        return {each.body: each for each in found}

    def rotations(self, b: Body, *, is_indexed: bool) -> tuple[Body, Sequence[Node], list[Node]]:
        """Return a body with its angular velocity and acceleration, by names or components.

        Where the latter is long, it is the rate of the former in the axes of the body.
        """
        if len(b.w) == 1:
            return b, b.w, list(b.alpha)
        if not self._is_long(b.moving.wd) and _fits(self.quasi, b.alpha):
            w = state_components(self.page, "w", b, b.w, is_indexed=is_indexed)
            return b, w, list(b.alpha)
        turned = _in_own_axes(self.relaxed[b])
        self._refuse(turned.w)
        w = state_components(self.page, "w", turned, turned.w, is_indexed=is_indexed, is_named=True)
        return turned, w, [ZERO if x is ZERO else self.page.rate(x) for x in w]

    def inertia_torque(self, b: Body) -> Node | list[Node]:
        """Return minus the rate of an angular momentum: by its components, or the name if long."""
        if len(b.w) > 1 and self._is_long(b.moving.wd):
            self._refuse(b.w)
            names = BodyNames(b)
            write_inertia_torque(self.page, self.quasi.model, names)
            assert names.moment is not None  # noqa: S101  it was written
            return names.moment
        return self.quasi.constrain([neg(x) for x in b.moment])

    def _is_long(self, v: Sequence[Node]) -> bool:
        return not self.quasi.model.options.is_full and written(v) > _RAW

    def _refuse(self, v: Sequence[Node]) -> None:
        if not self.quasi.model.options.is_full and written(v) > _VELOCITY:
            raise TooLargeError("a velocity is too long to be read")


def _fits(quasi: QuasiVelocities, components: Sequence[Node]) -> bool:
    options = quasi.model.options
    if all(x.op is SYMBOL for x in components):
        return True
    return written(components) <= _ACCELERATION * options.entry


def _in_own_axes(b: Body) -> Body:
    """Return a body whose angular velocity has components in its own axes."""
    frame = b.moving.element.frame
    return b if frame is None else replace(b, turning_axes=Axes(b.word, frame.R))
