"""Functions from their slopes."""

from __future__ import annotations

import pytest

from mbx.analyses.structure.pfaff import is_closed
from mbx.analyses.structure.potential import potential
from mbx.expr.algebra.elimination import vanishes
from mbx.expr.build import add, function, mul, power, scale, sub
from mbx.expr.derivatives import gradient
from mbx.expr.nodes import ONE, ZERO, symbol

X, Y, K = (symbol(name) for name in ("x", "y", "k"))
R2 = add(power(X, 2), power(Y, 2))


@pytest.mark.parametrize(
    "f",
    [
        mul(X, Y),
        add(power(X, 3), mul(K, power(Y, 2))),
        mul(function("sin", add(mul(K, X), Y)), K),
        mul(function("sin", X), function("sin", Y)),
        function("exp", mul(X, K)),
        power(R2, 2),
        power(R2, 0.5),
        power(function("sin", X), 2),
        mul(add(X, Y), add(X, ONE), K),
        function("cosh", X),
        function("sinh", Y),
        scale(-1, function("cos", power(X, 2))),
    ],
)
def test_a_function_is_found_from_its_slopes(f: object) -> None:
    slopes = gradient(f, [X, Y])  # type: ignore[arg-type]
    assert is_closed(slopes, [X, Y])
    found = potential(slopes, [X, Y])
    assert found is not None
    again = gradient(found, [X, Y])
    assert all(vanishes(sub(a, b)) for a, b in zip(again, slopes, strict=True))


def test_slopes_that_are_not_closed_are_not_those_of_a_function() -> None:
    assert not is_closed([Y, scale(-1, X)], [X, Y])
    assert potential([Y, scale(-1, X)], [X, Y]) is None


def test_what_is_beyond_the_rules_is_not_found() -> None:
    # no elementary function has the slope exp(x^2)
    assert potential([function("exp", power(X, 2)), ZERO], [X, Y]) is None


def test_a_logarithm_is_left_out() -> None:
    assert potential([power(X, -1), ZERO], [X, Y]) is None
