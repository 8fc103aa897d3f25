"""Which backend compiles equations: the one that is asked for, or the best that is there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from mbx.base.errors import BackendError, EquationsError
from mbx.codegen.native import cc
from mbx.codegen.native.argument_layout import Layout
from mbx.codegen.native.function import Function
from mbx.codegen.native.llvm import llvm_backend
from mbx.codegen.native.program_function import ProgramFunction
from mbx.codegen.native.tape_plan import plans
from mbx.codegen.routine import routine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.codegen.native.function import Backend
    from mbx.codegen.native.machine_code import Code
    from mbx.codegen.target import Subject

__all__ = ["BACKENDS", "build"]

BACKENDS: Final[tuple[Backend, ...]] = ("llvm", "cc", "numpy")
"""All backends, the best first."""
_AVAILABLE: Final[dict[Backend, Callable[[], bool]]] = {
    "llvm": llvm_backend.available,
    "cc": cc.available,
    "numpy": lambda: True,
}
_HELP: Final = {
    "llvm": 'llvmlite is not installed; pip install "mbx[fast]"',
    "cc": 'there is no C compiler; install one, or pip install "mbx[fast]"',
}


def build(
    subject: Subject, wanted: Sequence[str], backend: str | None = None, *, keep: bool = True
) -> Function | ProgramFunction:
    """Return results of equations as a function.

    Without a backend it is the first that is there; what cannot be written out, such as the root
    of a matrix, is run in NumPy then. A backend that is asked for and not there is an error.
    With `keep` off, no code is taken from disk or left there.
    """
    if backend is not None and backend not in BACKENDS:
        raise BackendError(f"no backend is called '{backend}', only {', '.join(BACKENDS)}")
    lacking = [one for one in wanted if one not in subject.equations.results]
    if lacking:
        form, has = subject.equations.formalism, ", ".join(subject.equations.results)
        raise EquationsError(f"{form} has no result '{lacking[0]}', only {has}")
    found = _there(backend)
    if found != "numpy":
        try:
            return _in_machine_code(found, replace(subject, guarded=True), wanted, keep=keep)
        except EquationsError:
            if backend is not None:
                raise
    return _step_by_step(subject, wanted)


def _step_by_step(subject: Subject, wanted: Sequence[str]) -> ProgramFunction:
    return ProgramFunction(subject, tuple(wanted), Layout.of(routine(subject, ())))


def _there(backend: str | None) -> Backend:
    for one in BACKENDS:
        if backend in {None, one} and _AVAILABLE[one]():
            return one
    raise BackendError(_HELP[str(backend)])


def _in_machine_code(
    found: Backend, subject: Subject, wanted: Sequence[str], *, keep: bool
) -> Function:
    one = routine(subject, wanted)
    layout = Layout.of(one)
    careful = partial(_step_by_step, subject, tuple(wanted))
    if found == "cc":
        files = cc.sources(subject, tuple(one.results), layout)
        code: Code = cc.CcCode.of(files, keep=keep)
        return Function(found, layout, code, layout.size("parameters"), careful)
    work = plans(one)
    code = llvm_backend.LlvmCode(work, layout, keep)
    return Function(found, layout, code, len(work.setup.outputs), careful)
