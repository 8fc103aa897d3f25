"""Errata of Deepak and Ghosal that change sizes, indices or rates: as printed they fail.

Each test says what is printed, and where. E1 to E9, E12, E16 (first part) and E18 are in
`test_rfda_errata`. The paper prints no numbers: those here were computed for this library.

Words only: E24 (a volume in the list of references) and E26 (numbers of equations that are
missing; the equations themselves are in `test_s1_09` and in E16 here).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy.linalg import block_diag

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
    sliders,
    tree_of,
)

PAIR: Final = system("revolute_pair")
TREE: Final = system("five_node_tree")
MISFIT: Final = r"mismatch|not aligned|could not be broadcast"


def pair() -> Any:
    return at(PAIR, "coordinates", PAIR_STATE)


def tree() -> Any:
    return at(TREE, "coordinates", TREE_STATE)


def naive(found: Any) -> Any:
    """Return T of (20), from the formulas of T_22 and T_23."""

    def g(angle: float, s: tuple[float, float]) -> Any:
        c, d = np.cos(angle + np.pi / 2), np.sin(angle + np.pi / 2)
        return np.array([c * s[0] - d * s[1], d * s[0] + c * s[1]])

    gj, gk = g(0.3, (0.4, 0.1)), g(1.1, (-0.5, 0.2))
    T = np.zeros((6, 4))
    T[:3, :3] = np.eye(3)
    T[3:5, :2], T[3:5, 2], T[3:5, 3] = np.eye(2), gj - gk, -gk
    T[5, 2:] = 1
    assert planar(found["B_2"]) == pytest.approx(T[3:, :3], abs=1e-14)
    return T


def test_e001_10_the_joint_angle_is_that_of_the_child() -> None:
    """Section 3.2.2 calls it theta_j = phi_k - phi_j; of node j it turns the other way."""
    assert [link.names for link in tree_of(PAIR).links] == [("xj'", "yj'", "phij'"), ("thetak'",)]
    found = pair()
    Gd, Qd = matrix(found, "Gd_2"), matrix(found, "Qd_2")
    assert Gd[:, list(PLANE)] == pytest.approx(np.array([[0, 0, 1]]), abs=1e-15)
    assert Qd[:, list(PLANE)] == pytest.approx(np.array([[0, 0, -1]]), abs=1e-15)
    turn = Gd @ found["yd_2"] + Qd @ found["yd_1"]
    assert turn == pytest.approx([-1.9], abs=1e-14)
    exchanged = Gd @ found["yd_1"] + Qd @ found["yd_2"]
    assert np.abs(exchanged - -1.9).max() > 3


def test_e001_11_the_equations_of_rfda_are_those_of_the_parent() -> None:
    """Section 3.2.1 says node 2; Mhat(1, 1) below (19) is of node j, of node k it is m_k."""
    found = pair()
    assert found["Mhat_1"][0, 0] == pytest.approx(3.053745357335, abs=6e-13)
    assert found["Mhat_2"][0, 0] == pytest.approx(1.5, abs=1e-15)
    assert planar(found["Mhat_2"]) == pytest.approx(np.diag([1.5, 1.5, 0.2]), abs=1e-15)


def test_e001_13_the_inertia_of_a_node_multiplies_its_acceleration() -> None:
    """The end of section 6 prints Mhat_j + G_j^T lam_j = fhat_j, a matrix beside columns."""
    found = tree()
    for j in (1, 2, 4):
        held = matrix(found, f"G_{j}").T @ found[f"lambda_{j}"]
        right = found[f"fhat_{j}"]
        assert found[f"Mhat_{j}"] @ found[f"ydd_{j}"] + held == pytest.approx(right, abs=1e-11)
        off = found[f"Mhat_{j}"] + (held - right)[:, None]
        assert np.abs(off).max(axis=0).min() > 0.5


def test_e001_14_special_coordinates_are_rates() -> None:
    """(49) and (53) print xi and y for their rates: y_k would be P y_j + R xi, and is not."""
    found = pair()
    P, R = planar(found["P_1"]), matrix(found, "R0_1")[list(PLANE), 0]
    assert found["xid"] == pytest.approx([-1.640299822000], abs=6e-13)
    rates = P @ planar(found["yd_1"]) + R * found["xid"][0]
    assert rates == pytest.approx(planar(found["yd_2"]), abs=1e-14)
    y_j, y_k = np.array([0.1, 0.2, 0.3]), np.array([0.857622107709, 0.768626187323, 1.1])
    # whatever the number xi, the places do not fit
    off = y_k - P @ y_j
    assert np.abs(off - R * (R @ off) / (R @ R)).max() > 0.1


def test_e001_15_what_is_left_out_is_in_special_rates() -> None:
    """(45) and (46) show y''_kf without a tilde: phi'' and theta'' do not solve the second row."""
    found = pair()
    Mtf, ftf = matrix(found, "Lambda")[0, 0], found["eta"][0]
    xidd = rate(PAIR, "coordinates", "xid", PAIR_STATE, accelerations(PAIR, found))
    assert Mtf * xidd[0] == pytest.approx(ftf, abs=1e-8)
    phi, theta = -0.097906088052, -0.245836262296
    assert found["ydd_2"][5] == pytest.approx(phi, abs=6e-13)
    assert found["ud"][3] == pytest.approx(theta, abs=6e-13)
    for printed in (phi, theta):
        assert abs(Mtf * printed - ftf) > 0.1


def test_e001_16_products_that_lost_their_transposes() -> None:
    """(70) D M Bt, (72) Bt M B and (74) Q^T Et f."""
    found = tree()
    for k, j in enumerate(parents(TREE), start=1):
        if j is None:
            continue
        M, H, B = found[f"Mhat_{k}"], matrix(found, f"H_{k}"), found[f"B_{k}"]
        Et, Q, f = matrix(found, f"Et_{k}"), matrix(found, f"Q_{k}"), found[f"fhat_{k}"]
        Bt = Et @ Q
        Pi = np.eye(6) - M @ H @ np.linalg.solve(H.T @ M @ H, H.T)
        assert H.T @ M @ Bt == pytest.approx(np.zeros((H.shape[1], 6)), abs=1e-12)
        with pytest.raises(ValueError, match=MISFIT):
            np.linalg.multi_dot([H, M, Bt])
        # fits, and is another matrix, not even symmetric
        assert pytest.approx(B.T @ Pi @ M @ B, abs=1e-12) == -Bt.T @ M @ B
        printed = -Bt @ M @ B
        assert np.abs(printed - B.T @ Pi @ M @ B).max() > 0.02
        assert np.abs(printed - printed.T).max() > 0.02
        assert -Q.T @ Et.T @ f == pytest.approx(B.T @ Pi @ f, abs=1e-11)
        with pytest.raises(ValueError, match=MISFIT):
            np.linalg.multi_dot([Q.T, Et, f])


def test_e001_17_the_joint_acceleration_is_that_of_the_child() -> None:
    """C.3.3 has q''_j once: the parent's own joint turns the child by another amount."""
    found = tree()
    qdd = [-14.429110193082, 19.519090203030, -0.821450397894, 14.218735633184, -1.527308529179]
    for k, j in enumerate(parents(TREE), start=1):
        if j is None:
            continue
        H = matrix(found, f"H_{k}")[:, 0]
        rest = found[f"B_{k}"] @ found[f"ydd_{j}"] + found[f"d_{k}"]
        assert rest + H * qdd[k - 1] == pytest.approx(found[f"ydd_{k}"], abs=2e-11)
        assert np.abs(rest + H * qdd[j - 1] - found[f"ydd_{k}"]).max() > 5


