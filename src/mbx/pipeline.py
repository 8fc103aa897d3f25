"""The pipeline, a function for each stage: from a file to equations, and from these to code.

    read, loads       a file or a text  -> Document
    link              a document        -> Linked
    check             a document        -> Report
    elaborate         a linked document -> System
    derive, convert   a system          -> Equations
    specialise        equations         -> Equations with the states that ranks are chosen at
    write, compile    equations         -> texts, or a function in machine code

Equations that were written as JSON come back by `read_equations` and `loads_equations`.

Where a function takes a model it takes a document, linked or not, a path, an address such as
`lib:four_bar`, or model text (`document_of`). Each stage is imported when it is used, so that a
verb loads what it needs and no more.
"""

from __future__ import annotations

import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import Report, Source, suggestion
from mbx.base.errors import EquationsError, FileError, SourceError
from mbx.base.files import read_source
from mbx.base.process import room
from mbx.language.limits import LIMITS
from mbx.linking.modules import Form, ModelLike, document_of, loads, parse, read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.codegen.native.function import Function
    from mbx.codegen.native.program_function import ProgramFunction
    from mbx.codegen.runtime.sympy_runtime import SymbolicEquations
    from mbx.codegen.target import Subject, WrittenText
    from mbx.expr.nodes import Node, Number
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page_options import PageOptions
    from mbx.language.document.document import Document
    from mbx.language.json.write_json import Math
    from mbx.linking.link import Linked
    from mbx.system.system import System

__all__ = [
    "Form",
    "ModelLike",
    "check",
    "compile",
    "convert",
    "derive",
    "document_of",
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
    "resolve",
    "specialise",
    "subject",
    "to_sympy",
    "write",
    "write_files",
]


@room()
def dumps(document: ModelLike, form: Form = "mb", math: Math = "text") -> str:
    """Return a document as text.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        form: "mb", the text form, or "json".
        math: How JSON spells expressions: as "text", or as arrays, "tree".

    Examples:
        >>> print(mbx.dumps("lib:four_bar")[:5])
        mbx 1
    """
    document = document_of(document)
    if form == "json":
        from mbx.language.json.write_json import write_json

        return write_json(document, math)
    from mbx.language.text.document_text import show_document

    return show_document(document)


_LINKED: Final[dict[tuple[int, str | None], tuple[weakref.ref[Document], Linked]]] = {}
"""Documents in use by identity, linked: equal documents may differ in their positions."""


@room()
def link(document: ModelLike, model: str | None = None) -> Linked:
    """Return a model with its imports read and its repetition expanded, or raise `SourceError`.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last one unless it is named.

    Examples:
        >>> mbx.link("lib:four_bar")
        <Linked: model FourBar>
    """
    source = document_of(document)
    key = id(source), model
    known = _LINKED.get(key)
    if known is not None:
        return known[1]
    from mbx.linking.link import link_document

    report = Report()
    linked = link_document(source, model, report)
    if linked is None or not report.ok:
        raise SourceError(report)
    if not source.uses:  # an imported file may change
        _LINKED[key] = weakref.ref(source, lambda _: _LINKED.pop(key, None)), linked
    return linked


def resolve(model: ModelLike, name: str | None = None) -> tuple[Document, Linked]:
    """Return the document of a model, whose hints drawings follow, and the model linked."""
    from mbx.linking.link import Linked

    document = document_of(model)
    return document, model if isinstance(model, Linked) else link(document, name)


def linked_of(model: ModelLike, name: str | None = None) -> Linked:
    """Return a model linked, unless it is; of several models the last, unless one is named."""
    return resolve(model, name)[1]


@room()
def check(document: ModelLike, *, model: str | None = None, relaxed: bool = False) -> Report:
    """Return the errors and warnings of the models of a document.

    Errors of syntax are part of the report, too; only a file that cannot be read raises an error.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model to check; all models unless it is named.
        relaxed: Whether errors of dimension are warnings.

    Examples:
        >>> mbx.check("lib:four_bar").ok
        True
    """
    from mbx.checking.run_rules import check_document

    try:
        source = document_of(document)
    except FileError:
        raise
    except SourceError as faults:
        return faults.report
    return check_document(source, model=model, relaxed=relaxed)


@room()
def elaborate(document: ModelLike, model: str | None = None) -> System:
    """Return the resolved system of a model: its symbols, frames and loads; or raise `SourceError`.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last one unless it is named.

    Examples:
        >>> mbx.elaborate("lib:four_bar")
        <System FourBar: 3 coordinates, 3 speeds, 2 invariants>
    """
    from mbx.system.elaborate import elaborate as resolve

    return resolve(linked_of(document, model))


@room()
def derive(
    system: System, form: str, *, specialised: bool = True, page: PageOptions | None = None
) -> Equations:
    """Return the equations of a system in a form.

    Args:
        system: A system, as `mbx.elaborate` returns it.
        form: The name of a formalism, "FORM" or "FORM:VARIANT".
        specialised: Whether they hold the states at which ranks are chosen; equations that are
            only shown need none.
        page: How the equations are written as a text prints them; None if they are not.

    Examples:
        >>> system = mbx.elaborate("lib:four_bar")
        >>> mbx.derive(system, "kane")
        <Equations FourBar, Kane's equations: ud, Fc, lam, M, h, A, b, qd>
    """
    from mbx.formalism import registry

    equations = registry.derive(system, form)
    if page is not None:
        equations = specialise(equations, system, whole=True)
        return registry.write_page(system, equations, page)
    return specialise(equations, system) if specialised else equations


