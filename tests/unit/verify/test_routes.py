"""Inertia forces by the routes of Orsino's appendix A: equal for every model, able to fail."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from formalisms.cases import system, system_of
from mbx.expr.build import add, scale
from mbx.mechanics import balance, energy, gibbs, quasi
from mbx.numerics.execute.execute import run
from mbx.numerics.states.manifold import Manifold, Points, Values
from mbx.numerics.states.sample import draw, draw_values, special
from mbx.verify.agreement.routes import ROUTES, RouteError, check_routes, inertia_routes
from representative import FOLDERS, marked, names_in

if TYPE_CHECKING:
    from types import ModuleType

    from mbx.system.system import System

MODELS: Final = [
    (path.name, model) for path in FOLDERS.values() for model in names_in(path, r"^model (\w+)")
]
"""Every model of the library, also those that others are made of."""
POLAR: Final = """
mbx 1 model M {
  coordinate r: m = 1, a: rad
  speed v: m/s
  define v = r*a'
  particle P { mass 2 kg  at [r*cos(a), r*sin(a), 0] }
}
"""
FEW: Final = {"gibbs", "newton_euler"}
ALL: Final = set(ROUTES)


def checked(one: System) -> dict[str, RouteError]:
    rng = np.random.default_rng(5)
    manifold = Manifold(one, draw_values(one, rng))
    sample = special(manifold, rng).and_then(draw(manifold, rng, 4))
    return {x.name: x for x in check_routes(one, manifold.values, sample.points)}


@pytest.mark.parametrize("names", marked(MODELS, itemgetter(0)))
def test_all_routes_lead_to_the_same_inertia_forces(names: tuple[str, str]) -> None:
    found = checked(system(*names))
    assert set(found) in (ALL, FEW)
    assert max(x.value for x in found.values()) < 1e-12


@pytest.mark.slow
def test_most_models_have_all_six_routes() -> None:
    full = [m for m in MODELS if set(inertia_routes(system(*m)).results) >= ALL]
    assert len(full) >= 0.8 * len(MODELS)


@pytest.mark.parametrize("case", ["ring_twist", "spherical_pendulum_quasivelocity"])
def test_speeds_that_are_no_change_of_rates_leave_two_routes(case: str) -> None:
    assert set(checked(system(case))) == FEW


@pytest.mark.parametrize("name", ROUTES)
def test_a_pendulum_has_the_inertia_force_of_the_textbook(name: str) -> None:
    """A thin rod on a pin: -m l^2/3 theta''."""
    one = system("simple_pendulum")
    equations = inertia_routes(one)
    points = Points(np.zeros(1), np.array([[0.7]]), np.array([[1.3]]))
    found = run(equations, Values().at(equations, points), given={"ud": np.array([[[2.5]]])})
    assert np.asarray(found.matrix(name)).item() == pytest.approx(-2.5 / 3, rel=1e-14)


@pytest.mark.parametrize("name", ROUTES)
def test_a_particle_in_polar_coordinates_has_the_inertia_force_of_the_textbook(name: str) -> None:
    """m (r'' - r a'^2), and m r times the acceleration across for the speed r a'."""
    equations = inertia_routes(system_of(POLAR))
    r, v, rd, rdd, vd = 1.2, 0.7, -0.4, 0.3, 0.9
    points = Points(np.zeros(1), np.array([[r, 0.5]]), np.array([[rd, v]]))
    found = run(equations, Values().at(equations, points), given={"ud": np.array([[[rdd], [vd]]])})
    expected = [-2 * (rdd - v**2 / r), -2 * (vd + rd * v / r)]
    assert np.asarray(found.matrix(name)).ravel() == pytest.approx(expected, rel=1e-14)


def test_what_is_no_number_is_no_agreement() -> None:
    q = np.array([[1.0, 0.5], [0.0, 0.5]])  # the second is at the pole
    found = check_routes(system_of(POLAR), Values(), Points(np.zeros(2), q, 0.7 * np.ones((2, 2))))
    assert len(found) == len(ROUTES)
    assert not any(isfinite(x.value) for x in found)
    assert {x.state for x in found} == {1}


def test_without_states_there_is_nothing_to_say() -> None:
    none = Points(np.zeros(0), np.zeros((0, 2)), np.zeros((0, 2)))
    assert check_routes(system_of(POLAR), Values(), none) == []


def test_a_small_row_is_judged_by_its_own_size(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    mbx 1 model M {
      coordinate x, y: m
      particle heavy { mass 1000 kg  at [x, 0, 0] }
      particle light { mass 1 g  at [0, y, 0] }
    }
    """
    right = ROUTES["nielsen"]
    size = Fraction(10**7 + 1, 10**7)
    monkeypatch.setitem(ROUTES, "nielsen", lambda one: [right(one)[0], scale(size, right(one)[1])])
    points = Points(np.zeros(1), np.zeros((1, 2)), np.ones((1, 2)))
    found = {x.name: x for x in check_routes(system_of(text), Values(), points)}
    assert found["nielsen"].value == pytest.approx(1e-7, rel=1e-6)
    assert found["nielsen"].row == "y'"


def test_a_fault_along_a_constraint_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inertia forces are compared in all directions, but those of norms of quaternions."""
    one = system("spherical_pendulum_cartesian")
    right = ROUTES["nielsen"]
    place = [v.symbol for v in one.q]
    monkeypatch.setitem(
        ROUTES, "nielsen", lambda x: [add(f, r) for f, r in zip(right(x), place, strict=True)]
    )
    assert checked(one)["nielsen"].value > 1e-3


def test_an_error_says_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    right = ROUTES["nielsen"]
    monkeypatch.setitem(
        ROUTES,
        "nielsen",
        lambda one: [right(one)[0], scale(2, right(one)[1])],
    )
    points = Points(np.zeros(2), np.array([[1.0, 0.5]] * 2), np.array([[0, 0], [0.3, 0.7]]))
    found = {x.name: x for x in check_routes(system_of(POLAR), Values(), points)}
    assert found["nielsen"].row == "v"
    assert found["nielsen"].value > 0.5
    assert found["tzenoff"].value < 1e-15


# -- faults ------------------------------------------------------------------------------------


def _faulty(value: Any) -> Any:
    size = Fraction(10**9 + 1, 10**9)
    return [scale(size, x) for x in value] if isinstance(value, list) else scale(size, value)


@pytest.mark.parametrize("name", ROUTES)
def test_a_route_that_is_wrong_by_one_in_a_billion_stands_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = ROUTES[name]
    monkeypatch.setitem(ROUTES, name, lambda one: _faulty(right(one)))
    found = checked(system("spatial_chain"))
    assert max(found.values(), key=lambda x: x.value).name == name
    assert found[name].value > 1e-10
    assert max(x.value for x in found.values() if x.name != name) < 1e-12


@pytest.mark.parametrize(
    ("module", "function"),
    [
        (balance, "inertia_wrench"),
        (energy, "kinetic"),
        (energy, "lagrange_operator"),
        (gibbs, "gibbs_function"),
        (quasi, "hamel_matrix"),
    ],
)
def test_a_fault_in_what_routes_are_made_of_is_seen(
    module: ModuleType, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(module, function)

    def wrong(*args: Any) -> Any:
        found = right(*args)
        if isinstance(found, tuple):
            return tuple(tuple(scale(2, x) for x in v) for v in found)
        if function == "hamel_matrix":
            return [[scale(2, x) for x in row] for row in found]
        return [scale(2, x) for x in found] if isinstance(found, list) else scale(2, found)

    monkeypatch.setattr(module, function, wrong)
    assert max(x.value for x in checked(system("free_body_space_axes")).values()) > 1e-3
