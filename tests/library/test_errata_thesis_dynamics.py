"""Dynamics in Orsino's thesis, chapters 3 and 4: what it prints against the models.

Where the print is wrong, the test says by how much, and that the mended equation is right.
"""

from __future__ import annotations

from math import cos, hypot, sin, sqrt

import numpy as np
import pytest

from formalisms.cases import Found, Point, at, completed, folder, system, system_of
from library.matrices import Matrix, columns, constraint_matrix, mass_matrix
from mbx.formalism import registry

pytestmark = pytest.mark.papers

# -- Example 4.1 ---------------------------------------------------------------------------------

_M, _R, _G = 0.7, 1.3, 9.8


def test_the_matrix_of_example_4_1_c_has_one_wrong_entry() -> None:
    """(c) prints r cos(phi) sin(th) where y = r cos(phi) sin(th) is differentiated by th."""
    one = system("spherical_pendulum_angles")
    state = dict(one.states["sample"])
    phi, th = state["phi"], state["th"]

    def inertia(entry: float) -> Matrix:
        V = np.array(
            [
                [0, -_R * sin(th)],
                [-_R * sin(phi) * sin(th), entry],
                [_R * cos(phi) * sin(th), _R * sin(phi) * cos(th)],
            ]
        )
        return np.asarray(_M * V.T @ V)

    M = mass_matrix(one, state)
    printed = inertia(_R * cos(phi) * sin(th)) - M
    mended = inertia(_R * cos(phi) * cos(th)) - M
    assert np.abs(mended).max() < 1e-14
    # the model has m r^2 for th', the print m r^2 (1 - cos(phi)^2 cos(2 th))
    assert printed[1, 1] == pytest.approx(-_M * _R**2 * cos(phi) ** 2 * cos(2 * th), rel=1e-12)
    assert printed[1, 1] > 0.09


def test_the_equations_4_1_k_have_two_wrong_rows() -> None:
    one = system("spherical_pendulum_cartesian")
    state = dict(one.states["sample"])
    x, y, z = (state[v] for v in "xyz")
    square = sum(state[f"{v}'"] ** 2 for v in "xyz")
    right = [-2 * square, -_G * y, -_G * z]
    found = at(one, registry.derive(one, "lagrange"), Point(state))
    a = np.array([found.of(f"{v}''") for v in "xyz"])
    first = [2 * x, 2 * y, 2 * z]
    mended = np.linalg.solve(np.array([first, [-y, x, 0], [-z, 0, x]]), right)
    printed = np.linalg.solve(np.array([first, [-y, 0, y], [-z, x, 0]]), right)
    np.testing.assert_allclose(mended, a, rtol=1e-12)
    # the first row holds for both; along the sphere the print is 3.5 m/s^2 off
    assert np.abs(printed - a).max() == pytest.approx(3.5, abs=0.05)


# -- Example 4.3 ---------------------------------------------------------------------------------

_AU, _AB, _MU, _MB, _ML = 0.3, 0.45, 0.8, 0.6, 1.2
_IU, _IB, _BU, _HALF = 0.006, 0.01, 0.02, 0.5
_ETA, _K, _I, _B = 10.0, 0.05, 1e-4, 1e-4


def _row_4_3_g(X: str, Y: str, state: dict[str, float], found: Found) -> float:
    """Return what Example 4.3 (g) prints for theta_X; left and right have the same parameters."""

    def of(side: str) -> tuple[float, float, float, float, float, float]:
        s = f"R.H{side}."
        rates = (state[s + "theta'"], state[s + "phi'"])
        seconds = (found.of(s + "theta''"), found.of(s + "phi''"))
        return (state[s + "theta"], state[s + "phi"], *rates, *seconds)

    th, ph, thd, phd, thdd, phdd = of(X)
    th_y, ph_y, thd_y, _, thdd_y, phdd_y = of(Y)
    xdd, ydd = found.of("R.L.x''"), found.of("R.L.y''")
    s = sin(ph_y - ph)
    turn = sin(th - ph) / s
    elbow = _HALF**2 * _AB**2 * _MB + _IB
    current = state[f"A{X}.i"]
    second = 1 - sin(-ph_y + 2 * th - ph) / s
    return (
        _HALF * _AU**2 * _MB * thd_y**2 * sin(th_y - ph_y) * turn
        + _HALF * _AU**2 * _MB * thd**2 * sin(th - ph) * sin(th - ph_y) / s
        - _HALF * _AU * _AB * _MB * phd**2 * sin(th - ph)
        - thd * (_B * _ETA**2 + _BU)
        - _AU * _ML * ydd * cos(ph_y) * turn
        - _HALF * _AU**2 * _MB * thdd_y * cos(th_y - ph_y) * turn
        + _AU * _ML * xdd * sin(ph_y) * turn
        - _AU * phdd / _AB * (_HALF * _AB**2 * _MB * cos(th - ph) + elbow * sin(th - ph_y) / s)
        + thdd
        / 2
        * (_AU**2 * (_MB * (_HALF * second - 2) - 2 * _HALF**2 * _MU) - 2 * (_I * _ETA**2 + _IU))
        - _AU * phdd_y * turn * elbow / _AB
        + _K * _ETA * current
        - _G
        * _AU
        * (
            _HALF * _MB * cos(ph_y) * turn
            + _MB * (_HALF * cos(ph) * sin(th - ph_y) / s + cos(th))
            + _HALF * _MU * cos(th)
        )
    )


