"""The methods of a simulation: closed forms, the same trajectory, invariants kept, refusals."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.simulate.integrators import index3
from mbx.base.extras import ExtraError

if TYPE_CHECKING:
    from mbx.analyses.simulate.runs import Run

ACCURATE = {
    "projection": 1e-10,
    "stiff": 1e-10,
    "baumgarte": 1e-10,
    "momenta": 1e-10,
    "ggl": 2e-8,
    "index3": 2e-7,
}
"""What each method promises over a second or so, relative to the largest number of a state."""
KEPT = ("projection", "stiff", "ggl", "index3", "momenta")
"""Methods that promise invariants below 1e-10."""


def ran(model: str, experiment: str = "", form: str | None = None, **options: Any) -> Run:
    return mbx.simulate(mbx.read(f"lib:{model}"), experiment, **options, form=form)


@pytest.mark.parametrize("method", ACCURATE)
def test_a_pendulum_follows_jacobis_functions(method: str) -> None:
    run = ran("simple_pendulum", "drop", method=method, until=0.8, every=0.05)
    k, w = np.sin(0.5), np.sqrt(3 * 9.81 / 2)
    sn, *_ = ellipj(w * run.t + ellipk(k**2), k**2)
    assert run["theta"] == pytest.approx(2 * np.arcsin(k * sn), abs=ACCURATE[method])


@pytest.mark.sample(2)
@pytest.mark.parametrize("method", ACCURATE)
@pytest.mark.parametrize("model", ["four_bar", "parallelogram"])  # the second is redundant
def test_closed_loops_go_the_same_way_and_stay_closed(method: str, model: str) -> None:
    one = ran(model, form="maggi", until=0.4, every=0.1)
    other = ran(model, until=0.4, every=0.1, method=method)
    assert other.method == method
    size = np.abs(one.states).max()
    assert other.states == pytest.approx(one.states, abs=ACCURATE[method] * size)
    if method in KEPT:
        assert max(other.drift) < 1e-10


@pytest.mark.sample(1)
@pytest.mark.parametrize("method", ["stiff", "ggl", "index3", "momenta"])
def test_a_disc_rolls_in_a_circle(method: str) -> None:
    run = ran("rolling_disc", "turn", method=method, until=0.5)  # closed form: in the library
    assert [str(one) for one in run.references if not one.met] == []
    assert max(run.drift) < 1e-10
    assert run["lean"] == pytest.approx(run["lean"][0], abs=1e-8)


@pytest.mark.sample(1)
@pytest.mark.parametrize("method", ["stiff", "ggl", "index3", "momenta"])
def test_a_quaternion_keeps_its_length(method: str) -> None:
    one = ran("heavy_top_quaternion", until=0.02, every=0.01)
    run = ran("heavy_top_quaternion", until=0.02, every=0.01, method=method)
    assert max(run.drift) < 1e-10
    size = np.abs(one.states).max()
    assert run.states == pytest.approx(one.states, abs=ACCURATE[method] * size)


@pytest.mark.sample(1)
@pytest.mark.parametrize("method", ["ggl", "index3"])
@pytest.mark.parametrize("form", ["newton_euler", "articulated_body", "modular"])
def test_forms_without_matrices_of_the_speeds_are_engines_too(form: str, method: str) -> None:
    one = ran("four_bar", "swing", until=0.1, every=0.05)
    run = ran("four_bar", "swing", form, until=0.1, every=0.05, method=method)
    assert run.form == form
    assert run.states == pytest.approx(one.states, abs=1e-7)
    assert max(run.drift) < 1e-10


@pytest.mark.parametrize("method", ["stiff", "ggl", "index3"])
def test_an_invariant_of_accelerations_is_kept(method: str) -> None:
    text = """mbx 1
    model Steady {
      coordinate x: m = 0
      coordinate y: m = 0
      particle p { mass 2 kg  at [x, y, 0] }
      gravity [0, -9.81 [m/s^2], 0]
      invariant steer: y'' = -x''
    }
    experiment fall of Steady { simulate 0 s .. 1 s }
    """
    run = mbx.simulate(mbx.loads(text), "fall", method=method, every=0.25)
    # ideal: the reaction is along (1, 1), so (x'', y'') = g/2 (1, -1)
    assert run["x"] == pytest.approx(9.81 / 4 * run.t**2, abs=1e-7)
    assert run["y"] == pytest.approx(-9.81 / 4 * run.t**2, abs=1e-7)


FORMS = ["hamilton", *(f"tree_hamilton_{x}" for x in ("extended", "reduced", "multipliers"))]


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", FORMS)
def test_s2_14_all_forms_in_momenta_are_integrated_in_coordinates_and_momenta(form: str) -> None:
    one = ran("four_bar", "swing", "kane", until=0.3, every=0.1)
    run = ran("four_bar", "swing", form, until=0.3, every=0.1, method="momenta")
    assert run.form == form
    assert run.backend == "llvm"
    assert run.states == pytest.approx(one.states, abs=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("method", ["momenta", "projection", "stiff"])
def test_a_run_is_left_to_care_where_pivots_vanish(method: str) -> None:
    # one of two rows is redundant, and each of them vanishes on the way: no choice holds
    text = """mbx 1
    model Swing {
      coordinate x: m = 0.6
      coordinate y: m = 0.8
      particle p { mass 2 kg  at [x, y, 0] }
      gravity [0, -9.81 [m/s^2], 0]
      invariant along: x*(x^2 + y^2 - 1 [m^2]) = 0 [m^3]
      invariant across: y*(x^2 + y^2 - 1 [m^2]) = 0 [m^3]
    }
    experiment fall of Swing { simulate 0 s .. 1.5 s }
    """
    model = mbx.loads(text)
    early, late = (
        mbx.simulate(model, "fall", method=method, every=0.1, until=until) for until in (0.1, 1.5)
    )
    assert early.backend == "llvm"
    assert late.backend == "python" or method != "momenta"  # others may step over these places
    assert late.energy.relative < 1e-10


@pytest.mark.parametrize("form", ["kane", "maggi", "composite_body", "hamilton"])
def test_redundant_rows_that_vanish_on_the_way_are_not_kept(form: str) -> None:
    method = "momenta" if form == "hamilton" else "projection"
    run = ran("parallelogram", form=form, until=0.4, every=0.1, method=method)
    assert run["th1"][0] > -np.pi / 2 > run["th1"][-1]  # the cranks hang down between
    assert run.backend == "llvm"
    assert run.energy.relative < 1e-11


@pytest.mark.full
def test_the_error_of_index3_falls_with_its_tolerance(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = ran("four_bar", "swing", until=0.2, every=0.2).states[-1]
    errors = []
    for tolerance in (1e-5, 1e-8):
        monkeypatch.setattr(index3, "RTOL", tolerance)
        monkeypatch.setattr(index3, "ATOL", tolerance / 100)
        run = ran("four_bar", "swing", until=0.2, every=0.2, method="index3")
        errors.append(np.abs(run.states[-1] - exact).max())
    # steps shrink by the third root of 1000: order 3 makes 1000 of it, order 2 would make 100
    assert errors[0] / errors[1] > 300


# -- what is refused -----------------------------------------------------------------------------


def test_ggl_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.split(".")[0] == "sksundae"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "sksundae.ida", None)
    with pytest.raises(ExtraError, match=r'scikit-sundae; pip install "mbx\[solve\]"'):
        ran("four_bar", "swing", method="ggl")


@pytest.mark.parametrize(
    ("model", "form", "method", "message"),
    [
        ("programme_order_3", None, "ggl", "ggl takes no invariants of order 3"),
        ("programme_order_3", None, "index3", "index3 takes no invariants of order 3"),
        ("programme_order_3", None, "momenta", "no form in momenta says this model"),
        ("four_bar", "kane", "momenta", "kane is not written in momenta"),
        (
            "double_pendulum",
            "tree_hamilton_reduced",
            "momenta",
            r"other momenta than those of the speeds \(phi1', phi2'\)",
        ),
    ],
)
def test_a_method_that_cannot_take_a_model_says_so(
    model: str, form: str | None, method: str, message: str
) -> None:
    with pytest.raises(NotRunError, match=message):
        ran(model, form=form, method=method, until=0.1)


FALL = """mbx 1
model Fall {
  param k: N/m^3 = 1
  coordinate x: m = 1
  body b { mass 1 kg  joint prismatic(ground, axis = x, distance = x) }
  force grow: k*x^3*ground.x on b
}
experiment away of Fall { simulate 0 s .. 10 s }
"""


SLOW = pytest.param("index3", marks=pytest.mark.slow)


@pytest.mark.parametrize("method", ["stiff", "baumgarte", "ggl", SLOW, "momenta"])
def test_a_run_to_nowhere_ends_with_every_method(method: str) -> None:
    # x is infinite at K(1/2) = 1.8540746773 s
    with pytest.raises(NotRunError, match=r"(no step leads on from|singular at) t = 1\.85[34]"):
        mbx.simulate(mbx.loads(FALL), "away", method=method)
