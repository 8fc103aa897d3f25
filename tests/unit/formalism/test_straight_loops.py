"""Programs that depend on a rank, written out for the rank at a state."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

import mbx
from mbx.analyses.costs.operation_counts import Counts, cost
from mbx.base.errors import EquationsError, NotApplicableError
from mbx.expr.build import add, function, mul, neg, power
from mbx.expr.evaluate import evaluate
from mbx.expr.nodes import ONE, ZERO, Node, number, symbol
from mbx.formalism import registry
from mbx.formalism.program import Step
from mbx.linking.library import cases
from mbx.numerics.execute.evaluate_equations import general_values
from mbx.numerics.execute.execute import run
from mbx.numerics.execute.straight_line import own_values, straight_line
from mbx.numerics.states.complete import draw_higher
from mbx.numerics.states.sample import draw
from mbx.numerics.states.specialise import ModelStates
from unit.formalism.programs import X, Y, column, friction, matrix, program
from unit.formalism.test_straight import numbers

LIBRARY: Final = Path(__file__).parents[3] / "library"
EVERY: Final = {case.name: case for case in cases()}
SOME: Final = (
    "four_bar",
    "parallelogram",  # redundant invariants
    "bennett_linkage",  # redundant at consistent states only
    "rolling_disc",
)
WHY: Final = ("found by iteration", "root of a matrix", "part of its state")
A, B, C = symbol("a"), symbol("b"), symbol("c")
AT: Final = {X: 0.7, Y: 2.0, A: 0.9, B: -1.2, C: 0.4}
# zero at all states, but not by its expression, and not by its value in doubles
HIDDEN: Final = add(
    function("cos", mul(number(2), X)),
    neg(power(function("cos", X), 2)),
    power(function("sin", X), 2),
)


def check_forms(name: str) -> int:
    """Compare all forms of a model with their programs; return how many are written out."""
    system = mbx.elaborate(mbx.read(EVERY[name] / "model.mb"))
    states = ModelStates(system)
    manifold, _ = states._drawn
    points = draw(manifold, np.random.default_rng(29), 5).points
    checked, refused = 0, list[str]()
    for form in registry.names():
        try:
            bare = registry.derive(system, form)
            equations = replace(bare, states=states.sampled(bare))
            at = general_values(equations)
            line = straight_line(equations, ("ud",), own_values(equations.signature), at)["ud"]
        except NotApplicableError:
            continue
        except EquationsError as error:
            refused.append(str(error))
            continue
        more = equations.signature.higher
        higher = draw_higher(equations, manifold.values, points, 29) if more else {}
        values = manifold.values.at(equations, points, higher)
        outcome = run(equations, values)
        regular = outcome.status == "regular"
        assert regular.any(), form
        found = numbers(line, values, len(points))[regular]
        true: Any = outcome.matrix(equations.results["ud"])
        size = np.abs(true[regular]).max(axis=(1, 2))
        assert (np.abs(found - true[regular]).max(axis=(1, 2)) <= 1e-10 * size).all(), form
        checked += 1
    assert all(any(why in one for why in WHY) for one in refused), refused
    return checked


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", SOME)
def test_the_straight_line_of_a_mechanism_gives_what_its_program_gives(name: str) -> None:
    assert check_forms(name) > 10


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", sorted(set(EVERY) - set(SOME)))
def test_every_straight_line_of_the_library_gives_what_its_program_gives(name: str) -> None:
    # friction that is found by iteration is not written out
    none = {"bead_with_friction", "slider_crank_3d_friction"}
    assert (check_forms(name) > 0) == (name not in none)


def value(step: Step, *steps: Step) -> tuple[Any, Any]:
    """Return the matrix of a step, written out and by its program, where ranks are found."""
    equations = program(*steps, step)
    line = straight_line(equations, (step.name,), at=AT)[step.name]
    found = numbers(line, AT, 1)[0]
    return found, run(equations, AT).at(step.name, 0)


def null(*indices: int) -> Step:
    return Step(name="z", op="nullspace", args=("B",), indices=indices or None)


def test_a_null_space_has_the_columns_that_are_wanted() -> None:
    rows = matrix("B", (X, Y, A), (ONE, X, B))
    for k in range(3):
        found, true = value(null(k), rows)
        assert found == pytest.approx(true, rel=1e-12), k
        assert found[k, 0] == 1.0


def test_a_null_space_is_as_wide_as_the_rank_leaves_it() -> None:
    twice = tuple(mul(number(2), x) for x in (X, Y, A))
    found, true = value(null(), matrix("B", (X, Y, A), twice))
    assert found.shape == true.shape == (3, 2)
    assert np.abs(np.array([[0.7, 2.0, 0.9]]) @ found).max() < 1e-15
    assert np.linalg.matrix_rank(found) == 2


def parallel_cranks(angle: Node) -> list[tuple[Node, ...]]:
    """Return the rows of two pins between a coupler and its cranks; rank 3, but 2 if sin = 0."""
    s, c = function("sin", angle), function("cos", angle)
    return [
        row
        for k in (1, 2)
        for row in (
            (neg(s), *(s if j == k else ZERO for j in (1, 2)), ZERO),
            (neg(add(c, number(k))), *(c if j == k else ZERO for j in (1, 2)), number(-k)),
        )
    ]


ALSO: Final = [{**AT, X: x} for x in (0.0, 0.5, 1.1, 1.5, 1.9)]  # singular at the first one


def test_rows_are_kept_that_are_independent_at_all_states() -> None:
    rows = matrix("B", *parallel_cranks(X))
    line = straight_line(program(rows, null()), ("z",), at=AT, also=ALSO)["z"]
    for x in (0.3, np.pi / 2, 2.5):
        here = {**AT, X: x}
        found = numbers(line, here, 1)[0]
        true: Any = run(program(rows, null()), here).at("z", 0)
        # the same direction, although cos x = 0 at the second state
        assert found / found[0, 0] == pytest.approx(true / true[0, 0], abs=1e-14)


def test_blocks_of_a_symmetric_matrix_are_regular_at_all_states() -> None:
    B = parallel_cranks(X)
    K = [tuple(add(*map(mul, a, b)) for b in B) for a in B]  # B B^T
    right = column("k", *(add(*map(mul, a, (X, Y, A, C))) for a in B))  # consistent
    equations = program(matrix("K", *K), right, squares(0))
    line = straight_line(equations, ("z",), at=AT, also=ALSO)["z"]
    for x in (0.3, np.pi / 2, 2.5):
        here = {**AT, X: x}
        z = numbers(line, here, 1)[0]
        entries = np.array([evaluate(row, here) for row in B], dtype=float)
        true = entries @ evaluate([X, Y, A, C], here)
        assert entries @ entries.T @ z[:, 0] == pytest.approx(true, abs=1e-13)


def test_columns_that_the_rank_does_not_allow_are_replaced() -> None:
    # y alone cannot be independent: the second row says that it is zero
    found, true = value(null(1), matrix("B", (X, Y, A), (ZERO, Y, ZERO)))
    assert found.shape == true.shape == (3, 1)
    assert found[1, 0] == 0.0
    assert found[0, 0] / found[2, 0] == pytest.approx(-0.9 / 0.7, rel=1e-15)


def test_more_columns_than_the_rank_leaves_free_are_not_taken() -> None:
    found, true = value(null(0, 1), matrix("B", (X, Y, A), (ONE, X, B)))
    assert found.shape == true.shape == (3, 1)
    assert np.abs(np.array([[0.7, 2.0, 0.9], [1.0, 0.7, -1.2]]) @ found).max() < 1e-14


def test_what_is_zero_at_all_states_constrains_nothing() -> None:
    assert 0.0 < abs(evaluate([HIDDEN], AT)[0]) < 1e-15
    line = straight_line(program(matrix("B", (HIDDEN, ZERO)), null()), ("z",), at=AT)["z"]
    assert line == [[ONE, ZERO], [ZERO, ONE]]


def test_later_steps_fit_the_width() -> None:
    step = Step(name="P", op="product", args=("z", "zt"))
    turned = Step(name="zt", op="transpose", args=("z",))
    equations = program(
        matrix("B", (X, Y, A)), null(), turned, step, Step(name="G", op="block", grid=(("z", "P"),))
    )
    [first, *_] = straight_line(equations, ("G",), at=AT)["G"]
    assert len(first) == 5


@pytest.mark.parametrize(
    "rows",
    [
        [(X, Y, A), (ONE, X, B)],  # independent rows
        [(X, ONE), (Y, X), (A, B)],  # independent columns
        [(X, ONE), (ONE, Y)],  # regular
        [(X, Y, A), (ZERO, ZERO, ZERO), (ONE, X, B)],  # a row of zeros
        [(X, ZERO), (Y, ZERO), (A, ZERO)],  # a column of zeros
        [(X, Y, A), (mul(X, B), mul(Y, B), mul(A, B))],  # rows that depend on each other
        [(X, Y, add(X, Y)), (A, B, add(A, B)), (add(X, A), add(Y, B), add(X, Y, A, B))],
        [(HIDDEN, X), (HIDDEN, Y)],
    ],
)
def test_an_inverse_is_that_of_moore_and_penrose(rows: list[tuple[Node, ...]]) -> None:
    step = Step(name="z", op="pinv", args=("B",))
    line = straight_line(program(matrix("B", *rows), step), ("z",), at=AT)["z"]
    entries = np.array([evaluate(row, AT) for row in rows], dtype=float)
    true = np.linalg.pinv(np.where(np.abs(entries) < 1e-15, 0.0, entries), rcond=1e-12)
    assert numbers(line, AT, 1)[0] == pytest.approx(true, rel=1e-12, abs=1e-14)


def squares(unique: int | None) -> Step:
    return Step(name="z", op="solve", args=("K", "k"), kind="least_squares", unique=unique)


def test_rows_that_say_nothing_new_are_dropped() -> None:
    K = matrix("K", (X, Y), (ZERO, ZERO), (mul(A, X), mul(A, Y)), (ONE, B))
    k = column("k", C, ZERO, mul(A, C), ONE)
    found, true = value(squares(2), K, k)
    assert found == pytest.approx(true, rel=1e-12)
    # the last two rows are left: a x, a y, a c; r = 1/b, f = a y r; z1 = (a c - f)/(a x - f),
    # z2 = (1 - z1) r
    counts = cost(program(K, k, squares(2)), ("z",), baked=False, at=AT)
    assert counts == Counts(add=3, mul=5, div=2, function=0)


def test_multipliers_that_are_not_unique_may_be_zero() -> None:
    # one constraint, said twice
    K = matrix("K", (A, ZERO, X, X), (ZERO, C, Y, Y), (X, Y, ZERO, ZERO), (X, Y, ZERO, ZERO))
    found, true = value(squares(2), K, column("k", ONE, B, X, X))
    assert found[:2] == pytest.approx(true[:2], rel=1e-12)
    assert found[2] + found[3] == pytest.approx(true[2] + true[3], rel=1e-12)
    assert 0.0 in found[2:]
    once = matrix("K", (A, ZERO, X), (ZERO, C, Y), (X, Y, ZERO))
    alone = cost(program(once, column("k", ONE, B, X), squares(3)), ("z",), at=AT)
    assert cost(program(K, column("k", ONE, B, X, X), squares(2)), ("z",), at=AT) == alone


def test_where_nothing_need_be_unique_the_smallest_is_found() -> None:
    found, true = value(squares(None), matrix("K", (X, Y, A)), column("k", B))
    assert found == pytest.approx(true, rel=1e-12)


def test_an_unknown_that_must_be_unique_and_is_not_is_refused() -> None:
    equations = program(matrix("K", (X, Y), (X, Y)), column("k", A, A), squares(1))
    with pytest.raises(EquationsError, match=r"'z' .*must be unique is not"):
        straight_line(equations, ("z",), at=AT)


@pytest.mark.parametrize("kind", ["general", "symmetric", "least_squares"])
def test_a_pivot_that_vanishes_at_all_states_is_not_divided_by(kind: Any) -> None:
    K = matrix("K", (A, X), (X, HIDDEN))
    solve = replace(squares(2), kind=kind)
    found, true = value(solve, K, column("k", ONE, B))
    assert found == pytest.approx(true, rel=1e-12)


def test_an_inertia_that_is_singular_beside_its_constraints_is_no_obstacle() -> None:
    # M = v v^T has rank one, though no entry of its elimination is zero by its expression
    v = (X, Y)
    M = [[mul(a, b) for b in v] for a in v]
    K = matrix("K", (*M[0], A), (*M[1], B), (A, B, ZERO))
    found, true = value(squares(3), K, column("k", ONE, C, Y))
    assert found == pytest.approx(true, rel=1e-12)


def test_a_singular_matrix_is_refused() -> None:
    equations = program(
        matrix("K", (X, Y), (mul(X, A), mul(Y, A))),
        column("k", ONE, A),
        replace(squares(None), kind="general"),
    )
    with pytest.raises(EquationsError, match=r"'z' \(solve\) .*the matrix is singular"):
        straight_line(equations, ("z",), at=AT)


def test_roots_and_iterations_are_still_refused() -> None:
    root = Step(name="z", op="sqrtm", args=("K",))
    with pytest.raises(EquationsError, match="a root of a matrix"):
        straight_line(program(matrix("K", (X,)), root), ("z",), at=AT)
    with pytest.raises(EquationsError, match="found by iteration"):
        straight_line(friction(0.3, (1.0, 0.0), (1.0, 0.0)), ("N",), at={})


def test_a_symbol_without_a_value_is_named() -> None:
    equations = program(matrix("B", (X, symbol("lost"))), null())
    with pytest.raises(EquationsError, match="'lost' has no value at the state"):
        straight_line(equations, ("z",), at=AT)


def test_symmetry_that_is_seen_is_still_used() -> None:
    rows = [tuple(symbol(f"m{max(i, j)}{min(i, j)}") for j in range(3)) for i in range(3)]
    at = {rows[i][j]: 1.0 + i * j + (i == j) for i in range(3) for j in range(i + 1)}
    solve = Step(name="x", op="solve", args=("M", "h"), kind="least_squares", unique=3)
    equations = program(matrix("M", *rows), column("h", A, B, neg(C)), solve)
    # as a symmetric solution costs without a state
    assert cost(equations, ("x",), at=at | AT) == Counts(add=10, mul=15, div=3, function=0)
