"""Lagrange's and Hamilton's equations on the tree: the tangent and the orthogonal projection."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest
from scipy.linalg import block_diag

from formalisms.cases import completed, system, system_of
from formalisms.recursive.paper002 import BRANCHED, STATE, Model, Paper, skew, slope
from mbx.expr.nodes import number
from mbx.formalism.builder import Program
from mbx_converters.tree import link_kinematics, tangent_projection
from mbx_converters.tree.right_hand_sides import Request

if TYPE_CHECKING:
    from mbx.formalism.matrix_value import Matrix
    from mbx.numerics.execute.evaluate_equations import Evaluation

FORMS: Final = (
    "tree_lagrange_2",
    "tree_hamilton_reduced",
    "tree_lagrange_1",
    "tree_hamilton_multipliers",
)
HAMILTON: Final = ("tree_hamilton_reduced", "tree_hamilton_multipliers")

Q: Final = dict(
    zip(
        ("z", "alpha", "beta", "theta", "epsilon", "y"),
        (0.9, 0.05, -0.03, 0.7, 0.4, 1.1),
        strict=True,
    )
)
QD: Final = dict(zip((f"{q}'" for q in Q), (0.2, -0.1, 0.15, 0.3, -0.25, 0.5), strict=True))

# Computed for this library, by two separate codes: the paper prints no numbers.
P: Final = (
    2505.429512962645564,
    -4742.674036431712325,
    -100.7461306375511723,
    3548.648980382624822,
    -2353.962221702388249,
    341.9787019899871547,
)
PD: Final = (
    -177561,
    -66015.78043794523321,
    -35349.60286492467486,
    1767.010760634898625,
    -40387.66242028663205,
    -2279.458280282662484,
)
QDD: Final = (
    -9.763779450016746,
    -0.01684779233740567,
    0.001606887231880254,
    -0.1019053058302803,
    -0.09515956238027295,
    0.2619732902651002,
)
DIAGONAL: Final = (
    18100,
    58754.00302721093,
    48913.11510081907,
    20758.23134618890,
    13284.5,
    600,
)
ENERGY: Final = 1392.157993587722878 + 356421.0292206968978


@cache
def pipelayer() -> Paper:
    return Paper(Model(system("pipelayer")), {**Q, **QD}, 0.0)


@cache
def branched() -> Paper:
    return Paper(Model(system_of(BRANCHED)), STATE)


def near(value: Any, expected: Any, rel: float = 1e-12) -> None:
    size = max(float(np.abs(expected).max()), 1e-3)
    assert np.abs(np.asarray(value) - expected).max() < rel * size


def block(found: Evaluation, name: str) -> Any:
    """Return a matrix, also of one column."""
    return found.outcome.at(name, 0)


def hinged(one: Paper) -> list[int]:
    return [k for k, link in enumerate(one.tree.links, start=1) if link.freedoms]


# -- the pipelayer, section 6 ------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_s2_05_accelerations_of_the_pipelayer(form: str) -> None:
    assert pipelayer().of(form).ud == pytest.approx(QDD, rel=1e-11)


@pytest.mark.parametrize("form", HAMILTON)
def test_s2_05_momenta_of_the_pipelayer(form: str) -> None:
    found = pipelayer().of(form)
    assert found.p == pytest.approx(P, rel=1e-13)
    assert found.pd == pytest.approx(PD, rel=1e-12)
    assert found.qd == pytest.approx(tuple(QD.values()), rel=1e-12)
    assert found["H"] == pytest.approx([ENERGY], rel=1e-13)


@pytest.mark.parametrize("form", ["tree_lagrange_2", "tree_hamilton_reduced"])
def test_s2_05_the_diagonal_of_d_sigma_of_the_pipelayer(form: str) -> None:
    found = pipelayer().of(form)
    diagonal = np.concatenate([np.diag(block(found, f"D_{k}_{k}")) for k in range(1, 5)])
    assert diagonal == pytest.approx(DIAGONAL, rel=1e-13)


# -- the two matrices --------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["tree_lagrange_2", "tree_hamilton_reduced"])
def test_s2_05_the_blocks_of_d_sigma_are_all_there_is(form: str) -> None:
    """(34) by matrices of the whole tree, against block by block."""
    one = branched()
    found = one.of(form)
    D = np.zeros_like(one.D)
    for i in hinged(one):
        for j in one.tree.path(i - 1):
            if one.tree.links[j].freedoms:
                rows, columns = one.tree.links[i - 1].own, one.tree.links[j].own
                D[np.ix_(rows, columns)] = block(found, f"D_{i}_{j + 1}")
                D[np.ix_(columns, rows)] = block(found, f"D_{i}_{j + 1}").T
    near(D, one.D)


def across(one: Paper, form: str) -> list[Any]:
    """Return Z of each link about its origin; the forms have it about the mass centre."""
    found = one.of(form)
    Z = []
    for k, link in enumerate(one.tree.links, start=1):
        if link.freedoms == 6:
            Z.append(np.zeros((6, 0)))
            continue
        c = one.number(link.c)
        Z.append(
            np.block([[np.eye(3), np.zeros((3, 3))], [skew(c), np.eye(3)]]) @ block(found, f"Z_{k}")
        )
    return Z


@pytest.mark.parametrize("form", ["tree_lagrange_1", "tree_hamilton_multipliers"])
def test_s2_05_the_blocks_of_h_sigma_are_all_there_is(form: str) -> None:
    """Both sides of (38) by matrices of the whole tree, about origins, against block by block."""
    one = branched()
    found = one.of(form)
    each = across(one, form)
    Z = block_diag(*each)
    left = Z.T @ one.S @ np.linalg.solve(one.M, one.S.T @ Z)
    right = Z.T @ np.linalg.solve(one.T.T @ one.M @ one.T, Z)
    ends = np.cumsum([z.shape[1] for z in each])
    place = [range(end - z.shape[1], end) for end, z in zip(ends, each, strict=True)]
    H = np.zeros_like(left)
    for i, ki in enumerate(one.k):
        for j in range(i + 1):
            family = j in {i, ki} or (ki is not None and one.k[j] == ki)
            if family and place[i] and place[j]:
                own = block(found, f"H_{i + 1}_{j + 1}")
                H[np.ix_(place[i], place[j])] = own
                H[np.ix_(place[j], place[i])] = own.T
    near(left, right, 1e-11)
    near(H, right, 1e-11)


# -- the equations -----------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_s2_05_a_branched_tree_with_moving_hinges(form: str) -> None:
    one = branched()
    near(one.of(form).ud, one.of("tree_newton_euler").ud)
    near(one.of(form).ud, one.of("kane").ud)


@pytest.mark.parametrize("form", HAMILTON)
def test_s2_05_rates_come_back_from_momenta(form: str) -> None:
    """(30) and (37): from p alone to the rates, with what moves by itself."""
    one = branched()
    found = one.of(form)
    assert np.abs(one.vr).max() > 0.1
    near(found["zd"], one.rates)
    near(
        found["v"] if form == HAMILTON[0] else found["zd"],
        one.v if form == HAMILTON[0] else one.rates,
    )
    near(found.p, one.B.T @ one.M @ one.v)


@pytest.mark.parametrize("form", HAMILTON)
def test_s2_09_rates_of_momenta_are_derivatives_of_momenta(form: str) -> None:
    one = branched()
    near(one.of(form).pd, slope(lambda h: one.after(h).of(form).p), 1e-8)


def test_s2_05_mu_is_a_sum_of_what_p_says_and_what_hinges_hold() -> None:
    """mu = A (A^T A)^-1 p + Z lam, about the origins."""
    one = branched()
    found = one.of("tree_hamilton_multipliers")
    mu = one.T.T @ one.M @ one.v
    Z = across(one, "tree_hamilton_multipliers")
    for k, link in enumerate(one.tree.links, start=1):
        own = mu[6 * k - 6 : 6 * k]
        c = one.number(link.c)
        centre = np.concatenate([own[:3], own[3:] - np.cross(c, own[:3])])
        near(found[f"mu_{k}"], centre)
        if Z[k - 1].shape[1] < 6:
            near(one.matrix(link.A).T @ own, found[f"p_{k}"])


def test_s2_05_the_tangent_projection_solves_the_matrix_of_the_paper() -> None:
    """M_Sigma (x; y; z) = (-a; -b; e), (32), with any right-hand side."""
    one = branched()
    p = Program()
    on = link_kinematics.hinges(p, one.tree)
    M = link_kinematics.inertias(p, one.tree)
    solver = tangent_projection.factorize(p, on, M)

    def right(name: str, sizes: list[int]) -> tuple[dict[int, Matrix], Any]:
        numbers = [
            [Fraction((7 * k + 3 * i) % 11 - 5, 3) for i in range(n)] for k, n in enumerate(sizes)
        ]
        named = {
            k: p.column(f"{name}{k}", [number(x) for x in column])
            for k, column in enumerate(numbers, start=1)
            if column
        }
        return named, np.array([float(x) for column in numbers for x in column])

    six = [6] * one.N
    (a, a_), (b, b_) = right("a", six), right("b", six)
    e, e_ = right("e", [link.freedoms for link in one.tree.links])
    solver.sweep(p, Request(x="x", y="y", z="z", a=a, b=b, e=e))
    found = p.equations(one.model.system, "", "", "", {}).evaluate(one.state, t=one.t)
    expected = np.linalg.solve(one.sigma(), np.concatenate([-a_, -b_, e_]))
    every = [f"{of}_{k}" for of in "xy" for k in range(1, one.N + 1)]
    every += [f"z_{k}" for k in hinged(one)]
    near(np.concatenate([block(found, name)[:, 0] for name in every]), expected)


# -- reactions ---------------------------------------------------------------------------------


def test_s2_05_reactions_are_what_the_hinges_hold() -> None:
    """R = Z lam where no load acts on a rate: A^T R = 0, and R holds the links, row 1 of (33)."""
    one = branched()
    found = one.of("tree_lagrange_1")
    Z = across(one, "tree_lagrange_1")
    for k in hinged(one):
        c = one.number(one.tree.links[k - 1].c)
        R = found[f"R_{k}"]
        R = np.concatenate([R[:3], R[3:] + np.cross(c, R[:3])])
        assert np.abs(one.matrix(one.tree.links[k - 1].A).T @ R).max() < 1e-11 * np.abs(R).max(
            initial=1
        )
        if Z[k - 1].shape[1]:
            near(Z[k - 1] @ found[f"hlam_{k}"], R)


@pytest.mark.parametrize("case", ["pipelayer", "five_node_tree", "four_bar", "stewart_platform"])
def test_reactions_are_those_of_the_newton_euler_equations(case: str) -> None:
    model = Model(system(case))
    said = {v.path: 0.2 + 0.1 * k for k, v in enumerate(model.system.u)}
    state = completed(model.system, said, held=())
    one = model.form("tree_lagrange_1").evaluate(state)
    other = model.form("newton_euler").evaluate(state)
    assert one.reactions.keys() == other.reactions.keys()
    size = max(np.nanmax(np.abs(six)) for six in other.reactions.values())
    for path, six in other.reactions.items():
        assert one.reactions[path] == pytest.approx(six, rel=1e-9, abs=1e-10 * size, nan_ok=True)
