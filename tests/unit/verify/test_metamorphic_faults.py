"""Every metamorphic check can fail: faults that break it, planted one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mbx
from mbx.expr.build import add, mul
from mbx.expr.nodes import number
from mbx.formalism import registry
from mbx.language.text.document_text import show_document
from mbx.linking.expand import unit_of
from mbx.system import lower_expressions
from mbx.system.elaborate import elaborate
from mbx.verify.agreement import kinetics
from mbx.verify.agreement.mutual_residuals import residual_errors
from mbx.verify.derived_forms import Result, evaluate
from mbx.verify.oracle import Oracle
from self_test.metamorphic import decoy, rescale, writing
from self_test.metamorphic import evaluate_relation as evaluation
from self_test.metamorphic.check_relation import Check, checks
from self_test.metamorphic.relations import METAMORPHIC

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.language.document.document import Document
    from mbx.language.units import Unit
    from mbx.linking.link import Linked
    from mbx.system.system import System

CRANE = """
mbx 1
model Rope {
  param m: kg, l: m = 400 mm
  coordinate th: rad = 0.3 in [-1, 1]
  body bob {
    mass m
    com [0, -l, 0]
    inertia diag(0.01 [kg*m^2], 0.02 [kg*m^2], 0.03 [kg*m^2])
    joint spherical(ground at [0.1 m, 0, 0], euler zxy by (th, 0.2*th, 6 deg))
  }
}
model Crane {
  param M: kg = 3, k: N/m = 40, g: m/s^2 = 9.81
  coordinate s: m = 0.2
  subsystem rope: Rope(m = 2)
  body trolley { mass M  joint prismatic(ground, axis = x, distance = s) }
  coordinate h: m = -0.1
  body hook { mass M/5  joint prismatic(trolley, axis = [1, 2, 0], distance = h) }
  spring on s stiffness k rest 10 mm
  spring between trolley.origin and rope.bob.com stiffness k rest 0.3 m
  independent s', rope.th'
  gravity [0, -g, 0]
}
"""
FORMS = ("gibbs_appell", "kane", "lagrange")


@pytest.fixture(autouse=True)
def _few_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "names", lambda: FORMS)


def check(name: str) -> Check:
    """Return one check of the crane."""
    (relation,) = (one for one in METAMORPHIC if one.name == name)
    (found,) = checks(mbx.loads(CRANE), wanted=[relation])
    return found


def heavier(monkeypatch: pytest.MonkeyPatch, when: Callable[[System], bool]) -> None:
    """Make the elaborated trolley a millionth heavier in some models."""

    def faulty(linked: Linked) -> System:
        system = elaborate(linked)
        if not when(system):
            return system
        elements = tuple(
            e if e.m is None else replace(e, m=mul(number(1 + 1e-6), e.m))
            for e in system.elements
            if e.joint is not None
        )
        changed: System = replace(system, elements=(*elements[:1], *system.elements[1:]))
        return changed

    monkeypatch.setattr(evaluation, "elaborate", faulty)


def misread(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """Make numbers with a unit, where they are lowered, a millionth larger than they are."""

    def faulty(text: str | None) -> Unit:
        unit = unit_of(text)
        return replace(unit, factor=unit.factor * (1 + 1e-6)) if text == word else unit

    monkeypatch.setattr(lower_expressions, "unit_of", faulty)


def results(monkeypatch: pytest.MonkeyPatch, change: Callable[[Result, Any], Result]) -> None:
    """Let every form give other results; `change` takes these and the states."""

    def faulty(form: Any, values: Any, points: Any, *rest: Any) -> Any:
        found = evaluate(form, values, points, *rest)
        return change(found, points) if isinstance(found, Result) else found

    monkeypatch.setattr(evaluation, "evaluate", faulty)


def assert_broken(name: str) -> Check:
    """Look that a check is broken by numbers, not by a crash."""
    found = check(name)
    assert found.status == "broken"
    assert found.error > 1e-10
    assert "Error" not in found.reason
    return found


def test_without_a_fault_every_check_holds() -> None:
    found = checks(mbx.loads(CRANE))
    assert {one.name: one.reason for one in found if one.status != "holds"} == {}
    assert max(one.error for one in found) < 1e-13


def test_a_form_that_is_never_twice_the_same_breaks_the_null_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = iter(range(10_000))
    results(monkeypatch, lambda r, _: replace(r, ud=r.ud * (1 + 1e-16 * next(count))))
    found = check("null")
    assert (found.status, found.reason) == ("broken", "the same once more gives other numbers")


def test_what_depends_on_the_order_breaks_the_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    heavier(monkeypatch, lambda system: system.parameters[1].path == "k")
    assert assert_broken("reverse").form in FORMS


def test_what_depends_on_names_breaks_renaming(monkeypatch: pytest.MonkeyPatch) -> None:
    heavier(monkeypatch, lambda system: any("trolley" in e.path for e in system.elements))
    assert_broken("rename")


def test_a_unit_that_is_taken_for_another_breaks_the_units(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    misread(monkeypatch, "mm")
    assert_broken("units")


def test_a_change_that_forgets_one_unit_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rescale.Rescaling.unit  # the fault is in there

    def forgets(self: Any, text: str | None) -> Any:
        unit, ratio = whole(self, text)
        return unit, (rescale.Ratio() if text == "m/s^2" else ratio)

    monkeypatch.setattr(rescale.Rescaling, "unit", forgets)
    assert check("units").status == "broken"


def test_a_degree_that_is_taken_for_another_breaks_degrees(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    misread(monkeypatch, "deg")
    assert_broken("degrees")


def test_gravity_without_its_z_breaks_rotation(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(linked: Linked) -> System:
        system = elaborate(linked)
        for element in system.elements:
            if element.gravity is not None:
                x, y, _ = element.gravity
                element.gravity = (x, y, number(0))
        return system

    monkeypatch.setattr(evaluation, "elaborate", faulty)
    assert_broken("rotate")


def test_a_body_that_turns_the_wrong_way_breaks_rotation(monkeypatch: pytest.MonkeyPatch) -> None:
    sound = kinetics.accelerations  # the fault is in there

    def faulty(moving: Any) -> Any:
        return [*moving.wd, *sound(moving)[3:]]  # in its own components

    monkeypatch.setattr(kinetics, "accelerations", faulty)
    found = assert_broken("rotate")
    assert found.form == "bodies"


def test_a_hint_that_changes_the_physics_breaks_its_removal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heavier(monkeypatch, lambda system: bool(system.independent.get("")))
    assert_broken("hints")


def test_a_start_that_changes_the_physics_breaks_its_removal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    heavier(monkeypatch, lambda system: system.q[0].start is None)
    assert_broken("setup")


@pytest.mark.parametrize(("name", "writer"), [("json", "write_json"), ("text", "show_document")])
def test_a_writer_that_changes_a_number_breaks_the_round_trip(
    monkeypatch: pytest.MonkeyPatch, name: str, writer: str
) -> None:
    sound = getattr(writing, writer)
    monkeypatch.setattr(writing, writer, lambda *args: sound(*args).replace("9.81", "9.82"))
    found = check(name)
    assert (found.status, found.reason) == ("broken", "its canonical form is another one")


def test_a_writer_that_changes_a_start_breaks_the_flattened_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def faulty(document: Document) -> str:
        return show_document(document).replace("s: m = 0.2", "s: m = 0.3")

    monkeypatch.setattr(writing, "show_document", faulty)
    found = check("flatten")
    assert found.reason == "its start values, ranges or states are others"


def test_a_form_that_damps_breaks_time_reversal(monkeypatch: pytest.MonkeyPatch) -> None:
    results(monkeypatch, lambda r, points: replace(r, ud=r.ud - 1e-6 * points.u))
    assert_broken("time")


def test_a_form_that_is_not_linear_in_gravity_breaks_superposition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results(monkeypatch, lambda r, _: replace(r, ud=r.ud + 1e-6 * r.ud**2))
    assert_broken("gravity")


def test_a_wrong_constraint_force_is_seen_beside_right_accelerations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results(
        monkeypatch,
        lambda r, points: replace(r, Fc=None if r.Fc is None else r.Fc + 1e-3 * points.u),
    )
    found = assert_broken("time")
    assert found.reason == "Fc differs"


@pytest.mark.parametrize("what", ["ud", "Fc", "bodies"])
def test_a_fault_of_the_oracle_alone_is_named(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    sound = Oracle.at

    def faulty(self: Oracle, state: Any, *rest: Any, **options: Any) -> Any:
        answer: Any = sound(self, state, *rest, **options)
        if "rope.th" in state:  # before the change
            return answer
        if what == "bodies":
            wrong = {p: [float(x) * (1 + 1e-6) for x in six] for p, six in answer.bodies.items()}
            return replace(answer, bodies=wrong)
        right = getattr(answer, what)
        return replace(answer, **{what: {p: float(x) + 1e-4 for p, x in right.items()}})

    monkeypatch.setattr(Oracle, "at", faulty)
    found = assert_broken("rename")
    assert (found.form, found.reason) == ("oracle", f"{'a' if what == 'bodies' else what} differs")


def test_a_form_that_becomes_singular_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    count = iter(range(100))

    def blocked(result: Result, _: Any) -> Result:
        first_run = next(count) < len(FORMS)
        status = result.status if first_run else np.full_like(result.status, "singular")
        return replace(result, status=status)

    results(monkeypatch, blocked)
    assert check("flatten").reason == "it is regular before and singular after the change"


def test_rates_of_inputs_are_reversed_too_and_gravity_may_be_missing() -> None:
    driven = """
