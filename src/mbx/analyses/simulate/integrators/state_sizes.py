"""How large the variables of a state are: what absolute tolerances and small parts refer to.

Nothing is small in metres or seconds: a micromachine moves by a millionth of a metre, and a planet
by millions of kilometres. The sizes are those of the model
(`mbx.numerics.states.sample`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.numerics.states.manifold import Manifold, Values
from mbx.numerics.states.sample import sizes_of
from mbx.numerics.tolerances import SMALL_PART

if TYPE_CHECKING:
    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Amplitudes", "state_sizes", "usual_length", "usual_time"]


def usual_time(plan: Plan) -> float:
    """Return how long something usually takes in a model, in seconds."""
    return sizes_of(Manifold(plan.system, Values(plan.parameters, inputs_of(plan)))).t


def usual_length(plan: Plan) -> float:
    """Return how long something usually is in a model, in metres."""
    return sizes_of(Manifold(plan.system, Values(plan.parameters, inputs_of(plan)))).length


def state_sizes(plan: Plan, count: int) -> Array:
    """Return the sizes of the numbers of a state: q, u, and rates of u as far as it has them."""
    found = sizes_of(Manifold(plan.system, Values(plan.parameters, inputs_of(plan))))
    parts = [found.q, found.u]
    while len(found.u) and sum(map(len, parts)) < count:
        parts.append(parts[-1] / found.t)
    return np.concatenate(parts)[:count]


class Amplitudes:
    """How far variables have been from zero, in the bounds of their sizes.

    A model may have lengths of many sizes, such as those of an orbit and of a tether: what a
    variable has been says more than the size of all lengths, unless that is nothing yet.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._sizes: Array | None = None
        self._found = np.zeros(0)

    def of(self, sizes: Array, x: Array) -> Array:
        """Take the sizes of variables, and how large they are now; return what they have been."""
        if sizes is not self._sizes:  # other variables
            self._sizes, self._found = sizes, SMALL_PART * sizes
        self._found = np.minimum(np.fmax(self._found, np.abs(x)), sizes)
        return self._found
