"""The order in which a sparse square system falls into smaller systems (block triangular form)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["matching", "triangular_blocks"]


def matching(pattern: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return a largest matching of rows to columns; `pattern` lists the columns of each row."""
    row_of: dict[int, int] = {}
    for start in range(len(pattern)):
        reached: dict[int, int] = {}  # columns, each with the row it was reached from
        queue = [start]
        free = None
        for row in queue:
            for column in pattern[row]:
                if column not in reached:
                    reached[column] = row
                    if column not in row_of:
                        free = column
                        break
                    queue.append(row_of[column])
            if free is not None:
                break
        column_of = {row: column for column, row in row_of.items()}
        while free is not None:  # turn the path round, from its end
            row = reached[free]
            row_of[free] = row
            free = column_of.get(row)
    return {row: column for column, row in row_of.items()}


def triangular_blocks(pattern: Sequence[Sequence[int]]) -> list[tuple[list[int], list[int]]]:
    """Return rows and columns of the blocks, each after those whose unknowns it needs.

    The list is empty if no choice of one entry in each row and column exists.
    """
    column_of = matching(pattern)
    if len(column_of) < len(pattern):
        return []
    row_of = {column: row for row, column in column_of.items()}
    needs = [[row_of[column] for column in columns] for columns in pattern]
    return [(sorted(rows), sorted(column_of[row] for row in rows)) for rows in _components(needs)]


def _components(needs: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return the strongly connected parts of a graph, what is needed first (Tarjan 1972)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    components: list[list[int]] = []
    for start in range(len(needs)):
        path = [(start, iter(needs[start]))] if start not in number else []
        while path:
            v, rest = path[-1]
            if v not in number:
                number[v] = low[v] = len(number)
                stack.append(v)
            w = next(rest, None)
            if w is None:
                path.pop()
                if low[v] == number[v]:
                    part = stack[stack.index(v) :]
                    del stack[-len(part) :]
                    low.update(dict.fromkeys(part, len(needs)))  # finished: lowers nothing
                    components.append(part)
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[v])
            elif w in number:
                low[v] = min(low[v], low[w])
            else:
                path.append((w, iter(needs[w])))
    return components
