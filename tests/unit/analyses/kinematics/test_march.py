"""Mechanisms followed: dead points, lock-up, ranges, branches, points, diagrams, machine code."""

from __future__ import annotations

from math import acos, cos, pi, sin, sqrt

import numpy as np
import pytest

import mbx
from mbx.analyses.assembly import assemble
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.kinematics.follow import HaltError, March
from mbx.analyses.kinematics.groups.decompose import decompose
from mbx.analyses.kinematics.groups.group_machine import Machine, compiled
from mbx.analyses.kinematics.groups.structural_diagram import as_dot, as_text
from mbx.analyses.kinematics.groups.tasks import LARGEST, TENSOR
from mbx.analyses.kinematics.kinematic_options import KinematicOptions
from mbx.analyses.kinematics.solve_motion import METHODS, Method, solution_of
from mbx.analyses.mechanism_verbs import kinematic_study
from mbx.analyses.request import Request, UnknownNameError, plan_of
from mbx.analyses.simulate.integrators.grouped_states import assemble_by_groups
from mechanisms import MECHANISMS, evenly, library, mechanism, start_of

PARALLELOGRAM = """mbx 1
model Flat "A four-bar whose opposite bars are equal: it has a dead point where it is flat" {
  param J: kg*m^2 = 1
  coordinate th: rad = 1, ph: rad = -1, ps: rad = 1
  body crank { mass 1 kg  inertia J about z
    joint revolute(ground, axis = z, angle = th) }
  body coupler { mass 1 kg  inertia J about z
    joint revolute(crank at [1 m, 0, 0], axis = z, angle = ph) }
  body rocker { mass 1 kg  inertia J about z
    joint revolute(ground at [2 m, 0, 0], axis = z, angle = ps) }
  joint pin: revolute(coupler at [2 m, 0, 0], rocker at [1 m, 0, 0], axis = z) cut
}
"""
KITE = PARALLELOGRAM.replace("ground at [2 m", "ground at [1 m").replace(
    "rocker at [1 m", "rocker at [2 m"
)
RHEONOMIC = """mbx 1
model Pumped "A crank turned by the model itself, with a slider on it and a pin on that" {
  param J: kg*m^2 = 1
  coordinate s: m = 1, a: rad = 0.3
  body crank { mass 1 kg  inertia J about z
    joint revolute(ground, axis = z, angle = 0.4 rad + 2 [rad/s]*t) }
  body block { mass 1 kg  inertia J about z
    joint prismatic(crank, axis = x, distance = s) }
  body arm { mass 1 kg  inertia J about z
    joint revolute(block at [0, 0.5 m, 0], axis = z, angle = a) }
}
"""


def test_a_parallelogram_has_a_dead_point_where_it_is_flat() -> None:
    with pytest.raises(HaltError) as halt:
        mbx.kinematics(mbx.loads(PARALLELOGRAM), drive={"th": "1:-1:41"})
    found = halt.value.diagnosis
    assert found.kind == "dead point"
    assert found.group == "3R (coupler, rocker)"
    assert found.drives["th"] == pytest.approx(0.0, abs=1e-6)
    assert found.condition > 1e6
    assert "coupler, rocker" in str(halt.value)


@pytest.mark.parametrize("every", [0.05, 0.03])  # one comes to the flat position, one over it
def test_a_kite_has_a_dead_point_where_its_bars_lie_on_each_other(every: float) -> None:
    # source: crank and frame of 1 m, the others of 2 m: the pin is at 1 m + 2 m where it is flat
    with pytest.raises(HaltError) as halt:
        mbx.kinematics(mbx.loads(KITE), drive={"th": "1 - 2*t"}, until=1.0, every=every)
    found = halt.value.diagnosis
    assert (found.kind, found.group) == ("dead point", "3R (coupler, rocker)")
    assert found.drives["th"] == pytest.approx(0.0, abs=1e-5)
    assert found.state == pytest.approx({"pin@x": 3.0, "pin@y": 0.0}, abs=1e-5)


