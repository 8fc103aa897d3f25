"""The linear models of Orsino's thesis, sections 4.5 and 5.2, by the public verbs.

Closed forms are those that the thesis prints; where it prints none, the source is named.
"""

from __future__ import annotations

from math import asin, cos, pi, radians, sin, sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.perform_requests import perform_linearization
from mbx.analyses.request import Request

if TYPE_CHECKING:
    from mbx.analyses.linearize.linear_system import Linear, Method
    from mbx.numerics.execute.stacked_algebra import Array

pytestmark = pytest.mark.papers

FIXTURES = Path(__file__).parents[2] / "fixtures"
METHODS: list[Method] = ["plain", "modular"]

# -- Example 4.6: a spherical pendulum with the square of its velocity as a variable -----------

PENDULUM = """mbx 1
model SphericalPendulum "Model iii; its invariants are (a) of Example 4.6, as printed" {
  param m: kg = 0.7, a: m = 1.3, g: m/s^2 = 9.8
  coordinate x: m = a, y: m = 0, z: m = 0
  speed ups: m^2/s^2
  define ups = x'^2 + y'^2 + z'^2
  particle bob { mass m  at [x, y, z] }
  gravity [g, 0, 0]
  invariant sphere: 2*x*x'' + 2*y*y'' + 2*z*z'' + 2*ups = 0
  independent y', z'
  state hanging { x = a, y = 0 m, z = 0 m, x' = 0 [m/s], y' = 0 [m/s], z' = 0 [m/s],
      ups = 0 [m^2/s^2] }
  state raised { x = 4*a/5, y = 3*a/5, z = 0 m, x' = 0 [m/s], y' = 0 [m/s], z' = 0 [m/s],
      ups = 0 [m^2/s^2] }
}
"""
a, g = 1.3, 9.8
# the entries of (h) and (k)
PRINTED: dict[str, dict[tuple[str, str], float]] = {
    "hanging": {("x'", "ups"): -1 / a, ("y'", "y"): -g / a, ("z'", "z"): -g / a},
    "raised": {
        ("x'", "x"): -72 * g / (125 * a),
        ("x'", "y"): 96 * g / (125 * a),
        ("x'", "ups"): -4 / (5 * a),
        ("y'", "x"): 21 * g / (125 * a),
        ("y'", "y"): -28 * g / (125 * a),
        ("y'", "ups"): -3 / (5 * a),
        ("z'", "z"): -4 * g / (5 * a),
        ("ups", "x'"): 18 * g / 25,
        ("ups", "y'"): -24 * g / 25,
    },
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("state", "square"), [("hanging", g / a), ("raised", 4 * g / (5 * a))])
def test_the_spherical_pendulum_has_the_matrix_and_the_eigenvalues_of_example_4_6(
    state: str, square: float, method: Method
) -> None:
    found = mbx.linearize(mbx.loads(PENDULUM), at=state, method=method, variables="all")
    assert found.x == ("x", "y", "z", "x'", "y'", "z'", "ups")
    expected = np.zeros((7, 7))
    for k, path in enumerate("xyz"):
        expected[k, found.x.index(f"{path}'")] = 1.0
    for (row, column), value in PRINTED[state].items():
        expected[found.x.index(row), found.x.index(column)] = value
    assert np.abs(found.A - expected).max() < 1e-13 * np.abs(expected).max()
    # 0 three times, and a pair twice
    w = sqrt(square)
    assert np.sort(found.eigenvalues.imag) == pytest.approx([-w, -w, 0, 0, 0, w, w], rel=1e-12)
    assert not found.eigenvalues.real.any()


@pytest.mark.parametrize(("state", "square"), [("hanging", g / a), ("raised", 4 * g / (5 * a))])
def test_the_library_has_the_pendulum_of_4_6_in_two_independent_coordinates(
    state: str, square: float
) -> None:
    """Across the plane of the pendulum it swings as printed, whatever the variables are."""
    for method in METHODS:
        document = mbx.read("lib:spherical_pendulum_quasivelocity")
        found = mbx.linearize(document, at=state, method=method)
        assert len(found.x) == 4
        value = found.A[found.x.index("z'"), found.x.index("z")]
        assert value == pytest.approx(-square, rel=1e-12)


# -- Example 4.7: a ring on a slope with a disc in it ------------------------------------------


