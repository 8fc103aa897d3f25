from __future__ import annotations

import time
from fractions import Fraction
from typing import Final

import pytest

from kernel import assert_same_values, read
from mbx.expr.algebra.simplify import _Rewriting, cost, simplify
from mbx.expr.build import Matrix, add, function, matmul, mul, power, scale, total, transposed
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import ONE, ZERO, Node, symbol
from mbx.expr.show import show

for _name in "abcxyz":  # in this order in sums and products
    symbol(_name)

CASES: Final = [
    ("sin(x)^2 + cos(x)^2", "1"),
    ("a*sin(x)^2 + b + a*cos(x)^2", "a + b"),
    ("a*b*sin(x + y)^2 + a*b*cos(x + y)^2", "a*b"),
    ("3*sin(x)^4 + 3*sin(x)^2*cos(x)^2", "3*sin(x)^2"),
    ("a - a*sin(x)^2", "a*cos(x)^2"),
    ("a*cos(x)^2 - a", "-a*sin(x)^2"),
    ("cos(x)^2 - sin(x)^2", "cos(2*x)"),
    ("b*sin(x)^2 - b*cos(x)^2", "-b*cos(2*x)"),
    ("cos(x)*cos(y) - sin(x)*sin(y)", "cos(x + y)"),
    ("cos(x)*cos(y) + sin(x)*sin(y)", "cos(x - y)"),
    ("sin(x)*cos(y) + cos(x)*sin(y)", "sin(x + y)"),
    ("2*a*cos(x)*sin(y) - 2*a*sin(x)*cos(y)", "-2*a*sin(x - y)"),
    ("cos(x)*cos(y)*cos(z) - sin(x)*sin(y)*cos(z)", "cos(x + y)*cos(z)"),
    ("a*x + a*y", "a*(x + y)"),
    ("a*x + b*x + a*y + b*y", "(a + b)*(x + y)"),
    ("(x + y)^2 - x^2", "(2*x + y)*y"),
    ("a*(x + y) - a*x", "a*y"),
    ("(a*x + a*y)/(b*x + b*y)", "a/b"),
    ("sin(a*(x + y) - a*x)", "sin(a*y)"),
    ("if x < (x + y) - y + a then b*x + b*y else 0", "if x < x + a then b*(x + y) else 0"),
    ("sqrt(sin(x)^2 + cos(x)^2)*a", "a"),
    ("x + y", "x + y"),
    ("(x + y)^9", "(x + y)^9"),
    ("2*sin(x)^2 + cos(x)^2", "2*sin(x)^2 + cos(x)^2"),
]


@pytest.mark.parametrize(("text", "short"), CASES)
def test_an_expression_becomes_its_short_form(text: str, short: str) -> None:
    before, expected = read(text), read(short)
    (after,) = simplify([before])
    assert_same_values([before], [after])
    assert cost([after]) == cost([expected]), show(after)
    assert cost([after]) <= cost([before])


def rotation(axis: int, angle: Node) -> Matrix:
    s, c = function("sin", angle), function("cos", angle)
    i, j = (k for k in range(3) if k != axis)
    rows = [[ONE if m == n else ZERO for n in range(3)] for m in range(3)]
    rows[i][i] = rows[j][j] = c
    rows[i][j], rows[j][i] = scale(-1, s), s
    first, second, third = ((row[0], row[1], row[2]) for row in rows)
    return first, second, third


def test_a_rotation_times_its_transpose_is_one() -> None:
    x, y, z = (symbol(name) for name in "xyz")
    R = matmul(rotation(2, x), matmul(rotation(0, y), rotation(2, z)))
    unit = [entry for row in matmul(R, transposed(R)) for entry in row]
    assert simplify(unit) == [ONE, ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO, ONE]


def test_turns_about_one_axis_add_up() -> None:
    x, y, z = (symbol(name) for name in "xyz")
    R = matmul(rotation(2, x), matmul(rotation(2, y), rotation(2, z)))
    assert simplify([R[0][0]]) == [function("cos", add(x, y, z))]


def test_beyond_the_budget_parts_are_still_simplified() -> None:
    sums = [add(symbol(f"a{k}"), symbol(f"b{k}")) for k in range(12)]
    pythagoras = add(power(function("sin", symbol("x")), 2), power(function("cos", symbol("x")), 2))
    product = mul(*sums, pythagoras)
    (after,) = simplify([product], budget=16)
    assert_same_values([product], [after])
    assert cost([after]) == cost([mul(*sums)])
    long = total([symbol(f"x{k}") for k in range(20)])
    assert simplify([power(long, 3)], budget=5) == [power(long, 3)]
    assert simplify([power(add(symbol("x"), ONE), 40)], budget=20)[0].op == "power"


def test_parts_that_others_share_are_not_rewritten_at_a_loss() -> None:
    a, x, y = (symbol(name) for name in "axy")
    shared = [mul(a, x), mul(a, y)]
    nodes = [add(*shared), *(function("sin", part) for part in shared)]
    assert simplify(nodes[:1]) == [mul(a, add(x, y))]
    assert simplify(nodes) == nodes


def test_no_polynomial_is_longer_than_the_budget() -> None:
    left, right = (total([symbol(f"{n}{k}") for k in range(9)]) for n in "st")
    work = _Rewriting(50)
    for node in ordered([add(mul(left, right), symbol("x"))]):
        work.add(node)
    assert max(map(len, work.polynomials.values())) == 9


def test_once_the_work_is_done_the_rest_stays() -> None:
    x, y = symbol("x"), symbol("y")
    nodes = [add(mul(symbol(f"w{k}"), x), mul(symbol(f"w{k}"), y)) for k in range(40)]
    after = simplify(nodes, budget=4)
    assert after[0] is mul(symbol("w0"), add(x, y))
    assert after[-1] is nodes[-1]


def test_the_time_is_bounded() -> None:
    q = [symbol(f"q{k}") for k in range(40)]
    node: Node = ZERO
    for k in range(40):
        node = power(add(node, mul(function("sin", q[k]), q[k - 1]), q[k - 2]), 2)
        node = function("cos", scale(Fraction(1, 2), node)) if k % 5 == 4 else node
    start = time.process_time()
    (after,) = simplify([node])
    assert time.process_time() - start < 5
    assert_same_values([node], [after])
