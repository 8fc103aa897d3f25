"""The constraints on a page: their rows, dependent speeds by independent ones, and conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.algebra.identity import is_zero
from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import add, mul, neg, sub
from mbx.expr.nodes import ONE, ZERO, Node
from mbx.formalism.page.page import Math, scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.page.page_builder import PageBuilder, Words
    from mbx.formalism.page.page_model import PageModel

__all__ = ["describe_constraints", "name_ratios", "write_conditions", "write_constraints"]

_RATIO: Final = 6
"""Operations of a velocity ratio that has no name of its own."""


def write_constraints(page: PageBuilder, model: PageModel) -> None:
    """Write the constraints at the level of velocity, and the dependent speeds by the others.

    A velocity ratio that is long gets a name, `k_th2` for th2' by the independent speed.
    """
    elimination = model.elimination
    stated = _stated(model)
    for k, (row, value) in enumerate(zip(model.rows, model.velocity, strict=True)):
        if value is None or value is ZERO or k in stated:
            continue
        if elimination is None:
            name = page.name("c", row.path, meaning=f"constraint {row.path}")
            model.functions[k] = name
            page.equal(name, value, ZERO)
        else:
            page.equal(value, ZERO, note=row.path)
    if elimination is None:
        return
    for k in elimination.redundant:
        page.note(f"{model.rows[k].path} follows from the others.")
    ratios = name_ratios(page, model)
    for k, row_index in zip(elimination.dependent, elimination.rows, strict=True):
        note = model.rows[row_index].path if row_index in stated else ""
        value = add(_combine(ratios[k], model.u, elimination.free), elimination.d[k])
        if elimination.has_speeds:
            page.equal(model.u[k], value, note=note)
    for k in elimination.dependent:
        rest = elimination.g[k]
        if model.ud[k] in model.trivial and model.trivial[model.ud[k]] is ZERO:
            continue
        if written([rest]) <= model.options.entry:
            ahead = _combine(ratios[k], model.ud, elimination.free)
            page.equal(model.ud[k], add(ahead, rest))
    write_conditions(page, elimination.conditions)


def _stated(model: PageModel) -> set[int]:
    """Return the rows that are the equations of their dependent speeds, but for the sign."""
    elimination = model.elimination
    if elimination is None or not elimination.has_speeds:
        return set()
    stated: set[int] = set()
    for k, row in zip(elimination.dependent, elimination.rows, strict=True):
        value = model.velocity[row]
        if value is None or model.A[row][k] not in {ONE, neg(ONE)}:
            continue
        solved = mul(model.A[row][k], sub(model.u[k], model.dependent_speed(k)))
        if is_zero(sub(value, solved)):
            stated.add(row)
    return stated


def name_ratios(page: PageBuilder, model: PageModel) -> list[tuple[Node, ...]]:
    """Write names for long velocity ratios, and return C in these."""
    elimination = model.elimination
    assert elimination is not None  # noqa: S101  asked for with a result only
    ratios = [tuple(row) for row in elimination.C]
    for k in elimination.dependent:
        entries = list(elimination.C[k])
        for position, j in enumerate(elimination.free):
            if cost([entries[position]]) > _RATIO:
                index = _base(model, k)
                if len(elimination.free) > 1:
                    index += f"_{_base(model, j)}"
                name = page.name("k", index)
                page.equal(name, entries[position])
                entries[position] = name
        ratios[k] = tuple(entries)
    model.ratios = ratios
    return ratios


def _base(model: PageModel, k: int) -> str:
    return model.motion.speeds[k].path.rstrip("'")


def _combine(ratios: Sequence[Node], values: Sequence[Node], free: Sequence[int]) -> Node:
    terms = [mul(c, values[j]) for c, j in zip(ratios, free, strict=True)]
    return add(*terms) if terms else ZERO


def describe_constraints(model: PageModel) -> list[Words]:
    """Return the sentence on the pivots of the constraints."""
    elimination = model.elimination
    if elimination is None:
        return ["no short solution: the independent speeds are a null space of the rows."]
    words: list[Words] = []
    for j, k in enumerate(elimination.dependent):
        words += [", " if j else "", model.u[k]]
    words += [" depend on " if len(elimination.dependent) > 1 else " depends on "]
    if not elimination.free:
        return [*words, "nothing."]
    for j, k in enumerate(elimination.free):
        words += [", " if j else "", model.u[k]]
    return [*words, "."]


def write_conditions(page: PageBuilder, conditions: Sequence[Node]) -> None:
    """Write what must not vanish."""
    if not conditions:
        return
    words: list[Words] = ["where "]
    for k, condition in enumerate(conditions):
        words += [", " if k else "", Math((scalar(condition), scalar(ZERO)), "≠")]
    page.note(*words)
