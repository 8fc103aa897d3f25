"""Linearisation, against closed forms, publications and differences of nonlinear equations."""

from __future__ import annotations

import json
from dataclasses import replace
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError, Plan
from mbx.analyses.experiments.experiment_start import start_of
from mbx.analyses.linearize.linearization_state import reference_at
from mbx.analyses.linearize.locus_plot import plot_locus
from mbx.analyses.perform_requests import perform_linearization, perform_locus
from mbx.analyses.request import Request, UnknownNameError, plan_of

if TYPE_CHECKING:
    from mbx.analyses.linearize.linear_system import Linear


def linear(model: str, at: str | None = None, **asked: Any) -> Linear:
    return perform_linearization(mbx.read(f"lib:{model}"), Request(**asked), at=at)


def planned(model: str, **asked: Any) -> Plan:
    linked = mbx.link(mbx.read(f"lib:{model}"))
    return plan_of(linked, mbx.elaborate(linked), Request(**asked))


def frequencies(found: Linear) -> list[float]:
    return [one.frequency for one in found.modes]


def test_a_rod_swings_with_the_frequency_of_huygens() -> None:
    found = linear("simple_pendulum", "equilibrium")
    assert frequencies(found) == pytest.approx([sqrt(1.5 * 9.81)], rel=1e-12)
    assert found.modes[0].damping == 0.0
    assert found.x == ("theta", "theta'")


def test_coupled_pendulums_swing_together_and_apart() -> None:
    found = linear("coupled_pendulums", "equilibrium")
    m, l, a, k, g = 0.5, 0.9, 0.4, 3.0, 9.81
    together = 1.5 * g / l
    apart = together + 6 * k * a**2 / (m * l**2)
    assert frequencies(found) == pytest.approx([sqrt(together), sqrt(apart)], rel=1e-10)
    same, opposite = (one.shape[1] / one.shape[0] for one in found.modes)
    assert same == pytest.approx(1.0, abs=1e-6)
    assert opposite == pytest.approx(-1.0, abs=1e-6)


def test_a_governor_hunts_with_the_frequency_that_its_case_states() -> None:
    """Small oscillations of the experiment 'hunt': al1 = 30 deg + 1e-5 cos(n t)."""
    found = linear("flyball_governor", experiment="steady")
    assert found.kind == "steady motion"
    departure = 0.52360471643408 - np.pi / 6  # at 0.5 s, as the model expects
    n = found.modes[-1].frequency
    assert 1e-5 * np.cos(0.5 * n) == pytest.approx(departure, abs=1e-9)


# the matrices of Meijaard et al. 2007: M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer)
M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])


@pytest.mark.sample(0, "0.0", "5.0")
@pytest.mark.parametrize("speed", [0.0, 2.0, 4.0, 5.0, 6.0, 10.0])
def test_a_bicycle_has_the_matrices_of_the_benchmark(speed: float) -> None:
    start = {"lean'": 0.0, "steer'": 0.0, "spinR'": -speed / 0.3}
    found = linear("whipple_bicycle", initial=start)
    assert found.kind == ("steady motion" if speed else "equilibrium")
    some = [found.x.index(path) for path in ("lean'", "steer'", "lean", "steer")]
    A = found.A[np.ix_(some[:2], some)]
    printed = -np.linalg.solve(M, np.hstack([speed * C1, 9.81 * K0 + speed**2 * K2]))
    assert np.abs(A - printed).max() < 1e-10 * np.abs(printed).max()


def test_a_bicycle_has_the_eigenvalues_of_the_benchmark() -> None:
    """Meijaard et al. 2007, Table 2, at 5 m/s: capsize and weave."""
    found = linear("whipple_bicycle", initial={"lean'": 0.0, "steer'": 0.0, "spinR'": -5 / 0.3})
    for value in (-0.32286642900409, complex(-0.77534188219585, 4.46486771378823)):
        assert min(abs(found.eigenvalues - value)) < 1e-11
    assert found.stability == "neutral"
    assert sum(found.eigenvalues == 0) == 6


def test_the_ring_with_a_disc_has_the_matrix_of_the_thesis() -> None:
    """Example 4.7 of Orsino's thesis; values are those of the repaired closed forms."""
    found = linear("ring_and_disc", "steady")
    row = dict(zip(found.x, found.A[:, found.x.index("theta")], strict=True))
    assert row["theta'"] == pytest.approx(-6.932505130053798, rel=1e-12)
    assert row["D.w"] == pytest.approx(-14.88177767918215, rel=1e-12)
    assert found.modes[-1].frequency == pytest.approx(2.6329650833335783, rel=1e-12)


@pytest.mark.parametrize(("k", "share"), [(0.5, 3), (1.0, 4)])
def test_a_wheel_falls_below_its_critical_speed_and_not_above(k: float, share: int) -> None:
    """It is sqrt(g/(3 r)) of a disc and sqrt(g/(4 r)) of a hoop."""
    critical = sqrt(9.81 / (share * 0.3))
    upright = {"lean": 0.0, "yaw'": 0.0, "lean'": 0.0}
    below, above = (
        linear("rolling_disc", initial={**upright, "spin'": f * critical}, values={"k": k})
        for f in (0.999, 1.001)
    )
    assert below.stability == "unstable"
    assert above.stability == "marginal"


