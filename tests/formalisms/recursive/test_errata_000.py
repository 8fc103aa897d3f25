"""Errata of Yu, Mikkola, Pan and Escalona in sizes, indices and signs: as printed they fail.

Each test says what is printed, and where. E3 to E8, E10 and E13 are in
`test_semi_recursive_errata`, which has other sides of E1 and E15, too. The paper prints no
numbers: those here were computed for this library.

Words only: E21 (one reference is listed twice; nothing is computed from it).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy.linalg import block_diag

from formalisms.cases import system_of
from formalisms.recursive.semi_recursive import (
    BOTH,
    CHAIN,
    QUICK_RETURN,
    absolute,
    planar,
    values_at,
)

FIRST, SECOND = BOTH
J: Final = np.array([[0.0, -1.0], [1.0, 0.0]])
RATES: Final = {"x1'": 0.0, "y1'": 0.0, "th1'": 0.0, "x2'": 0.0, "y2'": 0.0, "th2'": 0.0}
PLACE: Final = {
    "x1": 0.560530497001,
    "y1": 0.394709171154,
    "th1": 0.4,
    "x2": 1.330798181977,
    "y2": 1.452830252828,
    "th2": 0.7,
}
MISFIT: Final = r"mismatch|not aligned|could not be broadcast"


def turned(angle: float, vector: Any) -> Any:
    """Return A(angle) of a vector of the plane."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]]) @ np.array(vector)


def partitioned() -> Any:
    """Return the R-P chain in absolute coordinates, th1' and x2' independent."""
    return values_at(absolute("independent th1', x2'"), f"{FIRST}:partitioned", PLACE | RATES)


def test_e000_01_the_independent_block_has_no_inverse() -> None:
    """(8) prints the inverse on C_i, and a size 3 n_b x n_c."""
    one = partitioned()
    Cd, Ci, H = one["Ad"], one["Ai"], one["H"]
    assert H[[0, 1, 4, 5]] == pytest.approx(-np.linalg.solve(Cd, Ci), abs=1e-13)
    assert H[[2, 3]] == pytest.approx(np.eye(2), abs=0)
    with pytest.raises(np.linalg.LinAlgError, match="square"):
        np.linalg.inv(Ci)


def test_e000_02_the_second_block_has_the_independent_columns() -> None:
    """Section 2.2 names both blocks C_d; the second has the size m x (3 n_b - m)."""
    one = partitioned()
    Cd, Ci, H = one["Ad"], one["Ai"], one["H"]
    m, coordinates = 4, 6
    assert Cd.shape == (m, m)
    assert Ci.shape == (m, coordinates - m)
    free = np.array([0.7, -0.4])
    rates = H @ free
    dependent = rates[[0, 1, 4, 5]]  # x1', y1', y2', th2'
    assert Cd @ dependent + Ci @ free == pytest.approx(np.zeros(m), abs=1e-14)
    with pytest.raises(ValueError, match=MISFIT):
        Cd @ dependent + Cd @ free


def test_e000_09_reactions_of_the_loops_count_once_not_once_a_body() -> None:
    """(46) and (53) have C_z^T lam inside the sum: harmless where it is zero, not with loops."""
    one = values_at("rp_chain", FIRST, CHAIN)
    V = planar(one["V"])
    Cq = chain_rows()
    lam = np.array([-3.165993589, -13.595646141, 1.836644825, -2.750665371])
    each = [V[3 * k : 3 * k + 3].T @ Cq[:, 3 * k : 3 * k + 3].T @ lam for k in (0, 1)]
    # of an open tree: any number of times nothing, though no body has nothing alone
    assert 2 * sum(each) == pytest.approx(np.zeros(2), abs=1e-9)
    assert np.abs(each).max() > 1
    # of a closed one: five bodies, five times the reaction
    closed = values_at("quick_return", FIRST, QUICK_RETURN)
    left = closed["M"] @ closed.ud - closed["h"]
    reaction = closed["A"].T @ closed.lam
    assert left - reaction == pytest.approx(np.zeros(6), abs=1e-11)
    assert np.abs(left - 5 * reaction).max() > 10


