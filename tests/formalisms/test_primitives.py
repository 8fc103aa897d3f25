"""Which form is made of which primitive of mechanics: a fault in each, and who reacts.

All forms share one kinematic core, so that their agreement proves something only as far as
their routes differ. The table says how they differ; it is that of spec/formalisms.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from inspect import isfunction
from math import cos, sin
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import mbx
from formalisms.cases import completed
from formalisms.test_recursive_modules import SHARED
from mbx.base.errors import MbxError
from mbx.expr.build import scale
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism import registry
from mbx.mechanics import (
    balance,
    energy,
    gibbs,
    invariants,
    loads,
    momentum,
    motion,
    power,
    programme,
    quasi,
    reactions,
    subsystem_tree,
)
from mbx.system.elaborate import elaborate

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from mbx.mechanics.programme import Lifted
    from mbx.mechanics.reactions import Holder
    from mbx.mechanics.subsystem_tree import Part
    from mbx.system.system import System

PAGE: Final = Path(__file__).parents[2] / "spec" / "formalisms" / "primitives.md"
FORMS: Final = (
    "newton_euler",
    "lagrange",
    "maggi",
    "gibbs_appell",
    "kane",
    "udwadia_kalaba",
    "modular",
    "gauss",
    "jourdain",
    "boltzmann_hamel",
    "hamilton",
    "nielsen",
    "tzenoff",
)
TABLE: Final = """
primitive                            | NE | L | M | GA | K | UK | O | G | J | BH | H | N | TZ
balance.mass_block                   | x  |   |   |    |   |    |   | x |   |    |   |   |
balance.gyroscopic                   | x  |   |   |    | x |    | x | x |   |    |   |   |
balance.inertia_wrench               |    |   |   |    | x |    | x |   |   |    |   |   |
balance.stacked                      | x  |   |   |    |   |    |   | x |   |    |   |   |
energy.kinetic                       |    | x | x |    |   |    |   |   |   | x  | x | x | x
energy.potential                     |    | x | x |    |   |    |   |   |   |    | x | x |
energy.active_forces                 |    | x | x |    |   |    |   |   |   |    |   | x |
energy.dissipation                   |    | x | x |    |   |    |   |   |   |    | x | x |
energy.lagrange_operator             |    | x | x |    |   |    |   |   |   |    |   |   |
gibbs.gibbs_function                 |    |   |   | x  |   |    |   |   |   |    |   |   |
invariants.Levels.A                  | x  | x | x | x  | x | x  | x | x | x | x  |   | x | x
invariants.Levels.b                  | x  | x | x | x  | x | x  | x | x | x | x  |   | x | x
loads.conjugate                      | x  | x | x | x  | x | x  | x | x | x | x  | x | x | x
loads.effective                      | x  | x | x | x  | x | x  |   | x | x |    |   | x | x
loads.effective_terms                | x  | x | x | x  | x | x  | x | x | x |    |   | x | x
loads.generalized                    | x  |   |   | x  | x | x  |   | x | x | x  |   |   | x
loads.generalized_loads              |    | x | x |    |   |    |   |   |   |    | x | x |
loads.generalized_terms              | x  |   |   | x  | x | x  | x | x | x | x  |   |   | x
loads.non_ideal                      | x  | x | x | x  | x | x  |   | x | x | x  | x | x | x
loads.non_ideal_terms                | x  | x | x | x  | x | x  | x | x | x | x  | x | x | x
loads.wrench_groups                  |    |   |   |    |   |    | x |   |   |    |   |   |
loads.wrenches                       | x  |   |   | x  | x | x  |   | x | x | x  |   |   | x
loads.wrenches_without_energy        |    | x | x |    |   |    |   |   |   |    | x | x |
momentum.momentum_rates              |    |   |   |    |   | x  |   |   |   |    |   |   |
momentum.project_rates               |    |   |   |    |   | x  |   |   |   |    |   |   |
loads.accelerations_without_rates    | x  |   |   |    |   |    |   | x |   |    |   |   |
loads.partial_velocities             | x  |   |   |    |   |    |   | x |   |    |   |   |
loads.project                        |    | x | x | x  | x | x  | x |   |   | x  | x | x | x
power.active_power                   |    |   |   |    |   |    |   |   | x |    |   |   |
power.inertia_power                  |    |   |   |    |   |    |   |   | x |    |   |   |
power.virtual_speeds                 |    |   |   |    |   |    |   |   | x |    |   |   |
power.virtual_velocities             |    |   |   |    |   |    |   |   | x |    |   |   |
programme.complement                 |    |   |   |    |   |    | x |   |   |    |   |   |
programme.differentiate              |    |   |   |    |   | x  | x |   |   |    |   |   |
programme.lift                       |    |   |   |    |   | x  | x |   |   |    |   |   |
programme.projector                  |    |   |   |    |   | x  |   |   |   |    |   |   |
quasi.hamel_forces                   |    |   |   |    |   |    |   |   |   |    |   |   | x
quasi.hamel_matrix                   |    |   |   |    |   |    |   |   |   | x  |   |   | x
motion.change                        |    | x | x |    |   |    |   |   |   |    | x | x |
motion.uses_left_over                |    | x | x |    |   |    |   |   |   |    |   | x |
reactions.holders                    | x  |   |   |    |   |    |   |   |   |    |   |   |
reactions.joint_wrenches             | x  |   |   |    |   |    |   |   |   |    |   |   |
reactions.loop_columns               | x  |   |   |    |   |    |   |   |   |    |   |   |
reactions.loop_wrenches              | x  |   |   |    |   |    |   |   |   |    |   |   |
reactions.named_in                   | x  | x | x | x  | x | x  | x | x | x |    |   | x | x
reactions.reaction_map               | x  | x | x | x  | x | x  | x | x | x |    |   | x | x
reactions.unsure                     | x  |   |   |    |   |    |   |   |   |    |   |   |
subsystem_tree.subsystems            |    |   |   |    |   |    | x |   |   |    |   |   |
"""
_ROWS: Final = [[c.strip() for c in line.split("|")] for line in TABLE.strip().split("\n")[1:]]
USERS: Final = {
    name: {form for form, cell in zip(FORMS, cells, strict=True) if cell} for name, *cells in _ROWS
}

# -- models in which every primitive matters ---------------------------------------------------

_PLAIN: Final = """
  param m: kg = 1.3, J: kg*m^2 = 0.2, l: m = 0.5
  coordinate a, b, c: rad
  speed w: rad/s
  define w = a'*cos(b)
  body arm {
    mass m  com [l/2, 0, 0.1 m]  inertia tensor(J, 2*J, 1.5*J, J/10, -J/8, J/9)
    joint universal(ground at [0.1 m*sin(2*t/(1 s)), 0, 0], axis = z, axis2 = y,
        angle = a, angle2 = b)
  }
  body hand {
    mass m/2  com [l/3, 0.05 m, 0]  inertia diag(J/2, J/3, J/4)
    joint revolute(arm at [l, 0, 0], axis = x, angle = c)
  }
  spring between hand.com and ground.origin stiffness 30 [N/m] rest 0.2 m
  damper on c damping 0.4 [N*m*s]
  force [1 N, -2 N, 0.5 N] on hand at arm.com from arm
  load drive: on b': 0.7 [N*m]*cos(a)
  invariant sway: b = 0.2*a + 0.1*sin(3*t/(1 s))
  load rub: on a' of sway: -0.2 [N*m*s]*a'
  gravity [0, -9.81 [m/s^2], 0]
