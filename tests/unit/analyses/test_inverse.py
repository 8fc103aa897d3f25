"""Inverse dynamics over time: against the thesis's examples, and closed forms."""

from __future__ import annotations

import csv
from functools import cache
from math import cos, pi, sin
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.inverse.inverse_analysis import Inverse, Options
from mbx.analyses.perform_requests import perform_inverse
from mbx.analyses.request import Request
from mbx.cli.main import main
from unit.analyses.experiments.models import PARALLELOGRAM

if TYPE_CHECKING:
    from pathlib import Path

# -- Orsino, Example 4.5: a spatial slider-crank with friction ------------------------------------

SLIDER_CRANK = {
    # t: u1, y*, z*; by a separate program from thesis Example 4.5 (h) with C transposed, the
    # friction by its quadratic, cross-checked by balances of rod and crank; the thesis has plots
    0.02: (49.26905849700546, -2.450535452805809, 12.537178036039322),
    0.08: (13.79388878454626, -8.752512868142038, 17.202327051658905),
    0.1: (6.939012594532749, -8.005200738746392, 12.925718329841109),
    0.15: (-8.253427177560107, 6.976895647127476, -3.806737398099135),
    0.24: (-47.3076242513355, 33.31323961810247, -15.273922125186957),
    0.26: (-56.43636737906273, 92.35356585480238, -33.53140838064141),
    0.375: (-2.158733877718733, 0.03837970586964873, 2.2350884836353524),
    0.45: (25.09192533360462, -3.441438860852129, 12.683567241345148),
}


@cache
def slider_crank() -> Inverse:
    return mbx.inverse(mbx.read("lib:slider_crank_3d_friction"), "inverse", every=0.005)


def test_torque_and_reactions_with_friction_are_those_of_the_thesis() -> None:
    found = slider_crank()
    assert found.met
    for t, values in SLIDER_CRANK.items():
        k = int(np.argmin(np.abs(found.t - t)))
        assert [found[x][k] for x in ("u1", "ystar", "zstar")] == pytest.approx(values, rel=1e-9)


def test_both_limits_at_each_reversal_are_those_of_the_thesis() -> None:
    # the same program: jumps at t = 0 and t = 0.25 s, after which the motion repeats itself
    found = slider_crank()
    limits = {}
    for jump in found.jumps:
        t = jump.place.place.t
        before, after = found.sides(t) or (0, 0)
        limits[round(t, 9)] = [
            *found["u1"][[before, after]],
            *found["ystar"][[before, after]],
        ]
        assert [one.name for one in jump.switches] == ["B3.vx"]
        assert jump.switches[0].loads == ("friction",)
    assert set(limits) == {0.0, 0.25, 0.5}
    assert limits[0.0][:2] == pytest.approx([56.6932, 57.8105], abs=1e-4)
    assert limits[0.25] == pytest.approx([-49.2850, -58.4183, 33.685, 93.788], abs=1e-3)
    assert limits[0.5] == pytest.approx(limits[0.0], abs=1e-9)
    assert found["side of jump"][np.abs(found.t - 0.25) < 1e-12].tolist() == [-1, 1]


def test_ranges_are_those_of_the_thesis() -> None:
    found = slider_crank()
    ranges = {x: (found[x].min(), found[x].max()) for x in ("u1", "ystar", "zstar", "B3.s")}
    assert ranges["u1"] == pytest.approx((-58.4183, 57.8105), abs=1e-3)
    assert ranges["ystar"] == pytest.approx((-8.86, 93.79), abs=1e-2)
    assert ranges["zstar"] == pytest.approx((-33.75, 18.19), abs=1e-2)
    assert ranges["B3.s"] == pytest.approx((-0.37279, -0.04142), abs=1e-5)


def test_friction_that_jams_names_the_load_the_state_and_how_fast_it_grows() -> None:
    # the same program: mu |r1| is at most 0.459 at mu = 0.5, where r1 is least steep at t = 0.25
    asked = Request(experiment="inverse", values={"mu": 1.2})
    with pytest.raises(NotRunError) as caught:
        perform_inverse(
            mbx.read("lib:slider_crank_3d_friction"), asked, Options(every=0.05, until=0.3)
        )
    reason = str(caught.value)
    assert reason.startswith("'friction' jams at t = 0.25 s, at B1.chi = 2.55149")
    assert "it grows 1.102 times as fast as the reactions" in reason  # 0.459*1.2/0.5
    assert reason.endswith("no solution")


