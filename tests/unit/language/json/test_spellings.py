"""JSON says nothing that text cannot: what is read has a text that means the same."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

import mbx


def model(*body: Any) -> dict[str, Any]:
    return {"mbx": 1, "items": [{"kind": "model", "name": "M", "body": list(body)}]}


def gravity(value: Any) -> dict[str, Any]:
    return model({"kind": "gravity", "value": value})


def parameter(**fields: Any) -> dict[str, Any]:
    return model({"kind": "param", "items": [{"name": "x", **fields}]})


def experiment(*body: Any) -> dict[str, Any]:
    made = {"kind": "experiment", "name": "e", "model": "M", "body": list(body)}
    return {"mbx": 1, "items": [made]}


EXPECTED: Final = {"kind": "expect_value", "quantity": "x", "value": "2", "within": "1"}

DOCUMENTS: Final[dict[str, dict[str, Any]]] = {
    "no unit before a unit": model(
        {"kind": "coordinate", "items": [{"name": "x"}, {"name": "y", "unit": "m"}]}
    ),
    "a name with an underscore": {"mbx": 1, "items": [{"kind": "model", "name": "_x"}]},
    "a long name": {"mbx": 1, "items": [{"kind": "model", "name": "x" * 65}]},
    "a key meta does not have": model({"kind": "meta", "items": [{"key": "foo", "value": "v"}]}),
    "no key of ext": model({"kind": "ext", "key": "", "value": {}}),
    "a time and a state": experiment({**EXPECTED, "time": "1", "state": "s"}),
    "the longest text": parameter(description="a" * 9_998),
    "a text that is too long": parameter(description="a" * 10_000),
    "a long text of quotes": parameter(description='"' * 6_000),
    "a long text of line ends": parameter(description="\n" * 6_000),
    "a blank line in the head": {"mbx": 1, "comments": ["a", "", "b"], "items": []},
    "a head alone": {"mbx": 1, "comments": ["a"]},
    "a head": {**model(), "comments": ["a", "", "b"]},
    "blanks behind a comment": {**model(), "closing": ["a  "]},
    "blank lines": {**model(), "closing": ["", "a", "", "", "b", ""]},
    "two models": {"mbx": 1, "items": [{"kind": "model", "name": n} for n in "AB"]},
    "a reserved word as a name": gravity(["Add", "not", "a"]),
    "a reserved word as a reference": model({"kind": "independent", "items": ["if"]}),
    "a reserved word as a function": gravity(["Apply", "if", "a"]),
    "a function's long name": gravity(["Apply", "a" * 65, "a"]),
    "a function's foreign name": gravity(["Apply", "é", "a"]),
    "a function's hidden name": gravity(["Apply", "_x", "a"]),
    "a sum of one": gravity(["Add", "a"]),
    "a product of one": gravity(["Multiply", "a"]),
    "a sum in a product": gravity(["Multiply", ["Add", "a", "b"], "c"]),
    "a negative in a power": gravity(["Power", ["Negate", "a"], 2]),
    "a comparison of comparisons": gravity(["Less", ["Less", "a", "b"], "c"]),
    "a condition in a sum": gravity(["Add", ["If", "a", "b", "c"], "d"]),
    "a material point alone": gravity(["Of", "a", "b"]),
    "a material point in a sum": gravity(["Apply", "f", ["Add", ["Of", "a", "b"], "c"]]),
    "a negative number": gravity(-5),
    "a large number": gravity(1e25),
    "a small number": gravity(1e-320),
    "a unit that is a keyword": gravity(["Quantity", "1", "if"]),
    "a unit before a keyword": model(
        {"kind": "force", "value": ["Quantity", "1", "on"], "on": "b"}
    ),
    "a unit with blanks": parameter(unit="m / s"),
    "a condition between": model(
        {
            "kind": "spring",
            "line": {"kind": "between", "first": "a and b", "second": "c"},
            "stiffness": "k",
        }
    ),
    "a row of names in a binding": model(
        {
            "kind": "subsystem",
            "items": [{"name": "U", "model": "B", "bindings": [{"name": "m[1..2]", "value": "3"}]}],
        }
    ),
    "a comment in an expression": gravity("a // b"),
    "a line end in an expression": gravity("a +\n b"),
}


@pytest.mark.parametrize("data", DOCUMENTS.values(), ids=DOCUMENTS)
def test_what_json_says_can_be_said_in_text(data: dict[str, Any]) -> None:
    try:
        document = mbx.loads(json.dumps(data), "json")
    except mbx.SourceError:
        return  # refused is as good
    again = mbx.loads(mbx.dumps(document), "mb")
    assert mbx.dumps(again, "json") == mbx.dumps(document, "json")
