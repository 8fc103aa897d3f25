"""What planted faults are written with, beside the code around them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.expr.build import add, choose, less, neg, scale
from mbx.expr.nodes import ZERO, Node, number

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step
    from mbx.system.system import System

__all__ = ["nothing", "only_where", "opposite", "slightly", "spoilt"]

_SMALL: Final = Fraction(1, 10**6)


def slightly(value: Any, other: Node | None = None) -> Any:
    """Return a node, or a vector or matrix of nodes, times 1 + 1e-6.

    With another node, 1e-6 of that is added to a node instead.
    """
    if isinstance(value, Node):
        return scale(1 + _SMALL, value) if other is None else add(value, scale(_SMALL, other))
    found = [slightly(one) for one in value]
    if all(one is old for one, old in zip(found, value, strict=True)):
        return value  # zero vectors are known by identity
    return found if isinstance(value, list) else tuple(found)


def only_where(positive: Node, wrong: Any, right: Any) -> Any:
    """Return what is wrong where a node is above zero, and what is right elsewhere."""
    if isinstance(right, Node):
        return choose(less(ZERO, positive), wrong, right)
    return tuple(only_where(positive, a, b) for a, b in zip(wrong, right, strict=True))


def opposite(value: Node) -> Node:
    """Return minus a node."""
    return neg(value)


def nothing(_: Node) -> Node:
    """Return zero in the place of a node."""
    return ZERO


def spoilt(
    derive: Callable[[System, str], Equations], result: str, how: str = "slightly"
) -> Callable[[System, str], Equations]:
    """Return a converter whose equations declare wrong numbers for one result.

    The program itself stays as it is: nothing is computed from the wrong numbers, so only a
    check of the declared result can find them. `result` may end in `*`; then every result that
    begins so is wrong. `how` is `slightly` (times 1 + 1e-6), `opposite` (times -1), `shuffled`
    (rows in another order) or `raised` (1e-6 added to each entry).
    """

    def wrong(system: System, variant: str = "") -> Equations:
        equations = derive(system, variant)
        for meaning in list(equations.results):
            if meaning == result or (result.endswith("*") and meaning.startswith(result[:-1])):
                equations = _with_wrong(equations, meaning, how)
        return equations

    return wrong


def _with_wrong(equations: Equations, meaning: str, how: str) -> Equations:
    """Return equations with one more step, which the result is declared to be."""
    from mbx.formalism.program import Step  # noqa: PLC0415  after the fault is planted
    from mbx.formalism.shapes import shapes  # noqa: PLC0415  likewise

    old = equations.step(equations.results[meaning])
    rows, columns = shapes(equations.steps)[old.name]
    name, helper = f"wrong_{len(equations.steps)}", f"by_{len(equations.steps)}"
    made: Step
    steps: tuple[Step, ...] = ()
    if how == "opposite":
        made = Step(name=name, op="sum", args=(old.name,), signs=(-1,))
    elif how == "shuffled":
        made = Step(name=name, op="rows", args=(old.name,), indices=(*range(1, rows or 1), 0))
    elif how == "raised":
        entries = ((number(_SMALL),) * (columns or 0),) * (rows or 0)
        steps = (Step(name=helper, op="define", entries=entries, size=(rows or 0, columns or 0)),)
        made = Step(name=name, op="sum", args=(old.name, helper))
    else:
        size = 1 if columns == 1 else rows or 0
        factor = number(1 + _SMALL)
        entries = tuple(tuple(factor if j == k else ZERO for j in range(size)) for k in range(size))
        steps = (Step(name=helper, op="define", entries=entries, size=(size, size)),)
        args = (old.name, helper) if columns == 1 else (helper, old.name)
        made = Step(name=name, op="product", args=args)
    made = replace(
        made,
        meaning=old.meaning,
        row_labels=old.row_labels,
        column_labels=old.column_labels,
    )
    return replace(
        equations,
        steps=(*equations.steps, *steps, made),
        results={**equations.results, meaning: name},
    )
