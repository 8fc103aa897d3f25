"""Units as they are shown: the SI unit of the declared kind, and what follows from it."""

from __future__ import annotations

import pytest

from mbx.language.units import (
    conjugate,
    dimension_text,
    known_units,
    multiply_seconds,
    parse,
    per_second,
    si_unit,
    usual_unit,
)


@pytest.mark.parametrize(
    ("declared", "shown"),
    [
        ("rad", "rad"),
        ("deg", "rad"),
        ("mrad", "rad"),
        ("rev", "rad"),
        ("rpm", "rad/s"),
        ("deg/s", "rad/s"),
        ("mm", "m"),
        ("g", "kg"),
        ("kg", "kg"),
        ("tonne", "kg"),
        ("N*m", "N*m"),
        ("kN*mm", "N*m"),
        ("J", "J"),
        ("mJ", "J"),
        ("N/mm", "N/m"),
        ("N*m/deg", "N*m/rad"),
        ("N*m*min/rev", "N*m*s/rad"),
        ("cm*mm", "m^2"),
        ("bar", "Pa"),
        ("percent", "1"),
        ("m^(1/2)", "m^(1/2)"),
        ("kg*m/s/s", "kg*m/s^2"),
        ("integer", "1"),
        (None, "1"),
        ("*/ no unit", "*/ no unit"),
    ],
)
def test_a_declared_unit_is_shown_as_the_si_unit_of_its_kind(
    declared: str | None, shown: str
) -> None:
    assert si_unit(declared) == shown


@pytest.mark.parametrize("word", known_units())
def test_the_unit_that_is_shown_is_the_unit_of_the_number(word: str) -> None:
    shown = parse(si_unit(word))
    assert shown.factor == 1
    assert shown.dimension == parse(word).dimension


@pytest.mark.parametrize(
    ("unit", "times", "rate"),
    [
        ("rad", 1, "rad/s"),
        ("rad", 2, "rad/s^2"),
        ("rad/s", 1, "rad/s^2"),
        ("m", 1, "m/s"),
        ("1", 1, "1/s"),
        ("", 1, "1/s"),
        ("1/s", 1, "1/s^2"),
        ("N*m", 1, "N*m/s"),
        ("C", 1, "C/s"),
        ("m", 0, "m"),
    ],
)
def test_a_rate_is_over_seconds(unit: str, times: int, rate: str) -> None:
    assert per_second(unit, times) == rate


def test_seconds_cancel() -> None:
    assert multiply_seconds("rad/s^3", 2) == "rad/s"
    assert multiply_seconds("m/s", 1) == "m"


@pytest.mark.parametrize(
    ("unit", "force"), [("m", "N"), ("rad", "N*m"), ("1", "J"), ("C", "V"), ("m^2", "N/m")]
)
def test_a_force_is_conjugate_to_its_coordinate(unit: str, force: str) -> None:
    assert conjugate(unit) == force


@pytest.mark.parametrize(("unit", "force"), [("m/s", "N"), ("rad/s", "N*m"), ("A", "V")])
def test_a_force_is_conjugate_to_its_speed(unit: str, force: str) -> None:
    assert conjugate(unit, rate=True) == force


@pytest.mark.parametrize(
    ("base", "usual"),
    [
        ("1", "1"),
        ("kg*m/s^2", "N"),
        ("kg*m^2/s^2", "N*m"),
        ("kg*m^2/s^3", "W"),
        ("kg/s^2", "N/m"),
        ("kg/s", "N*s/m"),
        ("kg*m/s", "N*s"),
        ("kg*m^2/s", "N*m*s"),
        ("kg*m^2/s^3/A", "V"),
        ("kg*m^2", "kg*m^2"),
        ("m/s^2", "m/s^2"),
    ],
)
def test_a_dimension_has_a_usual_unit(base: str, usual: str) -> None:
    assert usual_unit(parse(base).dimension) == usual
    assert parse(usual).dimension == parse(base).dimension


def test_an_energy_is_in_joule() -> None:
    assert usual_unit(parse("N*m").dimension, energy=True) == "J"
    assert usual_unit(parse("N").dimension, energy=True) == "N"
    assert usual_unit(None) == ""


def test_units_that_differ_in_radians_have_one_dimension() -> None:
    assert dimension_text("rad/s") == dimension_text("1/s") == "1/s"
    assert dimension_text("N*m") == dimension_text("J") == "kg*m^2/s^2"
    assert dimension_text("no unit") == "no unit"
