"""Units against pint, and what is no unit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pint
import pytest

from mbx.language import units
from mbx.language.units import BASE, ONE, UnitError

PINT: Final[pint.UnitRegistry[float]] = pint.UnitRegistry()
SPELT: Final = {"rev": "turn", "tonne": "metric_ton", "mcd": "millicandela"}
"""Words that pint spells otherwise."""
SORTS: Final = (
    "[mass]",
    "[length]",
    "[time]",
    "[current]",
    "[temperature]",
    "[substance]",
    "[luminosity]",
)


def in_base(text: str) -> tuple[float, list[float]]:
    """Return what pint makes of a unit: its factor and its powers."""
    found: Any = PINT.Quantity(1.0, text).to_base_units()
    return found.magnitude, [float(found.dimensionality.get(sort, 0)) for sort in SORTS]


def dimension(**powers: int | Fraction) -> units.Dimension:
    return tuple(Fraction(powers.get(base, 0)) for base in BASE)


@pytest.mark.parametrize("word", units.known_units())
def test_each_unit_is_what_pint_says(word: str) -> None:
    ours = units.parse(word)
    factor, powers = in_base(SPELT.get(word, word))
    assert float(ours.factor) == pytest.approx(factor, rel=1e-12)
    assert [float(p) for p in ours.dimension] == powers


@pytest.mark.parametrize(
    ("text", "factor", "powers"),
    [
        ("1", 1, {}),
        ("1/s", 1, {"s": -1}),
        ("m/s^2", 1, {"m": 1, "s": -2}),
        ("kg*m^2", 1, {"kg": 1, "m": 2}),
        ("m^-2", 1, {"m": -2}),
        ("m^(1/2)", 1, {"m": Fraction(1, 2)}),
        ("s^(-3/2)", 1, {"s": Fraction(-3, 2)}),
        ("mm^2", Fraction(1, 10**6), {"m": 2}),
        ("N/mm", 1000, {"kg": 1, "s": -2}),
        ("m/s/s", 1, {"m": 1, "s": -2}),
        ("km/h", Fraction(5, 18), {"m": 1, "s": -1}),
        ("m^64", 1, {"m": 64}),
        ("m/m", 1, {}),
    ],
)
def test_products_and_powers_multiply_out(
    text: str, factor: Fraction, powers: dict[str, Fraction]
) -> None:
    found = units.parse(text)
    assert found.factor == factor
    assert found.dimension == dimension(**powers)


def test_a_fractional_power_takes_the_root_of_the_factor() -> None:
    assert float(units.parse("mm^(2/3)").factor) == pytest.approx(0.01, rel=1e-12)


@pytest.mark.parametrize("text", ["N*m", "kg*m^2/s^3", "1/s", "mm^2/s", "V*s/rad", "N*m*s/rad"])
def test_compound_units_are_what_pint_says(text: str) -> None:
    ours = units.parse(text)
    factor, powers = in_base(text.replace("^", "**"))
    assert float(ours.factor) == pytest.approx(factor, rel=1e-12)
    assert [float(p) for p in ours.dimension] == powers


@pytest.mark.parametrize(
    "text",
    [
        "furlong",
        "kkg",
        "krad",
        "mm mm",
        "m^",
        "m^^2",
        "m^2^2",
        "m*",
        "m//s",
        "m^(1/0)",
        "m^(1/2",
        "m^x",
        "m^1.5",
        "2*m",
        "m^65",
        "m^-65",
        "m^99999",
        "m^9999999999",
        "m^(9999/1)",
        "m^(1/99999)",
        "m²",
        "m m",
        "(m)",
    ],
)
def test_what_is_no_unit_is_refused(text: str) -> None:
    with pytest.raises(UnitError) as caught:
        units.parse(text)
    assert not caught.value.offset


@pytest.mark.parametrize("text", ["", "*m", "/s"])
def test_a_unit_begins_with_a_factor(text: str) -> None:
    with pytest.raises(UnitError):
        units.parse(text)


@pytest.mark.parametrize(
    "text", ["Gm^(127/2)", "Gm^64*deg", "Gm^64*Gm^64", "nm^64*nm^64", "nm^64*deg"]
)
def test_a_unit_whose_factor_no_float_holds_is_refused_or_kept_exact(text: str) -> None:
    try:
        found = units.parse(text)
    except UnitError:
        return
    assert 0 < float(found.factor) < float("inf")


@pytest.mark.parametrize("word", ["degC", "degF"])
def test_a_temperature_with_its_own_zero_says_so(word: str) -> None:
    with pytest.raises(UnitError) as caught:
        units.parse(word)
    assert caught.value.offset
    assert caught.value.word == word


def test_the_word_at_fault_is_named() -> None:
    with pytest.raises(UnitError) as caught:
        units.parse("kg*furlong/s")
    assert caught.value.word == "furlong"


@pytest.mark.parametrize(
    ("powers", "text"),
    [
        ({}, "1"),
        ({"kg": 1}, "kg"),
        ({"s": -1}, "1/s"),
        ({"kg": 1, "m": 1, "s": -2}, "kg*m/s^2"),
        ({"kg": 1, "m": 2, "s": -3, "A": -1}, "kg*m^2/s^3/A"),
        ({"m": Fraction(1, 2)}, "m^(1/2)"),
        ({"s": Fraction(-3, 2)}, "1/s^(3/2)"),
    ],
)
def test_a_dimension_is_shown_in_base_units_and_reads_back(
    powers: dict[str, Fraction], text: str
) -> None:
    assert units.show_dimension(dimension(**powers)) == text
    assert units.parse(text) == units.Unit(Fraction(1), dimension(**powers))


def test_a_value_in_a_unit_is_exact_in_si() -> None:
    assert units.parse("mm").si(Fraction(100)) == Fraction(1, 10)
    assert units.parse("rad").dimension == ONE
