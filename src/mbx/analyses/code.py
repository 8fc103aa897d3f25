"""A form in machine code: with all values put in, or made once for many values of parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mbx.codegen.subject import Subject
from mbx.compiled.build import build
from mbx.compiled.function import Function
from mbx.errors import BackendError, EquationsError
from mbx.experiments.observe import given_inputs
from mbx.experiments.start import inputs_of
from mbx.formalism.straight import own_values

if TYPE_CHECKING:
    from collections.abc import Collection

    from mbx.codegen.subject import Places
    from mbx.experiments.plan import Plan
    from mbx.formalism.equations import Equations

__all__ = ["OpenCode", "compiled"]


def compiled(
    plan: Plan, equations: Equations, places: Places | None, free: Collection[str] = ()
) -> Function | None:
    """Return a form in machine code with all values put in but those of what is free.

    None where there is no compiler, or the form cannot be written out.
    """
    signature = equations.signature
    inputs = given_inputs(equations, inputs_of(plan))
    said = {
        one.symbol: float(numbers[one.path])
        for some, numbers in ((signature.parameters, plan.parameters), (signature.inputs, inputs))
        for one in some
        if one.path in numbers and one.path not in free
    }
    bound = tuple(one for one in signature.parameters if one.path not in free)
    values = own_values(replace(signature, parameters=bound), said)
    try:
        found = build(Subject(equations=equations, values=values, places=places), ("qd", "ud"))
    except (BackendError, EquationsError):
        return None
    return found if isinstance(found, Function) else None


class OpenCode:
    """A form that is compiled once, with some parameters and inputs left open."""

    def __init__(
        self, plan: Plan, equations: Equations, places: Places | None, free: Collection[str]
    ) -> None:
        """Compile a form for plans that differ in nothing but what is free."""
        self._free = frozenset(free)
        self._rest = self._fixed(plan)
        self._function = compiled(plan, equations, places, free)
        if self._function is not None:
            # one that the model makes of others is no argument of the code
            taken = self._function.arguments
            if not self._free <= {*taken["parameters"], *taken["inputs"]}:
                self._function = None

    def _fixed(self, plan: Plan) -> list[dict[str, float]]:
        return [
            {path: value for path, value in some.items() if path not in self._free}
            for some in (plan.parameters, plan.inputs)
        ]

    def at(self, plan: Plan) -> Function | None:
        """Return it with the values of a plan; None where it is not that plan's code."""
        if self._function is None or self._fixed(plan) != self._rest:
            return None
        said = {"parameters": plan.parameters, "inputs": plan.inputs}
        return self._function.with_values(said)
