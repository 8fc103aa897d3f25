"""Absolute coordinates, coordinate partitioning, and cut joints of every sort."""

from __future__ import annotations

import re
from typing import Any, Final

import numpy as np
import pytest

import mbx
from formalisms.cases import completed, system_of
from formalisms.recursive.semi_recursive import (
    BOTH,
    CHAIN,
    QUICK_RETURN,
    VARIANTS,
    absolute,
    flat,
    planar,
    values_at,
)
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry

FIRST, SECOND = BOTH
AT: Final = {
    "x1": 0.560530497001,
    "y1": 0.394709171154,
    "th1": 0.4,
    "x2": 1.330798181977,
    "y2": 1.452830252828,
    "th2": 0.7,
}
NAMES: Final = ("x1'", "y1'", "th1'", "x2'", "y2'", "th2'")


def _moving() -> dict[str, float]:
    """Return the R-P chain's state in absolute coordinates: q' = V z'."""
    one = values_at("rp_chain", FIRST, CHAIN)
    rates = planar(one["V"]) @ one["zd"]
    return AT | {name: float(x) for name, x in zip(NAMES, rates, strict=True)}


def _eq_5() -> Any:
    """Return Cq of eq. (5), columns (x1, y1, th1, x2, y2, th2)."""
    J = np.array([[0.0, -1.0], [1.0, 0.0]])

    def turned(angle: float, vector: list[float]) -> Any:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, -s], [s, c]]) @ vector

    R1, R2 = (np.array([AT[f"x{k}"], AT[f"y{k}"]]) for k in (1, 2))
    uP, uS, h = turned(0.4, [-0.5, 0]), turned(0.7, [-0.2, -0.1]), turned(0.4, [0.8, 0.6])
    Cq = np.zeros((4, 6))
    Cq[:2, :2], Cq[:2, 2] = np.eye(2), J @ uP
    Cq[2, 2], Cq[2, 5] = -1, 1
    Cq[3, :2], Cq[3, 2] = -h @ J, -h @ (R1 - R2 - uS)
    Cq[3, 3:5], Cq[3, 5] = h @ J, -h @ uS
    return Cq


def test_s0_02_absolute_coordinates_have_the_jacobian_of_eq_5() -> None:
    one = values_at(absolute(), FIRST, _moving())
    rows = {path: k for k, path in enumerate(one.equations.step("A").row_labels)}
    Cq = _eq_5()
    found = [
        one["A"][rows[path]] for path in ("pivot.x", "pivot.y", "slide.turn1", "slide.across1")
    ]
    for mine, printed in zip(found, Cq, strict=True):
        sign = np.sign(mine @ printed)
        assert sign * mine == pytest.approx(printed, abs=1e-11)


def test_i2_partitioned_speeds_keep_the_joints_and_are_those_of_v() -> None:
    state = _moving()
    one = values_at(absolute("independent th1', x2'"), f"{FIRST}:partitioned", state)
    H = flat(
        "-0.194709171154 0",
        "0.460530497001 0",
        "1 0",
        "0 1",
        "3.382357534783 1.717359034035",
        "1 0",
    )
    assert one["H"] == pytest.approx(H, rel=1e-11, abs=1e-12)
    assert one["A"] @ one["H"] == pytest.approx(np.zeros((4, 2)), abs=1e-13)
    independent = [state["th1'"], state["x2'"]]
    assert one["H"] @ independent == pytest.approx([state[name] for name in NAMES], abs=1e-11)


@pytest.mark.parametrize("form", VARIANTS)
def test_absolute_coordinates_accelerate_as_the_joint_coordinates(form: str) -> None:
    one = values_at(absolute(), form, _moving())
    qdd = "0.166453313430 -1.947298244422 -3.716800860030 1.979868556178 -10.752947741548"
    assert one.ud == pytest.approx([*flat(qdd)[0], -3.716800860030], rel=1e-9)
    rows = {path: k for k, path in enumerate(one.equations.step("A").row_labels)}
    # lam of eq. (2), nine digits, computed for this library; the paper's force is -Cq^T lam
    assert one.lam[rows["pivot.x"]] == pytest.approx(3.165993589, rel=1e-8)
    assert one.lam[rows["pivot.y"]] == pytest.approx(13.595646141, rel=1e-8)
    assert abs(one.lam[rows["slide.turn1"]]) == pytest.approx(1.836644825, rel=1e-8)
    assert abs(one.lam[rows["slide.across1"]]) == pytest.approx(2.750665371, rel=1e-8)