@pytest.mark.parametrize("method", ["td", "3ot"])
def test_a_kite_that_jumps_over_its_flat_position_switches_its_branch(method: Method) -> None:
    # source: a kite is symmetric: its pin is on the line at th/2, at cos(th/2) + sqrt(4 -
    # sin(th/2)^2); turned from 0.3 to -0.3 it has the other sense of coupler and rocker
    with pytest.raises(HaltError) as halt:
        mbx.kinematics(
            mbx.loads(KITE),
            drive={"th": "0.3*sign(0.52 - t)"},
            method=method,
            until=1.0,
            every=0.05,
        )
    found = halt.value.diagnosis
    assert found.kind == "branch switching"
    assert found.group == "3R (coupler, rocker)"
    r = cos(0.15) + sqrt(4 - sin(0.15) ** 2)
    pin = {"pin@x": r * cos(0.15), "pin@y": r * sin(0.15)}
    assert found.state == pytest.approx(pin, abs=1e-9)
    assert found.drives == pytest.approx({"th": 0.3})
    assert found.t == pytest.approx(0.52)
    assert found.condition < 1e3
    assert str(found).startswith(f"branch switching: {found.group} changes to another branch at")


def test_a_jump_on_a_branch_is_no_dead_point() -> None:
    with pytest.raises(HaltError) as halt:
        mbx.kinematics(
            mbx.read("lib:four_bar"), drive={"th1": "1 + 0.2*sign(t - 0.52)"}, until=1.0, every=0.05
        )
    found = halt.value.diagnosis
    assert (found.kind, found.group) == ("jump", "1R (crank)")
    assert found.drives == pytest.approx({"th1": 0.8})
    assert found.t == pytest.approx(0.52)


def test_a_rocker_locks_where_crank_and_coupler_are_in_line() -> None:
    # source: law of cosines at the rocker's pivot, |AC| = b + a and b - a
    a, b, c, d = 0.1, 0.3, 0.25, 0.3
    ends = [pi - acos((d**2 + c**2 - e**2) / (2 * d * c)) for e in (b + a, b - a)]
    study = kinematic_study(mbx.read("lib:four_bar"), {"th3": "1.9"})
    found = study.reach("th3", KinematicOptions())
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)
    assert found.below is not None
    assert found.above is not None
    assert {found.below.kind, found.above.kind} == {"lock-up"}
    assert found.above.group == "3R (crank, coupler)"


def test_a_crank_turns_fully() -> None:
    study = kinematic_study(mbx.read("lib:four_bar"), {"th1": "1"})
    found = study.reach("th1", KinematicOptions())
    assert found.turns
    assert found.high - found.low == pytest.approx(4 * pi)


def test_the_transmission_angle_of_a_four_bar_is_that_of_its_triangle() -> None:
    # source: law of cosines: (b^2 + c^2 - |BD|^2)/(2 b c) is the cosine at the pin
    found = mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": "0:2*pi:25"})
    b, c = 0.3, 0.25
    for th, angle in zip(found["th1"], found["transmission(coupler, rocker)"], strict=True):
        square = 0.1**2 + 0.3**2 - 2 * 0.1 * 0.3 * cos(th)
        assert cos(angle) == pytest.approx(abs(b**2 + c**2 - square) / (2 * b * c), abs=1e-12)


