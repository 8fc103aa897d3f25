"""Whether the energy is conserved, and what is refused because it is not."""

from __future__ import annotations

import pytest

from unit.analyses.experiments.models import PENDULUM, found, one

RUN = """
experiment run of Pendulum {
  initial th = 1 rad
  simulate 0 s .. 1 s
  expect energy conserved within 1e-10
}
"""


def test_the_energy_of_a_pendulum_is_conserved() -> None:
    reference = one(PENDULUM + RUN)
    assert reference.met
    assert (reference.quantity, reference.at, reference.kind) == ("energy", "conserved", None)
    assert reference.found is not None
    assert 0 < reference.found < 1e-12


def test_a_tolerance_may_be_an_energy() -> None:
    # of 0.7*9.81*0.9*(1 - cos(1)) J = 2.84 J of kinetic energy at most
    pure = one(PENDULUM + RUN).found
    joule = one(PENDULUM + RUN.replace("1e-10", "1e-10 J")).found
    assert pure is not None
    assert joule == pytest.approx(pure * 0.7 * 9.81 * 0.9 * 0.4597, rel=1e-2)


def test_an_input_that_is_zero_does_no_work_and_one_that_is_not_is_refused() -> None:
    reference = one(PENDULUM + RUN.replace("initial", "set u = 1 [N*m]\n  initial"))
    assert reference.reason == (
        "the energy is not conserved: 'drive' does work and has no potential"
    )


LEAD = "particle p { mass m  at [s, 0, 0] }\n  invariant lead: s = 0.1 [m/s]*t"


def changed(*pairs: tuple[str, str]) -> str:
    text = PENDULUM
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text + RUN


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            changed(("load drive", "dissipation air: 0.1 [J*s]*th'^2\n  load drive")),
            "'air' does work and has no potential",
        ),
        (
            changed(("load drive", "potential pull: 1 [J/s]*th*t\n  load drive")),
            "the potential energy depends on t",
        ),
        (
            changed(("-l*cos(th)", "0.1 [m/s]*t - l*cos(th)")),
            "'bob' is moved by time itself",
        ),
        (
            changed(
                ("th: rad = 0", "th: rad = 0, s: m = 0"),
                ("load drive", f"{LEAD}\n  load drive"),
            ),
            "the invariant 'lead' is rheonomic, or not homogeneous in the speeds",
        ),
    ],
    ids=["dissipation", "potential of t", "moved body", "rheonomic invariant"],
)
def test_what_changes_the_energy_is_named(text: str, reason: str) -> None:
    assert one(text).reason == f"the energy is not conserved: {reason}"


def test_a_force_across_the_velocity_does_no_work() -> None:
    text = """mbx 1
    model Magnet {
      coordinate x: m = 0, y: m = 0
      particle p { mass 1 kg  at [x, y, 0] }
      load lorentz: on x': 2 [N*s/m]*y'
      load back: on y': -2 [N*s/m]*x'
    }
    experiment run of Magnet {
      initial x' = 1 [m/s]
      simulate 0 s .. 1 s
      expect x at 1 s = sin(2)/2 within 1e-11
      expect energy conserved within 1e-12
    }"""
    moved, energy = found(text)
    assert moved.met
    assert energy.met is None  # each of the two does work; that they cancel is not seen


def test_a_prescribed_motion_has_no_energy_to_keep() -> None:
    text = PENDULUM + RUN.replace("initial th = 1 rad", "prescribe th = 0.1 rad*t/(1 s) solve u")
    assert one(text).reason == (
        "the energy is not conserved: inputs bring prescribed motions about"
    )
