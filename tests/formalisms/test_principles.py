"""The differential principles as such: least constraint, and virtual power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from formalisms.cases import completed, forms, system, system_of
from formalisms.features import by_path
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.execute.execute import run

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

# -- the deviation -------------------------------------------------------------------------------

_RNG: Final = np.random.default_rng(3)
_PLACES: Final = _RNG.uniform(-0.5, 0.5, (6, 3))
_MASSES: Final = np.array([0.4, 0.7, 0.3, 1.1, 0.6, 0.9])
_FORCES: Final = _RNG.uniform(-3, 3, (6, 3))
"""Six particles that are one rigid body, and a force on each, in axes of the body."""


def _cloud() -> tuple[np.ndarray, np.ndarray]:
    """Return the places from the mass centre, and the inertia about it."""
    places = _PLACES - _MASSES @ _PLACES / _MASSES.sum()
    inertia = sum(
        m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(_MASSES, places, strict=True)
    )
    return places, np.asarray(inertia)


def _body() -> System:
    """Return the rigid body, in axes that are those of the ground at the state."""
    places, I = _cloud()
    f, t = _FORCES.sum(axis=0), np.cross(places, _FORCES).sum(axis=0)
    six = ", ".join(
        f"{I[i, j]} [kg*m^2]" for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    )
    return system_of(f"""mbx 1
    model Cloud {{
      coordinate x, y, z: m
      coordinate qw: 1 = 1, qx: 1, qy: 1, qz: 1
      speed wx, wy, wz: rad/s
      body B {{
        mass {_MASSES.sum()} kg  com [0, 0, 0]  inertia tensor({six})
        joint free(ground, move = [x, y, z], quaternion(w = qw, x = qx, y = qy, z = qz))
      }}
      define [wx, wy, wz] = omega(B) in B
      force [{f[0]} N, {f[1]} N, {f[2]} N] on B at B.com
      torque [{t[0]} [N*m], {t[1]} [N*m], {t[2]} [N*m]] on B
    }}""")


def _deviation(a: np.ndarray, wd: np.ndarray, w: np.ndarray) -> float:
    """Return Z of the particles, Orsino (3.55), each with the motion of a rigid body."""
    places, _ = _cloud()
    each = a + np.cross(wd, places) + np.cross(w, np.cross(w, places))
    missed = _FORCES - _MASSES[:, None] * each
    return float(((missed**2).sum(axis=1) / (2 * _MASSES)).sum())


def test_the_programme_is_the_deviation_of_the_particles_of_a_body() -> None:
    """Orsino (3.55), up to a constant that no acceleration is in."""
    one = _body()
    w = np.array([0.8, -1.3, 0.6])
    state = completed(one, dict(zip(("wx", "wy", "wz"), map(float, w), strict=True)))
    found = registry.derive(one, "gauss").evaluate(state)
    paths = [v.path for v in one.u]
    assert sorted(paths) == ["wx", "wy", "wz", "x'", "y'", "z'"]
    H, c = found["H"], found["c"]

    def both(values: np.ndarray) -> tuple[float, float]:
        at = dict(zip(paths, values, strict=True))
        Z = _deviation(
            np.array([at[v] for v in ("x'", "y'", "z'")]),
            np.array([at[v] for v in ("wx", "wy", "wz")]),
            w,
        )
        return Z, float(values @ H @ values / 2 + c @ values)

    constant = np.subtract(*both(np.zeros(6)))
    for values in np.random.default_rng(5).uniform(-4, 4, (8, 6)):
        Z, programme = both(values)
        assert pytest.approx(Z, rel=1e-12) == programme + constant
        # the true accelerations have the least of it
        assert both(found.ud)[0] < Z


@pytest.mark.parametrize("case", ["four_bar", "rolling_disc", "chaplygin_sleigh", "bar_chain"])
def test_every_change_that_the_invariants_allow_makes_the_constraint_larger(case: str) -> None:
    one = system(case)
    found = forms(one)["gauss"].evaluate(completed(one, {}))
    H, c, E = found["H"], found["c"], found["E"]

    def Z(ud: Any) -> float:
        return float(ud @ H @ ud / 2 + c @ ud)

    assert E.shape[1]
    for y in np.random.default_rng(9).uniform(-2, 2, (5, E.shape[1])):
        assert Z(found.ud + E @ y) > Z(found.ud)
        step = 1e-3 * E @ y  # no slope: what is left is the square of the step
        rise = Z(found.ud + step) - Z(found.ud)
        assert rise == pytest.approx(step @ H @ step / 2, rel=1e-5, abs=1e-9 * abs(Z(found.ud)))


# -- what the programme is made of ---------------------------------------------------------------


def _only(text: str, state: dict[str, float], form: str) -> Any:
    one = system_of(f"mbx 1 model M {{ {text} }}")
    found = registry.derive(one, form).evaluate(completed(one, state))
    assert found.status == "regular"
    return found


@pytest.mark.parametrize("form", ["gauss", "jourdain"])
def test_a_force_may_act_on_a_body_without_mass(form: str) -> None:
    """Newton: (m + 0) x'' = 3 N, and nothing is divided by the mass that is not there."""
    text = """
      coordinate x: m
      body cart { mass 0 kg  joint prismatic(ground, axis = x, distance = x) }
      particle load { mass 2 kg  at cart.origin }
      force [3 N, 1 N, 0] on cart
    """
    assert _only(text, {"x": 0.1, "x'": 0.4}, form).ud == pytest.approx([1.5], rel=1e-13)


@pytest.mark.parametrize("form", ["gauss", "jourdain"])
def test_a_force_without_a_body_is_part_of_the_equations(form: str) -> None:
    """(m + 1 kg) x'' = 5 N - 2 N: a load on a rate, and a known model with inertia."""
    text = """
      coordinate x: m
      particle P { mass 2 kg  at [x, 0, 0] }
      load push: on x': 5 N
      effective x': -2 N - 1 kg*x''
    """
    assert _only(text, {"x": 0.0}, form).ud == pytest.approx([1.0], rel=1e-13)


@pytest.mark.parametrize("form", ["gauss", "jourdain", "newton_euler"])
def test_a_body_turns_by_euler_also_behind_a_particle(form: str) -> None:
    """Ix wx' = (Iy - Iz) wy wz and so on: the particle has no rows of rotation before these."""
    text = """
      coordinate x: m, a, b, c: rad
      speed wx, wy, wz: rad/s
      particle P { mass 2 kg  at [x, 0, 0] }
      body B { mass 1 kg  com [0, 0, 0]
        inertia diag(0.2 [kg*m^2], 0.3 [kg*m^2], 0.4 [kg*m^2])
        joint spherical(ground, euler xyz by (a, b, c)) }
      define [wx, wy, wz] = omega(B) in B
    """
    found = _only(text, {"b": 0.4, "wx": 1.1, "wy": -0.7, "wz": 0.9}, form)
    turn = {"wx'": -0.1 * -0.7 * 0.9 / 0.2, "wy'": 0.2 * 0.9 * 1.1 / 0.3}
    turn |= {"wz'": -0.1 * 1.1 * -0.7 / 0.4, "x''": 0.0}
    assert by_path(found) == pytest.approx(turn, rel=1e-12, abs=1e-12)


