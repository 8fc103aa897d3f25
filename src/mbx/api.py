"""The public verbs.

read, loads, dumps, link, check, convert, compile, forms, compare, structure, draw, references,
simulate, equilibrium, linearize, linearize_over, verify, diagnose, diff.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mbx.diagnostics import Report, Source, nearest
from mbx.errors import EquationsError, SourceError
from mbx.files import read_source
from mbx.recursion import room
from mbx.syntax.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.analyses.asked import Asked
    from mbx.analyses.equilibrium import Equilibrium
    from mbx.analyses.linearize import Linear, Method
    from mbx.analyses.locus import Locus
    from mbx.analyses.simulate import Options, Run
    from mbx.codegen.runtime.sympy import SymbolicEquations
    from mbx.codegen.subject import Subject
    from mbx.compiled.function import Function
    from mbx.compiled.program import ProgramFunction
    from mbx.costs.rank import Ranking
    from mbx.experiments.reference import Reference
    from mbx.expr.nodes import Node, Number
    from mbx.formalism.equations import Equations
    from mbx.jsonform.write import Math
    from mbx.link.linked import Linked
    from mbx.model.document import Document
    from mbx.structure.report import Structure
    from mbx.system.system import System
    from mbx.verify.diagnose.find import Diagnosis
    from mbx.verify.differ.models import ModelDiff
    from mbx.verify.findings import StatePoint
    from mbx.verify.report import Verification

__all__ = [
    "Form",
    "check",
    "compare",
    "compile",
    "convert",
    "derive",
    "diagnose",
    "diff",
    "draw",
    "dumps",
    "equilibrium",
    "forms",
    "linearize",
    "linearize_over",
    "link",
    "loads",
    "parse",
    "read",
    "references",
    "report",
    "simulate",
    "structure",
    "subject",
    "system",
    "to_sympy",
    "verify",
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
        from mbx.jsonform.read import read_json  # noqa: PLC0415  only what the form needs

        document = read_json(source, report)
        if document is not None:
            from mbx.spellings import check_sayable  # noqa: PLC0415

            check_sayable(document, report)
        return document if report.ok else None
    from mbx.text.read import read_text  # noqa: PLC0415

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
    from mbx.library.address import find_model  # noqa: PLC0415  only where a file is read

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
        from mbx.jsonform.write import write_json  # noqa: PLC0415

        return write_json(document, math)
    from mbx.text.show import show_document  # noqa: PLC0415

    return show_document(document)


@room()
def link(document: Document, model: str | None = None) -> Linked:
    """Return a model of a document, the last unless named, linked; or raise `SourceError`."""
    from mbx.link.link import link_document  # noqa: PLC0415

    report = Report()
    linked = link_document(document, model, report)
    if linked is None or not report.ok:
        raise SourceError(report)
    return linked


@room()
def check(document: Document, *, model: str | None = None, relaxed: bool = False) -> Report:
    """Return what is wrong with the models of a document, or with one of them.

    With `relaxed`, faults of dimension are warnings.
    """
    from mbx.check.run import check_document  # noqa: PLC0415

    return check_document(document, model=model, relaxed=relaxed)


@room()
def system(model: Document | Linked, name: str | None = None) -> System:
    """Return the resolved system of a document, or raise `SourceError`.

    Of a document it is the last model, unless one is named.
    """
    from mbx.link.linked import Linked  # noqa: PLC0415
    from mbx.system.elaborate import elaborate  # noqa: PLC0415

    return elaborate(model if isinstance(model, Linked) else link(model, name))


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


@room()
def structure(document: Document | Linked, model: str | None = None, *, seed: int = 1) -> Structure:
    """Return the structure of a model: freedoms, ranks, redundancy, integrability.

    It is found at random consistent states, which follow from the seed, at the start, at rest,
    and at the states that the file names.
    """
    from mbx.structure.find import find_structure  # noqa: PLC0415

    return find_structure(system(document, model), seed)


@room()
def draw(
    document: Document,
    model: str | None = None,
    *,
    state: str | None = None,
    view: str | None = None,
) -> str:
    """Return a drawing of the mechanism of a model, as SVG.

    It is drawn where it starts, or at one of its states. `view` is `x`, `y`, `z`, `iso` or
    `AZ,EL` in degrees; without it, a planar model is seen straight on and a spatial one from
    where least is hidden. A model that cannot be drawn raises `DrawError`.
    """
    from mbx.draw.picture import picture  # noqa: PLC0415

    return picture(document, link(document, model), state=state, look=view).svg


@room()
def references(
    document: Document | Linked, model: str | None = None, *, forms: Sequence[str] = ()
) -> tuple[Reference, ...]:
    """Return what the experiments of a model expect, and what its equations of motion give.

    At the start and at named states every form is asked, all that apply unless some are named;
    trajectories are integrated with one of them. One that cannot be run has a reason.
    """
    from mbx.experiments.run import references as run  # noqa: PLC0415
    from mbx.link.linked import Linked  # noqa: PLC0415

    linked = document if isinstance(document, Linked) else link(document, model)
    found = system(linked)
    return run(linked, {form: derive(found, form) for form in forms} or None, system=found)


@room()
def equilibrium(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    asked: Asked | None = None,
) -> Equilibrium:
    """Return where a model stays at rest near its start, or goes on with the speeds that are held.

    `asked` says what is held, freed and set, in the place of the experiment's name alone. Where
    there is none, `NotRunError` says what stays unbalanced.
    """
    from mbx.analyses.asked import Asked as Said  # noqa: PLC0415
    from mbx.analyses.asked import plan_of  # noqa: PLC0415
    from mbx.analyses.equilibrium import equilibrium as find  # noqa: PLC0415
    from mbx.link.linked import Linked  # noqa: PLC0415

    linked = document if isinstance(document, Linked) else link(document, model)
    return find(plan_of(linked, system(linked), asked or Said(experiment=experiment)))


@room()
def linearize(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    at: str | None = None,
    method: Method = "plain",
    asked: Asked | None = None,
) -> Linear:
    """Return small motions of a model about a state, x' = A x + B u, with their modes.

    The state is the one that the experiment names, else the start; `at` is another state's name,
    "start" or "equilibrium". `plain` differentiates the equations of motion, `modular` is the
    recursion from the leaves to the root. `asked` is as for `equilibrium`.
    """
    from mbx.analyses.about import about, place_of  # noqa: PLC0415
    from mbx.analyses.asked import Asked as Said  # noqa: PLC0415
    from mbx.analyses.asked import plan_of  # noqa: PLC0415
    from mbx.analyses.linearize import linearize as find  # noqa: PLC0415
    from mbx.analyses.residual import Residual  # noqa: PLC0415
    from mbx.link.linked import Linked  # noqa: PLC0415

    linked = document if isinstance(document, Linked) else link(document, model)
    said = asked or Said(experiment=experiment)
    plan = plan_of(linked, system(linked), said)
    residual = Residual(plan.system)
    return find(residual, place_of(plan, at or about(linked, said.experiment)), method)


@room()
def linearize_over(
    document: Document | Linked,
    name: str,
    values: Sequence[float],
    model: str | None = None,
    *,
    at: str | None = None,
    method: Method = "plain",
    asked: Asked | None = None,
) -> Locus:
    """Return the root locus of a model over values of a parameter, an input or a start.

    Each value has its own state, found as for `linearize`.
    """
    from mbx.analyses.asked import Asked as Said  # noqa: PLC0415
    from mbx.analyses.locus import locus  # noqa: PLC0415
    from mbx.link.linked import Linked  # noqa: PLC0415

    linked = document if isinstance(document, Linked) else link(document, model)
    return locus(linked, system(linked), asked or Said(), name, values, at=at, method=method)


@room()
def simulate(
    document: Document | Linked,
    experiment: str = "",
    model: str | None = None,
    *,
    form: str | None = None,
    asked: Asked | None = None,
    options: Options | None = None,
) -> Run:
    """Return an experiment of a model run through time, or the model as it starts.

    It is run by a form, the shortest that says the model unless one is named. `asked` are values
    and a start beside the experiment, `options` the method, the end and the times of results.
    What cannot be run raises `NotRunError`, and a name that is not there `UnknownNameError`.
    """
    from mbx.analyses.asked import Asked as Nothing  # noqa: PLC0415
    from mbx.analyses.asked import expected_of, plan_of  # noqa: PLC0415
    from mbx.analyses.simulate import simulate as run  # noqa: PLC0415
    from mbx.costs.places import places_of  # noqa: PLC0415
    from mbx.link.linked import Linked  # noqa: PLC0415

    linked = document if isinstance(document, Linked) else link(document, model)
    found = system(linked)
    asked = asked or Nothing()
    asked = replace(asked, experiment=experiment or asked.experiment)
    plan = plan_of(linked, found, asked)
    chosen = None if form is None else (form, derive(found, form))
    blank = expected_of(linked, plan, asked, None if options is None else options.until)
    return run(plan, chosen, options, places=places_of(found), blank=blank)


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
    from mbx.codegen.subject import Subject as Written  # noqa: PLC0415
    from mbx.costs.places import places_of  # noqa: PLC0415
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
def verify(  # noqa: PLR0913  the options of the command
    document: Document | Linked,
    model: str | None = None,
    *,
    forms: Sequence[str] = (),
    states: int = 16,
    oracle: int = 2,
    seed: int = 1,
    timeout: float = 300.0,
    points: Sequence[StatePoint] = (),
    jobs: int = 1,
    progress: Callable[[str], None] | None = None,
) -> Verification:
    """Return whether the forms of a model agree: all that apply, or those that are named.

    They are compared at random consistent states, at the start, at rest, and at the states that
    the file names; or at the `points` that are given. The oracle is asked at the first `oracle`
    of them. More than 64 states are verified in parts, by as many processes as `jobs` says, with
    the same result. `progress` hears what is done, `timeout` is in seconds.
    """
    from mbx.link.linked import Linked  # noqa: PLC0415
    from mbx.verify.many import Pool, verify_parts  # noqa: PLC0415
    from mbx.verify.parts import merge, parts_of  # noqa: PLC0415
    from mbx.verify.run import Options  # noqa: PLC0415

    linked = document if isinstance(document, Linked) else link(document, model)
    options = Options(
        forms=tuple(forms),
        states=states,
        oracle=oracle,
        seed=seed,
        timeout=timeout,
        points=tuple(points),
        progress=progress or (lambda _: None),
    )
    return merge(verify_parts(linked, parts_of(options), Pool(jobs)))


@room()
def diagnose(
    document: Document | Linked, found: Verification, model: str | None = None
) -> Diagnosis | None:
    """Return why the forms of a model disagree, as a verification of it found; None if they do not.

    It says which form is wrong, at which smallest state, on which variable and body, and which
    term carries the difference.
    """
    from mbx.link.linked import Linked  # noqa: PLC0415
    from mbx.verify.diagnose.find import diagnose as find  # noqa: PLC0415

    return find(document if isinstance(document, Linked) else link(document, model), found)


@room()
def diff(
    first: Document | Linked,
    second: Document | Linked,
    *,
    states: int = 16,
    seed: int = 1,
    timeout: float = 300.0,
    renamed: Mapping[str, str] | None = None,
) -> ModelDiff:
    """Return whether two models mean the same physics, whatever their variables are.

    `renamed` says what bodies of the first are called in the second.
    """
    from mbx.link.linked import Linked  # noqa: PLC0415
    from mbx.verify.differ.models import diff_models  # noqa: PLC0415

    one, other = (each if isinstance(each, Linked) else link(each) for each in (first, second))
    return diff_models(one, other, states=states, seed=seed, timeout=timeout, renamed=renamed)


@room()
def report(
    document: Document,
    model: str | None = None,
    *,
    forms: Sequence[str] = (),
    verify: bool = True,
    states: int = 16,
    source: str = "",
    date: str = "",
    progress: Callable[[str, int], None] | None = None,
) -> str:
    """Return a report on a model: one page in HTML that needs nothing but itself.

    It has the model, its drawing, the forms that apply or those that are named, whether they
    agree, and what they cost. `source` and `date` are told as they are; `progress` hears what
    was done last, and how much there is in all.
    """
    from mbx.report.gather import Wanted, gather  # noqa: PLC0415
    from mbx.report.page import Origin, page  # noqa: PLC0415

    wanted = Wanted(
        forms=tuple(forms),
        verify=verify,
        states=states,
        progress=progress or (lambda _note, _count: None),
    )
    found = gather(document, link(document, model), wanted)
    return page(document, found, Origin(source, date))


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
    What depends on a rank is compiled for the rank at a consistent state in general position. A
    backend that is not there raises `BackendError`, a result that is not there `EquationsError`.
    """
    from mbx.compiled.build import build  # noqa: PLC0415

    return build(subject(equations, values, frozen=frozen), tuple(results), backend)
