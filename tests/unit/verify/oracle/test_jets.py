"""Series in time against derivatives of mpmath."""

from __future__ import annotations

from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, Any

import mpmath  # type: ignore[import-untyped]
import pytest

from mbx.verify.oracle.numbers import jets
from mbx.verify.oracle.numbers.jet_scalars import Arithmetic, Dual, Scalar, value_of
from mbx.verify.oracle.numbers.jets import Jet, NonlinearError, OrderError
from mbx.verify.oracle.numbers.number_fields import MpField

if TYPE_CHECKING:
    from collections.abc import Callable

M = Arithmetic(MpField(40))
START = ("0.3", "-0.7", "0.45", "0.2", "-0.11")
"""Taylor coefficients of the argument."""


def _number(text: str) -> Any:
    return M.field.number(Fraction(text))


def _argument(n: int) -> Jet:
    return Jet(tuple(_number(c) for c in START[:n]), n, {0: _number("1")})


def _gap(ours: Any, wanted: Any) -> float:
    """Return how far a number is from one of mpmath, relative to 1 and to that."""
    exact = Fraction(str(ours.context.nstr(ours, 50)))
    theirs = mpmath.mpf(exact.numerator) / exact.denominator
    return float(abs(theirs - wanted) / (1 + abs(wanted)))


def _along(t: Any) -> Any:
    return sum(mpmath.mpf(c) * t**k for k, c in enumerate(START))


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "product": (lambda a: a * a * a, lambda x: x**3),
    "quotient": (lambda a: M.one / (M.one + a * a), lambda x: 1 / (1 + x**2)),
    "whole power": (lambda a: M.power(a, M.constant(-3)), lambda x: x**-3),
    "root": (M.sqrt, mpmath.sqrt),
    "power": (lambda a: M.power(a, M.constant(0.25)), lambda x: x ** mpmath.mpf("0.25")),
    "moving power": (lambda a: M.power(a, a), lambda x: x**x),
    "angle": (lambda a: M.atan2(a, -M.one - a), lambda x: mpmath.atan2(x, -1 - x)),
} | {
    name: ((lambda a, name=name: M.call(name, a)), getattr(mpmath, name))
    for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log",
    )
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_coefficients_are_those_of_the_composed_function(name: str) -> None:
    ours, theirs = FUNCTIONS[name]
    found = ours(_argument(5))
    with mpmath.workdps(60):
        wanted = mpmath.taylor(lambda t: theirs(_along(t)), 0, 4)
        assert found.n == 5
        assert max(map(_gap, found.c, wanted)) < 1e-30


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("n", [2, 3])
def test_the_gradient_is_the_slope_of_the_last_coefficient(name: str, n: int) -> None:
    ours, _ = FUNCTIONS[name]
    small = _number("1e-25")
    a = _argument(n)
    more = Jet((*a.c[:-1], a.c[-1] + small), n)
    slope = (ours(more).c[-1] - ours(a).c[-1]) / small
    # a coefficient k of the unknown is g x / k!, so its slope is that of the function
    assert float(abs(slope - ours(a).g[0])) < 1e-20


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_small_part_is_the_derivative(name: str) -> None:
    ours, theirs = FUNCTIONS[name]
    found = ours(Dual(Jet((_number("0.3"),)), M.one, 1))
    with mpmath.workdps(60):
        assert _gap(value_of(found.b), mpmath.diff(theirs, mpmath.mpf("0.3"))) < 1e-25


def test_small_parts_of_two_derivatives_do_not_mix() -> None:
    # d/dx (x d/dy (x y)) = d/dx x^2 = 2 x (R. Siskind, B. Pearlmutter 2005, perturbation confusion)
    x: Scalar = Dual(Jet((_number("3"),)), M.one, 1)
    y: Scalar = Dual(Jet((_number("5"),)), M.one, 2)
    inner = x * y
    assert isinstance(inner, Dual)
    assert inner.tag == 2
    outer = x * inner.b
    assert isinstance(outer, Dual)
    assert value_of(outer.b) == 6


def test_the_shorter_part_tells_the_length() -> None:
    position, velocity = _argument(3), jets.ddt(_argument(3))
    both = position * velocity
    assert both.n == 2
    # the gradient of the position belongs to a coefficient that is cut off
    assert both.g == {0: position.c[0]}


def test_rates_beyond_the_highest_are_refused() -> None:
    with pytest.raises(OrderError):
        jets.ddt(Jet((_number("1"),), 1, {0: _number("1")}))


def test_products_of_unknowns_are_refused() -> None:
    x = Jet((_number("1"),), 1, {0: _number("1")})
    for bad in (lambda: x * x, lambda: M.one / x, lambda: M.call("sin", x), lambda: M.sqrt(x)):
        with pytest.raises(NonlinearError):
            bad()
    assert (x * M.constant(2)).g == {0: 2}


def test_a_constant_stays_one() -> None:
    found = M.call("exp", M.constant(1)) / M.constant(3)
    assert len(found.c) == 1
    assert found.n == jets.ENDLESS


def test_series_of_time_alone_are_long_enough() -> None:
    t = Jet((_number("0.4"), _number("1")))
    found: Any = M.call("sin", t) / (M.one + t)
    for _ in range(8):
        found = jets.ddt(found)
    with mpmath.workdps(60):
        wanted = mpmath.taylor(lambda s: mpmath.sin(s) / (1 + s), mpmath.mpf("0.4"), 8)[8]
        assert _gap(found.c[0], wanted * factorial(8)) < 1e-25
