"""Machine code keeps rows of redundant invariants that do not vanish on the way."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
import pytest

import mbx

LENGTH, SPACING, GRAVITY = 0.3, 0.2, 9.81
CRANKS: Final = 4

# Equal cranks above each other between a wall and a rail. Three pins are cut: of their six rows
# four are independent. With the cranks level, some blocks of four rows are singular, and others
# are not.
LINKAGE: Final = "\n".join(
    [
        "mbx 1",
        "model Rail {",
        "  coordinate phi: rad = 0.4",
        *(f"  coordinate a{k}: rad = -0.4" for k in range(CRANKS)),
        *(
            f"  body crank{k} {{ mass 0.5 kg  com [0.15 m, 0, 0]  inertia 0.00375 [kg*m^2] about z"
            f"  joint revolute(ground at [0, {SPACING * k} m, 0], axis = z, angle = a{k}) }}"
            for k in range(CRANKS)
        ),
        "  body rail { mass 2 kg  com [0, 0.3 m, 0]  inertia 0.06 [kg*m^2] about z",
        "    joint revolute(crank0 at [0.3 m, 0, 0], axis = z, angle = phi) }",
        *(
            f"  joint pin{k}: revolute(rail at [0, {SPACING * k} m, 0], crank{k} at [0.3 m, 0, 0],"
            " axis = z) cut"
            for k in range(1, CRANKS)
        ),
        f"  gravity [0, -{GRAVITY} [m/s^2], 0]",
        "}",
    ]
)
FORMS: Final = ("kane", "maggi", "composite_body", "lagrange", "hamilton")


@cache
def function(form: str, backend: str) -> Any:
    return mbx.compile(mbx.convert(mbx.loads(LINKAGE), form), backend=backend)


def state(angle: float, speed: float) -> tuple[Any, Any]:
    signs = np.array([-1.0, *[1.0] * CRANKS])
    return angle * signs, speed * signs


def acceleration(angle: float) -> float:
    """Return that of the cranks: each turns, and the rail moves along a circle."""
    weight = CRANKS * 0.5 * LENGTH / 2 + 2 * LENGTH
    inertia = CRANKS * 0.5 * LENGTH**2 / 3 + 2 * LENGTH**2
    return -GRAVITY * float(np.cos(angle)) * weight / inertia


@pytest.mark.sample(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("angle", [-0.7, -1e-3, 0.02, 0.1])
def test_accelerations_are_those_of_one_crank_with_all_weights(form: str, angle: float) -> None:
    q, u = state(angle, -1.7)
    _, expected = state(angle, acceleration(angle))
    for backend in ("llvm", "numpy"):
        found = function(form, backend)(q, u)
        assert found.status == 0
        assert found.ud == pytest.approx(expected, abs=1e-10), backend


@pytest.mark.sample(6)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("angle", [1e-7, -1e-5, 1e-3, 0.1])
def test_what_a_state_is_off_its_invariants_is_not_magnified(form: str, angle: float) -> None:
    q, u = state(angle, -1.7)
    _, expected = state(angle, acceleration(angle))
    moved = 1e-9 * np.random.default_rng(5).normal(size=(20, len(q)))
    found = function(form, "llvm")(q + moved, np.broadcast_to(u, moved.shape))
    assert np.abs(found.ud - expected).max() < 1e-6


LEVEL: Final = (0.0, 1e-14, -1e-13, 1e-12)


@pytest.mark.sample(4)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("backend", ["llvm", "cc"])
def test_where_rows_that_were_kept_vanish_others_are_taken(form: str, backend: str) -> None:
    every = [state(angle, -1.7) for angle in LEVEL]
    q, u = (np.array(some) for some in zip(*every, strict=True))
    expected = np.array([state(angle, acceleration(angle))[1] for angle in LEVEL])
    found = function(form, backend)(q, u)
    assert not found.status.any()
    assert found.ud == pytest.approx(expected, abs=1e-9)
    one = function(form, backend)(q[0], u[0])
    assert one.status == 0
    assert one.ud == pytest.approx(expected[0], abs=1e-9)


@pytest.mark.parametrize("form", ["composite_body", "lagrange", "hamilton"])
def test_machine_code_alone_says_where_rows_do_not_do(form: str) -> None:
    assert function(form, "llvm").single(*state(0.0, -1.7))[-1] != 0
    assert function(form, "llvm").single(*state(0.1, -1.7))[-1] == 0


def test_a_state_without_numbers_keeps_its_status() -> None:
    q, u = state(0.1, np.nan)
    found = function("lagrange", "llvm")(np.array([q, q]), np.array([u, state(0.1, -1.7)[1]]))
    assert found.status.tolist() == [1, 0]
