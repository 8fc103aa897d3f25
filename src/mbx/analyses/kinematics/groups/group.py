"""Structural groups: inputs h, unknowns phi, and constraints between them, (17)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from mbx.analyses.kinematics.groups.decompose import NotDeterminedError
from mbx.analyses.kinematics.groups.group_names import named
from mbx.expr.derivatives import along, jacobian
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ONE, ZERO, symbol
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.analyses.kinematics.groups.decompose import Chain
    from mbx.analyses.kinematics.natural.natural_view import View
    from mbx.expr.nodes import Node

__all__ = ["Group", "group_of", "groups_of", "rate", "readouts_of", "whole_of"]

_SHOWN: Final = 6
"""Bodies of a group that a message lists."""


def rate(node: Node, order: int = 1) -> Node:
    """Return the symbol of the rate of a coordinate."""
    return symbol(f"{node.value}{chr(39) * order}")


@dataclass(frozen=True, eq=False)
class Group:
    """A structural group.

    Attributes:
        name: What it is: 1R, 3R and so on, "generic", or "readout" for coordinates of the model.
        bodies: Its bodies, and coordinates that stand by themselves.
        phi: Its unknowns, r of them.
        h: Its inputs, s of them: of groups before, driven or frozen.
        rows: Its constraints, p of them, in phi, h and t.
        kinds: What each of them states.
    """

    name: str
    bodies: tuple[str, ...]
    phi: tuple[Node, ...]
    h: tuple[Node, ...]
    rows: tuple[Node, ...]
    kinds: tuple[str, ...] = ()

    @property
    def square(self) -> bool:
        """Whether there are as many constraints as unknowns, p = r."""
        return len(self.rows) == len(self.phi)

    @property
    def label(self) -> str:
        """What it is called in messages."""
        more = len(self.bodies) - _SHOWN
        bodies = ", ".join(self.bodies[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
        return f"{self.name} ({bodies})"

    # -- derivatives -------------------------------------------------------------------------

    @cached_property
    def Phi_phi(self) -> list[list[Node]]:  # noqa: N802  the paper's letter
        """The Jacobian by the unknowns, p x r."""
        return jacobian(self.rows, self.phi)

    @cached_property
    def Phi_h(self) -> list[list[Node]]:  # noqa: N802  likewise
        """The Jacobian by the inputs, p x s."""
        return jacobian(self.rows, self.h)

    @cached_property
    def Phi_t(self) -> list[Node]:  # noqa: N802  likewise
        """The derivatives by time at fixed coordinates."""
        return along(self.rows, {TIME: ONE})

    @cached_property
    def velocity(self) -> list[Node]:
        """Phi_h hd + Phi_t, of (22c)."""
        return along(self.rows, {h: rate(h) for h in self.h} | {TIME: ONE})

    @cached_property
    def acceleration(self) -> list[Node]:
        """Phi_h hdd + dot(Phi_qG) qd_G + dot(Phi_t), of (30b)."""
        moving = {x: rate(x) for x in (*self.phi, *self.h)} | {TIME: ONE}
        once = along(self.rows, moving)
        return along(once, moving | {rate(h): rate(h, 2) for h in self.h})

    @property
    def rheonomic(self) -> bool:
        """Whether its constraints depend on time itself."""
        return any(x is not ZERO for x in self.Phi_t)


def group_of(
    name: str,
    bodies: Sequence[str],
    phi: Sequence[Node],
    rows: Sequence[Node],
    kinds: Sequence[str] = (),
) -> Group:
    """Return a group; its inputs are what else its constraints name."""
    mine = {*phi, TIME}
    h = tuple(s for s in free_symbols(rows) if s not in mine)
    return Group(name, tuple(bodies), tuple(phi), h, tuple(rows), tuple(kinds))


def groups_of(view: View, chains: Sequence[Chain]) -> list[Group]:
    """Return the groups of a decomposition that have unknowns, in order."""
    groups = []
    for k, chain in enumerate(chains):
        phi = [s for s, group in view.coordinates.items() if group == k]
        mine = [equation for equation in view.equations if equation.group == k]
        if len(mine) < len(phi):
            raise NotDeterminedError(
                f"{', '.join(chain.vertices)}: {len(phi)} natural coordinates have {len(mine)}"
                " constraints"
            )
        if phi:
            kinds = [equation.kind for equation in mine]
            name = named(view, chain)
            groups.append(group_of(name, chain.vertices, phi, [e.value for e in mine], kinds))
    return groups


def whole_of(view: View) -> Group:
    """Return the whole mechanism as one group: the global formulation, 2.1 of the paper."""
    equations = sorted(view.equations, key=lambda equation: equation.group)
    phi = sorted(view.coordinates, key=lambda s: view.coordinates[s])
    bodies = tuple(view.order)
    kinds = [equation.kind for equation in equations]
    if len(equations) < len(phi):
        raise NotDeterminedError(
            f"not kinematically determined: {len(phi)} natural coordinates have {len(equations)}"
            f" constraints, with {len(view.mechanism.drives)} driven"
        )
    return group_of("global", bodies, phi, [equation.value for equation in equations], kinds)


def readouts_of(view: View) -> list[Group]:
    """Return what solves the coordinates of the model that no constraint names."""
    return [
        group_of("readout", (readout.path,), readout.unknowns, readout.equations)
        for readout in view.readouts
    ]
