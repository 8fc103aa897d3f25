"""Operations that are counted, against counts by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

import mbx
from mbx.analyses.costs import counted
from mbx.analyses.costs.counted import accelerations, rates_of_momenta
from mbx.analyses.costs.operation_counts import Counts
from mbx.base.diagnostics import Report
from mbx.base.errors import EquationsError, LimitError
from mbx.formalism import registry
from mbx.formalism.program import Step
from mbx.numerics.execute.evaluate_equations import inexact_results
from mbx.numerics.states.specialise import ModelStates

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

SPRING: Final = """
mbx 1
model Spring {
  param m: kg = 2, k: N/m = 3
  coordinate x: m = 0.1
  body B { mass m  com [0, 0, 0]  joint prismatic(ground, axis = x, distance = x) }
  force -k*x*ground.x on B
}
"""
PAIR: Final = """
mbx 1
model Pair {
  param m: kg = 2, k: N/m = 3
  coordinate x: m = 0.1, y: m = 0.2
  body A { mass m  com [0, 0, 0]  joint prismatic(ground, axis = x, distance = x) }
  body B { mass m  com [0, 0, 0]  joint prismatic(A, axis = x, distance = y) }
}
"""


def system(text: str) -> System:
    """Return the system of a text."""
    return mbx.elaborate(mbx.loads(text.lstrip()))


def test_numbers_are_folded() -> None:
    # x'' = -3/2 x
    assert accelerations(system(SPRING), "kane") == Counts(add=0, mul=1, div=0, function=0)


def test_symbols_are_not() -> None:
    # x'' = -k x/m; a change of sign is no operation
    found = accelerations(system(SPRING), "kane", symbolic=True)
    assert found == Counts(add=0, mul=1, div=1, function=0)


def test_momenta_are_given() -> None:
    # (x' + y', y') are p_y/m and p_x - p_y over m: M = m [2, 1; 1, 1], eliminated from the last
    # by hand: l = 1; d = 1; (p_x - p_y)/2, p_y/2 - x'
    found = rates_of_momenta(system(PAIR), "hamilton")
    assert isinstance(found, Counts)
    assert (found.div, found.function) == (0, 0)
    assert found.arithmetic == 4


def test_a_form_without_momenta_says_so() -> None:
    assert rates_of_momenta(system(SPRING), "kane") == "not countable: the form has no momenta"


def test_a_form_that_cannot_be_written_out_says_why() -> None:
    found = accelerations(system(SPRING), "udwadia_kalaba:positive")
    assert isinstance(found, str)
    assert found.startswith("not countable: 'Ms' (sqrtm)")


def test_a_form_that_does_not_apply_says_why() -> None:
    text = SPRING.replace("force", "invariant fast: x'^2 = 1 [m^2/s^2]\n  force")
    found = accelerations(system(text), "kane")
    assert isinstance(found, str)
    assert found.startswith("not applicable: kane does not support an invariant that is nonlinear")


def test_a_faulty_form_does_not_keep_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Equations:
        raise KeyError("lost")

    monkeypatch.setattr(registry, "derive", fail)
    assert accelerations(system(SPRING), "kane") == "broken: KeyError: 'lost'"


def test_a_count_that_takes_too_much_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Equations:
        raise MemoryError

    monkeypatch.setattr(registry, "derive", fail)
    found = accelerations(system(SPRING), "kane")
    assert found == "not counted: takes more memory than there is"


def test_the_limits_of_a_run_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Equations:
        raise LimitError(Report())

    monkeypatch.setattr(registry, "derive", fail)
    with pytest.raises(LimitError):
        accelerations(system(SPRING), "kane")


def test_a_count_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(*_: object) -> Equations:
        while True:
            pass

    monkeypatch.setattr(registry, "derive", forever)
    found = accelerations(system(SPRING), "kane", timeout=0.05)
    assert found == "not counted: takes more than 0.05 s"


# -- momenta ---------------------------------------------------------------------------------


def changed(equations: Equations, steps: list[Step], **results: str) -> Equations:
    """Return equations with further steps, and other results."""
    every = (*equations.steps, *steps)
    return replace(equations, steps=every, results={**equations.results, **results})


def test_rates_that_need_the_speeds_are_refused() -> None:
    one = system(SPRING)
    equations = registry.derive(one, "hamilton")
    speed = equations.signature.u[0].symbol
    fast = Step(name="fast", op="define", entries=((speed,),))
    with pytest.raises(EquationsError, match="do not follow from the momenta alone"):
        counted._cost(changed(equations, [fast], qd="fast"), "qd", symbolic=False)


def test_momenta_of_single_links_are_given_too() -> None:
    one = system(PAIR)
    equations = registry.derive(one, "hamilton")
    whole = counted._cost(equations, "qd", symbolic=False)
    at = next(k for k, step in enumerate(equations.steps) if step.name == "p")
    p = equations.steps[at]
    links = [replace(p, name=f"p_{k}", entries=p.entries[k : k + 1], size=(1, 1)) for k in (0, 1)]
    block = Step(name="p", op="block", grid=(("p_0",), ("p_1",)))
    steps = (*equations.steps[:at], *links, block, *equations.steps[at + 1 :])
    parted = replace(equations, steps=steps)
    assert counted._cost(parted, "qd", symbolic=False) == whole


SCREW = """mbx 1
model M {
  coordinate a: rad = 0.3, b: rad = 0.2
  body base { mass 3 kg  com [0.1 m, 0.2 m, 0]  inertia diag(J, 2*J, 2*J)
    joint revolute(ground, axis = x, angle = a) }
  body tip { mass 2 kg  com [0, 0.1 m, 0.2 m]  inertia diag(J, J, J/5)
    joint screw(base at [0, 0.4 m, 0], axis = y, angle = b, pitch = 0.05 m) }
  param J: kg*m^2 = 0.2
}
"""


def test_what_a_hinge_holds_is_counted_where_it_is_a_null_space() -> None:
    one = system(SCREW)
    steps = {step.op for step in registry.derive(one, "tree_hamilton_multipliers").steps}
    assert "nullspace" in steps
    found = rates_of_momenta(one, "tree_hamilton_multipliers")
    assert isinstance(found, Counts), found
    reduced = rates_of_momenta(one, "tree_hamilton_reduced")
    assert isinstance(reduced, Counts)
    assert found.arithmetic > reduced.arithmetic > 0


def test_a_line_from_given_momenta_is_compared_with_its_program() -> None:
    one = system(PAIR)
    bare = registry.derive(one, "hamilton")
    equations = replace(bare, states=ModelStates(one).sampled(bare))
    given = counted._momenta(equations)
    rows = counted._line(equations, "qd", symbolic=False, known=given)
    assert inexact_results(equations, {"qd": rows}, given) == {}
    assert [*inexact_results(equations, {"qd": rows[::-1]}, given)] == ["qd"]
