"""Inverse dynamics: the inputs that bring prescribed motions about, at samples.

Each motion is an invariant more, with the inputs as its reaction. Where the states are known
(`mbx.analyses.inverse.prescribed_motion`), inputs x are sought such that the accelerations of a
form keep the motions,

    A_p ud(x) + b_p = 0.

Accelerations are affine in inputs in most models, and one step is enough. Friction that grows
with reactions is computed together with the inputs (`mbx.analyses.inverse.friction`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.form_rounding import COUNT, noise
from mbx.analyses.inverse.actuation import require_actuated, require_counts
from mbx.analyses.inverse.friction import magnitudes_of, with_magnitudes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.experiments.observe import Observer, Place, Seen
    from mbx.analyses.inverse.prescribed_motion import Driven
    from mbx.formalism.equations import Equations
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["SINGULAR", "with_inputs"]

SINGULAR: Final = "singular"
"""Status of a sample at which inputs have no hold on the motions."""
ROUNDS: Final = 30
EXACT: Final = 1e-11
"""Part of its terms that may remain of a prescribed acceleration."""
GAIN: Final = 0.1
"""Part of what was left before that a good step leaves."""
NARROW: Final = 1e-6
"""Least change of an input that shows what it does."""


def with_inputs(
    observer: Observer,
    equations: Equations,
    plan: Plan,
    samples: Sequence[Driven],
    *,
    least: bool = False,
    lost: list[str] | None = None,
) -> list[Seen]:
    """Return what a form gives at samples, with the inputs that keep the motions there.

    Of more inputs than motions, those of the `least` sum of squares are taken, if that is
    requested. Where inputs cannot keep the motions at any sample, `NotRunError` states which, and
    when; a sample at which they cannot is singular, and `lost` receives when that is.
    """
    require_counts(plan, equations, least=least)

    def find(look: Observer, form: Equations, part: Sequence[Driven]) -> list[Seen]:
        seen, texts = _solve(look, form, plan, part)
        if lost is not None:
            lost.extend(text for text in texts if text not in lost)
        return seen

    magnitudes = magnitudes_of(observer.system)
    if magnitudes is not None:
        seen = with_magnitudes(magnitudes, observer, equations, samples, find)
        if seen is not None:
            return seen
    return find(observer, equations, samples)


def _solve(
    observer: Observer, equations: Equations, plan: Plan, samples: Sequence[Driven]
) -> tuple[list[Seen], list[str]]:
    """Return what a form gives with inputs computed from their effect, and where they have none.

    Where they have no hold on the motions, the sample is singular.
    """
    search = _Search(observer, equations, plan.unknowns, samples)
    left = search.begin()
    singular, texts = require_actuated(plan, samples, search.slopes)
    for k in singular:
        search.seen[k] = replace(search.seen[k], status=SINGULAR)
    open_ones = [k for k in sorted(search.slopes) if k not in singular]
    width = 1.0
    for _ in range(ROUNDS):
        for k in open_ones:
            search.step(k, left[k])
        before, left = left, search.missing(open_ones)
        open_ones = search.beyond(before, left)
        if not open_ones:
            return search.seen, texts
        width = max(width / 10, NARROW)
        search.differentiate(open_ones, width)
    t = samples[open_ones[0]].place.t
    raise NotRunError(f"no inputs were found that keep the prescribed motions at t = {t:.6g} s")


class _Search:
    """Inputs at each sample, what the form gives with them, and what they do to the motions."""

    def __init__(
        self,
        observer: Observer,
        equations: Equations,
        paths: Sequence[str],
        samples: Sequence[Driven],
    ) -> None:
        """Begin with the inputs that the samples have."""
        self._look = observer
        self._nearby = replace(observer, nudge=True)
        self._equations = equations
        self._paths = paths
        self._samples = samples
        self._x = [np.array([sample.place.inputs[path] for path in paths]) for sample in samples]
        self.seen: list[Seen] = []
        self.slopes: dict[int, Array] = {}

    def begin(self) -> dict[int, tuple[Array, Array]]:
        """Return what the first inputs leave of the motions; find what each input does.

        The form is evaluated once for both: a state more costs less than a run more.
        """
        every = range(len(self._samples))
        requested = [self._with(k, self._x[k]) for k in every]
        seen = self._look.at(self._equations, [*requested, *self._changed(every, 1.0)])
        self.seen = seen[: len(requested)]
        left = self._left(every)
        self._differentiate(every, 1.0, seen[len(requested) :])
        return left

    def missing(self, indices: Sequence[int]) -> dict[int, tuple[Array, Array]]:
        """Return what the inputs leave of the motions at samples that are regular, and its size."""
        seen = self._look.at(self._equations, [self._with(k, self._x[k]) for k in indices])
        for k, here in zip(indices, seen, strict=True):
            self.seen[k] = here
        return self._left(indices)

    def _left(self, indices: Sequence[int]) -> dict[int, tuple[Array, Array]]:
        return {
            k: self._samples[k].missing(self.seen[k].ud) for k in indices if self.seen[k].regular
        }

    def differentiate(self, indices: Sequence[int], width: float) -> None:
        """Find what each input does at samples, from changes of some width."""
        changed = self._changed(indices, width)
        self._differentiate(
            indices, width, self._look.at(self._equations, changed) if changed else []
        )

    def _changed(self, indices: Sequence[int], width: float) -> list[Place]:
        changes = width * np.eye(len(self._paths))
        return [self._with(k, self._x[k] + d) for k in indices for d in changes]

    def _differentiate(self, indices: Sequence[int], width: float, seen: Sequence[Seen]) -> None:
        each = len(self._paths)
        for n, k in enumerate(indices):
            if not self.seen[k].regular:
                continue
            here = seen[n * each : (n + 1) * each]
            if all(state.regular for state in here):
                now = self._samples[k].missing(self.seen[k].ud)[0]
                columns = [self._samples[k].missing(state.ud)[0] - now for state in here]
                self.slopes[k] = np.stack(columns, axis=1) / width
            else:
                self.seen[k] = next(state for state in here if not state.regular)

    def step(self, k: int, left: tuple[Array, Array]) -> None:
        """Change the inputs at a sample; of all that do, take those of least squares.

        The inputs are least, and not their change, as it is in `gauss_newton`.
        """
        slopes = self.slopes[k]
        self._x[k] = np.linalg.pinv(slopes) @ (slopes @ self._x[k] - left[0])

    def beyond(
        self, before: Mapping[int, tuple[Array, Array]], left: Mapping[int, tuple[Array, Array]]
    ) -> list[int]:
        """Return where more is left of the motions than may be.

        Where motions and inputs are zero but for rounding, their own sizes show nothing of it; how
        much there is shows at nearly the same sample, and is evaluated where a step gains nothing.
        """
        beyond: list[int] = []
        doubtful: list[int] = []
        # what inputs do may cancel what acts without them
        allowed = {
            k: EXACT * (size + np.abs(self.slopes[k]) @ np.abs(self._x[k]))
            for k, (_, size) in left.items()
        }
        for k, (rest, _) in left.items():
            if (np.abs(rest) > allowed[k]).any():
                gains = np.abs(rest).max() < GAIN * np.abs(before[k][0]).max()
                (beyond if gains else doubtful).append(k)
        nearby = [self._with(k, self._x[k]) for k in doubtful for _ in range(COUNT)]
        seen = self._nearby.at(self._equations, nearby) if nearby else []
        for n, k in enumerate(doubtful):
            near = seen[n * COUNT : (n + 1) * COUNT]
            rests = [self._samples[k].missing(state.ud)[0] for state in near if state.regular]
            rest = left[k][0]
            rounding = [noise(x, [other[i] for other in rests]) for i, x in enumerate(rest)]
            if (np.abs(rest) > np.maximum(allowed[k], rounding)).any():
                beyond.append(k)
        return sorted(beyond)

    def _with(self, k: int, x: Array) -> Place:
        sample = self._samples[k].place
        values = dict(zip(self._paths, map(float, x), strict=True))
        return replace(sample, inputs={**sample.inputs, **values})