@pytest.mark.parametrize(("X", "Y", "torque"), [("L", "R", 1.9976), ("R", "L", -2.0687)])
def test_the_row_4_3_g_lacks_the_weight_of_the_payload(X: str, Y: str, torque: float) -> None:
    """The row should be zero; it is -g aU mL cos(ph_Y) sin(th_X - ph_X)/sin(ph_Y - ph_X) short."""
    one = system("five_bar_motors")
    said = {"R.HL.theta'": 0.6, "R.HR.theta'": -0.9, "AL.i": 0.4, "AR.i": -0.3}
    state = completed(one, said)
    inputs = {"vL": 6.0, "vR": -2.0}
    found = at(one, registry.derive(one, "modular"), Point(state, inputs=inputs))
    th, ph, ph_y = state[f"R.H{X}.theta"], state[f"R.H{X}.phi"], state[f"R.H{Y}.phi"]
    missing = -_G * _AU * _ML * cos(ph_y) * sin(th - ph) / sin(ph_y - ph)
    printed = _row_4_3_g(X, Y, state, found)
    assert printed + missing == pytest.approx(0, abs=1e-9)
    assert printed == pytest.approx(-torque, abs=1e-4)


# -- Example 4.5 ---------------------------------------------------------------------------------


def _rod(psi: float, phi: float, th: float) -> Matrix:
    """Return E = Rz(psi) Ry(phi) Rx(th)."""
    c, s = cos, sin
    z = np.array([[c(psi), -s(psi), 0], [s(psi), c(psi), 0], [0, 0, 1]])
    y = np.array([[c(phi), 0, s(phi)], [0, 1, 0], [-s(phi), 0, c(phi)]])
    x = np.array([[1, 0, 0], [0, c(th), -s(th)], [0, s(th), c(th)]])
    return np.asarray(z @ y @ x)


def _complement_4_5_g(state: dict[str, float]) -> Matrix:
    """Return C of (g): rows w1x; v2x, v2y, v2z, w2y, w2z; v3x, v3y, v3z."""
    l1, l2, g = 0.5, sqrt(2), sqrt(2) / 2
    chi = state["B1.chi"]
    E = _rod(state["B2.psi"], state["B2.phi"], state["B2.th"])
    c, s, E11 = cos(chi), sin(chi), E[0, 0]
    slide = np.array([l1 * (s * E[1, 0] - c * E[2, 0]), -E[1, 0], -E[2, 0]]) / E11
    turns = [
        np.array([-l1 * (c * E[1, k] + s * E[2, k]), E[2, k], -E[1, k]]) / (l2 * E11)
        for k in (1, 2)
    ]
    return np.array(
        [
            [1, 0, 0],
            g * slide,
            [-s * l1 * (g - 1), g, 0],
            [c * l1 * (g - 1), 0, g],
            *turns,
            slide,
            [0, 1, 0],
            [0, 0, 1],
        ]
    )


_SPEEDS = ("B1.w", *(f"B2.{v}" for v in ("vx", "vy", "vz", "wy", "wz")), "B3.vx", "B3.vy", "B3.vz")


