"""Newton-Euler and extended Hamilton equations on the tree: energies, momenta, solvers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from formalisms.cases import completed, system, system_of
from formalisms.recursive.paper002 import BRANCHED, STATE, Model, Paper, skew, slope
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import free_symbols
from mbx.mechanics import energy, loads
from mbx.mechanics.tree.links import wrench_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.expr.nodes import Node
    from mbx.formalism.program import Step

NEWTON_EULER = tuple(f"tree_newton_euler:{v}" for v in ("lu", "cholesky", "extended"))
HAMILTON = tuple(f"tree_hamilton_extended:{v}" for v in ("lu", "cholesky", "extended"))


@cache
def paper() -> Paper:
    return Paper(Model(system_of(BRANCHED)), STATE)


def near(value: Any, expected: Any, rel: float = 1e-12) -> None:
    size = max(float(np.abs(expected).max()), 1e-3)
    assert np.abs(np.asarray(value) - expected).max() < rel * size


def wrenches(one: Paper) -> Any:
    """F, from the loads of the elements."""
    acting = dict(
        zip(
            (m.path for m in one.tree.motion.elements), loads.wrenches(one.tree.motion), strict=True
        )
    )
    return one.number(
        [x for link in one.tree.links for x in wrench_at(link, *acting[link.moving.path])]
    )


def g_of(one: Paper) -> Any:
    """(w x v; 0) of each link: the true acceleration of its origin is v' with this."""
    return np.concatenate([[*np.cross(six[3:], six[:3]), 0, 0, 0] for six in one.v.reshape(-1, 6)])


def drift(one: Paper) -> Any:
    """The rates of S v where z'' is zero, of components."""
    return (one.Ad - one.Om.T @ one.A) @ one.rates + one.vrd - one.Om.T @ one.vr


def hinge_order(one: Paper, ud: Any) -> Any:
    return np.asarray(ud)[[u for u in one.tree.direct if u is not None]]


# -- energies and momenta ----------------------------------------------------------------------


def test_s2_04_kinetic_energy_three_ways() -> None:
    """Body by body, v^T M v/2, and the quadratic function of the rates."""
    one = paper()
    B, phi, z = one.B, one.phi, one.rates
    quadratic = z @ one.D @ z / 2 + z @ B.T @ one.M @ phi + phi @ one.M @ phi / 2
    assert one.v @ one.M @ one.v / 2 == pytest.approx(one.kinetic, rel=1e-13)
    assert quadratic == pytest.approx(one.kinetic, rel=1e-13)
    for form in HAMILTON:
        assert one.of(form)["T"] == pytest.approx([one.kinetic], rel=1e-13)


def test_s2_04_kinetic_energy_of_one_body() -> None:
    """m v.v/2 + m (v~ w)^T c + w^T J w/2."""
    one = paper()
    for k, link in enumerate(one.tree.links):
        rows = slice(6 * k, 6 * k + 6)
        M, (v, w) = one.M[rows, rows], (one.v[6 * k : 6 * k + 3], one.v[6 * k + 3 : 6 * k + 6])
        m, c = one.number([link.m])[0], one.number(link.c)
        said = m * v @ v / 2 + m * (skew(v) @ w) @ c + w @ M[3:, 3:] @ w / 2
        assert said == pytest.approx(one.v[rows] @ M @ one.v[rows] / 2, rel=1e-13)


def test_s2_04_composite_loads_give_the_generalized_forces() -> None:
    """(20): Q = A^T Fst = A^T T^T F, and both are -dV/dq."""
    one = paper()
    F = wrenches(one)
    Q = one.A.T @ one.T.T @ F
    found = one.of(HAMILTON[0])
    Fst = np.concatenate([found[f"Fst_{k}"] for k in range(1, one.N + 1)])
    near(Fst, one.T.T @ F)
    V = energy.potential(one.tree.motion)
    slopes = one.number(gradient(V, [q.symbol for q in one.model.system.q]))
    near(hinge_order(one, -slopes), Q)


def test_s2_06_mu_is_the_momentum_of_what_hangs_on_a_hinge() -> None:
    """(26): mu_1 of a root is the momentum of its whole tree, seen from its origin."""
    one = paper()
    for form in HAMILTON:
        near(one.of(form)["mu"], one.T.T @ one.M @ one.v)
    mu = one.of(HAMILTON[0])["mu_1"]
    R = one.matrix(one.tree.links[0].R_W)
    linear = sum(one.number([link.m])[0] * one.number(link.moving.v) for link in one.tree.links[:6])
    near(R @ mu[:3], linear)


def test_s2_06_p_is_the_derivative_of_the_kinetic_energy() -> None:
    """(21), (27), (29)."""
    one = paper()
    T = energy.kinetic(one.tree.motion)
    slopes = one.number(gradient(T, one.tree.motion.u))
    near(one.B.T @ one.M @ one.v, hinge_order(one, slopes))
    for form in HAMILTON:
        near(one.of(form)["p"], hinge_order(one, slopes))