mbx 1
model Driven {
  input d: 1
  coordinate x: m = 0.3, y: m = 0.1
  particle P { mass 2 kg  at [x, y, 0] }
  invariant drive: y = x*d
  spring on x stiffness 3 [N/m]
}
"""
    wanted = [one for one in METAMORPHIC if one.name in {"time", "gravity"}]
    found = checks(mbx.loads(driven), wanted=wanted)
    assert [(one.status, one.reason) for one in found] == [("holds", "")] * 2


def test_a_form_that_is_lost_by_a_change_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = iter([False, True])

    def names() -> tuple[str, ...]:
        return FORMS[1:] if next(counted) else FORMS

    monkeypatch.setattr(registry, "names", names)
    found = check("rename")
    assert (found.status, found.form) == ("broken", "gibbs_appell")
    assert found.reason.startswith("it applies no more")


def test_a_form_that_cuts_what_is_small_beside_something_large_is_broken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cut(result: Result, _: Any) -> Result:
        largest = np.abs(result.ud).max(axis=1, keepdims=True)
        return replace(result, ud=np.where(np.abs(result.ud) < 1e-14 * largest, 0.0, result.ud))

    results(monkeypatch, cut)
    found = assert_broken("particle")
    assert found.form in FORMS


def test_a_verifier_that_measures_by_the_largest_of_all_is_broken_by_what_stands_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def faulty(form: Any, own: int, given: Any, *rest: Any, **options: Any) -> Any:
        errors: Any = residual_errors(form, own, given, *rest, **options)
        largest = np.abs(given[own].ud).max(axis=1)
        return [replace(one, value=one.value / largest) for one in errors]

    monkeypatch.setattr(decoy, "residual_errors", faulty)
    found = check("spring")
    assert found.status == "broken"
    assert "before is one of" in found.reason


@pytest.mark.parametrize(("name", "mass"), [("small", 1e-6), ("large", 1e18)])
def test_a_mass_in_si_units_breaks_another_size(
    monkeypatch: pytest.MonkeyPatch, name: str, mass: float
) -> None:
    def faulty(linked: Linked) -> System:
        system = elaborate(linked)
        elements = tuple(
            e if e.m is None else replace(e, m=add(e.m, number(mass))) for e in system.elements
        )
        changed: System = replace(system, elements=elements)
        return changed

    monkeypatch.setattr(evaluation, "elaborate", faulty)
    assert_broken(name)


def test_an_order_of_the_file_that_changes_the_physics_breaks_the_file_backwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def faulty(document: Document) -> Document:
        return mbx.loads(show_document(document).replace("9.81", "9.82"))

    monkeypatch.setattr(writing, "reversed_file", faulty)
    assert_broken("file")
