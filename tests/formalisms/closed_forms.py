"""How forms are compared with closed forms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from formalisms.cases import Point, at, completed, forms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mbx.system.system import System

__all__ = [
    "ALL",
    "CLOSE",
    "IN_SPEEDS",
    "IN_TREE_MOMENTA",
    "ON_TREES",
    "RECURSIVE",
    "UDWADIA_KALABA",
    "Values",
    "agree",
    "scattered",
]

UDWADIA_KALABA: Final = {f"udwadia_kalaba:{x}" for x in ("positive", "singular", "augmented")}
IN_SPEEDS: Final = {"gauss", "gibbs_appell", "jourdain", "kane", "modular", "newton_euler"}
IN_RATES: Final = {"lagrange", "maggi", "nielsen"}
IN_QUASI_VELOCITIES: Final = {"boltzmann_hamel", "tzenoff"}
IN_MOMENTA: Final = {"hamilton"}
ON_TREES: Final = {
    "articulated_body",
    "composite_body",
    "recursive_newton_euler",
    "tree_lagrange_1",
    "tree_lagrange_2",
    *(f"rfda:{x}" for x in ("projection", "constraints", "coordinates")),
    *(
        f"semi_recursive_{k}{x}"
        for k in (1, 2)
        for x in ("", ":baumgarte", ":augmented", ":partitioned")
    ),
    *(f"tree_newton_euler:{x}" for x in ("lu", "cholesky", "extended")),
}
IN_TREE_MOMENTA: Final = {
    "tree_hamilton_multipliers",
    "tree_hamilton_reduced",
    *(f"tree_hamilton_extended:{x}" for x in ("lu", "cholesky", "extended")),
}
RECURSIVE: Final = ON_TREES | IN_TREE_MOMENTA
ALL: Final = RECURSIVE | IN_SPEEDS | IN_QUASI_VELOCITIES | IN_RATES | IN_MOMENTA | UDWADIA_KALABA
CLOSE: Final = 1e-10

Values = dict[str, float]


def agree(
    one: System,
    points: Iterable[Point],
    closed: Callable[[Point], Mapping[str, float]],
    accepting: set[str],
    within: float = CLOSE,
    loose: Mapping[str, float] | None = None,
) -> None:
    """Compare forms with a closed form, relative to the largest value at each point."""
    equations = forms(one)
    assert set(equations) == accepting, sorted(set(equations) ^ accepting)
    for point in points:
        expected = closed(point)
        scale = max(abs(x) for x in expected.values())
        for name, form in equations.items():
            found = at(one, form, point)
            margin = scale * (loose or {}).get(name, within)
            for wanted, value in expected.items():
                assert found.of(wanted) == pytest.approx(value, rel=0, abs=margin), (name, wanted)


def scattered(
    one: System, ranges: Mapping[str, tuple[float, float]], n: int = 4
) -> Iterator[Point]:
    """Return points with some variables anywhere in their ranges, the rest consistent."""
    draw = np.random.default_rng(7)
    for _ in range(n):
        t = float(draw.uniform(0, 2))
        said = {path: float(draw.uniform(*span)) for path, span in ranges.items()}
        yield Point(completed(one, said, t=t), t=t)
