"""What joints transmit, by relaxation: against closed forms, statics, and Newton-Euler."""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.observe import Place
from mbx.analyses.inverse.inverse_analysis import Options as InverseOptions
from mbx.analyses.joint_wrenches import Situation, wrenches
from mbx.analyses.perform_requests import perform_inverse
from mbx.analyses.request import Request, UnknownNameError
from mbx.mechanics.reactions import COMPONENTS
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw, draw_values


def at(text: str, state: dict[str, float], *names: str, **inputs: float) -> dict[str, float]:
    """Return the wrenches of some joints at a state, by component."""
    linked = mbx.link(mbx.loads(text, name="a.mb"))
    columns, _ = wrenches(
        linked, mbx.elaborate(linked), names, [Situation(Place(state, {}, inputs, 0.0), {})]
    )
    return {one.name: float(one.values[0]) for one in columns}


PENDULUM = """mbx 1
model Pendulum {
  param m: kg = 0.7, l: m = 0.9, g: m/s^2 = 9.81
  input u: N*m = 0
  coordinate th: rad = 0
  body rod { mass m  com [0, -l, 0]  inertia 0.2 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = th) }
  gravity [0, -g, 0]
  load motor: on th': u
}
"""


def test_a_rod_carries_the_weight_and_the_centripetal_force() -> None:
    # along the rod, from the bob to the pin: m g cos(th) + m l th'^2
    th, w = 0.4, 2.0
    found = at(PENDULUM, {"th": th, "th'": w}, "rod")
    along = -found["rod.joint.fx"] * sin(th) + found["rod.joint.fy"] * cos(th)
    assert along == pytest.approx(0.7 * 9.81 * cos(th) + 0.7 * 0.9 * w**2, rel=1e-13)
    # across: what the rod's inertia leaves, m g sin(th) (1 - m l^2/(J + m l^2))
    across = found["rod.joint.fx"] * cos(th) + found["rod.joint.fy"] * sin(th)
    J = 0.2 + 0.7 * 0.81
    assert across == pytest.approx(0.7 * 9.81 * sin(th) * (1 - 0.7 * 0.81 / J), rel=1e-12)
    assert found["rod.joint.tz"] == pytest.approx(0, abs=1e-13)


def test_a_load_on_the_coordinate_of_a_joint_is_transmitted_by_it() -> None:
    found = at(PENDULUM, {"th": 0.4, "th'": 0.0}, "rod", u=1.5)
    assert found["rod.joint.tz"] == pytest.approx(1.5, rel=1e-13)


def test_a_four_bar_at_rest_has_the_reactions_of_statics() -> None:
    # three bars, each with balances of force in x, y and of torque about its first pin; the
    # unknowns are the forces on the bars at four pins and the torque on the crank
    found = perform_inverse(
        mbx.read("lib:four_bar"),
        Request(experiment="drive"),
        InverseOptions(joints=("all",), until=1e-09, every=1e-09),
    )
    a, b, c, d, g = 0.1, 0.3, 0.25, 0.3, 9.81
    masses = (0.2, 0.5, 0.4)
    th1, th2, th3 = (float(found[x][0]) for x in ("th1", "th2", "th3"))
    # at 6 rad/s the balances have inertia; accelerations are those of the loop
    dd = [float(found[x][0]) for x in ("th1''", "th2''", "th3''")]
    w1, w12, w3 = 6.0, 6.0 + float(found["th2'"][0]), float(found["th3'"][0])
    al1, al12, al3 = dd[0], dd[0] + dd[1], dd[2]

    def arm(length: float, angle: float) -> np.ndarray:
        return length * np.array([cos(angle), sin(angle)])

    def acceleration(r: np.ndarray, w: float, al: float) -> np.ndarray:
        return al * np.array([-r[1], r[0]]) - w**2 * r

    def cross(r: np.ndarray, f: np.ndarray) -> float:
        return float(r[0] * f[1] - r[1] * f[0])

    A1, B2, C3 = arm(a, th1), arm(b, th1 + th2), arm(c, th3)
    acc = [
        acceleration(A1 / 2, w1, al1),
        acceleration(A1, w1, al1) + acceleration(B2 / 2, w12, al12),
        acceleration(C3 / 2, w3, al3),
    ]
    need = [m * (x + np.array([0, g])) for m, x in zip(masses, acc, strict=True)]
    turn = [
        m * x**2 / 12 * al for m, x, al in zip(masses, (a, b, c), (al1, al12, al3), strict=True)
    ]

    def force(key: str) -> np.ndarray:
        return np.array([float(found[f"{key}.{x}"][0]) for x in ("fx", "fy")])

    crank, coupler, rocker, tip = map(force, ("crank.joint", "coupler.joint", "rocker.joint", "R"))
    u = float(found["u1"][0])
    assert d == 0.3
    # a wrench acts on the second side: crank, coupler, rocker; the tip's on the rocker
    assert crank - coupler == pytest.approx(need[0], abs=1e-11)
    assert coupler - tip == pytest.approx(need[1], abs=1e-11)
    assert rocker + tip == pytest.approx(need[2], abs=1e-11)
    assert u + cross(-A1 / 2, crank) + cross(A1 / 2, -coupler) == pytest.approx(turn[0], abs=1e-12)
    assert cross(-B2 / 2, coupler) + cross(B2 / 2, -tip) == pytest.approx(turn[1], abs=1e-12)
    assert cross(-C3 / 2, rocker) + cross(C3 / 2, tip) == pytest.approx(turn[2], abs=1e-12)