def slopes(th: float, xi: float, r1: float, r2: float, g: float) -> dict[str, float]:
    """Return the column of theta as the thesis prints it."""
    c = cos(th) + 2 * cos(xi)
    turned = 2 * cos(th - xi) + 1
    long = (
        3 * sin(th)
        + 5 * sin(2 * th - xi)
        - 2 * sin(xi)
        + 5 * sin(th - 2 * xi)
        + 3 * sin(3 * th - 2 * xi)
        + 3 * sin(2 * th - 3 * xi)
        + sin(3 * th - 4 * xi)
    )
    short = 2 * sin(th) + 3 * sin(2 * th - xi) - 2 * sin(xi)
    short += 2 * sin(th - 2 * xi) + sin(2 * th - 3 * xi)
    both = sin(2 * th - xi) + sin(th - 2 * xi)
    u1 = 2 * g * c * (3 * sin(th) - sin(xi) + sin(th - 2 * xi)) / long
    return {
        "R.u": u1,
        "R.v": 0.0,
        "R.w": -u1 / r1,
        "D.u": g * c * (3 * sin(th) + 5 * both + 3 * sin(2 * th - 3 * xi)) / (turned**2 * short),
        "D.v": g * c * sin(xi) / (turned * (3 * cos(th) + 2 * cos(xi) + cos(th - 2 * xi))),
        "D.w": -2 * g * c * (sin(th) + 3 * both + sin(2 * th - 3 * xi)) / (turned**2 * short * r2),
        "theta'": 2 * g * c * sin(xi) / (turned * short * (r1 - r2)),
    }


def steady_angle(ratio: float, xi: float) -> float:
    """Return theta for m2/m1 by (c), between 0 and the slope."""
    low, high = 0.0, xi
    for _ in range(200):
        th = (low + high) / 2
        left = (1 + ratio) * (2 * sin(xi) * cos(th - xi) - 3 * sin(th) + sin(xi)) - sin(th)
        low, high = (th, high) if left > 0 else (low, th)
    return (low + high) / 2


def ring(ratio: float, xi: float, method: Method) -> Linear:
    still = dict.fromkeys(("theta'", "R.u", "R.v", "R.w", "D.u", "D.v", "D.w"), 0.0)
    asked = Request(
        values={"m2": 0.67 * ratio, "xi": xi},
        initial={"theta": steady_angle(ratio, xi), **still},
    )
    document = mbx.read("lib:ring_and_disc")
    return perform_linearization(document, asked, at="start", method=method, everything=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("ratio", "degrees"), [(8 / 67, asin(0.8) * 180 / pi), (0.5, 50), (1, 30), (5, 70)]
)
def test_the_ring_with_a_disc_has_the_matrix_of_example_4_7(
    ratio: float, degrees: float, method: Method
) -> None:
    xi = radians(degrees)
    found = ring(ratio, xi, method)
    assert set(found.x) == {"theta", "theta'", "R.u", "R.v", "R.w", "D.u", "D.v", "D.w"}
    expected = np.zeros((8, 8))
    expected[found.x.index("theta"), found.x.index("theta'")] = 1.0
    column = slopes(steady_angle(ratio, xi), xi, 1.0, 0.3, 9.8)
    for path, value in column.items():
        expected[found.x.index(path), found.x.index("theta")] = value
    assert np.abs(found.A - expected).max() < 1e-11 * np.abs(expected).max()
    w = sqrt(-column["theta'"])
    assert np.sort(found.eigenvalues.imag) == pytest.approx([-w, *[0.0] * 6, w], rel=1e-11)


# what the closed forms give in Figures 4.15 and 4.16, by a separate program: theta in degrees and
# omega in rad/s on slopes of 10, 30, 50, 70 and 80 degrees; a ratio of 0 is a limit, for a disc
# without mass has no accelerations of its own
FIGURES = {
    1e-6: ((7.478, 21.869, 34.040, 39.896, 37.560), (3.0362, 2.8865, 2.5983, 2.2274, 2.0730)),
    8 / 67: ((7.685, 22.525, 35.263, 41.828, 39.701), (3.1686, 3.0074, 2.6939, 2.2780, 2.0934)),
    0.5: ((8.165, 24.056, 38.161, 46.613, 45.216), (3.5582, 3.3654, 2.9827, 2.4426, 2.1706)),
    1.0: ((8.558, 25.316, 40.596, 50.880, 50.427), (4.0132, 3.7863, 3.3295, 2.6554, 2.2844)),
    5.0: ((9.468, 28.264, 46.452, 62.224, 66.214), (6.6087, 6.2077, 5.3795, 4.0436, 3.1461)),
}


