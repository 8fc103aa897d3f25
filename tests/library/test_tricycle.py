"""The tricycle: its inertia by its own matrices, and what the rows of the thesis do to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from formalisms.cases import completed, folder, system, system_of
from library.matrices import Matrix, constraint_matrix, mass_matrix

if TYPE_CHECKING:
    from mbx.system.system import System

# by a separate program, for all rows of the thesis by least squares
M_DELTA_PHI: Final = [[0.3018855317, 2.6845915490], [2.6845915490, 98.2773173283]]
FREE: Final = ("A.x'", "A.delta'", "A.phi'")
SHARED: Final = {
    "dot(gapR, KR.K.z) = dot(gapL, KL.K.z)": ("dot(gapR, KR.K.z) = 0", "dot(gapL, KL.K.z) = 0"),
    "dot(KR.slip, KR.sideways) + dot(KL.slip, KL.sideways) = 0": (
        "dot(KR.slip, KR.sideways) = 0",
        "dot(KL.slip, KL.sideways) = 0",
    ),
}


def _rank(A: Matrix) -> int:
    return int(np.linalg.matrix_rank(A, tol=1e-8))


def _reduced(one: System, state: dict[str, float]) -> Matrix:
    """Return S^T M S in the free speeds; the knuckles' inertia is that of Table 5.1."""
    A, M = constraint_matrix(one, state), mass_matrix(one, state)
    paths = [v.path for v in one.u]
    for knuckle, side in (("KR", 1), ("KL", -1)):
        there = [paths.index(f"{knuckle}.w{c}") for c in "xyz"]
        Ixy, Ixz = 0.0003 * side, -0.0005
        M[np.ix_(there, there)] += [[0.002, Ixy, Ixz], [Ixy, 0.001, 0], [Ixz, 0, 0.003]]
    S = np.linalg.svd(A)[2][_rank(A) :].T
    S = S @ np.linalg.inv(S[[paths.index(path) for path in FREE]])
    return np.asarray(S.T @ M @ S)


def _text() -> str:
    return (folder("tricycle") / "model.mb").read_text("utf-8")


def _strict() -> System:
    """Return the tricycle whose joints and wheels share nothing."""
    text = _text()
    for k, (shared, strict) in enumerate(SHARED.items()):
        assert text.count(shared) == 1
        text = text.replace(shared, f"{strict[0]}\n  invariant strict{k}: {strict[1]}")
    return system_of(text)


def test_the_inertia_of_steering_and_leaning_is_that_of_the_linear_model() -> None:
    one = system("tricycle")
    M = _reduced(one, completed(one, {}))
    np.testing.assert_allclose(M[1:, 1:], M_DELTA_PHI, rtol=1e-8)
    assert np.abs(M[0, 1:]).max() < 1e-9  # forwards is apart from both


def test_the_rows_5_11_with_the_letter_of_the_wheel_make_the_steering_heavy() -> None:
    """(5.11) prints m_W for the mass of a steering bar: 2.5 kg for 0.3 kg."""
    text = _text()
    bar = "param m: kg = 0.3 "
    assert text.count(bar) == 1
    one = system_of(text.replace(bar, "param m: kg = 2.5 "))
    M = _reduced(one, completed(one, {}))
    assert M[1, 1] > 1.04 * M_DELTA_PHI[0][0]


def test_the_rows_of_both_sides_depend_on_each_other_upright_and_contradict_elsewhere() -> None:
    """Section 5.2.4: apart from the reference configuration not all equations can be satisfied."""
    one, strict = system("tricycle"), _strict()
    upright = completed(one, {})
    leaning = completed(one, {"A.phi": 0.05, "A.delta": 0.05})
    rows = len(constraint_matrix(one, upright))
    assert _rank(constraint_matrix(one, upright)) == rows == len(one.u) - len(FREE)
    assert _rank(constraint_matrix(one, leaning)) == rows
    assert constraint_matrix(strict, upright).shape == (rows + 2, len(one.u))
    assert _rank(constraint_matrix(strict, upright)) == rows
    assert _rank(constraint_matrix(strict, leaning)) == rows + 2
