"""Invariants that contradict each other next to a state: weights, and mirror symmetry."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.request import UnknownNameError

if TYPE_CHECKING:
    from mbx.analyses.linearize.linear_system import Linear

FIXTURES = Path(__file__).parents[2] / "fixtures"
G = 10.0

BOWLS = """mbx 1
model Bowl {
  param m: kg = 2
  coordinate s: m = 0
  particle P { mass m  at [0, 0, s] }
}
model Bowls "A slider that lifts two weights, which are tied to each other" {
  param c: 1/m = 3, d: 1/m = 1
  coordinate p: m = 0
  particle S { mass 4 kg  at [p, 0, 0] }
  subsystem R: Bowl, L: Bowl
  gravity [0, 0, -10 [m/s^2]]
  invariant right: R.s = c*p^2/2
  invariant left: L.s = d*p^2/2
  invariant tie: R.s = L.s
  independent p'
}
"""
MIRROR: dict[str, Any] = {"mirror": {"R": "L"}, "odd": ["p"]}


def bowls(**options: Any) -> float:
    """Return the curvature on which the slider moves: p'' = -g (m c_R + m c_L)/4 p."""
    found = mbx.linearize(mbx.loads(BOWLS), method="modular", **options)
    assert found.x == ("p", "p'")
    return float(-found.A[1, 0] / (G * 2 / 4))


def least(weights: dict[str, float]) -> float:
    """Return c_R + c_L of the least squares of c_R = 3, c_L = 1 and c_R = c_L."""
    r, l, t = (weights.get(name, 1.0) ** 2 for name in ("right", "left", "tie"))
    A = np.array([[r + t, -t], [-t, l + t]])
    return float(np.linalg.solve(A, [3 * r, 1 * l]).sum())


@pytest.mark.parametrize(
    "weights", [{}, {"right": 2.0}, {"tie": 10.0, "left": 0.5}, {"left": 1e-3, "tie": 1e2}]
)
def test_rows_count_by_their_weights(weights: dict[str, float]) -> None:
    assert bowls(weights=weights) == pytest.approx(least(weights), rel=1e-9)


@pytest.mark.parametrize("weights", [{}, {"right": 2.0}, {"left": 3.0, "tie": 0.1}])
def test_in_the_mirror_both_sides_have_the_mean_of_their_rows(weights: dict[str, float]) -> None:
    """c_R = c_L meets the tie, and each has both rows: (3 w^2 + v^2)/(w^2 + v^2)."""
    w, v = (weights.get(name, 1.0) ** 2 for name in ("right", "left"))
    assert bowls(weights=weights, **MIRROR) == pytest.approx(2 * (3 * w + v) / (w + v), rel=1e-12)


def test_weights_change_nothing_where_nothing_is_contradicted() -> None:
    plain = mbx.linearize("lib:four_bar", method="modular")
    weighed = mbx.linearize("lib:four_bar", method="modular", weights={"tip.x": 100.0})
    assert pytest.approx(plain.A, rel=1e-10) == weighed.A


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": {"rigth": 2.0}}, "there is no invariant 'rigth'; did you mean 'right'"),
        ({"mirror": {"R": "M"}}, "there is no subsystem or variable 'M'"),
        ({"odd": ["P"], "mirror": {"R": "L"}}, "there is no variable 'P'"),
    ],
)
def test_names_that_the_model_does_not_have_are_refused(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UnknownNameError, match=message):
        bowls(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": {"tie": 0.0}}, "the weight of 'tie' is 0, and not a positive number"),
        ({"weights": {"tie": 2.0}, "method": "plain"}, "by the modular method"),
        (MIRROR | {"form": "kane", "method": "plain"}, "by the modular method"),
        ({"mirror": {"R": "L"}, "odd": ["p", "R.s"]}, "'R.s' changes its sign in the mirror"),
        ({"mirror": {"R": "p"}}, "'p' has no mirror image: there is no 'R'"),
        ({"set": {"R.m": 3.0}, **MIRROR}, "not its own mirror image: the inertia on '[RL].s'"),
        (
            {"set": {"d": 3.0}, "start": {"p": 0.5, "R.s": 0.375, "L.s": 0.375}, **MIRROR},
            "the state is not its own mirror image: 'p' is 0.5 and 'p' is 0.5",
        ),
    ],
)
def test_what_is_no_mirror_image_of_itself_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(NotRunError, match=message):
        mbx.linearize(mbx.loads(BOWLS), **{"method": "modular", **options})


def test_independent_variables_have_to_be_their_own_mirror_images() -> None:
    text = BOWLS.replace("coordinate s: m = 0", "coordinate s: m = 0, r: m = 0  invariant r = 2*s")
    one = text.replace("R: Bowl, L: Bowl", "R: Bowl, L: Other").replace(
        "model Bowls",
        "model Other { param m: kg = 2  coordinate s: m = 0, r: m = 0  invariant r = 2*s"
        "  particle P { mass m  at [0, 0, s] }  independent r' }  model Bowls",
    )
    with pytest.raises(
        NotRunError, match=r"independent variable, and its mirror image 'L.s'' is not"
    ):
        mbx.linearize(mbx.loads(one), method="modular", **MIRROR)


def test_forces_have_to_be_their_own_mirror_images() -> None:
    text = BOWLS.replace("gravity", "force [0, 0, 1 N] on R.P  gravity")
    with pytest.raises(NotRunError, match=r"mirror image: the force on '[RL].s'"):
        mbx.linearize(mbx.loads(text), method="modular", **MIRROR)


# -- the tricycle of Orsino's thesis, section 5.2 -------------------------------------------------

SIDES = {"FR": "FL", "SR": "SL", "KR": "KL"}
ODD = [
    *("y", "psi", "delta", "chiP", "chiQ", "wx", "wz", "SR.th", "SL.th", "u_delta", "u_phi"),
    *(f"{part}.phi" for part in ("W", "FR", "FL", "A", "KR", "KL")),
]


def tricycle(**options: Any) -> Linear:
    document = mbx.read(str(FIXTURES / "tricycle_of_the_thesis.mb"))
    start = {"A.x'": 0.0, "A.delta'": 0.0, "A.phi'": 0.0}
    found: Linear = mbx.linearize(document, at="start", method="modular", start=start, **options)
    return found


def stiffness(found: Linear) -> Any:
    """Return g K0 of (5.21), in (delta, phi), over g = 9.81 m/s^2."""
    rows = [found.x.index(path) for path in ("A.delta'", "A.phi'")]
    angles = [found.x.index(path) for path in ("A.delta", "A.phi")]
    return -np.linalg.solve(found.B[rows], found.A[np.ix_(rows, angles)]) / 9.81


@pytest.mark.papers
def test_a_tricycle_of_even_rows_is_even_by_itself() -> None:
    """The separate program had this K0 without a mirror, to nine digits."""
    printed = [[-0.5174308921266, -3.0619540099594], [-3.1004414224485, -93.5549020306770]]
    assert stiffness(tricycle(mirror=SIDES, odd=ODD)) == pytest.approx(np.array(printed), rel=5e-9)


@pytest.mark.papers
def test_a_mirror_gives_uneven_weights_to_both_sides() -> None:
    """Squares of 3 on the right and 1 on the left are 5 on both, in the mean."""
    uneven = tricycle(weights={"upperR": 3.0})
    even = tricycle(weights={"upperR": 3.0}, mirror=SIDES, odd=ODD)
    both = tricycle(weights={"upperR": sqrt(5), "upperL": sqrt(5)})
    assert stiffness(even) == pytest.approx(stiffness(both), rel=1e-10)
    assert np.abs(stiffness(even) - stiffness(uneven)).max() > 1e-3


@pytest.mark.papers
def test_left_and_right_have_the_same_coefficients_up_to_signs() -> None:
    """Orsino, (5.19): psi of wheels, bars and knuckles by the independent variables."""
    found = tricycle(weights={"upperR": 3.0, "steerL": 0.2}, mirror=SIDES, odd=ODD)
    names = ("F{}.psi'", "S{}.psi'", "K{}.psi", "K{}.wz")
    right, left = (
        np.array([found.T[found.paths.index(name.format(side))] for name in names]) for side in "RL"
    )
    bare = [path.rstrip("'") for path in found.x]
    signs = [-1 if {path, path.rpartition(".")[2]} & {*ODD} else 1 for path in bare]
    assert {-1, 1} == {*signs}
    assert left == pytest.approx(-right * np.array(signs), rel=1e-9, abs=1e-12)
    assert np.abs(right).max() > 0.1