def test_both_branches_of_a_slider_crank_are_found() -> None:
    # source: closed form, s = r cos(th) +- sqrt(l^2 - (e - r sin(th))^2)
    study = kinematic_study(mbx.read("lib:slider_crank"), {"th": "1"})
    found = study.branches(KinematicOptions())
    root = sqrt(0.2**2 - (0.01 - 0.05 * sin(1)) ** 2)
    assert [one["s"] for one in found] == pytest.approx(
        [0.05 * cos(1) + root, 0.05 * cos(1) - root]
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_point_of_interest_moves_with_its_body(method: Method) -> None:
    # source: closed form of a point at (1, 2) on a crank that turns by 3 rad/s
    found = mbx.kinematics(
        mbx.read("lib:slider_crank"),
        drive={"th": "1 + 3*t"},
        method=method,
        points=[("crank", (1.0, 2.0, 0.5))],
        until=0.2,
        every=0.1,
    )
    angle = 1 + 3 * found.t
    x, y = np.cos(angle) - 2 * np.sin(angle), np.sin(angle) + 2 * np.cos(angle)
    assert found["crank(1,2,0.5).x"] == pytest.approx(x)
    assert found["crank(1,2,0.5).y'"] == pytest.approx(3 * x)
    assert found["crank(1,2,0.5).x''"] == pytest.approx(-9 * x)
    assert found["crank(1,2,0.5).z"] == pytest.approx(0.5)
    assert found["crank(1,2,0.5).y"] == pytest.approx(y)


@pytest.mark.parametrize("method", METHODS)
def test_a_motion_that_the_model_says_itself_drives_it(method: Method) -> None:
    # source: closed form in rotating axes, al = 0.4 + 2 t and s = 1 + 0.5 t^2, a held
    drives = {"s": "1 + 0.5*t^2", "a": "0.3"}
    found = mbx.kinematics(
        mbx.loads(RHEONOMIC),
        drive=drives,
        method=method,
        points=[("arm", (0.0, 0.0, 0.0))],
        until=0.6,
        every=0.3,
    )
    for k, t in enumerate(found.t):
        al, s, sd, sdd, w = 0.4 + 2 * t, 1 + 0.5 * t**2, t, 1.0, 2.0
        e, f = np.array([cos(al), sin(al)]), np.array([-sin(al), cos(al)])
        p = s * e + 0.5 * f
        a = (sdd - s * w**2) * e + 2 * sd * w * f - 0.5 * w**2 * f
        got = [found[f"arm(0,0,0).{c}"][k] for c in "xy"]
        assert got == pytest.approx(p, abs=1e-12)
        assert [found[f"arm(0,0,0).{c}''"][k] for c in "xy"] == pytest.approx(a, abs=1e-11)


@pytest.mark.sample(6, "four_bar")
@pytest.mark.parametrize("name", [n for n in MECHANISMS if n != "stewart_platform"])
@pytest.mark.parametrize("method", ["td", "3ot"])
def test_machine_code_gives_what_python_gives(name: str, method: Method) -> None:
    _, system = library(name)
    one = mechanism(name, evenly(system, MECHANISMS[name], 1.3, 0.7))
    solution = solution_of(one, method)
    machine = compiled(solution)
    most = LARGEST if method == "td" else TENSOR
    assert isinstance(machine, Machine) == all(len(g.phi) <= most for g in solution.groups)
    if not isinstance(machine, Machine):
        return
    near = solution.start(start_of(system), 0.0)
    times = np.array([0.03, 0.031])
    for t, *found in zip(times, *machine.run(times, near), strict=True):
        a = solution.at(float(t), near)
        for x, y in zip((a.x, a.xd, a.xdd), found, strict=True):
            assert np.abs(x - y).max() <= 1e-12 * max(1.0, float(np.abs(x).max()))


def test_groups_of_one_shape_are_compiled_once() -> None:
    solution = solution_of(mechanism("four_bar_scalable", ["th"]), "td", readouts=False)
    kits = {id(one.kernels.kit) for one in solution.solvers}
    assert len(kits) == 2 < len(solution.groups)  # the crank, and all dyads
    first, last = (one.kernels for one in solution.solvers[2:])
    assert first.kit is last.kit
    assert first.values != last.values


@pytest.mark.parametrize("method", ["td", "3ot"])
def test_a_sweep_is_what_single_steps_give(method: Method) -> None:
    study = kinematic_study(mbx.read("lib:andrews_squeezer"), {"beta": "0:2*pi:200"})
    solution = solution_of(study.mechanism, method)
    engine = compiled(solution)
    march, times = March(solution, engine), study.times(KinematicOptions())
    last = march.begin(0.0, solution.start(study.state, 0.0))
    swept = march.sweep(last, times[1:])
    assert len(swept) == len(times) - 1
    for one in swept:
        last = March(solution, solution).go(last, one.t)
        for x, y in ((last.x, one.x), (last.xd, one.xd), (last.xdd, one.xdd)):
            assert np.abs(x - y).max() <= 1e-9 * float(np.abs(x).max())


def test_a_sweep_ends_before_what_is_doubtful() -> None:
    # source: law of cosines, the rocker turns back where crank and coupler are in line
    study = kinematic_study(mbx.read("lib:four_bar"), {"th3": "1.9:3:111"})
    solution = solution_of(study.mechanism, "td")
    march, times = March(solution, compiled(solution)), study.times(KinematicOptions())
    first = march.begin(0.0, solution.start(study.state, 0.0))
    swept = march.sweep(first, times[1:])
    end = pi - acos((0.3**2 + 0.25**2 - 0.2**2) / 0.15) - 1.9
    assert 0.4 < swept[-1].t < end


def test_machine_code_leaves_what_cannot_close_to_the_solution() -> None:
    _, system = library("four_bar")
    solution = solution_of(mechanism("four_bar", evenly(system, ["th3"])), "td")
    machine = compiled(solution)
    with pytest.raises(mbx.MbxError, match=r"3R \(crank, coupler\)"):
        machine.at(2.0, solution.start(start_of(system), 0.0))


def test_a_sweep_ends_before_a_position_that_is_singular_but_for_rounding() -> None:
    # source: the bars of the kite lie on each other at 0, and all goes on smoothly there
    study = kinematic_study(mbx.loads(KITE), {"th": "0.5 - t"})
    solution = solution_of(study.mechanism, "td")
    march = March(solution, compiled(solution))
    first = march.begin(0.0, solution.start(study.state, 0.0))
    times = np.array([0.1, 0.2, 0.3, 0.4, 0.45, 0.5 - 1e-9])
    assert [one.t for one in march.sweep(first, times)] == pytest.approx(times[:-1])


def test_diagrams_show_groups_and_arrows() -> None:
    chains = decompose(mechanism("peaucellier_linkage", ["th"]).graph)
    names = ["1R", "3R", "3R", "3R"]
    assert next(iter(as_text(chains, names))).split() == [
        "1",
        "1R",
        "(1,",
        "1)",
        "crank",
        "<-",
        "frame",
    ]
    dot = as_dot(chains, names)
    assert dot.count("->") == sum(len(one.needs) for one in chains) == 7
    assert 'g2 [label="3R\\n(2, 0)"' in dot


@pytest.mark.parametrize(
    ("motion", "reason"),
    [
        ("1 +", "no expression"),
        ("sin(th2)", "neither t nor a parameter"),
        ("velocity(P)", "no expression of t"),
        ("[1, 2, 3]", "no expression of t"),
        ("0:1", "no sweep"),
        ("0:1:1", "no sweep"),
        ("0:1/0:5", "has no value"),
        ("1/0", "has no value"),
        ("log(0)", "has no value"),
    ],
)
def test_motions_that_make_no_sense_are_refused(motion: str, reason: str) -> None:
    with pytest.raises(NotRunError, match=reason):
        mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": motion})


def test_the_range_of_nothing_is_an_unknown_name() -> None:
    study = kinematic_study(mbx.read("lib:four_bar"), {"th1": "1"})
    with pytest.raises(UnknownNameError, match="'zz'"):
        study.reach("zz", KinematicOptions())


def test_a_drive_of_nothing_is_an_unknown_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'th1'"):
        mbx.kinematics(mbx.read("lib:four_bar"), drive={"th11": "1"})


def test_a_state_by_groups_is_that_of_assembly() -> None:
    # source: the same by `assemble`, which solves all invariants at once
    linked, system = library("four_bar")
    held = Request(initial={"th1": 1.4, "th1'": 2.0}, held=frozenset({"th1", "th1'"}))
    plan = plan_of(linked, system, held)
    one, other = assemble_by_groups(plan), assemble(plan)
    assert one.state == pytest.approx(dict(other.state), abs=1e-12)
    assert one.accelerations == pytest.approx(dict(other.accelerations), abs=1e-9)
