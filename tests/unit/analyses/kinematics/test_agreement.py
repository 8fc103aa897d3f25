"""Four methods agree, relative to the magnitudes of the terms that a result is the sum of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mbx
from mbx.analyses.kinematics import method_agreement as compared
from mbx.analyses.kinematics.method_agreement import AGREE, REGULAR, agreement
from mbx.analyses.kinematics.solve_motion import METHODS, Solution, solution_of
from mechanisms import MECHANISMS, evenly, library, mechanism, scaled, start_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.analyses.kinematics.solve_motion import Instant
    from mbx.numerics.execute.stacked_algebra import Array

DRIVES = {
    **MECHANISMS,
    "arm_7_axis": [f"q[{k}]" for k in range(1, 8)],
    "maxwell_wheel": ["y"],  # rows of very different sizes
    "kapitza_pendulum": ["theta"],
}
SLOW = {"stewart_platform", "arm_7_axis"}


@pytest.mark.sample(4, "four_bar", "slider_crank")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in SLOW else ()) for n in DRIVES]
)
def test_four_methods_agree_on_mechanisms_of_the_library(name: str) -> None:
    _, system = library(name)
    one = mechanism(name, evenly(system, DRIVES[name], 1.3, 0.7))
    solution = solution_of(one, "td")
    x, instants = solution.start(start_of(system), 0.0), []
    for t in (0.0, 0.015, 0.03):
        instants.append(solution.at(t, x))
        x = instants[-1].x
    found = agreement(one, instants, solution)
    assert not found.missing
    assert {(c.method, c.t) for c in found.comparisons} == {
        (method, one.t) for method in METHODS[1:] for one in instants
    }
    assert all(c.condition < REGULAR for c in found.comparisons)
    bad = [(c.method, c.where, c.errors) for c in found.comparisons if c.error > AGREE]
    assert not bad
    assert found.holds


@pytest.mark.papers
@pytest.mark.parametrize(
    ("name", "k"), [("four_bar_scalable", 10), ("slider_crank_scalable_3d", 4)]
)
def test_the_papers_cases_agree_over_a_turn(name: str, k: int) -> None:
    drive = {"th": "th0 + 34.9*t + 3*t^2"}
    found = mbx.kinematics(
        mbx.loads(scaled(name, k)), drive=drive, until=0.18, every=0.005, compared=37
    )
    told = found.agreement
    assert told is not None
    assert len(told.comparisons) == 3 * 37
    assert told.holds
    assert max(c.error for c in told.comparisons) < AGREE


def _off(engine: Solution, part: float) -> Callable[[float, Array], Instant]:
    at = engine.at

    def found(t: float, near: Array) -> Instant:
        one = at(t, near)
        return replace(one, xdd=one.xdd * (1 + part))

    return found


def test_a_small_fault_of_one_method_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(solution: Solution) -> Solution:
        if solution.method == "3ot":
            monkeypatch.setattr(solution, "at", _off(solution, 1e-11))
        return solution

    monkeypatch.setattr(compared, "compiled", faulty)
    found = mbx.kinematics(mbx.read("lib:four_bar"), drive={"th1": "0:1:9"}, compared=5)
    assert found.agreement is not None
    assert not found.agreement.holds
    worst = found.agreement.worst("3ot")
    assert worst is not None
    assert 1e-12 < worst.error < 1e-10
    other = found.agreement.worst("global")
    assert other is not None
    assert other.error < AGREE


def test_near_a_dead_point_errors_stand_beside_the_condition() -> None:
    # source: the rocker turns back at 2.418858405776..., where crank and coupler are in line
    end = float(np.pi - np.arccos((0.3**2 + 0.25**2 - 0.2**2) / 0.15))
    drive = {"th3": f"1.9:{end - 1e-8!r}:100"}
    found = mbx.kinematics(mbx.read("lib:four_bar"), drive=drive, compared=20)
    assert found.agreement is not None
    near = found.agreement.worst("3ot", regular=False)
    assert near is not None
    assert near.condition > REGULAR
    assert near.t == pytest.approx(end - 1e-8 - 1.9)
    assert found.agreement.holds


def test_what_does_not_decompose_is_compared_as_a_whole() -> None:
    found = mbx.kinematics(
        mbx.read("lib:bennett_linkage"), drive={"th1": "1:1.2:5"}, method="global", compared=5
    )
    told = found.agreement
    assert told is not None
    assert set(told.missing) == {"td", "3ot"}
    assert {c.method for c in told.comparisons} == {"global-sparse"}
    assert told.holds
