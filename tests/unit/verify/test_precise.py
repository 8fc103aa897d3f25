"""Matrix programs in many digits, in balls and in decimals."""

from __future__ import annotations

import sys
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mbx.base.errors import EquationsError
from mbx.expr.build import add, choose, function, less, power, scale, sub
from mbx.expr.nodes import number, symbol
from mbx.formalism.builder import Program
from mbx.formalism.program import Step
from mbx.numerics.multiprecision import algebra
from mbx.numerics.multiprecision.balls import Balls
from mbx.numerics.multiprecision.decimals import Decimals
from mbx.numerics.multiprecision.digit_numbers import (
    Numbers,
    floats,
    largest,
    middle,
    numbers_of,
    power_of_ten,
)
from mbx.numerics.multiprecision.execute_digits import Decided, evaluate_nodes, execute

if TYPE_CHECKING:
    from collections.abc import Iterator

X = symbol("x")


@pytest.fixture(params=[Balls, Decimals])
def numbers(request: pytest.FixtureRequest) -> Iterator[Numbers]:
    found: Numbers = request.param(50)
    with found.within():
        yield found


def exact(numbers: Numbers, *rows: tuple[Any, ...]) -> Any:
    return np.array([[numbers.exact(x) for x in row] for row in rows], dtype=object)


def close(numbers: Numbers, found: Any, expected: Any) -> bool:
    return bool(largest(numbers, found - expected) <= power_of_ten(numbers, -40))


def test_balls_are_taken_where_they_are_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert numbers_of(50) == Balls(50)
    monkeypatch.setitem(sys.modules, "flint", None)
    monkeypatch.delitem(sys.modules, "mbx.numerics.multiprecision.balls")
    assert numbers_of(50) == Decimals(50)


def test_the_digits_outside_stay_as_they_are() -> None:
    with Balls(50).within():
        one = Balls(50).exact(Fraction(1, 3))
        with Balls(100).within():
            assert Balls(100).exact(Fraction(1, 3)).rad() < 1e-99
        assert (one - Balls(50).exact(Fraction(1, 3))).rad() > 1e-60


def test_expressions_have_fifty_digits(numbers: Numbers) -> None:
    root, third, pi = evaluate_nodes(
        numbers,
        [
            power(X, Fraction(1, 2)),
            scale(Fraction(1, 3), X),
            function("atan2", number(0), scale(-1, X)),
        ],
        {X: numbers.exact(2)},
    )
    # decimal expansions of sqrt(2), 2/3 and pi
    expected = (
        "1.4142135623730950488016887242096980785696718753769",
        "0.6666666666666666666666666666666666666666666666667",
        "3.1415926535897932384626433832795028841971693993751",
    )
    for found, value in zip((root, third, pi), expected, strict=True):
        gap = exact(numbers, (Fraction(value),)) - found
        assert largest(numbers, gap) < power_of_ten(numbers, -47)


@pytest.mark.parametrize(
    ("exponent", "value"),
    [(2, 0), (3, 0), (Fraction(1, 2), 0), (-1, None), (Fraction(-1, 2), None)],
)
def test_powers_of_zero_are_zero_or_nothing(
    numbers: Numbers, exponent: Any, value: int | None
) -> None:
    node = power(sub(X, symbol("y")), exponent)
    at = {X: numbers.exact(3), symbol("y"): numbers.exact(3)}
    if value is None:
        with pytest.raises((ArithmeticError, EquationsError)):
            evaluate_nodes(numbers, [node], at)
    else:
        assert float(evaluate_nodes(numbers, [node], at)[0]) == value


def test_balls_around_zero_have_powers() -> None:
    numbers = Balls(50)
    third = numbers.exact(Fraction(1, 3))
    at = {X: third - third}
    square, cube = evaluate_nodes(numbers, [power(X, 2), power(X, 3)], at)
    assert square.contains(0)
    assert cube.contains(0)
    with pytest.raises(ArithmeticError, match="cannot be told from zero"):
        evaluate_nodes(numbers, [power(X, Fraction(1, 2))], at)


