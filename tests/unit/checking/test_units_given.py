"""Models without any unit: the first fault of dimension says how units are given."""

from __future__ import annotations

from typing import Final

import mbx

_BARE: Final = """mbx 1
model Sleigh {
  param m = 1, I = 0.2, a = 0.3
  coordinate x = 0, y = 0, theta = 0.1
  body B { mass m  inertia I about z
    joint planar(ground, axis = z, x = x, y = y, angle = theta) }
  invariant knife: -x'*sin(theta) + y'*cos(theta) - a*theta' = 0
}
"""
_HELP: Final = "give units where values are declared: `param m: kg = 1`, `coordinate x: m = 0`"


def _helps(text: str, *, relaxed: bool = False) -> list[str | None]:
    return [one.help for one in mbx.check(mbx.loads(text), relaxed=relaxed)]


def test_the_first_fault_of_dimension_says_how_units_are_given() -> None:
    # mass, inertia, and two lengths
    assert _helps(_BARE) == [_HELP, None, None, None]
    assert _helps(_BARE, relaxed=True) == [_HELP, None, None, None]


def test_one_unit_shows_that_units_are_known() -> None:
    assert _helps(_BARE.replace("I = 0.2", "I: kg*m^2 = 0.2")) == [None, None, None]


def test_a_model_with_units_in_the_same_file_gets_no_advice() -> None:
    known = "mbx 1\nmodel First { coordinate s: m  particle P { mass 1 m  at [s, 0, 0] } }\n"
    assert _helps(known + _BARE.removeprefix("mbx 1\n")) == [None, _HELP, None, None, None]


def test_other_faults_get_no_advice() -> None:
    wrong = _BARE.replace("mass m", "mass 1 foo")
    found = mbx.check(mbx.loads(wrong))
    assert [(one.code, one.help == _HELP) for one in found][:2] == [
        ("MBX4111", False),
        ("MBX4116", True),
    ]
