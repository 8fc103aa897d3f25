"""Why equations have no result at a state: which load jams, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.analyses.experiments.load_variants import reactive_loads
from mbx.analyses.experiments.observe import given_inputs
from mbx.numerics.execute.evaluate_equations import values_of
from mbx.numerics.execute.jamming import growth_at

if TYPE_CHECKING:
    from mbx.analyses.experiments.observe import Place
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = ["why_none"]


def why_none(system: System, form: str, equations: Equations, sample: Place, status: str) -> str:
    """Return why a form has no result at a sample, in a line."""
    if status != "jamming":
        return f"{form} has no result at t = {sample.t:.6g} s: it is {status} there"
    loads = ", ".join(f"'{path}'" for path in reactive_loads(system))
    inputs = given_inputs(equations, sample.inputs)
    values = values_of(equations, sample.state, sample.parameters, inputs, sample.t)
    growth = growth_at(equations, values)
    rate, so = "at least as fast as", ""
    if growth is not None:
        rate = f"{growth.factor:.4g} times as fast as"
        so = f", which leaves {'two solutions' if growth.solutions else 'no solution'}"
    at = sample.describe(system)
    return f"{loads} jams at {at}: it grows {rate} the reactions that it brings about{so}"
