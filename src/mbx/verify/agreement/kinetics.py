"""The mass elements under given accelerations: how they accelerate, and the balance of power.

    twd = J ud + jb,   dT/dt = tw . Fb + u . (Q + Fc) + j0 . (Mb twd + gb - Fb)

tw = J u + j0; the last term is the work of a rheonomic placement. dT/dt comes from the kinetic
energy, the inertia wrenches Mb twd + gb from the balances of the elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.guard import attempt
from mbx.expr.algebra.elimination import NotAffineError, split
from mbx.expr.build import add, matvec
from mbx.formalism.builder import Program
from mbx.mechanics import balance, energy, invariants, loads, motion, reactions
from mbx.numerics.execute.execute import run
from mbx.numerics.execute.stacked_algebra import EPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mbx.analyses.guard import Clock
    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Moving
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points
    from mbx.system.system import System

__all__ = ["AXES", "Kinetics", "accelerations", "kinetics_of", "kinetics_program"]

AXES: Final = ("alpha.x", "alpha.y", "alpha.z", "a.x", "a.y", "a.z")
"""Components of the acceleration of a mass element: angular, and of its mass centre."""
TURNED: Final = 16 * EPS
"""Part of a vector that products of a few rotations leave in an axis where it is zero."""
_ORDER: Final = 2


def accelerations(moving: Moving) -> list[Node]:
    """Return alpha and a in ground components; alpha in body components where it has no frame."""
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

    affine("J", [x for m in moving.elements for x in accelerations(m)])
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


def _connected(system: System, J: Array, A: Array) -> dict[str, NDArray[np.bool_]]:
    """Return which elements the reaction of each joint may depend on.

    Elements are connected by joints, by what carries them, and by speeds that move both or
    that an invariant relates.
    """
    from scipy.sparse import coo_array  # it takes long to load
    from scipy.sparse.csgraph import connected_components

    E, n = len(system.elements), len(system.u)
    index = {e.path: k for k, e in enumerate(system.elements)}
    holders = reactions.holders(motion.in_speeds(system))
    links = [(h.element, h.parent) for h in holders if h.parent is not None]
    sides = {r.joint: [index[s] for s in r.sides if s is not None] for r in system.rows if r.joint}
    links += [(a, b) for elements in sides.values() for a, b in pairwise(elements)]
    moves = (np.nan_to_num(J) != 0).any(axis=0).reshape(E, 6, n).any(axis=1)
    links += [(int(e), E + int(j)) for e, j in np.argwhere(moves)]
    rows = (np.nan_to_num(A) != 0).any(axis=0)
    links += [(E + n + int(i), E + int(j)) for i, j in np.argwhere(rows)]
    a, b = np.array(links, dtype=int).reshape(-1, 2).T
    size = E + n + len(rows)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(size, size))
    label = connected_components(graph, directed=False)[1][:E]
    connected = {h.path: label == label[h.element] for h in holders}
    return connected | {
        path: label == label[elements[0]] for path, elements in sides.items() if elements
    }


@dataclass(frozen=True, slots=True, eq=False)
class Kinetics:
    """The program's matrices at N states of E elements.

    Attributes:
        paths: The elements.
        matrices: By name.
        u: Speeds.
        balanced: Whether power can be balanced.
        placed: Which elements have a position, (E,).
        connected: For each reaction, by path, the elements that it may depend on, (E,).
    """

    paths: tuple[str, ...]
    matrices: dict[str, Array]
    u: Array
    balanced: bool
    placed: NDArray[np.bool_]
    connected: Mapping[str, NDArray[np.bool_]]

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

    def handled(self, ud: Array) -> Array:
        """Return the size of the forces that speeds may take from the elements, (N, n).

        Algorithms in space handle all components of a load, also those that no speed can take.
        """
        N, n = ud.shape
        size = self._affine("W", ud)[1] + self._affine("F", ud)[1]
        force, torque = np.moveaxis(size.reshape(N, -1, 2, 3).max(axis=3, initial=0.0), 2, 0)
        slope = np.abs(self.matrices["K"]).reshape(N, -1, 2, 3, n).max(axis=3, initial=0.0)
        reach = np.zeros_like(force)
        p = np.abs(self.matrices["p"]).reshape(N, -1, 3)
        reach[:, self.placed] = p.max(axis=2, initial=0.0)
        parts = (
            slope[:, :, 0] * force[..., None] + slope[:, :, 1] * (torque + reach * force)[..., None]
        )
        return np.asarray(parts.sum(axis=1))

    def power_moved(self, ud: Array, Fc: Array) -> Array:
        """Return how far the balance of power moves with accelerations and forces (N,)."""
        x = np.abs(ud)[:, :, None]
        T, W, F, Q = ((np.abs(self.matrices[name]) @ x)[:, :, 0] for name in "TWFQ")
        tw = self.matrices["tw"][:, :, 0]
        j0 = np.abs(tw - (self.matrices["K"] @ self.u[:, :, None])[:, :, 0])
        moved = (np.abs(tw) * F).sum(axis=1) + (j0 * (W + F)).sum(axis=1)
        moved += (np.abs(self.u) * (Q + np.abs(Fc))).sum(axis=1)
        return np.asarray(T[:, 0] + moved)

    def wrenches(self, name: str, ud: Array) -> Array:
        """Return the wrenches of inertia, W, or of loads, F, on the elements, (N, 6 E)."""
        return self._affine(name, ud)[0]

    def moved(self, bound: Array, ud: Array) -> Array:
        """Return how far rounding moves the accelerations of the elements, (N, 6 E).

        `bound` is what it moves of those of the speeds. They are never known better than the
        rounding of products of velocities, and of rotations: a component that is zero in some
        axes is rounding of the whole vector in others.
        """
        N = len(ud)
        rounding: Array = np.abs(self.matrices["J"]) @ np.abs(bound)[:, :, None]
        twist = np.abs(self.matrices["tw"]).reshape(N, -1, 2, 3).max(axis=3, initial=0.0)
        v, w = twist[:, :, :1], twist[:, :, 1:]
        least = EPS * np.concatenate([w * w, w * v], axis=2).repeat(3, axis=2)
        size = self._affine("J", ud)[1].reshape(N, -1, 3).max(axis=2, initial=0.0)
        turned = TURNED * size.repeat(3, axis=1)
        return np.asarray(rounding[:, :, 0] + np.maximum(least.reshape(N, -1), turned))

    def loads(self, ud: Array, path: str) -> tuple[Array, Array]:
        """Return the magnitudes of forces and of torques that a reaction may balance (N,).

        These are the sums over all elements that are connected with the joint. Torques count as
        forces at the largest distance of these elements from the origin, and forces as torques.
        """
        size = self._affine("W", ud)[1] + self._affine("F", ud)[1]
        chosen = self.connected.get(path, np.ones(len(self.paths), dtype=bool))
        kinds = size.reshape(len(size), -1, 2, 3)[:, chosen].sum(axis=(1, 3))
        force, torque = kinds[:, 0], kinds[:, 1]
        p = self.matrices["p"].reshape(len(size), -1, 3)[:, chosen[self.placed]]
        reach = np.abs(p).max(axis=(1, 2), initial=0.0)
        lever = np.divide(torque, reach, out=np.zeros_like(torque), where=reach > 0)
        return force + lever, torque + force * reach

    def _affine(self, name: str, ud: Array) -> tuple[Array, Array]:
        slope, rest = self.matrices[name], self.matrices[f"{name}0"]
        x = ud[:, :, None]
        value: Array = slope @ x + rest
        size: Array = np.abs(slope) @ np.abs(x) + np.abs(rest)
        return value[:, :, 0], size[:, :, 0]


def kinetics_of(manifold: Manifold, points: Points, clock: Clock) -> Kinetics | None:
    """Return the kinetics at some states; None where mechanics does not support them."""
    system = manifold.system
    if system.order > _ORDER or not len(points):
        return None

    def work() -> Kinetics | None:
        try:
            equations = kinetics_program(system)
        except NotAffineError:
            return None
        outcome = run(equations, manifold.values.at(equations, points))
        matrices = {step.name: np.asarray(outcome.matrix(step.name)) for step in equations.steps}
        paths = tuple(e.path for e in system.elements)
        placed = np.array([e.placed for e in system.elements], dtype=bool)
        connected = _connected(system, matrices["J"], manifold.at(points, "A")[0])
        return Kinetics(paths, matrices, points.u, _balanced(system), placed, connected)

    kinetics = attempt(work, clock.left)
    return kinetics if isinstance(kinetics, Kinetics) else None
