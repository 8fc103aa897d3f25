"""Radau's methods: their coefficients, their order, and stiff equations with closed forms."""

from __future__ import annotations

from math import cos, exp, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.simulate.integrators.radau import radau
from mbx.analyses.simulate.integrators.stiff import Stiff

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.numerics.execute.stacked_algebra import Array


class Given:
    """A field by a function of time and state."""

    function = None

    def __init__(self, rate: Callable[[float, Array], Array], sizes: Array) -> None:
        self.calls = 0
        self.sizes = sizes
        self.names = [f"x{k}" for k in range(len(sizes))]
        self._rate = rate

    def rate(self, t: float, x: Array) -> Array:
        self.calls += 1
        return self._rate(t, x)

    def inside(self, _t: float, y: Array) -> Array:
        return y

    def outside(self, _t: float, x: Array) -> Array:
        return x

    def ran(self, times: int) -> None:
        self.calls += times


def test_three_stages_have_the_coefficients_of_hairer_and_wanner() -> None:
    # Solving ordinary differential equations II, table IV.5.6, and the formula after (IV.8.15)
    method = radau(3)
    root = sqrt(6)
    assert method.c == pytest.approx([(4 - root) / 10, (4 + root) / 10, 1], abs=1e-15)
    A = np.linalg.inv(method.A_inv)
    assert A[0] == pytest.approx(
        [(88 - 7 * root) / 360, (296 - 169 * root) / 1800, (-2 + 3 * root) / 225], abs=1e-14
    )
    assert A[2] == pytest.approx([(16 - root) / 36, (16 + root) / 36, 1 / 9], abs=1e-14)
    assert 1 / method.gamma == pytest.approx(3 + 3 ** (2 / 3) - 3 ** (1 / 3), abs=1e-13)
    e = method.gamma / 3 * np.array([-13 - 7 * root, -13 + 7 * root, -1])
    assert method.e == pytest.approx(e, abs=1e-13)


@pytest.mark.parametrize("stages", [3, 5, 7])
def test_a_step_is_exact_up_to_its_order(stages: int) -> None:
    method = radau(stages)
    weights = np.linalg.inv(method.A_inv)[-1]
    for k in range(2 * stages - 1):
        assert weights @ method.c**k == pytest.approx(1 / (k + 1), abs=1e-14)
    miss = weights @ method.c ** (2 * stages - 1) - 1 / (2 * stages)
    assert abs(miss) > 1e-10


@pytest.mark.parametrize("stages", [3, 5, 7])
def test_the_transformation_makes_the_table_diagonal(stages: int) -> None:
    method = radau(stages)
    Z = np.random.default_rng(1).standard_normal((stages, 4))
    W = method.T_inv @ Z
    assert (method.T @ W).real == pytest.approx(Z, abs=1e-12)
    assert (method.T @ (method.lam[:, None] * W)).real == pytest.approx(method.A_inv @ Z, abs=1e-11)


def test_prothero_and_robinsons_equation_is_followed_in_few_steps() -> None:
    # y' = -1e6 (y - cos t) - sin t, y = cos t + (y0 - 1) exp(-1e6 t)
    field = Given(lambda t, y: -1e6 * (y - np.cos(t)) - np.sin(t), np.ones(1))
    stepper = Stiff(field, 1e-10, 1e-12, 1e-12)
    stepper.begin(0.0, np.array([2.0]), 10.0)
    steps = 0
    while stepper.t < 10:
        before = stepper.t
        stepper.step()
        steps += 1
        for at in (before + 0.3 * (stepper.t - before), stepper.t):
            exact = cos(at) + exp(-1e6 * at)
            assert stepper.between(at)[0] == pytest.approx(exact, abs=3e-8)
    assert stepper.y[0] == pytest.approx(cos(10.0), abs=1e-10)
    assert steps < 120  # an explicit method needs more than a million


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e12])
def test_steps_do_not_depend_on_units(size: float) -> None:
    # x'' = -x in units of any size, x = cos t
    field = Given(lambda _t, y: np.array([y[1], -y[0]]), np.full(2, size))
    stepper = Stiff(field, 1e-11, 1e-13, 1e-12)
    stepper.begin(0.0, np.array([size, 0.0]), 20.0)
    _to(stepper, 20.0)
    assert stepper.y[0] / size == pytest.approx(cos(20.0), abs=1e-10)
    assert field.calls < 800


def _to(stepper: Stiff, end: float) -> None:
    while stepper.t < end:
        stepper.step()


def test_a_rate_without_value_ends_with_its_reason() -> None:
    def rate(t: float, y: Array) -> Array:
        if t > 1:
            raise NotRunError("the equations have no value")
        return -y

    stepper = Stiff(Given(rate, np.ones(1)), 1e-8, 1e-10, 1e-6)
    stepper.begin(0.0, np.ones(1), 2.0)
    with pytest.raises(NotRunError, match=r"no step leads on from t = 1 s: the equations have no"):
        _to(stepper, 2.0)
