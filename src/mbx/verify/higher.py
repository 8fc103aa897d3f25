"""Accelerations that belong to the state, where an invariant has order 3 or more.

They are drawn, and brought to where the column `state` of some equations is zero: what holds of
a state beside the invariants up to velocities. Its derivatives are differences. All forms are
then run at the same state, the one that the first form finds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.errors import EquationsError
from mbx.formalism.execute import run
from mbx.verify.manifold import CLOSE, gauss_newton

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.equations import Equations
    from mbx.formalism.numerics import Array
    from mbx.verify.manifold import Points, Values

__all__ = ["STATE", "complete"]

STATE: Final = "state"
"""The result that is zero at consistent states."""
STEP: Final = 1e-4


def complete(equations: Equations, values: Values, points: Points, seed: int) -> dict[str, Array]:
    """Return consistent accelerations and beyond by path; NaN where none was found."""
    paths = [one.path for one in equations.signature.higher]
    x = _drawn(seed, len(points), len(paths))
    if STATE in equations.results:
        name = equations.results[STATE]

        def value(x: Array) -> Array:
            at = values.at(equations, points, _by_path(paths, x))
            found = run(equations, at, wanted=[name]).matrix(name)
            if isinstance(found, list):
                raise EquationsError(f"the number of rows of '{STATE}' depends on the state")
            return found[:, :, 0]

        def f(x: Array) -> tuple[Array, Array]:
            steps = STEP * np.eye(len(paths))
            slopes = [(value(x + d) - value(x - d)) / (2 * STEP) for d in steps]
            return value(x), np.stack(slopes, axis=2)

        x, error = gauss_newton(f, x, np.ones(len(paths), dtype=bool), np.inf)
        x[error > CLOSE] = np.nan
    return _by_path(paths, x)


def _by_path(paths: Sequence[str], x: Array) -> dict[str, Array]:
    return {path: x[:, k] for k, path in enumerate(paths)}


def _drawn(seed: int, count: int, size: int) -> Array:
    """Draw a row for each state, which does not change when states are added."""
    rows = [np.random.default_rng([seed, k]).standard_normal(size) for k in range(count)]
    return np.array(rows).reshape(count, size)