@pytest.mark.parametrize("form", BOTH)
def test_s0_03_both_angles_cannot_be_independent(form: str) -> None:
    with pytest.raises(NotApplicableError) as caught:
        registry.derive(absolute("independent th1', th2'"), f"{form}:partitioned")
    text = str(caught.value)
    assert "th1', th2' cannot be the independent speeds" in text
    assert "the invariants have rank 4 of 4, and rank 3 in the 4 speeds left" in text
    assert "(x1', y1', x2', y2')" in text
    proposed = re.search(r"; (.*) can be$", text)
    assert proposed is not None
    better = absolute(f"independent {proposed[1]}")
    assert values_at(better, f"{form}:partitioned", _moving()).ud[2] == pytest.approx(
        -3.71680086003
    )


def test_s0_03_a_choice_of_too_few_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="rank 4 in the 5 speeds left"):
        registry.derive(absolute("independent th1'"), f"{FIRST}:partitioned")


def test_s0_03_a_choice_that_fails_at_a_state_makes_it_singular() -> None:
    chosen = absolute("independent y1', x2'")
    upright = completed(chosen, {"th1": np.pi / 2, "th1'": 0.3})
    found = registry.derive(chosen, f"{FIRST}:partitioned").evaluate(upright)
    assert found.status == "singular"
    assert registry.derive(chosen, FIRST).evaluate(upright).status == "regular"


@pytest.mark.parametrize("form", BOTH)
def test_s0_03_without_a_choice_pivots_choose(form: str) -> None:
    one = values_at(absolute(), f"{form}:partitioned", _moving())
    assert one["H"].shape == (6, 2)
    assert np.linalg.matrix_rank(one["Ad"]) == 4
    assert one["A"] @ one["H"] == pytest.approx(np.zeros((4, 2)), abs=1e-13)


# -- cut joints --------------------------------------------------------------------------------

BETWEEN_BODIES: Final = """mbx 1
model Inverted "A crank whose block slides on an arm: the cut joint is between two bodies" {
  coordinate a: rad = 0.9
  coordinate b: rad = 0.6
  coordinate c: rad = 2.2
  body crank { mass 1 kg  com [0.1 m, 0.02 m, 0]  inertia 0.02 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }
  body block { mass 0.3 kg  com [0.01 m, 0, 0]  inertia 0.001 [kg*m^2] about z
    joint revolute(crank at [0.3 m, 0, 0], axis = z, angle = b) }
  body arm { mass 0.8 kg  com [0.2 m, 0, 0]  inertia 0.03 [kg*m^2] about z
    joint revolute(ground at [0.6 m, 0, 0], axis = z, angle = c) }
  joint slot: prismatic(arm at [0, 0.05 m, 0], block, axis = x)
  gravity [0, -9.81 [m/s^2], 0]
}
"""
TIP: Final = """mbx 1
model Tip "Three bars; the last one hangs on a {what}" {{
  coordinate a: rad = 0.7
  coordinate b: rad = -0.6
  coordinate c: rad = -1.4
  body one {{ mass 1 kg  com [0.2 m, 0, 0]  inertia 0.02 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }}
  body two {{ mass 0.7 kg  com [0.3 m, 0.01 m, 0]  inertia 0.03 [kg*m^2] about z
    joint revolute(one at [0.4 m, 0, 0], axis = z, angle = b) }}
  body three {{ mass 0.6 kg  com [0.25 m, 0, 0]  inertia 0.02 [kg*m^2] about z
    joint revolute(two at [0.6 m, 0, 0], axis = z, angle = c) }}
  joint tip: revolute({where}, three at [0.5 m, 0, 0], axis = z)
  gravity [0, -9.81 [m/s^2], 0]
}}
"""
CLOSED: Final = {
    "between bodies, prismatic": BETWEEN_BODIES,
    "ground, revolute": TIP.format(what="pivot", where="ground at [1 m, 0, 0]"),
    "ground, rheonomic": TIP.format(
        what="moving pivot",
        where="ground at [1 m + 0.1 m*sin(3*t/(1 s)), 0.2 m*(t/(1 s))^2, 0]",
    ),
    "between bodies, revolute": TIP.format(what="bar", where="one at [0.1 m, -0.3 m, 0]"),
}


