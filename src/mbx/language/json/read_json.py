"""A document from JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticCustomError

from mbx.base.diagnostics import Report, Source, Span, safe_text, suggestion
from mbx.base.errors import SourceError
from mbx.language.document.document import Document
from mbx.language.document.node import Node
from mbx.language.json.expression_arrays import from_tree
from mbx.language.json.locate import Fragment, JsonSource
from mbx.language.json.strict_json import load
from mbx.language.json.upgrade import upgrade
from mbx.language.limits import LIMITS
from mbx.language.text.expression_rules import (
    parse_expression,
    parse_identifier,
    parse_reference,
    parse_unit,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic_core import ErrorDetails

__all__ = ["read_json"]

_EXPLAINED: Final = 100
"""Findings that are explained: as many as are printed."""


def read_json(source: Source, report: Report) -> Document | None:
    """Return the document that a JSON text spells; none if it has faults."""
    source = JsonSource(source.name, source.text, source.folder, source.roots)
    if not source.text.strip():
        report.add("MBX1001", "there is no model in the file", Span(source, 0, 0))
        return None
    try:
        data = load(source)
        if not isinstance(data, dict):
            raise SourceError.of(
                "MBX2108",
                "the document is no object",
                Span(source, 0, 1),
                help='write { "mbx": 1, "items": [ … ] }',
            )
        if "mbx_equations" in data:
            raise SourceError.of(
                "MBX2108",
                "the file holds equations of motion, and no model",
                Span(source, 0, 1, "/mbx_equations"),
                help="mbx convert and mbx compare take equations",
            )
        data = upgrade(data, source)
    except SourceError as bad:
        report.extend(bad.report)
        return None
    return _validate(data, source, report)


def _validate(data: dict[str, Any], source: Source, report: Report) -> Document | None:
    faults: list[SourceError] = []
    try:
        # through JSON once more: only there does strict mode take an array for a tuple
        document = Document.model_validate_json(
            json.dumps(data), context={"parse": _parser(faults)}
        )
    except ValidationError as bad:
        _explain(bad, faults, source, report)
        return None
    _locate(document, source, "")
    return document if _shallow(document.items, report) else None


def _shallow(statements: tuple[Any, ...], report: Report, level: int = 1) -> bool:
    """Return whether blocks are inside of blocks no deeper than a text may have them."""
    for statement in statements:
        blocks = [getattr(statement, name, ()) for name in ("body", "otherwise", "clauses")]
        if level > LIMITS.levels and any(blocks):
            report.add("MBX5002", f"blocks nested deeper than {LIMITS.levels}", statement.at)
            return False
        if not all(_shallow(block, report, level + 1) for block in blocks):
            return False
    return True


def _parser(faults: list[SourceError]) -> Callable[[str, Any], Any]:
    """Return what reads strings and trees; their faults are kept for `_explain`."""

    def parse(sort: str, value: Any) -> Any:
        try:
            match sort, value:
                case "expression", str():
                    return parse_expression(value, Fragment(value))
                case "expression", int() | float():
                    return _literal(value)
                case "expression", _:
                    return from_tree(value, Span(Fragment(""), 0, 0))
                case "reference", _:
                    return parse_reference(value, Fragment(value))
                case "identifier", _:
                    return parse_identifier(value, Fragment(value))
            return parse_unit(value)
        except SourceError as bad:
            faults.append(bad)
            raise PydanticCustomError(
                "mbx_fault", "fault {number}", {"number": len(faults) - 1}
            ) from None

    return parse


def _literal(value: float) -> Any:
    text = repr(abs(value))
    signed = text if value >= 0 else f"-{text}"
    return parse_expression(signed, Fragment(signed))


def _pointer(location: tuple[int | str, ...], data: Any) -> str:
    """Return the JSON pointer of pydantic's location, which also names union tags."""
    pointer = ""
    for step in location:
        match data:
            case list() if isinstance(step, int) and step < len(data):
                data = data[step]
            case dict() if step in data:
                data = data[step]
            case {"kind": kind} if kind == step:
                continue  # the tag of a union
            case dict():
                data = None  # a key that is missing
            case _ if isinstance(step, str):
                continue
        pointer += f"/{str(step).replace('~', '~0').replace('/', '~1')}"
    return pointer


