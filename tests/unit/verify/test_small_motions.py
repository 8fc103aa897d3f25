"""Linearisations beside differences of forms: right ones pass, wrong ones are named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.analyses.linearize.linear_system import linearize
from mbx.verify.agreement import small_motions

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.analyses.linearize.linear_system import Linear
    from mbx.verify.verification import Verification

FORMS = ("kane", "lagrange")


def verified(model: str) -> Verification:
    return mbx.verify(mbx.read(f"lib:{model}"), forms=FORMS, states=3, oracle=0)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "model",
    [
        "cart_pole",  # an input
        "four_bar",  # a loop
        "free_body_space_axes",  # speeds that are no rates
        "unicycle",  # nonholonomic
        "ball_on_turntable",  # a row of A that is zero
        "bennett_linkage",  # redundant rows
    ],
)
def test_both_methods_agree_with_differences(model: str) -> None:
    found = verified(model)
    assert set(found.linear) == {"plain", "modular"}
    assert {error.arbiter for error in found.linear.values()} == {"rounding"}
    assert found.verdict == "agree"
    assert "linearisation, plain and modular: as differences of two forms" in found.remarks()


def test_a_programme_of_accelerations_has_no_linearisation() -> None:
    assert mbx.verify(mbx.read("lib:programme_order_3"), states=2, oracle=0).linear == {}


def wrong_entry(linear: Linear) -> Linear:
    A = linear.A.copy()
    A[-1, 0] *= 1 + 1e-6
    return replace(linear, A=A)


def wrong_sign(linear: Linear) -> Linear:
    return replace(linear, B=-linear.B)


def missing_row(linear: Linear) -> Linear:
    A = linear.A.copy()
    A[-1] = 0.0
    return replace(linear, A=A)


def wrong_rate(linear: Linear) -> Linear:
    A = linear.A.copy()
    A[0] = np.roll(A[0], 1)
    return replace(linear, A=A)


def wrong_motion(linear: Linear) -> Linear:
    return replace(linear, T=-linear.T)


@pytest.mark.parametrize(
    ("change", "row"),
    [
        (wrong_entry, "rate of theta'"),
        (wrong_sign, "rate of "),
        (missing_row, "rate of theta'"),
        (wrong_rate, "rate of x"),
        (wrong_motion, ""),
    ],
)
def test_a_wrong_entry_is_found_and_named(
    change: Callable[[Linear], Linear], row: str, monkeypatch: pytest.MonkeyPatch
) -> None:

    def spoilt(*words: Any, **options: Any) -> Linear:
        return change(linearize(*words, **options))

    monkeypatch.setattr(small_motions, "linearize", spoilt)
    found = verified("cart_pole")
    assert found.verdict == "disagree"
    assert found.outliers == ()
    assert all(row in error.row for error in found.linear.values())
    assert any(line.startswith("disagree: plain linearisation") for line in found.remarks())


def test_a_stiff_part_elsewhere_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """mbx 1
model Beside {
  coordinate th: rad = 0.3, s: m = 0.01
  body rod { mass 1 kg  com [0, -0.5 m, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = th) }
  particle stiff { mass 0.1 kg  at [s, 1 m, 0] }
  spring on s stiffness 1e9 [N/m]
  gravity [0, -9.81 [m/s^2], 0]
}
"""

    def spoilt(*words: Any, **options: Any) -> Linear:
        linear = linearize(*words, **options)
        A = linear.A.copy()
        A[linear.x.index("th'"), linear.x.index("th")] *= 1 + 1e-5
        return replace(linear, A=A)

    document = mbx.loads(text)
    assert mbx.verify(document, forms=FORMS, states=3, oracle=0).verdict == "agree"
    monkeypatch.setattr(small_motions, "linearize", spoilt)
    found = mbx.verify(document, forms=FORMS, states=3, oracle=0)
    assert found.verdict == "disagree"
    assert found.linear["plain"].row == "rate of th'"


def test_a_check_that_breaks_is_no_agreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Linear:
        raise RuntimeError("oh")

    monkeypatch.setattr(small_motions, "linearize", broken)
    found = verified("cart_pole")
    assert found.verdict == "undecided"
    assert "oh" in found.linear["plain"].row
