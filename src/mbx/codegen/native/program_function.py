"""The matrix program itself as a function, in NumPy: the last resort, which takes everything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.base.short_repr import join_names, shorten_repr
from mbx.codegen.native.argument_layout import Layout, Results, is_column
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.execute.lost_states import matrix_at_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from mbx.codegen.target import Subject

__all__ = ["ProgramFunction"]

_UNENDED: Final = "no convergence"


@dataclass(frozen=True, eq=False)
class ProgramFunction:
    """Equations as a function, step by step in NumPy; it looks for ranks at every state.

    Of statuses, 1 is every one but `regular` and `no convergence`.
    """

    subject: Subject
    wanted: Sequence[str]
    layout: Layout
    backend: str = "numpy"

    def __repr__(self) -> str:
        """Return the results and the backend."""
        return shorten_repr(f"<ProgramFunction of {join_names(self.wanted)}: {self.backend}>")

    @property
    def arguments(self) -> Mapping[str, tuple[str, ...]]:
        """The paths of what each group holds, in order."""
        return self.layout.paths

    def __call__(
        self,
        q: ArrayLike | Mapping[str, Any],
        u: ArrayLike | Mapping[str, Any],
        t: ArrayLike = 0.0,
        inputs: ArrayLike | Mapping[str, Any] | None = None,
        parameters: ArrayLike | Mapping[str, Any] | None = None,
        higher: ArrayLike | Mapping[str, Any] | None = None,
    ) -> Results:
        """Return the results at one state, or at many: the last axis counts numbers of a group."""
        said = {"q": q, "u": u, "higher": higher, "inputs": inputs, "parameters": parameters}
        groups = {name: self.layout.taken(name, value) for name, value in said.items()}
        time = np.asarray(t, dtype=np.float64)
        one = time.ndim == 0 and all(each.ndim == 1 for each in groups.values())
        by_path = {
            name: dict(zip(self.layout.paths[name], np.moveaxis(each, -1, 0), strict=True))
            for name, each in groups.items()
        }
        equations = self.subject.equations
        fixed = {
            p.path: self.subject.values[p.symbol]
            for p in equations.signature.parameters
            if p.symbol in self.subject.values
        }
        state = by_path["q"] | by_path["u"] | by_path["higher"]
        own = {path: float(x) for path, x in fixed.items()} | by_path["parameters"]
        values = values_of(equations, state, own, by_path["inputs"], time)
        names = [equations.results[meaning] for meaning in self.wanted]
        outcome = run(equations, values, wanted=names)
        status = np.where(outcome.status == REGULAR, 0, np.where(outcome.status == _UNENDED, 2, 1))
        found: dict[str, Any] = {}
        for meaning, name in zip(self.wanted, names, strict=True):
            matrix = matrix_at_all(equations, values, outcome, name)
            if isinstance(matrix, list):
                raise EquationsError(f"'{meaning}' differs in size between these states")
            if is_column(meaning, matrix.shape[2]):
                matrix = matrix.reshape(len(matrix), -1)
            found[meaning] = matrix[0] if one else matrix
        return Results(found, int(status[0]) if one else status.astype(np.int32))