@pytest.mark.parametrize(
    ("exponent", "value"),
    [
        (5, 7776),
        (-2, Fraction(1, 36)),
        (Fraction(3, 2), Fraction("14.696938456699068589")),
        (0.5, Fraction("2.4494897427831780982")),
    ],
)
def test_powers_are_those_of_arithmetic(numbers: Numbers, exponent: Any, value: Any) -> None:
    # 6^5, 6^-2, 6 sqrt(6) and sqrt(6)
    (found,) = evaluate_nodes(numbers, [power(X, exponent)], {X: numbers.exact(6)})
    assert largest(numbers, exact(numbers, (value,)) - found) < power_of_ten(numbers, -17)


@pytest.mark.parametrize(
    ("name", "x", "value"),
    [
        ("sin", 1, "0.841470984807896506652502321630"),
        ("cos", 1, "0.540302305868139717400936607442"),
        ("tan", 1, "1.55740772465490223050697480745"),
        ("asin", 1, "1.57079632679489661923132169163"),
        ("acos", 0, "1.57079632679489661923132169163"),
        ("atan", 1, "0.785398163397448309615660845819"),
        ("sinh", 1, "1.17520119364380145688238185059"),
        ("cosh", 1, "1.54308063481524377847790562075"),
        ("tanh", 1, "0.761594155955764888119458282604"),
        ("exp", 1, "2.71828182845904523536028747135"),
        ("log", 2, "0.693147180559945309417232121458"),
        ("abs", -2, "2"),
        ("sign", -2, "-1"),
    ],
)
def test_functions_have_many_digits(numbers: Numbers, name: str, x: int, value: str) -> None:
    # values from tables (Abramowitz and Stegun)
    (found,) = evaluate_nodes(numbers, [function(name, X)], {X: numbers.exact(x)})
    assert largest(numbers, exact(numbers, (Fraction(value),)) - found) < power_of_ten(numbers, -28)


def test_doubles_are_taken_as_they_are(numbers: Numbers) -> None:
    (tenth,) = evaluate_nodes(numbers, [sub(X, number(Fraction(1, 10)))], {X: numbers.exact(0.1)})
    assert float(tenth) == pytest.approx(float(Fraction(0.1) - Fraction(1, 10)), rel=1e-12)


def test_a_function_without_a_value_raises_an_error(numbers: Numbers) -> None:
    with pytest.raises(ValueError, match="log has no value"):
        evaluate_nodes(numbers, [function("log", X)], {X: numbers.exact(-1)})


def test_the_branch_that_a_condition_leaves_out_needs_no_value(numbers: Numbers) -> None:
    node = choose(less(X, number(0)), function("log", X), scale(2, X))
    assert float(evaluate_nodes(numbers, [node], {X: numbers.exact(3)})[0]) == 6


def test_balls_that_overlap_are_not_said_to_be_less() -> None:
    numbers = Balls(50)
    third = numbers.exact(Fraction(1, 3))
    with pytest.raises(ArithmeticError, match="cannot be told apart"):
        evaluate_nodes(numbers, [less(X, symbol("y"))], {X: third, symbol("y"): third})
    with pytest.raises(ArithmeticError, match="cannot be told from zero"):
        evaluate_nodes(numbers, [function("sign", X)], {X: third - third})


def test_the_inverse_of_moore_and_penrose_has_its_four_properties(numbers: Numbers) -> None:
    times = numbers.product
    for A in (
        exact(numbers, (1, 2, 3), (2, 4, 6), (0, 1, 1), (1, 3, 4)),
        exact(numbers, (1, 2, 3), (0, 1, 1)),
        exact(numbers, (1, 0), (0, 1), (1, 1)),
        exact(numbers, (1, 2), (3, 4)),
    ):
        P = algebra.pinv(numbers, A)
        assert close(numbers, times(times(A, P), A), A)
        assert close(numbers, times(times(P, A), P), P)
        assert close(numbers, times(A, P).T, times(A, P))
        assert close(numbers, times(P, A).T, times(P, A))


def test_a_matrix_of_zeros_has_an_inverse_of_zeros(numbers: Numbers) -> None:
    zero = exact(numbers, (0, 0), (0, 0))
    assert (algebra.pinv(numbers, zero) == zero).all()


def test_a_pivot_far_below_the_doubles_counts(numbers: Numbers) -> None:
    tiny = Fraction(1, 10**20)
    A = exact(numbers, (1, 1), (1, 1 + tiny))
    assert algebra.factors(numbers, A).rank == 2
    assert algebra.factors(numbers, exact(numbers, (1, 1), (1, 1 + tiny**2))).rank == 1


