"""Which blocks of a matrix over the links are not zero, for people to read.

D_Sigma  a link and those on its way to the ground
H_Sigma  a link, the one that carries it, and others that this one carries
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mbx.mechanics.tree.links import Links
    from mbx_converters.tree.block_cholesky import Neighbours

__all__ = ["describe"]

_SHOWN: Final = 16
"""Rows that are drawn; a larger matrix is described by numbers alone."""


def describe(name: str, tree: Links, neighbours: Neighbours) -> list[str]:
    """Return how many blocks are not zero, and a row for each link where these are few.

    `x` is a block, `.` a zero one, in the lower half; elimination from the last link to the
    first fills none of the zeros.
    """
    N = len(neighbours)
    if N < 2:  # noqa: PLR2004  one block has no pattern
        return []
    below = sum(len(near) for near in neighbours.values())
    lines = [f"{name}: {N} + {below} of {N * (N + 1) // 2} blocks of the lower half, no fill-in"]
    if N <= _SHOWN:
        for i, near in neighbours.items():
            row = " ".join("x" if j in near or j == i else "." for j in neighbours if j <= i)
            lines.append(f"{name}: {row}  {tree.links[i - 1].path}")
    return lines
