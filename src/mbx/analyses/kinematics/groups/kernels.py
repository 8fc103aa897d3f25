"""The constraints of a group and their derivatives in machine code, as functions of numbers.

What goes in is one array: phi, h, t, then rates phid, hd, hdd. The rates of Jacobians along any
direction (w of phi, z of h, 1 or 0 of t) are what a third-order tensor is made of.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.kinematics.groups.group import rate
from mbx.codegen.native.scalar_function import Scalars
from mbx.expr.derivatives import along
from mbx.expr.nodes import Node, symbol
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.kinematics.groups.group import Group
    from mbx.analyses.kinematics.groups.group_shape import Shape
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Kernels", "Kit"]


def _column(nodes: list[Node] | tuple[Node, ...]) -> list[list[Node]]:
    return [[node] for node in nodes]


class Kit:
    """Functions of a shape, each compiled when it is first needed."""

    def __init__(self, shape: Shape) -> None:
        """Take a shape; its numbers are zero here, and each group puts in its numbers."""
        self.shape = shape
        self._arguments = [*shape.group.phi, *shape.group.h, TIME]

    def _made(
        self, symbols: Sequence[Node], results: Mapping[str, Sequence[Sequence[Node]]]
    ) -> Scalars:
        return Scalars(symbols, results, parameters=dict.fromkeys(self.shape.numbers, 0.0))

    @cached_property
    def position(self) -> Scalars:
        """Phi and Phi_phi."""
        group = self.shape.group
        return self._made(self._arguments, {"Phi": _column(group.rows), "J": group.Phi_phi})

    @cached_property
    def velocity(self) -> Scalars:
        """Phi_phi, and Phi_h hd + Phi_t."""
        group = self.shape.group
        symbols = [*self._arguments, *map(rate, group.h)]
        return self._made(symbols, {"J": group.Phi_phi, "v": _column(group.velocity)})

    @cached_property
    def acceleration(self) -> Scalars:
        """Phi_h hdd + dot(Phi_qG) qd_G + dot(Phi_t)."""
        group = self.shape.group
        rates = [*map(rate, group.phi), *map(rate, group.h)]
        twice = [rate(h, 2) for h in group.h]
        return self._made([*self._arguments, *rates, *twice], {"a": _column(group.acceleration)})

    @cached_property
    def inputs(self) -> Scalars:
        """Phi_h and Phi_t."""
        group = self.shape.group
        return self._made(self._arguments, {"H": group.Phi_h, "t": _column(group.Phi_t)})

    @cached_property
    def slices(self) -> Scalars:
        """How Phi_phi, Phi_h and Phi_t change along a direction."""
        group = self.shape.group
        way: dict[Node, Node] = {x: symbol(f"{x.value}~") for x in (*group.phi, *group.h)} | {
            TIME: symbol("t~")
        }
        J = [along(row, way) for row in group.Phi_phi]
        H = [along(row, way) for row in group.Phi_h]
        T = along(group.Phi_t, way)
        return self._made([*self._arguments, *way.values()], {"J": J, "H": H, "t": _column(T)})


class Kernels:
    """What a group's solver evaluates: functions of its shape with its numbers."""

    def __init__(self, group: Group, kit: Kit, values: Sequence[float]) -> None:
        """Take a group, the functions of its shape, and its numbers."""
        self.group = group
        self.kit = kit
        self.values = tuple(values)

    @cached_property
    def _position(self) -> Scalars:
        return self.kit.position.with_values(self.values)

    def position(self, phi: Array, h: Array, t: float) -> tuple[Array, Array]:
        """Return Phi and Phi_phi."""
        results = self._position(np.concatenate([phi, h, [t]]))
        return results["Phi"][:, 0], results["J"]

    def jacobians(self, phi: Array, h: Array, t: Array) -> Array:
        """Return Phi_phi at several positions, which the first axis counts."""
        return self._position.many(np.concatenate([phi, h, t[:, None]], axis=1))["J"]

    @cached_property
    def _velocity(self) -> Scalars:
        return self.kit.velocity.with_values(self.values)

    def velocity(self, phi: Array, h: Array, t: float, hd: Array) -> tuple[Array, Array]:
        """Return Phi_phi and Phi_h hd + Phi_t."""
        results = self._velocity(np.concatenate([phi, h, [t], hd]))
        return results["J"], results["v"][:, 0]

    @cached_property
    def _acceleration(self) -> Scalars:
        return self.kit.acceleration.with_values(self.values)

    def acceleration(
        self, phi: Array, h: Array, t: float, phid: Array, hd: Array, hdd: Array
    ) -> Array:
        """Return Phi_h hdd + dot(Phi_qG) qd_G + dot(Phi_t)."""
        results = self._acceleration(np.concatenate([phi, h, [t], phid, hd, hdd]))
        return results["a"][:, 0]

    @cached_property
    def _inputs(self) -> Scalars:
        return self.kit.inputs.with_values(self.values)

    def inputs(self, phi: Array, h: Array, t: float) -> tuple[Array, Array]:
        """Return Phi_h and Phi_t."""
        results = self._inputs(np.concatenate([phi, h, [t]]))
        return results["H"], results["t"][:, 0]

    @cached_property
    def _slices(self) -> Scalars:
        return self.kit.slices.with_values(self.values)

    def along(
        self, phi: Array, h: Array, t: float, w: Array, z: Array, way: float
    ) -> tuple[Array, Array, Array]:
        """Return how Phi_phi, Phi_h and Phi_t change along a direction, (38)."""
        results = self._slices(np.concatenate([phi, h, [t], w, z, [way]]))
        return results["J"], results["H"], results["t"][:, 0]
