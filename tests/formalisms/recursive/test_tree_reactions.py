"""Reactions of the hinges of a tree: against the balances of bodies, and against closed forms."""

from __future__ import annotations

from math import cos, sin
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from formalisms.cases import completed, system, system_of
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.system.system import System

VARIANTS: Final = ("lu", "cholesky", "extended")

MASSLESS: Final = """mbx 1
model Massless {
  coordinate b: rad = -0.3, a: rad = 0.4
  body arm { mass 2 kg  com [0.3 m, 0.1 m, 0]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2])
    joint revolute(ground at [0.1 m, 0, 0.2 m], axis = z, angle = a) }
  body hand { mass 1 kg  com [0.1 m, 0, 0.2 m]
    inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
    joint revolute(arm at [0.6 m, 0, 0], axis = x, angle = b) }
  body plate { mass 0 kg  com [0.2 m, 0.1 m, 0.4 m]  inertia diag(0, 0, 0)
    joint fixed(hand at [0.2 m, 0.1 m, 0.3 m] rotated y by 0.5) }
  body flange { mass 0 kg  inertia diag(0, 0, 0)  joint fixed(plate at [0, 0.3 m, 0]) }
  force [3 N, -2 N, 1 N] on plate at plate.origin from ground
  force -2 [N*s/m]*velocity(flange.origin) on flange at flange.origin from ground
  torque [0.5 [N*m], 0.2 [N*m], -0.4 [N*m]] on flange from arm
  gravity [0, 0, -9.81 [m/s^2]]
}
"""
PARTICLE: Final = """mbx 1
model Particle {
  coordinate a: rad = 0.4, s: m = 0.5
  body arm { mass 2 kg  com [0.3 m, 0.1 m, 0]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2])
    joint revolute(ground, axis = z, angle = a) }
  particle bead { mass 0.4 kg  at arm.origin + s*arm.x + 0.1 m*arm.y }
  spring between bead.com and ground.origin stiffness 30 [N/m] rest 0.2 m
  gravity [0, -9.81 [m/s^2], 0]
}
"""
PLACED: Final = """mbx 1
model Placed {
  coordinate a: rad = 0.4, b: rad = 0.3, c: rad = -0.2
  body arm { mass 2 kg  com [0.3 m, 0.1 m, 0]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2])
    joint revolute(ground, own at [0.1 m, 0.2 m, 0.3 m], axis = z, angle = a) }
  body hand { mass 1 kg  com [0.1 m, 0.2 m, -0.1 m]
    inertia diag(0.2 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
    frame arm at [0.6 m, 0, 0.1 m] rotated x by b rotated y by c }
  body cap { mass 0 kg  com [0.1 m, 0, 0]  inertia diag(0, 0, 0)  frame hand at [0, 0.2 m, 0] }
  particle bead { mass 0.4 kg  at arm.com }
  force [1 N, 2 N, 3 N] on cap at cap.origin from ground
  gravity [0, -9.81 [m/s^2], 0]
}
"""
ADDED_MASS: Final = """mbx 1
model AddedMass {
  coordinate x: m = 0.1, th: rad = 0.5
  body cart { mass 3 kg  inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.1 [kg*m^2])
    joint prismatic(ground, axis = x, distance = x) }
  body pole { mass 1.2 kg  com [0, 0.4 m, 0]
    inertia diag(0.1 [kg*m^2], 0.01 [kg*m^2], 0.1 [kg*m^2])
    joint revolute(cart at [0, 0.1 m, 0.2 m], axis = z, angle = th) }
  force drag: -0.3 kg*acceleration(pole.com) on cart at cart.com from ground
  gravity [0, -9.81 [m/s^2], 0]
}
"""


def _state(one: System) -> dict[str, float]:
    return completed(one, {v.path: 0.6 - 0.5 * k for k, v in enumerate(one.u)}, held=(), t=0.3)


