"""Motions near a state that the invariants allow, by independent variables.

Which variables are independent is a choice: those that the model proposes if they can be, else
the first ones, in the order of the model, that distinguish the allowed motions well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.numerics.tolerances import EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.analyses.linearize.residual_slopes import Residual
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = [
    "Choice",
    "Directions",
    "Freedoms",
    "LostChoiceError",
    "all_directions",
    "directions",
    "freedoms",
    "independent_rows",
    "solved",
]

Choice = tuple[tuple[int, ...], tuple[int, ...]]
"""Positions of coordinates and of speeds that are independent."""

ZERO: Final = 1e-9
"""Part of the largest singular value below which one is zero."""
LEFT: Final = 1e-8
"""Part of the largest term that may remain of linear equations."""
POOR: Final = 0.03
"""How well variables distinguish motions of length 1 if they hardly do so."""
CLEAR: Final = 0.1
"""Part of the best choice's share that makes an earlier variable as good a choice."""


@dataclass(frozen=True, slots=True, eq=False)
class Freedoms:
    """Allowed motions: columns of `T`, each with one of the `chosen` variables moving by 1."""

    chosen: tuple[int, ...]
    T: Array


class LostChoiceError(NotRunError):
    """Variables that were to be independent do not distinguish the allowed motions at a state."""


def freedoms(
    J: Array, preferred: Sequence[int] = (), chosen: Sequence[int] | None = None
) -> Freedoms:
    """Return the motions x with J x = 0; rows of J may depend on each other.

    Raise `LostChoiceError` where the `chosen` variables, if any are passed, cannot be those that
    are independent.
    """
    _require_numbers(J)
    n = J.shape[1]
    size = np.abs(J).max(axis=1, keepdims=True, initial=0.0)
    _, s, Vt = np.linalg.svd(J / np.where(size > 0, size, 1.0))
    rank = int((s > ZERO * s.max(initial=0.0)).sum()) if s.size else 0
    N = Vt[rank:].T
    if chosen is None:
        order = [*preferred, *(k for k in range(n) if k not in preferred)]
        rows = sorted(independent_rows(N, order))
    else:
        rows = list(chosen)
        singular_values = (
            np.linalg.svd(N[rows], compute_uv=False) if len(rows) == N.shape[1] else np.zeros(1)
        )
        if not singular_values.min(initial=1.0) > POOR:
            raise LostChoiceError("other variables are independent at the state")
    return Freedoms(tuple(rows), np.asarray(np.linalg.solve(N[rows].T, N.T).T))


def independent_rows(N: NDArray[Any], order: Sequence[int]) -> list[int]:
    """Return rows of N that are independent, by Gram and Schmidt's method."""
    left = N.copy()
    rows: list[int] = []
    for _ in range(N.shape[1]):
        share = np.linalg.norm(left, axis=1)
        k = next(k for k in order if share[k] >= CLEAR * share.max())
        rows.append(k)
        unit = left[k] / share[k]
        left = left - np.outer(left @ unit.conj(), unit)
    return rows


def solved(K: Array, right: Array, size: Array | None = None) -> tuple[Array, Array, float]:
    """Return x with K x = right of least squares, null vectors of K, and what remains.

    Rows and columns are scaled to 1 first; what remains is relative to the largest term, where
    `size` is how large the terms are that the right-hand side is the sum of.
    """
    _require_numbers(K, right)
    rows = np.abs(K).max(axis=1, keepdims=True, initial=0.0)
    rows = np.where(rows > 0, rows, 1.0)
    columns = np.abs(K / rows).max(axis=0, keepdims=True, initial=0.0)
    columns = np.where(columns > EMPTY, columns, 1.0)  # rounding must not be scaled up
    scaled, wanted = K / rows / columns, right / rows
    U, s, Vt = np.linalg.svd(scaled)
    rank = int((s > ZERO * s.max(initial=0.0)).sum()) if s.size else 0
    y = Vt[:rank].T @ ((U[:, :rank].T @ wanted) / s[:rank, None])
    terms = np.abs(scaled) @ np.abs(y) + np.abs(wanted if size is None else size / rows)
    left = float(np.abs(scaled @ y - wanted).max(initial=0.0))
    largest = float(terms.max(initial=0.0))
    N = Vt[rank:].T / columns.T
    return y / columns.T, N, left / largest if largest else 0.0


