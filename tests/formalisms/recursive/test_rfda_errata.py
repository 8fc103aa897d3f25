"""Errata of the paper: what is printed fails, by the amounts found for this library.

E1 to E26 number the errata of the paper that are known.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

import numpy as np
import pytest

from formalisms.cases import system
from formalisms.recursive.rfda_cases import (
    PAIR_STATE,
    PLANE,
    TREE_STATE,
    accelerations,
    at,
    matrix,
    parents,
    planar,
    rate,
)

PAIR = system("revolute_pair")
TREE = system("five_node_tree")


def _up(found: Any, k: int, f: Any) -> Any:
    """Return B^T Pi (f - Mhat d), (12), for some f."""
    M, H = found[f"Mhat_{k}"], matrix(found, f"H_{k}")
    Pi = np.eye(6) - M @ H @ np.linalg.solve(H.T @ M @ H, H.T)
    return found[f"B_{k}"].T @ Pi @ (f - M @ found[f"d_{k}"])


def test_e1_loads_without_a_hat_are_wrong() -> None:
    found = at(TREE, "projection", TREE_STATE)
    kids = [k for k, j in enumerate(parents(TREE), start=1) if j == 1]
    printed = found["f_1"] + sum(_up(found, k, found[f"f_{k}"]) for k in kids)
    golden = [-5.450268279591, -43.494010049693, -8.689673314276]
    np.testing.assert_allclose(planar(printed), golden, rtol=0, atol=2e-11)
    right = found["f_1"] + sum(_up(found, k, found[f"fhat_{k}"]) for k in kids)
    np.testing.assert_allclose(right, found["fhat_1"], atol=1e-12)
    assert np.abs(printed - right).max() > 7


def _absolute(found: Any) -> tuple[Any, Any, Any, Any]:
    """Return M, f, T and e' + T' v' of the naive coordinates (20)."""
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = planar(found["M_1"]), planar(found["M_2"])
    f = np.concatenate([planar(found["f_1"]), planar(found["f_2"])])
    H = matrix(found, "H_2")[list(PLANE)]
    T = np.block([[np.eye(3), np.zeros((3, 1))], [planar(found["B_2"]), H]])
    return M, f, T, np.concatenate([np.zeros(3), planar(found["d_2"])])


def test_e2_the_sign_before_the_rate_of_t_is_plus() -> None:
    M, f, T, left = _absolute(at(PAIR, "projection", PAIR_STATE))
    right = np.linalg.solve(T.T @ M @ T, T.T @ (f - M @ left))
    np.testing.assert_allclose(right, [0.3227, -9.5515, 0.1479, -0.2458], atol=6e-5)
    printed = np.linalg.solve(T.T @ M @ T, T.T @ (f + M @ left))  # (64), where e' = 0
    np.testing.assert_allclose(printed, [-0.3227, -10.0685, -0.1479, 0.2458], atol=6e-5)


def test_e3_the_inertia_about_the_joint_has_the_mass_once() -> None:
    found = at(PAIR, "coordinates", PAIR_STATE)
    both = np.column_stack([matrix(found, "E_2")[:, :2], matrix(found, "H_2")])[list(PLANE)]
    mass = both.T @ planar(found["M_2"]) @ both  # of [xP, yP | phi], (25)
    s2 = 0.29
    np.testing.assert_allclose(mass[2, 2], 0.2 + 1.5 * s2, rtol=1e-13)
    assert abs(mass[2, 2] - (0.2 + 1.5**2 * s2)) > 0.2  # as printed
    assert np.abs(mass[:2, 2]).max() > 0.5  # not of blocks


def test_e4_the_loads_of_a_node_need_the_rates_of_a_and_s() -> None:
    found = at(TREE, "coordinates", TREE_STATE)
    Q, Mtc, ftc = matrix(found, "Q_5"), matrix(found, "Mtc_5"), matrix(found, "ftc_5")
    s = matrix(found, "s_5")  # a' + S' y'
    right = found["f_4"] + (-Q.T @ (ftc - Mtc @ s))[:, 0]
    np.testing.assert_allclose(right, found["fhat_4"], atol=1e-12)
    # (57) as printed has an undefined b_k there; without it the loads are wrong
    printed = found["f_4"] + (-Q.T @ ftc)[:, 0]
    assert np.abs(printed - found["fhat_4"]).max() > 0.1


