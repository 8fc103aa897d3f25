from __future__ import annotations

from dataclasses import replace
from math import sin
from typing import Any

import numpy as np
import pytest

from mbx.base.errors import EquationsError
from mbx.expr.build import divide, mul, scale
from mbx.expr.nodes import number, symbol
from mbx.formalism.equations import Quantity
from mbx.formalism.program import Step
from unit.formalism.programs import GRAVITY, LENGTH, RATE, T, X, Y, column, pendulum, program

STATE = {"theta": 0.3, "theta'": 2.0}


def test_one_state_gives_plain_arrays() -> None:
    found = pendulum().evaluate(STATE, {"g": 10})
    assert found.status == "regular"
    assert found.ud == pytest.approx([-5 * sin(0.3)])
    assert found.qd.tolist() == [2]
    assert found["M"].tolist() == [[0.5 * 4]]
    assert found["v"].tolist() == [2]
    assert found.reactions["pin"].tolist() == [0, 5, 0, 0, 0, 1]


def test_arrays_are_many_states() -> None:
    found = pendulum().evaluate({"theta": [0.3, 0.4], "theta'": 0.0}, {"g": 10})
    assert found.status.tolist() == ["regular", "regular"]
    assert found.ud == pytest.approx(-5 * np.sin([[0.3], [0.4]]))
    assert found.M.shape == (2, 1, 1)
    assert found.reactions["pin"].shape == (2, 6)


def test_a_parameter_follows_those_it_is_made_of() -> None:
    assert pendulum().evaluate(STATE, {"g": 1})["M"].tolist() == [[2]]
    assert pendulum().evaluate(STATE, {"g": 1, "l": 4})["M"].tolist() == [[16]]
    assert pendulum().evaluate(STATE, {"g": 1, "l": 4, "m": 3})["M"].tolist() == [[48]]


def test_parameters_may_differ_between_states() -> None:
    found = pendulum().evaluate(STATE, {"g": [1.0, 2.0]})
    assert found.ud == pytest.approx(np.array([[-0.5 * sin(0.3)], [-1 * sin(0.3)]]))


@pytest.mark.parametrize(
    ("state", "parameters", "inputs", "said"),
    [
        ({"theta": 0.3}, {"g": 1}, {}, r"no value for state theta'$"),
        (STATE, {}, {}, "no value for parameter g"),
        ({**STATE, "thata": 1}, {"g": 1}, {}, "no state 'thata'; did you mean 'theta'?"),
        (STATE, {"g": 1, "zz": 1}, {}, "there is no parameter 'zz'$"),
        (STATE, {"g": 1}, {"F": 1}, "there is no input 'F'"),
        ({**STATE, "theta": "up"}, {"g": 1}, {}, "'theta' has no number as its value"),
        ({**STATE, "theta": [[1.0]]}, {"g": 1}, {}, "'theta' has more than one number"),
        ({"theta": [1, 2], "theta'": [1, 2, 3]}, {"g": 1}, {}, "one number for each state"),
    ],
)
def test_an_error_names_what_is_wrong(state: Any, parameters: Any, inputs: Any, said: str) -> None:
    with pytest.raises(EquationsError, match=said):
        pendulum().evaluate(state, parameters, inputs)


def test_a_state_has_no_value_of_its_own() -> None:
    equations = pendulum()
    (theta,) = equations.signature.q
    signature = replace(equations.signature, q=(replace(theta, value=number(1)),))
    with pytest.raises(EquationsError, match=r"no value for state theta$"):
        replace(equations, signature=signature).evaluate({"theta'": 0.0}, {"g": 1})


def test_inputs_and_derived_rates_have_values_of_their_own() -> None:
    force, rate = symbol("F"), symbol("r'")
    equations = pendulum()
    signature = replace(
        equations.signature,
        inputs=(Quantity(symbol=force, path="F", unit="N", value=mul(GRAVITY, T)),),
        derived=(
            Quantity(symbol=rate, path="r'", unit="m/s", value=mul(LENGTH, mul(RATE, force))),
        ),
    )
    equations = replace(
        equations, signature=signature, steps=(column("v", rate),), results={"v": "v"}
    )
    assert equations.evaluate(STATE, {"g": 10}, t=0.5).v.tolist() == [2 * 2 * 5]
    assert equations.evaluate(STATE, {"g": 10}, {"F": 3}).v.tolist() == [2 * 2 * 3]


def test_a_value_made_of_what_is_not_there_is_an_error() -> None:
    signature = replace(
        pendulum().signature,
        parameters=(Quantity(symbol=LENGTH, path="l", unit="m", value=scale(2, GRAVITY)),),
    )
    with pytest.raises(EquationsError, match="'l' is made of what has no value"):
        replace(pendulum(), signature=signature).evaluate(STATE)


@pytest.mark.parametrize("value", [divide(number(1), Y), mul(number(10**400), Y)])
def test_a_value_that_is_no_number_ends_in_a_status(value: Any) -> None:
    equations = program(column("a", X))
    signature = replace(
        equations.signature,
        q=(Quantity(symbol=Y, path="y", unit="m"),),
        parameters=(),
        derived=(Quantity(symbol=X, path="x", unit="m", value=value),),
    )
    found = replace(equations, signature=signature, results={"a": "a"}).evaluate({"y": 0.0})
    assert found.status == "not finite"
    assert np.isnan(found.a).all()


def test_what_a_form_does_not_have_is_said() -> None:
    found = pendulum().evaluate(STATE, {"g": 1})
    with pytest.raises(AttributeError, match="example has no result 'Fc', only ud, qd, M"):
        _ = found.Fc
    with pytest.raises(KeyError, match="Fc"):
        _ = found["Fc"]


def test_matrices_that_differ_in_shape_are_a_list() -> None:
    equations = program(
        Step(name="B", op="define", entries=((X, Y),)),
        Step(name="C", op="nullspace", args=("B",)),
        results={"C": "C"},
    )
    shapes = [one.shape for one in equations.evaluate({"x": [0, 1], "y": 0.0})["C"]]
    assert shapes == [(2, 2), (2, 1)]


def test_mass_matrix_and_forcing_are_expressions_where_the_form_has_them() -> None:
    equations = pendulum()
    assert str(equations.mass_matrix) == "M = [m*l^2]"
    assert equations.forcing[0].text == "-m*g*l*sin(theta)"
    with pytest.raises(AttributeError, match=r"example has no mass_matrix: .* M as expressions"):
        _ = program().mass_matrix
    with pytest.raises(AttributeError, match=r"has no forcing: it does not write h as .* nothing;"):
        _ = replace(equations, results={"h": "a"}).forcing


def test_a_form_without_a_mass_matrix_says_what_it_has() -> None:
    equations = replace(pendulum(), results={"ud": "a", "M": "M"})
    with pytest.raises(AttributeError) as bad:
        _ = equations.forcing
    assert str(bad.value) == (
        "example has no forcing: it does not write h as expressions, only M; "
        "evaluate(state) gives numbers of ud, M"
    )
    assert not hasattr(equations, "forcing")


def test_a_step_that_is_not_there_has_no_name() -> None:
    equations = pendulum()
    with pytest.raises(KeyError):
        equations.step("q")
