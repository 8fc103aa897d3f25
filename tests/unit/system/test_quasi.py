"""Declared variables of order 2 and more: what determines them, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.base.errors import SourceError
from mbx.expr.show import show
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from mbx.system.system import System

_POINT: Final = """mbx 1
model M {
  param w: rad/s = 2
  coordinate x, y: m
  speed v: m/s
  particle P { mass 2 kg  at [x, y, 0] }
  define v = x' + y'
"""
LINE: Final = 8


def _system(*statements: str) -> System:
    text = _POINT + "".join(f"  {one}\n" for one in statements) + "}\n"
    return elaborate(mbx.link(mbx.loads(text)))


A: Final = "variable a: m/s^2 of order 2"
B: Final = "variable b: m/s^2 of order 2"
J: Final = "variable j: m/s^3 of order 3"

REFUSED: Final = {
    "nothing names it": ((A,), "MBX4046", 0, "no definition or invariant of order 2 names it"),
    "a load alone names it": (
        (A, "force (1 kg)*a*ground.x on P"),
        "MBX4046",
        0,
        "no definition or invariant of order 2 names it",
    ),
    "only its rate is known": (
        (A, "invariant i: a' = x'''"),
        "MBX4046",
        0,
        "no definition or invariant of order 2 names it",
    ),
    "only at a higher order": (
        (A, "invariant i: a*w = x'''"),
        "MBX4046",
        0,
        "'i' is of order 3",
    ),
    "a reaction is named": (
        (A, "invariant i: a = x'' reaction R"),
        "MBX4046",
        0,
        "'i' has a reaction, and what determines a variable has none",
    ),
    "a sign is open": (
        (A, "define a^2 = x''^2 + y''^2"),
        "MBX4046",
        0,
        "'definition(2)' is not affine in it",
    ),
    "two variables, one equation": (
        (A, B, "define a + b = x''"),
        "MBX4046",
        0,
        "the equations that name it leave it open",
    ),
    "of a lower order": ((A, "define a = w*x'"), "MBX4047", 0, "what it stands for is not"),
    "an invariant that loses its order": (
        (A, B, "define a = x'' + w*y'", "define b = x''", "invariant i: a = b"),
        "MBX4047",
        4,
        "'i' is written with order 2, and with what its variables stand for it is of order 1",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_open_is_refused_with_its_line(case: str) -> None:
    statements, code, line, text = REFUSED[case]
    with pytest.raises(SourceError) as error:
        _system(*statements)
    fault = next(iter(error.value.report))
    assert fault.code == code
    assert text in fault.message
    assert fault.span is not None
    assert fault.span.position[0] == LINE + line


def test_a_variable_stands_for_rates_of_its_order() -> None:
    found = _system(A, J, "define j = a' + x'''", "define a = v' + w*x'")
    assert [one.path for one in found.quasi] == ["a", "j"]
    assert [show(one.value) for one in found.quasi] == ["v' + w*x'", "x''' + (v'' + w*x'')"]
    assert found.order == 3
    assert found.rows == ()
    assert found.written is not None
    assert len(found.written.ties) == 2


def test_what_names_a_variable_is_a_system_without_it() -> None:
    found = _system(A, "define a = x''", "invariant i: a = w*y'", "force (1 kg)*a*ground.y on P")
    (row,) = found.rows
    assert (row.order, row.affine) == (2, True)
    assert show(row.value) == "x'' - w*y'"
    assert show(found.forces[0].force[1]) == "x''"
    assert found.written is not None
    assert show(found.written.rows[0].value) == "a - w*y'"


def test_a_load_on_a_variable_acts_on_the_rates_behind_it() -> None:
    found = _system(A, "define a = x'' + 3*v'", "load on a: 2 N")
    assert {(show(one.on), show(one.value)) for one in found.generalized} == {
        ("x'", "2"),
        ("v", "6"),
    }


def test_a_definition_too_many_is_an_invariant() -> None:
    found = _system(A, "define a = x''", "define a = 2*y''")
    (row,) = found.rows
    assert (row.kind, row.order) == ("definition", 2)
