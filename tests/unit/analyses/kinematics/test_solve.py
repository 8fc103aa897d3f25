"""Groups solved: the closed forms of the digest, by all methods."""

from __future__ import annotations

from math import pi
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mbx.analyses.kinematics.groups.group import group_of
from mbx.analyses.kinematics.groups.solve_group import Solver, StuckError
from mbx.analyses.kinematics.groups.tasks import routine
from mbx.analyses.kinematics.groups.written_group import Writer
from mbx.analyses.kinematics.solve_motion import METHODS, Method, Solution, solution_of
from mbx.codegen.native.scalar_function import function_of
from mbx.expr import add, function, mul, number, power, sub, symbol
from mbx.system.symbol_names import TIME
from mechanisms import MECHANISMS, evenly, library, mechanism, start_of

if TYPE_CHECKING:
    from mbx.numerics.execute.stacked_algebra import Array

FOUR_BAR = {
    # source: digest 3.3 [DER], closed form: C_1 is where circles of 6 m about B and D_1 meet
    0.0: ((4, 5.65685424949238), (2.82842712474619, 1), (-1, -1.944543648263006)),
    pi / 3: (
        (5.262708954179009, 5.954527849775513),
        (-0.660479984783814, -0.08178078783248094),
        (-2.83785963965769, -0.4257685030846746),
    ),
    pi / 2: (
        (4.61245154965971, 5.83735464897913),
        (-1.669787566781726, -0.3969111506854671),
        (-1.086925920338664, -0.7629982456003125),
    ),
    pi: ((2, 4.472135954999579), (-1.118033988749895, -1), (1, 0.3913118960624632)),
    3 * pi / 2: (
        (1.38754845034029, 3.83735464897913),
        (0.3302124332182743, 0.3969111506854671),
        (1.086925920338664, 1.237001754399688),
    ),
}
SLIDERS = {
    # source: digest 3.4 [DER], s = b + sqrt(32 + b^2), b = 2 cos(th) cos(g), for g = 0 and 30 deg
    0.0: ((8, 0, -2.666666666666667), (7.648130590668493, 0, -2.239143360405987)),
    pi / 3: (
        (6.744562646538029, -2.033562152146641, -0.6676699295391223),
        (6.588786974914237, -1.726994972537393, -0.612918007217367),
    ),
    pi / 2: (
        (5.65685424949238, -2, 0.7071067811865475),
        (5.65685424949238, -1.732050807568877, 0.5303300858899106),
    ),
    pi: ((4, 0, 1.333333333333333), (4.184028975530739, 0, 1.224958254731767)),
}


def _turned(name: str, method: Method, start: float, end: float) -> tuple[Solution, list[float]]:
    """Return a mechanism turned from its start to an angle in small steps, at 1 rad/s."""
    _, system = library(name)
    one = mechanism(name, evenly(system, ["th"]))
    solution = solution_of(one, method)
    steps = max(1, int(abs(end - start) / 0.2))
    return solution, [(end - start) * k / steps for k in range(steps + 1)]


@pytest.mark.sample(5)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("angle", FOUR_BAR)
def test_the_scalable_four_bar_meets_its_closed_form(angle: float, method: Method) -> None:
    solution, times = _turned("four_bar_scalable", method, pi / 2, angle)
    x = solution.start(start_of(library("four_bar_scalable")[1]), 0.0)
    for t in times:
        found = solution.at(t, x)
        x = found.x
    for k in (1, 2, 3):  # every dyad but the first is a parallelogram
        place = [solution.place[symbol(f"rod[{k}]@{c}")] for c in "xy"]
        moved = [6 * (k - 1), 0]
        for got, wanted in zip(
            (found.x[place] - moved, found.xd[place], found.xdd[place]),
            FOUR_BAR[angle],
            strict=True,
        ):
            assert got == pytest.approx(wanted, abs=1e-12)


@pytest.mark.sample(4)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("angle", SLIDERS)
def test_the_spatial_slider_crank_meets_its_closed_form(angle: float, method: Method) -> None:
    solution, times = _turned("slider_crank_scalable_3d", method, pi / 3, angle)
    x = solution.start(start_of(library("slider_crank_scalable_3d")[1]), 0.0)
    for t in times:
        found = solution.at(t, x)
        x = found.x
    for k, wanted in enumerate(SLIDERS[angle]):
        s = solution.place[symbol(f"s[{k + 1}]")]
        assert (found.x[s], found.xd[s], found.xdd[s]) == pytest.approx(wanted, abs=1e-12)


