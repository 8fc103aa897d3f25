"""What all mass elements do under given accelerations: their own, and the balance of power.

    twd = J ud + jb,   dT/dt = tw . Fb + u . (Q + Fc) + j0 . (Mb twd + gb - Fb)

tw = J u + j0; the last term is the work of a rheonomic placement. dT/dt comes from the kinetic
energy, the inertia wrenches Mb twd + gb from the balances of the elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.build import add
from mbx.expr.linear import NotAffineError, split
from mbx.expr.matrix import matvec
from mbx.formalism.builder import Program
from mbx.formalism.execute import run
from mbx.mechanics import balance, energy, invariants, loads, motion, reactions
from mbx.verify.guard import attempt

if TYPE_CHECKING:
    from mbx.assembly.manifold import Manifold, Points
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array
    from mbx.mechanics.motion import Moving
    from mbx.system.system import System
    from mbx.verify.guard import Clock

__all__ = ["AXES", "Kinetics", "kinetics_of", "kinetics_program"]

AXES: Final = ("alpha.x", "alpha.y", "alpha.z", "a.x", "a.y", "a.z")
"""Components of the acceleration of a mass element: angular, and of its mass centre."""
_ORDER: Final = 2


def _accelerations(moving: Moving) -> list[Node]:
    """Return alpha and a in ground components; alpha in its own where it has no frame."""
    frame = moving.element.frame
    alpha = moving.wd if frame is None else matvec(frame.R, moving.wd)
    return [*alpha, *moving.a]


def kinetics_program(system: System) -> Equations:
    """Return accelerations, velocities, wrenches and energy of all elements as a program.

    Raises `NotAffineError` where a load is not affine in accelerations.
    """
    moving = motion.in_speeds(system)
    labels = [f"{m.path}.{axis}" for m in moving.elements for axis in AXES]
    speeds = [s.path for s in moving.speeds]
    program = Program()

    def affine(name: str, rows: list[Node]) -> None:
        slopes, rest = split(rows, moving.ud)
        program.define(name, slopes, rows=labels if len(rows) > 1 else (), columns=speeds)
        program.column(f"{name}0", rest)

    affine("J", [x for m in moving.elements for x in _accelerations(m)])
    # twists and wrenches are in the same components: v in the ground's, w in the element's
    wrenches = [balance.inertia_wrench(m) for m in moving.elements]
    program.column("tw", [x for m in moving.elements for x in (*m.v, *m.w)])
    affine("K", [x for m in moving.elements for x in (*m.a, *m.wd)])
    affine("W", [x for force, torque in wrenches for x in (*force, *torque)])
    affine("F", [x for force, torque in loads.wrenches(moving) for x in (*force, *torque)])
    generalized = zip(loads.generalized(moving), loads.non_ideal(moving), strict=True)
    affine("Q", [add(*terms) for terms in generalized])
    affine("T", moving.rate([energy.kinetic(moving)]))
    program.column("p", [x for m in moving.elements if m.element.placed for x in m.element.com.p])
    return program.equations(system, "kinetics", "Kinetics", "", {"J": "J"})


def _balanced(system: System) -> bool:
    """Return whether power can be balanced: no `effective` rows, no loads that name reactions."""
    moving = motion.in_speeds(system)
    rows = [x for pair in loads.wrenches(moving) for v in pair for x in v]
    rows += [*loads.generalized(moving), *loads.non_ideal(moving)]
    return not system.effective and not reactions.named_in(invariants.levels(moving), rows)


@dataclass(frozen=True, slots=True, eq=False)
class Kinetics:
    """The program's matrices at N states, and whether power can be balanced."""

    paths: tuple[str, ...]
    matrices: dict[str, Array]
    u: Array
    balanced: bool

    @property
    def labels(self) -> tuple[str, ...]:
        """Element and component of each row of accelerations."""
        return tuple(f"{path}.{axis}" for path in self.paths for axis in AXES)

    def accelerations(self, ud: Array) -> tuple[Array, Array]:
        """Return the accelerations of the elements (N, 6 E), and the magnitudes of their terms."""
        return self._affine("J", ud)

    def power(self, ud: Array, Fc: Array) -> tuple[Array, Array]:
        """Return what is missing in the balance of power (N,), and the magnitude of its terms."""
        Td, size_T = (x[:, 0] for x in self._affine("T", ud))
        W, size_W = self._affine("W", ud)
        F, size_F = self._affine("F", ud)
        Q, size_Q = self._affine("Q", ud)
        tw = self.matrices["tw"][:, :, 0]
        j0 = tw - (self.matrices["K"] @ self.u[:, :, None])[:, :, 0]
        rate = (tw * F).sum(axis=1) + (self.u * (Q + Fc)).sum(axis=1) + (j0 * (W - F)).sum(axis=1)
        size = (np.abs(tw) * size_F).sum(axis=1)
        size += (np.abs(self.u) * (size_Q + np.abs(Fc))).sum(axis=1)
        size += (np.abs(j0) * (size_W + size_F)).sum(axis=1)
        return np.abs(Td - rate), size_T + size

    def wrenches(self, name: str, ud: Array) -> Array:
        """Return the wrenches of inertia, W, or of loads, F, on the elements, (N, 6 E)."""
        return self._affine(name, ud)[0]

    def loads(self, ud: Array) -> tuple[Array, Array]:
        """Return the sums of the magnitudes of all forces and of all torques on elements (N,)."""
        size = self._affine("W", ud)[1] + self._affine("F", ud)[1]
        kinds = size.reshape(len(size), -1, 2, 3).sum(axis=(1, 3))
        return kinds[:, 0], kinds[:, 1]

    @property
    def reach(self) -> Array:
        """The largest distance of a mass centre from the origin (N,), or 1 m."""
        return np.asarray(np.abs(self.matrices["p"]).max(axis=(1, 2), initial=1.0))

    def _affine(self, name: str, ud: Array) -> tuple[Array, Array]:
        slope, rest = self.matrices[name], self.matrices[f"{name}0"]
        x = ud[:, :, None]
        value: Array = slope @ x + rest
        size: Array = np.abs(slope) @ np.abs(x) + np.abs(rest)
        return value[:, :, 0], size[:, :, 0]


def kinetics_of(manifold: Manifold, points: Points, clock: Clock) -> Kinetics | None:
    """Return the kinetics at some states; None where mechanics cannot say them."""
    system = manifold.system
    if system.order > _ORDER or not len(points):
        return None

    def work() -> Kinetics | None:
        try:
            equations = kinetics_program(system)
        except NotAffineError:
            return None
        outcome = run(equations, manifold.values.at(equations, points))
        found = {step.name: np.asarray(outcome.matrix(step.name)) for step in equations.steps}
        paths = tuple(e.path for e in system.elements)
        return Kinetics(paths, found, points.u, _balanced(system))

    found = attempt(work, clock.left)
    return found if isinstance(found, Kinetics) else None
