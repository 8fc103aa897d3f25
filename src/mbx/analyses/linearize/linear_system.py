"""Linearisation: small motions about a state, x' = A x + B u in independent variables.

The equations of motion are differentiated as they stand, r(q, u, ud, lam, inputs) = 0 with the
invariants, along the motions that these allow (Orsino, (4.24)). Slopes are exact. Multipliers
need not be unique, so that over-constrained models are linearised like others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.linearize.lasting import later
from mbx.analyses.linearize.least_rules import LeastRules, require_even_choices
from mbx.analyses.linearize.linear_scales import Scales
from mbx.analyses.linearize.modes import eigenvalues, modes_of, stability
from mbx.analyses.linearize.modular_recursion import Tree
from mbx.analyses.linearize.tangent_motions import LEFT, all_directions, directions, solved
from mbx.base.short_repr import join_names, shorten_repr

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from mbx.analyses.experiments.observe import Place
    from mbx.analyses.linearize.modes import Mode, Stability
    from mbx.analyses.linearize.residual_slopes import Residual
    from mbx.analyses.linearize.tangent_motions import Choice, Directions
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["How", "Linear", "Method", "Slopes", "linearize"]

ROUNDS: Final = 30
"""Steps of Newton's method for accelerations where friction makes them nonlinear."""
CONVERGED: Final = 1e-10
"""Relative step after which the next one would be rounding."""
SAME: Final = 1e-7
"""Part by which a linear system may change, and still be the same."""
STILL: Final = 1e-8
"""Part of usual accelerations, and of sizes in a second, below which a state rests."""
ROUNDING: Final = 1e-5
"""Part of the largest of them that usual accelerations are at least."""
NOTHING: Final = 1e-6
"""What they are at least, in SI units: where nothing acts, all that is left is rounding."""

