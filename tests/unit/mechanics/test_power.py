"""Virtual power, against what energy and finite differences say of the same motion."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest

from mbx.expr.evaluate import evaluate, free_symbols, substitute
from mbx.expr.nodes import Node, symbol
from mbx.mechanics import energy, loads, motion, power
from unit.system.oracle import system

_MODEL: Final = """
param J: kg*m^2 = 0.1
coordinate a, b, c: rad
coordinate s: m
speed w: rad/s
define w = a'*cos(b)
body arm { mass 1.3 kg  com [0.3 m, 0, 0.1 m]
  inertia tensor(2*J, 4*J, 3*J, J/5, -J/10, 3*J/10)
  joint universal(ground, axis = z, axis2 = y, angle = a, angle2 = b) }
particle bead { mass 0.4 kg  at arm.origin + s*arm.x }
body hollow { mass 0 kg  com [0, 0, 0]  inertia diag(0, 0, 0)
  joint revolute(arm, axis = x, angle = c) }
force [1 N, -2 N, 0.5 N] on arm at bead from bead
torque [0.3 [N*m], 0, 0.2 [N*m]] on arm
gravity [0, -9.81 [m/s^2], 0]
"""
_STATE: Final = {
    "J": 0.1,
    "a": 0.4,
    "b": -0.7,
    "c": 0.2,
    "s": 0.3,
    "b'": 0.8,
    "c'": 0.5,
    "s'": -0.6,
    "w": 1.1,
}
_RATES: Final = {"b''": 0.9, "c''": 0.1, "s''": 1.7, "w'": -0.5}
_VIRTUAL: Final = {"delta b'": 0.35, "delta c'": 0.15, "delta s'": -1.2, "delta w": 0.7}


def _moving() -> motion.Motion:
    return motion.in_speeds(system(_MODEL))


def _values(nodes: list[Node]) -> Any:
    known = {symbol(k): v for k, v in (_STATE | _RATES | _VIRTUAL).items()}
    assert set(free_symbols(nodes)) <= set(known)
    return np.array([float(x) for x in evaluate(nodes, known)])


def test_a_virtual_speed_is_a_symbol_of_its_own_that_no_model_can_say() -> None:
    virtual = power.virtual_speeds(_moving())
    assert {str(v.value) for v in virtual} == set(_VIRTUAL)
    assert all(" " in str(v.value) for v in virtual)


def test_virtual_velocities_are_partial_velocities_times_virtual_speeds() -> None:
    moving = _moving()
    virtual = power.virtual_speeds(moving)
    varied = power.virtual_velocities(moving, virtual)
    J = np.array([_values(row) for row in loads.partial_velocities(moving)])
    found = _values([x for pair in varied for part in pair for x in part])
    assert found == pytest.approx(J @ _values(virtual), rel=1e-13, abs=1e-15)
    assert np.abs(found).max() > 0.1


def test_the_power_against_inertia_on_the_motion_itself_is_the_rate_of_kinetic_energy() -> None:
    """The theorem of kinetic energy, for a system without explicit time."""
    moving = _moving()
    virtual = power.virtual_speeds(moving)
    P = power.inertia_power(moving, power.virtual_velocities(moving, virtual))
    (own,) = substitute([P], dict(zip(virtual, moving.u, strict=True)))
    rate = moving.rate([energy.kinetic(moving)])
    assert _values([own]) == pytest.approx(_values(rate), rel=1e-13)


def test_the_power_of_loads_is_their_generalized_force_on_the_virtual_speeds() -> None:
    moving = _moving()
    virtual = power.virtual_speeds(moving)
    wrenches = loads.wrenches(moving)
    P = power.active_power(wrenches, power.virtual_velocities(moving, virtual))
    forces = _values(loads.project(moving, wrenches))
    assert _values([P])[0] == pytest.approx(forces @ _values(virtual), rel=1e-13)


def test_the_gyroscopic_part_is_there_where_nothing_accelerates() -> None:
    """Euler: dw . (w x I w) = dwx (Iz - Iy) wy wz + ..., principal axes."""
    moving = motion.in_speeds(
        system("""
        coordinate a, b, c: rad
        speed x, y, z: rad/s
        body B { mass 1 kg  com [0, 0, 0]
          inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.5 [kg*m^2])
          joint spherical(ground, euler xyz by (a, b, c)) }
        define [x, y, z] = omega(B) in B
        """)
    )
    virtual = power.virtual_speeds(moving)
    P = power.inertia_power(moving, power.virtual_velocities(moving, virtual))
    known = {"a": 0.3, "b": 0.4, "c": -0.2, "x": 1.1, "y": -0.7, "z": 0.9}
    known |= {"x'": 0.0, "y'": 0.0, "z'": 0.0}
    known |= {"delta x": 0.5, "delta y": 2.0, "delta z": -1.5}
    (found,) = evaluate([P], {symbol(k): v for k, v in known.items()})
    turn = 0.5 * (0.5 - 0.3) * -0.7 * 0.9
    turn += 2.0 * (0.2 - 0.5) * 0.9 * 1.1
    turn += -1.5 * (0.3 - 0.2) * 1.1 * -0.7
    assert float(found) == pytest.approx(turn, rel=1e-12)
