"""The pipelayer of Ivanov and Shimanovskiy, and what their equations give as printed."""

from __future__ import annotations

from functools import cache
from math import cos, sin
from typing import Any, Final

import numpy as np
import pytest

from formalisms.cases import system, system_of
from formalisms.recursive.paper002 import BRANCHED, STATE, Model, Paper, omega, skew
from formalisms.recursive.test_tree_dynamics import drift, g_of, hinge_order, wrenches

FORMS: Final = tuple(
    f"tree_{form}:{variant}"
    for form in ("newton_euler", "hamilton_extended")
    for variant in ("lu", "cholesky", "extended")
)
Q: Final = ("z", "alpha", "beta", "theta", "epsilon", "y")
PLACE: Final = (0.9, 0.05, -0.03, 0.7, 0.4, 1.1)
RATE: Final = (0.2, -0.1, 0.15, 0.3, -0.25, 0.5)
MOVING: Final = {
    **dict(zip(Q, PLACE, strict=True)),
    **{f"{q}'": x for q, x in zip(Q, RATE, strict=True)},
}

# Computed for this library at 25 digits by two codes; the paper prints no numbers.
MOMENTA: Final = (
    2505.429512962645564,
    -4742.674036431712325,
    -100.7461306375511723,
    3548.648980382624822,
    -2353.962221702388249,
    341.9787019899871547,
)
LOADS: Final = (
    -177561,
    -66362.28465993208261,
    -34749.05712828294457,
    2479.665175198344281,
    -39846.32861327348182,
    -2390.830249584386598,
)
RATES: Final = (
    -177561,
    -66015.78043794523321,
    -35349.60286492467486,
    1767.010760634898625,
    -40387.66242028663205,
    -2279.458280282662484,
)
ACCELERATIONS: Final = (
    -9.763779450016746,
    -0.01684779233740567,
    0.001606887231880254,
    -0.1019053058302803,
    -0.09515956238027295,
    0.2619732902651002,
)
KINETIC: Final = 1392.157993587722878
POTENTIAL: Final = 356421.0292206968978


@cache
def pipelayer() -> Paper:
    return Paper(Model(system("pipelayer")), MOVING, 0.0)


@cache
def branched() -> Paper:
    return Paper(Model(system_of(BRANCHED)), STATE)


# -- the pipelayer -----------------------------------------------------------------------------


def test_s2_13_the_hinges_of_the_pipelayer() -> None:
    """G and rho as section 6 prints them."""
    one = pipelayer()
    ca, sa, cb, sb = cos(0.05), sin(0.05), cos(-0.03), sin(-0.03)
    ct, st, ce, se = cos(0.7), sin(0.7), cos(0.4), sin(0.4)
    G = [
        [[cb, sa * sb, -ca * sb], [0, ca, sa], [sb, -sa * cb, ca * cb]],
        [[ct, st, 0], [-st, ct, 0], [0, 0, 1]],
        [[1, 0, 0], [0, ce, se], [0, -se, ce]],
        np.eye(3),
    ]
    rho = [(0, 0, 0.9), (0, 0.5, 1.2), (0, 0.8, 0.6), (0, 1.1, 0.15)]
    assert one.k == [None, 0, 1, 2]
    for link, turn, place in zip(one.tree.links, G, rho, strict=True):
        assert np.transpose(one.matrix(link.R)) == pytest.approx(np.array(turn), abs=1e-15)
        assert one.number(link.r) == pytest.approx(place, abs=1e-15)


def test_s2_13_a_and_its_rate_are_what_the_missing_display_says() -> None:
    """The display of A and its rate, derived for this library from rho and G."""
    one = pipelayer()
    ca, sa, cb, sb = cos(0.05), sin(0.05), cos(-0.03), sin(-0.03)
    ad, bd = -0.1, 0.15
    A1 = [(-ca * sb, sa, ca * cb, 0, 0, 0), (0, 0, 0, cb, 0, sb), (0, 0, 0, 0, 1, 0)]
    heave = (sa * sb * ad - ca * cb * bd, ca * ad, -sa * cb * ad - ca * sb * bd, 0, 0, 0)
    A1d = [heave, (0, 0, 0, -sb * bd, 0, cb * bd), (0,) * 6]
    found = [one.of(FORMS[3])[f"A_{k}"] for k in range(1, 5)]
    assert found[0] == pytest.approx(np.array(A1).T, abs=1e-15)
    assert one.of(FORMS[3])["Ad_1"] == pytest.approx(np.array(A1d).T, abs=1e-15)
    for k, row in ((1, 5), (2, 3), (3, 1)):
        assert np.array_equal(found[k].reshape(-1), np.eye(6)[row])
        assert not any(x.op != "number" or x.value for r in one.tree.links[k].Ad for x in r)
    assert not one.vr.any()


