"""Lost and mistaken symbols in Orsino's thesis: read as printed, they give other numbers.

Errata of the thesis and where they are tested, by what is printed:

| printed | tested |
|---|---|
| Ex. 2.1 (a), footnote 9 of section 2.3, (3.79) against (3.95), above (3.149), Ex. 4.7 (a), (b) | here |
| section 5.3.2 (a coordinate named twice), (A.48), and the package MoSsPack (quaternions) | here |
| Ex. 2.2 (no singular state is left) | rank 3 in the case `rssp_loop_six`, model `EqualRods` |
| Ex. 2.4, 2.6 (d), section 5.3.1 (a node) | `test_errata_thesis` |
| (3.127) | `formalisms/test_wrong_equations` |
| Ex. 4.1 (c), (k), Ex. 4.3 (g), Ex. 4.5 (h), (4.21), section 3.4.2 | `test_errata_thesis_dynamics` |
| Ex. 4.6 (its second reference is no equilibrium) | case `spherical_pendulum_quasivelocity` |
| (5.11) | `test_tricycle` |
| (5.26), section 5.3.2 (an exponent), Table 5.1 | `test_errata_thesis_packages` |

Words and symbols only, no number follows from them: (2.34) (the index of a child for that of the
node), (2.11) (an order of b), Ex. 4.5 (f) (a row with the other sign, equal to zero), (5.4) (the
name of a frame), section 5.3 (the number of an example), Fig. 5.12 (its caption), Table 5.1 (the
unit of masses, the name of a frame), (A.14) (a derivative whose 2 is lost).
"""  # noqa: E501 - rows of a table

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import mbx
from formalisms.cases import Point, at, completed, folder, system, system_of
from library.matrices import Matrix, constraint_matrix, mass_matrix
from mbx.analyses.experiments.run_references import references
from mbx.formalism import registry

pytestmark = pytest.mark.papers

# -- chapter 2 -----------------------------------------------------------------------------------


def test_the_third_part_of_the_quaternion_in_example_2_1_is_its_z() -> None:
    """(a) prints q.3 = qx: of a turn about z nothing is left, and (b), a norm of 1, is broken."""
    x, y, z, t = 0.0, 0.0, float(np.sin(0.6)), float(np.cos(0.6))
    one = system("free_body_quaternion")
    state = dict.fromkeys([v.path for v in (*one.q, *one.u)], 0.0)
    turned = completed(one, state | {"qx": x, "qy": y, "qz": z, "qt": t})
    assert turned["qz"] == pytest.approx(z, abs=1e-12)
    printed = np.array([x, y, x, t])
    assert 1 - printed @ printed == pytest.approx(z**2)
    with pytest.raises(AssertionError):
        completed(one, state | {"qx": x, "qy": y, "qz": x, "qt": t})


def test_footnote_9_counts_variables_and_not_invariants() -> None:
    """Printed is the number of invariants less the freedoms; the square block has n - freedoms."""
    one = system("rssp_loop")
    A = constraint_matrix(one, completed(one, one.states["open"]))
    invariants, variables = A.shape
    freedoms = 2
    assert (invariants, variables) == (5, 7)
    dependent = [k for k, v in enumerate(one.u) if v.path not in {"P.z1'", "P.x2'"}]
    assert len(dependent) == variables - freedoms
    assert len(dependent) != invariants - freedoms
    assert abs(np.linalg.det(A[:, dependent])) > 1e-3


# -- chapter 3 -----------------------------------------------------------------------------------


def test_multipliers_have_two_signs() -> None:
    """Fc = A^T lam in (3.79), and M a + A^T lam = F in (3.95): with one lam, both cannot hold."""
    one = system("spherical_pendulum_cartesian")
    found = registry.derive(one, "lagrange").evaluate(one.states["sample"])
    lam = np.array([-1.109298724112426])  # by (3.79), computed for this library
    assert found.lam == pytest.approx(lam, rel=1e-12)
    force = np.array([0.7 * 9.8, 0, 0])
    by_3_79 = found["M"] @ found.ud - force - found["A"].T @ lam
    by_3_95 = found["M"] @ found.ud + found["A"].T @ lam - force
    assert np.abs(by_3_79).max() < 1e-12
    assert by_3_95 == pytest.approx(2 * found["A"].T @ lam)


