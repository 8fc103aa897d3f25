"""Which velocity invariants are integrable, against what textbooks say of them."""

from __future__ import annotations

import pytest
import sympy

from unit.analyses.structure.models import library, structure


def _same(a: str, b: str) -> bool:
    """Return whether two texts say the same, in whatever order of terms."""
    x, y = (sympy.sympify(text.replace("^", "**")) for text in (a, b))
    return bool(sympy.simplify(x - y) == 0)


BLADE = "invariant blade: y'*cos(phi) - x'*sin(phi) = 0 [m/s]"


@pytest.mark.parametrize(
    ("invariant", "expression"),
    [
        ("x' = r*th'", "x - r*th"),
        ("x*x' + y*y' = 0 [m^2/s]", "1/2*(x^2 + y^2)"),
        ("x' = r*cos(th)*th'", "x - r*sin(th)"),
        ("y*x' + x*y' = 0 [m^2/s]", "x*y"),
        ("x' = 3 [m/s]", "x - 3*t"),
        ("x' = 2 [m/s]*cos(4 [1/s]*t)", "x - 1/2*sin(4*t)"),
    ],
)
def test_a_rate_of_an_expression_is_found_with_the_expression(
    invariant: str, expression: str
) -> None:
    found = structure(f"invariant c: {invariant}")
    (exact,) = found.integrability.exact
    assert _same(exact.expression, expression)
    assert (found.integrability.integrable_count, found.integrability.nonholonomic_count) == (1, 0)
    (warned,) = found.warnings
    assert warned.element == "c"
    assert warned.line == "<text>:10:1"
    assert warned.text.startswith(f"is the rate of {exact.expression}: ")


@pytest.mark.parametrize(
    ("body", "count"),
    [
        (BLADE, 1),  # the knife edge, Neimark and Fufaev, chapter 1
        ("invariant i: x' = r*cos(phi)*th'\ninvariant j: y' = r*sin(phi)*th'", 2),  # upright disc
        (  # a car with two trailers: brackets of depth three, Laumond, Robot Motion Planning 1998
            (
                f"{BLADE}\n"
                "invariant t1: r*a' + (x'*sin(a) - y'*cos(a)) = 0 [m/s]\n"
                "invariant t2: r*b' + cos(phi - a)*(x'*sin(b) - y'*cos(b)) = 0 [m/s]"
            ),
            3,
        ),
    ],
)
def test_nonholonomic_invariants_have_no_integrable_combination(body: str, count: int) -> None:
    found = structure(body).integrability
    assert (found.integrable_count, found.nonholonomic_count) == (0, count)
    assert found.exact == ()
    assert found.integrable == ()
    assert structure(body).warnings == ()


def test_a_blade_of_fixed_heading_is_integrable_though_no_rate() -> None:
    found = structure(f"{BLADE}\ninvariant fixed: phi = 0.3 rad").integrability
    assert found.exact == ()
    assert found.integrable == ("blade",)
    assert (found.integrable_count, found.nonholonomic_count) == (1, 0)


def test_a_blade_with_a_heading_in_time_stays_nonholonomic() -> None:
    # cos(t^2) y' - sin(t^2) x' = 0 : d of it is no multiple of it, for t moves
    found = structure(f"{BLADE}\ninvariant h: phi' = 2 [rad/s^2]*t").integrability
    (exact,) = found.exact
    assert _same(exact.expression, "phi - t^2")
    assert (found.integrable_count, found.nonholonomic_count) == (1, 1)


def test_an_integrating_factor_is_enough() -> None:
    # y dx - x dy = y^2 d(x/y)
    found = structure("invariant ray: y*x' - x*y' = 0 [m^2/s]").integrability
    assert found.integrable == ("ray",)
    assert (found.exact, found.nonholonomic_count) == ((), 0)


def test_a_velocity_that_an_input_gives_is_not_integrable() -> None:
    found = structure("input s: m/s\ninvariant drive: x' = s").integrability
    assert (found.integrable_count, found.nonholonomic_count) == (0, 1)


def test_speeds_count_as_what_their_definitions_say() -> None:
    # v = y' cos(phi) - x' sin(phi), and v = 0
    found = library("chaplygin_sleigh").integrability
    assert (found.integrable_count, found.nonholonomic_count) == (0, 1)


def test_speeds_without_coordinates_are_eliminated() -> None:
    body = "speed w: rad/s\ninvariant spin: th' = w\ninvariant gear: a' = 2*w"
    found = structure(f"{body}\neffective w: 0 [N*m] - 1 [kg*m^2]*w'").integrability
    # w is gone from a' = 2 th'
    assert found.without_coordinates == ("spin", "gear")
    assert (found.integrable_count, found.nonholonomic_count) == (1, 0)


def test_an_invariant_that_only_defines_a_speed_says_nothing_of_coordinates() -> None:
    found = library("dc_motor").integrability
    assert found.without_coordinates == ("shaft",)
    assert (found.integrable_count, found.nonholonomic_count) == (0, 0)


def test_an_invariant_that_is_nonlinear_in_the_rates_is_named_apart() -> None:
    found = library("nonlinear_nonholonomic").integrability
    assert found.nonlinear == ("cone",)
    assert found.rows == ()


def test_a_rolling_sphere_keeps_its_surface_and_nothing_else() -> None:
    found = library("sphere_in_trough").integrability
    assert (found.integrable_count, found.nonholonomic_count) == (0, 2)


def test_a_leaf_can_be_normal_to_one_row_and_not_to_another() -> None:
    found = structure(f"{BLADE}\ninvariant ray: a*b' + b*a' = 0 [rad^2/s]").integrability
    assert [one.row for one in found.exact] == ["ray"]
    assert found.integrable == ()
    assert (found.integrable_count, found.nonholonomic_count) == (1, 1)
