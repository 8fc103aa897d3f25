"""What hinges hold: Z, links without all inertia, and (37) as it is printed."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pytest
from scipy.linalg import block_diag, null_space

import mbx
from formalisms.cases import system, system_of
from formalisms.recursive.paper002 import BRANCHED, STATE, Model, Paper
from mbx.analyses.costs.limit_systems import model_text
from mbx.analyses.costs.topologies import chain
from mbx.base.errors import NotApplicableError
from mbx.expr.evaluate import free_symbols
from mbx.formalism import registry
from mbx.mechanics import motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.subspaces import across, subspaces

BOTH: Final = ("tree_lagrange_1", "tree_hamilton_multipliers")
PIPELAYER: Final = dict(
    zip(
        ("z", "alpha", "beta", "theta", "epsilon", "y"),
        (0.9, 0.05, -0.03, 0.7, 0.4, 1.1),
        strict=True,
    )
) | dict(
    zip(
        ("z'", "alpha'", "beta'", "theta'", "epsilon'", "y'"),
        (0.2, -0.1, 0.15, 0.3, -0.25, 0.5),
        strict=True,
    )
)


# -- Z -----------------------------------------------------------------------------------------


def same_space(Z: Any, projector: Any) -> None:
    """Z spans what a projector keeps: it changes no column, and has its rank."""
    assert np.abs(projector @ Z - Z).max(initial=0) < 1e-12 * max(np.abs(Z).max(initial=0), 1)
    assert np.linalg.matrix_rank(Z) == Z.shape[1] == round(np.trace(projector))


def projector(A: Any) -> Any:
    """E - A (A^T A)^-1 A^T."""
    return np.eye(6) - A @ np.linalg.solve(A.T @ A, A.T)


@pytest.mark.parametrize("freedoms", range(1, 6))
def test_s2_08_gradients_span_what_the_projector_keeps(freedoms: int) -> None:
    """Z by symbols, for hinges of one to five freedoms, against E - A (A^T A)^-1 A^T."""
    model = Model(system_of(model_text(chain(2, freedoms))))
    names = [v.path for v in (*model.system.q, *model.system.u)]
    one = Paper(model, {name: 0.7 - 0.23 * (k % 5) for k, name in enumerate(names)})
    for link in one.tree.links:
        Z = across(link)
        assert Z is not None
        same_space(one.matrix(Z), projector(one.matrix(link.A)))


def test_s2_08_numbers_span_what_the_projector_keeps() -> None:
    """Where symbols do not say Z, an orthonormal one of numbers: Z Z^T is the projector."""
    model = Model(system("rolling_disc"))
    (link,) = model.tree.links
    assert across(link) is None
    state = {v.path: 0.3 + 0.2 * k for k, v in enumerate((*model.system.q, *model.system.u))}
    found = model.form("tree_lagrange_1").evaluate(state)
    Z, A = found.outcome.at("Z_1", 0), found.outcome.at("A_1", 0)
    assert Z.shape == (6, 1)
    assert np.abs(Z @ Z.T - projector(A)).max() < 1e-13


PIN: Final = """
mbx 1
model Pin {
  coordinate a: rad = 0.4
  body arm { mass 1 kg  com [0.1 m, 0.2 m, 0.3 m]
    inertia diag(0.3 [kg*m^2], 0.2 [kg*m^2], 0.4 [kg*m^2])
    joint revolute(ground, own at [0.5 m, OFF, 0.1 m], axis = AXIS, angle = a) }
}
"""


@pytest.mark.parametrize("off", ["0.4 m", "1e-5 m"])
def test_s2_08_a_hinge_away_from_the_origin_has_constant_gradients(off: str) -> None:
    """Where the first entry of A is small, the hinge is seen from its joint."""
    one = Paper(Model(system_of(PIN.replace("OFF", off).replace("AXIS", "z"))), {"a": 0.3, "a'": 1})
    (link,) = one.tree.links
    Z = across(link)
    assert Z is not None
    assert not free_symbols(x for row in Z for x in row)
    same_space(one.matrix(Z), projector(one.matrix(link.A)))
    assert np.linalg.cond(one.matrix(Z)) < 10


def test_s2_08_gradients_that_are_almost_the_same_give_way_to_numbers() -> None:
    """A = (1e-5, 1, 0.3): what is across it would share one small entry."""
    text = PIN.replace("own at [0.5 m, OFF, 0.1 m], ", "").replace("AXIS", "[1e-5, 1, 0.3]")
    assert across(links(motion.in_speeds(system_of(text))).links[0]) is None
    found = mbx.verify(mbx.loads(text), forms=("kane", *BOTH), states=3)
    assert found.verdict == "agree"
    assert max(pair.ud.value for pair in found.pairs if pair.ud is not None) < 1e-13


def test_s2_08_both_ways_give_the_same_reactions() -> None:
    """Z lam does not depend on the basis: R by Z of numbers, in the paper's matrices."""
    one = Paper(Model(system("pipelayer")), PIPELAYER, 0.0)
    found = one.of("tree_lagrange_1")
    As = [one.matrix(link.A) for link in one.tree.links]
    ours = [
        np.concatenate([R[:3], R[3:] + np.cross(one.number(link.c), R[:3])])
        for R, link in zip((found[f"R_{k}"] for k in range(1, 5)), one.tree.links, strict=True)
    ]
    for R, A in zip(ours, As, strict=True):
        numbers = null_space(A.T)
        assert numbers @ numbers.T @ R == pytest.approx(R, rel=1e-9, abs=1e-9 * np.abs(R).max())