Method = Literal["plain", "modular"]
Slopes = Callable[["Residual", "Place", "Directions"], tuple["Array", "Array"]]
"""Returns accelerations, and their slopes along directions and by inputs."""
Kind = Literal["equilibrium", "steady motion", "instant of a motion"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Linear:
    """A system x' = A x + B u, where x and u are departures from a reference.

    Attributes:
        x: Paths of the state: independent coordinates, then independent speeds.
        inputs: Paths of the inputs.
        A, B: The matrices, in SI units.
        paths: Paths of all coordinates and speeds.
        T: What all coordinates and speeds do as x moves.
        at: The reference.
        rates: The rates of x at the reference.
        coordinates: How many of x are coordinates.
        sizes: How large each of x usually is.
        lasting: States whether it is the same a little later on, or at other times.
        unmet: Invariants that contradict each other next to the reference, and are met by least
            squares.
    """

    x: tuple[str, ...]
    inputs: tuple[str, ...]
    A: Array
    B: Array
    paths: tuple[str, ...]
    T: Array
    at: Place
    rates: Array
    coordinates: int
    sizes: Array
    lasting: Callable[[Linear], bool] = lambda _: True
    unmet: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the state, the inputs and the stability."""
        return shorten_repr(
            f"<Linear, {self.stability}: x = {join_names(self.x)}; u = {join_names(self.inputs)}>"
        )

    @cached_property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """All eigenvalues of A."""
        return eigenvalues(self.A)

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """The modes, one of each conjugate pair."""
        return modes_of(self.A, self.coordinates)

    @cached_property
    def stability(self) -> Stability:
        """What the eigenvalues mean for small motions."""
        return stability(self.A)

    @cached_property
    def kind(self) -> Kind:
        """Whether the reference stays where it is, goes on evenly, or is a mere instant.

        Evenly: speeds keep their values, and so does what small motions do to their rates.
        """
        k = self.coordinates
        rates = self.rates / self.sizes
        change = (self.A @ self.rates)[k:] / self.sizes[k:]
        # what accelerations would be, were each variable off by its size
        usual = (np.abs(self.A[k:]) @ self.sizes) / self.sizes[k:]
        usual = np.maximum(usual, ROUNDING * usual.max(initial=0.0))
        usual = np.maximum(usual, NOTHING / self.sizes[k:])
        fast = max(1.0, float(np.abs(rates[:k]).max(initial=0.0)))
        if (
            (np.abs(rates[k:]) > STILL * usual).any()
            or (np.abs(change) > STILL * usual * fast).any()
            or not self.lasting(self)
        ):
            return "instant of a motion"
        still = np.abs(rates[:k]).max(initial=0.0) <= STILL
        return "equilibrium" if still else "steady motion"

    def ratio(self, mode: Mode, upper: str, lower: str) -> complex | None:
        """Return how one variable moves against another in a mode; None if the other rests."""
        shape = self.T @ mode.shape
        numerator, denominator = (complex(shape[self.paths.index(path)]) for path in (upper, lower))
        if abs(denominator) <= STILL * np.abs(shape).max():
            return None
        value = numerator / denominator
        turned = abs(value.imag) > STILL * abs(value)
        return complex(value.real, value.imag if turned else 0.0)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data; a complex number is a pair."""
        return {
            "x": list(self.x),
            "inputs": list(self.inputs),
            "A": self.A.tolist(),
            "B": self.B.tolist(),
            "eigenvalues": [[v.real, v.imag] for v in self.eigenvalues.tolist()],
            "modes": [
                {
                    "eigenvalue": [mode.value.real, mode.value.imag],
                    "frequency": mode.frequency,
                    "damping": mode.damping,
                    "shape": {
                        path: [v.real, v.imag]
                        for path, v in zip(self.paths, (self.T @ mode.shape).tolist(), strict=True)
                    },
                }
                for mode in self.modes
            ],
            "stability": self.stability,
            "unmet": list(self.unmet),
            "reference": {
                "kind": self.kind,
                "t": self.at.t,
                "state": dict(self.at.state),
                "rates": dict(zip(self.x, self.rates.tolist(), strict=True)),
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class How:
    """How a system is linearised.

    Attributes:
        method: `plain`, or `modular`: Orsino's recursion from the leaves to the root
            (`mbx.analyses.linearize.modular_recursion`), which differentiates no equation of the
            whole system.
        slopes: Accelerations of a form and their slopes, instead of a method.
        everything: Whether all coordinates and speeds are the state, as in Orsino's (4.24), also
            those that invariants make of others.
        choice: The independent variables; None for those that are best at the state.
        least: Weights and symmetry of invariants that contradict each other, of `modular` alone.
    """

    method: Method = "plain"
    slopes: Slopes | None = None
    everything: bool = False
    choice: Choice | None = None
    least: LeastRules = field(default_factory=LeastRules)


def linearize(residual: Residual, at: Place, how: How | None = None) -> Linear:
    """Return a system linearised at a consistent state."""
    how = how or How()
    values = residual.values(at.state, at.parameters, at.inputs, at.t)
    unmet: tuple[str, ...] = ()
    bare, residual = residual, how.least.applied(residual, values)
    tree = None
    if how.slopes is None and how.method == "modular":
        tree = Tree.at(residual, values, how.least.row_weights(residual.levels.rows))
        require_even_choices(residual, tree.top)
    elif how.least.any:
        raise NotRunError("weights and a mirror are those of least squares, by the modular method")
    if how.everything:
        near = all_directions(residual)
    else:
        near = directions(residual, values, None if tree is None else tree.following, how.choice)
    if how.slopes is not None:
        if how.everything:
            raise NotRunError("a form is linearised along motions that the invariants allow")
        now, dud = how.slopes(residual, at, near)
    elif tree is not None:
        now, dud, unmet = tree.rates(near)
    else:
        now, dud = _plain(residual, values, near)
    Rq, Ru = (each[0] for each in residual.tables([("qd", "q"), ("qd", "u")], values, 1))
    width = near.dq.shape[1]
    qd = (Rq @ near.dq + Ru @ near.du)[list(near.coordinates)]
    ud = dud[list(near.speeds)]
    rates = residual.columns(["qd"], values, 1)[0][0][list(near.coordinates)]
    names = [v.path for v in residual.system.q], [v.path for v in residual.moving.speeds]
    scales = Scales.of(residual, values)
    return Linear(
        x=(*(names[0][k] for k in near.coordinates), *(names[1][k] for k in near.speeds)),
        inputs=tuple(parameter.path for parameter in residual.inputs),
        A=np.vstack([qd, ud[:, :width]]),
        B=np.vstack([np.zeros((len(qd), dud.shape[1] - width)), ud[:, width:]]),
        paths=(*names[0], *names[1]),
        T=np.vstack([near.dq, near.du]),
        at=at,
        rates=np.concatenate([rates, now[list(near.speeds)]]),
        coordinates=len(near.coordinates),
        sizes=np.concatenate([scales.q[list(near.coordinates)], scales.u[list(near.speeds)]]),
        lasting=partial(_lasts, bare, replace(how, slopes=None, choice=near.choice)),
        unmet=unmet,
    )


def _lasts(residual: Residual, how: How, linear: Linear) -> bool:
    """Return whether a linear system stays what it is, but for coordinates that move on."""
    k = linear.coordinates
    here = np.hstack([linear.A[k:], linear.B[k:], linear.rates[k:, None]])
    for reference in later(residual, linear.at, how.choice or ((), ())):
        if reference is None:
            return False
        try:
            other = linearize(residual, reference, how)
        except NotRunError:
            return False
        there = np.hstack([other.A[k:], other.B[k:], other.rates[k:, None]])
        if np.abs(here - there).max(initial=0.0) > SAME * max(1.0, np.abs(here).max(initial=0.0)):
            return False
    return True


def _plain(residual: Residual, values: dict[Node, Any], near: Directions) -> tuple[Array, Array]:
    """Return ud, and its slopes along directions and by inputs, from the whole system."""
    values = _with_accelerations(residual, values)
    dud, N = _slopes(residual, values, near)
    size = len(residual.moving.u)
    if np.abs(N[:size]).max(initial=0.0) > LEFT * max(1.0, np.abs(N).max(initial=0.0)):
        raise NotRunError("the accelerations are not unique at the state: it is singular")
    if N.shape[1]:
        # multipliers that are not unique do no harm as long as the rank stays what it is
        now = np.array([float(values[s]) for s in residual.lam])
        other = N[size:].sum(axis=1)  # in units of the inertia, like any direction
        other = now + other * max(1.0, np.abs(now).max()) / np.abs(other).max()
        again, _ = _slopes(
            residual, values | dict(zip(residual.lam, other.tolist(), strict=True)), near
        )
        moved = np.abs(again - dud).max(initial=0.0)
        if moved > LEFT * max(1.0, np.abs(dud).max(initial=0.0)):
            raise NotRunError(
                "the invariants contradict each other next to the state; the modular method"
                " violates them least"
            )
    return np.array([float(values[s]) for s in residual.moving.ud]), dud


def _slopes(
    residual: Residual, values: Mapping[Node, Any], near: Directions
) -> tuple[Array, Array]:
    """Return the slopes of ud, and null vectors of the equations."""
    rr = residual.tables([("r", s) for s in ("q", "u", "ud", "lam", "inputs")], values, 1)
    aa = residual.tables([("a", s) for s in ("q", "u", "ud", "inputs")], values, 1)
    M = rr[2][0]
    L, A = residual.known([("r", "lam"), ("a", "ud")], values)
    K = _matrix(M, _inertia_size(M) * L, A)
    slopes = np.block([[rr[0][0], rr[1][0], rr[4][0]], [aa[0][0], aa[1][0], aa[3][0]]])
    steps = near.steps(len(residual.inputs))
    z, N, left = solved(K, -slopes @ steps, np.abs(slopes) @ np.abs(steps))
    if not left <= LEFT:  # slopes that cancel are rounding of what they are the sums of
        by = ("q", "u", "inputs")
        sizes = np.block([residual.sizes([(name, s) for s in by], values) for name in ("r", "a")])
        z, N, left = solved(K, -slopes @ steps, sizes @ np.abs(steps))
    if not left <= LEFT:
        raise NotRunError(
            "the equations of motion cannot be linearised at the state: they have no solution"
            " next to it"
        )
    return z[: len(residual.moving.u)], N


def _with_accelerations(residual: Residual, values: dict[Node, Any]) -> dict[Node, Any]:
    """Return the values with those of ud and lam, by Newton's method: one step without friction.

    Each step is a linear system of M, L and A that must have a solution: no least one is taken, as
    `gauss_newton` takes it.
    """
    unknowns = (*residual.moving.ud, *residual.lam)
    # a reaction of zero has no direction, in which friction would act
    z = np.ones(len(unknowns))
    for _ in range(ROUNDS):
        values = values | dict(zip(unknowns, z.tolist(), strict=True))
        f = np.concatenate([column[0] for column in residual.columns(["r", "a"], values, 1)])
        M = residual.tables([("r", "ud")], values, 1)[0][0]
        L, A = residual.known([("r", "lam"), ("a", "ud")], values)
        unit = np.ones(len(z))
        unit[len(M) :] = _inertia_size(M)
        K = _matrix(M, L, A) * unit
        terms = np.abs(K) @ np.abs(z / unit) + np.abs(f)
        new, _, left = solved(K, (K @ (z / unit) - f)[:, None], terms[:, None])
        new = unit[:, None] * new
        if not left <= LEFT:
            raise NotRunError("the equations of motion have no solution at the state")
        step, z = np.abs(new[:, 0] - z).max(initial=0.0), new[:, 0]
        if step <= CONVERGED * max(1.0, np.abs(z).max(initial=0.0)):
            break
    else:
        raise NotRunError("no accelerations were found at the state: its reactions do not settle")
    return values | dict(zip(unknowns, z.tolist(), strict=True))


def _inertia_size(M: Array) -> float:
    """Return a unit of multipliers in which these are as large as accelerations, a power of two.

    With masses of 1e-9 kg or 1e24 kg, M or L would vanish next to the other.
    """
    largest = float(np.abs(M).max(initial=0.0))
    return float(2.0 ** np.round(np.log2(largest))) if 0 < largest < np.inf else 1.0


def _matrix(M: Array, L: Array, A: Array) -> Array:
    return np.block([[M, L], [A, np.zeros((len(A), L.shape[1]))]])