def _compared(one: System, state: Mapping[str, float]) -> int:
    """Compare all reactions with those of Newton-Euler; return how many there are."""
    expected = registry.derive(one, "newton_euler").evaluate(state, t=0.3)
    assert expected.status == "regular"
    for variant in VARIANTS:
        found = registry.derive(one, f"tree_newton_euler:{variant}").evaluate(state, t=0.3)
        assert found.reactions.keys() == expected.reactions.keys()
        known = [x for x in expected.reactions.values() if np.isfinite(x).any()]
        scale = max([1.0, *(float(np.nanmax(np.abs(x))) for x in known)])
        for path, reaction in expected.reactions.items():
            margin = 1e-10 * scale
            assert found.reactions[path] == pytest.approx(reaction, abs=margin, nan_ok=True), path
    return len(expected.reactions)


@pytest.mark.parametrize(
    ("text", "count"), [(MASSLESS, 4), (PARTICLE, 1), (PLACED, 4), (ADDED_MASS, 2)]
)
def test_what_hangs_on_links_is_handed_on(text: str, count: int) -> None:
    """Massless bodies, particles, placements, and loads that depend on accelerations."""
    one = system_of(text)
    assert _compared(one, _state(one)) == count


@pytest.mark.parametrize(
    "case",
    [
        "bennett_linkage",  # some reactions are open
        "four_bar",  # idle rows out of the plane
        "five_bar_joints",  # known models
        "kapitza_pendulum",
        "parallelogram",  # a redundant loop
        "ring_twist",  # a body that is known by its twist
        "rolling_disc",
        "whitworth",
    ],
)
def test_reactions_are_those_of_the_balances(case: str) -> None:
    one = system(case)
    assert _compared(one, _state(one)) >= 1


def _found(case: str, state: Mapping[str, float]) -> Any:
    return registry.derive(system(case), "tree_newton_euler").evaluate(state)


def test_the_pin_of_a_pendulum() -> None:
    """m = l = 1, J = 1/12: the force is m (a_c - g), and no torque about the pin's own axis."""
    th, w, g = 0.7, -1.3, 9.81
    found = _found("simple_pendulum", {"theta": th, "theta'": w})
    acc = -1.5 * g * sin(th)
    ax = acc * cos(th) / 2 - w**2 * sin(th) / 2
    ay = acc * sin(th) / 2 + w**2 * cos(th) / 2
    (reaction,) = found.reactions.values()
    assert reaction == pytest.approx([ax, ay + g, 0, 0, 0, 0], rel=1e-12, abs=1e-12)


def test_on_an_open_tree_reactions_come_from_the_sweep() -> None:
    """R = Mst v' + f of Algorithm 1; on a closed one from the balances, when all is known."""
    for case, swept in (("pipelayer", True), ("four_bar", False)):
        equations = registry.derive(system(case), "tree_newton_euler")
        (made,) = (step for step in equations.steps if step.name == "R_1")
        assert any(arg.startswith("f_") for arg in made.args) == swept
        assert ("FR_1" in made.args) != swept


def test_multipliers_that_do_nothing_leave_reactions_open() -> None:
    one = system("parallelogram")
    found = registry.derive(one, "tree_newton_euler").evaluate(_state(one), t=0.3)
    expected = registry.derive(one, "newton_euler").evaluate(_state(one), t=0.3)
    open_ = {path for path, x in found.reactions.items() if np.isnan(x).any()}
    assert open_
    assert open_ == {path for path, x in expected.reactions.items() if np.isnan(x).any()}


def test_a_particle_has_three_components_and_a_body_six() -> None:
    """The joint of the arm is not reported: the model does not say how the bead hangs on it."""
    for text, sizes in ((PARTICLE, [(3,)]), (MASSLESS, [(6,)] * 4)):
        one = system_of(text)
        found = registry.derive(one, "tree_newton_euler").evaluate(_state(one), t=0.3)
        assert [x.shape for x in found.reactions.values()] == sizes
        assert all(np.isfinite(x).all() for x in found.reactions.values())