def test_e001_19_coordinates_of_the_sliders_have_both_places_of_body_1() -> None:
    """Section 4 has [r_x1, r_x2] and [y_y2]; with r_x2 for r_y1 a place of body 1 is lost."""
    found = at(sliders(), "coordinates", {"sx": 0.1, "sy": 0.2, "sx'": 0.3, "sy'": 0.4})
    M = block_diag(found["M_1"][:2, :2], found["M_2"][:2, :2])
    T = np.array([[1.0, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]])  # (16), rows x1, y1, x2, y2
    printed = np.array([[1.0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]])  # [r_x1, r_x2 | r_y2]
    assert pytest.approx(np.diag([5, 2, 3]), abs=1e-14) == T.T @ M @ T  # (17): m1 + m2, m1, m2
    assert printed.T @ M @ printed == pytest.approx(np.diag([2, 3, 3]), abs=1e-14)
    assert found["Mhat_1"][:2, :2] == pytest.approx(np.diag([5, 2]), abs=1e-14)  # (15)
    # joint 2 is kept by any rates of (16), not by those printed, and y1 can be moved
    joint = np.array([-1, 0, 1, 0])
    assert joint @ T == pytest.approx(np.zeros(3), abs=0)
    assert np.abs(joint @ printed).max() == 1
    assert np.abs(printed[1]).max() == 0


