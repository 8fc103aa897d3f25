from __future__ import annotations

from fractions import Fraction

import pytest

from mbx.codegen.notation.latex.latex_sums import LatexSums
from mbx.codegen.notation.plain import plain
from mbx.codegen.notation.term_layout import Layout
from mbx.expr.build import add, choose, divide, function, less, mul, neg, power, scale, sub, total
from mbx.expr.conditions import both, negation
from mbx.expr.nodes import Node, number, symbol
from mbx.formalism.equations import Quantity, Signature

X, Y, M, L, G, V = (symbol(name) for name in ("x", "y", "m", "l", "g", "x'"))
SIGNATURE = Signature(
    t=symbol("t"),
    q=(Quantity(symbol=X, path="x", unit="m"), Quantity(symbol=Y, path="y", unit="m")),
    u=(Quantity(symbol=V, path="x'", unit="m/s"),),
    parameters=(
        Quantity(symbol=L, path="l", unit="m"),
        Quantity(symbol=G, path="g", unit="m/s^2"),
        Quantity(symbol=M, path="m", unit="kg"),
    ),
)
SIN = function("sin", X)


@pytest.mark.parametrize(
    ("node", "text", "latex"),
    [
        (number(0), "0", "0"),
        (number(Fraction(-1, 3)), "-1/3", r"-\frac{1}{3}"),
        (mul(SIN, mul(L, mul(G, M))), "m*g*l*sin(x)", r"m g l \sin(x)"),
        (
            scale(Fraction(1, 3), mul(power(L, 2), M)),
            "m*l^2/3",
            r"\frac{1}{3} m l^{2}",
        ),
        (mul(V, mul(V, L)), "l*x'^2", "l x'^{2}"),
        (add(neg(SIN), number(1)), "1 - sin(x)", r"1 - \sin(x)"),
        (add(X, number(1)), "x + 1", "x + 1"),
        (divide(M, mul(L, G)), "m/(g*l)", r"\frac{m}{g l}"),
        (divide(add(X, Y), M), "(x + y)/m", r"\frac{x + y}{m}"),
        (power(add(X, Y), Fraction(1, 2)), "sqrt(x + y)", r"\sqrt{x + y}"),
        (power(power(add(X, Y), 2), Fraction(1, 2)), "abs(x + y)", r"\left|x + y\right|"),
        (power(power(add(X, Y), 2), Fraction(-1, 2)), "1/abs(x + y)", None),
        (power(SIN, 2), "sin(x)^2", r"\sin^{2}(x)"),
        (power(X, Fraction(3, 2)), "x^(3/2)", "x^{3/2}"),
        (mul(M, total([neg(X), neg(Y)])), "-m*(x + y)", "-m (x + y)"),
        (mul(number(0.125), X), "0.125*x", "0.125 x"),
        (mul(number(1e-20), X), "1e-20*x", r"1 \cdot 10^{-20} x"),
        (scale(Fraction(3, 10**17), X), f"3*x/1{'0' * 17}", None),
        (scale(Fraction(-3, 10**18), X), "-3e-18*x", r"-3 \cdot 10^{-18} x"),
        (scale(Fraction(1, 10**400), X), f"x/1{'0' * 400}", None),
        (
            choose(less(X, Y), X, Y),
            "(if x < y then x else y)",
            r"\begin{cases} x & \text{if } x < y \\ y & \text{otherwise} \end{cases}",
        ),
        (
            choose(both(less(X, Y), negation(less(L, X))), X, Y),
            "(if x < y and x <= l then x else y)",
            None,
        ),
    ],
)
def test_expressions_read_as_people_write_them(node: Node, text: str, latex: str | None) -> None:
    laid = Layout.of(SIGNATURE)(node)
    assert plain(laid) == text
    if latex is not None:
        assert LatexSums(str).sum(laid) == latex


def test_like_terms_that_the_kernel_keeps_apart_are_one() -> None:
    product = mul(X, mul(Y, M))
    other = mul(Y, mul(X, M))
    assert plain(Layout.of(SIGNATURE)(add(product, other))) == "2*m*x*y"


def test_what_stands_below_the_line_is_never_cancelled() -> None:
    node = mul(M, mul(X, power(mul(X, L), -1)))
    assert plain(Layout.of(SIGNATURE)(node)).count("x") in {0, 2}


def test_sums_in_sums_are_opened_and_products_of_sums_are_not() -> None:
    node = sub(X, mul(add(X, Y), add(X, M)))
    assert plain(Layout.of(SIGNATURE)(node)) == "x - (m + x)*(x + y)"