def test_the_paper_s_mechanisms_have_its_coordinates_and_groups() -> None:
    # source: Saura et al., 4.1 and 4.2: n_eq = 2k + 2 and 8k + 6, k = 3 and 2 here
    planar = solution_of(mechanism("four_bar_scalable", ["th"]), "td", readouts=False)
    assert [g.name for g in planar.groups] == ["1R", "3R", "3R", "3R"]
    assert sum(len(g.phi) for g in planar.groups) == 8
    assert [(len(g.rows), len(g.phi)) for g in planar.groups] == [(3, 2), (2, 2), (2, 2), (2, 2)]
    spatial = solution_of(mechanism("slider_crank_scalable_3d", ["th"]), "td", readouts=False)
    assert [g.name for g in spatial.groups] == ["1R3D", "2E1P", "2E1P"]
    assert [len(g.phi) for g in spatial.groups] == [6, 8, 8]
    assert len(spatial.groups[2].rows) == 9  # of the first slide, along x, a row is zero


@pytest.mark.parametrize("method", METHODS)
def test_the_rrpr_chain_meets_its_closed_form(method: Method) -> None:
    # source: digest 3.4 [DER]: h = (0.6, 0.8) on a unit crank, slopes by its angle
    _, system = library("rrpr_chain")
    angle = add(TIME, number(np.arctan2(0.8, 0.6)))
    one = mechanism("rrpr_chain", {"x1": function("cos", angle)})
    solution = solution_of(one, method)
    found = solution.at(0.0, solution.start(start_of(system), 0.0))
    place = [solution.place[symbol(s)] for s in ("x2", "y2", "x3", "y3")]
    x = (6.577073356653271, 0.275982739610995, 4.043668105032417, 0.4980894463877726)
    d1 = (-0.8800133759585, -0.3126527955629, 0.07605439963024, -0.006667781329873)
    d2 = (-0.5695202358475, 1.149395810084, -0.1624496508403, 0.002539980346039)
    assert found.x[place] == pytest.approx(x, abs=1e-13)
    assert found.xd[place] == pytest.approx(d1, abs=2e-13)
    assert found.xdd[place] == pytest.approx(d2, abs=1e-12)


def _redundant() -> Solver:
    """A group of two unknowns and three rows that all name time, and one input."""
    a, b, h = symbol("a"), symbol("b"), symbol("h")
    r = add(number(2), mul(number(0.3), function("sin", TIME)))
    angle = add(h, mul(number(0.5), TIME))
    cosine, sine = function("cos", angle), function("sin", angle)
    rows = [
        sub(a, mul(r, cosine)),
        sub(b, mul(r, sine)),
        sub(add(power(a, 2), power(b, 2)), power(r, 2)),
    ]
    return Solver(group_of("generic", ("crank",), [a, b], rows))


def test_a_redundant_rheonomic_group_needs_the_term_that_the_paper_leaves_out() -> None:
    # source: closed form, a = r(t) cos(h + t/2), b = r(t) sin(h + t/2), differentiated
    solver = _redundant()
    t, h, hd, hdd = 0.4, 0.7, 1.1, -0.6
    r, rd, rdd = 2 + 0.3 * np.sin(t), 0.3 * np.cos(t), -0.3 * np.sin(t)
    w, angle = hd + 0.5, h + 0.5 * t
    e, f = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    phi, rounds = solver.position(np.array([1.2, 1.4]), np.array([h]), t)
    assert phi == pytest.approx(r * e, abs=1e-14)
    assert rounds < 8
    at = (phi, np.array([h]), t, np.array([hd]), np.array([hdd]))
    for phid, phidd in (solver.by_time(*at), solver.by_tensor(*at)):
        assert phid == pytest.approx(rd * e + r * w * f, abs=1e-13)
        assert phidd == pytest.approx((rdd - r * w**2) * e + (2 * rd * w + r * hdd) * f, abs=1e-12)


def test_3R_has_the_velocity_coefficients_and_the_tensor_of_the_paper() -> None:
    # source: Saura et al., (20), (27), and (40) with the sign of the digest
    xA, yA, xB, yB, xC, yC = 0.3, -0.2, 4.1, 0.5, 1.7, 2.9
    xa, ya, xb, yb, xc, yc = (symbol(s) for s in ("xA", "yA", "xB", "yB", "xC", "yC"))
    rows = [
        add(power(sub(xc, xa), 2), power(sub(yc, ya), 2), number(-1)),
        add(power(sub(xc, xb), 2), power(sub(yc, yb), 2), number(-1)),
    ]
    solver = Solver(group_of("3R", ("rod", "rocker"), [xc, yc], rows))
    values = {"xA": xA, "yA": yA, "xB": xB, "yB": yB}
    h = np.array([values[str(s.value)] for s in solver.group.h])
    order = [[str(s.value) for s in solver.group.h].index(n) for n in ("xA", "yA", "xB", "yB")]
    phi = np.array([xC, yC])
    J, H = solver.kernels.position(phi, h, 0.0)[1], solver.kernels.inputs(phi, h, 0.0)[0]
    chi = 2 * (xA * yB - xB * yA - xA * yC + xC * yA + xB * yC - xC * yB)
    inverse = np.array([[yC - yB, -(yC - yA)], [-(xC - xB), xC - xA]]) / chi
    assert np.linalg.inv(J) == pytest.approx(inverse, abs=1e-14)
    K = np.linalg.solve(J, -H)[:, order]
    top = [2 * (xA - xC) * (yB - yC), 2 * (yA - yC) * (yB - yC)]
    top += [-2 * (xB - xC) * (yA - yC), -2 * (yB - yC) * (yA - yC)]
    low = [-2 * (xA - xC) * (xB - xC), -2 * (yA - yC) * (xB - xC)]
    low += [2 * (xB - xC) * (xA - xC), 2 * (yB - yC) * (xA - xC)]
    assert pytest.approx(np.array([top, low]) / chi, abs=1e-14) == K
    k1, k2 = K[0, 0], K[1, 0]
    s, b = 2 * k1**2 + 2 * k2**2, 2 * k2**2 - 2 * k1 + k1 * (2 * k1 - 2) + 2
    first = np.array([(yB - yC) * b - (yA - yC) * s, (xA - xC) * s - (xB - xC) * b]) / chi
    unit = np.zeros(4)
    unit[order[0]] = 1.0
    assert solver.by_tensor(phi, h, 0.0, unit, np.zeros(4))[1] == pytest.approx(first, abs=1e-13)


