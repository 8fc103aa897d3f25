"""The expression kernel against SymPy: values, derivatives, substitution, splitting, rewriting."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
import sympy

from kernel import SYMBOLS, Pair, assert_same_values, point, random_pairs, read
from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.simplify import simplify
from mbx.expr.algebra.small_systems import solve_cramer
from mbx.expr.build import add, function, mul, power, scale, total
from mbx.expr.count import operations
from mbx.expr.cse import definitions
from mbx.expr.derivatives import along, gradient, jacobian, pullback
from mbx.expr.evaluate import evaluate, evaluate_arrays, ordered, substitute
from mbx.expr.nodes import ONE, Node, number, symbol
from mbx.expr.show import show

if TYPE_CHECKING:
    from collections.abc import Mapping

SEEDS: Final = range(12)
X, Y, THETA, M2 = SYMBOLS


def value_of(peer: Any, at: Mapping[Node, float]) -> float:
    """Return a value computed by SymPy alone, through mpmath."""
    names = {sympy.Symbol(s.value, real=True): v for s, v in at.items()}
    return float(sympy.lambdify(list(names), peer, "mpmath")(*names.values()))


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_those_of_sympy(seed: int) -> None:
    pairs = random_pairs(seed, steps=12)
    at = point([p.node for p in pairs], seed)
    for value, pair in zip(evaluate([p.node for p in pairs], at), pairs, strict=True):
        assert close(value, value_of(pair.peer, at)), pair


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_forwards_and_backwards_are_those_of_sympy(seed: int) -> None:
    pairs = random_pairs(seed)[-3:]
    nodes = [p.node for p in pairs]
    at = point(nodes, seed)
    rows = jacobian(nodes, SYMBOLS)
    forward = [along(nodes, {s: ONE}) for s in SYMBOLS]
    for i, pair in enumerate(pairs):
        backward = gradient(pair.node, SYMBOLS)
        for k, s in enumerate(SYMBOLS):
            expected = value_of(_slope(pair, s), at)
            found = evaluate([rows[i][k], forward[k][i], backward[k]], at)
            assert all(close(value, expected) for value in found), (pair, s, found, expected)


def _slope(pair: Pair, by: Node) -> Any:
    """Return SymPy's derivative; that of |x| and of a jump is written without its deltas."""
    slope = sympy.diff(pair.peer, sympy.Symbol(by.value, real=True))
    return slope.replace(sympy.DiracDelta, lambda *_: sympy.Integer(0))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pullback_is_the_weighted_sum_of_the_rows_of_the_jacobian(seed: int) -> None:
    nodes = [p.node for p in random_pairs(seed)[-3:]]
    weights = [mul(X, M2), number(Fraction(-2, 3)), function("sin", X)]
    rows = jacobian(nodes, SYMBOLS)
    expected = [
        total([mul(w, row[k]) for w, row in zip(weights, rows, strict=True)])
        for k in range(len(SYMBOLS))
    ]
    assert_same_values(pullback(nodes, weights, SYMBOLS), expected, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_substitution_is_that_of_sympy(seed: int) -> None:
    pair = random_pairs(seed)[-1]
    (new,) = substitute([pair.node], {X: mul(Y, Y), Y: add(X, ONE)})
    x, y = (sympy.Symbol(s.value, real=True) for s in (X, Y))
    expected = pair.peer.subs({x: y**2, y: x + 1}, simultaneous=True)
    at = point([new], seed)
    assert close(evaluate([new], at)[0], value_of(expected, at))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_linear_split_gives_the_coefficients_that_went_in(seed: int) -> None:
    a, b, c = (p.node for p in random_pairs(seed)[-3:])
    u, v = symbol("u"), symbol("v")
    row = add(mul(a, add(u, scale(2, v))), scale(3, mul(b, v)), c)
    A, rest = split([row, c], [u, v])
    expected = [a, add(scale(2, a), scale(3, b)), c]
    assert_same_values([*A[0], rest[0]], expected, seed)
    assert_same_values([*A[1], rest[1]], [number(0), number(0), c], seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_simplifying_keeps_the_values_and_costs_no_more(seed: int) -> None:
    nodes = [p.node for p in random_pairs(seed, steps=14)]
    new = simplify(nodes)
    assert_same_values(nodes, new, seed)
    assert sum(operations(new).values()) <= sum(operations(nodes).values())


@pytest.mark.parametrize("seed", SEEDS)
def test_definitions_put_back_in_give_the_same_values(seed: int) -> None:
    nodes = [p.node for p in random_pairs(seed, steps=14)]
    names, new = definitions(nodes)
    for name, node in reversed(names):
        new = substitute(new, {name: node})
    assert_same_values(nodes, new, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_printed_expression_reads_as_the_same_node(seed: int) -> None:
    for node in [p.node for p in random_pairs(seed, steps=14)]:
        if all(n.value.__class__ is not float for n in ordered([node])):
            assert read(show(node)) is node
        else:  # a float comes back as the decimal that it was written as
            assert_same_values([read(show(node))], [node])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_batch_has_the_values_of_its_states(seed: int) -> None:
    nodes = [p.node for p in random_pairs(seed, steps=12)]
    states = [point(nodes, seed + k) for k in range(5)]
    batch = {s: np.array([state[s] for state in states]) for s in SYMBOLS}
    results = [np.broadcast_to(r, 5) for r in evaluate_arrays(nodes, batch)]
    for k, state in enumerate(states):
        expected = evaluate(nodes, state)
        assert np.allclose([r[k] for r in results], expected, rtol=1e-12, atol=1e-12)


def test_other_arithmetic_gives_its_own_precision() -> None:
    expression = add(power(function("sin", X), 2), power(function("cos", X), 2), power(Y, -3))
    functions = {name: getattr(mpmath, name) for name in ("sin", "cos")}
    with mpmath.workdps(50):
        at = {X: mpmath.mpf(2) / 3, Y: mpmath.mpf(3)}
        (value,) = evaluate([scale(Fraction(1, 3), expression)], at, functions, _mpf)
        assert abs(value - mpmath.mpf(28) / 81) < mpmath.mpf(10) ** -48


def _mpf(value: Any) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7])
def test_a_linear_system_is_solved_as_sympy_solves_it(size: int) -> None:
    names = [[f"a{i}{j}" for j in range(size)] for i in range(size)]
    A = [[add(symbol(n), number(i == j)) for j, n in enumerate(r)] for i, r in enumerate(names)]
    b = [symbol(f"b{i}") for i in range(size)]
    solution = solve_cramer(A, [[x] for x in b])
    at = point([x for row in A for x in row] + b, size)
    numeric = sympy.Matrix(size, size, evaluate([x for row in A for x in row], at))
    expected = numeric.LUsolve(sympy.Matrix(evaluate(b, at)))
    found = evaluate([row[0] for row in solution], at)
    assert all(math.isclose(x, y, rel_tol=1e-8) for x, y in zip(found, expected, strict=True))
