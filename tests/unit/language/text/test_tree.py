"""Precedence, trees, and texts of trees."""

from __future__ import annotations

from typing import Any

import pytest

from mbx.base.errors import SourceError
from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Expression,
    Group,
    Junction,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Sum,
    Vector,
    name,
)
from mbx.language.json.expression_arrays import HEADS, from_tree, to_tree
from mbx.language.text.expression_rules import parse_expression
from mbx.language.text.expression_text import show

A, B, C = name("a"), name("b"), name("c")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a + b*c", ["Add", "a", ["Multiply", "b", "c"]]),
        ("a - b - c", ["Add", "a", ["Subtract", "b"], ["Subtract", "c"]]),
        ("a - b + c", ["Add", "a", ["Subtract", "b"], "c"]),
        ("a/b/c", ["Multiply", "a", ["Divide", "b"], ["Divide", "c"]]),
        ("a/b*c", ["Multiply", "a", ["Divide", "b"], "c"]),
        ("-a^2", ["Negate", ["Power", "a", 2]]),
        ("(-a)^2", ["Power", ["Group", ["Negate", "a"]], 2]),
        ("a^-b", ["Power", "a", ["Negate", "b"]]),
        ("a^b^c", ["Power", "a", ["Power", "b", "c"]]),
        ("a^-b^c", ["Power", "a", ["Negate", ["Power", "b", "c"]]]),
        ("-a*b", ["Multiply", ["Negate", "a"], "b"]),
        ("a*-b", ["Multiply", "a", ["Negate", "b"]]),
        ("a - -b", ["Add", "a", ["Subtract", ["Negate", "b"]]]),
        ("--a", ["Negate", ["Negate", "a"]]),
        ("a < b + c", ["Less", "a", ["Add", "b", "c"]]),
        ("not a < b", ["Not", ["Less", "a", "b"]]),
        (
            "a < b or b < c and c < a",
            ["Or", ["Less", "a", "b"], ["And", ["Less", "b", "c"], ["Less", "c", "a"]]],
        ),
        ("not a < b and b < c", ["And", ["Not", ["Less", "a", "b"]], ["Less", "b", "c"]]),
        ("if a < b then a else b + c", ["If", ["Less", "a", "b"], "a", ["Add", "b", "c"]]),
        (
            "if a < b then a else if b < c then b else c",
            ["If", ["Less", "a", "b"], "a", ["If", ["Less", "b", "c"], "b", "c"]],
        ),
        ("x''^2", ["Power", "x''", 2]),
        ("2 kg*a", ["Multiply", ["Quantity", "2", "kg"], "a"]),
        ("2 [m/s]^2", ["Power", ["Quantity", "2", "m/s"], 2]),
        ("2.50", ["Number", "2.50"]),
        ("007", ["Number", "007"]),
        ("velocity(a of b)", ["Apply", "velocity", ["Of", "a", "b"]]),
        ("[a, b, c]", ["Vector", "a", "b", "c"]),
        ("u.v[i+1]'", "u.v[i + 1]'"),
    ],
)
def test_operators_bind_as_in_mathematics(text: str, tree: Any) -> None:
    assert to_tree(parse_expression(text)) == tree
    assert from_tree(tree) == parse_expression(text)


EXAMPLES: dict[str, Any] = {
    "Number": ["Number", "1.50"],
    "Quantity": ["Quantity", "9.81", "m/s^2"],
    "Add": ["Add", "a", 1],
    "Subtract": ["Add", "a", ["Subtract", "b"]],
    "Multiply": ["Multiply", "a", "b"],
    "Divide": ["Multiply", "a", ["Divide", "b"]],
    "Negate": ["Negate", "a"],
    "Power": ["Power", "a", 2],
    "Group": ["Group", ["Add", "a", "b"]],
    "Vector": ["Vector", "a", 0, 0],
    "Apply": ["Apply", "sin", "a"],
    "Of": ["Apply", "velocity", ["Of", "P", "B"]],
    "And": ["And", ["Less", "a", "b"], ["Less", "b", "c"]],
    "Or": ["Or", ["Less", "a", "b"], ["Less", "b", "c"]],
    "Not": ["Not", ["Less", "a", "b"]],
    "If": ["If", ["Less", "a", "b"], 1, 2],
    **{
        head: [head, "a", "b"]
        for head in ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual")
    },
}