def chain_rows() -> Any:
    """Return Cq of (5), columns (x1, y1, th1, x2, y2, th2)."""
    R1, R2 = (np.array([PLACE[f"x{k}"], PLACE[f"y{k}"]]) for k in (1, 2))
    uP, uS, h = turned(0.4, [-0.5, 0]), turned(0.7, [-0.2, -0.1]), turned(0.4, [0.8, 0.6])
    Cq = np.zeros((4, 6))
    Cq[:2, :2], Cq[:2, 2] = np.eye(2), J @ uP
    Cq[2, 2], Cq[2, 5] = -1, 1
    Cq[3, :2], Cq[3, 2] = -h @ J, -h @ (R1 - R2 - uS)
    Cq[3, 3:5], Cq[3, 5] = h @ J, -h @ uS
    return Cq


def test_e000_11_the_inertia_in_eq_62_multiplies_accelerations() -> None:
    """Printed is Mbb + C_z^T lam = Q: a matrix beside columns, and no unknown in it."""
    one = values_at("quick_return", SECOND, QUICK_RETURN)
    M, held, Q = one["M"], one["A"].T @ one.lam, one["h"]
    assert M @ one.ud - held == pytest.approx(Q, abs=1e-11)
    assert M.shape == (6, 6)
    assert Q.shape == (6,)
    columns = M - held[:, None] - Q[:, None]
    # no column of the matrix can stand for M z''
    assert np.abs(columns).max(axis=0).min() > 1
    assert np.abs(M @ np.ones(6) - held - Q).max() > 1


@pytest.mark.parametrize("form", BOTH)
def test_e000_12_matrices_without_bars_do_not_fit_the_joint_coordinates(form: str) -> None:
    """(48) and (52) print M z'' = Q_v + Q_e with the matrices of the bodies."""
    one = values_at("rp_chain", form, CHAIN)
    bodies = block_diag(one["M_1"], one["M_2"])
    loads = np.concatenate([one[f"Qv_{k}"] + one[f"Qe_{k}"] for k in (1, 2)])
    barred = one["Mbar" if form == FIRST else "Mbb"]
    assert barred @ one.ud == pytest.approx(one["Qv"] + one["Qe"], abs=1e-12)
    with pytest.raises(ValueError, match=MISFIT):
        bodies @ one.ud
    # nor do forces and inertia of bodies balance: reactions are between
    qdd = values_at("rp_chain", FIRST, CHAIN)
    qdd_ = qdd["V"] @ qdd.ud + qdd["Vdot"] @ qdd["zd"]
    assert np.abs(bodies @ qdd_ - loads).max() > 1


def test_e000_14_eq_17_has_the_rate_of_the_joint_not_of_the_body() -> None:
    """Printed is z'_i, with the number of the body; with branches numbers of both may differ."""
    text = """mbx 1
    model Late { coordinate a: rad = 0.3, b: rad = 0.5, c: rad = -0.7
      body one { mass 1 kg com [0.2 m, 0, 0] inertia 0.1 [kg*m^2] about z
        joint general(ground, move = [0.1 m*sin(b), 0, 0], rotated z by a) }
      body two { mass 1 kg com [0.1 m, 0.1 m, 0] inertia 0.2 [kg*m^2] about z
        joint revolute(one at [0.4 m, 0, 0], axis = z, angle = c) } }"""
    state = {"a": 0.3, "b": 0.5, "c": -0.7, "a'": 0.4, "b'": -0.6, "c'": 1.3}
    one = values_at(system_of(text), FIRST, state)
    zd = one["zd"]
    assert len(zd) == 3
    R, p = one["R_2"][:2], one["R_1"][:2]
    B = np.block([[np.eye(2), (J @ (R - p))[:, None]], [np.zeros((1, 2)), np.ones((1, 1))]])
    own = np.array([*(J @ (R - one["rho_2"][:2])), 1])
    parent, body = one["qd_1"][[0, 1, 5]], one["qd_2"][[0, 1, 5]]
    assert B @ parent + own * 1.3 == pytest.approx(body, abs=1e-14)
    # the rate of number i = 2 is that of a coordinate of the first joint
    assert np.abs(B @ parent + own * zd[1] - body).max() > 0.5


