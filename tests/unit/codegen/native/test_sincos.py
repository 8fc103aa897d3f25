"""Sines and cosines of our own, against mpmath."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from mbx.codegen.native.argument_layout import Layout
from mbx.codegen.native.function import Function
from mbx.codegen.native.llvm.llvm_backend import LlvmCode
from mbx.codegen.native.llvm.sincos import FARTHEST
from mbx.codegen.native.tape_plan import plans
from mbx.codegen.routine import Argument, Routine
from mbx.expr import function, symbol

if TYPE_CHECKING:
    from numpy.typing import NDArray

ULPS: Final = 1.6
COUNT: Final = 400


@cache
def turned() -> Function:
    """Return sine and cosine of one angle, as a function of arrays."""
    t, x = symbol("t"), symbol("x")
    rows = ((function("sin", x),), (function("cos", x),))
    arguments = (Argument(t, "t", 0, "t"), Argument(x, "q", 0, "x"))
    one = Routine(arguments, (), {"both": rows}, {})
    layout = Layout.of(one)
    return Function("llvm", layout, LlvmCode(plans(one), layout), 0)


def errors(angles: NDArray[np.float64]) -> Any:
    """Return the errors of both, in units of the last place."""
    found = turned()(angles[:, None], np.zeros((len(angles), 0))).both
    with mpmath.workprec(1200):
        true = [(mpmath.sin(mpmath.mpf(x)), mpmath.cos(mpmath.mpf(x))) for x in angles.tolist()]
        return np.array(
            [
                [
                    abs(mpmath.mpf(a) - b) / np.spacing(abs(float(b)))
                    for a, b in zip(f, t, strict=True)
                ]
                for f, t in zip(found.tolist(), true, strict=True)
            ],
            dtype=float,
        )


@pytest.mark.parametrize("size", [1e-300, 1e-8, 0.5, 0.8, 3.0, 30.0, 1e3, 1e5])
def test_sines_and_cosines_are_right_to_the_last_place_but_one(size: float) -> None:
    rng = np.random.default_rng(1)
    assert errors(rng.uniform(-size, size, COUNT)).max() < ULPS


def test_sines_and_cosines_are_right_next_to_quarter_turns() -> None:
    quarters = np.arange(-300.0, 300.0) * (np.pi / 2)
    near = np.concatenate([quarters, np.nextafter(quarters, np.inf), np.nextafter(quarters, 0.0)])
    assert errors(near[near != 0]).max() < ULPS


def test_beyond_the_farthest_angle_the_c_library_is_asked() -> None:
    far = np.array([FARTHEST, np.nextafter(FARTHEST, np.inf), 2e5, 1e10, 1e22, 1e300, -1e300])
    assert errors(far).max() < ULPS


def test_one_far_angle_changes_nothing_for_those_beside_it() -> None:
    angles = np.linspace(-3.0, 3.0, 8)
    angles[3] = 1e20
    assert errors(angles).max() < ULPS


def test_zero_keeps_its_sign_and_what_is_no_number_stays_none() -> None:
    found = turned()(np.array([[0.0], [-0.0], [np.nan], [np.inf]]), np.zeros((4, 0)))
    assert found.both[0].tolist() == [0.0, 1.0]
    assert np.signbit(found.both[1, 0])
    assert np.isnan(found.both[2:]).all()
    assert found.status.tolist() == [0, 0, 1, 1]


def test_one_angle_gives_the_same_alone_and_beside_others() -> None:
    angles = np.random.default_rng(2).uniform(-1e4, 1e4, 37)
    many = turned()(angles[:, None], np.zeros((37, 0))).both
    alone = [turned()([x], []).both for x in angles]
    assert np.array_equal(many, alone)
