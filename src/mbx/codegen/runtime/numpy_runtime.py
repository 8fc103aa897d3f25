"""What modules of the target `numpy` need beside linear algebra: states that fail, and shapes.

Nothing here imports mbx but for types and for `mbx.numerics.execute.stacked_algebra`, which is
copied likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence  # noqa: TC003  as copied
from typing import Any

import numpy as np

from mbx.numerics.execute.stacked_algebra import Array, Faults, nullspace

__all__ = ["basis", "evaluated", "matrix", "noted", "regular"]


def regular(K: int) -> Faults:
    """Return the status of states of which nothing bad is known."""
    return np.full(K, "regular", dtype=object)


def noted(
    status: Faults, value: Array, faults: Faults | None = None, reason: str = "not finite"
) -> Array:
    """Return matrices with zeros where a state has failed; its first fault becomes its status.

    A state also fails where a number is infinite or none at all, for this reason.
    """
    finite = np.isfinite(value).all(axis=(1, 2))
    if faults is None:
        faults = np.full(len(value), "", dtype=object)
    faults = np.where((faults == "") & ~finite, reason, faults)
    new = (status == "regular") & (faults != "")
    status[new] = faults[new]
    sound = status == "regular"
    return value if sound.all() else np.where(sound[:, None, None], value, 0.0)


def matrix(K: int, rows: Sequence[Sequence[Any]]) -> Array:
    """Return one matrix for each of K states; an entry is a number, or one for each state."""
    found = np.zeros((K, len(rows), len(rows[0])))
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            found[:, i, j] = entry
    return found


def basis(
    B: Array, nullity: int, independent: tuple[int, ...] | None = None
) -> tuple[Array, Faults]:
    """Return the null spaces of B; a state fails where it has another number of columns."""
    C, found = nullspace(B, independent)
    return C[:, :, B.shape[-1] - nullity :], np.where(found == nullity, "", "singular").astype(
        object
    )


def evaluated(
    program: Callable[..., dict[str, Array]],
    arguments: Sequence[Any],
    sizes: Sequence[int | None],
    *,
    only_rates: bool,
) -> dict[str, Any]:
    """Run a program on states of any number of axes, and bring its results into their shape.

    `sizes` are the lengths of the last axes of the arguments; t has none.
    """
    given = [np.asarray(one, dtype=np.float64) for one in arguments]
    for k, (one, n) in enumerate(zip(given, sizes, strict=True)):
        if n is not None and one.shape[-1:] != (n,):
            raise ValueError(f"argument {k + 1} has the shape {one.shape} and not (..., {n})")
    outer = [
        one.shape if n is None else one.shape[:-1] for one, n in zip(given, sizes, strict=True)
    ]
    shape = np.broadcast_shapes(*outer)
    K = int(np.prod(shape))
    flat = [
        np.broadcast_to(one, shape).reshape(K)
        if n is None
        else np.broadcast_to(one, (*shape, n)).reshape(K, n)
        for one, n in zip(given, sizes, strict=True)
    ]
    status = regular(K)
    with np.errstate(all="ignore"):
        found = program(*flat, status, only_rates=only_rates)
    for value in found.values():
        bad = ~np.isfinite(value).reshape(K, value[:1].size).all(axis=1)
        status[bad & (status == "regular")] = "not finite"
    sound = status == "regular"
    results = {}
    for name, value in found.items():
        kept = np.where(sound.reshape(K, *(1 for _ in value.shape[1:])), value, np.nan)
        results[name] = kept.reshape(*shape, *value.shape[1:])
    return {**results, "status": status.reshape(shape)}