def test_e5_the_third_turn_of_the_child_is_that_of_the_parents_arm() -> None:
    found = at(PAIR, "coordinates", PAIR_STATE)
    alpha, beta = matrix(found, "At_2")[0, :2]

    def third(s: tuple[float, float], phi: float) -> float:
        x = -s[0] * sin(phi) - s[1] * cos(phi)
        return float(alpha * x + beta * (s[0] * cos(phi) - s[1] * sin(phi)))

    turned = planar(found["P_1"])[2]
    np.testing.assert_allclose(turned, [alpha, beta, third((0.4, 0.1), 0.3)], rtol=1e-12)
    printed = third((-0.5, 0.2), 1.1)
    np.testing.assert_allclose(printed, 1.5 * 0.29 / 0.635, rtol=1e-12)  # m s^2 / Delta
    assert abs(printed - turned[2]) > 1.2


def test_e6_reactions_stand_on_the_side_of_the_inertia() -> None:
    found = at(TREE, "coordinates", TREE_STATE)
    for k in (2, 3, 4, 5):
        lam = matrix(found, f"lambda_{k}")
        GEt = matrix(found, f"G_{k}") @ matrix(found, f"Et_{k}")
        left = matrix(found, f"Mtc_{k}") @ matrix(found, f"ycdd_{k}") - matrix(found, f"ftc_{k}")
        np.testing.assert_allclose(left + GEt.T @ lam, 0, atol=1e-11)
        assert np.abs(left - GEt.T @ lam).max() > 0.3  # (54) as printed


def test_e8_both_terms_of_the_driving_rows_have_the_other_sign() -> None:
    found = at(TREE, "coordinates", TREE_STATE)
    E, Q, D, Qd = (matrix(found, n) for n in ("E_2", "Q_2", "H_2", "Qd_2"))
    np.testing.assert_allclose(E @ Q, -found["B_2"] - D @ Qd, atol=1e-13)
    assert np.abs(E @ Q - (-found["B_2"] + D @ Qd)).max() > 1  # as printed


def test_e9_angles_count_from_the_ground_to_the_body() -> None:
    found = at(PAIR, "projection", PAIR_STATE)
    step = np.array([0.4, 0.1])
    turn = np.array([[cos(0.3), -sin(0.3)], [sin(0.3), cos(0.3)]])
    own = np.array([[cos(1.1), -sin(1.1)], [sin(1.1), cos(1.1)]]) @ [-0.5, 0.2]
    np.testing.assert_allclose(found["rho_2"][:2], turn @ step - own, atol=1e-13)
    assert np.abs(found["rho_2"][:2] - (turn.T @ step - own)).max() > 0.05


def test_e12_the_right_side_at_the_level_of_velocities_is_nu() -> None:
    found = at(TREE, "coordinates", TREE_STATE)
    left = matrix(found, "Q_5") @ found["yd_4"] + matrix(found, "G_5") @ found["yd_5"]
    np.testing.assert_allclose(left, found["a_5"], atol=1e-13)
    assert np.abs(left - found["gamma_5"]).max() > 0.3


def test_e16_products_without_their_transposes_do_not_fit() -> None:
    found = at(PAIR, "coordinates", PAIR_STATE)
    D, M, B = matrix(found, "H_2"), found["Mhat_2"], found["B_2"]
    assert (D.T @ M @ B).shape == (1, 6)
    with pytest.raises(ValueError, match=r"not aligned|mismatch"):
        np.linalg.multi_dot([D, M, B])  # (70) as printed


def test_e18_the_right_side_is_that_of_the_child() -> None:
    found = at(TREE, "constraints", TREE_STATE)
    # (66) without index: with gamma of the parent the loads are wrong
    Q, Ni, gamma = matrix(found, "Q_4"), matrix(found, "Ni_4"), matrix(found, "gamma_4")
    np.testing.assert_allclose(found["QNig_4"], (Q.T @ Ni @ gamma)[:, 0], atol=1e-12)
    assert np.abs(Q.T @ Ni @ (gamma - matrix(found, "gamma_1"))).max() > 0.1


def test_e7_decoupling_is_condition_2() -> None:
    found = at(TREE, "coordinates", TREE_STATE)
    G, D, M = matrix(found, "G_2"), matrix(found, "H_2"), found["Mhat_2"]
    E, Et = matrix(found, "E_2"), matrix(found, "Et_2")
    for any_E in (E, Et):  # both keep condition 1
        np.testing.assert_allclose(G @ D, 0, atol=1e-13)
        np.testing.assert_allclose(G @ any_E, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(D.T @ M @ Et, 0, atol=1e-12)
    assert np.abs(D.T @ M @ E).max() > 0.1


def test_the_motion_itself_agrees_with_the_corrected_formulas() -> None:
    found = at(TREE, "coordinates", TREE_STATE)
    xidd = rate(TREE, "coordinates", "xid", TREE_STATE, accelerations(TREE, found))
    np.testing.assert_allclose(found["Lambda"] @ xidd, found["eta"], rtol=1e-7)
