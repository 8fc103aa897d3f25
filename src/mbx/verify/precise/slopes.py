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

from mbx.assembly.manifold import Manifold, Points, Values
from mbx.errors import EquationsError
from mbx.experiments.observe import given_inputs
from mbx.experiments.plan import NotRunError
from mbx.formalism.evaluate import values_of
from mbx.verify.precise.numbers import floats, numbers_of
from mbx.verify.precise.results import Place as Precise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.experiments.observe import Place
    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array
    from mbx.linear.residual import Residual
    from mbx.linear.tangent import Directions
    from mbx.verify.precise.numbers import Exact

__all__ = ["form_slopes", "inputs_at"]

DIGITS: Final = 50
STEP: Final = Fraction(1, 10**15)
"""Small enough for its square to be nothing, and large enough for half of the digits to be left."""


def form_slopes(
    equations: Equations, found: Residual, at: Place, near: Directions
) -> tuple[Array, Array]:
    """Return ud by a form, and its slopes along directions and by inputs."""
    numbers = numbers_of(DIGITS)
    steps = near.steps(len(found.inputs))
    manifold = Manifold(found.system, Values(at.parameters, inputs_at(equations, found, at)))
    first = [at.state[v.path] for v in (*found.system.q, *found.moving.speeds)]
    nq, moved = len(found.q), len(first)
    shared: dict[Any, Any] = {}

    def ud(step: Array, by: Fraction) -> Exact:
        x = [Fraction(a) + by * Fraction(b) for a, b in zip(first, step[:moved], strict=True)]
        point = Points(np.array([at.t]), _row(x[:nq]), _row(x[nq:]))
        inputs: dict[str, Any] = dict(manifold.values.inputs)
        for one, b in zip(found.inputs, step[moved:].tolist(), strict=True):
            if b:
                inputs[one.path] = Fraction(inputs[one.path]) + by * Fraction(b)
        here = replace(manifold, values=Values(at.parameters, inputs))
        return Precise(here, point, numbers, decided=shared).results(equations, ["ud"])["ud"]

    try:
        now = floats(ud(np.zeros(len(steps)), STEP))[:, 0]
        slopes = np.zeros((len(now), steps.shape[1]))
        for k, step in enumerate(steps.T):
            ahead, behind = ud(step, STEP), ud(step, -STEP)
            with numbers.within():
                slopes[:, k] = floats((ahead - behind) / numbers.exact(2 * STEP))[:, 0]
    except EquationsError as reason:
        raise NotRunError(f"the form has no accelerations next to the state: {reason}") from None
    return now, slopes


def inputs_at(equations: Equations, found: Residual, at: Place) -> Mapping[str, float]:
    """Return the inputs of a system and their rates, but for those that follow from the state."""
    known = values_of(equations, at.state, at.parameters, given_inputs(equations, at.inputs), at.t)
    given = {one.path for one in found.inputs}
    return {
        one.path: float(known[one.symbol])
        for one in equations.signature.inputs
        if one.path.rstrip("'") in given
    }


def _row(x: list[Fraction]) -> Array:
    return np.array([*x], dtype=object).reshape(1, -1)
