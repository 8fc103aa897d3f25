"""Steps that name entries of other matrices."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mbx.base.errors import EquationsError
from mbx.expr.build import add, choose, divide, function, less, mul, power, sub
from mbx.expr.nodes import ONE, ZERO, number, symbol
from mbx.formalism.builder import Program
from mbx.formalism.json.serial import from_json, to_json
from mbx.formalism.program import Residual, Step, entries_of
from mbx.numerics.execute.execute import STATE, march, run
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.numerics.execute.step_kinds import Batch
from mbx.numerics.multiprecision.balls import Balls
from mbx.numerics.multiprecision.decimals import Decimals
from mbx.numerics.multiprecision.execute_digits import execute
from unit.formalism.programs import X, Y, column, matrix, program
from unit.formalism.sweeps import sweep


def test_expressions_may_be_of_entries_of_several_matrices() -> None:
    x, y = np.array([0.3, 0.4, -2.0]), 2.0
    outcome = run(sweep(), {X: x, Y: y})
    assert outcome.status.tolist() == ["regular"] * 3
    true = np.stack([x * np.cos(x) * (x + y), y * y + x + y], axis=1)
    assert outcome.matrix("a") == pytest.approx(true[:, :, None], rel=1e-15)


def test_entries_go_row_by_row_one_argument_after_the_other() -> None:
    symbols = tuple(symbol(f"e{k}") for k in range(5))
    step = Step(
        name="c", op="define", args=("A", "b"), symbols=symbols, entries=(symbols[:3], symbols[2:])
    )
    A, b = ((1, 2), (3, 4)), number(5)
    equations = program(matrix("A", *(tuple(map(number, row)) for row in A)), column("b", b), step)
    assert np.array_equal(run(equations, {}).matrix("c"), [[[1, 2, 3], [3, 4, 5]]])


def test_a_program_with_named_entries_is_read_again_as_it_was() -> None:
    again = from_json(to_json(sweep()))
    assert again == sweep()
    assert run(again, {X: 0.3, Y: 2.0}).at("a", 0)[1, 0] == pytest.approx(6.3, rel=1e-15)


@pytest.mark.parametrize("numbers", [Balls(40), Decimals(40)])
def test_named_entries_have_many_digits(numbers: Balls | Decimals) -> None:
    values = {X: numbers.exact(0.5), Y: numbers.exact(2)}
    found = execute(numbers, sweep().steps, values)
    assert float(found["a"][1, 0]) == 6.5
    assert float(found["a"][0, 0]) == pytest.approx(0.5 * np.cos(0.5) * 2.5, rel=1e-15)


def test_names_of_entries_are_no_names_of_a_model() -> None:
    assert entries_of("v_2", 2) == ((symbol("v_2[1,1]"),), (symbol("v_2[2,1]"),))
    assert entries_of("M", 1, 2) == ((symbol("M[1,1]"), symbol("M[1,2]")),)


def test_an_entry_that_is_a_number_is_that_number() -> None:
    p = Program()
    A = p.define("A", [[ZERO, X], [ONE, ZERO]])
    assert p.entries(A) == [[ZERO, symbol("A[1,2]")], [ONE, ZERO]]
    assert p.entries(p.let("B", A @ A)) == [list(row) for row in entries_of("B", 2, 2)]


def test_a_derived_matrix_has_the_arguments_that_it_names() -> None:
    p = Program()
    A, _, C = (p.define(name, [[X, Y]]) for name in "ABC")
    a, c = p.entries(A), p.entries(C)
    p.derived("D", [[mul(c[0][1], a[0][0])]])
    assert set(p.steps[-1].args) == {"A", "C"}
    first = p.steps[-1].args[0]
    assert p.steps[-1].symbols[:2] == entries_of(first, 1, 2)[0]
    p.derived("E", [[X]])
    assert p.steps[-1].args == ()
    assert p.steps[-1].symbols == ()


def test_entries_of_a_matrix_from_elsewhere_need_its_size() -> None:
    p = Program()
    with pytest.raises(EquationsError, match="no matrix is called 'A'"):
        p.entries("A")
    p.derived("D", [[mul(X, p.entries("A", (1, 2))[0][1])]])
    assert p.steps[-1].args == ("A",)


def test_a_matrix_whose_size_depends_on_a_rank_has_no_entries() -> None:
    p = Program()
    C = p.null("C", p.define("A", [[X, Y]]))
    with pytest.raises(EquationsError, match="the size of 'C' depends on a rank"):
        p.entries(C)
    step = Step(name="z", op="define", args=("C",), symbols=(X,), entries=((X,),))
    with pytest.raises(EquationsError, match=r"'z'.*the number of entries of an argument depends"):
        run(program(*p.steps, step), {X: 1.0, Y: 1.0})


def test_a_symbol_of_another_step_has_no_value() -> None:
    steps = sweep().steps
    stray = replace(steps[-1], name="stray", args=(), symbols=())
    with pytest.raises(EquationsError, match=r"no value for v_2\[2,1\]"):
        run(program(*steps, stray), {X: 0.3, Y: 2.0})


def test_a_state_that_fails_in_named_entries_leaves_the_others_alone() -> None:
    p = Program()
    ((b,),) = p.entries(p.column("b", [X]))
    ((c,),) = p.entries(p.column("c", [divide(Y, b)]))
    p.column("d", [mul(c, Y)])
    outcome = run(program(*p.steps), {X: [1.0, 0.0, 2.0], Y: [3.0, 4.0, 5.0]})
    assert outcome.status.tolist() == ["regular", "not finite", "regular"]
    assert outcome.at("d", 0)[0, 0] == 9.0
    assert outcome.at("d", 2)[0, 0] == 12.5


def test_a_factor_with_a_pivot_that_is_none_makes_a_state_singular() -> None:
    p = Program()
    ((b,),) = p.entries(p.column("b", [X]))
    p.derived("L", [[power(b, Fraction(1, 2))]])
    outcome = run(program(*p.steps), {X: [4.0, -1e-18, 9.0]})
    assert outcome.status.tolist() == ["regular", "singular", "regular"]
    assert outcome.at("L", 2)[0, 0] == 3.0


# -- noise -----------------------------------------------------------------------------------


def noise_of_entry(step: Step, **values: float) -> float:
    """Return the noise of a 1 by 1 matrix of the entries of b = [x, y]."""
    kept = Step(name="N", op="nullspace", args=(step.name,))
    outcome = run(program(column("b", X, Y), step, kept), {X: values["x"], Y: values["y"]})
    return float(outcome.batches[0].noise[step.name][0, 0, 0])


P, Q = (row[0] for row in entries_of("b", 2))
X0, Y0 = 3.0, 0.5
DX = DY = STATE * 3.0  # x and y are coordinates with one unit, and so of one size


@pytest.mark.parametrize(
    ("entry", "noise"),
    [
        (P, [DX]),
        (add(P, Q), [DX, DY, EPS * X0, EPS * Y0]),
        (sub(P, Q), [DX, DY, EPS * X0, EPS * Y0]),
        (mul(P, Q), [X0 * DY, Y0 * DX, EPS * X0 * Y0]),
        (mul(number(-5), P), [5 * DX, 5 * EPS * X0]),
        (mul(number(-4), P), [4 * DX]),
        (mul(number(Fraction(1, 5)), P), [DX / 5, 2 * EPS * X0 / 5]),
        (add(P, number(Fraction(1, 5))), [DX, EPS * X0, EPS / 5, EPS / 5]),
        (power(P, 3), [3 * X0**2 * DX, EPS * X0**3]),
        (divide(ONE, P), [DX / X0**2, EPS / X0]),
        (function("sin", P), [np.cos(X0) * DX, EPS * np.sin(X0)]),
        (
            function("atan2", P, Q),
            [Y0 * DX / (X0**2 + Y0**2), X0 * DY / (X0**2 + Y0**2), EPS * np.arctan2(X0, Y0)],
        ),
        (mul(P, X), [X0 * DX, X0 * DX, EPS * X0 * X0]),
        (choose(less(Q, P), Q, P), [DY]),
        (choose(less(P, Q), Q, P), [DX]),
    ],
)
def test_the_noise_of_named_entries_moves_on(entry: object, noise: list[float]) -> None:
    step = Step(name="c", op="define", args=("b",), symbols=(P, Q), entries=((entry,),))  # type: ignore[arg-type]
    found = noise_of_entry(step, x=X0, y=Y0)
    assert found == pytest.approx(np.linalg.norm(noise), rel=1e-12, abs=0.0)


def test_a_root_at_zero_has_no_noise() -> None:
    entry = power(P, Fraction(1, 2))
    step = Step(name="c", op="define", args=("b",), symbols=(P, Q), entries=((entry,),))
    assert noise_of_entry(step, x=0.0, y=0.5) == 0.0


def test_terms_that_cancel_leave_no_rank_behind() -> None:
    # x cos^2 + x sin^2 - x is zero but for rounding
    p = Program()
    terms = [mul(X, power(function("cos", Y), 2)), mul(X, power(function("sin", Y), 2)), X]
    (b,) = zip(*p.entries(p.column("b", terms)), strict=True)
    p.null("N", p.derived("c", [[sub(add(b[0], b[1]), b[2])]]))
    outcome = run(program(*p.steps), {X: np.linspace(1, 9, 50), Y: np.linspace(0.1, 1.4, 50)})
    assert np.abs(outcome.matrix("c")).max() > 0
    assert len(outcome.batches) == 1
    assert outcome.batches[0].matrices["N"].shape == (50, 1, 1)


def test_noise_is_found_only_where_a_rank_asks_for_it() -> None:
    assert run(sweep(), {X: 0.3, Y: 2.0}).batches[0].noise == {}


def test_noise_is_found_where_a_residual_asks_for_it() -> None:
    step = Step(name="N", op="nullspace", args=("b",))
    residual = Residual(name="r", steps=(step,), value="N", magnitude="N")
    equations = program(column("b", X), column("c", Y), residuals=(residual,))
    batch = run(equations, {X: 3.0, Y: 1.0}).batches[0]
    assert batch.noise == {"b": pytest.approx(STATE * 3.0, rel=1e-12, abs=0.0)}


def test_a_batch_to_start_from_stays_as_it_is() -> None:
    start = Batch(np.arange(2), {}, {})
    _, (found,) = march([column("b", X)], {X: np.array([1.0, 2.0])}, start, {})
    assert start.matrices == {}
    assert found.matrices["b"][:, 0, 0].tolist() == [1.0, 2.0]
