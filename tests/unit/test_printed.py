"""What Python returns can be printed: everything for people, as the commands say it."""

from __future__ import annotations

from typing import Final

import mbx
from mbx.numerics.states.complete import StatePoint
from mbx.verify.diagnosis.find_cause import Diagnosis
from mbx.verify.findings import Error

_FALL: Final = """
mbx 1
model Fall {
  coordinate z: m
  particle P { mass 1 kg  at [0, 0, z] }
  gravity [0, 0, -9.81 [m/s^2]]
}
"""


def test_a_verification_prints_its_tables_and_its_verdict() -> None:
    found = mbx.verify(mbx.loads(_FALL), forms=("kane", "lagrange"), states=2)
    printed = str(found).split("\n")
    assert printed == list(found.lines())
    assert printed[0].startswith("Fall: agree (2 forms at ")
    assert [line.split()[0] for line in printed[1:3]] == ["kane", "lagrange"]
    table = list(found.lines(table=True))
    assert table[0] == printed[0]
    assert table[3].split()[:2] == ["1", "kane"]


def test_the_difference_of_two_models_prints_its_changes_and_its_verdict() -> None:
    heavy = _FALL.replace("1 kg", "2 kg")
    printed = str(mbx.diff(mbx.loads(_FALL), mbx.loads(heavy))).split("\n")
    assert printed[0].startswith("particle P, mass: 1 -> 2")
    assert printed[-1].startswith("Fall, Fall: different (")


def test_a_structure_prints_its_degrees_of_freedom() -> None:
    found = mbx.structure(mbx.loads(_FALL))
    assert str(found).split("\n") == list(found.lines())
    assert "degrees of freedom  1" in str(found)


def test_a_diagnosis_prints_the_state_and_the_term() -> None:
    found = Diagnosis(
        form="kane",
        other="the oracle",
        what="accelerations",
        error=Error(0.5, "start", "z'"),
        state=StatePoint("start", 0.0, {"z": 1.0, "z'": 0.0}),
        variable="z'",
        term="gravity",
    )
    assert str(found).split("\n") == [
        "diagnosis: kane differs from the oracle in accelerations",
        "  smallest state: z = 1; 1 of 2 variables zero: 5.0e-01",
        "  variable: z'",
        "  term: gravity",
    ]