def test_e000_14_accelerations_need_second_rates_in_eq_22() -> None:
    """Printed is V z: coordinates where their accelerations belong."""
    one = values_at("rp_chain", FIRST, CHAIN)
    golden = [0.166453313430, -1.947298244422, -3.716800860030]
    golden += [1.979868556178, -10.752947741548, -3.716800860030]
    V, bias = planar(one["V"]), planar(one["Vdot"]) @ one["zd"]
    assert V @ one.ud + bias == pytest.approx(golden, abs=2e-12)
    assert np.abs(V @ [0.4, 0.7] + bias - golden).max() > 4


def test_e000_14_the_rate_of_v_needs_the_rates_of_places() -> None:
    """(23): R~ for R', so J(R - r') or J(R' - r) where J(R' - r') belongs."""
    one = values_at("rp_chain", FIRST, CHAIN)
    column = planar(one["Vdot"])[3:5, 0]
    assert column == pytest.approx([-0.835375238025, -1.680031952001], abs=2e-12)
    R, Rd = one["R_2"][:2], one["qd_2"][:2]
    rd = np.zeros(2)  # the pivot rests
    assert J @ (Rd - rd) == pytest.approx(column, abs=1e-13)
    assert np.abs(J @ (R - rd) - column).max() > 0.5


@pytest.mark.parametrize("level", ["velocity", "acceleration"])
def test_e000_14_d_has_j_not_the_rate_of_a_unit_matrix(level: str) -> None:
    """(25) and (28) print I'_2, which is zero, for J: then D_i is a unit matrix and e_i zero."""
    one, two = (values_at("quick_return", form, QUICK_RETURN) for form in BOTH)
    qdd = one["V"] @ one.ud[:5] + one["Vdot"] @ one["zd"]
    Zdd = two["T"] @ (two["R_d"] @ two.ud[:5] + two["d"])
    off = []
    for k in range(1, 6):
        rows = slice(6 * k - 6, 6 * k)
        if level == "velocity":
            assert two[f"D_{k}"] @ two[f"Zd_{k}"] == pytest.approx(one[f"qd_{k}"], abs=1e-13)
            off.append(np.abs(two[f"Zd_{k}"] - one[f"qd_{k}"]).max())
        else:
            moved = two[f"D_{k}"] @ Zdd[rows] + two[f"e_{k}"]
            assert moved == pytest.approx(qdd[rows], abs=1e-11)
            off.append(np.abs(Zdd[rows] + two[f"e_{k}"] - qdd[rows]).max())
    assert max(off) > 1


SLIDES: Final = """mbx 1
model Slides {
  coordinate a: rad = 0.3, s: m = 0.2, w: m = 0.4, c: rad = 0.6
  body one { mass 1 kg com [0.1 m, 0, 0] inertia 0.1 [kg*m^2] about z
    joint prismatic(ground, axis = [0.6, 0.8, 0], distance = s) }
  body two { mass 1 kg com [0.1 m, 0, 0] inertia 0.1 [kg*m^2] about z
    joint prismatic(one at [0.3 m, 0, 0], axis = [0, 1, 0], distance = w) }
  body three { mass 1 kg com [0.1 m, 0.2 m, 0] inertia 0.1 [kg*m^2] about z
    joint revolute(two at [0.2 m, 0.1 m, 0], axis = z, angle = c) }
  body four { mass 1 kg com [0.1 m, 0.2 m, 0] inertia 0.1 [kg*m^2] about z
    joint revolute(three at [0.2 m, 0.1 m, 0], axis = z, angle = a) }
  gravity [0, -9.81 [m/s^2], 0]
}
"""


def test_e000_15_the_point_s_belongs_to_the_second_body() -> None:
    """The text gives u^S by body 1 once: turned with body 1, the row of (2) is broken by it."""
    R1, R2 = (np.array([PLACE[f"x{k}"], PLACE[f"y{k}"]]) for k in (1, 2))
    uQ, across = turned(0.4, [0.4, 0.1]), J @ turned(0.4, [0.8, 0.6])
    rows = [across @ (R1 + uQ - R2 - turned(angle, [-0.2, -0.1])) for angle in (0.7, 0.4)]
    assert rows[0] == pytest.approx(0, abs=1e-11)
    assert abs(rows[1]) > 0.05
    state = CHAIN | {"z2": 0.9}
    one = values_at("rp_chain", FIRST, state)
    moved = across @ (one["R_1"][:2] + uQ - one["R_2"][:2] - turned(0.7, [-0.2, -0.1]))
    assert moved == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("form", BOTH)
