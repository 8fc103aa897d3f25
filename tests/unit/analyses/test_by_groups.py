"""Runs by structural groups: the motion of other methods, invariants kept, refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.experiment_start import start_of
from mbx.analyses.experiments.state_functions import Invariants
from mbx.analyses.kinematics.groups.decompose import NotDeterminedError
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.analyses.perform_requests import perform_simulation
from mbx.analyses.request import Request, UnknownNameError, plan_of
from mbx.analyses.simulate.engine import Engine, chosen_form
from mbx.analyses.simulate.integrators.by_groups import GroupedSteps, Independent, independent_of
from mbx.analyses.simulate.runs import Options, Run
from mbx.cli.main import main
from mbx.numerics.states.specialise import specialise, states_of

if TYPE_CHECKING:
    from pathlib import Path

    from mbx.base.errors import MbxError
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

PUMPED = """mbx 1
model Pumped "A five-bar whose crank turns as it is told: one freedom is left" {
  param J: kg*m^2 = 1
  coordinate a: rad = 0.3, b: rad = 2, c: rad = 1
  body crank { mass 1 kg  inertia J about z
    joint revolute(ground, axis = z, angle = 0.4 rad + 2 [rad/s]*t) }
  body arm { mass 1 kg  com [0.5 m, 0, 0]  inertia J about z
    joint revolute(crank at [0.2 m, 0, 0], axis = z, angle = a) }
  body rocker { mass 1 kg  inertia J about z
    joint revolute(ground at [2 m, 0, 0], axis = z, angle = b) }
  body rod { mass 1 kg  inertia J about z
    joint revolute(rocker at [1 m, 0, 0], axis = z, angle = c) }
  joint pin: revolute(arm at [1 m, 0, 0], rod at [1 m, 0, 0], axis = z) cut
  gravity [0, -9.81 [m/s^2], 0]
}
experiment run of Pumped { hold c }
"""


def specialised(system: System) -> tuple[str, Equations]:
    name, equations = chosen_form(system)
    return name, specialise(equations, states_of(system))


def ran(model: str, experiment: str = "", **options: Any) -> Run:
    run: Run = mbx.simulate(f"lib:{model}", experiment, **options)
    return run


def test_a_four_bar_moves_as_by_projection_and_stays_closed() -> None:
    # source: the same by projection, which corrects dependent coordinates after each step
    one = ran("four_bar", "swing", until=1.0, every=0.25)
    other = ran("four_bar", "swing", until=1.0, every=0.25, method="groups")
    assert other.method == "groups"
    assert other.states == pytest.approx(one.states, abs=1e-8)
    assert max(other.drift) < 1e-10
    assert other.energy.relative < 1e-10
    assert [c.name for c in other.columns] == [c.name for c in one.columns]
    assert other.references
    assert other.met


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("model", "until"), [("rssr_linkage", 0.02), ("scotch_yoke", 0.05), ("slider_crank", 0.05)]
)
def test_other_loops_move_as_by_projection(model: str, until: float) -> None:
    one = ran(model, until=until, every=until)
    other = ran(model, until=until, every=until, method="groups")
    assert other.states[-1] == pytest.approx(one.states[-1], abs=1e-9)
    assert max(other.drift) < 1e-10


def test_a_model_that_turns_by_itself_is_closed_at_each_time() -> None:
    document = mbx.loads(PUMPED)
    one, other = (
        mbx.simulate(document, "run", until=0.1, every=0.05, method=method)
        for method in ("projection", "groups")
    )
    assert np.abs(one.states[-1] - one.states[0]).max() > 0.05
    assert other.states == pytest.approx(one.states, abs=1e-9)
    assert max(other.drift) < 1e-10


def test_coordinates_that_are_named_are_integrated() -> None:
    one = ran("four_bar", "swing", until=0.05, every=0.05)
    other = ran("four_bar", "swing", until=0.05, every=0.05, method="groups", independent=("th3",))
    assert other.states == pytest.approx(one.states, abs=1e-9)


TURNING = """mbx 1
model Turning "A four-bar whose rocker is named first, and whose crank turns fully" {
  param J: kg*m^2 = 0.01
  coordinate th3: rad = 1.5, th2: rad = -0.4, th1: rad = 1
  initial th1 = 1 rad
  initial th1' = 8 [rad/s]
  body crank { mass 1 kg  inertia J about z
    joint revolute(ground, axis = z, angle = th1) }
  body coupler { mass 0.5 kg  com [0.15 m, 0, 0]  inertia J about z
    joint revolute(crank at [0.1 m, 0, 0], axis = z, angle = th2) }
  body rocker { mass 0.4 kg  com [0.1 m, 0, 0]  inertia J about z
    joint revolute(ground at [0.3 m, 0, 0], axis = z, angle = th3) }
  joint tip: revolute(coupler at [0.3 m, 0, 0], rocker at [0.25 m, 0, 0], axis = z) cut
  gravity [0, -9.81 [m/s^2], 0]
}
experiment run of Turning { hold th1 }
"""


def test_other_coordinates_are_taken_where_the_first_have_a_dead_point() -> None:
    # source: the same by projection; the rocker turns back twice in each turn of the crank
    document = mbx.loads(TURNING)
    one, other = (
        mbx.simulate(document, "run", until=2.0, every=0.1, method=method)
        for method in ("projection", "groups")
    )
    turns = one["th1"][-1] - one["th1"][0]
    assert turns > 4 * np.pi
    assert other.states == pytest.approx(one.states, abs=1e-7)
    assert max(other.drift) < 1e-12
    assert other.energy.relative < 1e-9
    named = Options(until=2.0, method="groups", independent=("th3",))
    with pytest.raises(NotRunError, match="dead point: 3R"):
        perform_simulation(document, Request(experiment="run"), named)


COUPLED = """mbx 1
model Coupled "Two discs in line turn each other as one, by a rod that slides in both" {
  param J: kg*m^2 = 0.01, e: m = 0.02
  coordinate a: rad = 0, p: m = e, b: rad = 0
  initial a' = 17 [rad/s]
  body first { mass 1 kg  inertia J about z  joint revolute(ground, axis = z, angle = a) }
  body middle { mass 0.1 kg  inertia J about z
    joint prismatic(first, axis = x, distance = p) }
  body second { mass 1 kg  inertia J about z
    joint revolute(ground at [e, 0, 0], axis = z, angle = b) }
  joint slide: prismatic(second rotated z by 0, middle, axis = y) cut
}
"""


@pytest.mark.parametrize("speed", [15.5, 17.0, 23.0])
def test_no_turn_is_lost_in_long_steps(speed: float) -> None:
    # source: the two discs turn as one, whatever the rod between them does
    document = mbx.loads(COUPLED.replace("17 [rad/s]", f"{speed} [rad/s]"))
    options = Options(until=2.0, every=0.02, method="groups")
    found = perform_simulation(document, Request(), options)
    assert np.isfinite(found.states).all()
    assert found["b"] == pytest.approx(found["a"], abs=1e-8)
    assert found["a"][-1] > 4 * np.pi


def test_the_best_coordinates_are_those_that_a_dead_point_leaves() -> None:
    # source: where crank and coupler are in line the rocker does not move, and the crank does
    end = float(np.pi - np.arccos((0.3**2 + 0.25**2 - 0.2**2) / 0.15))
    linked = mbx.link(mbx.read("lib:four_bar"))
    plan = plan_of(linked, mbx.elaborate(linked), Request())
    rows = Invariants(plan.system, plan.parameters, plan.inputs)
    pin = np.array([0.3, 0.0]) + 0.25 * np.array([np.cos(end), np.sin(end)])
    way = float(np.arctan2(-pin[1], -pin[0]))  # the crank points away from the pin
    q = np.array([way, np.pi, end])
    assert np.abs(rows.position(0.0, q)[0]).max() < 1e-12
    C = rows.position(0.0, q)[1]
    least = [np.linalg.svd(np.delete(C, k, axis=1), compute_uv=False)[-1] for k in range(3)]
    best = ("th1", "th2", "th3")[int(np.argmax(least))]
    assert best != "th3"
    assert independent_of(plan, rows, 0.0, q, best=True) == (best,)


ROD = """mbx 1
model Rod "a pendulum in Cartesian coordinates: a group with one unknown" {
  coordinate x: m = -1, y: m = 0
  particle p { mass 1 kg  at [x, y, 0] }
  invariant rod: x^2 + y^2 = (1 m)^2
  gravity [0, -9.81 [m/s^2], 0]
}
"""


def test_a_group_with_one_unknown_has_a_dead_point() -> None:
    # source: Jacobi's elliptic functions; the height turns back at the bottom, the width does not
    document = mbx.loads(ROD)
    run = mbx.simulate(document, until=20.0, every=1.0, method="groups")
    k = np.sin(np.pi / 4)
    sn, *_ = ellipj(np.sqrt(9.81) * run.t + ellipk(k**2), k**2)
    angle = 2 * np.arcsin(k * sn)
    assert run["x"] == pytest.approx(-np.sin(angle), abs=1e-8)
    assert run["y"] == pytest.approx(-np.cos(angle), abs=1e-8)
    named = Options(until=20.0, method="groups", independent=("y",))
    with pytest.raises(NotRunError, match=r"dead point: generic \(x\).* at y = -1 "):
        perform_simulation(document, Request(), named)


def test_what_one_row_says_determines_the_rest_well_or_not_at_all() -> None:
    # source: x^2 + y^2 = 1 has a slope of 2 y by y, nearly none where y is 1e-5
    linked = mbx.link(mbx.loads(ROD))
    plan = plan_of(linked, mbx.elaborate(linked), Request())
    rows = Invariants(plan.system, plan.parameters, plan.inputs)
    assert independent_of(plan, rows, 0.0, np.array([-1.0, 1e-5])) == ("y",)
    assert independent_of(plan, rows, 0.0, np.array([-0.6, 0.8])) == ("x",)


def test_near_a_dead_point_others_are_taken_before_a_step() -> None:
    # source: crank and coupler nearly in line, the pin by the law of cosines
    end = float(np.pi - np.arccos((0.3**2 + 0.25**2 - 0.2**2) / 0.15))
    linked = mbx.link(mbx.loads(TURNING))
    asked = Request(initial={"th3": end - 1e-4}, freed=frozenset({"th1", "th2"}))
    plan = plan_of(linked, mbx.elaborate(linked), asked)
    plan = replace(plan, last=plan.first + 0.01)
    start = np.array(list(start_of(plan).values()))
    rows = Invariants(plan.system, plan.parameters, plan.inputs)
    engine = Engine(plan, *specialised(plan.system), start)
    field = Independent(plan, engine, rows, start)
    assert field.chosen == ("th3",)
    assert field.worn
    steps = GroupedSteps(field, 1e-10, 1e-12, 1e-12)
    steps.begin(plan.first, start, plan.last)
    steps.step()
    assert field.chosen != ("th3",)
    assert not field.worn


def test_machine_code_of_groups_gives_the_rates_that_python_gives() -> None:
    linked = mbx.link(mbx.read("lib:rssr_linkage"))
    plan = plan_of(linked, mbx.elaborate(linked), Request())
    start = np.array(list(start_of(plan).values()))
    rows = Invariants(plan.system, plan.parameters, plan.inputs)
    engine = Engine(plan, *specialised(plan.system), start)
    field = Independent(plan, engine, rows, start)
    x = field.inside(plan.first, start) + 0.01
    f = field.function
    assert f is not None
    n = len(x) // 2
    found = f.single(x[:n], x[n:], 0.0)
    assert found[-1] == 0
    assert found[:-1] == pytest.approx(field.rate(0.0, x), rel=1e-9, abs=1e-12)


def test_a_dead_point_of_what_is_independent_names_the_group_and_the_state() -> None:
    # source: law of cosines, the rocker turns back where crank and coupler are in line
    ends = [np.pi - np.arccos((0.3**2 + 0.25**2 - e**2) / 0.15) for e in (0.4, 0.2)]
    with pytest.raises(NotRunError, match=r"3R \(crank, coupler\)") as halt:
        ran("four_bar", "swing", until=1.0, method="groups", independent=("th3",))
    said = float(str(halt.value).partition("th3 = ")[2].partition(" (")[0])
    assert min(abs(said - end) for end in ends) < 1e-3
    assert str(halt.value).startswith("dead point: ")


@pytest.mark.parametrize(
    ("model", "options", "error", "reason"),
    [
        ("bennett_linkage", {}, NotDeterminedError, "'crank', 'coupler', 'rocker' have 3 too many"),
        ("rolling_disc", {}, NotNaturalError, "'roll_x' is no invariant of positions"),
        ("four_bar", {"independent": ("th1", "th3")}, NotDeterminedError, "1 too many constraints"),
        ("four_bar", {"independent": ("th9",)}, UnknownNameError, "did you mean 'th3'"),
        ("four_bar", {"timeout": 0.0}, NotRunError, "ran out of time"),
    ],
)
def test_what_groups_do_not_close_is_refused(
    model: str, options: dict[str, Any], error: type[MbxError], reason: str
) -> None:
    with pytest.raises(error, match=reason):
        ran(model, until=0.1, method="groups", **options)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["lib:bennett_linkage", "--method", "groups"], 3),
        (["lib:rolling_disc", "--method", "groups"], 3),
        (["lib:four_bar", "--method", "groups", "--independent", "th9"], 2),
        (["lib:four_bar", "--independent", "th1"], 2),
    ],
)
def test_refusals_leave_no_file(arguments: list[str], status: int, tmp_path: Path) -> None:
    files = ["-o", str(tmp_path / "x.csv"), "--animate", str(tmp_path / "x.html")]
    assert main(["simulate", *arguments, "--until", "0.1", *files]) == status
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_ends_names_the_group_and_the_state() -> None:
    text = """mbx 1
    model Fall {
      coordinate x: m = 1
      body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
      force grow: (1 [N/m^3])*x^3*ground.x on b
    }
    experiment away of Fall { simulate 0 s .. 10 s }
    """
    with pytest.raises(NotRunError, match=r"from t = 1\.854\d* s, at x = .*; of all groups .*b"):
        mbx.simulate(mbx.loads(text), "away", method="groups")