def test_where_known_models_outweigh_the_inertia_the_deviation_is_stationary() -> None:
    """(2 kg - 3 kg) x'' = 4 N."""
    text = """
      coordinate x: m
      particle P { mass 2 kg  at [x, 0, 0] }
      effective x': 4 N + 3 kg*x''
    """
    found = _only(text, {"x": 0.0}, "gauss")
    assert found["H"] == pytest.approx([-1.0])
    assert found.equations.notes[-1].endswith("stationary")
    assert found.ud == pytest.approx([-4.0], rel=1e-13)


def test_a_load_with_an_unsymmetric_inertia_is_refused_by_its_name() -> None:
    one = system_of("""mbx 1 model M {
      coordinate x, y: m
      particle P { mass 2 kg  at [x, y, 0] }
      load odd: on x': -0.5 kg*y''
    }""")
    with pytest.raises(NotApplicableError, match=r"unsymmetric Hessian \(odd\)"):
        registry.derive(one, "gauss")
    assert not registry.refusals(one, "jourdain")


def test_a_load_with_a_symmetric_inertia_is_part_of_the_hessian() -> None:
    """Added mass 0.5 kg in both directions, by a force on the body: 2.5 x'' = 1 N."""
    text = """
      coordinate x, y: m
      particle P { mass 2 kg  at [x, y, 0] }
      force added: -0.5 kg*acceleration(P) on P
      force [1 N, 2 N, 0] on P
    """
    found = _only(text, {"x": 0.0, "y": 0.0}, "gauss")
    assert found["H"] == pytest.approx(2.5 * np.eye(2))
    assert found["Mb"].shape == (3, 3)  # a particle does not turn
    assert found.ud == pytest.approx([0.4, 0.8], rel=1e-13)


