from __future__ import annotations

import json
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mbx.base.errors import EquationsError
from mbx.expr.build import add, choose, function, less, mul, power, scale, sub
from mbx.expr.nodes import number
from mbx.formalism.json.nodes_json import read_nodes, write_nodes
from mbx.formalism.json.serial import from_json, schema, to_json
from mbx.numerics.execute.execute import run
from unit.formalism.programs import T, X, Y, column, friction, pendulum, program

EXPRESSIONS = [
    number(Fraction(1, 3)),
    number(0.1),
    scale(Fraction(-2, 7), X),
    scale(2.5, Y),
    add(X, scale(3, Y), number(4)),
    add(mul(X, Y), number(1e-300)),
    power(add(X, Y), Fraction(1, 2)),
    power(X, -2),
    power(X, 0.3),
    function("atan2", X, number(2)),
    function("sin", mul(X, T)),
    choose(less(X, number(0)), Y, number(3)),
]


def through_text(data: Any) -> Any:
    return json.loads(json.dumps(data))


@pytest.mark.parametrize("node", EXPRESSIONS, ids=str)
def test_an_expression_comes_back_as_the_same_node(node: Any) -> None:
    table, places = write_nodes([node])
    assert read_nodes(through_text(table))[places[node]] is node


def test_the_order_of_terms_and_factors_is_that_of_the_reader() -> None:
    rows = [["symbol", "y"], ["symbol", "x"]]
    assert read_nodes([*rows, ["add", 0, 1, "0"]])[2] is add(X, Y)
    assert read_nodes([*rows, ["add", 1, 0, "0"]])[2] is add(X, Y)
    assert read_nodes([*rows, ["product", 0, 1]])[2] is mul(X, Y)
    assert read_nodes([*rows, ["product", 1, 0]])[2] is mul(X, Y)


def test_a_table_holds_what_is_shared_once() -> None:
    node = X
    for _ in range(200):
        node = sub(mul(node, node), function("sin", node))
    table, _ = write_nodes([node])
    assert len(table) < 1000
    assert read_nodes(table)[-1] is node


@pytest.mark.parametrize("equations", [pendulum(), friction(0.3, (1.0, 2.0), (0.5, 0.1))])
def test_saved_equations_are_the_same_equations(equations: Any) -> None:
    data = through_text(to_json(equations))
    Draft202012Validator(schema()).validate(data)
    assert from_json(data) == equations


def test_saved_equations_give_the_same_numbers() -> None:
    again = from_json(through_text(to_json(pendulum())))
    state = {"theta": [0.1, 2.0], "theta'": 0.3}
    found, expected = again.evaluate(state, {"g": 9.81}), pendulum().evaluate(state, {"g": 9.81})
    assert (found.ud == expected.ud).all()
    assert (found.reactions["pin"] == expected.reactions["pin"]).all()


def test_numbers_are_exact_or_shortest() -> None:
    data = to_json(program(column("a", *EXPRESSIONS)))
    rows = [row for row in data["nodes"] if row[0] == "number"]
    assert ["number", "1/3"] in rows
    assert ["number", "0.1"] in rows


SOUND = through_text(to_json(pendulum()))


def broken(path: str, value: Any) -> Any:
    data = deepcopy(SOUND)
    *parents, last = path.split("/")
    at = data
    for key in parents:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[int(last) if isinstance(at, list) else last] = value
    return data


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([], "valid dictionary"),
        ({}, "/mbx_equations: Field required"),
        (broken("mbx_equations", 2), "/mbx_equations: Input should be 1"),
        (broken("strange", 1), "/strange: Extra inputs"),
        (broken("steps/0/op", "system"), "/steps/0/op"),
        (broken("steps/0/name", "import os"), "/steps/0/name"),
        (broken("steps/0/entries", [[10**5]]), "names a node that is not in the table"),
        (broken("steps/0/entries", [[True]]), "/steps/0/entries/0/0"),
        (broken("steps/0/entries", [[-1]]), "/steps/0/entries/0/0"),
        (broken("steps/0/size", [10**9, 1]), "/steps/0/size/0"),
        (broken("steps/2/args", ["M", "zz"]), "step 'a' uses 'zz'"),
        (broken("steps/2/args", ["M", "R"]), "step 'a' uses 'R'"),
        (broken("steps/0/entries", [[0, 0]]), "1 does not fit 2"),
        (broken("steps/0/symbols", [SOUND["steps"][0]["entries"][0][0]]), "that is no symbol"),
        (broken("results/ud", "zz"), "result 'ud' is 'zz'"),
        (broken("signature/t", 10**5), "not in the table"),
        (broken("signature/parameters/0/symbol", SOUND["steps"][0]["entries"][0][0]), "no symbol"),
        (broken("title", "x" * 10_001), "/title"),
    ],
)
def test_data_that_are_no_equations_are_refused(data: Any, said: str) -> None:
    with pytest.raises(EquationsError, match=said):
        from_json(data)


TABLE = [["symbol", "x"], ["number", "2"], ["number", "3"]]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (["eval", "1"], "there is no operation 'eval'"),
        ([0, "1"], "there is no operation 0"),
        (["function", 0, "system"], "no such function"),
        (["function", 0, "atan2"], "no such function"),
        (["function", 0, 0, "sin"], "no such function"),
        (["function", 1, "exp"], "an operation on constants"),
        (["add", 1, 2, "0"], "an operation on constants"),
        (["product", 0, 1], "an operation on constants"),
        (["scale", 1, "7"], "an operation on constants"),
        (["power", 1, "1000"], "an operation on constants"),
        (["less", 1, 2], "an operation on constants"),
        (["choose", 1, 0, 0], "an operation on constants"),
        (["power", 0, "1001"], "its exponent is too large"),
        (["power", 0, "1e300"], "its exponent is too large"),
        (["scale", 0, "1e999"], "is no number"),
        (["number", "nan"], "is no number"),
        (["number", "1/0"], "a denominator is zero"),
        (["number", "9" * 401], "is no number"),
        (["number", "٣"], "is no number"),
        (["scale", 3, "2"], "no nodes before it"),
        (["scale", -1, "2"], "no nodes before it"),
        (["product", 0, 0, 0], "their number is wrong"),
        (["scale", 0, 0], "its value is no text"),
        (["symbol", ""], "a symbol needs a name"),
    ],
)
def test_a_row_that_is_no_node_is_refused(row: Any, said: str) -> None:
    with pytest.raises(EquationsError, match=f"node 3: .*{said}"):
        read_nodes([*TABLE, row])


def test_deep_towers_of_powers_cost_nothing() -> None:
    table: list[list[Any]] = [["symbol", "x"]]
    table += [["power", k, "1000"] for k in range(1000)]
    top = read_nodes(table)[-1]
    assert run(program(column("a", top)), {X: 2.0}).status.tolist() == ["not finite"]
