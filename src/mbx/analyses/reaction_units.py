"""The units of reactions that have a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.base.diagnostics import Report
from mbx.checking.run_rules import examine
from mbx.language.units import usual_unit
from mbx.mechanics.reactions import COMPONENTS

if TYPE_CHECKING:
    from mbx.linking.link import Linked

__all__ = ["WRENCH", "reaction_units"]

WRENCH = dict(zip(COMPONENTS, (*["N"] * 3, *["N*m"] * 3), strict=True))
"""The units of force and torque, by component."""


def reaction_units(linked: Linked) -> dict[str, str]:
    """Return the SI units of reactions by their names, those of joints by component."""
    context, _ = examine(linked, Report())
    units: dict[str, str] = {}
    for symbol in [] if context is None else context.order:
        if symbol.kind != "reaction" or context is None:
            continue
        if symbol.node.kind == "joint":
            units |= {f"{symbol.path}.{component}": unit for component, unit in WRENCH.items()}
            continue
        unit = usual_unit(context.quantities[symbol].dimension)
        units |= dict.fromkeys([symbol.path, *(f"{symbol.path}.{x}" for x in "xyz")], unit)
    return units
