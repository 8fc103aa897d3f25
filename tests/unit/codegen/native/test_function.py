"""What a user calls: one state and many, parameters and inputs, statuses, threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from arms import arm_system
from mbx.base.errors import EquationsError

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations

PENDULUM = """
mbx 1
model Driven {
  param m: kg = 2, l: m = 0.5, k: 1
  param J: kg*m^2 = m*l^2
  input tau: N*m = 0
  input wind: N*m
  coordinate a: rad
  body bob { mass m  com [l, 0, 0]  inertia J about z  joint revolute(ground, axis = z, angle = a) }
  load drive: on a': tau + k*wind
  gravity [0, -9.81 [m/s^2], 0]
}
"""


@cache
def driven() -> Equations:
    return mbx.convert(mbx.loads(PENDULUM), "kane")


@cache
def chain(name: str, form: str = "articulated_body") -> Any:
    return mbx.compile(mbx.derive(arm_system(name), form), backend="llvm")


def some(count: int, n: int, seed: int = 1) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-2, 2, (count, n)) for _ in range(3))  # type: ignore[return-value]


BACKENDS = pytest.mark.parametrize("backend", ["llvm", "cc", "numpy"])


@BACKENDS
def test_inputs_and_parameters_are_said_by_path_or_in_order(backend: str) -> None:
    f = mbx.compile(driven(), backend=backend)
    assert f.arguments["parameters"] == ("m", "l", "k")
    assert f.arguments["inputs"] == ("tau", "wind")
    by_path = f([0.3], [0.1], inputs={"wind": 2.0}, parameters={"k": 0.25, "m": 3.0})
    in_order = f([0.3], [0.1], 0.0, [0.0, 2.0], [3.0, 0.5, 0.25])
    expected = (0.5 - 3 * 9.81 * 0.5 * np.cos(0.3)) / (2 * 3 * 0.5**2)
    assert by_path.ud == pytest.approx([expected], rel=1e-14)
    assert in_order.ud == pytest.approx([expected], rel=1e-14)
    assert by_path.qd.tolist() == [0.1]


@BACKENDS
def test_states_may_have_parameters_of_their_own(backend: str) -> None:
    f = mbx.compile(driven(), backend=backend)
    q, u = np.full((6, 1), 0.3), np.zeros((6, 1))
    sets = np.array([[m, 0.5, 0.25] for m in (1.0, 2.0, 1.0, 3.0, 2.0, 1.0)])
    many = f(q, u, inputs=[0.0, 2.0], parameters=sets)
    alone = [f(q[k], u[k], inputs=[0.0, 2.0], parameters=sets[k]).ud for k in range(6)]
    assert many.ud == pytest.approx(np.array(alone), rel=1e-15)


@BACKENDS
def test_a_missing_value_is_named(backend: str) -> None:
    f = mbx.compile(driven(), backend=backend)
    with pytest.raises(EquationsError, match="no value for wind among inputs"):
        f([0.3], [0.1], parameters={"k": 1})
    with pytest.raises(EquationsError, match=r"no 'winds' among inputs; did you mean 'wind'\?"):
        f([0.3], [0.1], inputs={"winds": 1}, parameters={"k": 1})
    with pytest.raises(EquationsError, match="q has 1 numbers, and this has 2 numbers"):
        f([0.3, 0.4], [0.1], inputs={"wind": 1}, parameters={"k": 1})


def test_states_are_counted_by_the_first_axis() -> None:
    with pytest.raises(EquationsError, match="counted by the first axis"):
        chain("planar5")(np.zeros((4, 5)), np.zeros((3, 5)))


def test_a_result_that_a_form_lacks_is_named() -> None:
    with pytest.raises(EquationsError, match="kane has no result 'accelerations', only"):
        mbx.compile(driven(), ["accelerations"])
    with pytest.raises(AttributeError, match="no result 'qdd', only ud, qd"):
        _ = mbx.compile(driven())([0], [0], inputs={"wind": 0}, parameters={"k": 0}).qdd


@pytest.mark.parametrize("backend", ["llvm", "cc"])
def test_frozen_parameters_give_what_free_ones_give(backend: str) -> None:
    values = {"k": 0.5, "m": 1.5}
    free = mbx.compile(driven(), backend=backend)
    frozen = mbx.compile(driven(), values=values, frozen=True, backend=backend)
    assert frozen.arguments["parameters"] == ()
    q, u, tau = some(20, 1)
    inputs = np.concatenate([tau, tau], axis=1)
    one = free(q, u, inputs=inputs, parameters=values)
    other = frozen(q, u, inputs=inputs)
    assert one.ud == pytest.approx(other.ud, rel=1e-14)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 17])
@pytest.mark.parametrize("name", ["planar5", "spatial20"])
def test_many_states_give_what_each_gives_alone(name: str, count: int) -> None:
    f, n = chain(name), int(name[-2:].lstrip("ar"))
    q, u, tau = some(count, n)
    many = f(q, u, inputs=tau)
    for k in range(count):
        alone = f(q[k], u[k], inputs=tau[k])
        assert np.array_equal(alone.ud, many.ud[k])
        assert np.array_equal(alone.qd, many.qd[k])


def test_arrays_are_taken_in_either_order_and_with_gaps() -> None:
    f = chain("planar5")
    q, u, tau = some(11, 5)
    plain = f(q, u, inputs=tau).ud
    assert np.array_equal(f(np.asfortranarray(q), u, inputs=np.asfortranarray(tau)).ud, plain)
    wide = np.repeat(np.repeat(q, 2, axis=0), 3, axis=1)
    assert np.array_equal(f(wide[::2, ::3], u, inputs=tau).ud, plain)
    assert np.array_equal(f(q[::-1], u[::-1], inputs=tau[::-1]).ud, plain[::-1])


def test_no_states_give_no_results() -> None:
    found = chain("planar5")(np.zeros((0, 5)), np.zeros((0, 5)))
    assert found.ud.shape == (0, 5)
    assert found.status.shape == (0,)


def test_a_long_chain_in_parts_gives_what_its_program_gives() -> None:
    equations = mbx.derive(arm_system("spatial20"), "articulated_body")
    q, u, tau = some(3, 20)
    found = chain("spatial20")(q, u, inputs=tau).ud
    program = mbx.compile(equations, backend="numpy")(q, u, inputs=tau).ud
    assert np.abs(found - program).max() < 1e-11 * np.abs(program).max()


@pytest.mark.parametrize("backend", ["llvm", "cc"])
def test_a_state_without_a_number_is_marked_and_disturbs_no_other(backend: str) -> None:
    f = mbx.compile(mbx.derive(arm_system("planar5"), "composite_body"), backend=backend)
    q, u, tau = some(10, 5)
    right = f(q, u, inputs=tau).ud
    q[4, 2], u[7, 0] = np.nan, np.inf
    found = f(q, u, inputs=tau)
    assert found.status.tolist() == [0, 0, 0, 0, 1, 0, 0, 1, 0, 0]
    sound = found.status == 0
    assert np.array_equal(found.ud[sound], right[sound])
    assert f(q[4], u[4], inputs=tau[4]).status == 1


def test_one_state_with_little_around_it_gives_the_same() -> None:
    f = chain("planar5")
    q, u, tau = some(4, 5)
    for k in range(4):
        found = f.single(q[k], u[k], inputs=tau[k])
        whole = f(q[k], u[k], inputs=tau[k])
        assert np.array_equal(found[:-1], np.concatenate([whole.ud, whole.qd]))
        assert found[-1] == 0
    still = f(q[0], u[0]).ud
    assert np.array_equal(f.single(q[0], u[0])[:5], still)


def test_constants_are_made_of_parameters_once() -> None:
    f = mbx.compile(driven(), backend="llvm")
    constants = f.constants({"k": 0.5})  # type: ignore[union-attr]
    assert f.constants({"k": 0.5}) is constants  # type: ignore[union-attr]
    found = f.single([0.3], [0.1], 0.0, [0.0, 1.0], constants)  # type: ignore[union-attr]
    assert found[0] == f([0.3], [0.1], inputs=[0.0, 1.0], parameters={"k": 0.5}).ud[0]
    assert f.raw.sizes["constants"] == len(constants)  # type: ignore[union-attr]
    assert f.raw.single > 0  # type: ignore[union-attr]


def test_arrays_that_do_not_fit_are_refused() -> None:
    f = mbx.compile(driven(), backend="llvm")
    with pytest.raises(EquationsError, match="constants are taken"):
        f.single([0.3], [0.1], 0.0, [0.0, 1.0], np.zeros(1))  # type: ignore[union-attr]
    with pytest.raises(EquationsError, match="one set of parameters"):
        f.constants(np.zeros((2, 3)))  # type: ignore[union-attr]
    with pytest.raises(EquationsError, match="counted by the first axis"):
        f([0.3], [0.1], inputs=[0.0, 1.0], parameters=np.ones((2, 2, 3)))
    with pytest.raises(ValueError, match="broadcast"):
        f.single([0.3, 0.4], [0.1], 0.0, [0.0, 1.0])  # type: ignore[union-attr]


def test_threads_do_not_disturb_each_other() -> None:
    f = chain("spatial20")
    q, u, tau = some(64, 20)
    right = f(q, u, inputs=tau).ud

    def work(k: int) -> bool:
        alone = np.array_equal(f.single(q[k], u[k], inputs=tau[k])[:20], right[k])
        return alone and np.array_equal(f(q, u, inputs=tau).ud, right)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(64)))
