"""Why forms disagree: faults of which all is known, and what the diagnosis says of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.verify.diagnosis.find_cause import Diagnosis, diagnose
from mbx.verify.diagnosis.variants import loads_of, probed, without
from mbx.verify.run_verification import Options, verify_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mbx.linking.link import Linked

ARMS: Final = """
mbx 1
model Arms {
  param k: N*m/rad = 3
  coordinate a: rad = 0.3, b: rad = -0.4
  body upper {
    mass 1 kg  com [0, -0.5 m, 0]  inertia 0.1 [kg*m^2] about z
    joint revolute(ground, axis = z, angle = a)
  }
  body lower {
    mass 2 kg  com [0, -0.4 m, 0]  inertia 0.2 [kg*m^2] about z
    joint revolute(upper at [0, -1 m, 0], axis = z, angle = b)
  }
  spring elbow: on b stiffness k
  damper oil: on a damping 0.7 [N*m*s/rad]
  gravity [0, -9.81 [m/s^2], 0]
}
"""

HOOP: Final = """
mbx 1
model Hoop {
  coordinate x: m = 0.6, y: m = -0.8
  particle p { mass 2 kg  at [x, y, 0] }
  gravity [0, -9.81 [m/s^2], 0]
  invariant hoop: x^2 + y^2 = 1 [m^2]
}
"""

FORM: Final = '''
"""Kane's form of a system with a fault in it."""

from dataclasses import replace
from fractions import Fraction

from mbx.expr.build import scale
from mbx.expr.nodes import ZERO
from mbx.expr.evaluate import substitute
from mbx.formalism.registry import Converter, Variant
from mbx_converters import kane


def elements(system, change):
    return replace(system, elements=tuple(map(change, system.elements)))


def entries(equations, name, change):
    steps = tuple(
        replace(s, entries=tuple(tuple(map(change, row)) for row in s.entries))
        if s.name == name else s
        for s in equations.steps
    )
    return replace(equations, steps=steps)


def derive(system, variant=""):
    BODY


CONVERTER = Converter(
    name="planted", title="Planted", reference="none", derive=derive,
    variants=(Variant(accepts=kane.CONVERTER.variants[0].accepts),),
)
'''


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return what installs a form with a fault."""
    folder = tmp_path / "mbx_converters"
    folder.mkdir()
    before = set(sys.modules)

    def install(body: str) -> None:
        (folder / "planted.py").write_text(FORM.replace("BODY", body), "utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    yield install
    for name in set(sys.modules) - before:
        if name.startswith("mbx_converters"):
            del sys.modules[name]


def linked(text: str) -> Linked:
    return mbx.link(mbx.loads(text))


def diagnosis(text: str, oracle: int = 0) -> Diagnosis:
    model = linked(text)
    options = Options(forms=("planted", "lagrange", "newton_euler"), states=4, oracle=oracle)
    found = verify_system(mbx.elaborate(model), options, model)
    assert found.verdict == "disagree"
    assert found.outliers == ("planted",)
    why = diagnose(model, found)
    assert why is not None
    return why


@pytest.mark.parametrize("oracle", [0, 1])
def test_a_spring_that_is_missing_is_named_with_its_line(
    plant: Callable[[str], None], oracle: int
) -> None:
    plant("return kane.derive(replace(system, potentials=()), variant)")
    why = diagnosis(ARMS, oracle)
    assert why.form == "planted"
    assert why.term == "spring elbow (line 14)"
    assert why.variable in {"a'", "b'"}
    # a spring acts at rest, and where b is not zero
    assert why.state.values["a'"] == why.state.values["b'"] == 0
    assert why.state.values["b"] != 0
    assert why.state.values["a"] == 0


def test_a_damper_that_is_missing_is_named_though_it_acts_in_motion_only(
    plant: Callable[[str], None],
) -> None:
    plant("return kane.derive(replace(system, dissipations=()), variant)")
    why = diagnosis(ARMS)
    assert why.term == "damper oil (line 15)"
    assert why.state.values["a'"] != 0
    assert why.state.values["b'"] == 0


def test_gravity_on_a_body_is_told_from_its_inertia(plant: Callable[[str], None]) -> None:
    plant(
        "return kane.derive(elements(system, lambda e: replace(e, gravity=None)"
        " if e.path == 'lower' else e), variant)"
    )
    why = diagnosis(ARMS)
    assert why.term == "gravity (line 16)"
    assert why.body == "lower"


def test_inertia_of_a_body_is_found_to_six_digits(plant: Callable[[str], None]) -> None:
    plant(
        "return kane.derive(elements(system, lambda e: replace(e,"
        " m=scale(Fraction(1000003, 1000000), e.m)) if e.path == 'lower' else e), variant)"
    )
    why = diagnosis(ARMS.replace("gravity [0, -9.81 [m/s^2], 0]", ""))
    assert why.term == "inertia"
    assert why.body == "lower"
    assert why.error.value < 1e-5


def test_terms_of_velocities_are_told_from_loads(plant: Callable[[str], None]) -> None:
    plant(
        "e = kane.derive(replace(system, dissipations=()), variant)\n"
        "    still = {v.symbol: ZERO for v in system.u}\n"
        "    return entries(e, 'h', lambda x: substitute([x], still)[0])"
    )
    why = diagnosis(ARMS.replace("  damper oil: on a damping 0.7 [N*m*s/rad]\n", ""))
    assert why.term == "gyroscopic, Coriolis and centrifugal terms"


def test_the_bias_of_an_invariant_is_named(plant: Callable[[str], None]) -> None:
    plant("return entries(kane.derive(system, variant), 'b', lambda x: scale(Fraction(9, 10), x))")
    why = diagnosis(HOOP)
    assert why.term == "bias of invariant hoop"
    assert why.variable == "hoop"
    assert why.body == "p"


@pytest.mark.full
def test_constraint_forces_that_alone_are_wrong_are_said_so(plant: Callable[[str], None]) -> None:
    plant(
        "e = kane.derive(system, variant)\n"
        "    from mbx.formalism.builder import Program\n"
        "    p = Program()\n"
        "    for step in e.steps:\n"
        "        p.add(step)\n"
        "    p.let('wrong', -p.find(e.results['Fc']))\n"
        "    return replace(e, steps=tuple(p.steps), results={**e.results, 'Fc': 'wrong'})"
    )
    why = diagnosis(HOOP)
    assert why.what == "constraint forces"
    assert why.term == "constraint forces; accelerations do not differ"


def test_forms_that_agree_have_no_diagnosis() -> None:
    model = linked(HOOP)
    found = verify_system(
        mbx.elaborate(model), Options(forms=("kane", "lagrange"), states=2), model
    )
    assert diagnose(model, found) is None


def test_a_model_can_do_without_its_loads() -> None:
    model = linked(ARMS)
    assert [part.title for part in loads_of(model)] == [
        "spring elbow (line 14)",
        "damper oil (line 15)",
        "gravity (line 16)",
    ]
    less = mbx.elaborate(without(model, loads_of(model)[:1]))
    assert not less.potentials
    assert len(less.dissipations) == 1
    bare = mbx.elaborate(without(model, loads_of(model)))
    assert not bare.dissipations
    assert all(e.gravity is None for e in bare.elements)


def test_speeds_can_be_pushed_alone() -> None:
    pushed = probed(linked(ARMS), ["a'", "b'"])
    assert [part.path for part in loads_of(pushed)] == ["load", "load"]
