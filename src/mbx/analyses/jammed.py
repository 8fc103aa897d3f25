"""What is said where equations have no result at a state: which load jams, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.experiments.loads import reactive_loads
from mbx.experiments.observe import given_inputs
from mbx.formalism.evaluate import values_of
from mbx.formalism.jamming import growth_at

if TYPE_CHECKING:
    from mbx.experiments.observe import Place
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = ["why_none"]


def why_none(system: System, form: str, equations: Equations, place: Place, status: str) -> str:
    """Return why a form has no result at a place, in a line."""
    at = f"at t = {place.t:.6g} s"
    if status != "jamming":
        return f"{form} has no result {at}: it is {status} there"
    loads = ", ".join(f"'{path}'" for path in reactive_loads(system))
    inputs = given_inputs(equations, place.inputs)
    values = values_of(equations, place.state, place.parameters, inputs, place.t)
    growth = growth_at(equations, values)
    state = ", ".join(f"{v.path} = {place.state[v.path]:.6g}" for v in system.q)
    if growth is None:
        return f"{loads} jams {at}, at {state}: it grows at least as fast as what it depends on"
    many = "two solutions" if growth.solutions > 1 else "no solution"
    return (
        f"{loads} jams {at}, at {state}: it grows {growth.factor:.4g} times as fast as the"
        f" reactions that it depends on, which leaves {many}"
    )
