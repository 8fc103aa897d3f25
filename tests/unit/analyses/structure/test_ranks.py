"""Ranks and redundancy, against matrices whose dependence is known."""

from __future__ import annotations

import numpy as np
import pytest

from mbx.analyses.structure.rank_survey import groups, left_null, ranks, touched
from unit.analyses.structure.models import PLANE, library, structure


def _groups(*matrices: list[list[float]]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    A = np.array(matrices)
    found = ranks(A)
    return groups(left_null(A, found, found.full), A.shape[1])


def test_a_row_that_repeats_another_is_in_its_group() -> None:
    assert _groups([[1, 0, 0], [0, 1, 0], [2, 0, 0]]) == [((0, 2), (2,))]


def test_circuits_that_share_no_row_are_groups_of_their_own() -> None:
    A = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [3, 0, 0], [0, 1, 1]]
    assert _groups(A) == [((0, 3), (3,)), ((1, 2, 4), (4,))]  # type: ignore[arg-type]


def test_a_row_of_zeros_is_a_group_alone() -> None:
    assert _groups([[1, 0], [0, 0]]) == [((1,), (1,))]


def test_independent_rows_have_no_group() -> None:
    assert _groups([[1, 2], [3, 4]]) == []


def test_units_of_rows_and_columns_do_not_change_the_rank() -> None:
    rng = np.random.default_rng(1)
    A = rng.standard_normal((3, 4, 6))
    A[:, 3] = A[:, 0] + A[:, 1]
    units = 10.0 ** rng.integers(-6, 6, (4, 1)), 10.0 ** rng.integers(-6, 6, 6)
    assert ranks(units[0] * A * units[1]).each.tolist() == [3, 3, 3]


def test_a_column_that_is_rounding_at_one_state_does_not_count_there() -> None:
    # the second one is the sine of pi in doubles
    A = np.array([[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.2e-16]]])
    found = ranks(A)
    assert found.each.tolist() == [2, 1]
    assert found.generic == 2


def test_a_small_gap_is_near_a_singular_state() -> None:
    found = ranks(np.array([np.eye(2), np.diag([1.0, 1e-12])]))
    assert found.each.tolist() == [2, 2]
    assert found.near.tolist() == [False, True]


def test_a_matrix_without_value_has_no_rank() -> None:
    assert ranks(np.array([np.eye(2), np.full((2, 2), np.nan)])).each.tolist() == [2, -1]


def test_the_entries_of_null_vectors_say_which_multipliers_are_open() -> None:
    A = np.array([[[1.0, 0.0], [0.0, 1.0], [0.0, 5.0]]])
    found = ranks(A)
    assert touched(left_null(A, found, found.full), 3).tolist() == [False, True, True]


def test_an_invariant_said_twice_is_named() -> None:
    body = "invariant a: x = y\ninvariant twice: 2*x = 2*y\ninvariant c: x*y = 1 [m^2]"
    found = structure(body, PLANE)
    (group,) = found.redundant
    assert (group.rows, group.could_go) == (("a", "twice"), ("twice",))
    assert found.multipliers == ("a", "twice")
    assert found.freedoms is not None
    assert (found.freedoms.velocity, found.freedoms.counted) == (0, -1)


def test_an_invariant_that_says_nothing_is_redundant_by_itself() -> None:
    (group,) = structure("invariant a: x - x = 0 m", PLANE).redundant
    assert group.rows == group.could_go == ("a",)


def test_of_bennetts_five_rows_three_could_go() -> None:
    # Bennett 1903: one freedom with three angles, so two rows are independent
    found = library("bennett_linkage")
    (group,) = found.redundant
    assert group.rows == ("last.x", "last.y", "last.z", "last.tilt1", "last.tilt2")
    assert len(group.could_go) == 3
    assert found.rank == 2


@pytest.mark.parametrize(
    ("name", "order"),
    [  # Orsino, section 2.3: order 1 of holonomic ones; 2 where one is nonlinear in the rates
        ("rssp_loop", 1),
        ("spherical_pendulum_cartesian", 1),
        ("spherical_pendulum_quasivelocity", 2),
        ("programme_order_3", 3),
        ("simple_pendulum", 0),
    ],
)
def test_the_constraint_order_is_that_of_the_thesis(name: str, order: int) -> None:
    assert library(name).constraint_order == order