"""
_CHAIN: Final = f"{_PLAIN} effective c': 0.3 [N*m] - J/4*c''"
_FRICTION: Final = """
  param m: kg = 1.3, mu: 1 = 0.15
  coordinate x, y: m
  body cart { mass m  joint prismatic(ground, axis = x, distance = x) }
  body box { mass m/3  joint prismatic(cart, axis = y, distance = y) }
  invariant floor: y = 0.2*x + 0.1 m*sin(3*t/(1 s)) reaction N
  load friction: on x' of floor: -mu*abs(N)*sign(x')
  gravity [0, -9.81 [m/s^2], 0]
"""
_LOOP: Final = """
  param m: kg = 1.5, l: m = 0.4, J: kg*m^2 = 0.1
  coordinate a, b: rad
  coordinate x: m = 0.3, y: m = 0.2
  body arm {
    mass m  com [l/2, 0, 0]  inertia J about z
    joint revolute(ground, axis = z, angle = a)
  }
  body rod {
    mass m  com [l/2, 0, 0]  inertia J about z
    joint planar(ground, axis = z, x = x, y = y, angle = b)
  }
  joint elbow: revolute(arm at [l, 0, 0], rod, axis = z)
  gravity [0, -9.81 [m/s^2], 0]
"""
_PROGRAMME: Final = """
  param m: kg = 1.2, w: rad/s = 2
  coordinate x, y: m
  particle P { mass m  at [x, y, 0] }
  invariant turn: x'''*cos(w*t) + y'''*sin(w*t) = 0.3 [m/s^3]
