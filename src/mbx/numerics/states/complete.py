"""States completed from partial data: some variables stay, the others are solved for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.numerics.tolerances import CLOSE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.states.manifold import Manifold, Points
    from mbx.system.system import Variable

__all__ = ["BOUNDLESS", "Completed", "complete", "likely"]

BOUNDLESS: Final = 1e15
"""A range that is wider, in SI units, stands for none: no mechanism is a tenth of a light year."""


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """A consistent state, and which choice of free coordinates and of free speeds led to it."""

    points: Points
    coordinates: int
    speeds: int


def complete(
    manifold: Manifold,
    points: Points,
    coordinates: Sequence[NDArray[np.bool_]],
    speeds: Sequence[NDArray[np.bool_]],
) -> Completed | None:
    """Bring one state onto the invariants; None if no choice of free variables leads there.

    Of several choices, the first that leads there counts: by steps in SI units or, where there is
    none, of the sizes of the model. A state with a joint whose sides point opposite ways is none.
    """
    from mbx.numerics.states.characteristic_sizes import sizes_of  # noqa: PLC0415  which looks for likely values here

    sizes = sizes_of(manifold)
    found = _first(manifold.project_positions, points, coordinates, sizes.q)
    if found is None or not manifold.assembled(found[0])[0]:
        return None
    then = _first(manifold.project_velocities, found[0], speeds, sizes.u)
    return None if then is None else Completed(then[0], found[1], then[1])


def _first(
    project: Callable[[Points, NDArray[np.bool_], Array | None], tuple[Points, Array]],
    points: Points,
    choices: Sequence[NDArray[np.bool_]],
    sizes: Array,
) -> tuple[Points, int] | None:
    for k, free in enumerate(choices):
        for unit in (None, sizes):
            done, error = project(points, free, unit)
            if error[0] <= CLOSE:
                return done, k
    return None


def likely(v: Variable) -> float:
    """Return where a variable starts or, if nothing is said, where it is looked for first."""
    if v.start is not None:
        return v.start
    lower, upper = v.range or (0.0, 0.0)
    if upper / 2 - lower / 2 > BOUNDLESS:
        return min(max(0.0, lower), upper)
    return lower / 2 + upper / 2