def test_e001_20_the_last_rate_of_the_naive_coordinates_is_that_of_the_joint() -> None:
    """(20) is scrambled, with phi'_k at its end."""
    found = pair()
    T = naive(found)
    yd = np.concatenate([planar(found["yd_1"]), planar(found["yd_2"])])
    assert pytest.approx(yd, abs=1e-14) == T @ [0.5, -0.4, 0.7, -1.9]
    assert np.abs(T @ [0.5, -0.4, 0.7, -1.2] - yd).max() > 0.6


def test_e001_20_unit_changes_of_the_naive_coordinates_turn_the_child_by_0_0_1_1() -> None:
    """Fig. 6 of the paper, beside the alpha, beta, ... of its Fig. 5, which is E5."""
    T = naive(pair())
    assert T[5] == pytest.approx([0, 0, 1, 1], abs=0)
    own = [*planar(pair()["P_1"])[2], 1]
    golden = [0.838309737982, -0.956786297776, -0.516527951573, 1]
    assert own == pytest.approx(golden, abs=6e-13)
    # body j moves alike in both
    assert T[:3] == pytest.approx(np.eye(3, 4), abs=0)


def test_e001_21_the_display_that_cannot_be_read_is_what_2_6_says() -> None:
    """Before the reduction: blkdiag(M_j, Mt_c, Mt_f), with lam_k in the first two rows."""
    found = pair()
    Et, H, Q, G = (matrix(found, f"{n}_2") for n in ("Et", "H", "Q", "G"))
    lam = found["lambda_2"]
    rows = [
        found["M_1"] @ found["ydd_1"] + Q.T @ lam - found["f_1"],
        found["Mtc_2"] @ found["ycdd_2"] + (G @ Et).T @ lam - found["ftc_2"],
        H.T @ found["Mhat_2"] @ H @ np.ravel(found["yfdd_2"]) - found["eta"],
    ]
    for row in rows:
        assert row == pytest.approx(np.zeros(len(row)), abs=1e-11)
    # its rates: constraints [Q_k, G Et, 0] = nu_k
    left = Q @ found["yd_1"] + G @ Et @ np.ravel(found["ycd_2"])
    assert left == pytest.approx(np.ravel(found["a_2"]), abs=1e-14)
    # without lam_k in the row of the parent, which nothing else holds, it does not balance
    assert np.abs(found["M_1"] @ found["ydd_1"] - found["f_1"]).max() > 0.5


def test_e001_22_indices_from_0_to_n_are_of_n_and_one_nodes() -> None:
    """Section 2 says n-noded: nodes 0 to 4 are five bodies, with n = 4 left-out equations."""
    assert [link.path for link in tree_of(TREE).links] == [f"node{k}" for k in range(5)]
    found = tree()
    assert found["Mj_1"].shape == (6 * 5, 6 * 5)
    assert len(found["eta"]) == 4
    # with n = 4 nodes the last would be left out of the loads on the root
    M, f = found["Mhat_4"], found["fhat_4"]
    assert np.abs(M - found["M_4"]).max() > 0.4
    assert np.abs(f - found["f_4"]).max() > 0.4


def test_e001_23_tildes_make_definitions_of_what_would_be_equations() -> None:
    """(37) D = D C_f and (43) E = E + D A, as printed, hold for C_f = 1 and A = 0 alone."""
    found = tree()
    for k in (2, 4, 5):  # revolute, away from the mass centre
        E, D, At, Et = (matrix(found, f"{n}_{k}") for n in ("E", "H", "At", "Et"))
        M = found[f"Mhat_{k}"]
        assert np.linalg.solve(D.T @ M @ D, -D.T @ M @ E) == pytest.approx(At, abs=1e-12)  # (42)
        assert E + D @ At == pytest.approx(Et, abs=1e-12)
        assert np.abs(E - (E + D @ At)).max() > 0.1
        assert np.abs(D - D @ [[2.0]]).max() >= 1
        # any C_f spans the same, and E alone does not decouple
        assert np.linalg.matrix_rank(np.hstack([D, D @ [[2.0]]])) == 1
        assert np.abs(D.T @ M @ E).max() > 0.05


def test_e001_25_the_left_side_of_69_is_bt_not_the_rate_of_b() -> None:
    found = pair()
    M, D, B = found["Mhat_2"], matrix(found, "H_2"), found["B_2"]
    right = (-np.eye(6) + D @ np.linalg.solve(D.T @ M @ D, D.T @ M)) @ B
    Bt = matrix(found, "Et_2") @ matrix(found, "Q_2")
    assert Bt == pytest.approx(right, abs=1e-12)
    Bd = rate(PAIR, "coordinates", "B_2", PAIR_STATE, accelerations(PAIR, found))
    assert Bd == pytest.approx(matrix(found, "Bd_2"), abs=1e-8)
    assert np.abs(Bd - right).max() > 0.5
