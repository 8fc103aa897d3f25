"""`mbx info`: what a model consists of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

from mbx.base.errors import SourceError
from mbx.cli.options import ModelFile, ModelName, option
from mbx.cli.output import Status, emit_json, say
from mbx.cli.read_input import read_document

if TYPE_CHECKING:
    from mbx.checking.describe_model import Description, Tree
    from mbx.linking.link import Linked

__all__ = ["info"]

_T = TypeVar("_T")

_SHOWN_HASH: Final = 16
_WIDTH: Final = 92
_VARIABLES: Final = {0: "coordinates", 1: "speeds"}
"""What variables of an order are called; above these they have no name of their own."""


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
        say(line)
    if structure is not None:
        say("")
        for line in structure.lines():
            say(line)
    return Status.OK


def _lines(found: Description, linked: Linked) -> Iterator[str]:
    yield f"{found.name}: {found.title}" if found.title else found.name
    yield f"hash {linked.hash[:_SHOWN_HASH]}"
    for order, some in _by_order(found.variables, lambda one: one.order):
        yield from _section(
            f"{_VARIABLES.get(order, 'variables')} of order {order}",
            [(one.path, one.unit, one.description) for one in some],
        )
    for order, rows in _by_order(found.invariants, lambda one: one.order):
        yield from _section(
            f"invariants of order {order}",
            [(one.path, _count(one.rows, "row"), "") for one in rows],
        )
    yield from _section("bodies", [(b.path, b.kind, f"by {b.placed}") for b in found.bodies])
    yield from _section(
        "joints", [(j.path, j.kind, "closes a loop" if j.loop else "") for j in found.joints]
    )
    for title, names in (
        ("parameters", found.parameters),
        ("inputs", found.inputs),
        ("loads", found.loads),
        ("experiments", found.experiments),
    ):
        if names:
            yield ""
            yield f"{title} ({len(names)})"
            yield from (f"  {line}" for line in wrap(", ".join(names), _WIDTH))
    if found.tree.children:
        yield ""
        yield "subsystems"
        yield from _tree(found.tree)


def _by_order(items: Iterable[_T], order: Callable[[_T], int]) -> Iterator[tuple[int, list[_T]]]:
    for value, some in groupby(sorted(items, key=order), order):
        yield value, list(some)


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
    """Yield the subsystems as a tree drawn in lines."""
    yield f"  {root.name}"
    # kept on a stack, for a tree may be deeper than Python calls go
    stack = [("  ", child, child is root.children[-1]) for child in reversed(root.children)]
    while stack:
        indent, part, last = stack.pop()
        yield f"{indent}{'└── ' if last else '├── '}{part.name}"
        inner = indent + ("    " if last else "│   ")
        stack += [(inner, child, child is part.children[-1]) for child in reversed(part.children)]
