"""Which reactions are unique: of every joint, whether it places a body or closes a loop.

Multipliers are open along the null space of A^T. The balances of the bodies, W X + WL lam,
hand that on to the reactions X of the joints that place them: dX = -W^-1 WL dlam. Idle rows of
joints are in no equation, so that their multipliers are open, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.structure.structure_report import Reaction
from mbx.mechanics.reactions import COMPONENTS
from mbx.numerics.execute.stacked_algebra import NOT_UNIQUE, least_squares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mbx.analyses.structure.structure_matrices import Matrices, Skeleton
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["reactions_of"]


def _open_multipliers(free: list[Array], idle: int) -> list[Array]:
    """Return for each state the directions in which multipliers are open, idle ones last."""
    directions = []
    for columns in free:
        m, width = columns.shape
        full = np.zeros((m + idle, width + idle))
        full[:m, :width] = columns
        full[m:, width:] = np.eye(idle)
        directions.append(full)
    return directions


def reactions_of(
    skeleton: Skeleton, matrices: Matrices, chosen: NDArray[np.bool_], free: list[Array]
) -> list[Reaction]:
    """Return the joints with the components of their reactions that are open at some state.

    `free` are the left null vectors of A at the chosen states.
    """
    every = _open_multipliers(free, len(skeleton.idle))
    open_parts: dict[str, NDArray[np.bool_]] = {}
    for k, columns in zip(np.flatnonzero(chosen), every, strict=True):
        W, WL = matrices.W[k], matrices.WL[k]
        X = least_squares(W[None], -(WL @ columns)[None])[0][0] if WL.size else WL @ columns
        size = _size(W, WL, columns)
        for path, span in skeleton.holders.items():
            _mark(open_parts, path, X[list(span)], size)
        for path, Y in matrices.Y.items():
            _mark(open_parts, path, Y[k] @ columns, size)
    return [
        Reaction(
            path,
            tuple(c for c, is_open in zip(COMPONENTS, mask, strict=False) if is_open),
            path not in skeleton.holders,
        )
        for path, mask in open_parts.items()
    ]


def _size(W: Array, WL: Array, columns: Array) -> float:
    """Return the size that a component is compared with: of what multipliers do to bodies."""
    return float(np.abs(WL @ columns).max(initial=0.0)) if WL.size and W.size else 1.0


def _mark(open_parts: dict[str, NDArray[np.bool_]], path: str, columns: Array, size: float) -> None:
    width = np.abs(columns).max(axis=1, initial=0.0)
    before = open_parts.get(path, np.zeros(len(width), dtype=bool))
    open_parts[path] = before | (width > NOT_UNIQUE * max(size, 1.0))
