"""Names that are no symbols: of models, experiments, functions and loop indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.check.scope import RESERVED
from mbx.model.document import ForBlock, IfBlock, InlineSubsystem
from mbx.model.experiments import ForTasks
from mbx.model.values import Function

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.diagnostics import Report
    from mbx.model.document import Document, Model
    from mbx.model.experiments import Experiment

__all__ = ["check_names"]


def check_names(document: Document, report: Report) -> None:
    """Check the names that linking consumes."""
    named: list[Model | Experiment] = [*document.models, *document.experiments]
    for item in named:
        _free(item.name, item.at, report)
        _block(item.body, report)


def _free(name: str, at: Any, report: Report) -> None:
    if name in RESERVED:
        report.add("MBX3004", f"'{name}' is a word of the language", at, help="choose another name")


def _block(body: Iterable[Any], report: Report) -> None:
    functions: set[str] = set()
    for statement in body:
        match statement:
            case Function():
                _function(statement, functions, report)
            case ForBlock() | ForTasks():
                _free(statement.index, statement.at, report)
                _block(statement.body, report)
            case IfBlock():
                _block((*statement.body, *statement.otherwise), report)
            case InlineSubsystem():
                _block(statement.body, report)


def _function(function: Function, known: set[str], report: Report) -> None:
    for name in (function.name, *function.arguments):
        _free(name, function.at, report)
    twice = function.name in known or len(set(function.arguments)) < len(function.arguments)
    if twice:
        report.add(
            "MBX3003",
            f"function '{function.name}' or one of its arguments is there twice",
            function.at,
            help="give one another name",
        )
    known.add(function.name)