def test_least_squares_take_all_rows_and_the_smallest_solution(numbers: Numbers) -> None:
    # rows 1 and 2 contradict each other: the mean; x2 and x3 only as a sum: one half each
    A = exact(numbers, (1, 0, 0), (1, 0, 0), (0, 1, 1))
    b = exact(numbers, (1,), (2,), (3,))
    x, rank = algebra.least_squares(numbers, A, b, 1, 0)
    half = Fraction(3, 2)
    assert close(numbers, x, exact(numbers, (half,), (half,), (half,)))
    assert rank == 2


def test_the_smallest_solution_is_so_in_the_units_given(numbers: Numbers) -> None:
    x, _ = algebra.least_squares(numbers, exact(numbers, (1, 8)), exact(numbers, (65,)), None, 0)
    assert close(numbers, x, exact(numbers, (1,), (8,)))


def test_unknowns_that_must_be_unique_and_are_not_raise_an_error(numbers: Numbers) -> None:
    A, b = exact(numbers, (1, 1)), exact(numbers, (1,))
    with pytest.raises(ZeroDivisionError, match="not unique"):
        algebra.least_squares(numbers, A, b, 1, 0)


def test_a_singular_matrix_raises_an_error(numbers: Numbers) -> None:
    program = Program()
    program.solve("x", program.define("A", [[X, X], [X, X]]), program.column("b", [X, X]))
    with pytest.raises(EquationsError, match="'x': singular"):
        execute(numbers, program.steps, {X: numbers.exact(3)})


def test_a_basis_is_orthonormal_and_near_the_one_in_doubles(numbers: Numbers) -> None:
    A = exact(numbers, (1, 2, 3))
    like = np.linalg.svd(floats(A))[2][1:].T
    Z, rank = algebra.nullspace(numbers, A, None, like)
    assert rank == 1
    assert close(numbers, numbers.product(A, Z), exact(numbers, (0, 0)))
    assert close(numbers, numbers.product(Z.T, Z), exact(numbers, (1, 0), (0, 1)))
    assert np.abs(floats(Z) - like).max() < 1e-14
    other, _ = algebra.nullspace(numbers, A, None, None)
    turn = numbers.product(Z.T, other)
    assert close(numbers, numbers.product(Z, turn), other)


def test_a_basis_is_the_unit_matrix_in_chosen_columns(numbers: Numbers) -> None:
    A = exact(numbers, (1, 2, 3))
    Z, _ = algebra.nullspace(numbers, A, (0, 2), None)
    expected = ((1, 0), (Fraction(-1, 2), Fraction(-3, 2)), (0, 1))
    assert close(numbers, Z, exact(numbers, *expected))


def test_columns_that_the_rank_does_not_allow_are_not_chosen(numbers: Numbers) -> None:
    Z, _ = algebra.nullspace(numbers, exact(numbers, (1, 0, 0)), (0, 2), None)
    assert close(numbers, numbers.product(Z.T, Z), exact(numbers, (1, 0), (0, 1)))
    assert close(numbers, Z[:1], exact(numbers, (0, 0)))


def test_a_rank_other_than_in_doubles_raises_an_error(numbers: Numbers) -> None:
    program = Program()
    program.let("P", program.pinv(program.define("A", [[X, X]])))
    decided = Decided(ranks={"P": 2})
    with pytest.raises(EquationsError, match="rank 1 in 50 digits, 2 in doubles"):
        execute(numbers, program.steps, {X: numbers.exact(3)}, None, decided)


def test_the_steps_of_a_program_are_executed(numbers: Numbers) -> None:
    p = Program()
    A = p.define("A", [[X, number(1)], [number(1), X]])
    root = p.sqrtm(A)
    p.let("zero", root @ root - A)
    B = p.define("B", [[number(1), number(-1)]])
    Z = p.null("Z", B)
    p.let("BZ", B @ Z)
    K = p.diagonal(A, B)
    p.let("Kt", K.T)
    p.let("size", abs(K.rows([2])))
    p.let("one", p.identity(2))
    p.let("Ax", A @ p.solve("x", A, Z, "positive"))
    found = execute(numbers, p.steps, {X: numbers.exact(3)})
    assert close(numbers, found["zero"], 0 * found["A"])
    assert close(numbers, found["BZ"], exact(numbers, (0,)))
    assert found["Kt"].shape == (4, 3)
    assert floats(found["size"]).tolist() == [[0, 0, 1, 1]]
    assert floats(found["one"]).tolist() == [[1, 0], [0, 1]]
    assert close(numbers, found["Ax"], found["Z"])


