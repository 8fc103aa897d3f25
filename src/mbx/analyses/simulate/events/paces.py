"""How long steps may be, so that no function of the time or of the state is stepped over."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.simulate.events.narrow_features import HIDDEN, NEGLIGIBLE, STEEP, features_in
from mbx.codegen.python.python_function import python_function
from mbx.expr.nodes import FUNCTION
from mbx.numerics.intervals import Interval
from mbx.numerics.tolerances import SHORTEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from mbx.analyses.simulate.events.narrow_features import Feature
    from mbx.expr.nodes import Node
    from mbx.numerics.execute.stacked_algebra import Array

    Truths = NDArray[np.bool_]

__all__ = ["FEW", "Paces"]

HALVINGS: Final = 44
"""How often the whole time is halved at most: shorter steps there are none."""
MOST: Final = 100_000
"""Parts of the time; beyond, steps are as short as these all over."""
CELLS: Final = 16
"""Parts of a step in which functions of the state are bounded."""
FINER: Final = 24
"""How often such a part is halved."""
WIDER: Final = 0.05
"""Part by which a box is wider than the states at the ends of a part of a step."""
SHORTER: Final = 0.25
LONGER: Final = 2.0
"""Ratios of a step to one that missed something, and to the one before."""
FLAT: Final = 0.5
"""Change of an argument below which a function of it shows itself."""
GONE: Final = 40.0
"""Magnitude of an argument beyond which exp(-x) and tanh(x) have no more digits."""
_SAMPLES: Final = (1 - np.cos(np.linspace(0, np.pi, 9))) / 2
FEW: Final = (0.0, 0.13, 0.37, 0.61, 0.89, 1.0)
"""Parts of a step at which it is looked at first: its ends, and unevenly between them."""


class Paces:
    """Bounds of the steps of a run."""

    def __init__(
        self,
        nodes: Iterable[Node],
        known: Mapping[Node, Node],
        variables: Sequence[Node],
        span: tuple[float, float],
        looks: Sequence[float],
    ) -> None:
        """Find the functions in nodes; `variables` are the time and the state.

        `looks` are the instants at which a step looks at rates, as parts of it.
        """
        self._t = variables[0]
        self._variables = list(variables)
        self._span = span
        self._looks = sorted({0.0, *looks})
        found = features_in(nodes, known, variables)
        in_time = [one for one in found if one.symbols == (self._t,)]
        self._features = [one for one in found if one.symbols != (self._t,)]
        self._starts, self._lengths = self._parts(in_time)
        arguments = [one.argument for one in self._features]
        self._arguments = python_function(arguments, variables)
        self._longest = np.inf

    @property
    def any(self) -> bool:
        """Whether there are bounds."""
        return bool(self._starts or self._features)

    def bound(self, t: float, bound: float) -> float:
        """Return the time up to which the next step may go, which is not beyond a bound."""
        best = min(bound, t + self._longest)
        share = min(0.5, (len(self._looks) - 1) / len(_SAMPLES))
        for k in range(max(bisect_right(self._starts, t) - 1, 0), len(self._starts)):
            if self._starts[k] >= best:
                break
            best = min(best, max(self._starts[k], t + share * self._lengths[k]))
        return best

    def missed(self, t: float, end: float, between: Callable[[float], Array]) -> bool:
        """Return whether a step goes over something that it did not look at; shorten the next."""
        h = end - t
        if self._features and h > SHORTEST * (self._span[1] - self._span[0]):
            some = self._suspects(t, h, between)
            if some and self._hides(some, t, h, between):
                self._longest = SHORTER * h
                return True
        if h > self._longest / 2:
            self._longest *= LONGER
        return False

    # -- functions of the time -------------------------------------------------------------------

    def _parts(self, features: Sequence[Feature]) -> tuple[list[float], list[float]]:
        """Return parts of the time in which samples show all of these: starts and lengths."""
        first, last = self._span
        low, width = np.array([first]), last - first
        starts: list[Array] = []
        lengths: list[Array] = []
        count = 0
        for depth in range(HALVINGS):
            hidden, flat = np.zeros(len(low), dtype=bool), np.ones(len(low), dtype=bool)
            for one in features:
                more, still = self._hidden(one, low, width)
                hidden, flat = hidden | more, flat & still
            starts.append(low[~hidden])
            lengths.append(np.where(flat[~hidden], np.inf, width))
            low = low[hidden]
            count += len(starts[-1])
            if not len(low) or depth + 1 == HALVINGS or count + 2 * len(low) > MOST:
                break
            width /= 2
            low = np.stack([low, low + width], axis=1).ravel()
        a, h = np.concatenate([*starts, low]), np.concatenate([*lengths, np.full(len(low), width)])
        if len(a) == 1:
            return [], []
        order = np.argsort(a)
        return a[order].tolist(), h[order].tolist()

    def _hidden(self, one: Feature, low: Array, width: float) -> tuple[Truths, Truths]:
        """Return where a function may change by more than its samples show, and where it is flat.

        What has no value is another branch, or the run ends there.
        """
        change, spread, most = one.changes({self._t: Interval(low, low + width)})
        seen = one.at({self._t: low[:, None] + width * _SAMPLES})
        with np.errstate(all="ignore"):
            shown = np.ptp(seen, axis=1)
        flat = change <= NEGLIGIBLE * most * (self._span[1] - self._span[0]) / width
        return np.asarray(np.isfinite(shown) & ~(flat | (spread <= STEEP * shown))), flat

    # -- functions of the state ------------------------------------------------------------------

    def _suspects(self, t: float, h: float, between: Callable[[float], Array]) -> list[Feature]:
        """Return the functions whose arguments change by much in a step."""
        try:
            rows = [self._arguments([at, *between(at).tolist()]) for at in t + h * np.array(FEW)]
        except (ArithmeticError, ValueError):
            return self._features
        x = np.array(rows)
        low, high = x.min(axis=0), x.max(axis=0)
        apart = high - low
        near = np.maximum(np.where((low < 0) & (high > 0), 0.0, np.abs(x).min(axis=0)) - apart, 0.0)
        return [
            one
            for k, one in enumerate(self._features)
            if not (_flat(one, apart[k], near[k]) or _gone(one, high[k] + apart[k], near[k]))
        ]

    def _hides(
        self, some: Sequence[Feature], t: float, h: float, between: Callable[[float], Array]
    ) -> bool:
        """Return whether functions change by more than what a step looked at shows."""
        states = {at: between(at) for at in np.linspace(t, t + h, CELLS + 1).tolist()}
        times = sorted(states)
        looked = [t + h * part for part in self._looks]
        values = self._values(looked, {at: between(at) for at in looked})
        for one in some:
            shown = float(np.ptp(one.at(values)))
            if not np.isfinite(shown):
                continue
            if self._beyond(one, shown, times, states, between):
                return True
        return False

    def _beyond(
        self,
        one: Feature,
        shown: float,
        times: list[float],
        states: dict[float, Array],
        between: Callable[[float], Array],
    ) -> bool:
        """Return whether a function goes beyond what was shown of it somewhere in a step."""
        whole = self._span[1] - self._span[0]
        cells = list(pairwise(times))
        for _ in range(FINER):
            low, high = (np.array([states[at] for at in ends]) for ends in zip(*cells, strict=True))
            t = np.array(cells)
            boxes = self._boxes(one, t, low, high)
            width, spread, most = one.changes(boxes)
            change = np.fmin(width, spread)
            small = NEGLIGIBLE * most * whole / (t[:, 1] - t[:, 0])
            left = np.flatnonzero(~(change <= np.maximum(HIDDEN * shown, small)))
            if not len(left):
                return False
            if len(left) > 2 * CELLS:
                return True
            halves: list[tuple[float, float]] = []
            for k in left.tolist():
                a, b = cells[k]
                middle = (a + b) / 2
                states.setdefault(middle, between(middle))
                halves += [(a, middle), (middle, b)]
            ends = [one.at(self._values(some, states)) for some in zip(*halves, strict=True)]
            changes = np.abs(ends[1] - ends[0]).reshape(-1, 2).max(axis=1)
            if (changes > np.maximum(HIDDEN * shown, small[left])).any():
                return True
            cells = halves
        return False

    def _values(self, times: Sequence[float], states: Mapping[float, Array]) -> dict[Node, Array]:
        rows = np.array([[at, *states[at].tolist()] for at in times])
        return dict(zip(self._variables, rows.T, strict=True))

    def _boxes(self, one: Feature, t: Array, a: Array, b: Array) -> dict[Node, Interval]:
        """Return boxes around the states at the ends of some parts of a step."""
        found = {}
        for symbol in one.symbols:
            k = self._variables.index(symbol)
            ends = t if k == 0 else np.stack([a[:, k - 1], b[:, k - 1]], axis=1)
            wider = WIDER * np.ptp(ends, axis=1) if k else 0.0
            found[symbol] = Interval(ends.min(axis=1) - wider, ends.max(axis=1) + wider)
        return found


def _flat(one: Feature, apart: float, near: float) -> bool:
    """Return whether a function shows itself: its argument changes by little."""
    return bool(apart <= (FLAT if one.node.op is FUNCTION else FLAT * near))


def _gone(one: Feature, high: float, near: float) -> bool:
    """Return whether a function is constant, to all digits, where an argument is."""
    return (one.node.value == "exp" and high < -GONE) or (one.node.value == "tanh" and near > GONE)
