"""The public verbs.

read, loads, dumps, link, check, convert, forms, structure, verify, diagnose, diff.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mbx.diagnostics import Report, Source
from mbx.errors import SourceError
from mbx.files import read_source
from mbx.recursion import room
from mbx.syntax.limits import LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    "convert",
    "derive",
    "diagnose",
    "diff",
    "dumps",
    "forms",
    "link",
    "loads",
    "parse",
    "read",
    "structure",
    "system",
    "verify",
    "write",
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

    `roots` are folders that `use X from "NAME:path"` may read, by their names.
    """
    path = Path(path)
    source = read_source(path, limit=LIMITS.file_bytes)
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
def structure(document: Document | Linked, model: str | None = None, *, seed: int = 1) -> Structure:
    """Return the structure of a model: freedoms, ranks, redundancy, integrability.

    It is found at random consistent states, which follow from the seed, at the start, at rest,
    and at the states that the file names.
    """
    from mbx.structure.find import find_structure  # noqa: PLC0415

    return find_structure(system(document, model), seed)


@room()
def write(equations: Equations, target: str = "text") -> str:
    """Return equations as a text: `text`, `latex` or `json`."""
    from mbx.codegen.target import get  # noqa: PLC0415

    return get(target).write(equations)


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
