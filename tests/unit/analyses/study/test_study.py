"""Studies: closed forms over sweeps, samples and sensitivities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import mbx
from mbx.analyses.study.study_errors import StudyError
from unit.analyses.study.oscillators import oscillator, pendulum

G = 9.81


def test_a_sweep_gives_the_motion_of_each_oscillator() -> None:
    found = mbx.study(
        oscillator(), "swing", vary={"k": "2:18:5", "x0": [1.0, 3.0]}, results=["x", "x at 1.5"]
    )
    w = np.sqrt(found["k"] / 2)
    np.testing.assert_allclose(found["x"], found["x0"] * np.cos(3 * w), atol=1e-10)
    np.testing.assert_allclose(found["x at 1.5"], found["x0"] * np.cos(1.5 * w), atol=1e-10)
    assert found["run"].tolist() == list(range(1, 11))
    assert found["x0"].tolist() == [1, 3] * 5
    assert [one.name for one in found.columns] == ["run", "k", "x0", "x", "x at 1.5", "reason"]
    assert [one.unit for one in found.columns] == ["", "N/m", "m", "m", "m", ""]
    assert (found.runs, found.failed, found.ok, found.bug) == (10, {}, True, False)


def test_the_same_values_are_found_by_single_simulations() -> None:
    found = mbx.study(oscillator(), "swing", vary={"F": [0.0, 2.0], "k": [3.0, 5.0]})
    for k in range(4):
        values = {"F": found["F"][k], "k": found["k"][k]}
        one = mbx.simulate(oscillator(), "swing", set=values)
        assert found["x"][k] == pytest.approx(one.last["x"], abs=1e-13)
        assert found["x'"][k] == pytest.approx(one.last["x'"], abs=1e-13)


def test_quantities_over_a_run_are_those_of_a_cosine() -> None:
    wanted = ["max(x)", "min(x)", "mean(x)", "rms(x')", "period(x)", "last(energy)", "x''"]
    found = mbx.study(oscillator(), "swing", vary={"k": [8.0]}, results=wanted)
    w, t = 2.0, 3.0
    assert found["max(x)"][0] == pytest.approx(0.5, abs=1e-12)
    assert found["min(x)"][0] == pytest.approx(-0.5, abs=1e-4)
    assert found["mean(x)"][0] == pytest.approx(0.5 * np.sin(w * t) / (w * t), rel=1e-4)
    square = (0.5 * w) ** 2 * (1 - np.sin(2 * w * t) / (2 * w * t)) / 2
    assert found["rms(x')"][0] == pytest.approx(np.sqrt(square), rel=1e-4)
    assert np.isnan(found["period(x)"][0])  # it rises through zero once in 3 s
    assert found["last(energy)"][0] == pytest.approx(8 * 0.25 / 2, rel=1e-11)
    assert found["x''"][0] == pytest.approx(-(w**2) * 0.5 * np.cos(w * t), abs=1e-9)


def test_quantities_over_a_run_may_have_brackets_and_commas() -> None:
    wanted = ["max(max(x, 2*x))", "max(x, 1 [m])", "last(dot(x*ground.x, ground.x))", "min(x)*(1)"]
    found = mbx.study(oscillator(), "swing", vary={"k": [8.0]}, results=wanted[:3])
    assert found[wanted[0]][0] == pytest.approx(1.0)
    assert found[wanted[1]][0] == pytest.approx(1.0)
    assert found[wanted[2]][0] == pytest.approx(0.5 * np.cos(6.0))
    with pytest.raises(StudyError, match="function 'min' takes 2 or more arguments"):
        mbx.study(oscillator(), "swing", vary={"k": [8.0]}, results=wanted[3:])


def test_the_period_of_a_pendulum_is_that_of_the_elliptic_integral() -> None:
    found = mbx.study(pendulum(), "drop", vary={"l": "0.5:1.5:3"}, results=["period(theta)"])
    period = 4 * ellipk(np.sin(0.5) ** 2) * np.sqrt(2 * found["l"] / (3 * G))
    np.testing.assert_allclose(found["period(theta)"], period, rtol=1e-7)


def test_a_start_may_be_swept() -> None:
    found = mbx.study(oscillator(), "swing", vary={"x": [-1.0, 2.0]})
    np.testing.assert_allclose(found["x (result)"], found["x"] * np.cos(6.0), atol=1e-10)


def test_an_experiment_says_what_is_varied() -> None:
    found = mbx.study(oscillator(), "swept")
    assert found.swept == ("k", "x0")
    assert len(found) == 3 * 11
    assert sorted(set(found["k"].tolist())) == [2, 3, 4]


def test_a_series_has_a_row_for_each_time() -> None:
    found = mbx.study(
        oscillator(),
        "swing",
        vary={"k": [2.0, 8.0]},
        results=["x"],
        series=True,
        every=0.5,
    )
    assert len(found) == 14
    assert found["run"].tolist() == [1] * 7 + [2] * 7
    np.testing.assert_allclose(found["t"][7:], np.arange(7) / 2)
    np.testing.assert_allclose(found["x"], 0.5 * np.cos(np.sqrt(found["k"] / 2) * found["t"]))


def test_expectations_are_requirements_that_runs_meet_or_not() -> None:
    found = mbx.study(
        pendulum(), "drop", vary={"l": [1.0, 1.1], "m": [1.0, 3.0]}, results=["unmet", "theta''"]
    )
    # of the five, that the energy is conserved does not depend on the length
    assert found["unmet"].tolist() == [0, 0, 4, 4]
    few = mbx.study(pendulum(), "drop", vary={"l": [1.1]}, results=["unmet"], until=0.2)
    assert few["unmet"].tolist() == [1]


# -- small motions, rest, assembly ---------------------------------------------------------------


def test_small_motions_of_a_pendulum_have_their_frequency() -> None:
    wanted = ["frequency(1)", "re(1)", "im(1)", "damping(1)", "period(1)", "growth", "stability"]
    wanted += ["A(theta',theta)", "frequency(2)"]
    found = mbx.study(
        pendulum(),
        analysis="linearize",
        at="equilibrium",
        vary={"l": "0.5:2:4"},
        results=wanted,
    )
    w = np.sqrt(3 * G / (2 * found["l"]))
    np.testing.assert_allclose(found["frequency(1)"], w, rtol=1e-12)
    np.testing.assert_allclose(found["im(1)"], w, rtol=1e-12)
    np.testing.assert_allclose(found["period(1)"], 2 * np.pi / w, rtol=1e-12)
    np.testing.assert_allclose(found["A(theta',theta)"], -(w**2), rtol=1e-12)
    assert found["stability"].tolist() == ["marginal"] * 4
    assert np.isnan(found["frequency(2)"]).all()
    assert (found["damping(1)"] == 0).all()


def test_damping_splits_a_pair_and_leaves_a_gap_in_no_row() -> None:
    found = mbx.study(
        oscillator(), analysis="linearize", vary={"c": [4.0, 10.0]}, results=["re(1)", "re(2)"]
    )
    # x'' + c/m x' + k/m x = 0: -1 +- sqrt(3) i, then -1 and -4
    assert found["re(1)"].tolist() == pytest.approx([-1.0, -1.0])
    assert np.isnan(found["re(2)"][0])
    assert found["re(2)"][1] == pytest.approx(-4.0)


def test_entries_of_the_matrices_are_named_by_row_and_column() -> None:
    wanted = ["A(x',x)", "A(x,x')", "B(x',F)", "B(x,F)"]
    found = mbx.study(oscillator(), analysis="linearize", vary={"m": [2.0, 4.0]}, results=wanted)
    # x'' = (F - k x)/m
    assert [found[name].tolist() for name in wanted] == [[-4, -2], [1, 1], [0.5, 0.25], [0, 0]]


def test_what_is_varied_comes_before_what_is_set() -> None:
    found = mbx.study(
        oscillator(),
        analysis="equilibrium",
        vary={"k": [4.0]},
        results=["x"],
        set={"g": 1.0, "k": 100.0},
    )
    assert found["x"].tolist() == pytest.approx([0.5])


def test_samples_take_the_place_of_what_an_experiment_varies() -> None:
    found = mbx.study(oscillator(), "swept", random={"m": "uniform(1, 2)"}, samples=2)
    assert (found.swept, found.random, len(found)) == ((), ("m",), 2)


def test_rest_is_where_the_spring_holds_the_weight() -> None:
    found = mbx.study(
        oscillator(),
        analysis="equilibrium",
        vary={"g": [1.0, 9.81], "k": [4.0, 0.0]},
        results=["x", "k*x", "stability", "frequency(1)", "kind"],
    )
    np.testing.assert_allclose(found["x"][::2], 2 * found["g"][::2] / 4, rtol=1e-12)
    np.testing.assert_allclose(found["k*x"][::2], 2 * found["g"][::2], rtol=1e-12)
    np.testing.assert_allclose(found["frequency(1)"][::2], np.sqrt(2.0))
    assert found["kind"].tolist() == ["equilibrium", "", "equilibrium", ""]
    assert "no equilibrium was found near the start" in found["reason"][1]
    assert np.isnan(found["x"][1::2]).all()
    assert list(found.failed.values()) == [2]
    assert found.ok


def test_a_force_holds_what_is_held() -> None:
    found = mbx.study(oscillator(), analysis="equilibrium", vary={"k": [4.0, 8.0]}, hold={"x": 0.5})
    np.testing.assert_allclose(found["held(x)"], [2.0, 4.0])
    swept = mbx.study(oscillator(), analysis="equilibrium", vary={"x": [0.5, 1.0]})
    np.testing.assert_allclose(swept["held(x)"], [4.0, 8.0])
    none = mbx.study(oscillator(), analysis="equilibrium", vary={"k": [4.0]}, results=["held(x)"])
    assert none["reason"].tolist() == ["'x' is not held"]
    assert not none.ok


def test_assembly_gives_positions_accelerations_and_reactions() -> None:
    four_bar = mbx.link(mbx.read("lib:four_bar"))
    wanted = ["th2", "th1''", "dot(R.force, ground.x)", "rank", "status"]
    found = mbx.study(
        four_bar, "assemble", analysis="assemble", vary={"th1": [0.8, 1.2]}, results=wanted
    )
    assert found.failed == {}
    for k, angle in enumerate([0.8, 1.2]):
        # closure of a + b at th1 + th2 from d: |d - a e^(i th1) - b e^(i(th1+th2))| = c
        tip = 0.1 * np.exp(1j * angle) + 0.3 * np.exp(1j * (angle + found["th2"][k]))
        assert abs(tip - 0.3) == pytest.approx(0.25, abs=1e-12)
    assert found["status"].tolist() == ["regular", "regular"]
    assert found["rank"].tolist() == [2, 2]
    assert np.isfinite(found["dot(R.force, ground.x)"]).all()


# -- samples -------------------------------------------------------------------------------------


def test_statistics_are_those_of_the_samples() -> None:
    found = mbx.study(
        oscillator(),
        analysis="equilibrium",
        random={"g": "uniform(0, 8)"},
        samples=64,
        sampling="latin",
        results=["x", "stability"],
    )
    (one,) = found.statistics  # words have none
    x = 2 * found["g"] / 8
    np.testing.assert_allclose(found["x"], x, rtol=1e-9)
    assert (one.result, one.count) == ("x", 64)
    assert one.mean == pytest.approx(x.mean())
    assert one.sd == pytest.approx(x.std(ddof=1))
    # of a uniform law on [0, 2]: mean 1, sd 2/sqrt(12); strata leave 1/64 of the width open
    assert one.mean == pytest.approx(1.0, abs=2 / 64)
    assert one.sd == pytest.approx(2 / np.sqrt(12), abs=0.03)
    assert (one.low, one.median, one.high) == pytest.approx((0.1, 1.0, 1.9), abs=0.06)
    assert (one.least, one.most) == (found["x"].min(), found["x"].max())


def test_samples_at_swept_values_have_statistics_of_each() -> None:
    found = mbx.study(
        oscillator(),
        analysis="equilibrium",
        vary={"k": [4.0, 8.0]},
        random={"g": "normal(10, 1)"},
        samples=8,
        results=["x"],
    )
    low, high = found.statistics
    assert (low.at, high.at) == ({"k": 4.0}, {"k": 8.0})
    assert low.mean == pytest.approx(2 * high.mean)


# -- sensitivities -------------------------------------------------------------------------------


def test_the_end_of_an_oscillation_by_stiffness_mass_and_start() -> None:
    found = mbx.study(oscillator(), "swing", results=["x"], slopes=["k", "m", "x0", "F"])
    assert found.runs == 1 + 4 * 8
    t, w, x0, k, m = 3.0, 2.0, 0.5, 8.0, 2.0
    by_w = -x0 * t * np.sin(w * t)
    exact = {
        "k": by_w * w / (2 * k),
        "m": -by_w * w / (2 * m),
        "x0": np.cos(w * t),
        "F": (1 - np.cos(w * t)) / k,
    }
    assert found["by"].tolist() == list(exact)
    for row, slope in enumerate(exact.values()):
        assert abs(found["slope"][row] - slope) <= max(found["error"][row], 1e-9)
        assert found["error"][row] < 1e-7
    assert found["logarithmic"][2] == pytest.approx(1.0, abs=1e-9)
    assert found["value"].tolist() == pytest.approx([x0 * np.cos(w * t)] * 4)
    assert found["at"].tolist() == [8, 2, 0.5, 0]


def test_periods_and_frequencies_have_the_slopes_of_a_root() -> None:
    found = mbx.study(pendulum(), "drop", results=["period(theta)"], slopes=["l", "g"])
    assert found["logarithmic"].tolist() == pytest.approx([0.5, -0.5], abs=1e-6)
    small = mbx.study(
        pendulum(),
        analysis="linearize",
        at="equilibrium",
        results=["frequency(1)"],
        slopes=["l", "g", "m"],
    )
    w = np.sqrt(1.5 * G)
    assert small["slope"].tolist() == pytest.approx([-w / 2, w / (2 * G), 0.0], abs=1e-8)
    assert (np.abs(small["slope"] - [-w / 2, w / (2 * G), 0]) <= small["error"] + 1e-12).all()


def test_sensitivities_along_a_sweep_belong_to_each_value() -> None:
    found = mbx.study(
        oscillator(), analysis="equilibrium", vary={"g": [1.0, 2.0]}, slopes=["k"], results=["x"]
    )
    np.testing.assert_allclose(found["slope"], -2 * found["g"] / 64, rtol=1e-9)
    assert found["run"].tolist() == [1, 2]


def test_a_run_around_that_fails_says_why_there_is_no_slope() -> None:
    found = mbx.study(
        oscillator(),
        analysis="equilibrium",
        slopes=["k"],
        results=["x"],
        set={"k": 0.0, "g": 1.0},
    )
    assert np.isnan(found["slope"][0])
    assert "no equilibrium" in found["reason"][0]
