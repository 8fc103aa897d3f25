"""Trees of bodies as parent arrays, and the limit systems on which methods are compared.

Bodies and hinges are numbered from 1; `k_i < i` is the parent of body i, and 0 is the ground.
V. Ivanov, V. Shimanovskiy, J. Appl. Comput. Mech. 9(4), 2023, 1107-1121, sections 3 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = [
    "MOST_FREEDOMS",
    "Shape",
    "Tree",
    "binary_tree",
    "carousel",
    "chain",
    "equal_chains",
    "limit_system",
]

MOST_FREEDOMS: Final = 6
"""Of one hinge."""

Shape = Literal["chain", "carousel", "binary tree"]


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of bodies.

    Attributes:
        parents: k_i of each body, 0 for the ground.
        freedoms: n_i of the hinge that carries it.
    """

    parents: tuple[int, ...]
    freedoms: tuple[int, ...]

    def __post_init__(self) -> None:
        """Refuse what is no tree."""
        if len(self.parents) != len(self.freedoms):
            message = "each body has one parent and one hinge"
            raise ValueError(message)
        for i, (parent, freedoms) in enumerate(zip(self.parents, self.freedoms, strict=True), 1):
            if not 0 <= parent < i:
                message = f"the parent of body {i} is one before it or the ground, not {parent}"
                raise ValueError(message)
            if not 0 <= freedoms <= MOST_FREEDOMS:
                message = f"hinge {i} has 0 to {MOST_FREEDOMS} freedoms, not {freedoms}"
                raise ValueError(message)

    @property
    def roots(self) -> int:
        """How many bodies the ground carries."""
        return self.parents.count(0)

    def depths(self) -> tuple[int, ...]:
        """Return |P_i|: how many hinges lie between the ground and each body."""
        depths = [0]
        for parent in self.parents:
            depths.append(depths[parent] + 1)
        return tuple(depths[1:])


def chain(bodies: int, freedoms: int) -> Tree:
    """Return a chain: each body but the last carries one."""
    return Tree(tuple(range(bodies)), (freedoms,) * bodies)


def carousel(bodies: int, freedoms: int) -> Tree:
    """Return a carousel: the first body carries all others."""
    return Tree((0, *(1,) * (bodies - 1)), (freedoms,) * bodies)


def binary_tree(levels: int, freedoms: int) -> Tree:
    """Return a binary tree: each body above the last level carries two."""
    bodies = 2**levels - 1
    return Tree(tuple(i // 2 for i in range(1, bodies + 1)), (freedoms,) * bodies)


def equal_chains(chains: int, length: int, freedoms: int) -> Tree:
    """Return a base body that carries chains of the same length."""
    parents = [0]
    for _ in range(chains):
        parents.append(1)
        parents.extend(range(len(parents), len(parents) + length - 1))
    return Tree(tuple(parents), (freedoms,) * len(parents))


def limit_system(shape: Shape, size: int, freedoms: int) -> Tree:
    """Return a limit system: of so many bodies or, of a binary tree, of so many levels."""
    make = {"chain": chain, "carousel": carousel, "binary tree": binary_tree}
    return make[shape](size, freedoms)
