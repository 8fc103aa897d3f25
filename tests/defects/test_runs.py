"""Runs that were answered wrongly: missed bands, kinks, starts that were moved."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.form_verbs import references
from mbx.analyses.simulate.runs import EndedError
from mbx.cli.main import main

HERE = Path(__file__).parent
FORMS = ["kane", "lagrange"]


def test_a_narrow_band_is_found_by_simulate_and_verify_alike() -> None:
    document = mbx.read(HERE / "narrow_band.mb")
    run = mbx.simulate(document, "run")
    assert run.last["x'"] == pytest.approx(sqrt(3), abs=1e-12)
    assert not run.met
    assert run.energy.changed_by == "'force(1)' does work and has no potential"
    assert run.energy.work["force(1)"] == pytest.approx(1.0, abs=1e-12)
    (one,) = references(document, forms=FORMS)
    assert (one.found, one.met) == (run.references[0].found, False)


KINKS = {
    "place": ("at [s, f(s), 0]", "", "'P' has a kink"),
    "place by abs": ("at [s, abs(s - 1 m), 0]", "", "'P' has a kink"),
    "place by max": ("at [s, max(0 m, s - 1 m), 0]", "", "'P' has a kink"),
    "invariant": (
        "at [s, y, 0]",
        "coordinate y: m = 0\n  invariant wire: y = f(s)",
        "'wire' has a kink",
    ),
}


@pytest.mark.parametrize("kind", KINKS)
def test_a_kink_of_the_kinematics_ends_a_run(kind: str) -> None:
    place, more, what = KINKS[kind]
    text = (HERE / "kinked_path.mb").read_text()
    text = text.replace("at [s, f(s), 0]", place).replace("  particle", f"  {more}\n  particle")
    text = text.replace("every 0.1 s", "every 0.1 s  expect energy conserved within 1e-9")
    document = mbx.loads(text)
    with pytest.raises(EndedError, match=r"at t = 0\.7 s, where .* velocities would") as caught:
        mbx.simulate(document, "run")
    assert what in str(caught.value)
    assert caught.value.run.t[-1] == pytest.approx(0.7, abs=0.11)
    (one,) = references(document, forms=["kane"])
    assert one.met is None
    assert one.reason == str(caught.value)


@pytest.mark.parametrize("expected", ["", "expect s at 0.5 s = 0.8 m within 1e-9 m"])
def test_verify_does_not_certify_a_model_whose_run_is_refused(expected: str) -> None:
    text = (HERE / "kinked_path.mb").read_text().replace("every 0.1 s", f"every 0.1 s  {expected}")
    document = mbx.loads(text)
    with pytest.raises(EndedError) as caught:
        mbx.simulate(document, "run")
    found = mbx.verify(document, forms=FORMS, states=4)
    assert found.verdict == "undecided"
    assert found.doubts == (f"experiment 'run': {caught.value}",)
    assert all(one.met for one in found.references)


def test_an_experiment_that_expects_nothing_and_comes_to_its_end_is_no_doubt() -> None:
    text = (HERE / "kinked_path.mb").read_text().replace("0 s .. 2 s", "0 s .. 0.6 s")
    found = mbx.verify(mbx.loads(text), forms=FORMS, states=4)
    assert (found.verdict, found.doubts) == ("agree", ())


IN_TIME = """mbx 1
model K {{
  coordinate x: m = 1, y: m = -0.5
  particle P {{ mass 1 kg  at [{place}, 0] }}
  {more}
  initial x' = -1 [m/s], y' = 1 [m/s]
}}
experiment run of K {{ simulate 0 s .. 2 s  expect y at 2 s = 1.5 m within 1e-6 }}
"""


@pytest.mark.parametrize(
    ("place", "more", "what"),
    [
        ("x + abs(t - 0.5 s)*1 [m/s], y", "", "t - 1/2 = 0, velocities .*'P' has a kink"),
        ("x, y", "invariant lead: x = abs(t - 0.5 s)*1 [m/s] + 0.5 m", "'lead' has a kink"),
        ("x, y", "invariant roll: x' = (if y < 0 m then -1 else -2)*y'", "'roll' has a kink"),
        ("x, if y < 0 m then y else 3*y", "", "-y = 0, velocities .*'P' has a kink"),
        ("x, y + (if y < 0 m then 0 m else 1 m)", "", "-y = 0, the place of 'P' jumps"),
        (
            "x, y",
            "invariant step: x = 1 m - 1 [m/s]*t + (if t < 0.5 s then 0 m else 1 m)",
            "the place of 'step' jumps",
        ),
        ("x, y", "potential hill: if y < 0 m then 0 J else 0.1 J", "energy of 'hill' jumps"),
    ],
)
def test_kinks_that_no_acceleration_shows_end_a_run(place: str, more: str, what: str) -> None:
    document = mbx.loads(IN_TIME.format(place=place, more=more))
    with pytest.raises(EndedError, match=rf"at t = 0\.5 s, where .*{what}") as caught:
        mbx.simulate(document, "run")
    (one,) = references(document, forms=["kane"])
    assert (one.met, one.reason) == (None, str(caught.value))


def test_a_kink_that_is_met_at_rest_is_none() -> None:
    # it turns at 1 m under a force before the corner: no velocity jumps
    text = (
        (HERE / "kinked_path.mb")
        .read_text()
        .replace("initial s'", "gravity [-1 [m/s^2], 0, 0]\n  initial s'")
    )
    run = mbx.simulate(mbx.loads(text), "run")
    assert run.last["s"] == pytest.approx(0.3 + 2 - 2)


def test_a_stated_start_is_refused_and_not_moved() -> None:
    document = mbx.read(HERE / "start_is_moved.mb")
    with pytest.raises(NotRunError, match="'phi1'' would have to be 120, not 150"):
        mbx.simulate(document, "e")
    (one,) = references(document, forms=["kane"])
    assert one.met is None
    assert "'phi1'' would have to be 120, not 150" in one.reason


ROD = """mbx 1
model Rod {{
  param L: m = {L}
  coordinate x: m = {x}, y: m = {y}
  particle P {{ mass 1 kg  at [x, y, 0] }}
  invariant rod: x^2 + y^2 = L^2
  gravity [0, -9.81 [m/s^2], 0]
}}
experiment run of Rod {{ simulate 0 s .. {T} s  expect energy conserved within 1e-9 }}
"""


def test_coordinates_that_the_model_states_are_not_moved_either() -> None:
    document = mbx.loads(ROD.format(L=1, x=0.6, y=-0.9, T=1))
    with pytest.raises(NotRunError, match=r"'x' would have to be 0\.55"):
        mbx.simulate(document, "run")
    (one,) = references(document, forms=["kane"])
    assert "its start is not consistent: 'x'" in one.reason


def test_digits_left_out_are_measured_by_the_size_of_the_mechanism() -> None:
    # a micrometre: a thousandth of a metre would be a thousand times its length
    small = ROD.format(L="1e-6", x="0.6e-6", y="-0.9e-6", T="1e-3")
    with pytest.raises(NotRunError, match="its start is not consistent"):
        mbx.simulate(mbx.loads(small), "run")
    rounded = ROD.format(L="1e-6", x="0.6e-6", y="-0.8001e-6", T="1e-3")
    assert mbx.simulate(mbx.loads(rounded), "run").met


def test_assemble_moves_and_reports_what(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assemble", str(HERE / "start_is_moved.mb"), "e"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in told if line.endswith("(moved)")] == ["phi1'", "phi2'"]


def test_a_rate_that_is_no_speed_starts_as_the_model_states() -> None:
    text = """mbx 1
    model Turned {
      coordinate th: rad = 0.5
      speed w: rad/s
      define w = 2*th'
      body b { inertia 1 [kg*m^2] about z  joint revolute(ground, axis = z, angle = th) }
      initial th' = 3 [rad/s]
    }
    experiment run of Turned { simulate 0 s .. 1 s  expect th at 1 s = 3.5 within 1e-9 }
    """
    run = mbx.simulate(mbx.loads(text), "run")
    assert run["w"][0] == pytest.approx(6)
    assert run.met
