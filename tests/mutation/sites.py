"""The places where a module can be changed by one token, and a module with one of them changed."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Site", "mutated", "sites"]

_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
}
_COMPARISONS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_NEVER_RUN: Final = frozenset({"annotation", "returns", "decorator_list", "type_params"})
"""Fields that hold no code of the program: types, and how a class is made."""


@dataclass(frozen=True, slots=True)
class Site:
    """A change of a module: its number, the line that it is in, and what it changes."""

    number: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class _Change:
    """A node of a field of its parent, and what stands there instead."""

    parent: ast.AST
    field: str
    position: int | None
    line: int
    old: ast.AST
    new: ast.AST

    def apply(self) -> None:
        """Put the new node where the old one is."""
        if self.position is None:
            setattr(self.parent, self.field, self.new)
        else:
            getattr(self.parent, self.field)[self.position] = self.new


def sites(source: str) -> list[Site]:
    """Return all changes of a module, in the order of its syntax tree."""
    return [
        Site(number, change.line, f"{ast.unparse(change.old)} -> {ast.unparse(change.new)}")
        for number, change in enumerate(_changes(ast.parse(source)))
    ]


def mutated(source: str, number: int) -> ast.Module:
    """Return the module with one of its changes, to be compiled."""
    tree = ast.parse(source)
    list(_changes(tree))[number].apply()
    return ast.fix_missing_locations(tree)


def _changes(node: ast.AST) -> Iterator[_Change]:
    for field, value in ast.iter_fields(node):
        if field in _NEVER_RUN:
            continue
        entries = enumerate(value) if isinstance(value, list) else [(None, value)]
        for position, entry in entries:
            if not isinstance(entry, ast.AST) or _is_for_types(entry):
                continue
            for new in _instead(entry):
                line = getattr(entry, "lineno", 0)
                yield _Change(node, field, position, line, entry, new)
            yield from _changes(entry)


def _is_for_types(node: ast.AST) -> bool:
    """Return whether the node is `if TYPE_CHECKING`, which does not run."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _instead(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
            yield ast.BinOp(left, _OPERATORS[type(operator)](), right)
            if isinstance(operator, ast.Add | ast.Sub):
                yield left
        case ast.AugAssign(target, operator, value) if type(operator) in _OPERATORS:
            yield ast.AugAssign(target, _OPERATORS[type(operator)](), value)
        case ast.Compare(left, [comparison], right):
            yield ast.Compare(left, [_COMPARISONS[type(comparison)]()], right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(_other(value))
        case _:
            return


def _other(value: Any) -> Any:
    """Return another number of the same kind, also where it is large or tiny."""
    return value + 1 if isinstance(value, int) else 2 * value + (value == 0)
