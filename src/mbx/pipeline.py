"""The pipeline, a function for each stage: from a file to equations, and from these to code.

    read, loads       a file or a text  -> Document
    link              a document        -> Linked
    check             a document        -> Report
    elaborate         a linked document -> System
    derive, convert   a system          -> Equations
    specialise        equations         -> Equations with the states that ranks are chosen at
    write, compile    equations         -> texts, or a function in machine code

Equations that were written as JSON come back by `read_equations` and `loads_equations`.

Each stage is imported when it is used, so that a verb loads what it needs and no more.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mbx.base.deep_recursion import room
from mbx.base.diagnostics import Report, Source, suggestion
from mbx.base.errors import EquationsError, SourceError
from mbx.base.files import read_source
from mbx.language.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.codegen.native.function import Function
    from mbx.codegen.native.program_function import ProgramFunction
    from mbx.codegen.runtime.sympy_runtime import SymbolicEquations
    from mbx.codegen.subject import Subject
    from mbx.expr.nodes import Node, Number
    from mbx.formalism.equations import Equations
    from mbx.language.document.document import Document
    from mbx.language.json.write_json import Math
    from mbx.linking.linked import Linked
    from mbx.system.system import System

__all__ = [
    "Form",
    "check",
    "compile",
    "convert",
    "derive",
    "dumps",
    "elaborate",
    "forms",
    "link",
    "linked_of",
    "loads",
    "loads_equations",
    "parse",
    "read",
    "read_equations",
    "specialise",
    "subject",
    "to_sympy",
    "write",
    "write_files",
]

Form = Literal["mb", "json"]


@room()
def parse(source: Source, form: Form | None, report: Report) -> Document | None:
    """Return the document of a source; faults go to `report`."""
    if form is None:
        form = "json" if source.text.lstrip()[:1] == "{" else "mb"
    if form == "json":
        from mbx.language.json.read_json import read_json  # only what the form needs

        document = read_json(source, report)
        if document is not None:
            from mbx.language.round_trip import check_sayable

            check_sayable(document, report)
        return document if report.ok else None
    from mbx.language.text.read_text import read_text

    return read_text(source, report)


def _document(source: Source, form: Form | None) -> Document:
    report = Report()
    document = parse(source, form, report)
    if document is None:
        raise SourceError(report)
    return document


def read(path: str | Path, roots: Mapping[str, Path] | None = None) -> Document:
    """Return the document in a .mb or .json file, or raise `SourceError`.

    `lib:NAME` is a case of the library, `lib:FIELD/PART.mb` a part. `roots` are further folders
    that addresses and `use X from "NAME:path"` may read, by their names.
    """
    from mbx.linking.library.address import find_model  # only where a file is read

    found, name = find_model(str(path), roots), str(path)
    path = Path(path) if found is None else found
    source = read_source(path, name, limit=LIMITS.file_bytes)
    source.folder = path.resolve().parent
    source.roots = roots or {}
    return _document(source, "json" if path.suffix == ".json" else "mb")


def loads(text: str, form: Form | None = None, name: str = "<text>") -> Document:
    """Return the document that a text spells, or raise `SourceError`.

    Without a form, a text that begins with a brace is JSON.
    """
    return _document(Source(name, text), form)


@room()
def dumps(document: Document, form: Form = "mb", math: Math = "text") -> str:
    """Return a document as text; `math="tree"` writes JSON expressions as arrays."""
    if form == "json":
        from mbx.language.json.write_json import write_json

        return write_json(document, math)
    from mbx.language.text.document_text import show_document

    return show_document(document)


@room()
def link(document: Document, model: str | None = None) -> Linked:
    """Return a model of a document, the last unless named, linked; or raise `SourceError`."""
    from mbx.linking.link import link_document

    report = Report()
    linked = link_document(document, model, report)
    if linked is None or not report.ok:
        raise SourceError(report)
    return linked


def linked_of(document: Document | Linked, model: str | None = None) -> Linked:
    """Return a model linked, unless it is."""
    from mbx.linking.linked import Linked

    return document if isinstance(document, Linked) else link(document, model)


@room()
def check(document: Document, *, model: str | None = None, relaxed: bool = False) -> Report:
    """Return what is wrong with the models of a document, or with one of them.

    With `relaxed`, faults of dimension are warnings.
    """
    from mbx.checking.run_rules import check_document

    return check_document(document, model=model, relaxed=relaxed)


@room()
def elaborate(model: Document | Linked, name: str | None = None) -> System:
    """Return the resolved system of a document, or raise `SourceError`.

    Of a document it is the last model, unless one is named.
    """
    from mbx.system.elaborate import elaborate as resolve

    return resolve(linked_of(model, name))


@room()
def derive(system: System, form: str, *, specialised: bool = True) -> Equations:
    """Return the equations of a system in a form, `FORM` or `FORM:VARIANT`.

    They are specialised, unless they are only to be shown, which needs no states.
    """
    from mbx.formalism import registry

    found = registry.derive(system, form)
    return specialise(found, system) if specialised else found


@room()
def specialise(equations: Equations, system: System) -> Equations:
    """Return equations with states of their system, where a rank or pivots depend on these.

    Equations with states, and those that need none, are returned as they are.
    """
    from mbx.formalism.equations import Equations as Derived
    from mbx.numerics.states.specialise import specialise as with_states
    from mbx.numerics.states.specialise import states_of

    # a converter from outside may return anything, which is reported where it is used
    known = isinstance(equations, Derived)
    return with_states(equations, states_of(system)) if known else equations


def read_equations(path: str | Path) -> Equations:
    """Return the equations in a JSON file that mbx wrote, or raise `SourceError`."""
    return _equations(read_source(Path(path), str(path), limit=LIMITS.file_bytes))


def loads_equations(text: str, name: str = "<text>") -> Equations:
    """Return the equations that a JSON text holds, or raise `SourceError`."""
    return _equations(Source(name, text))


@room()
def _equations(source: Source) -> Equations:
    from mbx.formalism.json.read_equations import read_equations as read_source

    return read_source(source)


def convert(document: Document | Linked, form: str, model: str | None = None) -> Equations:
    """Return the equations of motion of a model in a form, `FORM` or `FORM:VARIANT`.

    A form that cannot say the model raises `NotApplicableError`, an unknown one
    `ConverterError`, a model with errors `SourceError`.
    """
    return derive(elaborate(document, model), form)


def forms(document: Document | Linked, model: str | None = None) -> dict[str, tuple[str, ...]]:
    """Return the installed forms, each with what keeps it from saying a model."""
    from mbx.formalism import registry

    found = elaborate(document, model)
    sound, _ = registry.survey()
    return {
        one.name: tuple(refusal.sentence for refusal in registry.refusals(found, one.name))
        for one in sound
    }


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
    from mbx.codegen.target import get

    return dict(get(target).write(subject(equations, values, frozen=frozen)))


def to_sympy(equations: Equations, values: Mapping[str, float] | None = None) -> SymbolicEquations:
    """Return equations as objects of SymPy, named as its own methods name them."""
    from mbx.codegen.python.sympy_objects import to_sympy as objects

    return objects(subject(equations, values))


def subject(
    equations: Equations, values: Mapping[str, float] | None = None, *, frozen: bool = False
) -> Subject:
    """Return equations as something to be written, with values of parameters put in.

    With `frozen`, all parameters have the values that they have of their own.
    """
    from mbx.codegen.subject import Subject as Written
    from mbx.numerics.execute.straight_line import own_values

    said = _by_symbol(equations, values or {})
    return Written(
        equations=equations,
        values=own_values(equations.signature, said) if frozen else said,
    )


def _by_symbol(equations: Equations, values: Mapping[str, float]) -> dict[Node, Number]:
    """Return the values of parameters by symbol; one that is not there is an error."""
    known = {one.path: one.symbol for one in equations.signature.parameters}
    for path in values:
        if path not in known:
            hint = suggestion(path, list(known), "; ")
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
    from mbx.codegen.native.choose_backend import build

    return build(subject(equations, values, frozen=frozen), tuple(results), backend)
