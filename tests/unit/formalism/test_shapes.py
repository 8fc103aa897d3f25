from __future__ import annotations

from typing import Any

import pytest

from mbx.base.errors import EquationsError
from mbx.expr.nodes import ONE
from mbx.formalism.program import Residual, Step
from mbx.formalism.shapes import check, needs, shapes
from unit.formalism.programs import X, Y, column, matrix, own_residual, pendulum, program

A = matrix("A", (ONE, X, ONE), (ONE, ONE, ONE))
B = column("b", ONE, X)


def test_shapes_are_known_before_anything_is_run() -> None:
    found = shapes(
        [
            A,
            B,
            Step(name="C", op="nullspace", args=("A",)),
            Step(name="Ct", op="transpose", args=("C",)),
            Step(name="K", op="block", grid=(("A", "b"), (None, "b"))),
            Step(name="x", op="solve", args=("A", "b"), kind="least_squares"),
            Step(name="P", op="pinv", args=("A",)),
            Step(name="CA", op="product", args=("A", "C")),
        ]
    )
    assert found["C"] == (3, None)
    assert found["Ct"] == (None, 3)
    assert found["K"] == (4, 4)
    assert found["x"] == (3, 1)
    assert found["P"] == (3, 2)
    assert found["CA"] == (2, None)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (Step(name="A", op="identity", size=(2, 2)), "two steps are called 'A'"),
        (Step(name="z", op="absolute", args=("q",)), "uses 'q', which no step before it makes"),
        (Step(name="z", op="absolute"), "0 is a wrong number of arguments"),
        (Step(name="z", op="solve", args=("A",)), "1 is a wrong number"),
        (Step(name="z", op="product", args=("A", "b")), "3 does not fit 2"),
        (Step(name="z", op="sum", args=("A", "b")), "1 does not fit 3"),
        (Step(name="z", op="sum", args=("A",), signs=(1, 1)), "one sign for each argument"),
        (Step(name="z", op="solve", args=("A", "b"), kind="general"), "2 does not fit 3"),
        (Step(name="z", op="sqrtm", args=("A",)), "2 does not fit 3"),
        (Step(name="z", op="rows", args=("A",), indices=(2,)), "an index is outside of 2"),
        (Step(name="z", op="rows", args=("A",), indices=(-1,)), "an index is outside of 2"),
        (Step(name="z", op="nullspace", args=("A",), indices=(3,)), "an index is outside of 3"),
        (Step(name="z", op="nullspace", args=("A",), indices=(1, 1)), "an index stands twice"),
        (Step(name="z", op="given"), "it has no size"),
        (
            Step(name="z", op="define", args=("b",), symbols=(X,), entries=((X,),)),
            "1 symbols do not fit 2 entries",
        ),
        (
            Step(name="z", op="define", args=("b", "A"), symbols=(X, Y), entries=((X,),)),
            "2 symbols do not fit 8 entries",
        ),
        (Step(name="z", op="define", symbols=(X,), entries=((X,),)), "1 symbols do not fit 0"),
        (
            Step(name="z", op="define", args=("b",), symbols=(X, X), entries=((X,),)),
            "a symbol stands for two entries",
        ),
        (Step(name="z", op="given", size=(2, 1), entries=((X,),)), "not that of its entries"),
        (Step(name="z", op="define", entries=((X,), (X, X))), "2 does not fit 1"),
        (Step(name="z", op="block", grid=(("A",), ("b",))), "1 does not fit 3"),
        (Step(name="z", op="block", grid=(("A",), (None,))), "zero blocks has no size"),
        (Step(name="z", op="block", grid=(("A",), ())), "different lengths"),
    ],
)
def test_a_step_that_does_not_fit_is_named(step: Step, said: str) -> None:
    with pytest.raises(EquationsError, match=said):
        shapes([A, B, step])


def implicit(**more: Any) -> Step:
    inner = (Step(name="y", op="given", size=(2, 1)), Step(name="g", op="sum", args=("y", "b")))
    said: dict[str, Any] = {"steps": inner, "unknown": "y", "residual": "g", **more}
    return Step(name="z", op="implicit", **said)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"residual": "h"}, "do not make 'h'"),
        ({"unknown": "b"}, "do not make 'b'|uses 'b'"),
        ({"args": ("A",)}, "3 does not fit 1"),
        ({"residual": "A"}, "no columns of one length"),
        ({"steps": (implicit(),)}, "an implicit step inside another"),
    ],
)
def test_an_implicit_step_needs_an_unknown_and_a_residual(more: Any, said: str) -> None:
    assert shapes([A, B, implicit(args=("b",))])["z"] == (2, 1)
    with pytest.raises(EquationsError, match=said):
        shapes([A, B, implicit(**more)])


def test_what_an_implicit_step_needs_is_what_its_inner_steps_do_not_make() -> None:
    assert needs(implicit(args=("b",))) == {"b"}
    assert needs(Step(name="K", op="block", grid=(("A", None),))) == {"A"}


def test_results_and_residuals_name_steps() -> None:
    check(pendulum())
    with pytest.raises(EquationsError, match="result 'ud' is 'z'"):
        check(program(A, results={"ud": "z"}))
    residual = Residual(name="own", steps=(), value="A", magnitude="z")
    with pytest.raises(EquationsError, match="residual 'own' names 'z'"):
        check(program(A, residuals=(residual,)))
    with pytest.raises(EquationsError, match="step 'Ma' uses 'M'"):
        check(program(A, residuals=(own_residual(),)))
