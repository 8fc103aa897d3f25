"""Accelerations that belong to the state, where an invariant has order 3 or more.

They are brought to where the column `state` of some equations is zero: what holds of a state
beside the invariants up to velocities. Its derivatives are differences.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.numerics.execute.execute import run
from mbx.numerics.newton import gauss_newton
from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Points, Values

__all__ = ["STATE", "complete_higher", "draw_higher"]

STATE: Final = "state"
"""The result that is zero at consistent states."""
QUASI: Final = "quasi0"
"""The step that gives the declared variables of order 2 and more that belong to the state."""
STEP: Final = 1e-4


def complete_higher(
    equations: Equations,
    values: Values,
    points: Points,
    x: Array,
    free: NDArray[np.bool_] | None = None,
    declared: Mapping[str, float] | None = None,
) -> dict[str, Array]:
    """Return consistent accelerations and beyond near x by path; NaN where none was found.

    All of them may move, unless it is said which are free. Variables that are `declared` with
    order 2 or more have the values that are given.
    """
    paths = [one.path for one in equations.signature.higher]
    if STATE in equations.results:
        name = equations.results[STATE]
        named, goal = _declared(equations, declared or {})

        def value(x: Array) -> Array:
            at = values.at(equations, points, _by_path(paths, x))
            outcome = run(equations, at, wanted=[name, *([QUASI] if named else [])])
            found = outcome.matrix(name)
            if isinstance(found, list):
                raise EquationsError(f"the number of rows of '{STATE}' depends on the state")
            if not named:
                return found[:, :, 0]
            more = np.asarray(outcome.matrix(QUASI))[:, named, 0] - goal
            return np.concatenate([found[:, :, 0], more], axis=1)

        def f(x: Array) -> tuple[Array, Array]:
            steps = STEP * np.eye(len(paths))
            slopes = [(value(x + d) - value(x - d)) / (2 * STEP) for d in steps]
            return value(x), np.stack(slopes, axis=2)

        every = np.ones(len(paths), dtype=bool)
        x, error = gauss_newton(f, x, every if free is None else free, np.inf)
        x[error > CLOSE] = np.nan
    return _by_path(paths, x)


def _declared(equations: Equations, wanted: Mapping[str, float]) -> tuple[list[int], Array]:
    """Return the rows of declared variables, and the values that they are to have."""
    labels = equations.step(QUASI).row_labels if wanted else ()
    return [labels.index(path) for path in wanted], np.array(list(wanted.values()))


def draw_higher(
    equations: Equations, values: Values, points: Points, seed: int
) -> dict[str, Array]:
    """Return consistent accelerations and beyond near random ones.

    Those of a state do not change when states are added.
    """
    size = len(equations.signature.higher)
    rows = [np.random.default_rng([seed, k]).standard_normal(size) for k in range(len(points))]
    return complete_higher(equations, values, points, np.array(rows).reshape(len(points), size))


def _by_path(paths: Sequence[str], x: Array) -> dict[str, Array]:
    return {path: x[:, k] for k, path in enumerate(paths)}
