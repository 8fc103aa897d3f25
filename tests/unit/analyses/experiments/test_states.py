"""Expectations at the start and at named states, in every form."""

from __future__ import annotations

import re

import pytest

import mbx
from mbx.analyses.experiments import run_references
from mbx.analyses.experiments.observe import Observer
from mbx.analyses.form_verbs import references
from unit.analyses.experiments.models import CRANK, PENDULUM, found, one

START = """
experiment start of Pendulum {
  initial th = 0.5 rad
  expect th'' = -9.81*sin(0.5)/0.9 within 1e-12 source "analytic: -g sin(th)/l"
}
"""


def test_what_the_equations_give_is_met_with_its_kind_and_line() -> None:
    reference = one(PENDULUM + START, "kane", "lagrange")
    assert reference.met
    assert (reference.experiment, reference.quantity) == ("start", "th''")
    assert (reference.at, reference.kind) == ("at the start", "analytic")
    assert reference.line == "a.mb:14"
    assert reference.expected == pytest.approx(
        -9.81 * 0.479425538604203 / 0.9, rel=1e-14
    )  # sin(0.5)


def test_what_they_do_not_give_is_not_met_and_said_with_its_line() -> None:
    text = START.replace("sin(0.5)", "sin(0.500001)")
    reference = one(PENDULUM + text)
    assert reference.met is False
    # -9.81/0.9 sin(0.500001), and sin(0.5)
    assert re.fullmatch(
        r"a\.mb:14: start: th'' at the start: not met: expected -5\.2257479364\d+ within 1e-12,"
        r" found -5\.2257383707\d+ by kane",
        str(reference),
    )


def test_a_named_state_is_where_it_says() -> None:
    text = (
        PENDULUM
        + """
    experiment level of Pendulum {
      set u = 2 [N*m]
      expect th'' at state level = -9.81/0.9 + 2/(0.7*0.81) within 1e-11 source "published: p. 1"
    }"""
    )
    reference = one(text)
    assert (reference.met, reference.at, reference.kind) == (True, "at state level", "published")


def test_what_is_set_counts_in_starts_states_and_expected_values() -> None:
    text = (
        PENDULUM.replace("th: rad = 0", "th: rad = l*0.1 [1/m]")
        + """
    experiment long of Pendulum {
      set l = 3 m
      expect th = 0.3 within 1e-15
      expect th'' = -g/l*sin(0.3) within 1e-14
    }"""
    )
    assert [reference.met for reference in found(text)] == [True, True]


def test_the_worst_form_is_named() -> None:
    linked = mbx.link(mbx.loads(PENDULUM + START, name="a.mb"))
    kane = mbx.convert(linked, "kane")
    heavier = mbx.convert(mbx.link(mbx.loads(PENDULUM.replace("9.81", "9.82"))), "kane")
    (reference,) = run_references.references(linked, {"good": kane, "bad": heavier})
    assert (reference.met, reference.by) == (False, "bad")


def test_a_form_that_raises_leaves_it_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise ZeroDivisionError("no\nway")

    monkeypatch.setattr(Observer, "at", fail)
    reference = one(PENDULUM + START)
    assert (reference.met, reference.reason) == (None, "kane: ZeroDivisionError: no way")


def test_hold_and_free_say_what_assembly_changes() -> None:
    text = (
        CRANK
        + """
    experiment held of Crank {
      initial a = 0.7 rad, x = 0.4 m
      hold a
      expect x = 0.2*cos(0.7) + sqrt(0.25 - 0.04*sin(0.7)^2) within 1e-14
    }
    experiment freed of Crank {
      initial a = 0.3 rad, x = 0.6 m
      free a
      expect (x - r*cos(a))^2 + (r*sin(a))^2 = l^2 within 1e-15
      expect x = 0.6 m within 1e-16
    }"""
    )
    assert [reference.met for reference in found(text)] == [True, True, True]


def test_a_start_that_is_not_consistent_is_refused_with_the_variable() -> None:
    text = (
        CRANK
        + """
    experiment wrong of Crank {
      initial a = 0.7 rad, x = 0.4 m
      expect a = 0.7 within 1e-9
    }"""
    )
    reference = one(text)
    assert reference.met is None
    assert "its start is not consistent: 'a' would have to be" in reference.reason
    assert "say with 'hold' and 'free' what may change" in reference.reason


def test_digits_that_a_start_leaves_out_are_completed() -> None:
    text = (
        CRANK
        + """
    experiment rounded of Crank {
      initial a = 0.7 rad, x = 0.636 m
      expect (x - r*cos(a))^2 + (r*sin(a))^2 = l^2 within 1e-15
    }"""
    )
    assert one(text).met


def test_a_rate_that_is_no_speed_can_be_given() -> None:
    text = """mbx 1
    model M {
      coordinate x: m = 0
      speed v: m/s
      define v = 2*x'
      particle p { mass 1 kg  at [x, 0, 0] }
    }
    experiment e of M {
      initial x' = 3 [m/s]
      expect v = 6 [m/s] within 1e-14
    }"""
    assert one(text).met


def test_a_parameter_without_a_value_is_the_reason() -> None:
    text = PENDULUM.replace("m: kg = 0.7", "m: kg") + START
    reference = one(text)
    assert (reference.met, reference.reason) == (None, "parameter 'm' has no value")


def test_a_time_that_is_not_simulated_is_refused() -> None:
    text = PENDULUM + "experiment e of Pendulum { expect th at 1 s = 0 within 1 }"
    assert one(text).reason == "the simulation is not there then"


def test_an_experiment_that_cannot_be_run_stops_no_other() -> None:
    text = (
        PENDULUM
        + """
    experiment bad of Pendulum { expect th at 1 s = 0 within 1 }
    experiment good of Pendulum { expect th = 0 within 1e-9 }"""
    )
    assert [reference.met for reference in found(text)] == [None, True]


def test_all_forms_are_asked_if_none_is_named() -> None:
    every = references(mbx.loads(PENDULUM + START))
    assert [reference.met for reference in every] == [True]
    assert references(mbx.loads(PENDULUM + START), forms=["lagrange"])[0].by == "lagrange"
    assert references(mbx.loads(PENDULUM)) == ()
