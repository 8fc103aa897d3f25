"""Labelled matrices: alignment by labels, and what Orsino's thesis does with them."""

from __future__ import annotations

from math import asin, cos, hypot, sin
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pytest

from mbx.base.errors import EquationsError
from mbx.numerics.labelled_matrix import LabelledMatrix, assemble, beside, stack

if TYPE_CHECKING:
    from collections.abc import Callable

X: Final = LabelledMatrix(np.array([[1, 2], [3, 4]]), ("a", "b"), ("p", "q"))
Y: Final = LabelledMatrix(np.array([[10, 20]]), ("b",), ("r", "p"))
Z: Final = LabelledMatrix(np.array([[5.0], [6.0]]), ("c", "a"), ("q",))


# -- sums, by hand from Definition 2.9 -----------------------------------------------------------


def test_a_sum_has_the_labels_of_both_and_zeros_elsewhere() -> None:
    found = X + Y
    assert (found.rows, found.columns) == (("a", "b"), ("p", "q", "r"))
    assert found.array.tolist() == [[1, 2, 0], [23, 4, 10]]
    assert (X - Y).array.tolist() == [[1, 2, 0], [-17, 4, -10]]


def test_assembly_is_commutative_and_associative() -> None:
    whole = assemble(X, Y, Z)
    assert whole.is_close(assemble(Z, Y, X))
    assert whole.is_close(assemble(X, assemble(Y, Z)))
    assert whole.is_close(assemble(assemble(X, Y), Z))
    assert whole["a", "q"] == 8
    assert whole["c", "r"] == 0


def test_stacked_matrices_have_rows_of_their_own() -> None:
    below = LabelledMatrix(np.array([[7, 8]]), ("c",), ("q", "p"))
    assert stack(X, below).array.tolist() == [[1, 2], [3, 4], [8, 7]]
    assert beside(X, below.T).shape == (4, 3)
    with pytest.raises(EquationsError, match="two matrices have a row 'a'"):
        stack(X, Z)
    with pytest.raises(EquationsError, match="two matrices have a column 'p'"):
        beside(X, Y)
    with pytest.raises(EquationsError, match="no matrix"):
        stack()


# -- products ------------------------------------------------------------------------------------


def test_a_product_aligns_labels_in_any_order() -> None:
    right = LabelledMatrix(np.array([[1], [10]]), ("q", "p"), ("1",))
    assert (X @ right).array.tolist() == [[12], [34]]
    assert (X @ right).rows == ("a", "b")
    assert (right.T @ X.T).is_close((X @ right).T)


def test_labels_that_one_of_two_factors_lacks_are_zero_there() -> None:
    more = LabelledMatrix(np.array([[1], [10], [100]]), ("q", "z", "p"), ("1",))
    assert (X @ more).array.tolist() == [[102], [304]]
    fewer = LabelledMatrix(np.array([[10]]), ("q",), ("1",))
    assert (X @ fewer).array.tolist() == [[20], [40]]


def test_factors_with_labels_of_their_own_are_refused() -> None:
    odd = LabelledMatrix(np.array([[1], [10]]), ("q", "P"), ("1",))
    with pytest.raises(EquationsError, match="not 'p'"):
        X @ odd


def test_numbers_scale_and_arrays_do_not_mix() -> None:
    assert (2 * X).array.tolist() == (X * np.float64(2)).array.tolist() == [[2, 4], [6, 8]]
    assert (X / 2).array.tolist() == [[0.5, 1], [1.5, 2]]
    assert (-X).is_close(X * -1)
    operations: list[Callable[[Any], Any]] = [
        lambda a: X + a,
        lambda a: X - a,
        lambda a: X * a,
        lambda a: X / a,
        lambda a: X @ a,
        lambda a: a @ X,
        lambda a: a + X,
    ]
    for operation in operations:
        with pytest.raises(TypeError):
            operation(np.eye(2))
    assert np.asarray(X).tolist() == X.array.tolist()


# -- parts ---------------------------------------------------------------------------------------


def test_parts_are_selected_by_labels() -> None:
    assert X["b", "p"] == 3
    assert X[["b", "a"], "q"].array.tolist() == [[4], [2]]
    assert X["a", :].array.tolist() == [[1, 2]]
    assert X.part(columns=("q",)).columns == ("q",)
    assert X.extended(rows=("b", "z")).array.tolist() == [[3, 4], [0, 0]]
    with pytest.raises(EquationsError, match="there is no row 'A'"):
        X["A", "p"]
    with pytest.raises(EquationsError, match="no column 'theta'; did you mean 'theta\\''"):
        LabelledMatrix.identity(["theta'"]).part(columns=["theta"])
    with pytest.raises(EquationsError, match="that of rows and that of columns"):
        X["a"]


