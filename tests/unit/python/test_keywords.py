"""Options by keyword: they do what those of the command line do, and faults are named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.perform_requests import perform_simulation
from mbx.analyses.request import Request, RequestError, UnknownNameError
from mbx.analyses.simulate.runs import Options


def test_keywords_give_the_numbers_of_a_request() -> None:
    run = mbx.simulate(
        "lib:four_bar",
        "swing",
        until=0.2,
        set={"m2": 0.6},
        start={"th1": 0.9},
        method="ggl",
        tolerance=1e-8,
    )
    request = Request(
        experiment="swing",
        values={"m2": 0.6},
        initial={"th1": 0.9},
        freed=frozenset({"th2", "th3"}),
    )
    options = Options(until=0.2, method="ggl", tolerance=1e-8)
    other = perform_simulation("lib:four_bar", request, options)
    assert np.array_equal(run.states, other.states)
    assert run["th1"][0] == 0.9
    assert run.method == "ggl"


def test_a_start_takes_the_place_of_those_of_the_experiment() -> None:
    options: dict[str, Any] = {"until": 0.1, "every": 0.1}
    moved = mbx.simulate("lib:four_bar", "swing", start={"th1": 0.9}, **options)
    held = mbx.simulate("lib:four_bar", "swing", hold={"th1": 0.9}, **options)
    assert np.allclose(moved.states, held.states, rtol=1e-12, atol=1e-12)
    rounded = {"th1": 1.0, "th2": -0.41436, "th3": 1.55455}
    whole = mbx.simulate("lib:four_bar", "swing", start=rounded, **options)
    assert whole["th1"][0] == pytest.approx(1.0, abs=1e-5)
    with pytest.raises(NotRunError, match="no consistent state"):
        mbx.simulate("lib:four_bar", "swing", start={"th1": 0.9, "th2": 0.3}, **options)


def test_what_is_held_keeps_its_value() -> None:
    state = mbx.assemble("lib:four_bar", hold={"th1": 0.7})
    assert state.state["th1"] == 0.7
    assert state.held == ("th1",)
    assert mbx.assemble("lib:four_bar", start={"th1": 0.7}).held == ()
    assert mbx.assemble("lib:four_bar", hold=["th1"]).held == ("th1",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"set": {"m22": 1.0}}, "there is no parameter or input 'm22'; did you mean 'm2'?"),
        ({"start": {"th11": 1.0}}, "there is no variable 'th11'; did you mean 'th1'?"),
        ({"hold": ["th11"]}, "there is no variable 'th11'; did you mean 'th1'?"),
        ({"experiment": "swng"}, "there is no experiment 'swng'; did you mean 'swing'?"),
    ],
)
def test_names_that_the_model_lacks_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UnknownNameError) as bad:
        mbx.simulate("lib:four_bar", until=0.1, **options)
    assert str(bad.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"set": {"m2": "heavy"}}, "set: 'm2' is 'heavy', not a number in SI units"),
        ({"set": {"m2": float("nan")}}, "set: 'm2' is nan, not a number in SI units"),
        ({"set": ["m2"]}, "set: expected numbers by name, such as {'m': 2.0}"),
        ({"hold": "th1"}, "hold: expected a list of names, such as ['th1']"),
        (
            {"hold": {"th1": 1.0}, "start": {"th1": 2.0}},
            "'th1' has a value in start and in hold: give it one",
        ),
        (
            {"form": "kane", "forms": "all"},
            "form and forms are alternatives: name the forms in one of them",
        ),
    ],
)
def test_values_that_mean_nothing_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as bad:
        mbx.simulate("lib:four_bar", until=0.1, **options)
    assert str(bad.value) == message


def test_linearize_is_about_a_state_over_values_or_along_a_motion() -> None:
    locus = mbx.linearize("lib:simple_pendulum", over={"l": [0.5, 2.0]})
    assert [each.x for each in locus.systems] == [("theta", "theta'")] * 2
    along = mbx.linearize("lib:simple_pendulum", along=True, until=0.1, every=0.05)
    assert along.A.shape == (3, 2, 2)
    for options in (
        {"along": True, "over": {"l": [1.0]}},
        {"until": 1.0},
        {"over": {"l": [1.0], "g": [9.0]}},
    ):
        with pytest.raises(RequestError):
            mbx.linearize("lib:simple_pendulum", **options)


def test_several_forms_are_compared() -> None:
    together = mbx.simulate("lib:simple_pendulum", until=0.2, forms=["kane", "lagrange"])
    assert together.agree
    assert together.run.form == "kane"