def test_s2_06_the_poisson_function_and_the_hamiltonian() -> None:
    one = paper()
    p, B, phi = one.of(HAMILTON[0])["p"], one.B, one.phi
    rest = p - B.T @ one.M @ phi
    poisson = rest @ np.linalg.solve(one.D, rest) / 2 - phi @ one.M @ phi / 2
    V = one.number([energy.potential(one.tree.motion)])[0]
    assert p @ one.rates - one.kinetic == pytest.approx(poisson, rel=1e-12)
    for form in HAMILTON:
        assert one.of(form)["H"] == pytest.approx([poisson + V], rel=1e-12)


def test_s2_06_rates_of_momenta_are_minus_the_slopes_of_the_hamiltonian() -> None:
    """p' = -dH/dq where p is held: the rates are found anew at each place."""
    one = paper()
    p = one.of(HAMILTON[0])["p"]

    def H(at: Paper) -> Any:
        rest = p - at.B.T @ at.M @ at.phi
        V = at.number([energy.potential(at.tree.motion)])
        return rest @ np.linalg.solve(at.D, rest) / 2 - at.phi @ at.M @ at.phi / 2 + V

    near(one.of(HAMILTON[0])["pd"], -one.by_coordinates(H)[0], 1e-9)


@pytest.mark.parametrize("form", HAMILTON)
def test_s2_09_rates_of_momenta_are_derivatives_of_momenta(form: str) -> None:
    """d/dt of p along the accelerations of Newton-Euler is p' of (23)."""
    one = paper()
    near(one.of(form)["pd"], slope(lambda h: one.after(h).of(form)["p"]), 1e-9)


@pytest.mark.parametrize(
    "case",
    [
        "cam_follower",
        "four_bar",  # a loop: multipliers are in p'
        "heavy_top_quaternion",  # speeds that are no rates of coordinates
        "kapitza_pendulum",  # a hinge that moves by itself
        "rolling_disc",  # rolling
        "spherical_pendulum_quasivelocity",
    ],
)
def test_s2_09_rates_of_momenta_with_speeds_and_invariants_of_all_kinds(case: str) -> None:
    one = system(case)
    speeds = {v.path: 0.7 - 0.4 * k for k, v in enumerate(one.u)}
    at = Paper(Model(one), completed(one, speeds, held=(), t=0.4))
    found = at.of(HAMILTON[0])
    near(found["pd"], slope(lambda h: at.after(h).of(HAMILTON[0])["p"], 1e-5), 1e-7)
    near(found["qd"], at.form["qd"])


@pytest.mark.parametrize(
    ("case", "beside"),
    [("pipelayer", set()), ("four_bar", set()), ("slider_crank_3d_friction", {"B2.th'"})],
)
def test_s2_06_behind_the_momenta_no_speed_of_a_hinge_is_used(case: str, beside: set[str]) -> None:
    """The equations are in coordinates and momenta: rates are those that (22) gives.

    A speed that moves no link has no momentum, and stays what the state says.
    """
    equations = Model(system(case)).form(HAMILTON[0])
    speeds = {one.symbol for one in equations.signature.u}
    names = [step.name for step in equations.steps]
    found = next(k for k, name in enumerate(names) if name == "zd_1")

    def used(steps: Iterable[Step]) -> set[Node]:
        own = [
            {*free_symbols(x for row in step.entries for x in row)} - {*step.symbols}
            for step in steps
        ]
        return set().union(*own, *(used(step.steps) for step in steps))

    assert speeds & used(equations.steps[:found])
    assert {str(s.value) for s in speeds & used(equations.steps[found:])} == beside


# -- the extended equations --------------------------------------------------------------------


def test_s2_05_the_forms_solve_the_matrix_of_the_paper() -> None:
    """M_Sigma of (32) at both levels: (22), and (33) in rates of components."""
    one = paper()
    m, n = 6 * one.N, one.A.shape[1]
    p = one.of(HAMILTON[0])["p"]
    x = np.linalg.solve(one.sigma(), np.concatenate([np.zeros(m), -one.vr, p]))
    for form in HAMILTON:
        found = one.of(form)
        near(np.concatenate([found["v"], found["mu"], found["zd"]]), x, 1e-11)
    right = np.concatenate([wrenches(one) - one.Om @ one.M @ one.v, -drift(one), np.zeros(n)])
    y = np.linalg.solve(one.sigma(), right)
    for form in NEWTON_EULER:
        found = one.of(form)
        vd = np.concatenate([found[f"vd_{k}"] for k in range(1, one.N + 1)])
        near(np.concatenate([vd, found["R"], hinge_order(one, found.ud)]), y, 1e-11)


