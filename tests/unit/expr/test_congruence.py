"""Matrices turned from one frame to another: right numbers, and few operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pytest

from mbx.expr.algebra.congruence import turned, turned_symmetric
from mbx.expr.build import UNIT, function, matmul, neg
from mbx.expr.count import operations
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import ONE, ZERO, Node, symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.build import Matrix

Q, P = symbol("q"), symbol("p")
C, S = function("cos", Q), function("sin", Q)
ABOUT: Final[dict[str, Matrix]] = {
    "x": ((ONE, ZERO, ZERO), (ZERO, C, neg(S)), (ZERO, S, C)),
    "y": ((C, ZERO, S), (ZERO, ONE, ZERO), (neg(S), ZERO, C)),
    "z": ((C, neg(S), ZERO), (S, C, ZERO), (ZERO, ZERO, ONE)),
}
CYCLE: Final[Matrix] = ((ZERO, ZERO, ONE), (ONE, ZERO, ZERO), (ZERO, ONE, ZERO))
MIRROR: Final[Matrix] = ((neg(ONE), ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, neg(ONE)))
R_P: Final[Matrix] = (
    (function("cos", P), neg(function("sin", P)), ZERO),
    (function("sin", P), function("cos", P), ZERO),
    (ZERO, ZERO, ONE),
)
TURNS: Final[dict[str, Matrix]] = {
    **ABOUT,
    "cycle then z": matmul(CYCLE, ABOUT["z"]),
    "z then cycle": matmul(ABOUT["z"], CYCLE),
    "mirrored x": matmul(MIRROR, ABOUT["x"]),
    "mirrored z": matmul(MIRROR, ABOUT["z"]),
    "cycle alone": CYCLE,
    "mirror alone": MIRROR,
    "none": UNIT,
    "two axes": matmul(ABOUT["x"], R_P),
    "two angles about z": matmul(ABOUT["z"], R_P),
}
GENERAL: Final = [[symbol(f"a{i}{j}") for j in range(3)] for i in range(3)]
SYMMETRIC: Final = [[symbol(f"s{max(i, j)}{min(i, j)}") for j in range(3)] for i in range(3)]


def _values() -> dict[Node, float]:
    draw = np.random.default_rng(3)
    every = {x for row in (*GENERAL, *SYMMETRIC) for x in row} | {Q, P}
    return {x: float(draw.uniform(-1, 1)) for x in sorted(every, key=lambda x: str(x.value))}


def _numbers(rows: Sequence[Sequence[Node]]) -> np.ndarray:
    flat = evaluate([x for row in rows for x in row], _values())
    return np.array(flat, dtype=float).reshape(3, 3)


@pytest.mark.parametrize("name", TURNS)
def test_a_matrix_is_multiplied_from_both_sides(name: str) -> None:
    R, A = _numbers(TURNS[name]), _numbers(GENERAL)
    assert _numbers(turned(TURNS[name], GENERAL)) == pytest.approx(R @ A @ R.T, abs=1e-14)


@pytest.mark.parametrize("name", TURNS)
def test_a_symmetric_matrix_is_multiplied_from_both_sides_and_stays_so(name: str) -> None:
    R, A = _numbers(TURNS[name]), _numbers(SYMMETRIC)
    found = turned_symmetric(TURNS[name], SYMMETRIC)
    assert _numbers(found) == pytest.approx(R @ A @ R.T, abs=1e-14)
    assert all(found[i][j] is found[j][i] for i in range(3) for j in range(3))


def _cost(rows: Sequence[Sequence[Node]]) -> int:
    found = operations(x for row in rows for x in row)
    return found["add"] + found["mul"]


@pytest.mark.parametrize("name", ["x", "y", "z", "cycle then z", "z then cycle", "mirrored x"])
def test_a_turn_about_one_axis_costs_sixteen_operations_of_a_symmetric_matrix(name: str) -> None:
    # in the plane 5 products and 5 sums, beside it 4 products and 2 sums
    assert _cost(turned_symmetric(TURNS[name], SYMMETRIC)) == 16


@pytest.mark.parametrize("name", ["x", "y", "z", "cycle then z", "z then cycle", "mirrored z"])
def test_a_turn_about_one_axis_costs_twenty_three_operations_of_any_matrix(name: str) -> None:
    # in the plane 4 products and 7 sums, beside it twice 4 products and 2 sums
    assert _cost(turned(TURNS[name], GENERAL)) == 23


@pytest.mark.parametrize("name", ["cycle alone", "mirror alone", "none"])
def test_axes_that_only_change_places_cost_nothing(name: str) -> None:
    assert _cost(turned_symmetric(TURNS[name], SYMMETRIC)) == 0
    assert _cost(turned(TURNS[name], GENERAL)) == 0


def test_zeros_beside_the_axis_stay_zeros() -> None:
    S = [[SYMMETRIC[0][0], ZERO, ZERO], [ZERO, SYMMETRIC[1][1], ZERO], [ZERO, ZERO, ONE]]
    found = turned_symmetric(ABOUT["z"], S)
    assert found[2] == [ZERO, ZERO, ONE]
    assert found[0][1] is not ZERO


def test_a_block_that_does_not_turn_is_not_taken_for_one() -> None:
    odd: Matrix = ((C, neg(P), ZERO), (S, C, ZERO), (ZERO, ZERO, ONE))
    A = _numbers(GENERAL)
    assert _numbers(turned(odd, GENERAL)) == pytest.approx(
        _numbers(odd) @ A @ _numbers(odd).T, abs=1e-14
    )
