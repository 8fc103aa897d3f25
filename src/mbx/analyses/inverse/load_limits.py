"""Both limits of what loads bring about at a state where they jump, as friction at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.analyses.experiments.load_variants import with_loads
from mbx.analyses.experiments.observe import Observer
from mbx.analyses.inverse.load_switches import arguments_at, switches_of
from mbx.analyses.jammed import why_none
from mbx.analyses.named_reactions import named_reactions
from mbx.formalism import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.observe import Place
    from mbx.system.system import System

__all__ = ["Limit", "limits_at"]

ZERO: Final = 1e-12
"""Below it, in SI units, the argument of a sign is zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a jump leaves of accelerations and reactions on its two sides.

    Attributes:
        name: What is zero at the state.
        loads: The loads that jump there.
        below, above: Accelerations and named reactions by path, from where it is negative and
            positive; a text that says why, where there are none.
    """

    name: str
    loads: tuple[str, ...]
    below: Mapping[str, float] | str
    above: Mapping[str, float] | str

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        sides = {"below": self.below, "above": self.above}
        told = {k: v if isinstance(v, str) else dict(v) for k, v in sides.items()}
        return {"of": self.name, "loads": list(self.loads), **told}


def limits_at(system: System, form: str, place: Place) -> tuple[Limit, ...]:
    """Return the limits at a state by a form, for everything that jumps there with the motion."""
    switches = switches_of(system)
    if not switches:
        return ()
    zero = np.abs(arguments_at(system, switches, [place])[0]) <= ZERO
    return tuple(
        Limit(
            name=one.name,
            loads=one.loads,
            below=_side(with_loads(system, {one.node: one.on(-1)}), form, place),
            above=_side(with_loads(system, {one.node: one.on(1)}), form, place),
        )
        for one, here in zip(switches, zero, strict=True)
        if here
    )


def _side(system: System, form: str, place: Place) -> dict[str, float] | str:
    equations = registry.derive(system, form)
    (seen,) = Observer(system).at(equations, [place])
    if not seen.regular:
        return why_none(system, form, equations, place, seen.status)
    paths = [one.path for one in equations.signature.highest]
    found = dict(zip(paths, map(float, seen.ud), strict=True))
    for name, node in named_reactions(system):
        value = seen.of(node)
        if value is not None:
            found[name] = value
    return found
