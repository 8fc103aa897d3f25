"""The structural graph: bodies, what ties them, and how many freedoms each tie leaves.

M. Saura, P. Segado, D. Dopico, Computational kinematics of multibody systems: two formulations
for a modular approach based on natural coordinates, section 3; equations are numbered as there.
A coordinate that stands by itself, as those of a particle, is a vertex with one freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["Count", "Graph", "Tie"]


@dataclass(frozen=True, slots=True)
class Tie:
    """A pair, or an invariant, between vertices; the ground is not among them.

    Attributes:
        path: The joint or invariant.
        vertices: What it ties.
        rows: How many constraints it is, without drivers: B - k of a pair, 1 of an invariant.
        freedoms: The grade k of a pair, its number of edges; -1 of an invariant.
        driven: Its root edges: prescribed motions.
        kind: The kind of the joint, or "invariant".
    """

    path: str
    vertices: tuple[str, ...]
    rows: int
    freedoms: int
    driven: int
    kind: str

    @property
    def is_pair(self) -> bool:
        """Whether it is a pair, and no invariant."""
        return self.freedoms >= 0


@dataclass(frozen=True, slots=True)
class Count:
    """The numbers behind the structural test of a chain.

    Attributes:
        bodies: N_m.
        pairs: P, internal ones and external ones that are directed to the chain.
        thin: L_th, edges of these pairs that nothing drives, less one for each invariant.
        driven: n_c.
        B: 3 in a plane, 6 in space.
    """

    bodies: int
    pairs: int
    thin: int
    driven: int
    B: int

    @property
    def holds(self) -> bool:
        """Whether the chain is a structural group: L_th = B (P - N_m), (14)."""
        return self.thin == self.B * (self.pairs - self.bodies)


@dataclass(frozen=True, slots=True)
class Graph:
    """Vertices with their freedoms, and ties."""

    B: int
    vertices: Mapping[str, int]
    ties: tuple[Tie, ...]

    @property
    def bodies(self) -> list[str]:
        """The vertices that are bodies."""
        return [name for name, b in self.vertices.items() if b == self.B]

    @property
    def mobility(self) -> int:
        """L_c = B N_m - sum e_k P_k, (11); invariants and coordinates of their own counted."""
        return sum(self.vertices.values()) - sum(tie.rows for tie in self.ties)

    @property
    def driven(self) -> int:
        """n_c: how many motions are prescribed."""
        return sum(tie.driven for tie in self.ties)

    def count(self, chain: Collection[str], solved: Collection[str]) -> Count:
        """Return the numbers of the structural test, (14), of a chain next to what is solved."""
        inside, known = set(chain), {*chain, *solved}
        mine = [t for t in self.ties if inside & {*t.vertices} and known >= {*t.vertices}]
        pairs = [tie for tie in mine if tie.is_pair]
        driven = sum(tie.driven for tie in pairs)
        alone = sum(self.vertices[v] for v in chain if self.vertices[v] != self.B)
        prescribed = sum(tie.driven for tie in mine if not tie.is_pair)
        stated = sum(tie.rows for tie in mine if not tie.is_pair)
        return Count(
            bodies=sum(self.vertices[v] == self.B for v in chain),
            pairs=len(pairs),
            thin=sum(tie.freedoms for tie in pairs) - driven - stated - prescribed + alone,
            driven=driven + prescribed + stated - (alone - prescribed),
            B=self.B,
        )
