from __future__ import annotations

from fractions import Fraction

import pytest

from kernel import read
from mbx.expr.build import add, divide, function, less, mul, neg, power, scale
from mbx.expr.nodes import Node, number, symbol
from mbx.expr.show import show, show_number

X, Y, Z = symbol("x"), symbol("y"), symbol("z")

TEXTS = [
    "x",
    "arm.theta'",
    "arm[2].q[1]''",
    "7",
    "-7",
    "2/3",
    "x + y",
    "-x - y",
    "x - 2*y + 3",
    "x - 1/2",
    "-x + 2/3*y",
    "(x + y) + z",
    "x - (y + z)",
    "2*(x + y)",
    "-(x + y)",
    "x*y*z",
    "-1/2*x*y",
    "x*(y*z)",
    "x*(y + z)",
    "x/y",
    "1/x",
    "-1/x",
    "2/x",
    "2/3/x",
    "x/y/z",
    "x*y/(y + z)",
    "x/y^2",
    "1/sqrt(x)",
    "x/sqrt(y)",
    "1/x^(3/2)",
    "x^2",
    "x^(2/3)",
    "(x + y)^2",
    "(x*y)^2",
    "(x^2)^(1/3)",
    "sqrt(x^2)",
    "sqrt(x + y)*z",
    "1/(x/y)",
    "sin(x + y)",
    "atan2(y, -x)",
    "if x < y then x else y",
    "if x <= y then x else y",
    "if x < y and y < z then x else y",
    "if x < y and y < z and z < 1 then x else y",
    "if x < y or y < z or z < 1 then x else y",
    "if x < y or (y < z or z < 1) then x else y",
    "if x < y and (y < z and z < 1) then x else y",
    "if (x < y or y < z) and z < 1 then x else y",
    "if x < y and y <= z or z < 1 then x else y",
    "if not (x < y and y < z) then x else y",
    "if not (x < y and y < z) and z < x then x else y",
    "if not (x < y or y < z) or z < x then x else y",
    "if x <= y or z < x then x else y",
    "if x == y then 1 else 2",
    "if x != y then 1 else 2",
    "if x then y else z",
    "if x < y then 1 else 0",
    "if x < y then if y < z then x else y else z",
    "if x < y then x else if y < z then y else z",
    "(if x < y then x else y) + z",
    "2*(if x < y then x else y)",
    "sin(if x < y then x else y)",
    "(if x < y then 1 else 0)*z + (if x == y then 1 else 0)",
    "if (if x < y then x else z) < y then x else y",
    "if x*(y + z) < -2 then -x else -y",
    "min(x, y, z)",
    "max(x, y + z)*2",
    "abs(x)^3",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_read_and_shown_and_read_again_is_the_same_node(text: str) -> None:
    node = read(text)
    assert read(show(node)) is node, show(node)


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (add(X, scale(-2, Y), number(-3)), "x - 2*y - 3"),
        (mul(X, mul(Y, Z)), "x*(y*z)"),
        (mul(mul(X, Y), Z), "x*y*z"),
        (neg(divide(X, add(Y, Z))), "-x/(y + z)"),
        (scale(Fraction(-2, 3), power(X, -2)), "-2/3/x^2"),
        (power(X, Fraction(1, 2)), "sqrt(x)"),
        (function("sin", less(X, Y)), "sin(if x < y then 1 else 0)"),
    ],
)
def test_the_text_is_the_one_a_person_would_write(node: Node, text: str) -> None:
    assert show(node) == text


def test_factors_stand_in_a_row_only_where_they_mean_the_same_product() -> None:
    factors = [symbol(f"f{k}") for k in range(40)]
    product = mul(*factors)
    assert read(show(product)) is product
    turned = mul(mul(Z, Y), X)
    assert read(show(turned)) is turned


def test_a_float_is_shown_in_full() -> None:
    assert show_number(0.1) == "0.1"
    assert float(read(show(number(0.30000000000000004))).value) == 0.30000000000000004
    assert read(show(number(1.5e-12))).value == Fraction(15, 10**13)


def test_a_long_text_is_cut() -> None:
    long = add(*(function("sin", symbol(f"x{k}")) for k in range(50)))
    assert show(long, limit=30) == "sin(x0) + sin(x1) + sin(x2) + …"
    assert show(X, limit=30) == "x"