# -- erratum 1 ---------------------------------------------------------------------------------


def rates_by_37(one: Paper, *, matrix: bool, second_term: bool) -> Any:
    """Return the rates by (37), with the matrix of lam and v as printed or as they must be."""
    As = [one.matrix(link.A) if link.freedoms else np.zeros((6, 0)) for link in one.tree.links]
    A, Z = block_diag(*As), block_diag(*(null_space(a.T) if a.size else np.eye(6) for a in As))
    S, Mi = one.S, np.linalg.inv(one.M)
    m = A @ np.linalg.solve(A.T @ A, A.T @ one.T.T @ one.M @ one.v)
    H = Z.T @ S @ Mi @ S.T @ Z if matrix else Z.T @ S.T @ Mi @ S @ Z
    lam = np.linalg.solve(H, Z.T @ (one.vr - S @ Mi @ S.T @ m))
    v = Mi @ S.T @ (Z @ lam + (m if second_term else 0))
    return np.linalg.solve(A.T @ A, A.T @ (S @ v - one.vr))


@pytest.mark.parametrize("case", ["pipelayer", "branched"])
def test_erratum_1_equation_37_as_printed_gives_other_rates(case: str) -> None:
    """Two places: Z^T S^T M^-1 S Z for the matrix of lam, and v without A (A^T A)^-1 p."""
    branched = case == "branched"
    model = Model(system_of(BRANCHED) if branched else system("pipelayer"))
    one = Paper(model, STATE if branched else PIPELAYER)

    def error(*, matrix: bool, second_term: bool) -> float:
        found = rates_by_37(one, matrix=matrix, second_term=second_term)
        return float(np.abs(found - one.rates).max())

    assert error(matrix=True, second_term=True) < 1e-13 * max(np.abs(one.rates).max(), 1) * 10
    assert error(matrix=False, second_term=False) > 2.5
    assert error(matrix=False, second_term=True) > 2.5
    without = error(matrix=True, second_term=False)
    # 2.5 for the pipelayer was computed for this library
    assert without > 2.5
    if not branched:
        assert without == pytest.approx(2.5, rel=1e-3)


# -- links without all inertia -----------------------------------------------------------------


def kept(text: str) -> list[tuple[int, ...]]:
    return [one.kept for one in subspaces(links(motion.in_speeds(system_of(text))))]


PLANAR: Final = """
mbx 1
model Planar {
  coordinate a: rad = 0.4, b: rad = -0.7
  body first { mass 2 kg  com [0.5 m, 0, 0]  inertia 0.3 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }
  body second { mass 1 kg  com [0.4 m, 0, 0]  inertia 0.2 [kg*m^2] about z
    joint revolute(first at [1 m, 0, 0], axis = z, angle = b) }
  gravity [0, -9.81 [m/s^2], 0]
}
"""
SPATIAL: Final = """
mbx 1
model Spatial {
  coordinate a: rad = 0.4, e: rad = 0.2, b: rad = -0.7
  body first { mass 2 kg  com [0.5 m, 0, 0]  inertia diag(0 [kg*m^2], 0.3 [kg*m^2], 0.3 [kg*m^2])
    joint universal(ground, axis = z, angle = a, axis2 = y, angle2 = e) }
  body second { mass 1 kg  inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.2 [kg*m^2])
    joint revolute(first at [1 m, 0, 0], axis = x, angle = b) }
}
"""
"""A thin rod that carries something in space."""
BALL: Final = """
mbx 1
model Ball {
  coordinate a: rad = 0.4, b: rad = -0.7, c: rad = 0.2, s: m = 0.3
  body base { mass 2 kg  com [0.5 m, 0.1 m, 0]
    inertia diag(0.3 [kg*m^2], 0.2 [kg*m^2], 0.4 [kg*m^2])
    joint spherical(ground, euler zxy by (a, b, c)) }
  body bead { mass 1 kg  inertia diag(0 [kg*m^2], 0 [kg*m^2], 0 [kg*m^2])
    joint prismatic(base at [0.2 m, 0.3 m, 0], axis = x, distance = s) }
  body rod { mass 1 kg com [0, 0.4 m, 0] inertia diag(0.1 [kg*m^2], 0 [kg*m^2], 0.1 [kg*m^2])
    joint fixed(bead at [0.1 m, 0, 0]) }
  gravity [0, 0, -9.81 [m/s^2]]
}
"""


