"""The errors of all forms in something, at all states, and the worst of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mbx.verify.agreement.mutual_residuals import FAIL
from mbx.verify.findings import Error, weight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.mutual_residuals import Errors

__all__ = ["Judge", "largest_at", "worst_error"]


@dataclass(frozen=True, slots=True)
class Judge:
    """The errors of all forms in something, at all states.

    `forward` errors grow with condition numbers. Where they are `partial`, states without an
    error are left out; otherwise they are worst.
    """

    errors: list[Errors]
    names: tuple[str, ...]
    forward: bool = False
    partial: bool = False
    known: dict[tuple[int, bytes], Error | None] = field(default_factory=dict)
    """What has been looked up: every pair of forms needs the same."""

    def worst(self, form: int, where: NDArray[np.bool_]) -> Error | None:
        """Return the largest error of a form at some states; None if there are none."""
        key = form, where.tobytes()
        if key not in self.known:
            self.known[key] = self._worst(form, where)
        return self.known[key]

    def at_states(self, form: int, where: NDArray[np.bool_]) -> Array:
        """Return the largest error of a form at each state; zero at all others."""
        values = np.stack(
            [np.nan_to_num(errors.value[form], posinf=np.inf) for errors in self.errors]
        )
        return np.where(where, values.max(axis=0, initial=0.0), 0.0)

    def _worst(self, form: int, where: NDArray[np.bool_]) -> Error | None:
        candidates = []
        for errors in self.errors:
            values = errors.value[form]
            chosen = where & ~np.isnan(values) if self.partial else where
            certain = chosen & ~errors.excusable[form] & ~(values <= FAIL)
            k = largest_at(values, certain if certain.any() else chosen)
            if k is not None:
                candidates.append(
                    Error(
                        float(values[k]),
                        self.names[k],
                        errors.label(form, k),
                        forward=self.forward,
                        excusable=bool(errors.excusable[form, k]),
                    )
                )
        return worst_error(candidates)


def largest_at(values: Array, where: NDArray[np.bool_]) -> int | None:
    """Return where the largest value is; NaN is larger than any."""
    if not where.any():
        return None
    key = np.where(np.isnan(values), np.inf, values)
    missing = where & np.isnan(values)
    return (
        int(np.flatnonzero(missing)[0]) if missing.any() else int(np.where(where, key, -1).argmax())
    )


def worst_error(errors: Sequence[Error | None]) -> Error | None:
    """Return the worst error; a certain error comes before any that may be rounding."""
    known = [e for e in errors if e is not None]
    return max(known, key=weight, default=None)