"""
WHEN: Final = 0.3
_SWUNG: Final = {"a": 0.4, "c": 0.7, "w": 0.9, "c'": -0.8}
MODELS: Final = {
    "plain": (_PLAIN, _SWUNG, {}),
    "chain": (_CHAIN, _SWUNG, {}),
    "friction": (_FRICTION, {"x": 0.3, "x'": 0.6}, {}),
    "loop": (_LOOP, {"a": 0.4, "b": 1.1, "a'": 0.8, "b'": 0.3}, {}),
    # the acceleration is along (cos w t, sin w t)
    "programme": (
        _PROGRAMME,
        {"x": 0.0, "y": 0.0, "x'": 0.9, "y'": -0.5},
        {"x''": 0.8 * cos(2 * WHEN), "y''": 0.8 * sin(2 * WHEN)},
    ),
}


@cache
def _system(model: str) -> System:
    """Return a system; nothing of mechanics is kept in it, each form makes its own motion."""
    return elaborate(mbx.link(mbx.loads(f"mbx 1 model M {{ {MODELS[model][0]} }}")))


@cache
def _state(model: str) -> dict[str, float]:
    _, said, higher = MODELS[model]
    return completed(_system(model), said, t=WHEN) | higher


def _outcome(model: str, form: str) -> np.ndarray | None:
    """Return accelerations, constraint forces and reactions; None if it fails."""
    try:
        found = registry.derive(_system(model), form).evaluate(_state(model), t=WHEN)
        if found.status != "regular":
            return None
        return np.concatenate([found.ud, found.Fc, *found.reactions.values()])
    except (MbxError, KeyError):
        return None


@cache
def _sound(model: str, form: str) -> np.ndarray | None:
    return _outcome(model, form)


def _reacts(form: str, models: tuple[str, ...]) -> bool:
    """Return whether a form reacts; nothing is between a reaction and none at all."""
    found = False
    for model in models:
        sound = _sound(model, form)
        if sound is None:  # not applicable
            continue
        now = _outcome(model, form)
        change = np.inf  # fails, or gives other results
        if now is not None and np.array_equal(np.isnan(now), np.isnan(sound)):  # as much is open
            change = np.nanmax(np.abs(now - sound)) / np.nanmax(np.abs(sound))
        assert change < 1e-12 or change > 1e-6, "neither rounding nor a reaction"
        found |= bool(change > 1e-6)
    return found


# -- faults ------------------------------------------------------------------------------------

MODULES: Final[dict[str, ModuleType]] = {
    "balance": balance,
    "energy": energy,
    "gibbs": gibbs,
    "invariants": invariants,
    "loads": loads,
    "momentum": momentum,
    "motion": motion,
    "power": power,
    "programme": programme,
    "quasi": quasi,
    "reactions": reactions,
    "subsystem_tree": subsystem_tree,
}


def _scaled(value: Any) -> Any:
    """Return a result of a primitive with every expression half as large again."""
    if isinstance(value, Node):
        return scale(Fraction(3, 2), value)
    if isinstance(value, (list, tuple)):
        return type(value)([_scaled(one) for one in value])
    if isinstance(value, dict):
        return {key: _scaled(one) for key, one in value.items()}
    return value


def _uneven(rows: list[list[Node]]) -> list[list[Node]]:
    return [_scaled(rows[0]), *rows[1:]]


def _without_wrenches(part: Part) -> Part:
    return replace(part, wrenches=())


def _loose(held: list[Holder]) -> list[Holder]:
    return [replace(one, parent=None) for one in held]


def _shifted(lifted: Lifted) -> Lifted:
    return replace(lifted, b=_scaled(lifted.b))


def _unit(rows: list[list[Node]]) -> list[list[Node]]:
    return [[ONE if i == j else ZERO for j in range(len(rows))] for i in range(len(rows))]


OWN_FAULTS: Final[dict[str, Callable[[Any], Any]]] = {
    "power.virtual_speeds": lambda found: found[:1] * len(found),
    "programme.complement": _uneven,
    "programme.differentiate": lambda found: (found[0], _scaled(found[1]), found[2]),
    "programme.lift": _shifted,
    "programme.projector": _unit,
    "motion.uses_left_over": lambda _: ("everything",),
    "reactions.holders": _loose,
    "reactions.named_in": lambda _: [],
    "reactions.unsure": lambda _: {0},
    "subsystem_tree.subsystems": _without_wrenches,
}
"""Faults of primitives where all expressions half as large again would mean the same."""

REFUSED: Final = dict.fromkeys(("boltzmann_hamel", "hamilton"), ("chain", "friction"))
"""Models that a form does not support: effective rows, loads that name reactions."""
WHERE: Final = {
    "reactions.loop_columns": "loop",
    "reactions.loop_wrenches": "loop",
    "reactions.named_in": "friction",
    "reactions.reaction_map": "friction",
}
"""Models in which primitives matter that do not in the chain; all others are of programmes."""


def _plant(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = OWN_FAULTS.get(name, _scaled)
    module, _, inside = name.partition(".")
    if inside.startswith("Levels."):
        letter = inside.removeprefix("Levels.")
        right = vars(invariants.Levels)[letter].func
        faulty = property(lambda levels: fault(right(levels)))
        monkeypatch.setattr(invariants.Levels, letter, faulty)
        return
    original = getattr(MODULES[module], inside)
    monkeypatch.setattr(MODULES[module], inside, lambda *a, **k: fault(original(*a, **k)))


# -- tests -------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["plain", "chain", "friction", "loop"])
@pytest.mark.parametrize("form", FORMS)
def test_without_a_fault_all_forms_agree(model: str, form: str) -> None:
    found, kane = _sound(model, form), _sound(model, "kane")
    if model in REFUSED.get(form, ()):
        assert found is None
        return
    assert found is not None
    assert kane is not None
    assert found[: len(kane)] == pytest.approx(kane, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("form", ["udwadia_kalaba", "modular"])
def test_the_programme_is_given_by_two_forms(form: str) -> None:
    assert _sound("programme", form) is not None


@pytest.mark.sample(5)
@pytest.mark.parametrize("name", USERS)
def test_a_fault_is_seen_by_exactly_the_forms_of_the_table(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = ("plain", "chain", WHERE.get(name, "programme"))
    for model in models:
        for form in FORMS:
            _sound(model, form)
    _plant(name, monkeypatch)
    assert {form for form in FORMS if _reacts(form, models)} == USERS[name]


def test_no_two_forms_but_lagrange_and_maggi_are_made_of_the_same() -> None:
    made: dict[frozenset[str], list[str]] = {}
    for form in FORMS:
        made.setdefault(frozenset(n for n in USERS if form in USERS[n]), []).append(form)
    assert [forms for forms in made.values() if len(forms) > 1] == [["lagrange", "maggi"]]


def test_the_page_of_the_specification_has_this_table() -> None:
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in PAGE.read_text("utf-8").split("\n")
        if re.match(r"\| `\w+\.", line) and not re.match(SHARED, line)
    ]
    assert {
        name.strip("`"): {form for form, cell in zip(FORMS, marks, strict=True) if cell}
        for name, *marks in cells
    } == USERS


BEHIND: Final = {
    "invariants.levels",
    "loads.accelerated",
    "loads.symmetric",
    "loads.unsymmetric",
    "motion.in_rates",
    "motion.in_speeds",
    "motion.rate_variables",
    "programme.higher_rates",
    "programme.refuse_reactions",
    "reactions.meets_in_point",
}
"""What others of the table are made of (Levels.A and Levels.b, lift), what only refuses, and what
only pages ask for."""


def test_every_public_function_of_mechanics_is_in_the_table() -> None:
    public = {
        f"{name}.{one}"
        for name, module in MODULES.items()
        for one in module.__all__
        if isfunction(getattr(module, one))
    }
    assert public | {"invariants.Levels.A", "invariants.Levels.b"} == {*USERS, *BEHIND}
    files = {file.stem for file in Path(str(motion.__file__)).parent.glob("*.py")}
    # every_order is the motion, which all forms share, with variables of higher orders
    # and pages close loops and shorten quaternions, for people
    assert files == {*MODULES, "every_order", "short_rows", "unit_quaternions", "__init__"}