def test_every_head_has_an_example() -> None:
    assert set(EXAMPLES) == set(HEADS)


@pytest.mark.parametrize("head", HEADS)
def test_a_tree_comes_back_from_its_expression_and_from_its_text(head: str) -> None:
    tree = EXAMPLES[head]
    node = from_tree(tree)
    assert to_tree(node) == tree
    assert to_tree(parse_expression(show(node))) == tree


@pytest.mark.parametrize(
    "tree",
    [
        [],
        [[]],
        None,
        {},
        True,
        ["Add"],
        ["Frobnicate", "a"],
        ["Number"],
        ["Number", 1],
        ["Number", "x"],
        ["Number", "-1"],
        ["Number", "1 kg"],
        ["Number", "1e999"],
        ["Quantity", "1"],
        ["Quantity", "1", 2],
        ["Subtract", "a"],
        ["Divide", "a"],
        ["Add", ["Subtract", "a"]],
        ["Add", "a", ["Subtract", "b", "c"]],
        ["Power", "a"],
        ["Negate", "a", "b"],
        ["Vector"],
        ["Apply", "sin"],
        ["Apply", "os.system", "a"],
        ["Apply", "a b", "c"],
        ["Of", "P", 2],
        ["And", "a"],
        ["Not"],
        ["If", "a", "b"],
        ["Less", "a", "b", "c"],
        float("nan"),
        float("inf"),
    ],
    ids=repr,
)
def test_a_malformed_tree_is_refused(tree: Any) -> None:
    with pytest.raises(SourceError) as caught:
        from_tree(tree)
    assert not caught.value.report.ok


def test_a_tree_with_a_text_that_is_no_path_is_refused() -> None:
    with pytest.raises(SourceError):
        from_tree(["Add", "a + b", "c"])


def test_a_tree_nested_too_deep_is_refused() -> None:
    tree: Any = "a"
    for _ in range(201):
        tree = ["Negate", tree]
    with pytest.raises(SourceError) as caught:
        from_tree(tree)
    assert caught.value.report.only("MBX5002")


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (Product((("*", Sum((("+", A), ("+", B)))), ("*", C))), "(a + b)*c"),
        (Sum((("+", A), ("-", Sum((("+", B), ("+", C)))))), "a - (b + c)"),
        (Sum((("+", Sum((("+", A), ("+", B)))), ("+", C))), "(a + b) + c"),
        (Product((("*", A), ("/", Product((("*", B), ("*", C)))))), "a/(b*c)"),
        (Power(Negative(A), Number("2")), "(-a)^2"),
        (Negative(Power(A, Number("2"))), "-a^2"),
        (Power(Power(A, B), C), "(a^b)^c"),
        (Power(A, Power(B, C)), "a^b^c"),
        (Power(A, Negative(B)), "a^-b"),
        (Power(A, Sum((("+", B), ("+", C)))), "a^(b + c)"),
        (Negative(Sum((("+", A), ("+", B)))), "-(a + b)"),
        (Negative(Product((("*", A), ("*", B)))), "-(a*b)"),
        (
            Not(Junction("and", (Comparison("<", A, B), Comparison("<", B, C)))),
            "not (a < b and b < c)",
        ),
        (
            Junction(
                "and", (Junction("or", (Comparison("<", A, B), Comparison("<", B, C))), Not(A))
            ),
            "(a < b or b < c) and not a",
        ),
        (Comparison("<", Comparison("<", A, B), C), "(a < b) < c"),
        (
            Sum((("+", Conditional(Comparison("<", A, B), A, B)), ("+", C))),
            "(if a < b then a else b) + c",
        ),
        (Call("sin", (Sum((("+", A), ("+", B))),)), "sin(a + b)"),
        (
            Vector((Conditional(Comparison("<", A, B), A, B), A, B)),
            "[if a < b then a else b, a, b]",
        ),
        (Group(A), "(a)"),
    ],
)
def test_a_tree_built_elsewhere_gets_the_parentheses_it_needs(node: Expression, text: str) -> None:
    assert show(node) == text
    assert without_groups(to_tree(parse_expression(text))) == without_groups(to_tree(node))


def without_groups(tree: Any) -> Any:
    match tree:
        case ["Group", inner]:
            return without_groups(inner)
        case list():
            return [without_groups(t) for t in tree]
    return tree
