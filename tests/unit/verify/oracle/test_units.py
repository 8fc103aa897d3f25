"""The oracle's own table of units against pint."""

from __future__ import annotations

from fractions import Fraction
from math import pi
from typing import Any, Final

import pint
import pytest

from mbx.verify.oracle.numbers.oracle_units import factor

PREFIXED: Final = "m s A K mol cd g N Pa J W C V F ohm S Wb T H Hz".split()  # noqa: SIM905  a table
PLAIN: Final = "rad mrad deg rev sr min h day rpm tonne bar percent".split()  # noqa: SIM905  a table
SPELT: Final = {"u": "micro", "h": "hour", "rpm": "revolutions_per_minute", "rev": "turn"}
REGISTRY: Final[Any] = pint.UnitRegistry()


def _value(text: str) -> float:
    found = factor(text)
    value: float = float(found.rational) * pi ** float(found.pi)
    for base, power in found.roots:
        value *= float(base) ** float(power)
    return value


def _kilograms(word: str) -> float:
    """Return pint's factor with the kilogram as the unit of mass."""
    quantity = REGISTRY.Quantity(1, SPELT.get(word, word)).to_base_units()
    return float(quantity.magnitude)


@pytest.mark.parametrize("word", [*PREFIXED, *PLAIN])
def test_a_unit_is_what_pint_says(word: str) -> None:
    assert _value(word) == pytest.approx(_kilograms(word), rel=1e-15)


@pytest.mark.parametrize("prefix", list("numckMG"))
@pytest.mark.parametrize("word", ["m", "g", "N", "Hz", "ohm", "mol"])
def test_a_prefix_is_what_pint_says(prefix: str, word: str) -> None:
    spelt = SPELT.get(prefix, prefix)
    quantity = REGISTRY.Quantity(
        1, f"{spelt}{'meter' if word == 'm' and spelt == 'micro' else word}"
    )
    assert _value(prefix + word) == pytest.approx(
        float(quantity.to_base_units().magnitude), rel=1e-14
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("kg*m^2/s^2", 1.0),
        ("N*m/A", 1.0),
        ("km/h", 1 / 3.6),
        ("mm^2", 1e-6),
        ("1/ms", 1e3),
        ("g*cm^-3", 1e3),
        ("deg/s", pi / 180),
        ("mm^(1/2)", 0.001**0.5),
        ("m^(-1/2)", 1.0),
        ("N * m / rad", 1.0),
    ],
)
def test_units_are_put_together(text: str, wanted: float) -> None:
    assert _value(text) == pytest.approx(wanted, rel=1e-15)


def test_factors_are_exact() -> None:
    assert factor("mm").rational == Fraction(1, 1000)
    assert factor("deg").rational == Fraction(1, 180)
    assert factor(None).rational == 1
    assert factor("integer").rational == 1


@pytest.mark.parametrize("text", ["foot", "m m", "degC", "krad", "m//s", "*m"])
def test_what_is_no_unit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unit"):
        factor(text)
