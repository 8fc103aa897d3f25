"""What a form costs on this machine: to generate code for it, and to run that."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.codegen.native.choose_backend import build
from mbx.codegen.native.clock import clock
from mbx.codegen.native.function import Function
from mbx.codegen.target import Subject, get
from mbx.formalism import registry
from mbx.numerics.execute.evaluate_equations import general_values
from mbx.numerics.execute.straight_line import own_values
from mbx.numerics.states.specialise import specialise, states_of

if TYPE_CHECKING:
    from mbx.codegen.native.program_function import ProgramFunction
    from mbx.formalism.equations import Equations
    from mbx.system.system import System

__all__ = ["Timing", "timed"]

_WANTED: Final = ("ud",)


@dataclass(frozen=True, slots=True)
class Timing:
    """Times and sizes of a form.

    Attributes:
        backend: What compiled it: llvm, cc, or numpy where it cannot be written out.
        generation: CPU seconds of this process from the model to a function for one state.
        text: Bytes of C, with all results that can be written out; None if none can.
        code: Bytes of machine code and what belongs to it, for accelerations at one state.
        single: Nanoseconds for one state.
        batch: Nanoseconds for a state, of many at once.
    """

    backend: str
    generation: float
    text: int | None
    code: int | None
    single: float
    batch: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def timed(system: System, form: str, *, symbolic: bool = False) -> Timing:
    """Return what the accelerations of a form cost; parameters are numbers unless `symbolic`."""
    begin = time.process_time()
    states = states_of(system)
    equations = specialise(registry.derive(system, form), states)
    values = {} if symbolic else own_values(equations.signature)
    subject = Subject(equations=equations, values=values)
    function = build(subject, _WANTED, keep=False)
    code = function.code.size if isinstance(function, Function) else None
    generation = time.process_time() - begin
    if equations.states is None:  # code needs no state, but a run does
        equations = replace(equations, states=states.sampled(equations))
    measured = clock(function, _arguments(equations, function))
    return Timing(
        function.backend, generation, _text(subject), code, measured.single, measured.batch
    )


def _text(subject: Subject) -> int | None:
    try:
        return sum(len(text.encode()) for text in get("c").write(subject).values())
    except EquationsError:
        return None


def _arguments(equations: Equations, function: Function | ProgramFunction) -> dict[str, Any]:
    """Return a state in general position as the arguments of a function."""
    signature = equations.signature
    at = general_values(equations)
    every = (
        *signature.q,
        *signature.u,
        *signature.higher,
        *signature.inputs,
        *signature.parameters,
    )
    values = {v.path: at[v.symbol] for v in every if v.symbol in at}
    groups = ("q", "u", "higher", "inputs", "parameters")
    arguments: dict[str, Any] = {
        name: np.array([values[path] for path in function.arguments[name]]) for name in groups
    }
    return {**arguments, "t": float(at.get(signature.t, 0.0))}
