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
    found: dict[str, str] = {}
    for one in [] if context is None else context.order:
        if one.kind != "reaction" or context is None:
            continue
        if one.node.kind == "joint":
            found |= {f"{one.path}.{component}": unit for component, unit in WRENCH.items()}
            continue
        unit = usual_unit(context.quantities[one].dimension)
        found |= dict.fromkeys([one.path, *(f"{one.path}.{x}" for x in "xyz")], unit)
    return found