@room()
def specialise(equations: Equations, system: System, *, whole: bool = False) -> Equations:
    """Return equations with states of their system, where a rank or pivots depend on these.

    Equations with states, and those that need none, are returned as they are; with `whole`, all
    get states, at which a page is evaluated.
    """
    from mbx.formalism.equations import Equations as Derived
    from mbx.numerics.states.specialise import specialise as with_states
    from mbx.numerics.states.specialise import states_of

    # a converter from outside may return anything, which is reported where it is used
    known = isinstance(equations, Derived)
    return with_states(equations, states_of(system), whole=whole) if known else equations


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


def convert(
    document: ModelLike, form: str, model: str | None = None, *, page: bool = False
) -> Equations:
    """Return the equations of motion of a model in a form.

    A formalism that does not support the model raises `NotApplicableError`, an unknown one
    `ConverterError`, and a model with errors `SourceError`.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        form: The name of a formalism, "FORM" or "FORM:VARIANT"; `mbx.forms` lists them.
        model: The model of the document; the last one unless it is named.
        page: Whether the equations are written as a text prints them, too; text and typeset
            formats then have the page, which `mbx convert` prints.

    Examples:
        >>> equations = mbx.convert("lib:cart_pole", "kane")
        >>> print(equations.mass_matrix)
        M_ =                                      # coefficients of -ud in F*
                    x'                 theta'
          x'      [ M + m              -m*l*cos(theta)/2 ]
          theta'  [ -m*l*cos(theta)/2  m*l^2/3           ]
    """
    from mbx.formalism.page.page_options import PageOptions

    return derive(elaborate(document, model), form, page=PageOptions() if page else None)


def forms(document: ModelLike, model: str | None = None) -> dict[str, tuple[str, ...]]:
    """Return the installed formalisms, each with the reasons why it does not support a model.

    Args:
        document: A document, a path, an address such as "lib:four_bar", or model text.
        model: The model of the document; the last one unless it is named.

    Examples:
        >>> mbx.forms("lib:four_bar")["kane"]
        ()
    """
    from mbx.formalism import registry

    system = elaborate(document, model)
    sound, _ = registry.survey()
    return {
        each.name: tuple(refusal.sentence for refusal in registry.refusals(system, each.name))
        for each in sound
    }


def write(
    equations: Equations,
    target: str = "text",
    values: Mapping[str, float] | None = None,
    *,
    frozen: bool = False,
) -> WrittenText:
    """Return equations as text, for people or as code.

    The result is a string, whose `files` are the texts of the files that the target writes, by
    name. Where there are several, the string holds one after the other, each below a line with
    its name. What a target cannot express raises `EquationsError`.

    Args:
        equations: Equations, as `mbx.convert` returns them.
        target: A format of `mbx formats`, such as "text", "latex", "c" or "json".
        values: Values of parameters that are written as numbers, in SI units, by path.
        frozen: Whether all parameters are written as numbers.

    Examples:
        >>> code = mbx.write(mbx.convert("lib:cart_pole", "kane"), "c")
        >>> list(code.files)
        ['mb_CartPole_kane.h', 'mb_CartPole_kane.c']
    """
    from mbx.codegen.target import WrittenText

    return WrittenText(write_files(equations, target, values, frozen=frozen))


@room()
def write_files(
    equations: Equations,
    target: str,
    values: Mapping[str, float] | None = None,
    *,
    frozen: bool = False,
    width: int | None = None,
    only_equations: bool = False,
) -> dict[str, str]:
    """Return equations as the texts of files by their names."""
    from dataclasses import replace

    from mbx.codegen.target import get

    written = subject(equations, values, frozen=frozen)
    if width is not None:
        written = replace(written, width=width)
    if only_equations:
        written = replace(written, only_equations=True)
    return dict(get(target).write(written))


def to_sympy(equations: Equations, values: Mapping[str, float] | None = None) -> SymbolicEquations:
    """Return equations as objects of SymPy, named as its methods name them."""
    from mbx.codegen.python.sympy_objects import to_sympy as objects

    return objects(subject(equations, values))


def subject(
    equations: Equations, values: Mapping[str, float] | None = None, *, frozen: bool = False
) -> Subject:
    """Return equations as something to be written, with values of parameters put in.

    With `frozen`, all parameters have the values that the model gives them.
    """
    from mbx.codegen.target import Subject as Written
    from mbx.numerics.execute.straight_line import own_values

    by_symbol = _by_symbol(equations, values or {})
    return Written(
        equations=equations,
        values=own_values(equations.signature, by_symbol) if frozen else by_symbol,
    )


def _by_symbol(equations: Equations, values: Mapping[str, float]) -> dict[Node, Number]:
    """Return the values of parameters by symbol; an unknown parameter is an error."""
    known = {parameter.path: parameter.symbol for parameter in equations.signature.parameters}
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

    It takes one state or many. What depends on a rank is compiled for the rank at a consistent
    state in general position; at a state where the rows that were chosen there do not do, the
    steps are taken in NumPy. A backend that is not installed raises `BackendError`, a result that
    the equations lack `EquationsError`.

    Args:
        equations: Equations, as `mbx.convert` returns them.
        results: The results of the function, of `equations.results`.
        values: Values of parameters that are compiled as numbers, in SI units, by path.
        frozen: Whether all parameters are compiled as numbers.
        backend: "llvm" (llvmlite), "cc" (the C compiler of the system) or "numpy" (step by step);
            the first that is installed unless it is named.

    Examples:
        >>> rates = mbx.compile(mbx.convert("lib:cart_pole", "kane"), backend="numpy")
        >>> rates([0.0, 0.1], [0.0, 0.0]).qd.tolist()
        [0.0, 0.0]
    """
    from mbx.codegen.native.choose_backend import build

    return build(subject(equations, values, frozen=frozen), tuple(results), backend)
