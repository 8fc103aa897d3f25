"""Accelerations do not depend on the sizes of masses and lengths, nor on what nothing connects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import asin, cos, sin
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

import mbx
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mbx.formalism.equations import Equations

CLOSE: Final = 1e-12
"""Relative error of a row."""
LOST: Final = 1e-13
"""The same, by the square of lengths over a metre, of forms with a metric of mixed units."""
MIXED: Final = frozenset(
    {"tree_hamilton_multipliers", "tree_lagrange_1", "udwadia_kalaba:singular"}
)
"""Forms with a metric in which a metre is as much as a radian: digits are lost by its square."""
LENGTHS: Final = frozenset({"x", "y", "s", "added_x"})
"""Coordinates in metres."""


@dataclass(frozen=True)
class Scale:
    """Times larger: masses and lengths; forces, stiffnesses and inertias along with these."""

    mass: float = 1.0
    length: float = 1.0

    def __call__(self, kg: int, m: int, value: float) -> str:
        """Return a number of a unit kg^.. m^.. with any power of seconds."""
        return repr(value * self.mass**kg * self.length**m)


def arm(z: Scale) -> tuple[str, dict[str, float]]:
    """Return two bodies on skew axes, with a spring, a damper and a motor."""
    text = f"""
  param g: m/s^2 = {z(0, 1, 9.81)}
  coordinate a: rad = 0.4, b: rad = -0.7
  body upper {{
    mass {z(1, 0, 2.0)} kg  com [{z(0, 1, 0.3)} m, {z(0, 1, 0.05)} m, 0]
    inertia diag({z(1, 2, 0.05)} [kg*m^2], {z(1, 2, 0.2)} [kg*m^2], {z(1, 2, 0.22)} [kg*m^2])
    joint revolute(ground, axis = z, angle = a)
  }}
  body lower {{
    mass {z(1, 0, 1.2)} kg  com [0, {z(0, 1, 0.4)} m, 0]
    inertia diag({z(1, 2, 0.1)} [kg*m^2], {z(1, 2, 0.02)} [kg*m^2], {z(1, 2, 0.11)} [kg*m^2])
    joint revolute(upper at [{z(0, 1, 0.6)} m, 0, 0], axis = [1, 2, 0], angle = b)
  }}
  spring on b stiffness {z(1, 2, 3.0)} [N*m/rad]
  damper on a damping {z(1, 2, 0.2)} [N*m*s/rad]
  gravity [0, -g, 0]"""
    return text, {"a": 0.4, "b": -0.7, "a'": 1.5, "b'": -2.0}


def crank(z: Scale) -> tuple[str, dict[str, float]]:
    """Return a slider-crank mechanism: a loop in a plane, closed by two rows."""
    r, rod, a, w = 0.2, 0.5, 0.7, 3.0
    b = -asin(r * sin(a) / rod)
    wb = -r * cos(a) * w / (rod * cos(b))
    s, v = r * cos(a) + rod * cos(b), -r * sin(a) * w - rod * sin(b) * wb
    text = f"""
  coordinate a: rad, b: rad, s: m
  body wheel {{ mass {z(1, 0, 1.0)} kg  inertia {z(1, 2, 0.02)} [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }}
  body rod {{ mass {z(1, 0, 0.7)} kg  com [{z(0, 1, rod / 2)} m, 0, 0]
    inertia {z(1, 2, 0.015)} [kg*m^2] about z
    joint revolute(wheel at [{z(0, 1, r)} m, 0, 0], axis = z, angle = b - a) }}
  body slider {{ mass {z(1, 0, 2.0)} kg  joint prismatic(ground, axis = x, distance = s) }}
  invariant x: {z(0, 1, r)} [m]*cos(a) + {z(0, 1, rod)} [m]*cos(b) = s
  invariant y: {z(0, 1, r)} [m]*sin(a) + {z(0, 1, rod)} [m]*sin(b) = 0 [m]
  spring on s stiffness {z(1, 0, 40.0)} [N/m] rest {z(0, 1, 0.6)} m
  gravity [0, -{z(0, 1, 9.81)} [m/s^2], 0]"""
    lengths = {"s": s * z.length, "s'": v * z.length}
    return text, {"a": a, "b": b, "a'": w, "b'": wb, **lengths}


def skate(z: Scale) -> tuple[str, dict[str, float]]:
    """Return a skate on an incline: a row for velocities."""
    text = f"""
  coordinate x: m, y: m, phi: rad
  body skate {{ mass {z(1, 0, 3.0)} kg  inertia {z(1, 2, 0.4)} [kg*m^2] about z
    com [{z(0, 1, 0.1)} m, 0, 0]
    joint planar(ground, axis = z, x = x, y = y, angle = phi) }}
  invariant blade: -x'*sin(phi) + y'*cos(phi) = 0 [m/s]
  gravity [{z(0, 1, 4.0)} [m/s^2], 0, -{z(0, 1, 9.0)} [m/s^2]]"""
    phi, v = 0.6, 1.3
    state = {"x": 0.2, "y": -0.4, "x'": v * cos(phi), "y'": v * sin(phi)}
    return text, {"phi": phi, "phi'": -2.1, **{p: x * z.length for p, x in state.items()}}


def pins(z: Scale) -> tuple[str, dict[str, float]]:
    """Return two arms, one on the other, whose pins resist with their own reactions."""
    arms = "".join(
        f"""
  body {name} {{ mass {z(1, 0, mass)} kg  com [{z(0, 1, 0.3)} m, {z(0, 1, 0.05)} m, 0]
    inertia {z(1, 2, 0.08)} [kg*m^2] about z
    joint revolute({on}, axis = z, angle = {angle}) reaction R{angle} }}
  torque -{z(0, 1, 0.01)} [m]*norm(R{angle}.force)*ground.z on {name} from {back}"""
        for name, on, back, angle, mass in (
            ("one", "ground", "ground", "a", 2.0),
            ("two", f"one at [{z(0, 1, 0.6)} m, 0, 0]", "one", "b", 1.1),
        )
    )
    text = f"""
  coordinate a: rad, b: rad
  {arms}
  gravity [0, -{z(0, 1, 9.81)} [m/s^2], 0]"""
    return text, {"a": 0.4, "b": -0.7, "a'": 1.5, "b'": 2.0}


MODELS: Final = {"arm": arm, "crank": crank, "skate": skate, "pins": pins}
LARGE_AND_SMALL: Final = {
    "1e-9 kg": Scale(mass=1e-9),
    "1e24 kg": Scale(mass=1e24),
    "mm": Scale(length=1e-3),
    "km": Scale(length=1e3),
    "a grain": Scale(mass=1e-9, length=1e-3),
}
BESIDE: Final = {
    "a light fast particle": ("1e-12", "1000"),
    "a particle at rest": ("1e-12", "0"),
    "a planet": ("1e24", "1e25"),
}


def units() -> Iterator[str]:
    """Yield every form with its variants."""
    for one in registry.survey()[0]:
        yield from (f"{one.name}:{v.name}".removesuffix(":") for v in one.variants)


def document(model: str, scale: str, beside: str) -> Any:
    """Return a model of some size with statements that nothing connects to it."""
    more = ""
    if beside:
        mass, force = BESIDE[beside]
        more = (
            f"  coordinate added_x: m\n  particle added {{ mass {mass} kg  at [added_x, 0, 0] }}\n"
            f"  force ({force} N)*ground.x on added"
        )
    text, _ = MODELS[model](scale_of(scale))
    return mbx.loads(f"mbx 1\nmodel M {{{text}\n{more}\n}}\n")


def scale_of(name: str) -> Scale:
    """Return a scale by its name; that of the first model has none."""
    return LARGE_AND_SMALL[name] if name else Scale()


@cache
def derived(model: str, scale: str, beside: str, form: str) -> Equations:
    """Return the equations of a form."""
    return mbx.convert(document(model, scale, beside), form)


def state_of(model: str, scale: str, beside: str) -> Mapping[str, float]:
    """Return the same state in another size."""
    added = {"added_x": 0.25, "added_x'": 0.25} if beside else {}
    return {**MODELS[model](scale_of(scale))[1], **added}


def accelerations(
    model: str, scale: str, beside: str, form: str, *, code: bool = False
) -> dict[str, float]:
    """Return accelerations by path, in the size of the first model."""
    equations = derived(model, scale, beside, form)
    signature = equations.signature
    # a reaction that is named has variables of its own, which are zero
    rest = dict.fromkeys((v.path for v in (*signature.q, *signature.u)), 0.0)
    state = {**rest, **state_of(model, scale, beside)}
    if code:
        q, u = (np.array([state[v.path] for v in some]) for some in (signature.q, signature.u))
        compiled = mbx.compile(equations)(q, u)
        assert compiled.status == 0
        ud = compiled.ud
    else:
        found = equations.evaluate(state)
        assert found.status == "regular"
        ud = found.ud
    length = scale_of(scale).length
    return {
        v.path: float(x) / (length if v.path.rstrip("'") in LENGTHS else 1.0)
        for v, x in zip(signature.u, ud, strict=True)
        if not v.path.startswith(("added", "R"))
    }


def error(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the largest error of a row, relative to it."""
    return max(abs(other[path] - x) / abs(x) for path, x in one.items())


FORMS: Final = tuple(units())
SOME: Final = (
    *("composite_body", "kane", "lagrange", "newton_euler", "recursive_newton_euler"),
    *("rfda:constraints", "tree_hamilton_extended:extended", "tree_newton_euler:extended"),
)


TAKES_REACTIONS: Final = frozenset(
    {"gauss", "gibbs_appell", "jourdain", "kane", "lagrange", "maggi", "modular", "newton_euler"}
    | {"nielsen", "tzenoff"}
    | {"udwadia_kalaba:singular", "udwadia_kalaba:augmented"}
    | {form for form in FORMS if form.startswith("semi_recursive")}
)
"""Forms that apply where a load names reactions, as friction does."""


def cases(changes: Mapping[str, Any], slow: Collection[str]) -> list[Any]:
    """Return models, changes and forms that apply; some take long, as do named reactions."""
    return [
        pytest.param(
            model, one, form, marks=pytest.mark.slow if model == "pins" or one in slow else ()
        )
        for model in MODELS
        for one in changes
        for form in FORMS
        if model != "pins" or form in TAKES_REACTIONS
    ]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_forms_that_take_friction_are_those_listed(form: str) -> None:
    if form in TAKES_REACTIONS:
        assert derived("pins", "", "", form).results
    else:
        with pytest.raises(NotApplicableError):
            derived("pins", "", "", form)


@pytest.mark.sample(20)
@pytest.mark.parametrize(("model", "scale", "form"), cases(LARGE_AND_SMALL, ("km", "a grain")))
def test_another_size_has_the_same_accelerations(model: str, scale: str, form: str) -> None:
    length = scale_of(scale).length
    most = LOST * max(length, 1 / length) ** 2 if form in MIXED and length != 1 else CLOSE
    assert error(*(accelerations(model, z, "", form) for z in ("", scale))) < most


@pytest.mark.sample(20)
@pytest.mark.parametrize(("model", "beside", "form"), cases(BESIDE, ("a particle at rest",)))
def test_what_nothing_connects_changes_no_acceleration(model: str, beside: str, form: str) -> None:
    assert error(*(accelerations(model, "", more, form) for more in ("", beside))) < CLOSE


@pytest.mark.sample(4)
@pytest.mark.parametrize("form", SOME)
@pytest.mark.parametrize(
    ("scale", "beside"), [("1e-9 kg", ""), ("1e24 kg", ""), ("", "a planet"), ("mm", "")]
)
@pytest.mark.parametrize("model", ["arm", "crank"])
def test_machine_code_has_the_same_accelerations(
    model: str, scale: str, beside: str, form: str
) -> None:
    one = accelerations(model, "", "", form)
    assert error(one, accelerations(model, scale, beside, form, code=True)) < CLOSE


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("scale", "beside"), [("1e-9 kg", ""), ("1e24 kg", ""), ("", "a planet"), ("a grain", "")]
)
@pytest.mark.parametrize("model", ["arm", "crank", "skate"])
def test_the_forms_agree_in_every_size(model: str, scale: str, beside: str) -> None:
    text = document(model, scale, beside)
    found = mbx.verify(text, forms=SOME, states=3)
    assert found.verdict == "agree"