def test_s2_05_the_matrix_of_the_variant_is_that_of_the_paper() -> None:
    one = paper()
    for form in (NEWTON_EULER[2], HAMILTON[2]):
        near(one.of(form)["MSigma"], one.sigma())


def test_s2_07_reactions_do_no_work_on_the_rates() -> None:
    """A^T R = 0 of (33): no load of this model acts on rates alone."""
    one = paper()
    for form in NEWTON_EULER:
        R = one.of(form)["R"]
        assert np.abs(R).max() > 1
        assert np.abs(one.A.T @ R).max() < 1e-12 * np.abs(R).max()


@pytest.mark.parametrize("form", [*NEWTON_EULER, *HAMILTON])
def test_s2_07_every_solver_gives_the_same_accelerations(form: str) -> None:
    one = paper()
    near(one.of(form).ud, one.of("kane").ud, 1e-12)


EDGES = """mbx 1
model Edges {
  coordinate a: rad = 0.4, c: rad = 0.1
  coordinate x: m = 0.3, y: m = 0.2, z: m = 0.1, r: rad = 0.2, s: rad = 0.3, w: rad = 0.5
  body base { mass 5 kg  com [0.1 m, 0, 0]
    inertia diag(0.3 [kg*m^2], 0.2 [kg*m^2], 0.1 [kg*m^2])  joint fixed(ground at [0, 0, 0.5 m]) }
  body arm { mass 2 kg  com [0.3 m, 0.1 m, 0]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.3 [kg*m^2])
    joint revolute(base at [0.2 m, 0, 0], axis = z, angle = a) }
  body satellite { mass 1 kg  com [0.1 m, 0.2 m, 0.3 m]
    inertia diag(0.1 [kg*m^2], 0.2 [kg*m^2], 0.15 [kg*m^2])
    joint general(arm, move = [x, y, z], rotated x by r, rotated y by s, rotated z by w) }
  body tip { mass 0.3 kg  com [0, 0.1 m, 0]
    inertia diag(0.01 [kg*m^2], 0.02 [kg*m^2], 0.01 [kg*m^2])
    joint revolute(arm at [0.5 m, 0, 0], axis = y, angle = c) }
  gravity [0, 0, -9.81 [m/s^2]]
  load drive: on c': 0.7 [N*m]*cos(a)
  invariant swing: a = 0.4 rad + 0.2 rad*sin(3 [rad/s]*t) + 0.1*c
}
"""


@pytest.mark.parametrize("form", [*NEWTON_EULER, *HAMILTON])
def test_s2_07_links_that_rest_and_links_that_are_free_of_their_carrier(form: str) -> None:
    """A hinge without freedoms on the ground, and one of six freedoms on a link that moves."""
    one = system_of(EDGES)
    speeds = {v.path: 0.7 - 0.3 * k for k, v in enumerate(one.u)}
    at = Paper(Model(one), completed(one, speeds, held=(), t=0.4))
    assert [link.freedoms for link in at.tree.links] == [0, 1, 6, 1]
    near(at.of(form).ud, at.of("kane").ud, 1e-11)
    near(at.of(form).Fc, at.of("kane").Fc, 1e-11)


def test_s2_07_cholesky_factors_are_factors() -> None:
    one = paper()
    found = one.of(NEWTON_EULER[1])
    for k, link in enumerate(one.tree.links, start=1):
        if link.freedoms:
            L = found[f"L_{k}"].reshape(link.freedoms, link.freedoms)
            near(L.T @ L, found[f"D_{k}"].reshape(L.shape))
            assert np.array_equal(L, np.triu(L))


def test_s2_07_both_sweeps_have_the_same_articulated_inertia() -> None:
    one = paper()
    lu, cholesky = (one.of(form) for form in NEWTON_EULER[:2])
    for k in range(1, one.N + 1):
        near(cholesky[f"Mst_{k}"], lu[f"Mst_{k}"])
        # H Mst of Algorithm 1: the hinge hands no inertia on along its own motion
        if f"HM_{k}" in {step.name for step in lu.equations.steps}:
            A = one.matrix(one.tree.links[k - 1].A)
            assert np.abs(lu[f"HM_{k}"] @ A).max() < 1e-12 * np.abs(lu[f"Mst_{k}"]).max()


@pytest.mark.parametrize("form", [*NEWTON_EULER[:2], *HAMILTON[:2]])
def test_a_sweep_has_no_matrix_of_the_whole_tree(form: str) -> None:
    """O(N): nothing but columns is larger than what belongs to one link."""
    equations = paper().model.form(form)
    found = equations.evaluate(STATE, t=0.4)
    for step in equations.steps:
        size = found.outcome.at(step.name, 0).shape
        assert min(size) <= 1 or max(size) <= 6, step.name
