"""Invariants at every level, and motions in speeds and in rates, against finite differences."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from mbx.expr.derivatives import gradient
from mbx.expr.nodes import ZERO
from mbx.mechanics import energy, gibbs, invariants, loads, momentum, motion, programme
from mbx.mechanics.balance import inertia_wrench
from unit.system.oracle import close, first, numbers, path_of, second, system

_T = 0.4
_MODEL = """
param l: m = 0.8
input h: m = 0.1
coordinate a, b: rad
coordinate x, y: m
speed v, s: m/s
define v = x'*cos(a) + y'*sin(a)
define s = y'*cos(a) - x'*sin(a) + 0.1 [1/s]*x*b
body B { mass 2 kg com [0.1 m, 0, 0.2 m]
  inertia tensor(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2], 0.01 [kg*m^2], 0.02 [kg*m^2], 0)
  joint general(ground, move = [x, y, h], rotated z by a + 2 Hz*t, rotated x by b) }
invariant c: x^2 + y*l*sin(b) = h*1 m*cos(1 Hz*t)
invariant d: dot(velocity(B.com), B.y) = 0.3 [m/s]*sin(b)
invariant e: dot(acceleration(B.com), B.z) = s*a'
invariant f: v^2 + s*a'*1 m = 0
"""
_PATHS = {n: path_of(k) for k, n in enumerate(("a", "b", "x", "y", "h"))}
_ORDERS = {"c": 0, "d": 1, "e": 2, "f": 1}


def _along(t: float) -> dict[str, float]:
    """Return everything in q, u, ud and inputs along the motion, speeds by hand."""
    q = _PATHS

    def v(r: float) -> float:
        a = q["a"](r)
        return float(first(q["x"], r) * np.cos(a) + first(q["y"], r) * np.sin(a))

    def s(r: float) -> float:
        a = q["a"](r)
        turned = first(q["y"], r) * np.cos(a) - first(q["x"], r) * np.sin(a)
        return float(turned + 0.1 * q["x"](r) * q["b"](r))

    found = {"v": v(t), "s": s(t), "v'": first(v, t), "s'": first(s, t)}
    for n, f in q.items():
        found |= {n: f(t), f"{n}'": first(f, t), f"{n}''": second(f, t)}
    return found


def test_invariants_hold_their_rates_at_every_level() -> None:
    found = system(_MODEL)
    assert [u.path for u in found.u] == ["a'", "b'", "v", "s"]
    moving = motion.in_speeds(found)
    levels = invariants.levels(moving)
    assert {row.path: row.order for row in levels.rows} == _ORDERS

    def value(k: int, t: float) -> Any:
        """Return an invariant as it is written, in raw symbols."""
        return float(numbers([levels.rows[k].value], {}, t, _along(t), found)[0])

    names = [row.path for row in levels.rows]
    at = _along(_T)
    low = [names.index(n) for n in names if _ORDERS[n] < 2]
    velocity = numbers(levels.velocity, {}, _T, at, found)
    for got, k in zip(velocity, low, strict=True):
        given = partial(value, k)
        want = first(given, _T) if _ORDERS[names[k]] == 0 else given(_T)
        assert got == pytest.approx(want, abs=1e-7)
    acceleration = numbers(levels.acceleration, {}, _T, at, found)
    for k, name in enumerate(names):
        given = partial(value, k)
        wanted = {0: second(given, _T), 1: first(given, _T), 2: given(_T)}
        assert acceleration[k] == pytest.approx(wanted[_ORDERS[name]], abs=1e-6)
    A = numbers([x for row in levels.A for x in row], {}, _T, at, found).reshape(len(names), 4)
    b = numbers(levels.b, {}, _T, at, found)
    ud = [at[u.path + "'"] for u in found.u]
    close(A @ ud + b, acceleration)


@pytest.mark.parametrize("view", [motion.in_speeds, motion.in_rates])
def test_a_motion_is_the_same_in_speeds_and_in_rates(view: object) -> None:
    found = system(_MODEL)
    moving = view(found)  # type: ignore[operator]
    (one,) = moving.elements
    raw = found.elements[0]
    at = _along(_T)
    for got, want in (
        (one.v, raw.com.v),
        (one.w, raw.w_local),
        (one.a, raw.com.a),
        (one.wd, raw.wd_local),
    ):
        close(numbers(got, {}, _T, at, found), numbers(want, {}, _T, at, found))
    n = len(moving.u)
    J = numbers([x for r in loads.partial_velocities(moving) for x in r], {}, _T, at, found)
    jb = numbers(loads.accelerations_without_rates(moving), {}, _T, at, found)
    twd = J.reshape(6, n) @ [at[u.value] for u in moving.ud] + jb
    close(twd, numbers([*one.a, *one.wd], {}, _T, at, found))


def test_four_ways_to_the_inertia_force_agree() -> None:
    """Balances, momenta, Lagrange's operator and Gibbs's function, in the rates."""
    found = system(_MODEL)
    moving = motion.in_rates(found)
    balances = loads.project(moving, [inertia_wrench(m) for m in moving.elements])
    momenta = momentum.project_rates(moving, momentum.momentum_rates(moving))
    lagrange = energy.lagrange_operator(moving, energy.kinetic(moving))
    appell = gradient(gibbs.gibbs_function(moving), moving.ud)
    ways = [balances, momenta, lagrange, appell]
    at = _along(_T)
    values = [numbers(way, {}, _T, at, found) for way in ways]
    for other in values[1:]:
        close(other, values[0])


def test_a_programme_differentiates_inputs_as_often_as_it_must() -> None:
    found = system(
        """input h: m = 1 m*sin(1 Hz*t)
        coordinate x, y: m
        particle P { mass 1 kg at [x, y, 0] }
        invariant a: x = h
        invariant b: y''' = 0"""
    )
    lifted = programme.lift(motion.in_speeds(found))
    assert [row.path for row in lifted.rows] == ["a", "b"]
    values = numbers(lifted.b, {}, 0.0, {"h'''": 7.0})
    close(values, [-7, 0])


def test_a_programme_may_have_a_joint_that_lets_go() -> None:
    found = system(
        """coordinate x: m
        coordinate a: rad
        particle P { mass 1 kg at [x, 0, 0] }
        body B { mass 1 kg com [1 m, 0, 0]
          inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
          joint revolute(ground, axis = z, angle = a) reaction R }
        invariant b: x'''' = 0
        force 0*R.force on P"""
    )
    lifted = programme.lift(motion.in_speeds(found))
    assert (
        np.linalg.matrix_rank(
            numbers([x for row in lifted.A for x in row], {}, 0.0, {"a": 0.0}).reshape(7, 8)
        )
        == 7
    )


def test_an_invariant_that_definitions_make_true_takes_no_freedom() -> None:
    found = system(
        """param al: rad
        coordinate a, b: rad
        speed p, r: rad/s
        let c = cos(al), s = sin(al)
        define p = c*a' + s*b'
        define r = c*b' - s*a'
        body B { inertia diag(1 [kg*m^2], 1 [kg*m^2], 1 [kg*m^2])
          joint universal(ground, axis = x, axis2 = y, angle = a, angle2 = b) }
        invariant same: (1 + a^2)*(c*a' + s*b') = p + a^2*p"""
    )
    assert invariants.levels(motion.in_speeds(found)).velocity == (ZERO,)