def test_e000_16_the_axis_of_c_4_is_that_of_the_joint_before(form: str) -> None:
    """The text says h_{j-2}; with two slides in a row that is the axis of another joint."""
    state = {"a": 0.3, "s": 0.2, "w": 0.4, "c": 0.6, "a'": 1.0, "s'": 0.5, "w'": -0.4, "c'": 0.7}
    one = values_at(system_of(SLIDES), form, state)
    h = {k: one[f"h_{k}"][:2] for k in (1, 2)}
    matrix = planar(one["V" if form == FIRST else "W"])
    for body in (3, 4):  # j - 1 = 2: the joint before that of body 3
        column = matrix[3 * body - 3 : 3 * body, 1]
        assert column == pytest.approx([*h[2], 0], abs=1e-15)
        assert np.abs(column[:2] - h[1]).max() > 0.5


def test_e000_17_constraints_and_freedoms_are_two_numbers() -> None:
    """n_c is 4 in section 2.2 and 2 in section 3; with one symbol sizes of H and V are wrong."""
    one = partitioned()
    constraints, freedoms = len(one["A"]), values_at("rp_chain", FIRST, CHAIN)["V"].shape[1]
    assert (constraints, freedoms) == (4, 2)
    assert one["H"].shape == (6, 6 - constraints) == (6, freedoms)
    assert one["H"].shape != (6, constraints)
    tree = values_at("quick_return", FIRST, QUICK_RETURN)
    rows = [path for path in tree.equations.step("A").row_labels if "measure" not in path]
    assert (len(rows), tree["V"].shape[1]) == (4, 5)


def test_e000_18_the_axis_is_fixed_in_the_body_that_carries_the_joint() -> None:
    """h_2 of (38) is of joint 2: read as an axis of body 2 it points elsewhere by theta_c."""
    one = values_at("rp_chain", FIRST, CHAIN)
    own = np.array([0.8, 0.6])
    assert one["h_2"][:2] == pytest.approx(turned(0.4, own), abs=1e-15)
    read = turned(0.7, own)  # A_2 of body 2
    assert np.abs(one["h_2"][:2] - read).max() > 0.2
    step = 1e-6
    far, near = (
        values_at("rp_chain", FIRST, CHAIN | {"z2": 0.7 + s * step})["R_2"][:2] for s in (1, -1)
    )
    slope = (far - near) / (2 * step)
    assert one["h_2"][:2] == pytest.approx(slope, abs=1e-9)
    assert np.abs(read - slope).max() > 0.2


def test_e000_19_virtual_work_of_inertia_has_a_minus() -> None:
    """(40) with a plus, added to the work of loads, lets bodies fall upwards."""
    one = values_at("rp_chain", FIRST, CHAIN)
    M, Qv, Qe = one["M"], one["Qv"], one["Qe"]
    golden = [-3.716800860030, -4.626594807557]
    assert np.linalg.solve(M, Qv + Qe) == pytest.approx(golden, abs=2e-12)
    printed = np.linalg.solve(M, Qv - Qe)  # +(M z'' - Q_v) + Q_e = 0
    assert np.abs(printed - golden).max() > 5
    assert (printed > 0).all()


@pytest.mark.parametrize("form", BOTH)
def test_e000_20_a_revolute_joint_frees_rotation_and_a_prismatic_one_translation(form: str) -> None:
    """The text above (15) and (19) says that each constrains what it frees."""
    one = values_at("quick_return", form, QUICK_RETURN)
    for joint, turns in ((1, True), (2, False), (3, True), (4, True), (5, True)):
        slide, turn = one[f"h_{joint}"], one[f"w_{joint}"]
        assert np.abs(slide).max() == pytest.approx(0 if turns else 0.965925826289, abs=1e-12)
        assert turn == pytest.approx([0, 0, 1 if turns else 0], abs=0)
