"""What people read around the equations: a headline, the table of symbols, lines that fit."""

from __future__ import annotations

from fractions import Fraction
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from mbx.expr.show import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations, Quantity, Signature
    from mbx.formalism.program import Step

__all__ = [
    "GROUPS",
    "break_sum",
    "headline",
    "is_symmetric",
    "rows_of",
    "symbol_rows",
    "table",
    "unit",
]

GROUPS: Final = (
    ("q", "coordinates"),
    ("u", "speeds"),
    ("higher", "higher rates"),
    ("highest", "unknowns"),
    ("derived", "rates"),
    ("inputs", "inputs"),
    ("parameters", "parameters"),
)
"""The groups of a signature, and what people call them."""

_NARROW: Final = 30  # characters of a last column at least
_VALUE: Final = 200  # characters of a value in the table


def headline(equations: Equations) -> str:
    """Return form, variant and model in a few words."""
    variant = f", variant {equations.variant}" if equations.variant else ""
    return f"{equations.title}{variant}: {equations.model}"


def unit(text: str) -> str:
    """Return a unit for a table, `-` for a pure number."""
    return "-" if text in {"", "1"} else text


def symbol_rows(signature: Signature) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of symbols, each group under its heading."""
    for group, title in GROUPS:
        quantities: Sequence[Quantity] = getattr(signature, group)
        for k, one in enumerate(quantities):
            meaning = one.meaning
            if one.value is not None and group in {"parameters", "inputs"}:
                text = _value(one.value)
                meaning = f"{meaning} = {text}" if meaning else f"= {text}"
            yield title if k == 0 else "", one.path, unit(one.unit), meaning


def _value(node: Node) -> str:
    """Return a value as text: an exact decimal as such."""
    if isinstance(node.value, Fraction) and node.op == "number":
        number = float(node.value)
        if Fraction(repr(number)) == node.value:
            return repr(number)
    return show(node, limit=_VALUE)


def table(rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]], width: int) -> Iterator[str]:
    """Yield rows with their columns in line; the last one goes on below where it is long."""
    found = list(rows)
    if not found:
        return
    widths = [max(len(row[k]) for row in found) for k in range(len(found[0]) - 1)]
    for row in found:
        cells = [f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)]
        lead = "  ".join(["", *cells, ""])
        room = max(width - len(lead), _NARROW)
        first, *more = wrap(row[-1], room, break_on_hyphens=False) or [""]
        yield lead + first
        yield from (" " * len(lead) + line for line in more)


def is_symmetric(step: Step, texts: list[list[str]]) -> bool:
    """Return whether a matrix of more than one row is symmetric, by the texts of its entries."""
    n = len(texts)
    if n != len(texts[0]) or n == 1 or step.row_labels != step.column_labels:
        return False
    return all(texts[i][j] == texts[j][i] for i in range(n) for j in range(i))


def rows_of(indices: Sequence[int]) -> str:
    """Return row numbers from 1 on, runs as `first..last`."""
    runs: list[list[int]] = []
    for k in indices:
        if runs and k == runs[-1][-1] + 1:
            runs[-1].append(k)
        else:
            runs.append([k])
    return ", ".join(
        f"{run[0] + 1}..{run[-1] + 1}" if len(run) > 1 else str(run[0] + 1) for run in runs
    )


def break_sum(head: str, text: str, width: int) -> Iterator[str]:
    """Yield `head` and a sum behind it on lines that fit, broken before plus and minus.

    A product that is too long by itself is broken behind a star.
    """
    indent = " " * min(len(head), 12)
    lead, rest = head, text
    while len(lead) + len(rest) > width:
        at = _best_break(rest, width - len(lead))
        if at is None or at > width - len(lead):
            star = rest.rfind("*", 1, width - len(lead))
            if star > 0:
                yield lead + rest[: star + 1]
                lead, rest = indent, rest[star + 1 :]
                continue
        if at is None:
            break
        yield lead + rest[:at]
        lead, rest = indent, rest[at + 1 :]
    yield lead + rest


def _best_break(text: str, width: int) -> int | None:
    """Return the break with the fewest brackets around it, the last of these that fits."""
    depth = 0
    found: list[tuple[int, int]] = []
    for k, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if k and text[k : k + 3] in {" + ", " - "}:
            if k > width and found:
                break
            found.append((k, depth))
    late = [one for one in found if one[0] > width * 2 // 5] or found
    return min(late, key=lambda one: (one[1], -one[0]))[0] if late else None
