"""Differences that the arbiter decides: rounding, or small faults."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from mbx.expr.build import scale
from mbx.expr.nodes import number
from mbx.formalism.builder import Program
from mbx.mechanics import loads
from mbx.verify.run import Options, verify_system
from mbx_converters import kane
from unit.verify.models import PENDULUM, system

if TYPE_CHECKING:
    import pytest

    from mbx.formalism.equations import Equations
    from mbx.verify.report import Verification

DERIVE = kane.CONVERTER.derive


def lossy(system: Any, variant: str = "") -> Equations:
    """Return Kane's equations with accelerations that have lost some digits."""
    found = DERIVE(system, variant)
    program = Program(list(found.steps))
    program.column("large", [number(10**6)] * len(system.u))
    program.sum("more", "ud", "large")
    program.sum("again", "more", "large", signs=(1, -1))
    results = {**found.results, "ud": "again"}
    return replace(found, steps=tuple(program.steps), results=results)


def verify(*forms: str) -> Verification:
    text = PENDULUM.replace(
        "state level { x = 2 m }", ""
    )  # there the invariant is nearly flat in y
    return verify_system(system(text), "", Options(forms=forms, states=3))


def test_what_is_rounding_in_a_form_that_loses_digits_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kane, "CONVERTER", replace(kane.CONVERTER, derive=lossy))
    found = verify("kane", "lagrange")
    pair = found.pair("kane", "lagrange")
    assert pair.ud is not None
    assert 1e-12 < pair.ud.value < 1e-6
    assert pair.ud.arbiter == "rounding"
    assert found.own["kane"].arbiter == "rounding"
    assert found.invariants["kane"].arbiter == "rounding"
    assert found.verdict == "agree"
    assert "~ rounding, as fifty digits show" in list(found.lines())


def test_a_fault_as_small_as_rounding_can_be_is_a_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scaled(motion: Any) -> Any:
        return [
            (tuple(scale(Fraction(10**9 + 1, 10**9), x) for x in force), torque)
            for force, torque in loads.wrenches(motion)
        ]

    changed = {name: getattr(loads, name) for name in loads.__all__} | {"wrenches": scaled}
    monkeypatch.setattr(kane, "loads", SimpleNamespace(**changed))
    found = verify("kane", "lagrange", "maggi")
    pair = found.pair("kane", "lagrange")
    assert pair.ud is not None
    assert 1e-12 < pair.ud.value < 1e-6
    assert pair.ud.arbiter == "different"
    assert found.outliers == ("kane",)
    assert found.verdict == "disagree"
