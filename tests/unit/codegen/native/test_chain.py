"""Chains of compiled functions: shared numbers, checks, ends, and states that they close."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from mbx.codegen.native.chain import Chain, Link
from mbx.codegen.native.closed import Closed, Places
from mbx.codegen.native.scalar_function import Scalars, function_of
from mbx.codegen.routine import Argument, Routine
from mbx.expr import add, function, mul, neg, number, symbol
from mbx.expr.nodes import ZERO, Node
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.codegen.native.function import Function

A, B, N = symbol("a"), symbol("b"), symbol("n")


def made(
    taken: Sequence[Node], rows: Sequence[Node], check: Node = ZERO, numbers: Sequence[Node] = ()
) -> Function:
    arguments = [Argument(TIME, "t", 0, "t")]
    arguments += [Argument(s, "q", k, str(s.value)) for k, s in enumerate(taken)]
    arguments += [Argument(s, "parameters", k, str(s.value)) for k, s in enumerate(numbers)]
    results = {"check": ((check,),), "rows": (tuple(rows),)}
    return function_of(Routine(tuple(arguments), (), results, {}))


def link(one: Function, takes: list[int], gives: list[int], values: Sequence[float] = ()) -> Link:
    places = (np.array(some, dtype=np.int64) for some in (takes, gives))
    return Link(one, one.constants(list(values)), *places)


def test_a_link_takes_what_links_before_it_gave() -> None:
    # source: x0 = t, x1 = 3 x0, x2 = 5 x1 + x0, by two links with one code
    clock = made([], [TIME])
    times = made([A], [mul(N, A)], numbers=[N])
    total = made([A, B], [add(mul(number(5), A), B)])
    chain = Chain([link(clock, [], [0]), link(times, [0], [1], [3.0]), link(total, [1, 0], [2])], 3)
    found = chain.cycle(np.array([1.0, 2.0]))
    assert found.tolist() == [[1.0, 3.0, 16.0], [2.0, 6.0, 32.0]]


def test_one_code_serves_links_with_other_numbers() -> None:
    times = made([A], [mul(N, A)], numbers=[N])
    chain = Chain([link(times, [0], [1], [3.0]), link(times, [1], [2], [7.0])], 3)
    chain.numbers[0] = 2.0
    assert chain.cycle(np.zeros(1)).tolist() == [[2.0, 6.0, 42.0]]


def test_a_chain_ends_before_a_time_whose_check_is_above_one() -> None:
    clock = made([], [TIME], check=TIME)
    chain = Chain([link(clock, [], [0])], 1)
    assert chain.cycle(np.array([0.5, 1.0, 1.5, 0.5]))[:, 0].tolist() == [0.5, 1.0]


def test_a_chain_ends_where_a_result_is_no_number() -> None:
    bad = made([], [function("log", add(number(1), neg(TIME)))])
    chain = Chain([link(bad, [], [0])], 1)
    assert len(chain.cycle(np.array([0.0, 0.5, 2.0]))) == 2


def test_links_can_be_left_out_at_the_beginning() -> None:
    clock, double = made([], [TIME]), made([A], [mul(number(2), A)])
    chain = Chain([link(clock, [], [0]), link(double, [0], [1])], 2)
    chain.numbers[0] = 7.0
    assert chain.cycle(np.array([1.0]), 1).tolist() == [[7.0, 14.0]]


@pytest.mark.parametrize(
    ("takes", "gives"), [([2], [1]), ([0], [2]), ([-1], [1]), ([0, 1], [1]), ([0], [])]
)
def test_places_outside_the_numbers_are_refused(takes: list[int], gives: list[int]) -> None:
    double = made([A], [mul(number(2), A)])
    with pytest.raises(ValueError, match="a link"):
        Chain([link(double, takes, gives)], 2)


def test_rates_of_independent_variables_are_those_of_the_state_they_close() -> None:
    # source: y = (q, 2 q), u of both; second rates -4 q0 and -9 (q1 + u1); the first is handed out
    names = [symbol(s) for s in ("y0", "y1", "v0", "v1")]
    arguments = [Argument(TIME, "t", 0, "t")]
    arguments += [Argument(s, "q", k, str(s.value)) for k, s in enumerate(names[:2])]
    arguments += [Argument(s, "u", k, str(s.value)) for k, s in enumerate(names[2:])]
    y0, y1, v0, v1 = names
    rows = (v0, v1, mul(number(-4), y0), mul(number(-9), add(y1, v1)))
    rates = function_of(Routine(tuple(arguments), (), {"r": (rows,)}, {}))
    # numbers: q, its rate, then the state
    state = made([A, B], [A, mul(number(2), A), B, mul(number(2), B)])
    chain = Chain([link(made([], [TIME]), [], [0]), link(state, [0, 1], [2, 3, 4, 5])], 6)
    for which, expected in ((2, -4 * 0.3), (3, -9 * (0.6 + 1.0))):
        closed = Closed(chain, rates, ["q"], Places(1, 1, 2, 4, [which]))
        found = closed.single([0.3], [0.5], 0.0)
        assert found.tolist() == pytest.approx([0.5, expected, 0.0])


def test_parameters_of_the_same_code_do_not_mix() -> None:
    first = Scalars([A], {"r": [[mul(N, A)]]}, parameters={N: 2.0})
    second = first.with_values([5.0])
    assert [float(one.flat([3.0])[0]) for one in (first, second, first)] == [6.0, 15.0, 6.0]
    assert second.many(np.array([[1.0], [2.0]]))["r"].ravel().tolist() == [5.0, 10.0]
