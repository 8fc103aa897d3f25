"""The four-step procedure: a mechanism as an ordered set of structural groups.

1. The frame goes, and what it ties becomes a candidate.
2. The shortest chain with a candidate that passes the structural test is a group, (14).
3. Its ties to the rest become directed, and what they lead to candidates.
4. So on, until every body belongs to a group.

The search for the shortest chains need not try all: every constraint of a tie may determine a
freedom of the vertices it ties, each vertex needs as many as it has, and what then needs each
other falls together (`mbx.expr.algebra.blocks`). These sets are the minimal ones that pass the
test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.base.errors import MbxError
from mbx.expr.algebra.blocks import matching, triangular_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.kinematics.groups.structural_graph import Count, Graph, Tie

__all__ = ["Chain", "NotDeterminedError", "decompose"]


class NotDeterminedError(MbxError):
    """A mechanism that its drivers leave undetermined, or over-determine: which body, and why.

    `special` means that it may have a special geometry, and be determined as a whole.
    """

    def __init__(self, message: str, *, special: bool = False) -> None:
        """Keep both."""
        super().__init__(message)
        self.special = special


@dataclass(frozen=True, slots=True)
class Chain:
    """A structural group of the graph.

    Attributes:
        vertices: Its bodies, as the model lists them, and coordinates of their own.
        needs: Numbers of the groups that it takes its inputs from; -1 is the frame.
        count: The numbers of its structural test.
        ties: The ties that determine it.
    """

    vertices: tuple[str, ...]
    needs: tuple[int, ...]
    count: Count
    ties: tuple[Tie, ...]


def decompose(graph: Graph) -> list[Chain]:
    """Return the structural groups in the order in which they are solved."""
    left = _minimal(graph)
    solved: dict[str, int] = {}
    chains: list[Chain] = []
    index = {name: k for k, name in enumerate(graph.vertices)}
    while left:
        ready = [chain for chain in left if _ready(graph, chain, solved)]
        chain = min(ready, key=lambda names: (len(names), min(index[v] for v in names)))
        left.remove(chain)
        count = graph.count(chain, solved)
        if not count.holds:
            raise NotDeterminedError(f"the structural test fails at {_named(chain)}")
        mine = _ties(graph, chain, solved)
        needs = {solved[v] for tie in mine for v in tie.vertices if v in solved}
        if any(not {*tie.vertices} - {*chain} and len(tie.vertices) == 1 for tie in mine):
            needs.add(-1)
        order = tuple(sorted(chain, key=index.__getitem__))
        solved |= dict.fromkeys(chain, len(chains))
        chains.append(Chain(order, tuple(sorted(needs)), count, tuple(mine)))
    return chains


def _ties(graph: Graph, chain: set[str], solved: dict[str, int]) -> list[Tie]:
    known = {*chain, *solved}
    return [t for t in graph.ties if {*t.vertices} & chain and {*t.vertices} <= known]


def _ready(graph: Graph, chain: set[str], solved: dict[str, int]) -> bool:
    """Return whether a chain has all its constraints with what is solved."""
    ties = _ties(graph, chain, solved)
    return sum(t.rows + t.driven for t in ties) >= sum(graph.vertices[v] for v in chain)


def _minimal(graph: Graph) -> list[set[str]]:
    """Return the smallest sets of vertices that are determined once others are."""
    owner = [name for name, freedoms in graph.vertices.items() for _ in range(freedoms)]
    columns: dict[str, list[int]] = {}
    for k, name in enumerate(owner):
        columns.setdefault(name, []).append(k)
    ties = [tie for tie in graph.ties for _ in range(tie.rows + tie.driven)]
    pattern = [[k for v in tie.vertices for k in columns[v]] for tie in ties]
    matched = matching(pattern)
    if len(matched) < len(owner) or len(matched) < len(pattern):
        _refuse(graph, ties, pattern, matched, owner)
    return [{owner[k] for k in block} for _, block in triangular_blocks(pattern)]


def _refuse(
    graph: Graph,
    ties: Sequence[Tie],
    pattern: Sequence[Sequence[int]],
    matched: dict[int, int],
    owner: Sequence[str],
) -> None:
    """Report which part has too few constraints, and which too many (Dulmage and Mendelsohn)."""
    row_of = {column: row for row, column in matched.items()}
    rows_at: dict[int, list[int]] = {}
    for row, columns in enumerate(pattern):
        for column in columns:
            rows_at.setdefault(column, []).append(row)
    reasons = []
    over = {row for row in range(len(pattern)) if row not in matched}
    if over:
        reached, queue = set(over), list(over)
        for row in queue:
            for column in pattern[row]:
                other = row_of[column]
                if other not in reached:
                    reached.add(other)
                    queue.append(other)
        bodies = dict.fromkeys(v for row in sorted(reached) for v in ties[row].vertices)
        drives = dict.fromkeys(ties[row].path for row in sorted(reached) if ties[row].driven)
        why = f"drives {_named(drives)}" if drives else "nothing is driven there"
        reasons.append(
            f"{_named(bodies)} {_have(bodies)} {len(over)} too many constraints ({why}),"
            " or a special geometry that a count of freedoms does not see"
        )
    free = {column for column in range(len(owner)) if column not in row_of}
    if free:
        seen, line = set(free), list(free)
        for column in line:
            for row in rows_at.get(column, ()):
                other = matched[row]
                if other not in seen:
                    seen.add(other)
                    line.append(other)
        bodies = dict.fromkeys(owner[column] for column in sorted(seen))
        reasons.append(
            f"{_named(bodies)} {_keep(bodies)} {len(free)}"
            f" {'freedom' if len(free) == 1 else 'freedoms'} that nothing drives"
        )
    counted = f"mobility {graph.mobility}, {graph.driven} driven"
    raise NotDeterminedError(
        f"not kinematically determined ({counted}): {'; '.join(reasons)}", special=bool(over)
    )


def _named(names: Sequence[str] | dict[str, None] | set[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _have(names: dict[str, None]) -> str:
    return "has" if len(names) == 1 else "have"


def _keep(names: dict[str, None]) -> str:
    return "keeps" if len(names) == 1 else "keep"
