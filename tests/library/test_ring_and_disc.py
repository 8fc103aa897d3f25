"""The steady angle of the disc in the ring and its frequency, thesis Figures 4.15 and 4.16."""

from __future__ import annotations

from math import asin, cos, degrees, radians, sin
from typing import Final

import pytest
from scipy.optimize import brentq

import mbx
from formalisms.cases import folder
from mbx.analyses.experiments.run_references import references

pytestmark = pytest.mark.papers

SLOPES: Final = (10, 30, 50, 70, 80)
M1, G, R1, R2 = 0.67, 9.8, 1.0, 0.3
STEP: Final = 1e-5
"""How far off the steady angle the slope of the acceleration is taken, rad."""
# by a separate program; the thesis shows curves only
CURVES: Final = {
    0: "7.478 3.0362 21.869 2.8865 34.040 2.5983 39.896 2.2274 37.560 2.0730",
    8 / 67: "7.685 3.1686 22.525 3.0074 35.263 2.6939 41.828 2.2780 39.701 2.0934",
    1 / 2: "8.165 3.5582 24.056 3.3654 38.161 2.9827 46.613 2.4426 45.216 2.1706",
    1: "8.558 4.0132 25.316 3.7863 40.596 3.3295 50.880 2.6554 50.427 2.2844",
    5: "9.468 6.6087 28.264 6.2077 46.452 5.3795 62.224 4.0436 66.214 3.1461",
}
"""For a ratio m2/m1: the steady angle in degrees and the frequency in rad/s, slope by slope."""


def steady(ratio: float, xi: float) -> float:
    """Return the steady angle by Example 4.2 (h), freed of its fraction."""

    def off(th: float) -> float:
        bottom = 2 * sin(xi) * cos(th - xi) - 3 * sin(th) + sin(xi)
        return sin(th) - (1 + ratio) * bottom

    return float(brentq(off, 0, xi, xtol=1e-15))


def frequency(th: float, xi: float) -> float:
    """Return the frequency of small swings by the printed G of Example 4.7."""
    top = 2 * G * (cos(th) + 2 * cos(xi)) * sin(xi)
    sines = 2 * sin(th) + 3 * sin(2 * th - xi) - 2 * sin(xi) + 2 * sin(th - 2 * xi)
    bottom = (2 * cos(th - xi) + 1) * (sines + sin(2 * th - 3 * xi)) * (R1 - R2)
    return float((-top / bottom) ** 0.5)


def points(ratio: float) -> list[tuple[float, float, float]]:
    """Return slope, steady angle and frequency of the points of a curve, in rad and rad/s."""
    numbers = [float(one) for one in CURVES[ratio].split()]
    rows = zip(SLOPES, numbers[::2], numbers[1::2], strict=True)
    return [(radians(slope), radians(angle), speed) for slope, angle, speed in rows]


def test_the_steady_angle_of_the_case_is_that_of_the_curve() -> None:
    assert steady(8 / 67, asin(4 / 5)) == pytest.approx(asin(3 / 5), abs=1e-14)
    assert frequency(asin(3 / 5), asin(4 / 5)) == pytest.approx(2.63296508, abs=1e-8)


@pytest.mark.parametrize("ratio", CURVES)
def test_the_printed_formulas_give_the_curves(ratio: float) -> None:
    for xi, angle, speed in points(ratio):
        th = steady(ratio, xi)
        assert degrees(th) == pytest.approx(degrees(angle), abs=6e-4)
        assert frequency(th, xi) == pytest.approx(speed, abs=6e-5)


@pytest.mark.parametrize("ratio", CURVES)
def test_the_case_gives_the_curves(ratio: float) -> None:
    """The disc is at rest at the steady angle, and is drawn back to it besides."""
    text = (folder("ring_and_disc_coordinates") / "model.mb").read_text("utf-8")
    text = text.partition("\nexperiment ")[0] + "\n"
    light = max(ratio, 1e-5)  # a disc of no mass is no body
    for number, (xi, _, _) in enumerate(points(ratio)):
        th = steady(light, xi)
        back = frequency(th, xi) ** 2 * STEP
        for side in (-1, 0, 1):
            text += f"""experiment at_{number}_{side + 1} of RingAndDisc {{
  set m2 = {light * M1!r} kg, xi = {xi!r} rad
  initial theta = {th + side * STEP!r} rad
  expect theta'' at 0 s = {-side * back!r} [rad/s^2] within {1e-9 + 1e-9 * abs(side)!r} [rad/s^2]
      source "analytic: thesis Example 4.2 (h) and Example 4.7"
}}
"""
    linked = mbx.link(mbx.loads(text))
    found = references(linked, {"kane": mbx.convert(linked, "kane")})
    assert len(found) == 3 * len(SLOPES)
    assert [str(one) for one in found if not one.met] == []
