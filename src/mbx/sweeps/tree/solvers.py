"""The solvers of M_Sigma by the names of the variants of the forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.sweeps.tree import cholesky, extended, lu

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.sweeps.tree.ask import Solver

__all__ = ["SOLVERS", "TITLES"]

SOLVERS: Final[Mapping[str, Solver]] = {"lu": lu, "cholesky": cholesky, "extended": extended}

TITLES: Final = {
    "lu": "Algorithm 1, two sweeps",
    "cholesky": "Algorithm 2, two sweeps with Cholesky factors",
    "extended": "all unknowns at once",
}
