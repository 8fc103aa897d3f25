"""S2-05 to S2-10 on a tree in space with branches, two roots and hinges of 0 to 6 freedoms."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
import pytest
from scipy.linalg import block_diag, null_space

from formalisms.cases import system, system_of
from formalisms.recursive.paper002 import BRANCHED, STATE, Model, Paper, skew, slope
from formalisms.recursive.test_tree_dynamics import drift, hinge_order, wrenches
from mbx.formalism import registry
from mbx.mechanics.tree.subspaces import across

SIX: Final = (
    "tree_newton_euler",
    "tree_lagrange_2",
    "tree_lagrange_1",
    "tree_hamilton_extended",
    "tree_hamilton_reduced",
    "tree_hamilton_multipliers",
)
EVERY: Final = tuple(
    f"{form}:{one.name}" if one.name else form
    for form in SIX
    for one in registry.get(form).variants
)
AT_REST: Final = {
    "0.2 m*sin(1.3 [rad/s]*t)": "0.2 m",
    "0.1 rad*cos(2 [rad/s]*t)": "0.1 rad",
    "0.2 rad*sin(2 [rad/s]*t)": "0.2 rad",
}
"""Hinges that move by themselves, held."""


@cache
def moving() -> Paper:
    return Paper(Model(system_of(BRANCHED)), STATE)


@cache
def held() -> Paper:
    text = BRANCHED
    for said, constant in AT_REST.items():
        assert said in text
        text = text.replace(said, constant)
    return Paper(Model(system_of(text)), STATE)


def near(value: Any, expected: Any, rel: float = 1e-12) -> None:
    size = max(float(np.abs(expected).max()), 1e-3)
    assert np.abs(np.asarray(value) - expected).max() < rel * size


def hinge(one: Paper, k: int) -> Any:
    """Return A of link k, also of a hinge without freedoms."""
    return one.matrix(one.tree.links[k].A)


@cache
def complements() -> tuple[Any, ...]:
    """Return Z of every link, orthonormal, from the null space of A^T."""
    found = []
    for k in range(moving().N):
        A = hinge(moving(), k)
        found.append(null_space(A.T) if A.size else np.eye(6))
    return tuple(found)


# -- S2-05 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", EVERY)
def test_s2_05_every_algorithm_gives_the_accelerations_of_the_pipelayer(form: str) -> None:
    """Computed for this library at 25 digits by two codes; the paper prints no numbers."""
    place = {"z": 0.9, "alpha": 0.05, "beta": -0.03, "theta": 0.7, "epsilon": 0.4, "y": 1.1}
    rates = (0.2, -0.1, 0.15, 0.3, -0.25, 0.5)
    state = place | {f"{q}'": x for q, x in zip(place, rates, strict=True)}
    golden = [-9.763779450016746, -0.01684779233740567, 0.001606887231880254]
    golden += [-0.1019053058302803, -0.09515956238027295, 0.2619732902651002]
    found = pipelayer().form(form).evaluate(state)
    assert found.ud == pytest.approx(golden, rel=1e-12, abs=5e-14)


@cache
def pipelayer() -> Model:
    return Model(system("pipelayer"))


def test_s2_05_equations_35_and_36_solve_as_33_does() -> None:
    """D_Sigma and H_Sigma by matrices of the whole tree, in rates of components."""
    one = moving()
    F = wrenches(one) - one.Om @ one.M @ one.v
    w_r = drift(one)
    qdd = np.linalg.solve(one.D, one.A.T @ one.T.T @ (F - one.M @ one.T @ w_r))  # (35)
    Z, S, A = block_diag(*complements()), one.S, one.A
    H = Z.T @ S @ np.linalg.solve(one.M, S.T @ Z)  # (38)
    lam = np.linalg.solve(H, Z.T @ (w_r - S @ np.linalg.solve(one.M, F)))  # (36)
    w = np.linalg.solve(one.M, S.T @ Z @ lam + F)
    other = np.linalg.solve(A.T @ A, A.T @ (S @ w - w_r))
    for form in SIX:
        near(hinge_order(one, one.of(form).ud), qdd, 1e-11)
        near(hinge_order(one, one.of(form).ud), other, 1e-11)


# -- S2-06 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", SIX[3:])
def test_s2_06_energy_is_kept_along_the_motion_where_no_hinge_moves_by_itself(form: str) -> None:
    one = held()
    power = slope(lambda h: one.after(h).of(form)["H"])[0]
    assert abs(power) < 1e-8 * abs(one.of(form)["H"][0])
    # it can be seen: hinges that move by themselves do work
    driven = slope(lambda h: moving().after(h).of(form)["H"])[0]
    assert abs(driven) > 0.1


# -- S2-07 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", EVERY)
def test_s2_07_every_algorithm_of_every_form_on_the_branched_tree(form: str) -> None:
    one = moving()
    near(one.of(form).ud, one.of("kane").ud, 1e-11)


# -- S2-08 -------------------------------------------------------------------------------------


def test_s2_08_both_ways_span_what_the_hinges_of_a_branched_tree_hold() -> None:
    """Gradients by symbols, and columns of E - A (A^T A)^-1 A^T."""
    one = moving()
    compared = 0
    for k, link in enumerate(one.tree.links):
        A, numbers = hinge(one, k), complements()[k]
        projector = np.eye(6) - A @ np.linalg.pinv(A) if A.size else np.eye(6)
        assert numbers.shape == (6, 6 - link.freedoms)
        near(numbers @ numbers.T + 1, projector + 1)
        said = across(link)
        if said is None or link.freedoms == 6:
            continue
        Z = one.matrix(said)
        assert Z.shape == numbers.shape
        assert np.linalg.matrix_rank(Z) == Z.shape[1]
        near(projector @ Z, Z)
        compared += 1
    assert compared >= 5


def test_s2_08_reactions_do_not_depend_on_the_choice_of_z() -> None:
    """R = Z lam of (36) with Z of numbers, against that of the form."""
    one = moving()
    F = wrenches(one) - one.Om @ one.M @ one.v
    Z, S = block_diag(*complements()), one.S
    H = Z.T @ S @ np.linalg.solve(one.M, S.T @ Z)
    lam = np.linalg.solve(H, Z.T @ (drift(one) - S @ np.linalg.solve(one.M, F)))
    R = (Z @ lam).reshape(-1, 6)
    found = one.of("tree_lagrange_1")
    for k, link in enumerate(one.tree.links):
        own, c = found[f"R_{k + 1}"], one.number(link.c)
        # the form has torques about mass centres
        near(np.concatenate([own[:3], own[3:] + skew(c) @ own[:3]]) + 1, R[k] + 1, 1e-10)


# -- S2-10 -------------------------------------------------------------------------------------


def notes(form: str, mat: str) -> list[str]:
    """Return what a form reports of its matrix, without names."""
    head = f"{mat}_Sigma: "
    every = moving().model.form(form).notes
    found = [n.removeprefix(head) for n in every if n.startswith(head)]
    return [found[0], *(n.split("  ")[0] for n in found[1:])]


def blocks(full: Any, sizes: list[int]) -> list[str]:
    """Return which blocks of the lower half are not zero, one line a row; empty rows left out."""
    ends = np.cumsum([0, *sizes])
    kept = [k for k, size in enumerate(sizes) if size]
    lines = []
    for a, i in enumerate(kept):
        row = []
        for j in kept[: a + 1]:
            block = full[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
            row.append("x" if np.abs(block).max() > 1e-12 * np.abs(full).max() else ".")
        lines.append(" ".join(row))
    return lines


@pytest.mark.parametrize("mat", ["D", "H"])
def test_s2_10_the_report_of_a_branched_tree_is_its_pattern_and_nothing_fills(mat: str) -> None:
    one = moving()
    if mat == "D":
        full, sizes = one.D, [link.freedoms for link in one.tree.links]
    else:
        Z = block_diag(*complements())
        full = Z.T @ one.S @ np.linalg.solve(one.M, one.S.T @ Z)
        sizes = [6 - link.freedoms for link in one.tree.links]
    expected = blocks(full, sizes)
    for form in SIX[1:5:3] if mat == "D" else SIX[2:6:3]:
        said = notes(form, mat)
        assert said[1:] == expected
        assert said[0].endswith("no fill-in")
    assert any("." in line for line in expected)
    # eliminated from the last block, factors have the blocks of the matrix
    factor = np.linalg.cholesky(full[::-1, ::-1])[::-1, ::-1].T
    assert blocks(factor, sizes) == expected