@pytest.mark.parametrize("kind", CLOSED)
def test_s0_09_cut_joints_of_every_sort_agree_with_other_forms_and_the_oracle(kind: str) -> None:
    found = mbx.verify(mbx.loads(CLOSED[kind]), forms=[*VARIANTS, "kane"], states=4, oracle=2)
    assert found.verdict == "agree"
    assert not found.excluded


def test_s0_09_a_rheonomic_closure_keeps_the_rate_of_time() -> None:
    one = system_of(CLOSED["ground, rheonomic"])
    t, step = 0.4, 1e-4
    state = completed(one, {"a'": 0.5, "b'": 0.2, "c'": -0.3}, held=(), t=t)
    equations = registry.derive(one, f"{FIRST}:baumgarte")

    def at(s: float) -> Any:
        moved = {p: x + s * step * state.get(f"{p}'", 0.0) for p, x in state.items()}
        return equations.evaluate(moved, t=t + s * step)

    early, here, late = at(-1), at(0), at(1)
    # C' = C_z z' + C_t, and C'' = -Q_c where z'' is zero
    slope = (late["C"] - early["C"]) / (2 * step)
    bend = (late["C"] - 2 * here["C"] + early["C"]) / step**2
    assert here["Cd"] == pytest.approx(slope, abs=1e-7)
    assert here["b"] == pytest.approx(bend, abs=1e-5)
    u = [state[f"{p}'"] for p in "abc"]
    assert np.abs(here["Cd"] - here["A"] @ u).max() > 0.1


# -- I8: the quick-return mechanism in absolute coordinates ------------------------------------

LINKS: Final = ("rocker", "block", "crank", "coupler", "ram")
MASSES: Final = (3, 0.5, 1, 0.8, 2)
INERTIAS: Final = (0.1225, 0.0008, 0.002, 0.0045, 0.01)
CENTRES: Final = ((0, 0), (0, 0), (0, 0), (0.125, 0), (0.05, 0.01))
JOINTS: Final = """
  joint j1: revolute(ground, rocker at [-0.35 m, 0, 0], axis = z)
  joint j2: prismatic(rocker at [-0.35 m, 0, 0], block, axis = x)
  joint j3: revolute(block, crank at [-0.075 m, 0, 0], axis = z)
  joint j4: revolute(rocker at [0.35 m, 0, 0], coupler, axis = z)
  joint j5: revolute(coupler at [0.25 m, 0, 0], ram, axis = z)
  joint pivot: revolute(ground at [0, 0.35 m, 0], crank at [0.075 m, 0, 0], axis = z)
  joint guide: prismatic(ground at [0, 0.72 m, 0], ram, axis = x)
  gravity [0, -9.81 [m/s^2], 0]
"""


def test_i8_the_closed_loop_is_the_same_in_absolute_coordinates() -> None:
    joint = {form: values_at("quick_return", form, QUICK_RETURN) for form in BOTH}
    one = joint[FIRST]
    lines = ["mbx 1", "model Absolute {"]
    state: dict[str, float] = {}
    for k, (link, m, inertia, (x, y)) in enumerate(
        zip(LINKS, MASSES, INERTIAS, CENTRES, strict=True), start=1
    ):
        angle = np.arctan2(one[f"A_{k}"][1, 0], one[f"A_{k}"][0, 0])
        place = (*one[f"R_{k}"][:2], angle)
        rates = one[f"qd_{k}"][[0, 1, 5]]
        for name, unit, value, rate in zip("xyp", ("m", "m", "rad"), place, rates, strict=True):
            lines.append(f"coordinate {name}{k}: {unit} = {float(value)}")
            state |= {f"{name}{k}": float(value), f"{name}{k}'": float(rate)}
        lines.append(
            f"body {link} {{ mass {m} kg  com [{x} m, {y} m, 0]  inertia {inertia} [kg*m^2] about z"
            f"  joint planar(ground, axis = z, x = x{k}, y = y{k}, angle = p{k}) }}"
        )
    free = system_of("\n".join([*lines, JOINTS, "}"]))
    found = values_at(free, FIRST, state)
    qdd = planar(one["V"] @ one.ud[:5] + one["Vdot"] @ one["zd"])
    assert found.ud == pytest.approx(qdd, rel=1e-8, abs=1e-8)
    lam = dict(zip(found.equations.step("A").row_labels, found.lam, strict=True))
    for other in joint.values():
        own = dict(zip(other.equations.step("A").row_labels, other.lam, strict=True))
        for row in ("pivot.x", "pivot.y", "guide.across1", "guide.turn1"):
            assert lam[row] == pytest.approx(own[row], rel=1e-8)
