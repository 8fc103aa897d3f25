"""Expressions as Python functions: the same values as the kernel's own evaluation."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mbx.codegen.python.python_function import _lines, python_function
from mbx.expr.build import add, choose, divide, function, less, mul, neg, power, scale
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import Node, number, symbol

X, Y = symbol("import os; x"), symbol("y'")

NODES = {
    "sum": add(X, Y, number(3)),
    "negative": neg(X),
    "third": scale(Fraction(1, 3), X),
    "product": mul(X, Y),
    "quotient": divide(X, Y),
    "square": power(X, 2),
    "seventh": power(X, 7),
    "root": power(X, Fraction(1, 2)),
    "cube root": power(X, Fraction(-1, 3)),
    "number": number(-0.1),
    "less": less(X, Y),
    "choice": choose(less(X, Y), X, mul(X, Y)),
    **{f: function(f, X) for f in ("sin", "cos", "tan", "exp", "log", "abs", "sign", "tanh")},
    "angle": function("atan2", X, Y),
}


@pytest.mark.parametrize("node", NODES.values(), ids=NODES)
@pytest.mark.parametrize("values", [(0.7, 1.3), (1.9, -0.4)])
def test_the_function_has_the_values_of_the_expressions(
    node: Node, values: tuple[float, float]
) -> None:
    found = python_function([node, X], [X, Y])(values)
    expected = evaluate([node, X], dict(zip((X, Y), values, strict=True)))
    assert found == pytest.approx(expected, rel=1e-15)


def test_a_branch_that_is_not_taken_need_not_have_a_value() -> None:
    node = choose(less(X, number(0)), number(5), power(X, Fraction(1, 2)))
    assert python_function([node], [X])([-1.0]) == (5,)


def test_what_has_no_value_raises_an_error() -> None:
    with pytest.raises(ValueError, match="fractional power of a negative number"):
        python_function([power(X, Fraction(1, 2))], [X])([-1.0])
    with pytest.raises(ZeroDivisionError):
        python_function([power(X, -1)], [X])([0.0])


def test_the_text_holds_no_name_of_a_model() -> None:
    text = "\n".join(_lines(list(NODES.values()), [X, Y]))
    assert "import" not in text
    assert "'" not in text
    assert '"' not in text
