"""A verification under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mbx.verify.agreement import mutual_residuals
from mbx.verify.agreement.reference.term_sizes import UNKNOWN, Sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.analyses.guard import Clock
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold
    from mbx.numerics.states.sample import Sample
    from mbx.verify.agreement.kinetics import Kinetics
    from mbx.verify.agreement.reference.reference_programs import Programs
    from mbx.verify.derived_forms import Excluded, Form, Result

__all__ = ["Work"]


@dataclass
class Work:
    """States, forms and what these give there; `results` are in the order of `forms`."""

    manifold: Manifold
    sample: Sample
    clock: Clock
    seed: int
    forms: list[Form]
    excluded: list[Excluded]
    higher: dict[str, Array] = field(default_factory=dict)
    given_higher: dict[str, Array] = field(default_factory=dict)
    """Accelerations that belong to given states, which are not drawn."""
    results: list[Result] = field(default_factory=list)
    compared: NDArray[np.bool_] | None = None
    """At which states forms are compared; all, until that is known."""
    sizes: Sizes = UNKNOWN
    """How large terms are and what rounding moves, once the forms have been run."""
    kinetics: Kinetics | None = None
    """What all mass elements do, where mechanics supports it."""

    @cached_property
    def programs(self) -> Programs:
        """What declared results are compared with, as programs."""
        from mbx.verify.agreement.reference.reference_programs import (
            Programs,  # faults are planted there
        )

        return Programs(self.manifold.system)

    def drop(self, gone: dict[int, Excluded]) -> None:
        """Leave out these forms, by number."""
        self.excluded += [why for k, why in gone.items() if not self.forms[k].witness]
        self.forms = [f for k, f in enumerate(self.forms) if k not in gone]
        self.results = [r for k, r in enumerate(self.results) if k not in gone]

    def without_norms(self, k: int, force: Array) -> Array:
        """Return a force at a state without what keeps quaternions at unit length."""
        chosen = np.arange(len(self.sample.names)) == k
        (G,) = self.manifold.at(self.sample.points.some(chosen), "G")
        return np.asarray(mutual_residuals.without(G, force[None])[0])

    def state(self, k: int) -> dict[str, float]:
        """Return the variables of a state, by path."""
        system, points = self.manifold.system, self.sample.points
        values = {v.path: float(points.q[k, j]) for j, v in enumerate(system.q)}
        values |= {v.path: float(points.u[k, j]) for j, v in enumerate(system.u)}
        return values | {path: float(value[k]) for path, value in self.higher.items()}