def _explain(
    bad: ValidationError, faults: list[SourceError], source: Source, report: Report
) -> None:
    """Turn pydantic's findings into ours."""
    data = load(source)
    errors = bad.errors(include_url=False)
    for error in errors:
        if len(report) >= _EXPLAINED:  # the rest is only counted
            report.add("MBX2103", _sentence(error), Span(source, 0, 1))
            continue
        pointer = _pointer(error["loc"], data)
        span = Span(source, 0, 1, pointer)
        match error["type"]:
            case "mbx_fault":
                fault = faults[error["ctx"]["number"]]
                for each in fault.report:
                    inner = each.span
                    where = Span(source, inner.start, inner.end, pointer) if inner else span
                    report.add(each.code, each.message, where, help=each.help)
            case "mbx_underscore":
                report.add("MBX3001", _sentence(error), span, help="begin with a letter")
            case "mbx_long_name":
                report.add("MBX5006", _sentence(error), span)
            case "extra_forbidden":
                _unknown_key(error, span, report)
            case "missing":
                owner = Span(source, 0, 1, pointer.rpartition("/")[0])
                report.add("MBX2101", f"'{error['loc'][-1]}' is missing", owner)
            case "union_tag_invalid":
                ctx = error["ctx"]
                known = [t.strip(" '") for t in ctx["expected_tags"].split(",")]
                report.add(
                    "MBX2104",
                    f"kind '{safe_text(str(ctx['tag'])[:60])}' is not known here",
                    span,
                    help=suggestion(str(ctx["tag"]), known) or "kinds here are " + ", ".join(known),
                )
            case "union_tag_not_found":
                report.add("MBX2101", "'kind' is missing", span)
            case "too_short" if len(errors) > 1:
                continue  # what fell out of the list is reported by itself
            case _:
                report.add("MBX2103", _sentence(error), span)


def _unknown_key(error: ErrorDetails, span: Span, report: Report) -> None:
    key = str(error["loc"][-1])
    known = _known_keys(error["loc"])
    report.add(
        "MBX2102",
        f"key '{safe_text(key[:60])}' is not known here",
        span,
        help=suggestion(key, known) or "keys here are " + ", ".join(known),
    )


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    """Return the keys of the node an unknown key was met in."""
    owner = next((s for s in reversed(location[:-1]) if isinstance(s, str)), None)
    classes = set(_all_nodes(Node))
    for cls in classes:
        kind = cls.model_fields.get("kind")
        if kind is not None and owner in getattr(kind.annotation, "__args__", ()):
            return list(cls.model_fields)
    if owner is None:
        return list(Document.model_fields)
    return sorted({key for cls in classes for key in cls.model_fields})


def _all_nodes(cls: type[Node]) -> list[type[Node]]:
    return [s for sub in cls.__subclasses__() for s in (sub, *_all_nodes(sub))]


def _sentence(error: ErrorDetails) -> str:
    message = error["msg"].replace("Tuple", "List").replace("tuple", "list")
    return message[:1].lower() + message[1:]


def _locate(node: Any, source: Source, pointer: str) -> None:
    """Note on every node and expression where it stands."""
    match node:
        case Node():
            node.placed(Span(source, 0, 1, pointer))
            for key, value in node.__dict__.items():
                _locate(value, source, f"{pointer}/{key}")
        case tuple():
            for k, value in enumerate(node):
                _locate(value, source, f"{pointer}/{k}")
        case _ if isinstance(getattr(node, "at", None), Span):
            if isinstance(node.at.source, Fragment):
                node.at.source.settle(source, pointer)
