"""The same mechanism in another size: masses and lengths times a factor, forces along with them.

Every number is multiplied by factors to the powers of its dimension. Times stay, so speeds and
accelerations grow with lengths, and forces with masses and lengths.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mbx.language import units
from self_test.metamorphic.evaluate_relation import prepare
from self_test.metamorphic.measure_relation import Sizes, claim_of, gaps
from self_test.metamorphic.rescale import Ratio, Rescaling, rescaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from self_test.metamorphic.measure_relation import Gap
    from self_test.metamorphic.question import Question

__all__ = ["similar"]


def _same(path: str) -> str:
    return path


@dataclass(slots=True)
class _Size(Rescaling):
    """Units stay; what they measure is larger."""

    mass: Fraction = Fraction(1)
    length: Fraction = Fraction(1)

    def _unit(self, text: str | None) -> tuple[str | None, Ratio]:
        ratio = Ratio(self.factor(text))
        self.changed |= ratio != Ratio()
        return text, ratio

    def factor(self, text: str | None) -> Fraction:
        """Return how many times larger a quantity of a unit is."""
        if text is None or text == "integer":
            return Fraction(1)
        kg, m, *_ = units.parse(text).dimension
        if kg.denominator == m.denominator == 1:
            return self.mass ** int(kg) * self.length ** int(m)
        return Fraction(float(self.mass) ** float(kg) * float(self.length) ** float(m))


def similar(mass: Fraction, length: Fraction) -> Callable[[Question], Iterator[Gap]]:
    """Return a check that a mechanism of another size moves in the same way."""

    def look(question: Question) -> Iterator[Gap]:
        size = _Size(angles=False, mass=mass, length=length)
        variant = rescaled(question.linked, size, "it has no masses and lengths")
        base = question.results
        system = base.manifold.system
        units_of = {v.path: v.unit for v in (*system.q, *system.u)}
        units_of |= {p.path: p.unit for p in (*system.parameters, *system.inputs)}

        def factor(path: str) -> float:
            # rates have the factor of what they are rates of
            return float(size.factor(units_of.get(path) or units_of.get(path.rstrip("'"))))

        other = question.at(prepare(variant.linked, question.clock), _same, factor=factor)
        speeds = np.array([factor(path) for path in base.speeds])
        forces = float(mass) * float(length) ** 2 / speeds
        sizes = Sizes(speeds, forces, float(length))
        yield from gaps(base, claim_of(base, other, _same, None, sizes=sizes), question.clock)

    return look
