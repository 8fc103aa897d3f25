"""Checklist S1-07 to S1-14: change of coordinates, special coordinates, what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from formalisms.cases import system, system_of
from formalisms.recursive.rfda_cases import (
    PAIR,
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
    some_state,
    space,
)
from mbx.analyses.structure.recursive_rates import recursive_rates
from mbx.base.errors import EquationsError
from mbx.expr.nodes import number, symbol
from mbx.formalism import registry
from mbx.formalism.builder import Program
from mbx.formalism.steps.change_of_coordinates import (
    Constraint,
    Rates,
    change_constraint,
    change_coordinates,
    independent_rows,
)
from mbx.numerics.execute.evaluate_equations import evaluate
from mbx_converters.rfda.step_one import conditions, method_1, method_2

if TYPE_CHECKING:
    from mbx.formalism.matrix_value import Matrix
    from mbx.numerics.execute.evaluate_equations import Evaluation
    from mbx.system.system import System

TREES = [space(), system("five_node_tree")]
IDS = ["space", "tree"]


def _define(p: Program, **matrices: Any) -> list[Matrix]:
    values = []
    for name, entries in matrices.items():
        rows = np.asarray(entries, dtype=float)
        numbers = [[number(float(x)) for x in row] for row in rows]
        values.append(p.define(name, numbers, columns=[""] * rows.shape[1]))
    return values


def _run(p: Program) -> Evaluation:
    return evaluate(p.equations(system_of(PAIR), "", "", "", {}), PAIR_STATE)


def _naive(p: Program) -> list[Matrix]:
    """Add the pair in absolute coordinates, and T and T' v' of [y_j; theta_k], (20)."""
    found = at(system("revolute_pair"), "coordinates", PAIR_STATE)
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = planar(found["M_1"]), planar(found["M_2"])
    f = np.concatenate([planar(found["f_1"]), planar(found["f_2"])])[:, None]
    H = matrix(found, "H_2")[list(PLANE)]
    T = np.block([[np.eye(3), np.zeros((3, 1))], [planar(found["B_2"]), H]])
    left = np.concatenate([np.zeros(3), planar(found["d_2"])])[:, None]
    Psi = np.hstack([matrix(found, n)[:2][:, list(PLANE)] for n in ("Q_2", "G_2")])
    nu, e = np.zeros((2, 1)), np.zeros((6, 1))
    return _define(p, M=M, f=f, T=T, left=left, Psi=Psi, nu=nu, e=e)


def test_s1_07_a_change_of_coordinates_keeps_the_motion_and_drops_rows() -> None:
    p = Program()
    M, f, T, left, Psi, nu, e = _naive(p)
    rates = Rates(T=T, e=e, left=left)
    new = change_coordinates(p, M, f, rates, "n")
    rows = change_constraint(p, Constraint(Psi=Psi, nu=nu, count=2), rates, "n")
    found = _run(p)
    vdd = np.linalg.solve(matrix(found, new.M.name), matrix(found, new.f.name))[:, 0]
    # 3.6, computed for this library
    golden = [0.322669667867, -9.551457728936, 0.147930174244, -0.245836262296]
    np.testing.assert_allclose(vdd, golden, rtol=0, atol=2e-11)
    assert matrix(found, rows.Psi.name).shape == (0, 4)
    np.testing.assert_allclose(matrix(found, rows.dropped.name), 0, atol=1e-14)


def test_s1_07_rows_that_are_no_combination_of_those_kept_are_seen() -> None:
    p = Program()
    Psi4, nu4 = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1]], [[1], [2], [3], [4]]
    M, f, T, Psi, nu = _define(p, M=np.eye(3), f=np.ones((3, 1)), T=np.eye(3), Psi=Psi4, nu=nu4)
    new = change_coordinates(p, M, f, Rates(T=T), "a")
    constraint = Constraint(Psi=Psi, nu=nu, count=4, kept=(0, 1))
    rows = change_constraint(p, constraint, Rates(T=T), "a")
    found = _run(p)
    left = matrix(found, rows.dropped.name)
    np.testing.assert_allclose(left[0], 0, atol=1e-14)  # redundant, and 1 + 2 = 3
    np.testing.assert_allclose(left[1], [0, 0, 1, 4], atol=1e-14)  # neither
    np.testing.assert_allclose(matrix(found, rows.nu.name)[:, 0], [1, 2])
    np.testing.assert_allclose(matrix(found, new.f.name)[:, 0], [1, 1, 1])


def test_s1_07_rows_to_keep_are_found_and_must_exist() -> None:
    a, b = symbol("a"), symbol("b")
    assert independent_rows([[a, b], [a, b], [b, a], [a, a]]) == (0, 2)
    p = Program()
    T, Psi, nu = _define(p, T=np.eye(1), Psi=[[1]], nu=[[1]])
    constraint = Constraint(Psi=Psi, nu=nu, count=1, kept=(1,))
    with pytest.raises(EquationsError, match=r"rows \(1,\) are not among the 1 rows of 'Psi'"):
        change_constraint(p, constraint, Rates(T=T), "a")


@pytest.mark.parametrize("p_k", [3, 6])
@pytest.mark.parametrize("seed", range(4))
def test_s1_08_both_methods_meet_both_conditions(p_k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    held = int(rng.integers(1, p_k))
    root = rng.normal(size=(p_k, p_k))
    mass = root @ root.T + np.eye(p_k)
    both = np.linalg.inv(rng.normal(size=(p_k, p_k)))
    rows = np.linalg.inv(both)[:held]
    scales = rng.normal(size=(held, held)), rng.normal(size=(p_k - held, p_k - held))
    N = rows @ np.linalg.inv(mass) @ rows.T
    p = Program()
    M, G, E, D = _define(p, M=mass, G=rows, E=both[:, :held], D=both[:, held:])
    Cc, Cf, Ni = _define(p, Cc=scales[0], Cf=scales[1], Ni=np.linalg.inv(N))
    corrected = method_2(p, "_d", M, E, D)
    cases = [
        method_1(p, "_a", M, G, D),
        method_1(p, "_b", M, G, D, Cc, Cf),
        method_1(p, "_c", M, G, D, Ni),
        (corrected.Et, corrected.Dt),
    ]
    named = [conditions(p, f"_{k}", M, G, *case) for k, case in enumerate(cases)]
    found = _run(p)
    Q = rng.normal(size=(held, p_k))
    passed = []
    for (first, second, GEt), (Et, _) in zip(named, cases, strict=True):
        np.testing.assert_allclose(matrix(found, first.name), 0, atol=1e-9)
        np.testing.assert_allclose(matrix(found, second.name), 0, atol=1e-8)
        S = -np.linalg.solve(matrix(found, GEt.name), Q)
        passed.append(S.T @ matrix(found, Et.name).T @ mass @ matrix(found, Et.name) @ S)
    for other in passed[1:]:  # what the parent gets depends on neither Cc nor Cf
        np.testing.assert_allclose(other, passed[0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(passed[0], Q.T @ np.linalg.inv(N) @ Q, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(matrix(found, named[3][2].name), np.eye(held), atol=1e-9)
    same = matrix(found, cases[2][0].name), matrix(found, cases[3][0].name)
    np.testing.assert_allclose(*same, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("one", TREES, ids=IDS)
def test_s1_09_both_standard_forms_come_from_the_two_node_system(one: System) -> None:
    state = some_state(one, 1)
    found = at(one, "coordinates", state)
    other = at(one, "constraints", state)
    for k, j in enumerate(parents(one), start=1):
        if j is None:
            continue
        M, H, B = found[f"Mhat_{k}"], matrix(found, f"H_{k}"), found[f"B_{k}"]
        Et, Q, d = matrix(found, f"Et_{k}"), matrix(found, f"Q_{k}"), found[f"d_{k}"]
        Pi = np.eye(6) - M @ H @ np.linalg.solve(H.T @ M @ H, H.T)
        np.testing.assert_allclose(found[f"Mup_{k}"], B.T @ Pi @ M @ B, atol=1e-11)  # (46), (73)
        np.testing.assert_allclose(found[f"Mup_{k}"], other[f"Mup_{k}"], atol=1e-11)  # (45)
        Bt = Et @ Q
        np.testing.assert_allclose(Bt, -Pi.T @ B, atol=1e-12)  # (69)
        np.testing.assert_allclose(H.T @ M @ Bt, 0, atol=1e-12)  # (70)
        np.testing.assert_allclose(matrix(found, f"G_{k}") @ Et, np.eye(len(Q)), atol=1e-12)  # (71)
        # S^T (ftc - Mtc (a' + S' y')) = B^T Pi (fhat - Mhat d), (74) and C.3.3
        expected = B.T @ Pi @ (found[f"fhat_{k}"] - M @ d)
        np.testing.assert_allclose(found[f"fup_{k}"], expected, atol=1e-11)
        np.testing.assert_allclose(Bt.T @ M @ d, -B.T @ Pi @ M @ d, atol=1e-11)


def _below(one: System, j: int) -> list[int]:
    up = parents(one)
    found = [j]
    for k in range(1, len(up) + 1):
        if up[k - 1] == j:
            found += _below(one, k)
    return found


@pytest.mark.parametrize("one", TREES, ids=IDS)
def test_s1_10_every_node_has_coordinates_of_its_own(one: System) -> None:
    found = at(one, "coordinates", some_state(one, 2))
    rng = np.random.default_rng(0)
    up = parents(one)
    carrying = [j for j in range(1, len(up) + 1) if len(_below(one, j)) > 1]
    assert len(carrying) >= 3
    for j in carrying:
        nodes = _below(one, j)
        P, R, varpi = (matrix(found, f"{n}_{j}") for n in ("P", "R0", "varpi"))
        T = np.block([[np.eye(6), np.zeros((6, R.shape[1]))], [P, R]])
        M = np.zeros((6 * len(nodes), 6 * len(nodes)))
        for i, k in enumerate(nodes):
            M[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = found[f"M_{k}"]
        mass = T.T @ M @ T
        np.testing.assert_allclose(mass[:6, :6], found[f"Mhat_{j}"], atol=1e-12)
        np.testing.assert_allclose(mass[:6, 6:], 0, atol=1e-12)
        np.testing.assert_allclose(mass[6:, 6:], matrix(found, f"Lambda_{j}"), atol=1e-12)
        # any rates keep all joints inside
        rates = T @ rng.normal(size=T.shape[1]) + np.concatenate([np.zeros(6), varpi[:, 0]])
        yd = dict(zip(nodes, rates.reshape(-1, 6), strict=True))
        for k in nodes[1:]:
            row = matrix(found, f"Q_{k}") @ yd[up[k - 1] or 0] + matrix(found, f"G_{k}") @ yd[k]
            np.testing.assert_allclose(row, matrix(found, f"a_{k}")[:, 0], atol=1e-11)


@pytest.mark.parametrize("one", TREES, ids=IDS)
def test_s1_11_what_is_left_out_holds_along_the_motion(one: System) -> None:
    state = some_state(one, 3)
    found = at(one, "coordinates", state)
    ud = accelerations(one, found)
    xidd = rate(one, "coordinates", "xid", state, ud)
    np.testing.assert_allclose(found["Lambda"] @ xidd, found["eta"], rtol=1e-6, atol=1e-7)
    for k, j in enumerate(parents(one), start=1):
        names = ["Mhat", "E", "H", "G"] + ([] if j is None else ["Et", "Q", "Mtc", "At"])
        rates = ["Mhatd", "Ed", "Hd", "Gr", "Etd", "Qr", "Mtcd"]
        if k == 4 and one is TREES[0]:
            continue  # of a screw, columns of E are any basis
        for name, named in zip(names, rates, strict=False):
            moved = rate(one, "coordinates", f"{name}_{k}", state, ud)
            got = matrix(found, f"{named}_{k}")
            np.testing.assert_allclose(moved.reshape(got.shape), got, rtol=1e-5, atol=1e-6)


def test_s1_11_closed_loops_have_no_left_out_equations_of_their_own() -> None:
    assert "eta" not in registry.derive(system("four_bar"), "rfda:coordinates").results


@pytest.mark.parametrize("one", TREES, ids=IDS)
@pytest.mark.parametrize("seed", range(3))
def test_s1_12_the_certificate_is_zero(one: System, seed: int) -> None:
    found = at(one, "coordinates", some_state(one, seed))
    names = [n for n in found.equations.results if n.startswith("certificate:")]
    assert names == [f"certificate:{'one' if one is TREES[0] else 'node0'}"]
    assert np.abs(found[names[0]]).max() < 1e-12 * np.abs(found["Mv_1"]).max()


def test_s1_12_the_certificate_sees_a_wrong_inertia() -> None:
    found = at(system("five_node_tree"), "coordinates", TREE_STATE)
    T, M = found["Tj_1"], found["Mj_1"].copy()
    M[7, 7] *= 1 + 1e-6
    assert np.abs(T.T @ M @ T - found["MhL_1"]).max() > 1e-7


def test_s1_13_rates_of_a_revolute_pair_are_not_integrable() -> None:
    assert [(x.hinge, x.kind) for x in recursive_rates(system("revolute_pair"))] == [
        ("thetak'", "not integrable")
    ]


def test_s1_13_rates_of_sliders_are_exact() -> None:
    assert [(x.hinge, x.kind) for x in recursive_rates(sliders())] == [("sy'", "exact")]


def test_s1_13_a_joint_at_the_mass_centre_gives_a_coordinate() -> None:
    text = PAIR.replace("skx: m = -0.5, sky: m = 0.2", "skx: m = 0, sky: m = 0")
    assert [x.kind for x in recursive_rates(system_of(text))] == ["exact"]


def test_s1_13_the_form_of_the_pair_turns_as_computed_for_this_library() -> None:
    # omega = dphi - alpha dxP - beta dyP, omega ^ d omega = -(mk s / Delta)^2 dxP ^ dyP ^ dphi
    def form(phi: float) -> Any:
        state = PAIR_STATE | {"thetak": phi - PAIR_STATE["phij"]}
        At = matrix(at(system("revolute_pair"), "coordinates", state), "At_2")
        return np.array([*(-At[0, :2]), 1.0])

    phi, h = 1.1, 1e-5
    a = form(phi)
    slope = (form(phi + h) - form(phi - h)) / (2 * h)  # nothing depends on xP and yP
    wedge = a[0] * (0 - slope[1]) + a[1] * slope[0]
    np.testing.assert_allclose(wedge, -(1.5**2) * 0.29 / 0.635**2, rtol=1e-8)


def test_s1_14_naive_coordinates_have_no_node_equation_in_them() -> None:
    p = Program()
    M, f, T, left, *_ = _naive(p)
    new = change_coordinates(p, M, f, Rates(T=T, left=left), "n")
    Mbar = matrix(_run(p), new.M.name)
    golden = [  # 3.6, computed for this library
        [3.5, 0, -0.852939280984, -0.532326683618],
        [0, 3.5, 1.136433161564, 0.607559299088],
        [-0.852939280984, 1.136433161564, 1.845990498498, 0.962995249249],
        [-0.532326683618, 0.607559299088, 0.962995249249, 0.635],
    ]
    np.testing.assert_allclose(Mbar, golden, rtol=0, atol=2e-12)
    found = at(system("revolute_pair"), "coordinates", PAIR_STATE)
    assert np.abs(Mbar[:3, :3] - planar(found["Mhat_1"])).max() > 0.4
    assert np.abs(Mbar[:3, 3]).max() > 0.9


def test_s1_14_naive_coordinates_of_sliders_have_it() -> None:
    found = at(sliders(), "coordinates", {"sx": 0.1, "sy": 0.2, "sx'": 0.3, "sy'": 0.4})
    mass = np.zeros((4, 4))
    mass[:2, :2], mass[2:, 2:] = found["M_1"][:2, :2], found["M_2"][:2, :2]
    loads = np.concatenate([found["f_1"][:2], found["f_2"][:2]])[:, None]
    p = Program()
    T16 = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]  # (16)
    M, f, T = _define(p, M=mass, f=loads, T=T16)
    new = change_coordinates(p, M, f, Rates(T=T), "s")
    naive = _run(p)
    np.testing.assert_allclose(matrix(naive, new.M.name), np.diag([5, 2, 3]), atol=1e-14)  # (17)
    np.testing.assert_allclose(matrix(naive, new.f.name)[:, 0], [5, 5, -29.43], atol=1e-13)
    np.testing.assert_allclose(
        matrix(naive, new.M.name)[:2, :2], found["Mhat_1"][:2, :2], atol=1e-14
    )
