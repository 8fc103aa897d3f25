"""Which method is cheapest where: by the published formulas, and by counts.

Ivanov and Shimanovskiy draw such diagrams for equal chains on one base body (Fig. 9), number of
chains by length. Here are these, and the limit systems: number of bodies by freedoms of a hinge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from mbx.analyses.costs.extend import counts_of
from mbx.analyses.costs.published_costs import METHODS, estimate
from mbx.analyses.costs.topologies import chain, equal_chains, limit_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mbx.analyses.costs.published_costs import Method
    from mbx.analyses.costs.topologies import Shape, Tree

__all__ = [
    "FREEDOMS",
    "SHAPES",
    "Cell",
    "Panel",
    "cheaper_from",
    "counted_panel",
    "crossover",
    "map_of_equal_chains",
    "published_panel",
    "sizes_of",
]

SHAPES: Final[tuple[Shape, ...]] = ("chain", "carousel", "binary tree")
FREEDOMS: Final = range(1, 7)
_MOST_BODIES: Final = 63


@dataclass(frozen=True, slots=True)
class Cell:
    """One limit system: what each method costs on it, and how that is known."""

    bodies: int
    freedoms: int
    costs: Mapping[str, int]
    known: Literal["counted", "extended", "published"]

    @property
    def winner(self) -> str | None:
        """The cheapest method, or those that are equally cheap; None if nothing is known."""
        least = min(self.costs.values(), default=None)
        return " = ".join(name for name, cost in self.costs.items() if cost == least) or None


@dataclass(frozen=True, slots=True)
class Panel:
    """The limit systems of one shape."""

    shape: Shape
    cells: tuple[Cell, ...]


def cheaper_from(
    first: Callable[[int], int | None], second: Callable[[int], int | None], sizes: Iterable[int]
) -> int | None:
    """Return the size from which on one method costs less than another; None if it never does."""
    smallest = None
    for size in sizes:
        left, right = first(size), second(size)
        if left is None or right is None or left >= right:
            smallest = None
        elif smallest is None:
            smallest = size
    return smallest


# -- by the formulas -------------------------------------------------------------------------


def crossover(cheaper: Method, than: Method, freedoms: int, most: int) -> int | None:
    """Return from how many bodies on a chain one estimate is below another; None: never."""
    return cheaper_from(
        lambda size: estimate(cheaper, chain(size, freedoms)),
        lambda size: estimate(than, chain(size, freedoms)),
        range(1, most + 1),
    )


def map_of_equal_chains(
    freedoms: int, chains: Iterable[int], lengths: Iterable[int]
) -> dict[tuple[int, int], Method]:
    """Return the cheapest method by number and length of chains; the base has a hinge as all."""
    lengths = tuple(lengths)
    return {
        (count, length): _best(equal_chains(count, length, freedoms))
        for count in chains
        for length in lengths
    }


def _best(tree: Tree) -> Method:
    return min(METHODS, key=lambda method: estimate(method, tree))


def sizes_of(shape: Shape) -> range:
    """Return the sizes on the map: numbers of bodies or, of a binary tree, of levels."""
    last = _MOST_BODIES.bit_length() if shape == "binary tree" else _MOST_BODIES
    return range(1, last + 1)


def published_panel(shape: Shape) -> Panel:
    """Return a part of the map by the published formulas."""
    cells = []
    for freedoms in FREEDOMS:
        for size in sizes_of(shape):
            tree = limit_system(shape, size, freedoms)
            costs: dict[str, int] = {method: estimate(method, tree) for method in METHODS}
            cells.append(Cell(len(tree.parents), freedoms, costs, "published"))
    return Panel(shape, tuple(cells))


# -- by counts -------------------------------------------------------------------------------


def counted_panel(
    shape: Shape,
    methods: Sequence[str],
    count: Callable[[str, Tree], int | None],
    report: Callable[[int, str], None],
) -> Panel:
    """Return a part of the map by counts.

    `count` returns the operations of a method on a tree, None where it cannot or where the tree
    is too large. A system on which one method is not known is left open. `report` receives the
    freedoms and the method of each count.
    """
    cells = []
    for n in FREEDOMS:
        counts = {}
        for name in methods:
            counts[name] = _counts(shape, n, name, count)
            report(n, name)
        for size in sizes_of(shape):
            costs = {name: entry[0](size) for name, entry in counts.items()}
            known = {name: cost for name, cost in costs.items() if cost is not None}
            bodies = len(limit_system(shape, size, n).parents)
            counted = all(size in entry[1] for entry in counts.values())
            whole = known if len(known) == len(methods) else {}
            cells.append(Cell(bodies, n, whole, "counted" if counted else "extended"))
    return Panel(shape, tuple(cells))


def _counts(
    shape: Shape, freedoms: int, name: str, count: Callable[[str, Tree], int | None]
) -> tuple[Callable[[int], int | None], set[int]]:
    """Return operations by size, and the sizes that were counted."""

    def count_at(size: int) -> int | None:
        return count(name, limit_system(shape, size, freedoms))

    if shape == "binary tree":  # it doubles with each level: the few there are can be counted
        every: dict[int, int] = {}
        for size in sizes_of(shape):
            count_of_size = count_at(size)
            if count_of_size is None:
                break
            every[size] = count_of_size
        return every.get, set(every)
    counts = counts_of(count_at)
    return counts.at, set(counts.counted)
