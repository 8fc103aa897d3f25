"""Which runs a study has: every combination of swept values, each with every sample."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.study.chance import unit_points
from mbx.analyses.study.study_errors import StudyError
from mbx.analyses.study.sweep_values import MOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.analyses.study.chance import Chance
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Design", "Sampling"]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How random values are drawn: how many, by which points, from which seed."""

    samples: int = 0
    by: str = "random"
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Design:
    """What is varied, by path, in SI units.

    Attributes:
        swept: Names with their values; the last one changes fastest.
        random: Names with their distributions.
        sampling: How samples of these are drawn.
    """

    swept: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    random: Mapping[str, Chance] = field(default_factory=dict)
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        """Refuse what is varied twice, no samples, and too many runs."""
        for name in self.swept:
            if name in self.random:
                raise StudyError(f"'{name}' is swept and random at the same time")
        for name, values in self.swept.items():
            if not values:
                raise StudyError(f"'{name}' is given no value")
        if self.random and self.sampling.samples < 1:
            raise StudyError("random values need samples: say how many, 1 or more")
        if self.sampling.samples and not self.random:
            raise StudyError("there is nothing random to take samples of")
        if self.count > MOST:
            raise StudyError(f"these are {self.count} runs, the most are {MOST}")

    @property
    def names(self) -> tuple[str, ...]:
        """All that is varied."""
        return (*self.swept, *self.random)

    @property
    def count(self) -> int:
        """How many runs there are."""
        return prod(map(len, self.swept.values())) * max(1, self.sampling.samples)

    def points(self) -> list[dict[str, float]]:
        """Return the values of each run, in order."""
        samples = self._samples()
        return [
            {**dict(zip(self.swept, values, strict=True)), **sample}
            for values in product(*self.swept.values())
            for sample in samples
        ]

    def _samples(self) -> list[dict[str, float]]:
        if not self.random:
            return [{}]
        p = unit_points(
            self.sampling.by, self.sampling.samples, len(self.random), self.sampling.seed
        )
        columns = np.array(
            [chance.at(x) for chance, x in zip(self.random.values(), p.T, strict=True)]
        )
        return list(_rows(tuple(self.random), columns))


def _rows(names: tuple[str, ...], columns: Array) -> Iterator[dict[str, float]]:
    for row in columns.T.tolist():
        yield dict(zip(names, row, strict=True))
