"""`mbx library show`: what a case or a part is, and its coverage."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from mbx.cli.command_files import SETTINGS
from mbx.cli.options import option
from mbx.cli.output import Status, emit_json, print_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from mbx.language.document.experiments import ExpectEnergy, ExpectValue
    from mbx.linking.link import Linked
    from mbx.show.coverage.coverage_file import ModelCoverage

__all__ = ["known_names", "show"]

_WIDTH: Final = 98


def known_names() -> list[str]:
    """Return the names of the cases and parts of the library, for the shell."""
    from mbx.linking.library import known_addresses

    return [address.partition(":")[2] for address in known_addresses()]


def show(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A case or a part.", autocompletion=known_names),
    ],
    *,
    as_json: Annotated[bool, option("--json")] = False,
) -> int:
    """Show what a case or a part is, and what is known of it.

    References are listed with their kind, value, tolerance and source.
    """
    from mbx.cli.library.library_names import find

    path = find(name)
    facts = _case(path.resolve()) if path.is_dir() else _part(path.resolve())
    if as_json:
        emit_json(facts)
        return Status.OK
    for line in _lines(facts):
        print_line(line)
    return Status.OK


# -- facts -----------------------------------------------------------------------------------


def _case(folder: Path) -> dict[str, Any]:
    import mbx
    from mbx.linking.library import MODEL, read_case
    from mbx.show.coverage.coverage_file import read_coverage
    from mbx.verify.find_models import main_models

    case, known = read_case(folder), read_coverage(folder)
    built = {model.model: model for model in known.models} if known is not None else {}
    document = mbx.read(folder / MODEL, SETTINGS.roots)
    models = [mbx.link(document, name) for name in main_models(document)]
    return {
        "name": folder.name,
        **case.model_dump(exclude={"mechanism"}),
        "mechanism": case.mechanism or folder.name,
        "about": _about(folder),
        "models": [_model(linked, built.get(linked.model.name)) for linked in models],
        "folder": str(folder),
        "files": sorted(path.name for path in folder.iterdir() if path.name[:1] != "."),
    }


def _part(file: Path) -> dict[str, Any]:
    import mbx

    document = mbx.read(file, SETTINGS.roots)
    return {
        "name": file.name,
        "title": (document.models[-1].title or "") if document.models else "",
        "models": [_model(mbx.link(document, model.name), None) for model in document.models],
        "folder": str(file.parent),
        "files": [file.name],
    }


def _about(folder: Path) -> str:
    """Return the first paragraph of the README that is no heading."""
    from mbx.base.files import read_source

    path = folder / "README.md"
    paragraphs = read_source(path).text.split("\n\n") if path.exists() else []
    prose = (
        " ".join(paragraph.split())
        for paragraph in paragraphs
        if not paragraph.lstrip().startswith("#")
    )
    return next((paragraph for paragraph in prose if paragraph), "")


def _model(linked: Linked, built: ModelCoverage | None) -> dict[str, Any]:
    from mbx.analyses.experiments.stated_expectations import stated
    from mbx.checking.describe_model import describe

    facts = describe(linked)
    return {
        "model": facts.name,
        "title": facts.title,
        "variables": [
            {
                "name": variable.path,
                "order": variable.order,
                "unit": variable.unit,
                "description": variable.description,
            }
            for variable in facts.variables
        ],
        "parameters": list(facts.parameters),
        "inputs": list(facts.inputs),
        "bodies": len(facts.bodies),
        "freedoms": built and built.freedoms and built.freedoms.model_dump(),
        "forms": built and built.forms,
        "references": [
            {
                "experiment": experiment.name,
                "title": experiment.title or "",
                **_reference(task),
            }
            for experiment, tasks in stated(linked)
            for task in tasks
        ],
    }


def _reference(task: ExpectValue | ExpectEnergy) -> dict[str, Any]:
    from mbx.analyses.experiments.provenance import kind_of
    from mbx.analyses.experiments.stated_expectations import texts_of
    from mbx.language.text.expression_text import show as text_of

    quantity, at = texts_of(task)
    stands = task if task.kind == "expect_value" else None
    return {
        "kind": stands and kind_of(stands.source),
        "quantity": quantity,
        "at": at,
        "value": stands and text_of(stands.value),
        "within": text_of(task.within),
        "source": (stands and stands.source) or "",
    }


# -- for people ------------------------------------------------------------------------------


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    yield f"{facts['name']}: {facts['title']}"
    if "source" in facts:
        source = facts["source"]
        citation = ", ".join(text for text in (source["citation"], source["place"]) if text)
        yield from wrap(facts["summary"], _WIDTH)
        yield ""
        yield from wrap(facts["about"], _WIDTH)
        yield ""
        yield from _entry("source", citation)
        yield from _entry("numbers", source["parameters"])
        yield from _entry("tags", ", ".join(facts["tags"]))
    yield from _entry("files", f"{_near(facts['folder'])}: {', '.join(facts['files'])}")
    for model in facts["models"]:
        yield ""
        yield from _model_lines(model)


def _model_lines(model: dict[str, Any]) -> Iterator[str]:
    yield f"{model['model']}: {model['title']}" if model["title"] else model["model"]
    yield from _entry("variables", ", ".join(variable["name"] for variable in model["variables"]))
    yield from _entry("parameters", ", ".join(model["parameters"]))
    yield from _entry("inputs", ", ".join(model["inputs"]))
    if model["freedoms"] is not None:
        yield from _entry("freedoms", _freedoms(model["freedoms"]))
    if model["forms"] is not None:
        yield from _entry("forms", _forms(model["forms"].values()))
    if model["references"]:
        yield f"  references ({len(model['references'])})"
        yield from _references(model["references"])


def _forms(outcomes: Collection[str]) -> str:
    agree = sum(outcome == "agree" for outcome in outcomes)
    if agree == len(outcomes):
        return f"all {agree} agree"
    return f"{agree} of {len(outcomes)} agree, the others do not apply"


def _freedoms(freedoms: dict[str, int]) -> str:
    if freedoms["position"] == freedoms["velocity"]:
        return str(freedoms["position"])
    return f"{freedoms['position']} of positions, {freedoms['velocity']} of velocities"


def _references(references: Sequence[dict[str, Any]]) -> Iterator[str]:
    for (name, title), several in groupby(references, itemgetter("experiment", "title")):
        yield f"    {name}: {title}" if title else f"    {name}"
        for reference in several:
            value = "" if reference["value"] is None else f" = {reference['value']}"
            text = f"{reference['quantity']} {reference['at']}{value} within {reference['within']}"
            yield from _indent(text, 6, 10)
            yield from _indent(reference["source"], 10, 10)


def _indent(text: str, first: int, rest: int) -> list[str]:
    return wrap(text, _WIDTH, initial_indent=" " * first, subsequent_indent=" " * rest)


def _near(folder: str) -> Path:
    """Return a folder as seen from here, if it is below."""
    path = Path(folder).resolve()
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _entry(title: str, text: str) -> Iterator[str]:
    """Yield a line with a title, broken where it is long; nothing if there is no text."""
    if text:
        yield from wrap(f"{title}: {text}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