def test_an_over_constrained_linkage_is_linearised_like_another() -> None:
    found = linear("bennett_linkage")
    assert len(found.x) == 2
    _compare(planned("bennett_linkage"), found)


MODELS = [
    "four_bar",
    "cart_pole",
    "rolling_disc",
    "furuta_pendulum",
    "chaplygin_sleigh",
    "ring_and_disc",
]


@pytest.mark.parametrize("model", MODELS)
def test_slopes_are_those_of_differences(model: str) -> None:
    _compare(planned(model), linear(model))


def _compare(plan: Plan, found: Linear) -> None:
    """Compare A with central differences along consistent states that a form accelerates."""
    equations = mbx.derive(plan.system, "udwadia_kalaba:singular")
    paths = list(found.paths)
    step = 1e-5
    for k in range(len(found.x)):
        rates = []
        for sign in (1, -1):
            state = np.array([found.at.state[p] for p in paths]) + sign * step * found.T[:, k]
            chosen = {p: found.at.state[p] + sign * step * (p == found.x[k]) for p in found.x}
            moved = _onto(plan, dict(zip(paths, state.tolist(), strict=True)), chosen)
            result = equations.evaluate(moved, plan.parameters, {})
            qd = dict(zip([v.path for v in plan.system.q], result["qd"], strict=True))
            ud = dict(zip([v.path for v in plan.system.u], result.ud, strict=True))
            half = found.coordinates
            rates.append([qd[p] for p in found.x[:half]] + [ud[p] for p in found.x[half:]])
        slope = (np.array(rates[0]) - np.array(rates[1])) / (2 * step)
        assert slope == pytest.approx(found.A[:, k], abs=1e-6 * max(1.0, np.abs(found.A).max()))


def _onto(plan: Plan, near: dict[str, float], chosen: dict[str, float]) -> dict[str, float]:
    return start_of(replace(plan, said={**near, **chosen}, held=frozenset(chosen)))


@pytest.mark.papers
def test_a_bicycle_is_stable_between_the_speeds_of_weave_and_capsize() -> None:
    """Weave and capsize speed of Meijaard et al. 2007: 4.292 and 6.024 m/s."""
    asked = Request(initial={"lean'": 0.0, "steer'": 0.0})
    document = mbx.read("lib:whipple_bicycle")
    found = perform_locus(document, asked, "spinR'", [-25.0, -17.0, -10.0])
    capsize, weave = found.changes
    assert -0.3 * capsize.value == pytest.approx(6.024, abs=5e-4)
    assert -0.3 * weave.value == pytest.approx(4.292, abs=5e-4)
    assert [one.stability for one in found.systems] == ["unstable", "neutral", "unstable"]


def test_pairs_that_meet_on_the_axis_are_found_as_the_critical_speed_of_a_disc() -> None:
    asked = Request(initial={"lean": 0.0, "yaw'": 0.0, "lean'": 0.0})
    found = perform_locus(mbx.read("lib:rolling_disc"), asked, "spin'", [1.0, 5.0])
    assert [one.value for one in found.changes] == pytest.approx([sqrt(9.81 / 0.9)], rel=1e-7)


def test_a_locus_over_a_parameter_has_the_roots_of_each_value() -> None:
    document = mbx.read("lib:coupled_pendulums")
    found = mbx.linearize(document, over={"k": [2.0, 4.0, 3.0]}, at="equilibrium")
    assert found.values == (2.0, 3.0, 4.0)
    middle = linear("coupled_pendulums", "equilibrium")
    assert np.abs(found.systems[1].eigenvalues - middle.eigenvalues).max() < 1e-9
    assert not found.changes


def test_a_picture_of_a_locus_is_the_same_each_time() -> None:
    document = mbx.read("lib:coupled_pendulums")
    found = mbx.linearize(document, over={"k": [2.0, 4.0]}, at="equilibrium")
    first, second = (plot_locus(found, "Coupled pendulums", Path("a.svg")) for _ in range(2))
    assert first == second
    assert first.startswith(b"<?xml")


def test_a_spherical_pendulum_swings_in_two_directions_alike() -> None:
    """Example 4.6 of Orsino's thesis, hanging: g/a twice; the extra speed adds no state."""
    found = linear("spherical_pendulum_quasivelocity", "hanging")
    assert found.kind == "equilibrium"
    n = sqrt(9.8 / 1.3)
    assert frequencies(found) == pytest.approx([n, n], rel=1e-12)


def test_a_state_that_is_not_there_is_told_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="there is no state 'upp'; did you mean 'up'"):
        reference_at(planned("cart_pole"), "upp")


def test_a_programme_of_order_3_is_refused() -> None:
    with pytest.raises(NotRunError, match="order 3"):
        linear("programme_order_3")


def test_json_says_all_of_it() -> None:
    data = json.loads(json.dumps(linear("cart_pole", "up").as_json()))
    assert data["x"] == ["x", "theta", "x'", "theta'"]
    assert len(data["eigenvalues"]) == 4
    assert data["stability"] == "unstable"
    assert data["reference"]["kind"] == "equilibrium"
