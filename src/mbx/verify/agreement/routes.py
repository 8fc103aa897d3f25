"""Generalized inertia forces by the routes of Orsino's appendix A: all must be the same.

    R1  Gibbs             -dG/dud                                               (A.1)
    R2  Lagrange          -Phi^T (d/dt dT/dqd - dT/dq)                          (A.2)
    R3  Boltzmann-Hamel   Phi^T dT*/dq - Phi^T Gam^T p - dp/dt                  (A.7)
    R4  Nielsen           2 Phi^T dT*/dq - Phi^T Gam^T p - dT*'/du              (A.11), r = 1
        Tzenoff           (3 Phi^T dT*/dq - dT*''/dud)/2 - Phi^T Gam^T p        (A.11), r = 2
    R5  Newton-Euler      inertia force and torque on partial velocities        (A.43)

T is the kinetic energy in the rates of the coordinates, T* in the speeds, p = dT*/du. Neither
loads nor invariants take part, and the accelerations are any: this looks at the inertia alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, neg, scale, sub
from mbx.expr.derivatives import gradient, pullback
from mbx.formalism.builder import Program
from mbx.mechanics import balance, energy, gibbs, invariants, loads, motion, quasi
from mbx.numerics.execute.execute import run
from mbx.system.find_features import Feature
from mbx.verify.agreement.mutual_residuals import NOISE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.mechanics.motion import Motion
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Points, Values
    from mbx.system.system import System

__all__ = ["ROUTES", "RouteError", "check_routes", "inertia_routes"]

_NO_RATES: Final = (
    Feature.SPEED_WITHOUT_RATE,
    Feature.LEFT_OVER_DEFINITIONS,
    Feature.TWIST_NOT_INTEGRABLE,
    Feature.NO_OWN_SPEED,
)
"""What T and the rates of the coordinates alone do not determine."""


class Inertia:
    """A system in motion, with what several routes use."""

    def __init__(self, system: System) -> None:
        """Take the system."""
        self.speeds: Motion = motion.in_speeds(system)
        self.rates: Motion = motion.in_rates(system)
        self.q = [v.symbol for v in system.q]

    @cached_property
    def T(self) -> Node:  # noqa: N802  the letter of every text
        """The kinetic energy in the speeds."""
        return energy.kinetic(self.speeds)

    @cached_property
    def slopes(self) -> list[Node]:
        """Phi^T dT*/dq."""
        return on_speeds(self.speeds, gradient(self.T, self.q))

    @cached_property
    def hamel(self) -> list[Node]:
        """Phi^T Gam^T p: the speeds are no rates of functions of q."""
        return quasi.hamel_forces(self.speeds, self.rates, self.T)


def on_speeds(speeds: Motion, forces: Sequence[Node]) -> list[Node]:
    """Return Phi^T Q: forces on all coordinates as forces on the speeds."""
    return pullback([speeds.qd[v.symbol] for v in speeds.system.q], forces, speeds.u)


def gibbs_route(inertia: Inertia) -> list[Node]:
    """Return R1, from the energy of accelerations."""
    return [neg(x) for x in gradient(gibbs.gibbs_function(inertia.speeds), inertia.speeds.ud)]


def lagrange_route(inertia: Inertia) -> list[Node]:
    """Return R2, from the energy in the rates of the coordinates."""
    derivatives = energy.lagrange_operator(inertia.rates, energy.kinetic(inertia.rates))
    return [neg(x) for x in on_speeds(inertia.speeds, inertia.speeds.express(derivatives))]


def hamel_route(inertia: Inertia) -> list[Node]:
    """Return R3, from the energy in the speeds."""
    turned = inertia.speeds.rate(gradient(inertia.T, inertia.speeds.u))
    return [
        sub(s, add(g, r)) for s, g, r in zip(inertia.slopes, inertia.hamel, turned, strict=True)
    ]


def nielsen_route(inertia: Inertia) -> list[Node]:
    """Return R4 for r = 1, from the rate of the energy."""
    (rate,) = inertia.speeds.rate([inertia.T])
    return _with_rate(inertia, 1, gradient(rate, inertia.speeds.u))


def tzenoff_route(inertia: Inertia) -> list[Node]:
    """Return R4 for r = 2, from the second rate of the energy."""
    (rate,) = inertia.speeds.rate(inertia.speeds.rate([inertia.T]))
    return _with_rate(inertia, 2, gradient(rate, inertia.speeds.ud))


def _with_rate(inertia: Inertia, r: int, derivatives: list[Node]) -> list[Node]:
    """Return (1 + 1/r) Phi^T dT*/dq - Phi^T Gam^T p - (1/r) times the derivatives, (A.11)."""
    part = Fraction(1, r)
    return [
        sub(scale(1 + part, s), add(g, scale(part, d)))
        for s, g, d in zip(inertia.slopes, inertia.hamel, derivatives, strict=True)
    ]


def newton_euler_route(inertia: Inertia) -> list[Node]:
    """Return R5, from the inertia forces and torques of the mass elements."""
    wrenches = [balance.inertia_wrench(m) for m in inertia.speeds.elements]
    return [neg(x) for x in loads.project(inertia.speeds, wrenches)]


ROUTES: Final[Mapping[str, Callable[[Inertia], list[Node]]]] = {
    "gibbs": gibbs_route,
    "newton_euler": newton_euler_route,
    "lagrange": lagrange_route,
    "boltzmann_hamel": hamel_route,
    "nielsen": nielsen_route,
    "tzenoff": tzenoff_route,
}
_WITHOUT_RATES: Final = ("gibbs", "newton_euler")
"""Routes that need no coordinates behind the speeds."""


def inertia_routes(system: System) -> Equations:
    """Return the inertia forces by every route that a system has, as a program of given ud.

    Results are called as the routes; M and h are those of R5, Fi = h - M ud. Rows of G are the
    directions that quaternions at unit length cannot go, where routes may differ.
    """
    inertia = Inertia(system)
    names = ROUTES if system.features.keys().isdisjoint(_NO_RATES) else _WITHOUT_RATES
    labels = [s.path for s in inertia.speeds.speeds]
    program = Program()
    program.given("ud", inertia.speeds.ud)
    results = {name: program.column(name, ROUTES[name](inertia), rows=labels) for name in names}
    K, h = split(newton_euler_route(inertia), inertia.speeds.ud)
    M = [[neg(x) for x in row] for row in K]
    results["M"] = program.define("M", M, rows=labels, columns=labels)
    results["h"] = program.column("h", h, rows=labels)
    levels = invariants.levels(inertia.speeds)
    norms = [k for k, row in enumerate(levels.rows) if row.kind == "norm"]
    results["G"] = program.define("G", [levels.A[k] for k in norms], columns=labels)
    equations = program.equations(system, "routes", "Inertia forces", "", results)
    # accelerations are given, also where they belong to the state
    return replace(equations, signature=replace(equations.signature, higher=()))


@dataclass(frozen=True, slots=True)
class RouteError:
    """How far a route is from the middle of all, at most: at which state, in which row.

    `value` is relative to |M| |ud| + |h| of the row; to the largest of these, where it is below
    the noise of that.
    """

    name: str
    value: float
    state: int
    row: str


def check_routes(system: System, values: Values, points: Points, seed: int = 1) -> list[RouteError]:
    """Return the error of each route at some states, under random accelerations.

    There is none where there are no states, or no speeds.
    """
    if not points.u.size:
        return []
    equations = inertia_routes(system)
    at = values.at(equations, points)
    ud = np.random.default_rng(seed).standard_normal((*points.u.shape, 1))
    # as large as what speeds bring about: terms of these that cancel leave rounding of their size
    fastest = np.abs(points.u).max(axis=1, keepdims=True)
    ud *= 1 + (np.abs(points.u) * fastest)[:, :, None]
    outcome = run(equations, at, given={"ud": ud})
    M, h, G = (np.asarray(outcome.matrix(name)) for name in ("M", "h", "G"))
    names = [name for name in ROUTES if name in equations.results]
    forces = np.stack([np.asarray(outcome.matrix(name)) for name in names])
    forces = forces - np.linalg.pinv(G) @ (G @ forces)
    gaps = np.abs(forces - np.median(forces, axis=0))[..., 0]
    size = (np.abs(M) @ np.abs(ud) + np.abs(h))[..., 0]
    rows = [v.path for v in system.u]
    return [_worst(name, gap, size, rows) for name, gap in zip(names, gaps, strict=True)]


def _worst(name: str, gap: Array, size: Array, rows: list[str]) -> RouteError:
    """Return the largest error; what is no number is larger than any."""
    largest = size.max(axis=1, keepdims=True, initial=0.0)
    size = np.where(gap <= NOISE * largest, largest, size)  # a row that is zero by symmetry
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.where(gap == 0, 0.0, gap / size)
    key = np.where(np.isnan(error), np.inf, error)
    k, i = np.unravel_index(int(key.argmax()), key.shape)
    return RouteError(name, float(error[k, i]), int(k), rows[i])