@pytest.mark.parametrize("ratio", FIGURES)
def test_the_ring_with_a_disc_has_the_frequencies_of_figure_4_16(ratio: float) -> None:
    for degrees, angle, frequency in zip((10, 30, 50, 70, 80), *FIGURES[ratio], strict=True):
        xi = radians(degrees)
        found = ring(ratio, xi, "modular")
        assert found.at.state["theta"] == pytest.approx(radians(angle), abs=1e-5)
        assert found.modes[-1].frequency == pytest.approx(frequency, abs=6e-5)


# -- Section 5.2: the tadpole tricycle, its geometry mended ------------------------------------


def lateral(document: mbx.Document, speed: float, method: Method) -> tuple[Array, Array, Array]:
    """Return M, v C1 and g K0 + v^2 K2 of (5.21), in (delta, phi)."""
    asked = Request(initial={"A.x'": speed, "A.delta'": 0.0, "A.phi'": 0.0})
    found = perform_linearization(document, asked, at="start", method=method)
    rows = [found.x.index(path) for path in ("A.delta'", "A.phi'")]
    angles = [found.x.index(path) for path in ("A.delta", "A.phi")]
    M = np.linalg.inv(found.B[rows]).astype(float)
    return M, -M @ found.A[np.ix_(rows, rows)], -M @ found.A[np.ix_(rows, angles)]


@pytest.mark.slow
def test_least_squares_give_the_tricycle_of_the_thesis() -> None:
    """M and K0 are those of a separate program, which had K0 to nine digits by differences.

    K0 depends on which rows are met by least squares: those of the whole, with wheels, bars,
    knuckles and frame as subsystems, and each vector in components along the ground. C1 and K2
    do not, so that the library's tricycle has the same, which has fewer rows and no
    contradiction; the program had them to some 4e-5.
    """
    document = mbx.read(str(FIXTURES / "tricycle_of_the_thesis.mb"))
    M, _, K = lateral(document, 0.0, "modular")
    printed = [[0.3018855317256895, 2.68459154902579], [2.6845915490264494, 98.2773173283452]]
    assert pytest.approx(np.array(printed), rel=1e-12) == M
    printed = [[-0.5174308921266, -3.0619540099594], [-3.1004414224485, -93.5549020306770]]
    assert pytest.approx(np.array(printed), rel=5e-9) == K / 9.81
    other = mbx.read("lib:tricycle")
    _, C3, K3 = lateral(document, 3.0, "modular")
    _, C, K3_other = lateral(other, 3.0, "plain")
    K_other = lateral(other, 0.0, "plain")[2]
    assert pytest.approx(C, rel=1e-11) == C3
    assert pytest.approx(K3_other - K_other, rel=1e-11) == K3 - K
    printed = [[1.6369930815237, 1.3158245387435], [39.1047464947708, 54.9460184347619]]
    assert pytest.approx(np.array(printed), rel=5e-5) == C3 / 3
    printed = [[2.2461131096665, 3.0650012895714], [75.1952441614825, 102.6106372264827]]
    assert pytest.approx(np.array(printed), rel=5e-5) == (K3 - K) / 9


@pytest.mark.slow
def test_the_tricycle_of_the_thesis_contradicts_itself_and_says_so() -> None:
    document = mbx.read(str(FIXTURES / "tricycle_of_the_thesis.mb"))
    asked = Request(initial={"A.x'": 5.0, "A.delta'": 0.0, "A.phi'": 0.0})
    with pytest.raises(NotRunError, match="contradict each other next to the state"):
        perform_linearization(document, asked, at="start")
    found = perform_linearization(document, asked, at="start", method="modular")
    assert {"upperR.x", "lowerL.y", "steerR.z"} <= set(found.unmet)
    # the wheels, which are leaves, roll as they must
    assert not any(path.startswith(("W.", "FR.", "FL.")) for path in found.unmet)
    for value in (-12.195325575866908, complex(-1.72747022498682, 4.63019529523), 0.300874824664):
        assert min(abs(found.eigenvalues - value)) < 1e-3 * abs(value)
