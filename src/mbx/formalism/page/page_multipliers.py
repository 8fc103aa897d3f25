"""Constraints with multipliers as a page shows them: rows, A, their rates, and what is solved.

M q'' - h = A^T lam,    A q'' + b = 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.errors import TooLargeError
from mbx.expr.algebra.elimination import split
from mbx.expr.algebra.shorten import cost, written
from mbx.expr.build import add, mul, neg
from mbx.expr.nodes import ZERO, Node
from mbx.expr.show import show
from mbx.formalism.page.algebra.reduced_equations import Solved, solve_rows
from mbx.formalism.page.algebra.trigonometric_ring import Fractions
from mbx.formalism.page.bodies import tidy
from mbx.formalism.page.page_energies import is_written
from mbx.formalism.page.page_sections import reaction_names
from mbx.mechanics import reactions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.page.page_builder import PageBuilder
    from mbx.formalism.page.page_model import PageModel

__all__ = [
    "constraint_forces",
    "multiplier_names",
    "solve_with_multipliers",
    "write_grid",
    "write_matrix",
    "write_rates",
]

_UNKNOWNS: Final = 4
"""Accelerations and multipliers that are solved together."""
_LARGEST: Final = 400
"""Operations of the equations that are solved together."""
_COLUMNS: Final = 5
_ROWS: Final = 8
"""Columns and rows of a matrix that is shown."""
_ENTRY: Final = 24
"""Operations of an entry."""
_GAP: Final = 2
_WIDTH: Final = 80
"""Characters between columns, and of a row."""


def multiplier_names(page: PageBuilder, model: PageModel, nodes: Sequence[Node]) -> list[Node]:
    """Return the names of the multipliers, and write what loads name of the reactions of joints.

    Args:
        page: The page.
        model: The model.
        nodes: The loads.
    """
    names = reaction_names(page, model) if model.rows else []
    named = [x for x in reactions.named_in(model.levels, nodes) if x not in names]
    for symbol, row in zip(named, reactions.reaction_map(model.levels, named), strict=True):
        page.equal(symbol, tidy([add(*map(mul, row, names))])[0])
    return names


def constraint_forces(model: PageModel, names: Sequence[Node]) -> list[Node]:
    """Return A^T lam for each speed."""
    return [
        add(*(mul(row[j], name) for row, name in zip(model.A, names, strict=True)))
        for j in range(len(model.u))
    ]


def write_matrix(page: PageBuilder, model: PageModel) -> None:
    """Write A with its labels, where it is small."""
    write_grid(page, "A", [row.path for row in model.rows], model.u, model.A)


def write_grid(
    page: PageBuilder,
    name: str,
    rows: Sequence[Node | str],
    columns: Sequence[Node],
    entries: Sequence[Sequence[Node]],
) -> None:
    """Write a matrix with its labels, where it is small."""
    if not 0 < len(columns) <= _COLUMNS or not 0 < len(rows) <= _ROWS:
        return
    if any(written([x]) > _ENTRY for row in entries for x in row):
        return
    labels = max(len(x if isinstance(x, str) else str(x.value)) for x in rows)
    heads = [len(str(x.value)) for x in columns]
    widths = [
        max([head, *(len(show(row[j])) for row in entries)]) + _GAP for j, head in enumerate(heads)
    ]
    if labels + sum(widths) <= _WIDTH:
        page.grid(name, rows, columns, entries)


def write_rates(page: PageBuilder, model: PageModel) -> None:
    """Write A q'' + b = 0."""
    for row, entries, rest in zip(model.rows, model.A, model.b, strict=True):
        value = add(*map(mul, entries, model.ud), rest)
        if value is ZERO:
            continue
        if is_written(model, value):
            page.equal(value, ZERO, note=row.path)
        else:
            page.left_out += 1


def solve_with_multipliers(
    model: PageModel, rows: Sequence[Node], names: Sequence[Node]
) -> tuple[list[Node], Solved] | None:
    """Return the accelerations and multipliers as unknowns, and their values, if these are short.

    Args:
        model: The model.
        rows: M q'' - h, written out.
        names: The multipliers.
    """
    unknowns = [*model.ud, *names]
    n, m = len(model.ud), len(names)
    if n + m > _UNKNOWNS or cost([*rows, *model.b]) > _LARGEST:
        return None
    slopes, rest = split(list(rows), model.ud)
    forces = [[neg(row[j]) for row in model.A] for j in range(n)]
    table = [[*slopes[j], *forces[j], rest[j]] for j in range(n)]
    table += [[*row, *([ZERO] * m), b] for row, b in zip(model.A, model.b, strict=True)]
    if any(written([x]) > _LARGEST for row in table for x in row):
        return None
    try:
        fractions = Fractions([row[-1] for row in table], main=[x for r in table for x in r[:-1]])
        exact = [fractions.clear([fractions(x) for x in row])[0] for row in table]
        solved = solve_rows(fractions, exact, model.positive, model.constant, most=_UNKNOWNS)
    except TooLargeError:
        return None
    return None if solved is None else (unknowns, solved)