# -- Orsino, section 5.3 -------------------------------------------------------------------------


def test_whitworth_has_the_extremes_of_the_thesis() -> None:
    # a separate program, compared with the author's plots: u1 0.952373 at 2.297 s, -1.004056 at
    # 2.655 s, s' 0.870719 at 2.474 s and -0.314770 at 0.662 s, ph3' 0.503247 and -1.400845
    found = mbx.inverse(mbx.read("lib:whitworth"), "inverse", every=0.005)
    assert found.met
    for name, least, most in (
        ("u1", (-1.004056, 2.655), (0.952373, 2.297)),
        ("s'", (-0.314770, 0.662), (0.870719, 2.474)),
        ("ph3'", (-1.400845, 2.5), (0.503247, 0.5)),
    ):
        values = found[name]
        assert values.min() == pytest.approx(least[0], abs=1e-4)
        assert found.t[values.argmin()] == pytest.approx(least[1], abs=5e-3)
        assert values.max() == pytest.approx(most[0], abs=1e-4)
        assert found.t[values.argmax()] == pytest.approx(most[1], abs=5e-3)


def test_the_platform_has_the_extremes_of_the_thesis() -> None:
    # a separate program, compared with the author's plots; the proximal link of the third leg
    # turns by -1.5779 to 0.8919 rad/s
    found = mbx.inverse(mbx.read("lib:rrr_platform"), "inverse", every=0.02)
    assert found.met
    rate = found["theta[3]'"]
    assert (rate.min(), rate.max()) == pytest.approx((-1.5779, 0.8919), abs=1e-3)
    assert found["u[2]"].max() == pytest.approx(11.060, abs=1e-2)


# -- all forms, other problems -------------------------------------------------------------------


def test_forms_are_compared() -> None:
    forms = ("kane", "newton_euler", "lagrange", "udwadia_kalaba", "rfda")
    found = mbx.inverse(mbx.read("lib:four_bar"), "drive", every=0.1, forms=forms)
    assert found.form == "kane"
    assert set(found.deviations) == set(forms[1:])
    assert max(found.deviations.values()) < 1e-10


TWIN = """mbx 1
model Twin {
  param m: kg = 2, g: m/s^2 = 10
  input a: N = 0, b: N = 0, c: N*m = 0
  coordinate x: m = 0, th: rad = 0
  particle p { mass m  at [0, x, 0] }
  load first: on x': a
  load second: on x': 2*b
  gravity [0, -g, 0]
}
experiment lift of Twin {
  prescribe x = 0.5 [m/s^2]*t^2 solve a, b
  simulate 0 s .. 1 s every 0.5 s
}
experiment mixed of Twin {
  prescribe x = 0.5 [m/s^2]*t^2 solve a, c
  simulate 0 s .. 1 s every 0.5 s
}"""


def twin() -> str:
    return TWIN.replace(", th: rad = 0", "")


def test_of_redundant_inputs_those_of_least_squares_are_taken_if_asked() -> None:
    # a + 2 b = m (1 + g) = 22: a = 22/5, b = 44/5
    found = mbx.inverse(mbx.loads(twin()), "lift", least=True)
    assert found["a"] == pytest.approx(22 / 5, rel=1e-12)
    assert found["b"] == pytest.approx(44 / 5, rel=1e-12)


def test_redundant_inputs_are_refused_by_name_unless_asked() -> None:
    with pytest.raises(NotRunError, match="the 2 inputs 'a', 'b' are not unique"):
        mbx.inverse(mbx.loads(twin()), "lift")


def test_inputs_of_different_units_have_no_least() -> None:
    with pytest.raises(NotRunError, match="different units have no least sum of squares: 'a' in"):
        mbx.inverse(mbx.loads(twin()), "mixed", least=True)


FRICTION = """mbx 1
model Block {
  param mu: 1 = 0.3, m: kg = 2, g: m/s^2 = 10
  input F: N = 0
  coordinate x: m = 0, y: m = 0
  particle p { mass m  at [x, y, 0] }
  invariant floor: y = 0 reaction N
  load friction: on x': -mu*sign(x')*abs(N)
  load push: on x': F
  load lean: on y': F/4
  gravity [0, -g, 0]
}
experiment swing of Block {
  prescribe x = 0.5 m*sin(2 [rad/s]*t) solve F
  simulate 0 s .. 2 s every 0.1 s
}
experiment stop of Block {
  prescribe x = 0.5 m solve F
  simulate 0 s .. 1 s every 0.5 s
}"""


