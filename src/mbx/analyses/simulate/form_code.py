"""A form in machine code: with all values put in, or made once for many values of parameters."""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mbx.analyses.experiments.experiment_start import inputs_of
from mbx.analyses.experiments.observe import given_inputs
from mbx.base.errors import BackendError, EquationsError
from mbx.codegen.native.choose_backend import build
from mbx.codegen.native.function import Function
from mbx.codegen.target import Subject
from mbx.numerics.execute.straight_line import own_values

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.expr.nodes import Node, Number
    from mbx.formalism.equations import Equations

__all__ = ["INACCURATE", "INACCURATE_START", "OpenCode", "compiled", "put_in"]

INACCURATE: Final = "machine code lost accuracy on the way"
INACCURATE_START: Final = "machine code is not accurate at the start"
_FORMS: Final = 4
"""Forms of which code is kept."""


def put_in(plan: Plan, equations: Equations, free: Collection[str] = ()) -> dict[Node, Number]:
    """Return the values of parameters and inputs that have a number, but of what is free."""
    signature = equations.signature
    inputs = given_inputs(equations, inputs_of(plan))
    said = {
        one.symbol: float(numbers[one.path])
        for some, numbers in ((signature.parameters, plan.parameters), (signature.inputs, inputs))
        for one in some
        if one.path in numbers and one.path not in free
    }
    bound = tuple(one for one in signature.parameters if one.path not in free)
    return own_values(replace(signature, parameters=bound), said)


def compiled(plan: Plan, equations: Equations) -> tuple[Function | None, str]:
    """Return a form in machine code with the values of a plan, and why there is none.

    It is made for the plan alone, unless code is open that is made for more of them. There is
    none without a compiler, or where the form cannot be written out.
    """
    code = _OPEN.get()
    found = None if code is None else code.at(plan, equations)
    return _built(plan, equations, ()) if found is None else (found, "")


def _built(plan: Plan, equations: Equations, free: Collection[str]) -> tuple[Function | None, str]:
    values = put_in(plan, equations, free)
    try:
        found = build(Subject(equations=equations, values=values), ("qd", "ud"))
    except (BackendError, EquationsError) as reason:
        return None, f"no machine code: {reason}"
    if isinstance(found, Function):
        return found, ""
    return None, f"{equations.formalism} cannot be written out as machine code"


class OpenCode:
    """Forms that are compiled once, with some parameters and inputs left open."""

    def __init__(self, free: Collection[str]) -> None:
        """Keep what is left open."""
        self._free = frozenset(free)
        self._known: deque[tuple[Equations, list[dict[str, float]], Function | None]]
        self._known = deque(maxlen=_FORMS)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Let `compiled` use it."""
        token = _OPEN.set(self)
        try:
            yield
        finally:
            _OPEN.reset(token)

    def at(self, plan: Plan, equations: Equations) -> Function | None:
        """Return a form with the values of a plan; None where it must be made for the plan."""
        function = self._function(plan, equations)
        if function is None:
            return None
        return function.with_values({"parameters": plan.parameters, "inputs": plan.inputs})

    def _function(self, plan: Plan, equations: Equations) -> Function | None:
        rest = [
            {path: value for path, value in some.items() if path not in self._free}
            for some in (plan.parameters, plan.inputs)
        ]
        for known, others, function in self._known:
            if known is equations and others == rest:
                return function
        found, _ = _built(plan, equations, self._free)
        if found is not None:
            # one that the model makes of others is no argument of the code
            taken = found.arguments
            if not self._free <= {*taken["parameters"], *taken["inputs"]}:
                found = None
        self._known.append((equations, rest, found))
        return found


_OPEN: Final[ContextVar[OpenCode | None]] = ContextVar("open code", default=None)