def heavy(z: Scale) -> tuple[str, dict[str, float]]:
    """Return a vehicle of tonnes that heaves, pitches and rolls in one joint, with a mast."""
    text = f"""
  coordinate h: m, a: rad, b: rad, c: rad
  body hull {{
    mass {z(1, 0, 9e3)} kg  com [0, {z(0, 1, 0.2)} m, {z(0, 1, 0.5)} m]
    inertia diag({z(1, 2, 8e3)} [kg*m^2], {z(1, 2, 6e3)} [kg*m^2], {z(1, 2, 9e3)} [kg*m^2])
    joint general(ground, move = [0, 0, h], rotated x by a, rotated y by b) }}
  body mast {{
    mass {z(1, 0, 2e3)} kg  com [0, {z(0, 1, 1.5)} m, 0]
    inertia diag({z(1, 2, 2e3)} [kg*m^2], {z(1, 2, 100.0)} [kg*m^2], {z(1, 2, 2e3)} [kg*m^2])
    joint revolute(hull at [0, {z(0, 1, 0.7)} m, {z(0, 1, 1.0)} m], axis = x, angle = c) }}
  gravity [0, 0, -{z(0, 1, 9.81)} [m/s^2]]"""
    angles = {"a": 0.3, "b": -0.6, "c": 0.8, "a'": -0.4, "b'": 0.7, "c'": 0.5}
    return text, {"h": 0.9 * z.length, "h'": 0.2 * z.length, **angles}


