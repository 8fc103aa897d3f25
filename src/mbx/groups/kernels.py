"""The constraints of a group and their derivatives in machine code, as functions of numbers.

What goes in is one array: phi, h, t, then rates phid, hd, hdd. The rates of Jacobians along any
direction (w of phi, z of h, 1 or 0 of t) are what a third-order tensor is made of.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mbx.compiled.scalars import Scalars
from mbx.expr.diff import along
from mbx.expr.nodes import Node, symbol
from mbx.groups.group import rate
from mbx.system.names import TIME

if TYPE_CHECKING:
    from mbx.formalism.numerics import Array
    from mbx.groups.group import Group

__all__ = ["Kernels"]


def _column(nodes: list[Node] | tuple[Node, ...]) -> list[list[Node]]:
    return [[node] for node in nodes]


class Kernels:
    """What a group's solver evaluates."""

    def __init__(self, group: Group) -> None:
        """Take a group; each function is compiled when it is first called."""
        self.group = group
        self._place = [*group.phi, *group.h, TIME]

    @cached_property
    def _position(self) -> Scalars:
        group = self.group
        return Scalars(self._place, {"Phi": _column(group.rows), "J": group.Phi_phi})

    def position(self, phi: Array, h: Array, t: float) -> tuple[Array, Array]:
        """Return Phi and Phi_phi."""
        found = self._position(np.concatenate([phi, h, [t]]))
        return found["Phi"][:, 0], found["J"]

    @cached_property
    def _velocity(self) -> Scalars:
        group = self.group
        symbols = [*self._place, *map(rate, group.h)]
        return Scalars(symbols, {"J": group.Phi_phi, "v": _column(group.velocity)})

    def velocity(self, phi: Array, h: Array, t: float, hd: Array) -> tuple[Array, Array]:
        """Return Phi_phi and Phi_h hd + Phi_t."""
        found = self._velocity(np.concatenate([phi, h, [t], hd]))
        return found["J"], found["v"][:, 0]

    @cached_property
    def _acceleration(self) -> Scalars:
        group = self.group
        rates = [*map(rate, group.phi), *map(rate, group.h)]
        twice = [rate(h, 2) for h in group.h]
        return Scalars([*self._place, *rates, *twice], {"a": _column(group.acceleration)})

    def acceleration(
        self, phi: Array, h: Array, t: float, phid: Array, hd: Array, hdd: Array
    ) -> Array:
        """Return Phi_h hdd + dot(Phi_qG) qd_G + dot(Phi_t)."""
        found = self._acceleration(np.concatenate([phi, h, [t], phid, hd, hdd]))
        return found["a"][:, 0]

    @cached_property
    def _inputs(self) -> Scalars:
        group = self.group
        return Scalars(self._place, {"H": group.Phi_h, "t": _column(group.Phi_t)})

    def inputs(self, phi: Array, h: Array, t: float) -> tuple[Array, Array]:
        """Return Phi_h and Phi_t."""
        found = self._inputs(np.concatenate([phi, h, [t]]))
        return found["H"], found["t"][:, 0]

    @cached_property
    def _slices(self) -> Scalars:
        group = self.group
        way: dict[Node, Node] = {x: symbol(f"{x.value}~") for x in (*group.phi, *group.h)} | {
            TIME: symbol("t~")
        }
        J = [along(row, way) for row in group.Phi_phi]
        H = [along(row, way) for row in group.Phi_h]
        T = along(group.Phi_t, way)
        return Scalars([*self._place, *way.values()], {"J": J, "H": H, "t": _column(T)})

    def along(
        self, phi: Array, h: Array, t: float, w: Array, z: Array, way: float
    ) -> tuple[Array, Array, Array]:
        """Return how Phi_phi, Phi_h and Phi_t change along a direction, (38)."""
        found = self._slices(np.concatenate([phi, h, [t], w, z, [way]]))
        return found["J"], found["H"], found["t"][:, 0]