def test_a_reaction_that_a_load_names_must_be_a_unique_multiplier() -> None:
    """Two invariants that say the same share one force, nobody knows how."""
    one = system_of("""mbx 1 model M {
      coordinate x, y: m
      particle P { mass 2 kg  at [x, y, 0] }
      invariant floor: y = 0 reaction N
      invariant again: 2*y = 0
      load friction: on x' of floor: -0.1*abs(N)*sign(x')
      gravity [0, -9.81 [m/s^2], 0]
    }""")
    state = {"x": 0.0, "y": 0.0, "x'": 1.0, "y'": 0.0}
    assert registry.derive(one, "gauss").evaluate(state).status == "singular"


def test_the_equations_say_which_programme_they_are() -> None:
    equations = forms(system("four_bar"))["gauss"]
    assert equations.notes[-1].endswith("1/2 ud^T H ud + c^T ud least")
    assert {equations.results[letter] for letter in "HcAb"} == {"H", "c", "A", "b"}


# -- residuals -----------------------------------------------------------------------------------


def _quotients(equations: Equations, state: dict[str, float], ud: np.ndarray) -> list[float]:
    """Return the largest value of each residual, relative to its magnitudes."""
    values = values_of(equations, state)
    found = []
    for residual in equations.residuals:
        outcome = run(equations, values, residual=residual, given={"ud": ud[None, :, None]})
        r, size = (outcome.at(name, 0)[:, 0] for name in (residual.value, residual.magnitude))
        assert (size > 0).all()
        found.append(float(np.abs(r / size).max(initial=0.0)))
    return found


@pytest.mark.parametrize(("form", "free"), [("gauss", "E"), ("jourdain", "D")])
def test_residuals_tell_wrong_dynamics_from_broken_invariants(form: str, free: str) -> None:
    one = system("rolling_disc")
    state = completed(one, {"lean": 0.3, "yaw'": 0.4, "lean'": 0.2, "spin'": -5.0})
    equations = forms(one)[form]
    found = equations.evaluate(state)
    ud = forms(one)["lagrange"].evaluate(state).ud
    assert max(_quotients(equations, state, ud)) < 1e-14
    dynamics, invariants = _quotients(equations, state, ud + 1e-3 * found[free].sum(axis=1))
    assert dynamics > 1e-6
    assert invariants < 1e-14
    _, invariants = _quotients(equations, state, ud + 1e-3 * found["A"][0])
    assert invariants > 1e-6


def test_magnitudes_of_a_gradient_are_those_of_the_loads_of_the_bodies() -> None:
    """Two forces of 1e9 N that cancel out: rounding of 1e-7 N is no error of the accelerations."""
    one = system_of("""mbx 1 model M {
      coordinate x: m
      particle P { mass 1 kg  at [x, 0, 0] }
      particle R { mass 1 kg  at [x, 0.1 m, 0] }
      force [1e9 N, 0, 0] on P
      force [-1e9 N, 0, 0] on R
    }""")
    equations = registry.derive(one, "gauss")
    (quotient, *_) = _quotients(equations, {"x": 0.0, "x'": 0.0}, np.array([1e-7]))
    assert quotient == pytest.approx(2e-7 / 2e9, rel=1e-6)
