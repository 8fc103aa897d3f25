"""Names that are no symbols: of models, experiments, functions and loop indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mbx.base.diagnostics import suggestion
from mbx.checking.expressions.scope import RESERVED
from mbx.language.document.declarations import Function
from mbx.language.document.document import ForBlock, IfBlock, InlineSubsystem
from mbx.language.document.experiments import ForTasks
from mbx.language.document.expressions import Identifier
from mbx.language.document.metadata import META_KEYS, MetaEntry
from mbx.language.document.node import nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mbx.base.diagnostics import Report
    from mbx.language.document.document import Document, Model
    from mbx.language.document.experiments import Experiment

__all__ = ["check_names"]


def check_names(document: Document, report: Report) -> None:
    """Check the names that linking consumes, and the keys of `meta`."""
    named: list[Model | Experiment] = [*document.models, *document.experiments]
    for item in named:
        _free(item.name, item.at, report)
        _block(item.body, report, frozenset(_declared(item.body)))
    for node in nodes_of(document):
        if isinstance(node, MetaEntry) and node.key not in META_KEYS:
            report.add(
                "MBX1016",
                f"meta has no '{node.key}'",
                node.at,
                help=suggestion(node.key, META_KEYS) or "it has " + ", ".join(META_KEYS),
            )


def _free(name: str, at: Any, report: Report) -> None:
    if name in RESERVED:
        report.add("MBX3004", f"'{name}' is a word of the language", at, help="choose another name")


def _declared(body: Iterable[Any]) -> Iterator[str]:
    """Yield the names that statements declare, without indices."""
    for statement in body:
        match statement:
            case ForBlock() | ForTasks():
                yield from _declared(statement.body)
            case IfBlock():
                yield from _declared((*statement.body, *statement.otherwise))
            case _:
                for item in (statement, *getattr(statement, "items", ())):
                    name = getattr(item, "name", None)
                    if isinstance(name, Identifier):
                        yield name.base


def _block(body: Iterable[Any], report: Report, taken: frozenset[str]) -> None:
    functions: set[str] = set()
    for statement in body:
        match statement:
            case Function():
                _function(statement, functions | taken, report)
                functions.add(statement.name)
            case ForBlock() | ForTasks():
                _index(statement, report, taken)
                _block(statement.body, report, taken | {statement.index})
            case IfBlock():
                _block((*statement.body, *statement.otherwise), report, taken)
            case InlineSubsystem():
                _block(statement.body, report, frozenset(_declared(statement.body)))


def _index(statement: ForBlock | ForTasks, report: Report, taken: frozenset[str]) -> None:
    _free(statement.index, statement.at, report)
    if statement.index in taken:
        report.add(
            "MBX3003",
            f"loop index '{statement.index}' hides another '{statement.index}'",
            statement.at,
            help="give one another name",
        )


def _function(function: Function, taken: frozenset[str] | set[str], report: Report) -> None:
    for name in (function.name, *function.arguments):
        _free(name, function.at, report)
    if function.name in taken:
        report.add(
            "MBX3003",
            f"'{function.name}' is there twice: as a function and before",
            function.at,
            help="give one another name",
        )
    if len(set(function.arguments)) < len(function.arguments):
        report.add(
            "MBX3003",
            f"an argument of function '{function.name}' is there twice",
            function.at,
            help="give one another name",
        )
