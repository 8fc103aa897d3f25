"""`mbx info`: what a model consists of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

from mbx.base.errors import SourceError
from mbx.cli.command_files import read_document
from mbx.cli.options import ModelFile, ModelName, option
from mbx.cli.output import Status, emit_json, print_line

if TYPE_CHECKING:
    from mbx.checking.describe_model import Description, Tree
    from mbx.linking.link import Linked

__all__ = ["info"]

_T = TypeVar("_T")

_SHOWN_HASH: Final = 16
_WIDTH: Final = 92
_VARIABLES: Final = {0: "coordinates", 1: "speeds"}
"""The names of variables of an order; variables of higher orders have no special name."""


def info(
    file: ModelFile,
    *,
    deep: Annotated[bool, option("--deep")] = False,
    as_json: Annotated[bool, option("--json")] = False,
    model: ModelName = None,
) -> int:
    """List the contents of a model.

    Variables and invariants by order, bodies, joints, loads and the tree of subsystems.
    With --deep also its structure in numbers, at states that the invariants allow.
    """
    if deep:  # its matrices are small: threads of BLAS would wait, and take address space
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import mbx
    from mbx.base.diagnostics import Report
    from mbx.checking.describe_model import describe
    from mbx.checking.rules.names import check_names
    from mbx.checking.run_rules import check_linked

    document = read_document(file)
    linked = mbx.link(document, model)
    structure = mbx.structure(linked) if deep else None  # which checks the model
    if structure is None:
        report = Report()
        check_names(document, report)
        check_linked(linked, report, relaxed=True)
        if not report.ok:
            raise SourceError(report)
    description = describe(linked)
    if as_json:
        facts = {
            **asdict(description),
            "hash": linked.hash,
            "experiment_hash": linked.experiment_hash,
        }
        emit_json(facts if structure is None else {**facts, "structure": structure.as_json()})
        return Status.OK
    for line in _lines(description, linked):
        print_line(line)
    if structure is not None:
        print_line("")
        for line in structure.lines():
            print_line(line)
    return Status.OK


def _lines(description: Description, linked: Linked) -> Iterator[str]:
    yield f"{description.name}: {description.title}" if description.title else description.name
    yield f"hash {linked.hash[:_SHOWN_HASH]}"
    for order, variables in _by_order(description.variables, lambda item: item.order):
        yield from _section(
            f"{_VARIABLES.get(order, 'variables')} of order {order}",
            [(variable.path, variable.unit, variable.description) for variable in variables],
        )
    for order, invariants in _by_order(description.invariants, lambda item: item.order):
        yield from _section(
            f"invariants of order {order}",
            [(item.path, _count(item.rows, "row"), "") for item in invariants],
        )
    yield from _section("bodies", [(b.path, b.kind, f"by {b.placed}") for b in description.bodies])
    yield from _section(
        "joints", [(j.path, j.kind, "closes a loop" if j.loop else "") for j in description.joints]
    )
    for title, names in (
        ("parameters", description.parameters),
        ("inputs", description.inputs),
        ("loads", description.loads),
        ("experiments", description.experiments),
    ):
        if names:
            yield ""
            yield f"{title} ({len(names)})"
            yield from (f"  {line}" for line in wrap(", ".join(names), _WIDTH))
    if description.tree.children:
        yield ""
        yield "subsystems"
        yield from _tree(description.tree)


def _by_order(items: Iterable[_T], order: Callable[[_T], int]) -> Iterator[tuple[int, list[_T]]]:
    for value, group in groupby(sorted(items, key=order), order):
        yield value, list(group)


def _section(title: str, rows: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Yield a heading and rows in columns; nothing if there are no rows."""
    if not rows:
        return
    first, second = (max(len(row[k]) for row in rows) for k in (0, 1))
    yield ""
    yield f"{title} ({len(rows)})"
    for row in rows:
        yield f"  {row[0]:{first}}  {row[1]:{second}}  {row[2]}".rstrip()


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _tree(root: Tree) -> Iterator[str]:
    """Yield the lines of the tree of subsystems."""
    yield f"  {root.name}"
    # kept on a stack, for a tree may be deeper than Python calls go
    stack = [("  ", child, child is root.children[-1]) for child in reversed(root.children)]
    while stack:
        indent, part, last = stack.pop()
        yield f"{indent}{'└── ' if last else '├── '}{part.name}"
        inner = indent + ("    " if last else "│   ")
        stack += [(inner, child, child is part.children[-1]) for child in reversed(part.children)]