def test_a_reversal_between_results_is_found_and_has_both_limits() -> None:
    # m x'' = F - s mu N, N = m g - F/4: F = (m x'' + s mu m g)/(1 + s mu/4), x'' = -2 at pi/4
    found = mbx.inverse(mbx.loads(FRICTION), "swing")
    (jump,) = found.jumps
    assert jump.place.place.t == pytest.approx(pi / 4, abs=1e-10)
    before, after = found.sides(jump.place.place.t) or (0, 0)
    assert found["F"][before] == pytest.approx((-4 + 6) / (1 + 0.075), rel=1e-9)
    assert found["F"][after] == pytest.approx((-4 - 6) / (1 - 0.075), rel=1e-9)
    assert found["N"][after] == pytest.approx(20 - found["F"][after] / 4, rel=1e-12)
    t = found.t[3]
    assert found["F"][3] == pytest.approx((-4 * sin(2 * t) + 6) / 1.075, rel=1e-9)


def test_friction_that_is_not_affine_in_inputs_is_found_all_the_same() -> None:
    # F^3/100 = m x'' + s mu N, N = m g - F/4
    text = FRICTION.replace("on x': F\n", "on x': F^3/(100 [N^2])\n")
    found = mbx.inverse(mbx.loads(text), "swing", until=0.7)
    F, N, a = found["F"], found["N"], found["x''"]
    assert pytest.approx(20 - F / 4, rel=1e-9) == N
    assert pytest.approx(2 * a + 0.3 * N, rel=1e-8) == F**3 / 100


def test_a_stretch_at_rest_is_told_for_friction_has_no_sign_there() -> None:
    found = mbx.inverse(mbx.loads(FRICTION), "stop")
    assert [(one.name, one.first, one.last) for one in found.rests] == [("x'", 0.0, 1.0)]
    assert found.jumps == ()
    assert found["F"] == pytest.approx(0.0, abs=1e-12)


TWO_CONTACTS = """mbx 1
model Wedge {
  param mu: 1 = 0.2
  input F: N = 0
  coordinate x: m = 0, y: m = 0, z: m = 0
  particle p { mass 2 kg  at [x, y, z] }
  invariant floor: y = 0 reaction N
  invariant wall: z = 0 reaction W
  load below: on x': -mu*sign(x')*abs(N)
  load beside: on x': -mu*sign(x')*abs(W)
  load push: on x': F
  load lean: on y': -F/2
  load press: on z': -F/3
  gravity [0, -10 [m/s^2], 0]
}
experiment go of Wedge {
  prescribe x = 1 [m/s]*t solve F
  simulate 0 s .. 1 s every 0.5 s
}"""


def test_two_frictions_are_iterated() -> None:
    # F = mu (N + W), N = 20 + F/2, W = F/3: F = 4/(1 - 0.1 - 0.2/3)
    found = mbx.inverse(mbx.loads(TWO_CONTACTS), "go")
    F = 4 / (1 - 0.1 - 0.2 / 3)
    assert found["F"] == pytest.approx(F, rel=1e-9)
    assert found["W"] == pytest.approx(F / 3, rel=1e-9)


def test_two_frictions_that_grow_too_fast_jam() -> None:
    # mu (1/2 + 1/3) is 1 at mu = 1.2
    text = TWO_CONTACTS.replace("mu: 1 = 0.2", "mu: 1 = 1.3")
    with pytest.raises(NotRunError, match="'below', 'beside' jams at t = 0 s"):
        mbx.inverse(mbx.loads(text), "go")


def test_accelerations_of_a_closed_mechanism_follow_from_the_motion() -> None:
    # differences of the speeds, at a crank that turns evenly
    found = mbx.inverse(mbx.read("lib:four_bar"), "drive", every=0.001, until=0.05)
    v, a, t = found["th3'"], found["th3''"], found.t
    assert a[1:-1] == pytest.approx((v[2:] - v[:-2]) / (t[2:] - t[:-2]), abs=1e-3)


def test_an_instant_alone_is_one_result() -> None:
    found = mbx.inverse(mbx.read("lib:screw_jack"), "hold")
    assert len(found.t) == 1
    assert found.met


