"""The ways to close a tree, and what they make of odd invariants."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from formalisms.cases import completed, system, system_of
from formalisms.recursive.semi_recursive import BOTH, OFF, QUICK_RETURN, values_at
from mbx.formalism import registry
from mbx_converters.semi_recursive.augmented_lagrangian import ROUNDS

FIRST: Final = BOTH[0]
TWICE: Final = """mbx 1
model Twice {{
  param baumgarte_a: m = 0.4
  coordinate x: m = 0.4
  coordinate y: m = 0.3
  particle P {{ mass 1.5 kg  at [x, y, 0] }}
  invariant one: x = baumgarte_a
  invariant two: x = {second}
  gravity [-2 [m/s^2], -9.81 [m/s^2], 0]
}}
"""
SAME: Final = "baumgarte_a"
APART: Final = "baumgarte_a + 1 m*(t/(1 s))^2"
STATE: Final = {"x": 0.4, "y": 0.3, "x'": 0.0, "y'": 0.5}


def test_gains_have_names_that_the_model_has_not() -> None:
    equations = registry.derive(system_of(TWICE.format(second=SAME)), f"{FIRST}:baumgarte")
    paths = [x.path for x in equations.signature.parameters]
    assert paths == ["baumgarte_a", "baumgarte_a_", "baumgarte_b"]


@pytest.mark.parametrize("form", BOTH)
def test_an_invariant_of_velocities_is_fed_back_at_that_level_alone(form: str) -> None:
    one = system("chaplygin_sleigh")
    state = completed(one, {})
    state |= {v.path: state[v.path] + 0.1 for v in one.u}
    equations = registry.derive(one, f"{form}:baumgarte")
    found = equations.evaluate(state, {"baumgarte_a": 3.0, "baumgarte_b": 100.0})
    assert np.abs(found["Cd"]).max() > 0.01
    assert found["C"] == pytest.approx(np.zeros(len(found["b"])), abs=0)
    left = found["A"] @ found.ud + found["b"]
    assert left == pytest.approx(-6 * found["Cd"], rel=1e-10)


@pytest.mark.parametrize("form", BOTH)
@pytest.mark.parametrize("case", ["quick_return", "bennett_linkage", "parallelogram"])
def test_the_augmented_lagrangian_ends_at_the_solution_with_multipliers(
    case: str, form: str
) -> None:
    one = system(case)
    speeds = {v.path: 0.3 for v in one.u}
    state = completed(one, speeds, held=())
    augmented = values_at(one, f"{form}:augmented", state)
    plain = values_at(one, form, state)
    size = np.abs(plain.ud).max()
    assert augmented.ud == pytest.approx(plain.ud, rel=1e-12, abs=1e-12 * size)
    forces = np.abs(plain["h"]).max()
    assert augmented.Fc == pytest.approx(plain.Fc, rel=1e-11, abs=1e-11 * forces)
    assert np.abs(augmented["left"]).max() < 1e-11 * max(size, forces)


def test_the_augmented_lagrangian_gains_digits_in_each_round_until_rounding() -> None:
    one = values_at("quick_return", f"{FIRST}:augmented", QUICK_RETURN)
    off = [np.abs(one[f"s_{k}"]).max() for k in range(ROUNDS)] + [np.abs(one["s"]).max()]
    assert off[1] < 1e-3 * off[0]
    assert off[2] < 1e-3 * off[1]
    assert max(off[4:]) < 1e-12 * off[0]


def test_off_the_invariants_the_augmented_lagrangian_keeps_their_accelerations() -> None:
    one, plain = (values_at("quick_return", form, OFF) for form in (f"{FIRST}:augmented", FIRST))
    assert one.ud == pytest.approx(plain.ud, rel=1e-11)


@pytest.mark.parametrize("variant", ["", ":augmented", ":baumgarte", ":partitioned"])
@pytest.mark.parametrize("form", BOTH)
def test_invariants_that_contradict_each_other_are_inconsistent(form: str, variant: str) -> None:
    sound, torn = (
        registry.derive(system_of(TWICE.format(second=second)), form + variant).evaluate(STATE)
        for second in (SAME, APART)
    )
    assert sound.status == "regular"
    assert sound.ud == pytest.approx([0.0, -9.81], abs=1e-12)
    # the reaction that keeps x is the weight along it
    assert sound.Fc == pytest.approx([3.0, 0.0], abs=1e-11)
    assert torn.status == "inconsistent"