def test_accelerations_without_constraints_come_from_active_forces() -> None:
    """Above (3.149) is printed M^-1 (Gf + f); f with no letter is all of active and inertia."""
    one = system("rolling_disc")
    state = completed(one, {"lean": 0.3, "yaw'": 0.8, "lean'": -0.5, "spin'": 4.0})
    form = registry.derive(one, "udwadia_kalaba:positive")
    found = form.evaluate(state)
    gyroscopic = form.evaluate(state, {"g": 0.0})["Q"]
    active = found["Q"] - gyroscopic
    assert np.abs(active).max() > 0.5
    M, A, b = found["M"], found["A"], found["b"]

    def by_3_149(f: Matrix) -> Matrix:
        free = np.linalg.solve(M, gyroscopic + f)
        values, vectors = np.linalg.eigh(M)
        half = vectors @ np.diag(values**-0.5) @ vectors.T
        return np.asarray(free - half @ np.linalg.pinv(A @ half) @ (A @ free + b))

    assert by_3_149(active) == pytest.approx(found.ud, abs=1e-10)
    effective = active + gyroscopic - M @ found.ud
    assert np.abs(by_3_149(effective) - found.ud).max() > 1


# -- Example 4.7 ---------------------------------------------------------------------------------

_M1, _M2, _R1, _R2, _G = 0.67, 0.08, 1.0, 0.3, 9.8
_XI: Final = float(np.arcsin(0.8))


def _rows_4_7_b(s1: float, rates: dict[str, float], th: float) -> Matrix:
    """Return (b), with a reading of s1; its second derivative of z2 is the rate of w2."""
    c, s = np.cos(_XI - th), np.sin(_XI - th)
    ring = _G * np.sin(_XI) + rates["R.w'"] * _R1 - rates["R.u'"]
    disc = -_G * s1 + _G * np.sin(_XI) + rates["D.v'"] * s + rates["D.u'"] * (c - 1)
    spin = 2 * _G * np.sin(_XI) + rates["D.w'"] * _R2 - 2 * rates["D.u'"]
    return np.array([_M2 * disc + _M1 * ring, 2 * _M1 * ring + _M2 * spin])


def test_the_letter_s1_of_example_4_7_is_the_sine_of_theta() -> None:
    one = system("ring_and_disc")
    state = dict(one.states["sample"])
    found = at(one, registry.derive(one, "kane"), Point(state))
    rates = {f"{path}'": found.of(f"{path}'") for path in ("R.u", "R.w", "D.u", "D.v", "D.w")}
    th = state["theta"]
    assert _rows_4_7_b(np.sin(th), rates, th) == pytest.approx([0, 0], abs=1e-12)
    for other in (np.sin(_XI - th), np.sin(_XI), np.sin(1)):
        assert abs(_rows_4_7_b(other, rates, th)[0]) > 0.01


def test_the_rows_of_example_4_7_are_scaled() -> None:
    """C^T f of Example 4.2 is (b) times r1 - r2 in its first row, and times -r2/2 in its second."""
    th = 0.9
    paths = ("R.u'", "R.v'", "R.w'", "D.u'", "D.v'", "D.w'")
    rates = dict(zip(paths, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0), strict=True))
    c, s = np.cos(_XI - th), np.sin(_XI - th)
    C = np.array(
        [
            [_R1 - _R2, -_R2],
            [0, 0],
            [_R2 / _R1 - 1, _R2 / _R1],
            [-(c - 1) * (_R1 - _R2), -_R2],
            [-s * (_R1 - _R2), 0],
            [0, 1],
        ]
    )
    down, off = _G * np.sin(_XI), _G * np.cos(_XI)
    f = [
        -_M1 * (rates["R.u'"] - down),
        -_M1 * (rates["R.v'"] + off),
        -_M1 * _R1**2 * rates["R.w'"],
        -_M2 * (rates["D.u'"] - down),
        -_M2 * (rates["D.v'"] + off),
        -_M2 * _R2**2 / 2 * rates["D.w'"],
    ]
    rows = _rows_4_7_b(np.sin(th), rates, th)
    assert C.T @ f == pytest.approx(rows * [_R1 - _R2, -_R2 / 2])


# -- chapter 5, appendix A, packages -------------------------------------------------------------


