"""What derives, compares, writes and compiles equations of motion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.api.documents import system
from mbx.diagnostics import nearest
from mbx.errors import EquationsError
from mbx.recursion import room

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.codegen.runtime.sympy import SymbolicEquations
    from mbx.codegen.subject import Subject
    from mbx.compiled.function import Function
    from mbx.compiled.program import ProgramFunction
    from mbx.costs.rank import Ranking
    from mbx.expr.nodes import Node, Number
    from mbx.formalism.equations import Equations
    from mbx.link.linked import Linked
    from mbx.model.document import Document
    from mbx.system.system import System

__all__ = [
    "compare",
    "compile",
    "convert",
    "derive",
    "forms",
    "subject",
    "to_sympy",
    "write",
    "write_files",
]


@room()
def derive(system: System, form: str) -> Equations:
    """Return the equations of a system in a form, `FORM` or `FORM:VARIANT`."""
    from mbx.formalism import registry  # noqa: PLC0415

    return registry.derive(system, form)


def convert(document: Document | Linked, form: str, model: str | None = None) -> Equations:
    """Return the equations of motion of a model in a form, `FORM` or `FORM:VARIANT`.

    A form that cannot say the model raises `NotApplicableError`, an unknown one
    `ConverterError`, a model with errors `SourceError`.
    """
    return derive(system(document, model), form)


def forms(document: Document | Linked, model: str | None = None) -> dict[str, tuple[str, ...]]:
    """Return the installed forms, each with what keeps it from saying a model."""
    from mbx.formalism import registry  # noqa: PLC0415

    found = system(document, model)
    sound, _ = registry.survey()
    return {
        one.name: tuple(refusal.sentence for refusal in registry.refusals(found, one.name))
        for one in sound
    }


@room()
def compare(
    document: Document | Linked,
    model: str | None = None,
    *,
    forms: Sequence[str] = (),
    symbolic: bool = False,
    timed: bool = False,
    timeout: float = 60.0,
) -> Ranking:
    """Return the forms of a model by their operations: all that apply, or those that are named.

    Parameters are numbers, unless `symbolic`. With `timed`, code is made of each form and run. A
    form that takes more than `timeout` seconds is not counted.
    """
    from mbx.costs.rank import rank  # noqa: PLC0415

    found = system(document, model)
    return rank(found, forms, symbolic=symbolic, timed=timed, timeout=timeout)


def write(
    equations: Equations, target: str = "text", values: Mapping[str, float] | None = None
) -> str:
    """Return equations as one text, such as `text`, `latex` or `json`.

    `values` of parameters, by path, are put in as numbers. What a target cannot express, and one
    that writes several files, raises `EquationsError`.
    """
    found = write_files(equations, target, values)
    if len(found) > 1:
        raise EquationsError(f"{target} is written as several files: {', '.join(found)}")
    return next(iter(found.values()))


@room()
def write_files(
    equations: Equations,
    target: str,
    values: Mapping[str, float] | None = None,
    *,
    frozen: bool = False,
) -> dict[str, str]:
    """Return equations as the texts of files by their names."""
    from mbx.codegen.target import get  # noqa: PLC0415

    return dict(get(target).write(subject(equations, values, frozen=frozen)))


def to_sympy(equations: Equations, values: Mapping[str, float] | None = None) -> SymbolicEquations:
    """Return equations as objects of SymPy, named as its own methods name them."""
    from mbx.codegen.sympy_objects import to_sympy as objects  # noqa: PLC0415

    return objects(subject(equations, values))


def subject(
    equations: Equations, values: Mapping[str, float] | None = None, *, frozen: bool = False
) -> Subject:
    """Return equations as something to be written, with values of parameters put in.

    With `frozen`, all parameters have the values that they have of their own.
    """
    from mbx.assembly.places import places_of  # noqa: PLC0415
    from mbx.codegen.subject import Subject as Written  # noqa: PLC0415
    from mbx.formalism.straight import own_values  # noqa: PLC0415

    system = equations.system
    said = _by_symbol(equations, values or {})
    return Written(
        equations=equations,
        values=own_values(equations.signature, said) if frozen else said,
        places=None if system is None else places_of(system),
    )


def _by_symbol(equations: Equations, values: Mapping[str, float]) -> dict[Node, Number]:
    """Return the values of parameters by symbol; one that is not there is an error."""
    known = {one.path: one.symbol for one in equations.signature.parameters}
    for path in values:
        if path not in known:
            near = nearest(path, list(known))
            hint = f"; did you mean '{near}'?" if near else ""
            raise EquationsError(f"there is no parameter '{path}'{hint}")
    return {known[path]: float(value) for path, value in values.items()}


@room()
def compile(  # noqa: A001  as in `mbx.compile`: of equations, nothing else
    equations: Equations,
    results: Sequence[str] = ("ud", "qd"),
    values: Mapping[str, float] | None = None,
    *,
    frozen: bool = False,
    backend: str | None = None,
) -> Function | ProgramFunction:
    """Return equations as a function `f(q, u, t, inputs, parameters, higher)` of arrays.

    It takes one state or many, and is machine code: by llvmlite (`llvm`) or the C compiler of the
    system (`cc`), else step by step in NumPy (`numpy`), the first that is there unless one is
    named. `values` of parameters, by path, are put in as numbers, with `frozen` those of all.
    What depends on a rank is compiled for the rank at a consistent state in general position; at
    a state where the rows that were chosen there do not do, the steps are taken in NumPy. A
    backend that is not there raises `BackendError`, a result that is not there `EquationsError`.
    """
    from mbx.compiled.build import build  # noqa: PLC0415

    return build(subject(equations, values, frozen=frozen), tuple(results), backend)
