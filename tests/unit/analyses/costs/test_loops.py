"""What is counted of models with invariants, and what the counts assume."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest

from mbx.analyses.costs import counted
from mbx.analyses.costs.cost_ranking import rank
from mbx.analyses.costs.counted import accelerations, independent_invariants
from mbx.analyses.costs.operation_counts import Counts
from mbx.expr.nodes import symbol
from mbx.formalism import registry
from mbx.formalism.program import Step
from mbx.numerics.execute import evaluate_equations
from mbx.numerics.execute.execute import run
from mbx.numerics.states import specialise as states_module
from mbx.numerics.states.sample import draw
from mbx.numerics.states.specialise import ModelStates, specialise
from unit.analyses.costs.test_count import SPRING, system
from unit.analyses.costs.test_rank import library
from unit.formalism.programs import column, matrix, program

PARTICLE: Final = """
mbx 1
model Bead {
  param m: kg = 1, F: N = 3
  coordinate x: m = 0.1, y: m = 0.2
  particle P { mass m  at [x, y, 0] }
  force F*ground.x on P
  invariant level: y = 0 [m]
}
"""


def test_a_constraint_is_part_of_the_work_only_where_it_costs() -> None:
    # x'' = F/m, y'' = 0: both are numbers
    bead = system(PARTICLE)
    for form in ("kane", "lagrange", "gauss"):
        assert accelerations(bead, form) == Counts(0, 0, 0, 0)
    # and F/m where they are symbols
    assert accelerations(bead, "lagrange", symbolic=True) == Counts(0, 0, 1, 0)


def test_a_mechanism_is_ranked_and_says_what_is_assumed() -> None:
    found = rank(library("four_bar"), ["kane", "lagrange"])
    assert [entry.form for entry in found.entries if entry.operations] == ["kane", "lagrange"]
    said = "counts assume a state in general position: 2 of 2 invariants are independent there"
    assert said in found.lines()
    data = found.as_json()
    assert (data["invariants"], data["independent"], data["assumes_rank"]) == (2, 2, True)


def test_redundant_invariants_are_told() -> None:
    found = rank(library("parallelogram"), ["kane"])
    # four equations close two loops in the plane, and one of them says nothing new
    assert "4 invariants" in "".join(found.lines())
    assert (found.invariants, found.independent) == (4, 3)


def test_one_invariant_is_said_to_be_one() -> None:
    lines = rank(system(PARTICLE), ["kane"]).lines()
    said = "counts assume a state in general position: 1 of 1 invariant is independent there"
    assert said in lines


def test_a_tree_assumes_nothing() -> None:
    found = rank(system(SPRING), ["kane"])
    assert not found.assumes_rank
    assert found.as_json()["independent"] is None
    assert not any("assume" in line for line in found.lines())


def test_where_nothing_is_counted_nothing_is_assumed() -> None:
    found = rank(library("four_bar"), ["udwadia_kalaba:positive"])
    assert found.independent == 2
    assert not found.as_json()["assumes_rank"]
    assert not any("assume" in line for line in found.lines())


def test_the_reactions_of_a_tree_are_solved_for_where_they_are_unique() -> None:
    # least squares, though nothing is redundant; by hand: x'' = -3/2 x, all else is a number
    assert accelerations(system(SPRING), "newton_euler") == Counts(0, 1, 0, 0)


@pytest.mark.parametrize("form", ["kane", "newton_euler", "composite_body", "rfda"])
def test_the_state_at_which_ranks_are_found_does_not_matter(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = set()
    for seed in (1, 2, 3):
        monkeypatch.setattr(states_module, "_SEED", seed)
        found.add(accelerations(library("parallelogram"), form))  # a system keeps its states
    assert len(found) == 1


def test_a_model_without_a_consistent_state_is_not_guessed_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(states_module, "draw", lambda manifold, rng, _: draw(manifold, rng, 0))
    model = library("four_bar")
    found = accelerations(model, "kane")
    assert found == "not countable: no consistent state is found, and so no rank"
    assert independent_invariants(model) is None


def test_a_form_that_is_regular_nowhere_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def singular(*args: Any, **options: Any) -> Any:
        outcome = run(*args, **options)
        return replace(outcome, status=np.full(len(outcome.status), "singular", dtype=object))

    monkeypatch.setattr(evaluate_equations, "run", singular)
    found = accelerations(library("four_bar"), "kane")
    assert found == "not countable: no state tried is regular, and so no rank is found: singular"


def test_a_form_is_counted_where_accelerations_are_part_of_the_state() -> None:
    found = accelerations(library("programme_order_3"), "modular")
    assert isinstance(found, Counts)
    assert 0 < found.arithmetic < 100


def test_what_was_meant_to_be_zero_is_zero() -> None:
    model = library("slider_crank_scalable_3d")  # plane at all states, though written in space
    equations = registry.derive(model, "kane")
    at = evaluate_equations.general_values(specialise(equations, ModelStates(model)))
    sizes = [abs(at[one.symbol]) for one in (*model.q, *model.u)]
    assert 0.0 in sizes
    assert min(size for size in sizes if size) > 1e-13


def test_forms_with_the_same_reason_stand_together() -> None:
    lines = rank(library("programme_order_3"), ["lagrange", "kane", "modular"]).lines()
    at = lines.index("kane, lagrange")
    assert lines[at + 1] == "  not applicable: an invariant of order 3 or more (programme)"
    assert any(line.split()[:1] == ["modular"] for line in lines[:at])


def test_the_time_of_a_count_is_bounded_where_ranks_are_found() -> None:
    found = accelerations(library("stewart_platform"), "udwadia_kalaba", timeout=0.3)
    assert found == "not counted: takes more than 0.3 s"


def test_the_time_of_a_count_is_bounded_within_one_solution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [tuple(symbol(f"m{i}_{j}") for j in range(120)) for i in range(120)]
    solve = Step(name="ud", op="solve", args=("M", "h"), kind="general")
    dense = program(matrix("M", *rows), column("h", *rows[0]), solve, results={"ud": "ud"})
    monkeypatch.setattr(registry, "derive", lambda *_: dense)
    monkeypatch.setattr(counted, "specialise", lambda equations, _states: equations)
    found = accelerations(system(SPRING), "kane", timeout=0.2)
    assert found == "not counted: takes more than 0.2 s"
