"""Identities (3) to (19) of Ivanov and Shimanovskiy on a tree with branches and moving hinges."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from formalisms.cases import system_of
from formalisms.recursive.paper002 import BRANCHED, STATE, Model, Paper, omega, skew, slope
from mbx.expr.build import matvec, transposed


@cache
def paper() -> Paper:
    return Paper(Model(system_of(BRANCHED)), STATE)


def near(value: Any, expected: Any, rel: float = 1e-12) -> None:
    size = max(float(np.abs(expected).max()), 1e-3)
    assert np.abs(np.asarray(value) - expected).max() < rel * size


def test_s2_01_the_array_of_parents_is_the_topology() -> None:
    one = paper()
    assert [link.path for link in one.tree.links] == [f"b{k}" for k in range(1, 9)]
    assert one.k == [None, 0, 1, 0, 2, 3, None, 6]
    assert all(k is None or k < i for i, k in enumerate(one.k))
    assert [link.freedoms for link in one.tree.links] == [4, 0, 1, 3, 2, 2, 6, 1]
    assert one.tree.path(4) == (0, 1, 2, 4)
    assert one.tree.children == ((1, 3), (2,), (4,), (5,), (), (), (7,), ())


def test_s2_02_hinges_give_the_twists_of_the_bodies() -> None:
    """(10) against velocities of the origins and angular velocities of the frames."""
    one = paper()
    for i, link in enumerate(one.tree.links):
        assert link.frame is not None
        express = one.tree.motion.express
        x, y, z = express(link.frame.origin.v)
        linear = matvec(transposed(link.frame.R), (x, y, z))
        twist = [*linear, *express(link.moving.w)]
        near(one.number(twist), one.v[6 * i : 6 * i + 6])
        near(one.form[f"v_{i + 1}"], one.v[6 * i : 6 * i + 6])


def test_s2_02_rates_of_the_hinges_matrices_are_derivatives_by_time() -> None:
    one = paper()
    near(slope(lambda h: one.after(h).A), one.Ad, 1e-10)
    near(slope(lambda h: one.after(h).vr), one.vrd, 1e-10)
    assert np.abs(one.vr).max() > 0.1
    assert np.abs(one.Ad).max() > 0.1


def test_s2_02_the_twist_is_read_off_the_derivatives_of_the_pose() -> None:
    """(3): columns G dr/dq and vee(G d(G^T)/dq), here of the universal joint's link."""
    one = paper()
    link = one.tree.links[5]
    names = [name.removesuffix("'") for name in link.names]

    def pose(at: Paper) -> tuple[Any, Any]:
        own = at.tree.links[5]
        return at.matrix(own.R), at.number(own.r)

    R, _ = pose(one)
    for j, q in enumerate(names):
        dr = one.by_one(q, lambda at: pose(at)[1])
        turn = R.T @ one.by_one(q, lambda at: pose(at)[0])
        column = one.matrix(link.A)[:, j]
        near(column[:3], R.T @ dr, 1e-10)
        near(skew(column[3:]), turn, 1e-10)


def test_s2_03_t_by_recursion_is_the_inverse_of_s() -> None:
    """(14)."""
    one = paper()
    near(one.T, np.linalg.inv(one.S))


def test_s2_03_stacked_kinematics() -> None:
    """(12), (13), (15)."""
    one = paper()
    near(one.S @ one.v, one.A @ one.rates + one.vr)
    near(one.form["v_1"], one.v[:6])
    near(np.concatenate([one.form[f"v_{k}"] for k in range(1, 9)]), one.v)


def test_s2_03_an_omega_takes_its_own_twist_to_zero() -> None:
    one = paper()
    near(one.Om.T @ one.v + 1, np.ones(6 * one.N))


