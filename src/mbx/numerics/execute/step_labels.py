"""Labels of the rows and columns of all matrices of a program.

A step that is defined has its labels; those of a product, of a null space or of a solution follow
from what it is made of. What has none is numbered by the name of the matrix: `C.1`, `C.2`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.formalism.program import Step

__all__ = ["ALONE", "Labels", "labels_of", "numbered"]

ALONE: Final = "1"
"""The label of a column on its own."""
Labels = tuple[tuple[str, ...], tuple[str, ...]]
"""Labels of rows, and of columns."""


def labels_of(
    steps: Sequence[Step], shape_of: Callable[[str], tuple[int, int]]
) -> dict[str, Labels]:
    """Return the labels of every matrix, of which `shape_of` says how large it is."""
    known: dict[str, Labels] = {}
    for step in steps:
        sides = zip(
            (step.row_labels, step.column_labels),
            _following(step, known),
            shape_of(step.name),
            strict=True,
        )
        rows, columns = (_fitting(count, *labels) for *labels, count in sides)
        if step.op == "nullspace" and not columns:
            columns = numbered(step.name, shape_of(step.name)[1])  # a basis, which others refer to
        known[step.name] = rows, columns
    return {name: _whole(name, labels, shape_of(name)) for name, labels in known.items()}


def numbered(name: str, count: int) -> tuple[str, ...]:
    """Return labels by numbers: `C.1`, `C.2`."""
    return tuple(f"{name}.{k + 1}" for k in range(count))


def _fitting(count: int, *found: Sequence[str]) -> tuple[str, ...]:
    """Return the first labels that are as many as there are, each once; else none."""
    sound = (labels for labels in found if len(labels) == count == len(set(labels)))
    return tuple(next(sound, ()))


def _whole(name: str, labels: Labels, shape: tuple[int, int]) -> Labels:
    """Return labels with numbers where there are none; a column on its own is called `1`."""
    rows, columns = labels
    alone = (ALONE,) if shape[1] == 1 else numbered(name, shape[1])
    return rows or numbered(name, shape[0]), columns or alone


def _following(step: Step, known: Mapping[str, Labels]) -> Labels:
    """Return the labels that follow from those of the arguments; none, where nothing follows."""
    if step.op == "block":
        return _of_grid(step.grid, known)
    of = [known[name] for name in step.args if name in known]
    if len(of) < len(step.args) or not of:
        return (), ()
    match step.op:
        case "product":
            return of[0][0], of[-1][1]
        case "sum" | "absolute":
            return next((x for x, _ in of if x), ()), next((x for _, x in of if x), ())
        case "transpose" | "pinv":
            return of[0][1], of[0][0]
        case "solve":
            return of[0][1], of[1][1]
        case "rows":
            rows = of[0][0]
            return tuple(rows[k] for k in step.indices or () if rows), of[0][1]
        case "nullspace":
            columns = of[0][1]
            return columns, tuple(columns[k] for k in step.indices or () if columns)
        case _:
            return (), ()


def _of_grid(grid: Sequence[Sequence[str | None]], known: Mapping[str, Labels]) -> Labels:
    """Return the labels of blocks below and beside each other; too few, where one has none."""
    rows = [next((known[x][0] for x in row if x), ()) for row in grid]
    across = zip(*grid, strict=True)
    columns = [next((known[x][1] for x in column if x), ()) for column in across]
    return tuple(x for part in rows for x in part), tuple(x for part in columns for x in part)