def test_rows_without_inertia_are_left_out_where_nothing_feels_it() -> None:
    assert kept(PLANAR) == [(0, 1, 2, 5), (0, 1, 2, 5)]
    rod = BALL.replace("bead at [0.1 m, 0, 0]", "base at [0.1 m, 0, 0]")
    assert kept(rod) == [(0, 1, 2, 3, 4, 5), (0, 1, 2), (0, 1, 2, 3, 5)]


@pytest.mark.parametrize(
    "text", [PLANAR, BALL.replace("bead at [0.1 m, 0, 0]", "base at [0.1 m, 0, 0]")]
)
def test_forms_with_rows_left_out_agree_with_others(text: str) -> None:
    """Also with a torque on what is left out: its hinge transmits it to the parent."""
    loaded = text.replace(
        "  gravity", "  torque [0.3 [N*m], 0.2 [N*m], 0.1 [N*m]] on PART\n  gravity"
    )
    loaded = loaded.replace("PART", "second" if text is PLANAR else "rod")
    found = mbx.verify(mbx.loads(loaded), forms=("kane", "newton_euler", *BOTH), states=3)
    assert found.verdict == "agree", str(found)
    assert set(BOTH) <= set(found.forms)
    assert max(pair.ud.value for pair in found.pairs if pair.ud is not None) < 1e-12


@pytest.mark.parametrize("form", BOTH)
def test_a_singular_inertia_that_carries_something_is_refused(form: str) -> None:
    """M^-1 is in (36) and (37), and Z^T (T^T M T)^-1 Z needs the same."""
    said = "the inertia of first is singular, and it carries second: H_Sigma needs its inverse"
    with pytest.raises(NotApplicableError, match=said):
        registry.derive(system_of(SPATIAL), form)
    with pytest.raises(
        NotApplicableError, match="the inertia of bead is singular, and it carries rod"
    ):
        registry.derive(system_of(BALL), form)
    assert registry.derive(system_of(SPATIAL), "tree_lagrange_2").results["ud"]


ROTOR: Final = """
mbx 1
model Rotor {
  coordinate a: rad = 0.4, b: rad = -0.7, c: rad = 0.3
  body hub { mass 2 kg  inertia diag(0.3 [kg*m^2], 0.2 [kg*m^2], 0.4 [kg*m^2])
    joint revolute(ground, axis = z, angle = a) }
  body rotor { mass MASS  inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.1 [kg*m^2])
    joint revolute(hub, axis = x, angle = b) }
  body blade { mass 1 kg  com [0, 0, 0.4 m]  inertia diag(0.1 [kg*m^2], 0.1 [kg*m^2], 0.2 [kg*m^2])
    joint revolute(rotor at [0.3 m, 0, 0], axis = y, angle = c) }
}
"""


@pytest.mark.parametrize("form", BOTH)
def test_rows_that_stand_still_but_pass_something_on_need_inertia(form: str) -> None:
    """The rotor never moves its origin, and its hub feels what the blade does to it."""
    said = "the inertia of rotor is singular, and it carries blade"
    with pytest.raises(NotApplicableError, match=said):
        registry.derive(system_of(ROTOR.replace("MASS", "0 kg")), form)
    found = mbx.verify(mbx.loads(ROTOR.replace("MASS", "1 kg")), forms=("kane", form), states=3)
    assert found.verdict == "agree"


def test_an_inertia_that_is_singular_about_an_oblique_axis_is_refused() -> None:
    """diag(0, 2, 2) turned by 45 degrees about z."""
    text = PLANAR.replace(
        "inertia 0.2 [kg*m^2] about z",
        "inertia tensor(1 [kg*m^2], 1 [kg*m^2], 2 [kg*m^2], 1 [kg*m^2], 0 [kg*m^2], 0 [kg*m^2])",
    )
    with pytest.raises(NotApplicableError, match="the inertia of second is singular"):
        registry.derive(system_of(text), "tree_lagrange_1")


def test_a_freedom_without_inertia_is_refused() -> None:
    """A thin rod on a ball joint: it has no inertia about its own axis."""
    text = BALL.replace(
        "fixed(bead at [0.1 m, 0, 0])", "spherical(base, euler zyx by (d, 0.3 rad + e, f))"
    ).replace("s: m = 0.3", "s: m = 0.3, d: rad = 0.1, e: rad = 0.1, f: rad = 0.2")
    with pytest.raises(NotApplicableError, match="of rod is singular behind d', e', f'"):
        registry.derive(system_of(text), "tree_hamilton_multipliers")
