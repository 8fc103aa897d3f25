"""Singular configurations that are named or searched, against closed forms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from unit.analyses.structure.models import PLANE, library, structure

if TYPE_CHECKING:
    from mbx.analyses.structure.structure_report import Structure


def _rank_at(found: Structure, state: str) -> int | None:
    assert f"state {state}" in found.states
    lost = {one.name: one.rank for one in found.singular}
    return lost.get(f"state {state}", found.rank)


@pytest.mark.parametrize(
    ("name", "model", "state", "rank"),
    [
        # Orsino, Example 2.2: rank 5, and 4 where sin(th) = 0
        ("rssp_loop", "RsspLoop", "open", 5),
        ("rssp_loop", "RsspLoop", "stretched_right", 4),
        ("rssp_loop", "RsspLoop", "stretched_left", 4),
        ("rssp_loop", "RsspLoop", "folded_right", 4),
        ("rssp_loop", "RsspLoop", "folded_left", 4),
        # Example 2.3: rank 4 stretched, 3 folded
        ("rssp_loop_offset", None, "stretched_left", 4),
        ("rssp_loop_offset", None, "stretched_right", 4),
        ("rssp_loop_offset", None, "folded", 3),
        # Example 2.2 without the angle: full rank, but for rods of one length folded on each other
        ("rssp_loop_six", None, "stretched_right", 4),
        ("rssp_loop_six", None, "folded_left", 4),
        ("rssp_loop_six", "EqualRods", "folded", 3),
        # three parallel cranks: one row too many, one more where all is in one line
        ("parallelogram", None, "hanging", 3),
        ("parallelogram", None, "flat", 2),
    ],
)
def test_ranks_at_named_states_are_those_of_the_source(
    name: str, model: str | None, state: str, rank: int
) -> None:
    assert _rank_at(library(name, model), state) == rank


def test_rows_that_become_dependent_are_named() -> None:
    stretched = next(
        one for one in library("rssp_loop", "RsspLoop").singular if one.name.endswith("_right")
    )
    assert stretched.dependent == ("P.rod1", "P.rod2", "P.angle")


def test_a_state_that_is_named_is_not_found_again_and_names_only_what_is_new() -> None:
    (flat,) = library("parallelogram").singular
    assert flat.name == "state flat"
    assert flat.dependent == ()  # all four rows depend on each other everywhere


def test_the_search_finds_where_a_loop_lies_flat() -> None:
    # both bars of length 1, ends on the x axis: both lie along it where |x| = 2 or x = 0
    bars = """
    coordinate x: m = 1, a: rad = 1.0471975511965976, b: rad = -1.0471975511965976
    particle P { mass 1 kg  at [x, 0, 0] }
    particle K { mass 1 kg  at [cos(a)*(1 m), sin(a)*(1 m), 0] }
    particle L { mass 1 kg  at [cos(b)*(1 m), sin(b)*(1 m), 1 m] }
    invariant along: cos(a)*(1 m) + cos(b)*(1 m) = x
    invariant across: sin(a)*(1 m) + sin(b)*(1 m) = 0 m
    """
    found = structure(bars, "")
    assert found.rank == 2
    assert found.freedoms is not None
    assert found.freedoms.velocity == 1
    # d(across) = cos(a) a' + cos(b) b' is zero only where a and b are right angles
    assert found.singular
    for one in found.singular:
        assert one.near
        assert one.rank == 1
        assert abs(math.cos(one.values["a"])) < 1e-3
        assert abs(math.cos(one.values["b"])) < 1e-3
        assert one.dependent == ("across",)


def test_the_search_finds_nothing_where_nothing_is() -> None:
    # the gradient (2x, 2y) is never zero on the circle
    assert structure("invariant circle: x^2 + y^2 = 1 [m^2]", PLANE).singular == ()


def test_a_cone_of_velocities_is_singular_at_rest() -> None:
    found = library("nonlinear_nonholonomic")
    assert {one.name for one in found.singular} == {"start", "rest", "state apex"}
    assert {one.rank for one in found.singular} == {0}


SLOPE = """
coordinate a: rad = 0.5 RANGE, b: rad = 0.479425538604203
particle K { mass 1 kg  at [a*(1 m), b*(1 m), 0] }
speed w: rad/s = 0
define w = a' + b'
invariant bow: sin(a)*b' = 0 [rad/s]
"""


@pytest.mark.parametrize(("span", "count"), [("in [-1, 1]", 1), ("in [0.2, 1]", 0)])
def test_a_singular_state_counts_only_within_the_ranges(span: str, count: int) -> None:
    # sin(a) b' = 0 says nothing where a = 0
    found = [one for one in structure(SLOPE.replace("RANGE", span), "").singular if one.near]
    assert (len(found) > 0) == (count > 0)
    assert all(abs(one.values["a"]) < 1e-3 for one in found)
