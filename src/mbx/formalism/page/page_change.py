"""Pages of forms in the rates of coordinates, of models that declare speeds: q' = N u + n.

The rows of a form in rates, E, are N^T E on the declared speeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.expr.algebra.elimination import split
from mbx.expr.build import add, mul
from mbx.formalism.page.page_model import PageModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node

__all__ = ["Change", "change_of"]


@dataclass(frozen=True, slots=True)
class Change:
    """The declared speeds of a model, and the rates by these.

    Attributes:
        model: The model in its speeds.
        qd: The rates of the coordinates.
        N: The accelerations of the coordinates by the rates of the speeds.
        n: What is left of them without these.
    """

    model: PageModel
    qd: tuple[Node, ...]
    N: tuple[tuple[Node, ...], ...]
    n: tuple[Node, ...]

    def project(self, rows: Sequence[Node]) -> list[Node]:
        """Return N^T rows."""
        return [
            add(*(mul(line[j], row) for line, row in zip(self.N, rows, strict=True)))
            for j in range(len(self.model.u))
        ]

    def express(self, rows: Sequence[Node]) -> list[Node]:
        """Return rows in rates as rows in speeds: N^T rows, with the rates replaced."""
        return self.project(self.model.motion.express(rows))


def change_of(model: PageModel) -> Change | None:
    """Return the declared speeds of a model in rates; None if these are not its unknowns."""
    system = model.system
    if not system.defined or any(row.kind == "definition" for row in system.rows):
        return None
    in_speeds = PageModel(system, model.equations, model.options)
    moving = in_speeds.motion
    rates = [moving.qd[v.symbol] for v in system.q]
    N, n = split(moving.rate(rates), moving.ud)
    width, size = len(moving.u), len(moving.u) * len(rates)
    short = [in_speeds.tidy([x])[0] for x in (*(y for row in N for y in row), *n, *rates)]
    return Change(
        in_speeds,
        tuple(short[size + len(n) :]),
        tuple(tuple(short[k : k + width]) for k in range(0, size, width)),
        tuple(short[size : size + len(n)]),
    )
