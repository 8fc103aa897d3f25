"""Whole verifications: forms that agree, forms that do not, and hostile ones."""

from __future__ import annotations

import sys
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import mbx
from mbx.base.errors import ConverterError
from mbx.expr.build import scale
from mbx.mechanics import loads
from mbx.verify import derived_forms, run_verification
from mbx.verify.agreement import mutual_residuals
from mbx.verify.run_verification import Options, verify_system
from mbx_converters import kane
from unit.verify.models import PENDULUM, SLED, system

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mbx.verify.verification import Verification

TWO = ("kane", "lagrange")

HEAD = """
from dataclasses import replace
from mbx.base.errors import NotApplicableError
from mbx.expr.build import function, neg, power
from mbx.expr.nodes import number
from mbx.formalism.builder import Program
from mbx.formalism.registry import Converter, Variant
from mbx_converters import kane
import sys

def after(steps):
    program = Program()
    for step in steps:
        program.add(step)
    return program

def derive(system, variant):
    equations = kane.derive(system, variant)
    {body}

CONVERTER = Converter(
    name="hostile", title="Hostile", reference="none", derive=derive,
    variants=(Variant(accepts=kane.CONVERTER.variants[0].accepts),),
)
"""

BODIES = {
    "raises": ("raise ZeroDivisionError('by zero')", "ZeroDivisionError: by zero"),
    "exits": ("sys.exit(0)", "SystemExit: 0"),
    "recurses": ("f = lambda: f(); f()", "RecursionError"),
    "is_something_else": ("return {'ud': [0.0]}", "it gives dict, not equations"),
    "has_no_result": ("return replace(equations, results={})", "it has no result 'ud'"),
    "has_the_wrong_length": (
        (
            "p = after(equations.steps); p.let('short', p.find('ud').rows([0]));"
            " return replace(equations, steps=tuple(p.steps), results={'ud': 'short'})"
        ),
        "'ud' is 1 by 1, not 2 by 1",
    ),
    "has_a_step_that_is_not_there": (
        "return replace(equations, results={'ud': 'nowhere'})",
        "EquationsError: result 'ud' is 'nowhere', which no step makes",
    ),
    "is_not_a_number": (
        (
            "p = after(equations.steps);"
            " p.column('bad', [function('log', neg(power(system.q[0].symbol, 2)))] * 2);"
            " return replace(equations, steps=tuple(p.steps), results={'ud': 'bad'})"
        ),
        "not finite at start",
    ),
    "prints_a_verdict": ("print('Pendulum: agree'); raise ValueError('no')", "ValueError: no"),
}


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return what installs a form that does as it is told."""
    folder = tmp_path / "mbx_converters"
    folder.mkdir()
    before = set(sys.modules)

    def install(body: str, text: str = HEAD) -> None:
        (folder / "hostile.py").write_text(text.format(body=body))
        monkeypatch.syspath_prepend(tmp_path)

    yield install
    for name in set(sys.modules) - before:
        if name.startswith("mbx_converters"):
            del sys.modules[name]


def verify(text: str = PENDULUM, **options: Any) -> Verification:
    return verify_system(system(text), Options(**{"states": 3, **options}))


def test_forms_of_a_sound_model_agree() -> None:
    found = verify()
    assert found.verdict == "agree"
    assert {"kane", "lagrange", "newton_euler", "udwadia_kalaba:positive"} <= set(found.forms)
    assert len(found.pairs) == len(found.forms) * (len(found.forms) - 1) / 2
    errors = [pair.ud for pair in found.pairs if pair.ud]
    assert {error.arbiter for error in errors if error.value > 1e-12} <= {"rounding"}
    assert found.own["kane"].value < 1e-15
    assert found.drawn["m"] == pytest.approx(1.0, abs=0.5)


def test_states_of_a_verification_can_be_given_to_another() -> None:
    first = verify(forms=TWO, seed=5)
    again = verify(forms=TWO, seed=5, points=first.points)
    assert [one.name for one in again.points] == [one.name for one in first.points]
    assert again.points == first.points
    assert again.pairs == first.pairs


def test_power_bodies_and_levels_are_part_of_a_verification() -> None:
    found = verify()
    assert set(found.power) == set(found.forms)
    bodies = [pair.bodies for pair in found.pairs]
    assert all(e is not None and (e.value < 1e-12 or e.arbiter == "rounding") for e in bodies)
    assert set(found.levels) == {"positions", "velocities"}
    assert max(error.value for error in (*found.power.values(), *found.levels.values())) < 1e-13
    assert found.conditions["lagrange"] == pytest.approx(1.0)  # M = m 1


@pytest.mark.parametrize(
    ("said", "broken"),
    [
        ("expect rank 1 at state level", ()),
        ("expect rank 2 at state level", ("state level: expected rank 2, but it is 1",)),
        (
            "expect singular at state level",
            ("state level: expected singular, but the rank is 1 as ever",),
        ),
    ],
)
def test_what_a_model_expects_of_its_constraints_is_checked(
    said: str, broken: tuple[str, ...]
) -> None:
    text = PENDULUM.rstrip().removesuffix("}") + f"  {said}\n}}\n"
    found = verify(text, forms=TWO)
    assert found.broken == broken
    assert found.verdict == ("disagree" if broken else "agree")


def test_a_verification_can_be_repeated() -> None:
    assert verify(forms=TWO, seed=5).as_json() == verify(forms=TWO, seed=5).as_json()
    assert verify(forms=TWO, seed=5).drawn != verify(forms=TWO, seed=6).drawn


def test_the_verb_takes_a_document() -> None:
    found = mbx.verify(mbx.loads(SLED), forms=TWO, states=2)
    assert found.ok
    assert found.hash == mbx.link(mbx.loads(SLED)).hash


def test_one_formalism_is_no_agreement() -> None:
    found = verify(forms=("udwadia_kalaba",))
    assert len(found.forms) == 3
    assert found.verdict == "undecided"
    assert found.doubts == ("fewer than two formalisms can be compared",)


def test_a_form_that_cannot_say_the_model_is_listed_with_its_reason() -> None:
    text = PENDULUM.replace("x^2 + y^2 = l^2", "x'^2 + y'^2 = 4 [m^2/s^2]")
    found = verify(text, forms=("kane", "lagrange", "gibbs_appell"))
    (refused,) = found.excluded
    assert refused.status == "not applicable"
    assert refused.reason == "an invariant that is nonlinear in the velocities (rod)"


def test_a_form_that_nobody_knows_is_wrong_usage() -> None:
    with pytest.raises(ConverterError, match="did you mean 'kane'"):
        verify(forms=("kan",))
    with pytest.raises(ConverterError, match="variant"):
        verify(forms=("kane:fast",))


@pytest.mark.parametrize("what", BODIES)
def test_a_hostile_form_is_a_row_and_the_others_are_still_compared(
    hostile: Any,
    what: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    body, reason = BODIES[what]
    hostile(body)
    monkeypatch.setattr(run_verification, "EACH", 1.0)
    found = verify(forms=(*TWO, "hostile"))
    assert [one.name for one in found.excluded] == ["hostile"]
    assert found.excluded[0].status == "failed"
    assert reason in found.excluded[0].reason
    assert found.pair(*TWO).verdict == "agree"
    assert found.verdict == "disagree"
    assert "agree" not in capfd.readouterr().out


@pytest.mark.parametrize("text", ["raise OSError('torn')", "CONVERTER = 1"])
def test_a_hostile_module_is_a_row_too(hostile: Any, text: str) -> None:
    hostile("", text)
    found = verify(forms=(*TWO, "hostile"))
    assert [(one.name, one.status) for one in found.excluded] == [("hostile", "failed")]
    assert found.pair(*TWO).verdict == "agree"


@pytest.mark.parametrize("module", ["", "while True: pass"])
def test_a_form_that_never_ends_leaves_it_undecided(
    hostile: Any, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile("while True: pass", *([module] if module else []))
    monkeypatch.setattr(run_verification, "EACH", 1.0)
    found = verify(forms=(*TWO, "hostile"))
    assert [(one.name, one.status) for one in found.excluded] == [("hostile", "out of time")]
    assert "takes more than 1 s of CPU time" in found.excluded[0].reason
    assert found.pair(*TWO).verdict == "agree"
    assert found.verdict == "undecided"


def test_a_form_of_constants_disagrees(hostile: Any) -> None:
    hostile(
        "p = after(equations.steps); p.column('same', [number(1)] * 2);"
        " return replace(equations, steps=tuple(p.steps), results={'ud': 'same'}, residuals=())"
    )
    found = verify(forms=(*TWO, "hostile"))
    assert found.verdict == "disagree"
    assert found.outliers == ("hostile",)


def test_a_form_whose_residual_is_always_zero_does_not_make_another_one_right(
    hostile: Any,
) -> None:
    hostile(
        "p = after(equations.steps); p.column('same', [number(1)] * 2);"
        " return replace(equations, steps=tuple(p.steps), results={'ud': 'same'},"
        " residuals=(replace(equations.residuals[0], value='r_zero', magnitude='r_zero',"
        " steps=(*equations.residuals[0].steps, *_zero())),))\n\n"
        "def _zero():\n"
        "    p = Program(); p.column('r_zero', [number(0)]); return p.steps"
    )
    found = verify(forms=(*TWO, "hostile"))
    assert found.own["hostile"].value == 0.0
    assert found.pair("kane", "hostile").verdict == "disagree"


def test_a_load_that_is_wrong_by_a_hundred_thousandth_in_one_form_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def scaled(motion: Any) -> Any:
        return [
            (tuple(scale(Fraction(100001, 100000), x) for x in force), torque)
            for force, torque in loads.wrenches(motion)
        ]

    changed = {name: getattr(loads, name) for name in loads.__all__} | {"wrenches": scaled}
    four = ("kane", "lagrange", "maggi", "newton_euler")
    assert verify(forms=four).verdict == "agree"
    monkeypatch.setattr(kane, "loads", SimpleNamespace(**changed))
    found = verify(forms=four)
    assert found.verdict == "disagree"
    assert found.outliers == ("kane",)


def test_time_is_shared_by_all_forms() -> None:
    found = verify(forms=TWO, timeout=-1.0)
    assert found.verdict == "undecided"
    assert {one.reason for one in found.excluded} == {"no time was left for it"}


def test_every_form_is_announced() -> None:
    said: list[str] = []
    verify(forms=TWO, progress=said.append)
    assert said[:2] == ["deriving kane", "deriving lagrange"]


def test_a_variant_is_chosen_by_its_name() -> None:
    found = verify(forms=("kane", "udwadia_kalaba:augmented"))
    assert found.forms == ("kane", "udwadia_kalaba:augmented")
    assert [type(one) for one in derived_forms.candidates(system(SLED), ("kane",), _clock())] == [
        derived_forms.Candidate
    ]


def _clock() -> Any:
    return SimpleNamespace(left=1.0)


def test_a_state_where_invariants_lose_rank_is_singular_and_not_compared() -> None:
    text = PENDULUM.replace("x^2 + y^2 = l^2", "x*y = 0*l^2").replace("x = 2 m", "x = 0 m, y = 0 m")
    found = verify(text.replace("level", "crossing"), forms=TWO)
    assert [one.status for one in found.states if one.name == "state crossing"] == ["singular"]
    assert found.verdict == "agree"


def test_reactions_where_nothing_acts_agree_with_those_of_the_oracle() -> None:
    document = mbx.loads("""mbx 1
model Rotor {
  param J: kg*m^2
  coordinate a: rad
  body rotor { inertia J about z  joint revolute(ground, axis = z, angle = a) }
}
""")
    found = mbx.verify(document, forms=("newton_euler", "kane"), states=2)
    assert found.oracle is not None
    assert found.oracle.reactions["newton_euler"].value <= 1e-15
    assert found.verdict == "agree"


def test_however_many_states_are_put_into_residuals_at_once_errors_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = Options(forms=("kane", "lagrange", "newton_euler"), states=5, oracle=0)
    at_once = verify_system(system(PENDULUM), options)
    monkeypatch.setattr(mutual_residuals, "COPIES", 1)
    assert verify_system(system(PENDULUM), options).as_json() == at_once.as_json()
