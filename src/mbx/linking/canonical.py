"""The canonical form of a linked document, and what it hashes to.

Two forms are made. The first is the physics: values, variables, bodies, joints, loads,
invariants, subsystems. The second is the setup: start values, ranges, states, branches,
hints and experiments. Comments, layout, `meta`, `ext`, titles, descriptions, display names
and the name of the model itself are in neither. Numbers are in SI.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.language import units
from mbx.language.document.declarations import Binding, Declaration
from mbx.language.document.document import Branch, ExpectRank, Independent, InlineSubsystem, State
from mbx.language.document.experiments import Assignment, HoldItem, Initial, Vary
from mbx.language.document.expressions import Expression, Group, Identifier, Negative, Number
from mbx.language.document.metadata import Ext, Meta
from mbx.language.document.node import Node, bottom_up
from mbx.language.json.expression_arrays import to_tree
from mbx.language.text.expression_text import show
from mbx.language.units import UnitError
from mbx.linking.expand import Value, bare, in_unit, literal, unit_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mbx.language.document.document import Document

__all__ = ["physics", "setup"]

_SILENT: Final = frozenset({"comments", "remark", "closing", "description", "latex", "title"})
_SETUP: Final = (Initial, State, Branch, ExpectRank, Independent)
_VARIABLES: Final = frozenset({"coordinate", "speed", "variable"})
_LISTS: Final = frozenset({"param", "input", "let", "coordinate", "speed"})


def physics(document: Document) -> dict[str, Any]:
    """Return the canonical data of the model alone."""
    return {"mbx": document.mbx, "model": list(_statements(document.models[-1].body))}


def setup(document: Document) -> dict[str, Any]:
    """Return the canonical data of everything else that has a meaning."""
    model = document.models[-1]
    declared = _units(model.body)
    return {
        "mbx": document.mbx,
        "model": list(_setup_of(model.body)),
        "experiments": [
            {
                "name": e.name,
                "body": [_node(t, declared) for t in e.body if not isinstance(t, (Meta, Ext))],
            }
            for e in document.experiments
        ],
    }


def _units(body: Iterable[Any], prefix: str = "") -> dict[str, str | None]:
    """Return the declared unit of every value and variable, by its path."""
    declared: dict[str, str | None] = {}
    for statement in body:
        if isinstance(statement, InlineSubsystem):
            declared |= _units(statement.body, f"{prefix}{show(statement.name)}.")
        elif statement.kind in _LISTS:
            declared |= {f"{prefix}{show(item.name)}": item.unit for item in statement.items}
        elif statement.kind == "variable":
            declared[f"{prefix}{show(statement.item.name)}"] = statement.item.unit
    return declared


def _statements(body: Iterable[Any]) -> Iterable[Any]:
    for statement in body:
        if isinstance(statement, (Meta, Ext, *_SETUP)):
            continue
        if isinstance(statement, InlineSubsystem):
            yield {
                "kind": "subsystem",
                "name": show(statement.name),
                "bindings": _bindings(statement),
                "body": list(_statements(statement.body)),
            }
        elif statement.kind in _LISTS:
            for item in statement.items:
                yield {"kind": statement.kind, **_declaration(item, statement.kind)}
        elif statement.kind == "variable":
            yield {
                "kind": "variable",
                "order": statement.order,
                **_declaration(statement.item, "variable"),
            }
        else:
            data = _node(statement, {})
            data.pop("cut", None)
            yield data


def _setup_of(body: Iterable[Any]) -> Iterable[Any]:
    body = tuple(body)
    declared = _units(body)
    for statement in body:
        if isinstance(statement, _SETUP):
            yield _node(statement, declared)
        elif isinstance(statement, InlineSubsystem):
            inner = list(_setup_of(statement.body))
            if inner:
                yield {"subsystem": show(statement.name), "body": inner}
        elif statement.kind == "joint" and statement.cut:
            yield {"cut": show(statement.name)}
        elif statement.kind in _LISTS or statement.kind == "variable":
            items = [statement.item] if statement.kind == "variable" else statement.items
            for item in items:
                start = _start(item, statement.kind)
                if start:
                    yield {"name": show(item.name), **start}


def _start(item: Declaration | Binding, kind: str) -> dict[str, Any]:
    """Return where a variable starts and where a value is sampled."""
    if isinstance(item, Binding):
        return {}
    data: dict[str, Any] = {}
    if kind in _VARIABLES and item.value is not None:
        data["start"] = _si_value(item.value, item.unit)
    if item.range is not None:
        data["range"] = [
            _si_value(item.range.lower, item.unit),
            _si_value(item.range.upper, item.unit),
        ]
    return data


def _declaration(item: Declaration | Binding, kind: str) -> dict[str, Any]:
    data: dict[str, Any] = {"name": show(item.name)}
    if kind != "let" or item.unit is not None:
        data["unit"] = _dimension(item.unit)
    if kind not in _VARIABLES and item.value is not None:
        data["value"] = _si_value(item.value, item.unit)
    return data


def _bindings(subsystem: InlineSubsystem) -> dict[str, Any]:
    declared = {
        str(item.name): item.unit
        for statement in subsystem.body
        if statement.kind in {"param", "input"}
        for item in statement.items
    }
    return {show(b.name): _si_value(b.value, declared.get(str(b.name))) for b in subsystem.bindings}


def _dimension(unit: str | None) -> str:
    if unit == "integer":
        return "integer"
    try:
        return units.show_dimension(unit_of(unit).dimension)
    except UnitError:
        return unit or "1"


def _si_value(value: Expression, unit: str | None) -> Any:
    """Return a value in SI: numbers alone are in the declared unit."""
    if bare(value):
        try:
            number = in_unit(value, unit_of(unit))
        except UnitError:
            number = None
        if number is not None:
            return _number(number)
    return _expression(value)


def _number(value: Value) -> int | float:
    if isinstance(value, Fraction) and value.denominator == 1 and abs(value) < 2**53:
        return int(value)
    number = float(value)
    return 0 if number == 0 else number


def _expression(node: Expression) -> Any:
    """Return an expression's tree, without parentheses and with numbers in SI."""
    return to_tree(bottom_up(node, _plain), lambda n: _number(_si(n.text, n.unit)))


def _plain(node: Expression) -> Expression:
    match node:
        case Group(content):
            return content
        case Negative(Number(text, unit)):
            return Number(text[1:] if text.startswith("-") else f"-{text}", unit)
    return node


def _si(text: str, unit: str | None) -> Value:
    value = literal(text)
    try:
        return unit_of(unit).si(value)
    except UnitError:
        return value


def _node(node: Any, declared: Mapping[str, str | None]) -> Any:
    """Return a node as data; values of declared names are in their units."""
    match node:
        case Identifier():
            return show(node)
        case Assignment(target=target, value=value) | HoldItem(target=target, value=value):
            plain = None if value is None else _si_value(value, declared.get(show(target)))
            return {"target": show(target), "value": plain}
        case Vary():
            unit = declared.get(show(node.target))
            bounds = [_si_value(node.range.lower, unit), _si_value(node.range.upper, unit)]
            steps = None if node.steps is None else _expression(node.steps)
            return {"kind": "vary", "target": show(node.target), "range": bounds, "steps": steps}
        case Node():
            return {
                key: _node(value, declared)
                for key, value in node.__dict__.items()
                if key not in _SILENT and value is not None and value != ()
            }
        case tuple():
            return [_node(value, declared) for value in node]
    return _expression(node) if isinstance(node, Expression) else node