def test_s2_03_rates_of_c_s_and_t() -> None:
    """(16), (17)."""
    one = paper()
    rates = slope(lambda h: np.array(one.after(h).C))
    for i, k in enumerate(one.k):
        if k is None:
            continue
        Oi, Ok = (omega(one.v[6 * j : 6 * j + 6]) for j in (i, k))
        near(rates[i], Oi.T @ one.C[i] - one.C[i] @ Ok.T, 1e-9)
    near(slope(lambda h: one.after(h).S), one.Om.T @ one.S - one.S @ one.Om.T, 1e-9)
    near(slope(lambda h: one.after(h).T), one.Om.T @ one.T - one.T @ one.Om.T, 1e-9)


def test_s2_03_rates_of_b() -> None:
    """(9) and (18)."""
    one = paper()
    Bd = slope(lambda h: one.after(h).B)
    by_q = one.by_coordinates(lambda at: at.v)
    near(Bd, one.Om.T @ one.B + by_q, 1e-9)
    near(one.S @ (Bd - one.Om.T @ one.B), one.Ad - one.Om.T @ one.A, 1e-9)


def test_s2_03_kinematics_by_coordinates_where_twists_are_held() -> None:
    """(19)."""
    one = paper()
    v, rates = one.v, one.rates
    by_q = one.by_coordinates(lambda at: at.A @ rates + at.vr - at.S @ v)
    near(by_q.T, one.Ad.T - one.A.T @ one.Om, 1e-9)


def test_erratum_5_a_unit_matrix_in_the_first_column_is_not_s() -> None:
    """(11) as printed has E where j = 1."""
    one = paper()
    S = one.S - np.eye(6 * one.N)
    for i in range(one.N):
        S[6 * i : 6 * i + 6, :6] += np.eye(6)
    off = S @ one.v - one.A @ one.rates - one.vr
    assert np.abs(off).max() > 0.5
    assert np.linalg.matrix_rank(S) < 6 * one.N


def test_erratum_9_the_sign_of_the_skew_identity() -> None:
    """Printed is a~^T b = -b~ a; the last identity is a~ b~ - (a~ b)~ = b~ a~."""
    a, b = np.array([0.3, -1.2, 0.7]), np.array([1.1, 0.4, -0.5])
    near(skew(a).T @ b, skew(b) @ a)
    assert np.abs(skew(a).T @ b + skew(b) @ a).max() > 1
    near(skew(a) @ skew(b) - skew(skew(a) @ b), skew(b) @ skew(a))
    near(skew(skew(a) @ b), np.outer(b, a) - np.outer(a, b))


def test_erratum_11_the_lower_half_of_4_is_angular() -> None:
    """As printed, B^v and phi^v stand in both halves."""
    one = paper()
    for i in (0, 2, 5):
        rows = slice(6 * i, 6 * i + 3)
        printed = one.B[rows] @ one.rates + one.phi[rows]
        assert np.abs(printed - one.v[6 * i + 3 : 6 * i + 6]).max() > 0.1


def test_erratum_13_the_explicit_part_has_no_relative_rotation() -> None:
    """Printed, w^r is the whole relative angular velocity; (10) counts it twice then."""
    one = paper()
    whole = (one.A @ one.rates + one.vr).reshape(-1, 6)
    vr = one.vr.reshape(-1, 6).copy()
    vr[:, 3:] = whole[:, 3:]
    printed = one.T @ (one.A @ one.rates + vr.ravel())
    assert np.abs(printed - one.v).max() > 0.5


def test_erratum_8_every_link_has_an_explicit_part_of_its_own() -> None:
    """The text behind (12) prints col(v_1^r, ..., v_1^r)."""
    one = paper()
    printed = one.T @ (one.A @ one.rates + np.tile(one.vr[:6], one.N))
    assert np.abs(printed - one.v).max() > 0.1


@pytest.mark.parametrize("hinge", ["fixed", "universal", "general"])
def test_s2_02_any_hinge_has_as_many_columns_as_freedoms(hinge: str) -> None:
    one = paper()
    k, n = {"fixed": (1, 0), "universal": (5, 2), "general": (6, 6)}[hinge]
    assert len(one.tree.links[k].A[0]) == n
    assert np.linalg.matrix_rank(one.matrix(one.tree.links[k].A)) == n if n else True
