"""What explicit steps integrate: the state itself, with or without stabilisation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.numerics.tolerances import DEPENDENT

if TYPE_CHECKING:
    from mbx.analyses.experiments.state_functions import Invariants
    from mbx.analyses.simulate.engine import Engine
    from mbx.codegen.native.function import Function
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Accelerated", "Stabilised"]

ALPHA: Final = 5.0
"""By the usual time of the model: what is left of invariants dies away by exp(-alpha t),
critically damped (Baumgarte, Computer Methods in Applied Mechanics and Engineering 1, 1972, with
alpha = beta)."""
_SECOND: Final = 2


class Accelerated:
    """States, and their rates by a form.

    Attributes:
        sizes: How large the numbers of a state are.
        names: What they are called.
    """

    def __init__(self, engine: Engine) -> None:
        """Take the form."""
        self._engine = engine
        self.sizes = engine.sizes
        self.names = engine.names

    @property
    def function(self) -> Function | None:
        """The rates in machine code."""
        return self._engine.function

    def rate(self, t: float, x: Array) -> Array:
        """Return how fast a state changes."""
        return self._engine.rate(t, x)

    def ran(self, times: int) -> None:
        """Count evaluations in machine code."""
        self._engine.calls += times

    def inside(self, t: float, y: Array) -> Array:  # noqa: ARG002  of all fields
        """Return the state."""
        return y

    def outside(self, t: float, x: Array) -> Array:  # noqa: ARG002  likewise
        """Return the state."""
        return x


class Stabilised(Accelerated):
    """States, and their rates with Baumgarte's terms."""

    def __init__(self, system: System, engine: Engine, rows: Invariants, time: float) -> None:
        """Take the form, the invariants, and the usual time of the model."""
        super().__init__(engine)
        self._alpha = ALPHA / time
        self._rows = rows
        self._n = len(system.q), len(system.q) + len(system.u)
        orders = [
            r.order for r in system.rows if r.order < _SECOND or (r.affine and r.order == _SECOND)
        ]
        self._holonomic = [k for k, order in enumerate(orders) if order == 0]
        self._low = [k for k, order in enumerate(orders) if order < _SECOND]

    @property
    def function(self) -> None:
        """None: stabilisation is not in machine code."""

    def rate(self, t: float, x: Array) -> Array:
        """Return how fast a state changes."""
        found = self._engine.rate(t, x)
        nq, nu = self._n
        found[nq:nu] += self._stabilised(t, x[:nq], x[nq:nu])
        return found

    def _stabilised(self, t: float, q: Array, u: Array) -> Array:
        """Return the least accelerations that bring back what is left of the invariants.

        A ud + b = -2 alpha v - alpha^2 c instead of zero.
        """
        A, _ = self._rows.accelerations(t, q, u)
        c, v = self._rows.left(t, q, u)
        wanted = np.zeros(len(A))
        wanted[self._low] -= 2 * self._alpha * v
        wanted[self._holonomic] -= self._alpha**2 * c[: len(self._holonomic)]
        speeds = self._rows.sizes[1]
        return np.asarray(speeds * np.linalg.lstsq(A * speeds, wanted, rcond=DEPENDENT)[0])
