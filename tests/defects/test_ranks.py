"""Constraints that are redundant up to rounding: every form drops them, and the same ones."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from mpmath import mp

import mbx
from mbx.base.errors import MbxError
from mbx.formalism import registry
from overconstrained import DIGITS, Link, Loop, Mechanism
from random_overconstrained import random_mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.formalism.equations import Equations

LEG: Final = Path(__file__).with_name("noise_row.mb")
CLOSE: Final = 1e-9
NUMBER: Final = r"-?\d[\d.e+-]*"


def units() -> Iterator[str]:
    """Yield every form with its variants."""
    for one in registry.survey()[0]:
        yield from (f"{one.name}:{v.name}" for v in one.variants) if one.variants else [one.name]


def derived(document: Any, form: str) -> Equations | None:
    """Return equations with accelerations, or None where a form does not apply."""
    try:
        found = mbx.convert(document, form)
    except MbxError:
        return None
    return found if "ud" in found.results else None


def error(equations: Equations, state: Mapping[str, float], true: Mapping[str, float]) -> float:
    """Return how far accelerations are off, relative to the largest; infinite if there are none."""
    found = equations.evaluate(state)
    return distance(equations, found.ud, true) if found.status == "regular" else np.inf


def distance(equations: Equations, found: Any, true: Mapping[str, float]) -> float:
    """Return how far accelerations are from others, relative to the largest."""
    wanted = np.array([true[one.path] for one in equations.signature.u])
    return float(np.abs(np.ravel(found) - wanted).max() / np.abs(wanted).max())


# -- random mechanisms -----------------------------------------------------------------------

SOME: Final = ("gauss", "kane", "maggi", "articulated_body", "semi_recursive_1:augmented")


@pytest.mark.sample(4)
@pytest.mark.parametrize("seed", range(10))
def test_some_forms_are_right_on_over_constrained_mechanisms(seed: int) -> None:
    mechanism = random_mechanism(seed)
    document = mbx.loads(mechanism.text())
    form = SOME[seed % len(SOME)]
    equations = derived(document, form)
    assert equations is not None
    assert error(equations, mechanism.state(), mechanism.accelerations()) < CLOSE


def test_speeds_are_chosen_at_states_that_keep_what_a_plane_keeps_by_itself() -> None:
    # next to the start, quaternions are not yet unit: rows across the plane are no constraints
    mechanism = random_mechanism(43)
    equations = derived(mbx.loads(mechanism.text()), "semi_recursive_1:partitioned")
    assert equations is not None
    assert error(equations, mechanism.state(), mechanism.accelerations()) < CLOSE


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(200))
def test_all_forms_are_right_on_over_constrained_mechanisms(seed: int) -> None:
    mechanism = random_mechanism(seed)
    document = mbx.loads(mechanism.text())
    found = {form: derived(document, form) for form in units()}
    case = mechanism.state(), mechanism.accelerations()
    errors = {form: error(one, *case) for form, one in found.items() if one is not None}
    assert len(errors) > 25
    assert {form: x for form, x in errors.items() if not x < CLOSE} == {}


def test_the_reference_is_that_of_a_pendulum() -> None:
    # hinged at its end and turned by x from the horizontal: J x'' = -m g c cos x
    with mp.workdps(DIGITS):
        quaternion = ["0.7071067811865476", "0.7071067811865476", "0", "0"]  # z to -y
        rod = Link(
            "a",
            None,
            "revolute",
            ["0", "0", "0"],
            quaternion,
            "2",
            ["0.3", "0", "0"],
            ["1", "1", "0.06", "0", "0", "0"],
        )
        rod.value, rod.rate = mpmath.mpf("0.4"), mpmath.mpf("1.5")
        found = Mechanism(0, None, [rod], gravity=["0", "0", "-9.81"]).accelerations()
    assert found["x_a'"] == pytest.approx(
        -2 * 9.81 * 0.3 * np.cos(0.4) / (0.06 + 2 * 0.09), rel=1e-14
    )


# -- the leg ---------------------------------------------------------------------------------


@cache
def moving_leg() -> tuple[dict[str, float], dict[str, float]]:
    """Return a state of the leg in motion, and its accelerations."""
    found = leg()
    return found.state(), found.accelerations()


def leg() -> Mechanism:
    """Return the leg in motion; its numbers are read from the text of the model."""
    text = LEG.read_text(encoding="utf-8")
    starts = dict(re.findall(rf"(\w+)(?:: \w+)? = ({NUMBER})[,\n]", text))
    names: dict[str, Link] = {}
    found = Mechanism(0, None, gravity=["0", "0", "-9.81"])
    for line in re.findall(r"^  body .*$", text, re.MULTILINE):
        name, mass, com, inertia, kind, rest = re.match(
            rf"  body (\w+) \{{ mass ({NUMBER}) kg  com \[(.*?)\]  "
            r"inertia tensor\((.*)\)  joint (\w+)\((.*)\) }",
            line,
        ).groups()  # type: ignore[union-attr]
        numbers = re.findall(NUMBER, re.sub(r"\[.*?\]", "", inertia))
        lengths = re.findall(NUMBER, com)
        if kind == "free":
            found.base = Link(name, None, "revolute", [], None, mass, lengths, numbers)
            continue
        parent, at = re.match(r"(\w+) at \[(.*?)\]", rest).groups()  # type: ignore[union-attr]
        turn = re.search(r"quaternion\((.*?)\)", rest)
        attitude = re.findall(rf"= ({NUMBER})", turn.group(1)) if turn else None
        own: Any = kind
        link = Link(
            name, names.get(parent), own, re.findall(NUMBER, at), attitude, mass, lengths, numbers
        )
        if kind == "revolute":
            angle, offset = re.search(rf"angle = (\w+)(?: - ({NUMBER}))?", rest).groups()  # type: ignore[union-attr]
            link.path = angle
            link.value = mpmath.mpf(starts[angle])
            link.offset = mpmath.mpf(offset or 0)
        names[name] = link
        found.links.append(link)
    first, second = re.search(r"spherical\((.*?\]), (.*?\])\)", text).groups()  # type: ignore[union-attr]
    ends = [re.match(r"(\w+) at \[(.*?)\]", one).groups() for one in (first, second)]  # type: ignore[union-attr]
    points = tuple(re.findall(NUMBER, at) for _, at in ends)
    found.loops.append(Loop("spherical", names[ends[0][0]], names[ends[1][0]], points))  # type: ignore[arg-type]
    found.turn = [starts[f"j0_{k}"] for k in "wxyz"]
    found.place = [starts[f"j0_p{k}"] for k in "xyz"]
    found.speeds = ["0.3", "-0.2", "0.5", "0.7", "-0.4", "0.6"]
    variables = "w x y z px py pz px' py' pz' p q r"
    found.names = tuple(f"j0_{k}" for k in variables.split())
    _let_move(found)
    return found


def _let_move(found: Mechanism) -> None:
    """Give all joints rates; those of the last two follow from the loop."""
    moving = [one for one in found.links if one.kind != "fixed"]
    *free, rod, foot = moving
    for k, one in enumerate(free):
        one.rate = mpmath.mpf((-1) ** k * (k + 1)) / 10
    with mp.workdps(DIGITS):
        rows = found.slopes()
        own = mpmath.matrix([row[-2:] for row in rows])
        right = mpmath.matrix(
            [
                -sum((x * one.rate for x, one in zip(row[6:-2], free, strict=True)), 0)
                for row in rows
            ]
        )
        rod.rate, foot.rate = mpmath.lu_solve(own, right)


@pytest.mark.parametrize("form", ["kane", "gauss", "composite_body", "lagrange"])
def test_a_loop_closed_by_a_ball_below_a_free_base_is_right(form: str) -> None:
    equations = derived(mbx.read(LEG), form)
    assert equations is not None
    assert error(equations, *moving_leg()) < 1e-12


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_all_forms_are_right_on_the_leg() -> None:
    document = mbx.read(LEG)
    found = {form: derived(document, form) for form in units()}
    errors = {form: error(one, *moving_leg()) for form, one in found.items() if one is not None}
    assert len(errors) > 30
    assert {form: x for form, x in errors.items() if not x < 1e-11} == {}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["kane", "gauss", "composite_body", "maggi"])
def test_machine_code_is_right_on_the_leg(form: str) -> None:
    equations = derived(mbx.read(LEG), form)
    assert equations is not None
    state, true = moving_leg()
    q, u = (
        np.array([state[one.path] for one in some])
        for some in (equations.signature.q, equations.signature.u)
    )
    assert distance(equations, mbx.compile(equations)(q, u)["ud"], true) < 1e-11


# -- linearisations and verification ---------------------------------------------------------


@pytest.mark.sample(2)
@pytest.mark.parametrize("method", ["plain", "modular"])
@pytest.mark.parametrize(
    ("seed", "freedoms"), [(1, 7), (3, 7), pytest.param(4, 8, marks=pytest.mark.slow), (5, 1)]
)
def test_linearisations_leave_out_what_is_redundant_up_to_rounding(
    seed: int, freedoms: int, method: Any
) -> None:
    found = mbx.linearize(mbx.loads(random_mechanism(seed).text()), method=method)
    assert len(found.x) == 2 * freedoms


@pytest.mark.full
@pytest.mark.parametrize("seed", [1, pytest.param(13, marks=pytest.mark.slow)])
def test_a_loop_that_is_redundant_up_to_rounding_below_a_free_base_agrees(seed: int) -> None:
    forms = ("kane", "newton_euler", "tree_newton_euler:lu")
    found = mbx.verify(mbx.loads(random_mechanism(seed).text()), forms=forms, states=8)
    assert found.verdict == "agree", found.doubts


# -- nearly singular -------------------------------------------------------------------------

FOLDING: Final = """mbx 1
model Folding {{
  coordinate a: rad = {a!r}, b: rad = {b!r}, x: m = {x!r}
  body crank {{ mass 1 kg  com [0.5 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a) }}
  body rod {{ mass 1 kg  com [0.5 m, 0, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(crank at [1 m, 0, 0], axis = z, angle = b) }}
  body slider {{ mass 1 kg  joint prismatic(ground, axis = x, distance = x) }}
  joint pin: revolute(rod at [1 m, 0, 0], slider, axis = z)
  gravity [0, -9.81 [m/s^2], 0]
}}
"""


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("form", ["gauss", "kane", "semi_recursive_1:partitioned"])
def test_a_crank_that_nearly_folds_on_its_rod_is_regular(form: str, distance: float) -> None:
    # b = -2 a, x = 2 cos a: with crank and rod upright, the slider's height is no constraint.
    # At rest, 2 T = (4 J + 4 sin^2 a) a'^2 with the slider at 2 cos a, and J of two rods
    # about their ends and centres; V = m g sin a for each of them, at half of its length.
    a = float(np.pi / 2 - distance)
    state = {"a": a, "b": -2 * a, "x": float(2 * np.cos(a))}
    equations = derived(mbx.loads(FOLDING.format(**state)), form)
    assert equations is not None
    found = equations.evaluate({**state, **dict.fromkeys(("a'", "b'", "x'"), 0.0)})
    assert found.status == "regular"
    assert found.reason == ""
    # crank: 0.1 + 0.25; rod turns by -a', its centre at (1.5 cos a, 0.5 sin a); slider 2 cos a
    inertia = 0.35 + 0.1 + 2.25 * np.sin(a) ** 2 + 0.25 * np.cos(a) ** 2 + 4 * np.sin(a) ** 2
    wanted = -9.81 * np.cos(a) / inertia
    assert found.ud[0] == pytest.approx(wanted, rel=1e-5 if distance == 1e-9 else 1e-8)
