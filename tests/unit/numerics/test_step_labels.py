"""Labels of all matrices of equations, and matrices with these labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import mbx
from mbx.base.errors import UnknownResultError
from mbx.numerics.labelled_matrix import stack

if TYPE_CHECKING:
    from mbx.numerics.execute.evaluate_equations import Evaluation

STATE = {"x": 0, "y": 0, "phi": 0.4, "u": 0.7, "v": 0, "w": 1.9}


def found(form: str, **more: object) -> Evaluation:
    return mbx.convert("lib:chaplygin_sleigh", form).evaluate({**STATE, **more})


def test_a_product_of_equations_is_that_of_their_labelled_matrices() -> None:
    one = found("kane")
    M, ud, h, A, b = (one.labelled(name) for name in ("M", "ud", "h", "A", "b"))
    assert M.rows == M.columns == ud.rows == ("u", "v", "w")
    assert A.rows == ("blade",)
    assert (A @ ud + b).is_close(b * 0, within=np.inf)
    assert np.abs((A @ ud + b).array).max() < 1e-14
    assert (M @ ud - h).is_close(one.labelled("Fc"))
    assert (A.T @ one.labelled("lam")).is_close(one.labelled("Fc"))


def test_labels_follow_from_what_a_matrix_is_made_of() -> None:
    one = found("maggi")
    C, K, qdd = one.labelled("C"), one.labelled("K"), one.labelled("qdd")
    assert (C.rows, C.columns) == (("x'", "y'", "phi'"), ("C.1", "C.2"))
    assert (K.rows, K.columns) == (("C.1", "C.2", "blade"), ("x'", "y'", "phi'"))
    assert qdd.rows == ("x'", "y'", "phi'")
    assert one.labelled("Cs").columns == ("blade",)
    assert stack(C.T @ one.labelled("M"), one.labelled("A")).is_close(K)


def test_a_column_on_its_own_has_one_label_in_all_forms() -> None:
    for form in ("kane", "modular", "udwadia_kalaba", "newton_euler", "lagrange"):
        ud = found(form).labelled("ud")
        assert (ud.rows, ud.columns) == (("u", "v", "w"), ("1",)), form
        assert found(form).labelled("qd").rows == ("x", "y", "phi")


def test_of_many_states_one_is_chosen() -> None:
    many = found("kane", w=np.array([1.9, 0.3]))
    assert many.labelled("ud", 1).array[:, 0] == pytest.approx(many.ud[1])
    assert many.labelled("ud", 0).array[:, 0] == pytest.approx(many.ud[0])


def test_a_matrix_that_is_not_there_is_refused() -> None:
    with pytest.raises(UnknownResultError, match="no result 'Q'"):
        found("kane").labelled("Q")


@pytest.mark.parametrize("form", ["gauss", "modular", "newton_euler", "udwadia_kalaba", "rfda"])
def test_every_matrix_has_a_label_for_each_row_and_column(form: str) -> None:
    one = found(form)
    for step in one.equations.steps:
        name = one.equations.results.get(step.name, step.name)  # a result comes before a step
        assert one.labelled(step.name).shape == one.outcome.at(name, 0).shape