def test_the_second_coordinate_of_section_5_3_2_is_another_one() -> None:
    """The text prescribes N,1,1 twice: one place of the platform cannot follow both."""
    text = (folder("rrr_platform") / "model.mb").read_text("utf-8")
    second = "prescribe y = (1 m)*sin(pi*t/(4 s))"
    assert text.count(second) == 1
    linked = mbx.link(mbx.loads(text.replace(second, second.replace("y", "x", 1))))
    found = references(linked, {"kane": mbx.convert(linked, "kane")})
    prescribed = [one for one in found if one.experiment == "inverse"]
    assert len(prescribed) > 30
    assert not any(one.met for one in prescribed)


_SHAFTS = """mbx 1
model Shafts {
  param J1: kg*m^2 = 0.3, J2: kg*m^2 = 0.2
  coordinate a, b: rad
  body first { mass 0 kg  inertia J1 about z  joint revolute(ground, axis = z, angle = a) }
  body second { mass 0 kg  inertia J2 about z  joint revolute(first, axis = z, angle = b) }
}
"""


def test_every_body_has_its_own_angular_acceleration_in_a_48() -> None:
    """(A.48) prints w'_r . (I_r w') with no index on its last w': not that of another body."""
    M = mass_matrix(system_of(_SHAFTS), {"a": 0.3, "b": -0.2, "a'": 1.0, "b'": 2.0})
    J = {1: 0.3, 2: 0.2}
    turns = {1: np.array([1.0, 0.0]), 2: np.array([1.0, 1.0])}  # w_r by the rates of a and b

    def hessian(last: dict[int, int]) -> Matrix:
        S = np.sum([J[r] * np.outer(turns[r], turns[last[r]]) / 2 for r in J], axis=0)
        return np.asarray(S + S.T)

    assert hessian({1: 1, 2: 2}) == pytest.approx(M)
    for one in (1, 2):
        assert np.abs(hessian({1: one, 2: one}) - M).max() > 0.05


def _rate(q: Matrix, w: Matrix, *, space: bool) -> Matrix:
    """Return the rate of (x, y, z, t): Example 2.1 (h), body axes, or 2.5 (d), space axes."""
    sign = -1 if space else 1
    x, t = q[:3], q[3]
    return np.array([*(t * w + sign * np.cross(x, w)), -x @ w]) / 2


def _turned(q: Matrix, v: Matrix) -> Matrix:
    """Return a vector of the body in space axes."""
    x, t = q[:3], q[3]
    return np.asarray(v + 2 * np.cross(x, np.cross(x, v) + t * v))


@pytest.mark.parametrize("J", [(0.2, 0.3, 0.4), (0.3, 0.3, 0.3)])
def test_the_package_mixes_axes_of_the_body_and_of_space(J: tuple[float, float, float]) -> None:
    """MoSsPack takes w in the body for inertia, and in space for the rate of the quaternion.

    The moment of momentum is kept by Example 2.1, all in the body, but by the mixture only where
    all principal moments are equal, in whatever axes its w is meant.
    """
    one = system("free_body_quaternion")
    q, w = np.array([0.1, -0.5, 0.3, 0.8]), np.array([1.0, 2.0, -1.5])
    q /= np.linalg.norm(q)
    state = {v.path: 0.0 for v in (*one.q, *one.u)}
    state |= {f"q{c}": float(x) for c, x in zip("xyzt", q, strict=True)}
    state |= {f"w{c}": float(x) for c, x in zip("xyz", w, strict=True)}
    parameters = dict(zip(("Ix", "Iy", "Iz"), J, strict=True))
    found = at(one, registry.derive(one, "kane"), Point(state, parameters))
    wd = np.array([found.of(f"w{c}'") for c in "xyz"])
    step, moments = 1e-5, np.array(J)

    def drift(*, kinematics: bool, meant: bool) -> float:
        """Return the rate of the moment of momentum; True is for axes in space."""
        qd = _rate(q, w, space=kinematics)
        ends = []
        for d in (step, -step):
            there, turn = q + d * qd, w + d * wd
            back = there * [-1, -1, -1, 1]
            ends.append(_turned(there, moments * (_turned(back, turn) if meant else turn)))
        return float(np.abs(ends[0] - ends[1]).max() / (2 * step))

    assert drift(kinematics=False, meant=False) < 1e-8
    mixed = min(drift(kinematics=True, meant=meant) for meant in (False, True))
    if len(set(J)) == 1:
        assert mixed < 1e-8
    else:
        assert mixed > 0.1