def _require_numbers(*matrices: Array) -> None:
    if not all(np.isfinite(each).all() for each in matrices):
        raise NotRunError("a force or an invariant has no value at the state, or no slope")


@dataclass(frozen=True, slots=True, eq=False)
class Directions:
    """Small motions of a system: what q and u do as each independent variable moves by 1.

    `coordinates` and `speeds` are the positions of the independent ones, in this order.
    """

    coordinates: tuple[int, ...]
    speeds: tuple[int, ...]
    dq: Array
    du: Array

    @property
    def choice(self) -> Choice:
        """The independent variables."""
        return self.coordinates, self.speeds

    def steps(self, inputs: int) -> Array:
        """Return what q, u and some inputs do along the directions, and as each input moves."""
        moved = np.vstack([self.dq, self.du])
        above = np.hstack([moved, np.zeros((len(moved), inputs))])
        below = np.hstack([np.zeros((inputs, moved.shape[1])), np.eye(inputs)])
        return np.vstack([above, below])


def directions(
    residual: Residual,
    values: Mapping[Node, Any],
    following: Callable[[Array], Array] | None = None,
    choice: Choice | None = None,
) -> Directions:
    """Return the small motions at a state that the invariants allow.

    Where invariants of velocities contradict each other next to the state, it is refused, unless
    `following` gives the speeds x that meet Vu x = right most nearly. With a `choice`, these
    variables are the independent ones.
    """
    first, second = (None, None) if choice is None else choice
    Cq, Vq, Vu = residual.known([("c", "q"), ("v", "q"), ("v", "u")], values)
    positions = freedoms(Cq, _preferred_coordinates(residual), first)
    speeds = freedoms(Vu, _preferred_speeds(residual, positions), second)
    # speeds that follow where positions change alone: Vu W + Vq Tq = 0, those chosen at rest
    if following is not None:
        W = following(-Vq @ positions.T)
    else:
        (size,) = residual.sizes([("v", "q")], values)
        W, _, left = solved(Vu, -Vq @ positions.T, size @ np.abs(positions.T))
        if not left <= LEFT:
            raise NotRunError(
                "the invariants of velocities cannot be linearised at the state: they contradict"
                " each other next to it"
            )
    W = W - speeds.T @ W[list(speeds.chosen)]
    return Directions(
        positions.chosen,
        speeds.chosen,
        np.hstack([positions.T, np.zeros((len(residual.q), len(speeds.chosen)))]),
        np.hstack([W, speeds.T]),
    )


def all_directions(residual: Residual) -> Directions:
    """Return all coordinates and speeds as if each moved by itself, off the invariants too."""
    n, m = len(residual.q), len(residual.moving.u)
    every = np.eye(n + m)
    return Directions(tuple(range(n)), tuple(range(m)), every[:n], every[n:])


def _preferred_speeds(residual: Residual, positions: Freedoms) -> Sequence[int]:
    """Return the speeds that the model proposes, else the rates of independent coordinates."""
    if residual.moving.independent is not None:
        return residual.moving.independent
    bases = [residual.q[k] for k in positions.chosen]
    return [k for k, v in enumerate(residual.moving.speeds) if v.base in bases]


def _preferred_coordinates(residual: Residual) -> Sequence[int]:
    """Return the coordinates whose rates the model proposes as independent."""
    proposed = residual.moving.independent or ()
    bases = [residual.moving.speeds[k].base for k in proposed]
    return [residual.q.index(base) for base in bases if base is not None]
