"""The work of everything that acts, integrated along a run and balanced with the energy."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING, Any

import pytest

import mbx
from mbx.analyses.simulate.results import powers, works
from mbx.analyses.simulate.runs import EndedError, Run
from mbx.expr.build import scale

if TYPE_CHECKING:
    from mbx.expr.nodes import Node
    from mbx.mechanics.motion import Motion

CART = """mbx 1
model Cart {{
  input push: N = 3 N*sin(2*t/(1 s))
  coordinate x: m = 0
  body cart {{ mass 2 kg  joint prismatic(ground, axis = x, distance = x) }}
  {load}
  initial x' = 1 [m/s]
}}
experiment run of Cart {{ simulate 0 s .. 2 s }}
"""


def ran(text: str, **options: Any) -> Run:
    run: Run = mbx.simulate(mbx.loads(text), "run", **options)
    return run


@pytest.mark.parametrize("method", ["projection", "baumgarte", "ggl", "index3", "momenta"])
def test_a_damper_takes_what_the_motion_loses(method: str) -> None:
    # x' = exp(-c t/m): W = -m (1 - exp(-2 c t/m))/2
    run = ran(CART.format(load="force drag: -0.5 [N*s/m]*x'*ground.x on cart"), method=method)
    assert run.energy.work["drag"] == pytest.approx(-(1 - exp(-1)), rel=1e-6)
    assert run.energy.balance is not None
    assert run.energy.balance < (1e-4 if method == "index3" else 1e-9)


def test_dry_friction_works_its_force_times_the_way() -> None:
    # it stops after 2 m/s^2: x = t - t^2, at rest after 1/2 s and 1/4 m; then it is pushed back
    text = CART.format(
        load="force dry: -4 [N]*sign(x')*ground.x on cart\n"
        "  force back: (if t > 0.25 s then -6 N else 0 N)*ground.x on cart"
    )
    run = ran(text)
    assert run.energy.balance == pytest.approx(0, abs=1e-12)
    # x' = 1 - 2 t, from 0.25 s on with -5 m/s^2, and -1 m/s^2 once it goes back, from 0.35 s on
    way = 0.1875 + 0.5**2 / 10, 1.65**2 / 2
    assert run.energy.work["dry"] == pytest.approx(-4 * sum(way), rel=1e-12)
    assert run.energy.work["back"] == pytest.approx(-6 * (0.5**2 / 10 - way[1]), rel=1e-12)


def test_an_input_of_time_is_balanced() -> None:
    run = ran(CART.format(load="force motor: push*ground.x on cart"))
    # x' = 1 + (3/4) (1 - cos(2 t)): W = m (x'(2)^2 - 1)/2
    speed = run.last["x'"]
    assert run.energy.work["motor"] == pytest.approx(speed**2 - 1, rel=1e-12)


ROD = """mbx 1
model Rod "A bead on a rod that is turned at a constant rate" {
  coordinate s: m = 1, phi: rad = 0
  particle P { mass 1 kg  at [s*cos(phi), s*sin(phi), 0] }
  invariant guide: phi = 2 [rad/s]*t
  initial phi' = 2 [rad/s]
}
experiment run of Rod { simulate 0 s .. 1 s }
"""


def test_a_rheonomic_invariant_works() -> None:
    # s = cosh(2 t): the torque is 2 m s s' phi', and the energy (s'^2 + 4 s^2)/2
    run = ran(ROD)
    s, rate = run.last["s"], run.last["s'"]
    assert run.energy.work["invariants"] == pytest.approx((rate**2 + 4 * s**2) / 2 - 2, rel=1e-11)
    assert run.energy.balance == pytest.approx(0, abs=1e-11)


def test_a_place_that_time_moves_is_balanced() -> None:
    run = ran(
        ROD.replace("s*cos(phi), s*sin(phi)", "s*cos(2 [1/s]*t), s*sin(2 [1/s]*t)")
        .replace("m = 1, phi: rad = 0", "m = 1")
        .replace("invariant guide: phi = 2 [rad/s]*t", "")
        .replace("initial phi' = 2 [rad/s]", "gravity [0, -9 [m/s^2], 0]")
    )
    assert list(run.energy.work) == ["time"]
    assert run.energy.balance == pytest.approx(0, abs=1e-11)
    assert run.energy.changed_by == "'P' is moved by time itself"


def test_energy_that_nothing_explains_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    # the run is right, and half of the work is left out
    text = CART.format(load="force pull: -3 [N/m]*x*ground.x on cart")
    whole = powers.by_loads

    def weaker(moving: Motion) -> dict[str, Node]:
        return {path: scale(Fraction(1, 2), power) for path, power in whole(moving).items()}

    monkeypatch.setattr(works, "by_loads", weaker)
    with pytest.raises(EndedError, match=r"the energy changes by .* beside the work of all loads"):
        ran(text)
    with pytest.raises(EndedError) as caught:
        ran(text, every=0.001)
    run = caught.value.run
    assert run.t[-1] < 1
    assert run["x"][-1] == pytest.approx(run.t[-1], rel=0.1)


def test_friction_that_grows_with_a_reaction_is_balanced() -> None:
    text = """mbx 1
    model Wire "A bead on a hoop, with friction by the reaction" {
      coordinate x: m = 1, y: m = 0
      particle P { mass 1 kg  at [x, y, 0] }
      invariant hoop: x^2 + y^2 = 1 [m^2]  reaction R
      force rub: -0.2*abs(R)*(x*ground.y - y*ground.x) on P
      initial x' = 0, y' = 3 [m/s]
    }
    experiment run of Wire { simulate 0 s .. 1 s }
    """
    run = ran(text)
    # v' = -mu v^2/r: v = 3/(1 + 0.3 t)
    assert run.energy.work["rub"] == pytest.approx(0.5 * ((3 / 1.3) ** 2 - 9), rel=1e-6)
    assert run.energy.balance == pytest.approx(0, abs=1e-9)