def test_s2_13_momenta_and_their_rates() -> None:
    one = pipelayer()
    for form in FORMS[3:]:
        found = one.of(form)
        assert found["p"] == pytest.approx(MOMENTA, rel=1e-13)
        assert found["pd"] == pytest.approx(RATES, rel=1e-12)
        assert found["T"] == pytest.approx([KINETIC], rel=1e-13)
        assert found["V"] == pytest.approx([POTENTIAL], rel=1e-13)
        assert found["H"] == pytest.approx([KINETIC + POTENTIAL], rel=1e-13)
        assert found["qd"] == pytest.approx(RATE, rel=1e-12)
        assert found["pd"][0] == pytest.approx(-18100 * 9.81, rel=1e-14)


def test_s2_13_generalized_forces() -> None:
    one = pipelayer()
    assert one.A.T @ one.T.T @ wrenches(one) == pytest.approx(LOADS, rel=1e-13)
    found = one.of(FORMS[3])
    forces = [np.ravel(found[f"At_{k}"] @ found[f"Fst_{k}"]) for k in range(1, 5)]
    assert np.concatenate(forces) == pytest.approx(LOADS, rel=1e-13)


@pytest.mark.parametrize("form", FORMS)
def test_s2_13_accelerations(form: str) -> None:
    assert pipelayer().of(form).ud == pytest.approx(ACCELERATIONS, rel=1e-9, abs=1e-12)


# -- as printed --------------------------------------------------------------------------------


def test_erratum_19_accelerations_of_33_are_true_ones() -> None:
    """w^r is not given. F^c belongs to true accelerations, and these need S g in w^r.

    Without it, which is right for rates of components, the accelerations are wrong.
    """
    one = branched()
    n, g = one.A.shape[1], g_of(one)
    Fc = np.concatenate(
        [[*(-m * skew(w) @ skew(w) @ c), *(-skew(w) @ J @ w)] for m, c, J, w in _bodies(one)]
    )
    assert pytest.approx(-one.Om @ one.M @ one.v + one.M @ g, abs=1e-12) == Fc

    def solved(w_r: Any) -> Any:
        right = np.concatenate([wrenches(one) + Fc, -w_r, np.zeros(n)])
        return np.linalg.solve(one.sigma(), right)[-n:]

    expected = hinge_order(one, one.form.ud)
    assert solved(drift(one) + one.S @ g) == pytest.approx(expected, rel=1e-10)
    assert np.abs(solved(drift(one)) - expected).max() > 0.1


def _bodies(one: Paper) -> list[tuple[Any, Any, Any, Any]]:
    found = []
    for k, link in enumerate(one.tree.links):
        rows = slice(6 * k + 3, 6 * k + 6)
        m, c = one.number([link.m])[0], one.number(link.c)
        found.append((m, c, one.M[rows, rows], one.v[rows]))
    return found


def test_erratum_16_the_mass_of_the_centrifugal_force_is_that_of_the_body() -> None:
    """The text below (33) prints M: the sum of masses would be another one for every link."""
    one = branched()
    m, c, _, w = _bodies(one)[0]
    total = sum(body[0] for body in _bodies(one))
    lever = skew(w) @ skew(w) @ c
    G = one.form["G_1"][:3]
    g = np.cross(w, one.v[:3])
    assert m * g + m * lever == pytest.approx(G, rel=1e-12)
    assert np.abs(m * g + total * lever - G).max() > 0.1


def test_erratum_6_the_second_row_of_22_has_the_explicit_twist() -> None:
    """As printed, v^T stands where v^r belongs."""
    one = branched()
    p = one.of(FORMS[3])["p"]
    zero = np.zeros(6 * one.N)
    for right, wrong in ((one.vr, False), (one.v, True)):
        x = np.linalg.solve(one.sigma(), np.concatenate([zero, -right, p]))
        off = np.abs(x[-len(p) :] - one.rates).max()
        assert off > 0.1 if wrong else off < 1e-10


FREE: Final = """mbx 1
model Free {
  coordinate x: m, y: m, z: m, a: rad = 0.3, b: rad = 0.4, c: rad = 0.5
  body B { mass 2 kg  com [0.1 m, 0.2 m, -0.1 m]
    inertia diag(0.3 [kg*m^2], 0.4 [kg*m^2], 0.5 [kg*m^2])
    joint general(ground, move = [x, y, z], rotated x by a, rotated y by b, rotated z by c) }
}
"""


def test_erratum_4_omega_stands_behind_the_transpose_of_a() -> None:
    """Om A^T, as printed once: with six freedoms it can be multiplied, and is wrong."""
    said = {"x": 0.1, "y": 0.2, "z": 0.3, "a": 0.3, "b": 0.4, "c": 0.5}
    said |= {"x'": 0.4, "y'": -0.7, "z'": 0.2, "a'": 0.6, "b'": -0.5, "c'": 0.9}
    one = Paper(Model(system_of(FREE)), said, 0.0)
    found = one.of(FORMS[3])
    mu, Om = found["mu"], omega(one.v)
    right = (one.Ad.T - one.A.T @ Om) @ mu
    printed = (one.Ad.T - Om @ one.A.T) @ mu
    assert right == pytest.approx(found["pd"], abs=1e-12)
    assert np.abs(printed - right).max() > 0.1