def test_a_group_that_cannot_close_is_named() -> None:
    _, system = library("four_bar")
    one = mechanism("four_bar", evenly(system, ["th3"], 1.0))
    solution = solution_of(one, "td")
    with pytest.raises(StuckError, match=r"3R \(crank, coupler\)"):
        _march(solution, solution.start(start_of(system), 0.0))


def _march(solution: Solution, x: Array) -> None:
    for k in range(60):
        x = solution.at(0.05 * k, x).x


def test_rows_that_fit_only_along_the_motion_are_solved_by_tensors_too() -> None:
    # source: a unit vector as input, a copy of it as unknown: both have the same rates
    a, b, c, s = (symbol(name) for name in "abcs")
    rows = [sub(a, c), sub(b, s), add(power(a, 2), power(b, 2), number(-1))]
    solver = Solver(group_of("generic", ("copy",), [a, b], rows))
    angle, w, al = 0.7, 1.3, -0.4
    e, f = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    h, hd, hdd = e, w * f, al * f - w**2 * e
    if [str(x.value) for x in solver.group.h] == ["s", "c"]:
        h, hd, hdd = h[::-1], hd[::-1], hdd[::-1]
    for rates in (solver.by_time, solver.by_tensor):
        phid, phidd = rates(e, h, 0.0, hd, hdd)
        assert phid == pytest.approx(w * f, abs=1e-14)
        assert phidd == pytest.approx(al * f - w**2 * e, abs=1e-13)


@pytest.mark.parametrize("name", ["four_bar", "rrr_platform", "slider_crank_scalable_3d"])
def test_drivers_as_rows_give_what_drivers_as_inputs_give(name: str) -> None:
    # source: Saura et al., section 2.1: drivers by a partition of coordinates, or appended as rows
    _, system = library(name)
    one = mechanism(name, evenly(system, MECHANISMS[name], 1.3, 0.7))
    solution = solution_of(one, "global", readouts=False)
    found = solution.at(0.03, solution.start(start_of(system), 0.0))
    whole, drives = solution.groups[0], solution.view.drives
    rows = [*whole.rows, *(sub(s, value) for s, value in drives.items())]
    appended = Solver(group_of("global", (), [*drives, *whole.phi], rows))
    assert appended.group.h == ()
    none = np.zeros(0)
    place = [solution.place[s] for s in appended.group.phi]
    near = found.x[place] + 1e-3
    phi, _ = appended.position(near, none, 0.03)
    assert phi == pytest.approx(found.x[place], abs=1e-12)
    for rates in (appended.by_time, appended.by_tensor):
        phid, phidd = rates(phi, none, 0.03, none, none)
        assert phid == pytest.approx(found.xd[place], abs=1e-11)
        assert phidd == pytest.approx(found.xdd[place], abs=1e-10)


@pytest.mark.parametrize(("other", "kept"), [(2.0, False), (1.0, True)])
def test_rows_that_cannot_all_be_kept_fail_the_check_of_machine_code(
    other: float,
    kept: bool,  # noqa: FBT001
) -> None:
    # source: a = 1 and a = 2 have the least squares solution a = 1.5
    a, b = symbol("a"), symbol("b")
    rows = [sub(a, number(1)), sub(a, number(other)), sub(mul(a, b), number(3))]
    group = group_of("generic", ("x",), [a, b], rows)
    rounds, results = Writer(group, ()).written(tensor=False)
    found = function_of(routine(rounds.start, (), results, (rounds,))).single([0.9, 2.5], [])
    assert found[-1] == 0
    assert found[1] == pytest.approx((1 + other) / 2)
    assert (found[0] <= 1) == kept
    if not kept:
        with pytest.raises(StuckError, match="cannot all be kept"):
            Solver(group).position(np.array([0.9, 2.5]), np.zeros(0), 0.0)