def test_a_branch_that_is_left_is_told() -> None:
    text = """mbx 1
    model Arm {
      input u: N*m = 0
      coordinate th: rad = 0.1
      body arm { inertia 2 [kg*m^2] about z  joint revolute(ground, axis = z, angle = th) }
      load motor: on th': u
      branch right: cos(th) > 0
      branch left: cos(th) < 0
    }
    experiment over of Arm {
      prescribe th = 0.1 rad + 2 [rad/s]*t solve u
      simulate 0 s .. 1 s every 0.1 s
    }"""
    found = mbx.inverse(mbx.loads(text), "over")
    assert [(round(t, 9), path, entered) for t, path, entered in found.changes] == [
        (0.8, "right", False),
        (0.8, "left", True),
    ]
    assert found["u"] == pytest.approx(0.0, abs=1e-12)


def test_rolling_leaves_positions_to_be_integrated() -> None:
    # a wheel upright on a circle: x' = r spin' cos(head), head = 0.5 t, spin' = 2
    text = """mbx 1
    model Wheel {
      param r: m = 0.3
      input Ts: N*m = 0, Th: N*m = 0
      coordinate x: m = 0, y: m = 0, head: rad = 0, spin: rad = 0
      particle hub { mass 1 kg  at [x, y, 0] }
      body turn { inertia 0.2 [kg*m^2] about z  joint revolute(ground, axis = z, angle = head) }
      body wheel { mass 0 kg  inertia diag(0.1 [kg*m^2], 0.06 [kg*m^2], 0.06 [kg*m^2])
        joint revolute(turn, axis = x, angle = spin) }
      invariant rolls_x: x' = r*spin'*cos(head)
      invariant rolls_y: y' = r*spin'*sin(head)
      load drive: on spin': Ts
      load steer: on head': Th
    }
    experiment circle of Wheel {
      prescribe spin = 2 [rad/s]*t solve Ts
      prescribe head = 0.5 [rad/s]*t solve Th
      simulate 0 s .. 3 s every 1 s
    }"""
    found = mbx.inverse(mbx.loads(text), "circle")
    assert found.open == 0
    assert found["x"] == pytest.approx([0.6 / 0.5 * sin(0.5 * t) for t in found.t], abs=1e-10)
    assert found["y"] == pytest.approx([1.2 * (1 - cos(0.5 * t)) for t in found.t], abs=1e-10)


def test_a_model_without_a_prescribed_motion_is_for_simulation() -> None:
    with pytest.raises(NotRunError, match="prescribes no motion: mbx simulate runs it"):
        mbx.inverse(mbx.read("lib:four_bar"), "swing")


def test_a_singular_start_is_refused() -> None:
    text = (
        PARALLELOGRAM
        + """
    experiment flat of Parallelogram {
      initial a = 0 rad, b = 0 rad, c = 0 rad
      prescribe a = 1 [rad/s]*t solve u
      simulate 0 s .. 1 s
    }"""
    )
    with pytest.raises(NotRunError, match="its start is singular"):
        mbx.inverse(mbx.loads(text), "flat")


def test_the_command_writes_its_table_with_both_sides_of_a_jump(tmp_path: Path) -> None:
    model, out = tmp_path / "block.mb", tmp_path / "block.csv"
    model.write_text(FRICTION)
    plot, film = tmp_path / "block.png", tmp_path / "block.html"
    files = ["-o", str(out), "--plot", str(plot), "--animate", str(film)]
    assert main(["inverse", str(model), "swing", *files, "--quiet"]) == 0
    head, *rows = csv.reader(out.read_text().splitlines())
    assert head[:2] == ["t [s]", "side of jump [1]"]
    assert [row[1] for row in rows if float(row[1])] == ["-1.0", "1.0"]
    assert len(rows) == 23  # 21 results, and two at the reversal
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert film.read_text().startswith("<!DOCTYPE html>")


def test_a_command_that_fails_leaves_no_file(tmp_path: Path) -> None:
    model, out = tmp_path / "wedge.mb", tmp_path / "wedge.csv"
    model.write_text(TWO_CONTACTS)
    arguments = ["inverse", str(model), "go", "-o", str(out), "--plot", str(tmp_path / "w.svg")]
    assert main([*arguments, "--set", "mu=1.3"]) == 4
    assert list(tmp_path.iterdir()) == [model]


def test_too_little_time_ends_it() -> None:
    with pytest.raises(NotRunError, match="ran out of time"):
        mbx.inverse(mbx.read("lib:whitworth"), "inverse", timeout=0.0)