def test_the_equation_4_5_h_wants_the_transpose_of_its_matrix() -> None:
    """(h) prints u = C M q1' + x3 x3*, and C has nine rows and three columns."""
    one = system("slider_crank_3d_friction")
    said = {"B1.w": 3.0, "B1.chi": 0.9}
    state = completed(one, said)
    C = _complement_4_5_g(state)
    spin = state["B2.psi"], state["B2.phi"], state["B2.th"]
    # the tool has th' as a speed: th' = psi' sin(phi), psi' = (w2y sin(th) + w2z cos(th))/cos(phi)
    third = (sin(spin[2]) * C[4] + cos(spin[2]) * C[5]) * sin(spin[1]) / cos(spin[1])
    S = columns(one, dict(zip((*_SPEEDS, "B2.th'"), [*C, third], strict=True)))
    product = constraint_matrix(one, state) @ S
    assert np.abs(product[:, 0]).max() < 1e-12
    # the fictitious motions of the slider break the rows of the guide, and no others
    assert int((np.abs(product) > 1e-12).any(axis=1).sum()) == 2
    found = at(one, registry.derive(one, "modular"), Point(state, inputs={"u1": 7.0}))
    M = np.diag([0.2, 0.5, 0.5, 0.5, 0.1, 0.1, 2.0, 2.0, 2.0])
    rates = np.array([found.of(f"{v}'") for v in _SPEEDS])
    across = np.array([found.of("ystar"), found.of("zstar")])
    friction = -0.5 * float(np.sign(state["B3.vx"])) * hypot(*across)
    with pytest.raises(ValueError, match="mismatch"):
        C @ M  # the product as printed
    np.testing.assert_allclose(C.T @ M @ rates - friction * C[6], [7.0, *across], atol=1e-10)


# -- (4.21), Udwadia and Kalaba ------------------------------------------------------------------


def test_the_derivative_4_21_of_a_complement_lacks_a_half() -> None:
    """Proposition 4.4: B0 Cj + Bj C0 = 0 holds with 1/(2 g) and not with 1/g."""
    one = system("rssp_loop")
    there = completed(one, one.states["open"])
    free = [k for k, v in enumerate(one.u) if v.path in {"P.z1'", "P.x2'"}]
    rest = [k for k in range(len(one.u)) if k not in free]

    def matrix(step: float) -> Matrix:
        return constraint_matrix(one, there | {"P.th": there["P.th"] + step})

    step = 1e-4
    B0, Bj = matrix(0.0), (matrix(step) - matrix(-step)) / (2 * step)

    def complement(B: Matrix) -> Matrix:
        C = np.zeros((B.shape[1], len(free)))
        C[free] = np.eye(len(free))
        C[rest] = -np.linalg.solve(B[:, rest], B[:, free])
        return C

    jump = complement(B0 + step * Bj) - complement(B0 - step * Bj)
    left = Bj @ complement(B0)
    mended = B0 @ jump / (2 * step) + left
    printed = B0 @ jump / step + left
    assert np.abs(mended).max() < 1e-6
    # with twice the derivative, what should vanish is as large as Bj C0 itself
    np.testing.assert_allclose(printed, -left, atol=1e-5)
    assert np.abs(left).max() > 1


def test_a_positive_semidefinite_mass_matrix_is_not_enough_for_the_augmented_one() -> None:
    """Section 3.4.2 says M + a^2 A^P A is positive definite whenever M is semidefinite."""
    text = (folder("ring_and_disc") / "model.mb").read_text("utf-8")
    whole = system("ring_and_disc")
    state = dict(whole.states["sample"])

    def least(A: Matrix, M: Matrix) -> float:
        return float(np.linalg.eigvalsh(M + np.linalg.pinv(A) @ A)[0])

    M, A = mass_matrix(whole, state), constraint_matrix(whole, state)
    assert np.linalg.eigvalsh(M)[0] == pytest.approx(0, abs=1e-15)
    assert least(A, M) > 1e-3
    start = text.index("  invariant turn:")
    end = text.index("  independent", start)
    loose = system_of(text[:start] + text[end : text.index("experiment sample")])
    M, A = mass_matrix(loose, state), constraint_matrix(loose, state)
    assert np.linalg.eigvalsh(M)[0] == pytest.approx(0, abs=1e-15)
    # nothing says how theta moves: M stays semidefinite, and the sum is singular
    assert least(A, M) == pytest.approx(0, abs=1e-15)
