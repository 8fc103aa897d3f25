"""Slopes of the accelerations of any form, by differences in many digits.

Two states very close to the reference, on either side of it along an allowed motion, are brought
onto the invariants. The form is evaluated at both in fifty digits, of which the difference keeps
more than doubles have. Nothing of the form is differentiated, and nothing of the linearisation is
used but the choice of independent variables.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.observe import given_inputs
from mbx.base.errors import EquationsError
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.multiprecision.digit_numbers import floats, numbers_of
from mbx.numerics.multiprecision.digit_results import Place as Precise
from mbx.numerics.states.manifold import Manifold, Points, Values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.analyses.experiments.observe import Place
    from mbx.analyses.linearize.residual_slopes import Residual
    from mbx.analyses.linearize.tangent_motions import Directions
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.multiprecision.digit_numbers import Exact

__all__ = ["form_slopes", "inputs_at", "rate_slopes", "state_slopes"]

DIGITS: Final = 50
STEP: Final = Fraction(1, 10**15)
"""Small enough for its square to be nothing, and large enough for half of the digits to be left."""


def form_slopes(
    equations: Equations, residual: Residual, at: Place, near: Directions
) -> tuple[Array, Array]:
    """Return ud by a form, and its slopes along directions and by inputs."""
    shared: dict[Any, Any] = {}
    displaced = _displaced(residual, at, inputs_at(equations, residual, at), shared)

    def ud(step: Array, by: Fraction) -> Exact:
        return displaced(step, by).results(equations, ["ud"])["ud"]

    steps = near.steps(len(residual.inputs))
    try:
        return floats(ud(np.zeros(len(steps)), STEP))[:, 0], _slopes(ud, steps)
    except EquationsError as reason:
        raise NotRunError(f"the form has no accelerations next to the state: {reason}") from None


def state_slopes(equations: Equations, residual: Residual, at: Place, near: Directions) -> Array:
    """Return what q and u do along directions and by inputs, where the invariants let them."""
    symbols = [v.symbol for v in (*residual.system.q, *residual.moving.speeds)]
    displaced = _displaced(residual, at, inputs_at(equations, residual, at), {})

    def x(step: Array, by: Fraction) -> Exact:
        state = displaced(step, by).state
        return np.array([[state[s]] for s in symbols], dtype=object)

    try:
        return _slopes(x, near.steps(len(residual.inputs)))
    except EquationsError as reason:
        raise NotRunError(f"no state next to it is consistent: {reason}") from None


def rate_slopes(equations: Equations, residual: Residual, at: Place, near: Directions) -> Array:
    """Return the slopes of the rates of the coordinates along directions and by inputs."""
    displaced = _displaced(residual, at, inputs_at(equations, residual, at), {})

    def rates(step: Array, by: Fraction) -> Exact:
        here = displaced(step, by)
        return here.matrices(here.manifold.equations, ["rates"])["rates"]

    try:
        return _slopes(rates, near.steps(len(residual.inputs)))
    except EquationsError as reason:
        raise NotRunError(f"no state next to it is consistent: {reason}") from None


def _displaced(
    residual: Residual, at: Place, inputs: Mapping[str, float], shared: dict[Any, Any]
) -> Callable[[Array, Fraction], Precise]:
    """Return a function that gives the state some part of a step away."""
    manifold = Manifold(residual.system, Values(at.parameters, inputs))
    first = [at.state[v.path] for v in (*residual.system.q, *residual.moving.speeds)]
    nq, moved = len(residual.q), len(first)
    numbers = numbers_of(DIGITS)
    taken: dict[str, list[int]] = {}

    def displaced(step: Array, by: Fraction) -> Precise:
        x = [Fraction(a) + by * Fraction(b) for a, b in zip(first, step[:moved], strict=True)]
        point = Points(np.array([at.t]), _row(x[:nq]), _row(x[nq:]))
        there: dict[str, Any] = dict(inputs)
        for parameter, b in zip(residual.inputs, step[moved:].tolist(), strict=True):
            if b:
                there[parameter.path] = Fraction(there[parameter.path]) + by * Fraction(b)
        here = manifold
        if there != inputs:
            here = replace(manifold, values=Values(at.parameters, there))
        return Precise(here, point, numbers, decided=shared, taken=taken)

    return displaced


def _slopes(f: Callable[[Array, Fraction], Exact], steps: Array) -> Array:
    """Return the slopes of a column along each step."""
    columns = []
    for step in steps.T:
        ahead, behind = f(step, STEP), f(step, -STEP)
        with numbers_of(DIGITS).within():
            columns.append(floats((ahead - behind) / numbers_of(DIGITS).exact(2 * STEP))[:, 0])
    return np.array(columns).reshape(steps.shape[1], -1).T


def inputs_at(equations: Equations, residual: Residual, at: Place) -> Mapping[str, float]:
    """Return the inputs of a system and their rates, but for those that follow from the state."""
    known = values_of(equations, at.state, at.parameters, given_inputs(equations, at.inputs), at.t)
    paths = {parameter.path for parameter in residual.inputs}
    return {
        parameter.path: float(known[parameter.symbol])
        for parameter in equations.signature.inputs
        if parameter.path.rstrip("'") in paths
    }


def _row(x: list[Fraction]) -> Array:
    return np.array([*x], dtype=object).reshape(1, -1)