@pytest.mark.sample(4)
@pytest.mark.parametrize("code", [False, True])
@pytest.mark.parametrize("form", ["tree_hamilton_extended", "tree_newton_euler"])
@pytest.mark.parametrize("mass", [1e-9, 1e24, 1e28])
def test_all_equations_of_a_tree_with_an_axis_in_two_directions(
    mass: float, form: str, *, code: bool
) -> None:
    found = []
    for scale in (Scale(), Scale(mass=mass)):
        text, state = heavy(scale)
        equations = mbx.convert(mbx.loads(f"mbx 1\nmodel M {{{text}\n}}\n"), f"{form}:extended")
        signature = equations.signature
        if code:
            q, u = (np.array([state[v.path] for v in some]) for some in (signature.q, signature.u))
            one: Any = mbx.compile(equations)(q, u)
            assert one.status == 0
        else:
            one = equations.evaluate(state)
            assert one.status == "regular"
        found.append(one.ud)
    assert found[1] == pytest.approx(found[0], rel=CLOSE)


def sensed(z: Scale) -> tuple[str, dict[str, float]]:
    """Return a sleigh that is turned so that a sensor ahead feels a lateral acceleration of 0.6."""
    text = f"""
  coordinate x: m, y: m, th: rad
  speed u: m/s, w: rad/s
  variable al: m/s^2 of order 2
  variable an: m/s^2 of order 2
  frame F = ground at [x, y, 0] rotated z by th
  point S = F.origin + 0.5 [m]*F.x
  body sleigh {{ frame F  mass {z(1, 0, 3.0)} kg  com [0, 0, 0]
    inertia {z(1, 2, 0.4)} [kg*m^2] about z }}
  define x' = u*cos(th)
  define y' = u*sin(th)
  define th' = w
  define al = dot(acceleration(S), F.x)
  define an = dot(acceleration(S), F.y)
  invariant felt: an = 0.6 [m/s^2]"""
    return text, {"x": 0.2, "y": -0.4, "th": 0.6, "u": 0.8, "w": 0.3}


@pytest.mark.parametrize("form", ["udwadia_kalaba:singular", "udwadia_kalaba:augmented"])
@pytest.mark.parametrize("mass", [1e-9, 0.03, 1.0, 1e3, 1e12])
def test_variables_without_inertia_are_consistent_with_masses_of_any_size(
    mass: float, form: str
) -> None:
    text, state = sensed(Scale(mass=mass))
    equations = mbx.convert(mbx.loads(f"mbx 1\nmodel M {{{text}\n}}\n"), form)
    for heading in np.linspace(0.0, 3.0, 31):  # at some of these a zero is left as rounding
        found = equations.evaluate({**state, "th": float(heading)})
        assert found.status == "regular"
        assert found.ud == pytest.approx([0.0, 0.72], abs=CLOSE)