@pytest.mark.parametrize(
    ("array", "rows", "columns", "message"),
    [
        ([1, 2], "ab", "p", "not 1 axes"),
        ([[1, 2]], ("a",), ("p",), "2 columns and 1 labels"),
        ([[1, 2]], ("a", "b"), ("p", "q"), "1 rows and 2 labels"),
        ([[1, 2]], ("a",), ("p", "p"), "two columns have the label 'p'"),
        ([[1, 2]], ("a",), "pq", "a sequence of texts, not 'pq'"),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    array: Any, rows: Any, columns: Any, message: str
) -> None:
    with pytest.raises(EquationsError, match=message):
        LabelledMatrix(np.array(array), rows, columns)


def test_a_matrix_is_not_changed_from_outside() -> None:
    numbers = np.eye(2)
    kept = LabelledMatrix(numbers, ("a", "b"), ("p", "q"))
    numbers[0, 0] = 7
    assert kept["a", "p"] == 1
    with pytest.raises(ValueError, match="read-only"):
        kept.array[0, 0] = 7


def test_a_matrix_is_shown_with_its_labels() -> None:
    assert str(X / 3) == "          p         q\na  0.333333  0.666667\nb         1   1.33333"
    assert repr(X) == "<LabelledMatrix 2 by 2: a, b by p, q>"
    assert LabelledMatrix.column({"x": 1.5, "y": 2}).array.tolist() == [[1.5], [2]]
    assert (LabelledMatrix.identity(("q", "p")) @ X.T).is_close(X.T)


def test_matrices_are_close_whatever_the_order_of_labels() -> None:
    turned = X.part(("b", "a"), ("q", "p"))
    assert X.is_close(turned)
    assert not X.is_close(turned * (1 + 1e-9))
    assert not X.is_close(X + Y)


# -- equations -----------------------------------------------------------------------------------


def test_a_solution_has_the_labels_of_the_unknowns() -> None:
    right = LabelledMatrix.column({"b": 11.0, "a": 5.0})
    found = X.solve(right)
    assert found.rows == ("p", "q")
    assert (X @ found).is_close(right)
    assert X.solve(LabelledMatrix.column({"b": 2.0}))["p", "1"] == pytest.approx(2.0)


def test_equations_without_a_unique_solution_are_refused() -> None:
    both = stack(X, LabelledMatrix(np.array([[4, 6]]), ("sum",), ("p", "q")))
    right = LabelledMatrix.column({"a": 1.0, "b": 2.0, "sum": 3.0})
    assert (both @ both.solve(right)).is_close(right)
    with pytest.raises(EquationsError, match="inconsistent"):
        both.solve(LabelledMatrix.column({"a": 1.0, "b": 2.0, "sum": 4.0}))
    alone = LabelledMatrix(np.array([[3, 4]]), ("a",), ("p", "q"))
    with pytest.raises(EquationsError, match="singular"):
        alone.solve(LabelledMatrix.column({"a": 25.0}))
    least = alone.solve(LabelledMatrix.column({"a": 25.0}), nearest=True)
    assert least.array[:, 0] == pytest.approx([3, 4])
    with pytest.raises(EquationsError, match="a row 'c', and the matrix has none"):
        X.solve(LabelledMatrix.column({"c": 1.0}))


def test_an_orthonormal_null_space_has_numbered_columns() -> None:
    A = LabelledMatrix(np.array([[2.0, 1, 2], [4, 2, 4]]), ("one", "two"), ("x", "y", "z"))
    C = A.null_space()
    assert A.rank() == 1
    assert C.rows == A.columns
    assert C.columns == ("~1", "~2")
    assert np.abs((A @ C).array).max() < 1e-14
    assert (C.T @ C).array == pytest.approx(np.eye(2))
    with pytest.raises(EquationsError, match="x are not independent columns that fix all others"):
        A.null_space(["x"])


# -- Orsino's thesis -----------------------------------------------------------------------------


def test_the_complement_of_a_loop_of_two_rods() -> None:
    """Example 2.4 (a), with the sign of the dependent rows that A S = 0 needs."""
    l1, l2, x1, z1 = 0.7, 1.1, 0.4, 0.3
    y1 = (l1**2 - x1**2 - z1**2) ** 0.5
    x2 = x1 + (l2**2 - y1**2 - z1**2) ** 0.5  # the slider is on the axis x
    th = np.arccos((x2**2 - l1**2 - l2**2) / (2 * l1 * l2))
    names = ("x1'", "y1'", "z1'", "x2'", "y2'", "z2'", "th'")
    A = LabelledMatrix(
        np.array(
            [
                [2 * x1, 2 * y1, 2 * z1, 0, 0, 0, 0],
                [2 * (x1 - x2), 2 * y1, 2 * z1, 2 * (x2 - x1), -2 * y1, -2 * z1, 0],
                [0, 0, 0, 0, 1, 0, 0],
                [0, 0, 0, 0, 0, 1, 0],
                [0, 0, 0, 2 * x2, 0, 0, 2 * l1 * l2 * sin(th)],
            ]
        ),
        ("crank", "rod", "y", "z", "angle"),
        names,
    )
    S = A.null_space(["z1'", "x2'"])
    assert S.columns == ("z1'", "x2'")
    expected = {
        "x1'": (0, 1 - x1 / x2),
        "y1'": (-z1 / y1, -x1 * (x2 - x1) / (y1 * x2)),
        "z1'": (1, 0),
        "x2'": (0, 1),
        "y2'": (0, 0),
        "z2'": (0, 0),
        "th'": (0, -x2 / (l1 * l2 * sin(th))),
    }
    for name, row in expected.items():
        assert [S[name, "z1'"], S[name, "x2'"]] == pytest.approx(row, rel=1e-12, abs=1e-14), name


def test_the_recursion_of_a_ring_and_a_disc() -> None:
    """Example 4.2: a disc of 8/67 of the mass stays at asin(3/5) in a ring, on a slope of 4/5."""
    m1, r1, r2, g, xi, th = 0.67, 1.0, 0.3, 9.8, asin(4 / 5), asin(3 / 5)
    m2 = m1 * 8 / 67
    c, s = cos(xi - th), sin(xi - th)

    def body(k: int, m: float, inertia: float) -> tuple[LabelledMatrix, LabelledMatrix]:
        names = (f"u{k}", f"v{k}", f"w{k}")
        force = dict(zip(names, (m * g * sin(xi), -m * g * cos(xi), 0.0), strict=True))
        mass = LabelledMatrix(np.diag([m, m, inertia]), names, names)
        return mass, LabelledMatrix.column(force)

    def row(name: str, **entries: float) -> LabelledMatrix:
        return LabelledMatrix(np.array([[*entries.values()]]), (name,), (*entries,))

    ring, disc = body(1, m1, m1 * r1**2), body(2, m2, m2 * r2**2 / 2)
    own = stack(row("roll", u1=1, w1=r1), row("ground", v1=1))
    S_ring = own.null_space(["w1"])  # what the ring leaves free, its label is that of w1
    R = assemble(S_ring, LabelledMatrix.identity(("u2", "v2", "w2", "th")))
    outer = stack(
        row("slip x", u1=1, u2=-1, w1=c * r1, w2=-c * r2),
        row("slip y", v1=1, v2=-1, w1=s * r1, w2=-s * r2),
        row("angle", u1=-1, u2=1, th=c * (r1 - r2)),
    )
    S = R @ (outer @ R).null_space(["th", "w2"])
    printed = {  # (f), corrected: columns th', w2
        "th": (1, 0),
        "u1": (r1 - r2, -r2),
        "v1": (0, 0),
        "w1": (r2 / r1 - 1, r2 / r1),
        "u2": (-(c - 1) * (r1 - r2), -r2),
        "v2": (-s * (r1 - r2), 0),
        "w2": (0, 1),
    }
    for name, values in printed.items():
        assert [S[name, "th"], S[name, "w2"]] == pytest.approx(values, rel=1e-12, abs=1e-14), name
    mass, force = assemble(ring[0], disc[0]), assemble(ring[1], disc[1])
    A = stack(own, outer)
    rates = stack(S.T @ mass, A).solve(S.T @ force)  # at rest, so that b = 0
    along = 2 * g * sin(th) / (2 * cos(th - xi) + 1)
    assert rates["th", "1"] == pytest.approx(0, abs=1e-12)
    assert [rates["u1", "1"], rates["u2", "1"]] == pytest.approx([along, along], rel=1e-12)
    assert rates["w1", "1"] == pytest.approx(-along / r1, rel=1e-12)
    assert hypot(rates["v1", "1"], rates["v2", "1"]) < 1e-12