@pytest.mark.parametrize("smallest", [1, 5, 13])
def test_a_square_root_of_a_badly_conditioned_matrix_is_known(
    numbers: Numbers, smallest: int
) -> None:
    # R has the eigenvalues 1, 1/2 and 10^-smallest behind a reflection; the root of R R is R
    v = exact(numbers, (1,), (2,), (-3,))
    Q = exact(numbers, (1, 0, 0), (0, 1, 0), (0, 0, 1)) - numbers.product(v, v.T) / 7
    D = np.diag(exact(numbers, (1, Fraction(1, 2), Fraction(1, 10**smallest)))[0]) + 0 * Q
    R = numbers.product(numbers.product(Q, D), Q)
    root = algebra.sqrtm(numbers, middle(numbers, numbers.product(R, R)))
    gap = (root - R).ravel().tolist()
    assert all(numbers.lower(x) <= power_of_ten(numbers, 3 * smallest - 47) for x in gap)
    if isinstance(numbers, Balls):
        assert all(x.contains(0) for x in gap)
        assert largest(numbers, root - R) <= power_of_ten(numbers, 3 * smallest - 45)


def fixed_point(*nodes: Any) -> Step:
    """Return the step that finds y with y = node(y)."""
    inner = Program()
    inner.let("open", inner.given("y", [symbol("y")]) - inner.column("next", nodes))
    return Step(name="y", op="implicit", steps=tuple(inner.steps), unknown="y", residual="open")


def test_an_unknown_of_an_implicit_step_is_found(numbers: Numbers) -> None:
    found = execute(numbers, [fixed_point(function("cos", symbol("y")))], {})
    # the Dottie number
    dottie = Fraction("0.7390851332151606416553120876738734040134117589")
    assert close(numbers, found["y"], exact(numbers, (dottie,)))


def test_the_ball_of_an_unknown_holds_the_solution() -> None:
    numbers = Balls(50)
    with numbers.within():
        (y,) = execute(numbers, [fixed_point(function("cos", symbol("y")))], {})["y"][:, 0]
        assert 0 < y.rad() < 1e-45
        assert (y - y.cos()).contains(0)


def test_an_unknown_is_the_one_that_was_found_in_doubles(numbers: Numbers) -> None:
    y = symbol("y")  # 0, 1 and -1 are all fixed
    step = fixed_point(power(y, 3))
    found = execute(numbers, [step], {}, None, Decided(matrices={"y": np.array([[1 + 1e-9]])}))
    assert close(numbers, found["y"], exact(numbers, (1,)))
    with pytest.raises(EquationsError, match="not what was found in doubles"):
        execute(numbers, [step], {}, None, Decided(matrices={"y": np.array([[1.1]])}))


def test_an_implicit_step_without_a_solution_raises_an_error(numbers: Numbers) -> None:
    y = symbol("y")
    with pytest.raises(EquationsError):
        execute(numbers, [fixed_point(add(y, power(y, 2), number(1)))], {})


def test_a_matrix_that_is_not_given_raises_an_error(numbers: Numbers) -> None:
    program = Program()
    program.given("ud", size=1)
    with pytest.raises(EquationsError, match="'ud' is not given"):
        execute(numbers, program.steps, {})


def test_columns_can_be_put_into_expressions(numbers: Numbers) -> None:
    y = symbol("y")
    program = Program()
    program.derived("d", [[sub(y, X)]], of={program.column("c", [X]): [y]})
    found = execute(numbers, program.steps, {X: numbers.exact(3)})
    assert close(numbers, found["d"], exact(numbers, (0,)))


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["sin", "exp", "tanh", "atan"])
def test_numbers_beyond_all_use_take_no_time(numbers: Numbers, name: str) -> None:
    huge = function("exp", function("exp", function("exp", X)))
    for node in (function(name, huge), function(name, power(X, 10**7)), power(huge, 10**7)):
        with suppress(ArithmeticError, ValueError, EquationsError):  # either, but soon
            assert len(evaluate_nodes(numbers, [node], {X: numbers.exact(9)})) == 1
