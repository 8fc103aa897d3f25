"""The solvers of M_Sigma by the names of the variants of the forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx_converters.tree import cholesky, lu, sparse_equations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.formalism.builder import Program
    from mbx_converters.tree.link_kinematics import ByLink, Hinges
    from mbx_converters.tree.right_hand_sides import Solver

__all__ = ["SOLVERS", "TITLES"]

SOLVERS: Final[Mapping[str, Callable[[Program, Hinges, ByLink], Solver]]] = {
    "lu": lu.factorize,
    "cholesky": cholesky.factorize,
    "extended": sparse_equations.assemble,
}

TITLES: Final = {
    "lu": "Algorithm 1, two sweeps",
    "cholesky": "Algorithm 2, two sweeps with Cholesky factors",
    "extended": "all unknowns at once",
}
