"""Every operation, iterations and parts, against the same in NumPy."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mbx.codegen.native.argument_layout import Layout
from mbx.codegen.native.function import Function
from mbx.codegen.native.llvm.code_parts import parts
from mbx.codegen.native.llvm.llvm_backend import LlvmCode
from mbx.codegen.native.tape_plan import plans
from mbx.codegen.routine import Argument, Iteration, Routine
from mbx.expr import (
    add,
    choose,
    divide,
    evaluate_arrays,
    function,
    less,
    mul,
    neg,
    number,
    power,
    scale,
    sub,
    symbol,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr import Node

X, Y, Z = (symbol(f"x{k}") for k in range(3))


def compiled(entries: Sequence[Node], iterations: Sequence[Iteration] = ()) -> Function:
    """Return entries as a function of X, Y and Z, which are its coordinates."""
    arguments = [Argument(symbol("t"), "t", 0, "t")]
    arguments += [Argument(one, "q", k, str(one.value)) for k, one in enumerate((X, Y, Z))]
    rows = tuple((entry,) for entry in entries)
    one = Routine(tuple(arguments), tuple(iterations), {"r": rows}, {})
    layout = Layout.of(one)
    return Function("llvm", layout, LlvmCode(plans(one), layout), 0)


def states(count: int = 19) -> Any:
    return np.random.default_rng(3).uniform(0.1, 0.9, (count, 3))


OPERATIONS = {
    **{
        name: function(name, X)
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp")
    },
    "log": function("log", X),
    "atan2": function("atan2", sub(X, Y), sub(Y, Z)),
    "abs": function("abs", sub(X, Y)),
    "sign": function("sign", sub(X, Y)),
    "root": power(X, Fraction(1, 2)),
    "one over a root": power(X, Fraction(-1, 2)),
    "cube": power(X, 3),
    "high power": power(X, 7),
    "one over a square": power(X, -2),
    "fractional power": power(X, Fraction(1, 3)),
    "quotient": divide(sub(X, Y), Z),
    "number by something": scale(3, power(X, -1)),
    "reciprocal used twice": add(divide(X, Z), divide(Y, Z)),
    "sum": add(X, neg(Y), scale(2.5, Z), number(4)),
    "minus a sum": neg(add(mul(X, Y), mul(Y, Z), scale(-3, Z))),
    "all negative": add(neg(X), neg(Y), neg(mul(X, Z))),
    "sum of products": add(mul(X, Y), scale(-1, mul(Y, Z)), scale(0.5, mul(X, Z)), X),
    "product used in and out of a sum": mul(add(mul(X, Y), Z), mul(X, Y)),
    "condition": less(X, Y),
    "choice": choose(less(X, Y), function("sin", X), mul(Y, Z)),
    "sine of a sine": function("sin", add(function("sin", X), function("cos", mul(X, Y)))),
    "number": number(Fraction(1, 3)),
    "symbol": Y,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_gives_what_numpy_gives(name: str) -> None:
    entry, x = OPERATIONS[name], states()
    (expected,) = evaluate_arrays([entry], dict(zip((X, Y, Z), x.T, strict=True)))
    found = compiled([entry])(x, np.zeros((len(x), 0)))
    expected = np.broadcast_to(expected, len(x))
    assert np.abs(found.r[:, 0] - expected).max() <= 2e-15 * max(1.0, np.abs(expected).max())
    assert not found.status.any()
    alone = compiled([entry])(x[0], [])
    assert np.array_equal(alone.r, found.r[0])


def test_all_operations_together_give_what_they_give_alone() -> None:
    x = states()
    nothing = np.zeros((len(x), 0))
    together = compiled(list(OPERATIONS.values()))(x, nothing).r
    for k, entry in enumerate(OPERATIONS.values()):
        assert together[:, k] == pytest.approx(compiled([entry])(x, nothing).r[:, 0], rel=1e-14)


def test_long_code_in_parts_gives_what_numpy_gives() -> None:
    found, total = [], X
    for k in range(700):
        total = add(
            mul(total, Y if k % 2 else Z), function("sin", scale(1 + k % 5, X)), number(k % 3)
        )
        found.append(total)
    wanted = [found[-1], found[0], found[350], Y]
    f, x = compiled(wanted), states(11)
    expected = evaluate_arrays(wanted, dict(zip((X, Y, Z), x.T, strict=True)))
    many = f(x, np.zeros((11, 0)))
    assert many.r == pytest.approx(np.stack(expected, axis=1), rel=1e-13)
    assert np.array_equal(f(x[3], []).r, many.r[3])


def test_parts_share_a_workspace_in_which_places_are_used_again() -> None:
    total, others = X, []
    for k in range(1500):
        total = mul(add(total, number(k % 7 + 1)), Y)
        others.append(total)
    arguments = tuple(Argument(one, "q", k, str(one.value)) for k, one in enumerate((X, Y, Z)))
    plan = plans(Routine(arguments, (), {"r": ((total,), (others[10],))}, {})).rates
    made = parts(plan, 100)
    assert len(made.parts) > 10
    assert made.size == 3  # kept to the end; taken by a part; left by it
    assert made.parts[0].first == 0
    assert made.parts[-1].last == len(plan.operations)


# -- iterations ------------------------------------------------------------------------------

UNKNOWN = symbol("y[1,1]")


def iteration(F: Node, start: Node) -> Iteration:
    """Return the search for y = F(y), whose slope is taken to be zero."""
    residual = sub(UNKNOWN, F)
    return Iteration((UNKNOWN,), (start,), (residual,), (neg(residual),))


def test_an_iteration_ends_at_its_solution() -> None:
    one = iteration(function("cos", mul(X, UNKNOWN)), number(0))
    f, x = compiled([UNKNOWN, mul(UNKNOWN, Y)], [one]), states()
    found = f(x, np.zeros((len(x), 0)))
    y = found.r[:, 0]
    assert np.abs(y - np.cos(x[:, 0] * y)).max() < 1e-12
    assert found.r[:, 1] == pytest.approx(y * x[:, 1], rel=1e-15)
    assert not found.status.any()
    alone = [f(x[k], []).r for k in range(len(x))]
    assert np.array_equal(alone, found.r)


def test_an_iteration_without_an_end_is_told_and_disturbs_no_other() -> None:
    # it swings between 0 and 1 where the bound is between them
    one = iteration(choose(less(UNKNOWN, X), number(1), number(0)), number(0))
    f = compiled([UNKNOWN], [one])
    x = np.array([[2.0, 0, 0], [0.5, 0, 0], [-1.0, 0, 0], [0.25, 0, 0], [3.0, 0, 0]])
    found = f(x, np.zeros((5, 0)))
    assert found.status.tolist() == [0, 2, 0, 2, 0]
    assert found.r[[0, 2, 4], 0].tolist() == [1.0, 0.0, 1.0]
    assert [f(one, []).status for one in x] == [0, 2, 0, 2, 0]


def test_an_iteration_that_leads_to_no_number_is_told() -> None:
    one = iteration(function("log", sub(UNKNOWN, X)), number(0))
    found = compiled([UNKNOWN], [one])(states(3), np.zeros((3, 0)))
    assert found.status.tolist() == [1, 1, 1]


def test_of_two_iterations_one_may_need_the_other() -> None:
    other = symbol("z[1,1]")
    residual = sub(other, scale(0.5, function("sin", add(other, UNKNOWN))))
    second = Iteration((other,), (UNKNOWN,), (residual,), (neg(residual),))
    first = iteration(scale(0.5, function("cos", UNKNOWN)), X)
    x = states(5)
    found = compiled([UNKNOWN, other], [first, second])(x, np.zeros((5, 0)))
    y, z = found.r.T
    assert np.abs(y - 0.5 * np.cos(y)).max() < 1e-12
    assert np.abs(z - 0.5 * np.sin(z + y)).max() < 1e-12


@pytest.mark.full
def test_many_results_are_handed_over_in_portions_with_one_status() -> None:
    # source: results k x + y; the logarithm of a negative number is none
    wanted = [add(mul(number(k), X), Y) for k in range(1, 1600)]
    bad = list(wanted)
    bad[700] = function("log", sub(X, number(1000)))
    x = states(5)
    for entries, status in ((wanted, 0), (bad, 1)):
        f = compiled(entries)
        found = f(x, np.zeros((5, 0)))
        assert found.status.tolist() == [status] * 5
        alone = f(x[0], [])
        assert alone.status == status
        for k in (0, 499, 500, 1000, 1598):
            expected = (k + 1) * x[:, 0] + x[:, 1]
            assert found.r[:, k] == pytest.approx(expected, rel=1e-14)
            assert alone.r[k] == pytest.approx(expected[0], rel=1e-14)


@pytest.mark.parametrize(("rough", "status"), [(0.0, 2), (1e-9, 0), (1e-13, 2)])
def test_steps_that_shrink_no_more_end_an_iteration_if_they_are_rounding(
    rough: float, status: int
) -> None:
    # source: every step is 1e-11, so the second is no smaller than the first; y starts at 1 + x
    tiny = number(1e-11)
    one = Iteration((UNKNOWN,), (add(number(1), X),), (neg(tiny),), (tiny,), rough)
    f, x = compiled([UNKNOWN], [one]), states(5)
    together, alone = f(x, np.zeros((5, 0))), f(x[0], [])
    assert together.status.tolist() == [status] * 5
    assert alone.status == status
    if status == 0:
        assert together.r[:, 0] == pytest.approx(1 + x[:, 0] + 2e-11, abs=1e-15)
        assert alone.r[0] == pytest.approx(1 + x[0, 0] + 2e-11, abs=1e-15)
