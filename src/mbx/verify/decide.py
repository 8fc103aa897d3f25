"""Errors that are neither small nor large go to the arbiter, each at the state where it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.verify.arbiter import (
    Precise,
    is_rounding,
    keeps_invariants,
    precise_result,
    precise_state,
)
from mbx.verify.guard import Fault, attempt
from mbx.verify.report import judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.verify.manifold import Points
    from mbx.verify.report import Error, Pair
    from mbx.verify.work import Work

__all__ = ["Arbiter"]

CREDIBLE: Final = 1e-4
"""Part of the largest acceleration by which fifty digits may differ from what was compared."""


@dataclass(slots=True)
class Arbiter:
    """Precise results of the forms of a verification, found when they are asked for."""

    work: Work
    known: dict[tuple[str, str], Precise | None] = field(default_factory=dict)

    def decide(
        self,
        pairs: Sequence[Pair],
        own: Mapping[str, Error],
        invariants: Mapping[str, Error],
    ) -> tuple[list[Pair], dict[str, Error], dict[str, Error]]:
        """Return what is given, with the answer of the arbiter where one is needed."""
        if self.work.higher:
            return list(pairs), dict(own), dict(invariants)
        decided = [
            replace(pair, ud=self._pair(pair, "ud"), Fc=self._pair(pair, "Fc")) for pair in pairs
        ]
        return (
            decided,
            {name: self._own(name, error) for name, error in own.items()},
            {name: self._invariants(name, error) for name, error in invariants.items()},
        )

    def _pair(self, pair: Pair, what: str) -> Error | None:
        error: Error | None = getattr(pair, what)
        if error is None or not _open(error):
            return error
        one, other = (self._precise(name, error.state) for name in pair.forms)
        if one is None or other is None:
            return error
        return _answered(error, same=is_rounding(one, other, what))

    def _own(self, name: str, error: Error) -> Error:
        """Decide by another formalism: rounding, if the two are the same in fifty digits."""
        if not _open(error):
            return error
        mine = self._precise(name, error.state)
        formalism = name.partition(":")[0]
        for form in self.work.forms:
            if mine is not None and form.formalism != formalism:
                other = self._precise(form.name, error.state)
                if other is not None:
                    return _answered(error, same=is_rounding(mine, other, "ud"))
        return error

    def _invariants(self, name: str, error: Error) -> Error:
        found = self._precise(name, error.state) if _open(error) else None
        return error if found is None else _answered(error, same=keeps_invariants(found))

    def _precise(self, name: str, state: str) -> Precise | None:
        """Return the precise results of a form; None if there are none that are credible."""
        if (name, state) not in self.known:
            self.known[name, state] = self._find(name, state)
        return self.known[name, state]

    def _find(self, name: str, state: str) -> Precise | None:
        k = self.work.sample.names.index(state)
        j = [form.name for form in self.work.forms].index(name)
        point = _one(self.work.sample.points, k)
        manifold, equations = self.work.manifold, self.work.forms[j].equations

        def work() -> Precise:
            return precise_result(equations, manifold, point, precise_state(manifold, point))

        found = attempt(work, self.work.clock.left)
        if isinstance(found, Fault):
            return None
        ud = np.array([float(x) for x in found["ud"][:, 0]])
        gap = np.abs(ud - self.work.results[j].ud[k]).max(initial=0.0)
        return found if gap <= CREDIBLE * np.abs(ud).max(initial=0.0) else None


def _open(error: Error) -> bool:
    return judge(error) == "undecided" and bool(np.isfinite(error.value))


def _answered(error: Error, *, same: bool) -> Error:
    return replace(error, arbiter="rounding" if same else "different")


def _one(points: Points, k: int) -> Points:
    chosen = np.zeros(len(points), dtype=bool)
    chosen[k] = True
    return points.some(chosen)
