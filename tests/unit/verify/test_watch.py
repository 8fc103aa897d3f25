"""What a form must not change."""

from __future__ import annotations

import math

from mbx.formalism.builder import Program
from mbx.mechanics import balance
from mbx.verify.agreement.watch import Watch
from unit.verify.models import PENDULUM, system


def test_nothing_has_changed_at_first() -> None:
    assert Watch.of(system(PENDULUM)).restore() == ()


def test_functions_are_put_back() -> None:
    watch, before = Watch.of(system(PENDULUM)), balance.inertia_wrench
    balance.inertia_wrench = None  # type: ignore[assignment]
    math.sin = math.cos
    changed = watch.restore()
    assert "mbx.mechanics.balance.inertia_wrench" in changed
    assert "math.sin" in changed
    assert balance.inertia_wrench is before
    assert math.sin(0) == 0


def test_methods_are_put_back() -> None:
    watch, before = Watch.of(system(PENDULUM)), Program.solve
    Program.solve = None  # type: ignore[assignment,method-assign]
    assert watch.restore() == ("mbx.formalism.builder.Program.solve",)
    assert Program.solve is before


def test_fields_of_the_system_are_put_back() -> None:
    one = system(PENDULUM)
    watch, q, states = Watch.of(one), one.q, dict(one.states)
    object.__setattr__(one, "q", ())
    one.states.clear()  # type: ignore[attr-defined]
    assert set(watch.restore()) == {"the system", "the system.states"}
    assert one.q is q
    assert one.states == states
