"""Forward dynamics against closed forms, references of the library, and other forms."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.perform_requests import perform_simulation
from mbx.analyses.request import Request, UnknownNameError
from mbx.analyses.simulate.runs import Options, Run


def ran(model: str, experiment: str = "", form: str | None = None, **options: Any) -> Run:
    return mbx.simulate(mbx.read(f"lib:{model}"), experiment, **options, form=form)


def test_a_pendulum_follows_jacobis_functions_at_all_results() -> None:
    run = ran("simple_pendulum", "drop")
    k, w = np.sin(0.5), np.sqrt(3 * 9.81 / 2)
    sn, *_ = ellipj(w * run.t + ellipk(k**2), k**2)
    assert run["theta"] == pytest.approx(2 * np.arcsin(k * sn), abs=1e-10)
    assert len(run.t) == 501


REFERENCES = [
    ("simple_pendulum", "drop"),
    ("appell_hamel", "straight"),
    ("heavy_top", "cusps"),
    ("rolling_disc", "turn"),
    ("programme_order_3", "run"),
    ("car_axis", "road"),
    ("stewart_platform", "drop"),
]


@pytest.mark.parametrize(("model", "experiment"), REFERENCES)
def test_what_experiments_expect_is_met(model: str, experiment: str) -> None:
    run = ran(model, experiment)
    assert [str(one) for one in run.references if not one.met] == []
    assert run.references


@pytest.mark.parametrize("form", ["udwadia_kalaba", "udwadia_kalaba:singular"])
@pytest.mark.parametrize(
    "model", ["programme_order_3", "swing_jerk_programme", "decaying_acceleration"]
)
def test_generalized_inverses_run_programmes_of_order_3(model: str, form: str) -> None:
    """Within a step the state is off the constraint forces, and the equations hold all the same."""
    run = ran(model, "run", form)
    assert run.references
    assert run.met


@pytest.mark.sample(6)
@pytest.mark.parametrize("method", ["projection", "baumgarte"])
@pytest.mark.parametrize(
    "form", ["kane", "newton_euler", "lagrange", "hamilton", "articulated_body", "modular"]
)
def test_all_forms_give_the_same_trajectory(form: str, method: str) -> None:
    one = ran("four_bar", "swing", "maggi", until=0.3, every=0.1)
    other = ran("four_bar", "swing", form, until=0.3, every=0.1, method=method)
    assert other.form == form
    assert other.states == pytest.approx(one.states, abs=1e-9)


def test_projection_keeps_energy_and_invariants_of_a_closed_loop() -> None:
    run = ran("four_bar", "swing")
    assert run.energy.changed_by is None
    assert run.energy.relative < 1e-11
    assert max(run.drift) <= 1e-13  # what is less is left as it is


@pytest.mark.slow
def test_the_energy_of_a_closed_loop_is_kept_to_a_billionth_over_a_hundred_periods() -> None:
    run = ran("four_bar", "swing", until=120.0)
    turned = np.diff(np.sign(run["th1'"])[np.abs(run["th1'"]) > 0]) != 0
    assert turned.sum() >= 200  # twice in a period
    assert run.energy.relative < 1e-9
    assert max(run.drift) < 1e-10


def test_stabilisation_bounds_the_drift_that_it_leaves() -> None:
    run = ran("four_bar", "swing", method="baumgarte")
    assert 1e-16 < max(run.drift) < 1e-10


def test_results_lie_as_far_apart_as_is_said_and_end_at_the_end() -> None:
    run = ran("four_bar", "swing", until=0.25, every=0.1)
    assert run.t.tolist() == pytest.approx([0.0, 0.1, 0.2, 0.25])
    exact = ran("four_bar", "swing", until=0.2)
    assert run.states[2] == pytest.approx(exact.states[-1], abs=1e-10)


def test_a_body_that_nothing_holds_keeps_its_momenta() -> None:
    run = ran("free_body_space_axes", "tumble")
    names = [one.name for one in run.columns if "angular momentum" in one.name]
    assert len(names) == 3
    for name in names:
        assert run[name] == pytest.approx(run[name][0], abs=1e-9)


def test_an_input_that_is_set_does_work() -> None:
    document = mbx.read("lib:four_bar")
    asked = Request(experiment="swing", values={"u1": 0.2})
    run = perform_simulation(document, asked, Options(until=0.5))
    assert run.energy.changed_by == "'drive' does work and has no potential"
    work = 0.2 * (run["th1"][-1] - run["th1"][0])
    assert run["energy"][-1] - run["energy"][0] == pytest.approx(work, rel=1e-9)
    assert run.references == ()  # they are of the experiment as it stands


def test_expectations_beyond_an_earlier_end_are_left_out() -> None:
    run = ran("simple_pendulum", "drop", until=0.5)
    assert [one.at for one in run.references] == [
        "at 0 s",
        "at 0.43664963424753 s",
        "conserved",
    ]
    assert run.met


@pytest.mark.parametrize(("experiment", "until"), [("straight", None), ("turning", 0.1)])
def test_machine_code_keeps_rows_that_hold_on_all_of_the_way(
    experiment: str, until: float | None
) -> None:
    # where no choice of rows does, it is left alone: see test_methods.py
    assert ran("appell_hamel", experiment, until=until).backend == "llvm"


# -- what cannot be run --------------------------------------------------------------------------

FALL = """mbx 1
model Fall {
  param k: N/m^3 = 1
  coordinate x: m = 1
  body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  force grow: k*x^3*ground.x on b
}
experiment away of Fall { simulate 0 s .. 10 s }
"""


def test_a_run_to_nowhere_says_where_it_ends() -> None:
    assert ellipk(0.5) == pytest.approx(1.854074677)  # x is infinite then
    with pytest.raises(NotRunError, match=r"no step leads on from t = 1\.85407 s"):
        mbx.simulate(mbx.loads(FALL), "away")


@pytest.mark.parametrize(
    ("asked", "options", "message"),
    [
        ({"initial": {"th1": 1.0, "th2": 0.0, "th3": 0.0}}, {"until": 1.0}, "not consistent"),
        ({}, {}, "the model does not simulate: say until when it is to run"),
        ({}, {"until": -1.0}, "which is no time"),
        ({}, {"until": 1.0, "every": 0.0}, "every 0 s are none"),
        ({}, {"until": 1.0, "every": 1e-9}, "too many"),
        ({}, {"until": 1.0, "method": "magic"}, "no method is called 'magic'"),
        ({"experiment": "drive"}, {}, "the motion of 'th1' is prescribed"),
        ({"experiment": "swing"}, {"seconds": 0.0}, "ran out of time"),
    ],
)
def test_a_bad_experiment_has_a_reason(
    asked: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(NotRunError, match=message):
        perform_simulation(mbx.read("lib:four_bar"), Request(**asked), Options(**options))


def test_a_singular_start_is_none() -> None:
    flat = {v.path: 0.0 for v in mbx.elaborate(mbx.read("lib:parallelogram")).q}
    asked = Request(initial=flat, held=frozenset(flat))
    with pytest.raises(NotRunError, match="its start is singular: 2 invariants"):
        perform_simulation(mbx.read("lib:parallelogram"), asked, Options(until=1.0))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"values": {"u9": 1.0}}, "there is no parameter or input 'u9'"),
        ({"experiment": "swin"}, "there is no experiment 'swin'; did you mean 'swing'?"),
    ],
)
def test_a_name_that_is_not_there_is_told(said: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError, match=re.escape(message)):
        perform_simulation(mbx.read("lib:four_bar"), Request(**said), Options(until=1.0))