def test_components_that_are_not_unique_are_left_out_by_name() -> None:
    found = mbx.simulate(mbx.read("lib:four_bar"), "swing", until=0.1, reactions=("crank", "tip"))
    assert found.omitted == tuple(
        f"{joint}.{x}" for joint in ("crank.joint", "R") for x in ("fz", "tx", "ty")
    )
    names = {one.name for one in found.columns}
    assert {"crank.joint.fx", "crank.joint.fy", "crank.joint.tz", "R.fx"} <= names
    assert "crank.joint.fz" not in names


@pytest.mark.parametrize(
    "model",
    ["four_bar", "slider_crank", "cardan_shaft", "cart_pole", "heavy_top_quaternion", "screw_jack"],
)
def test_they_are_those_of_newton_and_euler(model: str) -> None:
    linked = mbx.link(mbx.read(f"lib:{model}"))
    system = mbx.elaborate(linked)
    rng = np.random.default_rng(3)
    values = draw_values(system, rng)
    points = draw(Manifold(system, values), rng, 1).points
    paths = [v.path for v in (*system.q, *system.u)]
    state = dict(zip(paths, [*points.q[0], *points.u[0]], strict=True))
    t = float(points.t[0])
    given: dict[str, Any] = {p: v for p, v in values.inputs.items() if not p.endswith("'")}
    place = Place(state, values.parameters, given, t)
    columns, omitted = wrenches(linked, system, ["all"], [Situation(place, {})])
    found = {one.name: float(one.values[0]) for one in columns}
    other = mbx.convert(linked, "newton_euler").evaluate(state, values.parameters, values.inputs, t)
    size = max(abs(x) for six in other.reactions.values() for x in six if not np.isnan(x))
    compared = 0
    for path, six in other.reactions.items():
        for component, value in zip(COMPONENTS, six, strict=True):
            name = f"{path}.{component}"
            assert np.isnan(value) == (name in omitted), name
            if name in found:
                compared += 1
                assert found[name] == pytest.approx(value, abs=1e-12 * size), name
    assert compared >= 6


def test_a_joint_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownNameError, match="there is no joint 'tap'; did you mean 'tip'"):
        mbx.simulate(mbx.read("lib:four_bar"), "swing", reactions=("tap",))


def test_friction_of_a_joint_has_both_limits_in_what_another_joint_transmits() -> None:
    # a block on a rail, the rail on a rod: the rod's pin carries the friction along x
    text = """mbx 1
    model Rail {
      input F: N = 0
      coordinate z: m = 0, x: m = 0
      body rail { mass 1 kg  joint prismatic(ground, axis = z, distance = z) }
      body block { mass 2 kg  joint prismatic(rail, axis = x, distance = x) reaction R }
      invariant fixed: z = 0
      load friction: on x': -0.3*sign(x')*abs(dot(R.force, ground.y))
      load push: on x': F
      gravity [0, -10 [m/s^2], 0]
    }
    experiment turn of Rail {
      prescribe x = 0.1 m*cos(2 [rad/s]*t) solve F
      simulate 0 s .. 2 s every 0.1 s
    }"""
    found = perform_inverse(
        mbx.loads(text), Request(experiment="turn"), InverseOptions(joints=("rail",))
    )
    # x'' = -0.4 cos(2 t): at the reversal in pi/2, F = m x'' -+ mu m g, and the rail carries -m x''
    before, after = found.sides(float(found.jumps[1].place.place.t)) or (0, 0)
    assert found.t[before] == pytest.approx(np.pi / 2, abs=1e-9)
    assert found["F"][[before, after]] == pytest.approx([0.8 - 6, 0.8 + 6], abs=1e-9)
    # on the rail: what is transmitted along x by the joint is friction and push together
    assert found["rail.joint.fx"][[before, after]] == pytest.approx([0.8, 0.8], abs=1e-9)
    assert found["rail.joint.fy"] == pytest.approx(30.0, rel=1e-12)
