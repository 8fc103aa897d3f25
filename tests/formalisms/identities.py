"""What holds for every mechanism, whatever form its equations have.

- *Kinematics*: velocities and accelerations are the rates of places, by differences.
- *Power*: dT/dt = sum of f . v + t . w over the wrenches, plus u . (Q + fe + Fn), plus
  -lam . b0 of the affine invariants, plus what a placement that moves in time does,
  j0 . (Mb twd + gb - Fb). T is differentiated along the motion by differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from formalisms.cases import Point, at
from mbx.expr.evaluate import evaluate_arrays, substitute
from mbx.expr.nodes import ZERO
from mbx.formalism import registry
from mbx.mechanics import balance, energy, invariants, loads, motion
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw, draw_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.system.system import System

__all__ = ["Probe", "probe"]

STEP: Final = 5e-4
STENCIL: Final = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))
"""Central differences of order 4."""


@dataclass(frozen=True, slots=True, eq=False)
class Probe:
    """A system at a consistent state: what a form gives there, and what is true there."""

    one: System
    form: str
    point: Point
    found: Any
    moving: motion.Motion

    def of(self, nodes: Sequence[Node]) -> Any:
        """Return the numbers of expressions of q, u, ud, reactions and t."""
        if not nodes:
            return np.zeros(0)
        return np.array([float(x) for x in evaluate_arrays(nodes, self.found.seen.values)])

    def _moved(self, h: float) -> dict[Node, Any]:
        """Return the symbols a little later."""
        u = [s.symbol for s in self.one.u]
        rates = dict(
            zip([v.symbol for v in self.one.q], self.of([*self.moving.qd.values()]), strict=True)
        )
        rates |= dict(zip(u, self.of(self.moving.ud), strict=True))
        path = {v.symbol: v.path for v in (*self.one.q, *self.one.u)}
        state = {path[x]: self.point.state[path[x]] + h * float(r) for x, r in rates.items()}
        signature = self.found.evaluation.equations.signature
        inputs = {
            x.path: sum(
                self.point.inputs.get(x.path + "'" * k, 0.0) * h**k / (1, 1, 2)[k] for k in range(3)
            )
            for x in signature.inputs
            if x.path in self.point.inputs and "'" not in x.path
        }
        later = {**self.point.inputs, **inputs}
        for x in signature.inputs:
            if x.path.endswith("'") and not x.path.endswith("''") and x.path in self.point.inputs:
                later[x.path] = self.point.inputs[x.path] + h * self.point.inputs.get(
                    x.path + "'", 0.0
                )
        equations = self.found.evaluation.equations
        t = self.point.t + h
        return values_of(equations, state, self.point.parameters, later, t)

    def rate(self, nodes: Sequence[Node]) -> Any:
        """Return the rates of expressions of q, u and t, by differences."""
        total = np.zeros(len(nodes))
        for k, weight in STENCIL:
            values = self._moved(k * STEP)
            total += weight / STEP * np.array([float(x) for x in evaluate_arrays(nodes, values)])
        return total

    def power_gap(self) -> float:
        """Return by how much power is not balanced, relative to the largest term."""
        moving = self.moving
        wrenches = loads.wrenches(moving)
        levels = invariants.levels(moving)
        rest = dict.fromkeys(moving.u, ZERO)
        terms = []
        for body, (force, torque) in zip(moving.elements, wrenches, strict=True):
            f, t = self.of(force), self.of(torque)
            terms += [*(f * self.of(body.v)), *(t * self.of(body.w))]
            inertia = balance.inertia_wrench(body)
            for own, drift, load in (
                (inertia[0], body.v, f),
                (inertia[1], body.w, t),
            ):
                j0 = self.of(substitute(list(drift), rest))
                terms += [*(j0 * (self.of(own) - load))]
        u = self.of(moving.u)
        for general in (
            loads.generalized(moving),
            loads.effective(moving),
            loads.non_ideal(moving),
        ):
            terms += [*(u * self.of(general))]
        affine = [r.affine and r.order < 2 for r in levels.rows]
        if all(affine):
            b0 = self.of(substitute(list(levels.velocity), rest))
            terms += [*(-self.found.evaluation.lam * b0)]
        else:
            terms += [*(u * self.found.evaluation.Fc)]
        rate = self.rate([energy.kinetic(moving)])[0]
        size = max(abs(rate), max((abs(x) for x in terms), default=0.0), 1e-3)
        return float(abs(rate - sum(terms)) / size)

    def kinematic_gap(self) -> float:
        """Return by how much velocities and accelerations miss the rates of places."""
        gaps = [0.0]
        for body in self.moving.elements:
            gaps.append(_gap(self.of(body.a), self.rate(body.v)))
            if any(x is not ZERO for x in body.w):
                gaps.append(_gap(self.of(body.wd), self.rate(body.w)))
            if not body.element.placed:
                continue
            gaps.append(_gap(self.of(body.v), self.rate(body.element.com.p)))
            if body.element.frame is not None:
                R = [x for row in body.element.R for x in row]
                turned = self.of(R).reshape(3, 3).T @ self.rate(R).reshape(3, 3)
                w = np.array([turned[2, 1], turned[0, 2], turned[1, 0]])
                gaps.append(_gap(self.of(body.w), w))
        return max(gaps)


def _gap(a: Any, b: Any) -> float:
    size = max(float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0)), 1.0)
    return float(np.abs(a - b).max(initial=0.0)) / size


def probe(one: System, form: str, seed: int = 1) -> Probe | None:
    """Return what a form gives at a random consistent state, if it is regular there."""
    rng = np.random.default_rng(seed)
    values = draw_values(one, rng)
    sample = draw(Manifold(one, values), rng, 1)
    if not sample.names:
        return None
    points = sample.points
    state = {v.path: float(x) for v, x in zip(one.q, points.q[0], strict=True)}
    state |= {v.path: float(x) for v, x in zip(one.u, points.u[0], strict=True)}
    equations = registry.derive(one, form)
    known = {x.path for x in equations.signature.inputs}
    inputs = {path: x for path, x in values.inputs.items() if path in known}
    point = Point(state, values.parameters, inputs, float(points.t[0]))
    if equations.evaluate(point.state, point.parameters, point.inputs, point.t).status != "regular":
        return None
    return Probe(one, form, point, at(one, equations, point), motion.in_speeds(one))
