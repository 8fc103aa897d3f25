"""`mbx library build`: the files of a case that mbx makes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.base.errors import FileError, LimitError, SourceError
from mbx.cli.options import Jobs, option
from mbx.cli.output import Status, complain_report, say, status_of
from mbx.cli.read_input import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.base.workers.pool import Pool
    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from mbx.show.coverage.coverage_file import ModelCoverage
    from mbx.verify.many import Finished

__all__ = ["build"]

_JSON: Final = "model.json"
_FIGURE: Final = "figure.svg"


@dataclass(slots=True)
class _Work:
    """A case, the files of it that are stale, and what came out of its models."""

    folder: Path
    models: list[Linked]
    texts: dict[str, str]
    """What the files must hold that are made without a verification."""
    stale: list[str]
    found: dict[int, ModelCoverage] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def build(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Cases, or folders of them; else the whole library."),
    ] = None,
    *,
    check: Annotated[bool, option("--check")] = False,
    renew: Annotated[bool, option("--renew")] = False,
    jobs: Jobs = None,
) -> int:
    """Make the files of cases that mbx makes, where they are stale.

    The JSON form, the drawing, and what a verification with all forms finds. Status 4: the forms
    do not agree, or a reference is not met; then coverage.json is left as it is.
    """
    if check and renew:
        raise typer.TyperException("--check writes nothing: leave out --renew")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its matrices are small
    works, ends = _survey(_folders(names or []), renew=renew, check=check)
    if check:
        for one in works:
            say(f"{one.folder.name}: {_said('stale', one.stale)}")
        return _worst([*ends, *(Status.MODEL for one in works if one.stale)])
    from mbx.base.workers.pool import Pool

    for one in _verified(works, Pool(jobs or os.cpu_count() or 1)):
        ends.append(_finish(one))
    return _worst(ends)


# -- what is there ---------------------------------------------------------------------------


def _folders(names: Sequence[str]) -> list[Path]:
    """Return the folders of the cases that are named; a folder of cases stands for them all."""
    from mbx.cli.library.library_names import find
    from mbx.linking.library import cases

    if not names:
        return list(cases())
    found: list[Path] = []
    for name in names:
        inside = cases(Path(name)) if Path(name).is_dir() else ()
        found += inside or [find(name)]
    return list(dict.fromkeys(found))


def _survey(
    folders: Iterable[Path], *, renew: bool, check: bool
) -> tuple[list[_Work], list[Status]]:
    """Return what is to be done, and how the cases ended that have errors."""
    works, ends = [], []
    for folder in folders:
        SETTINGS.guard()  # every case has the time that a single file has
        try:
            if not check:
                _require_own(folder)
            works.append(_look(folder, renew=renew))
        except (SourceError, LimitError) as bad:
            complain_report(bad.report)
            say(f"{folder.name}: not built")
            ends.append(status_of(bad.report))
        finally:
            SETTINGS.release()
    return works, ends


def _require_own(folder: Path) -> None:
    from mbx.linking.library import is_shipped

    if not folder.is_dir() or is_shipped(folder):
        raise FileError.of(
            "MBX7007",
            f"'{folder}' cannot be written: "
            + ("it is part of mbx as installed" if folder.is_dir() else "it is no case"),
            help="copy the case and build the copy: mbx library copy",
        )


def _look(folder: Path, *, renew: bool) -> _Work:
    import mbx
    from mbx.linking.library import MODEL, read_case
    from mbx.show.coverage.coverage_file import COVERAGE, read_coverage
    from mbx.show.coverage.make_coverage import is_current
    from mbx.verify.find_models import main_models

    read_case(folder)
    document = mbx.read(folder / MODEL, SETTINGS.roots)
    report = mbx.check(document)
    if not report.ok:
        raise SourceError(report)
    models = [mbx.link(document, one) for one in main_models(document)]
    SETTINGS.release()  # the limit is for reading; a drawing of many joints takes its time
    texts = {_JSON: mbx.dumps(document, "json"), _FIGURE: _drawn(folder, document)}
    stale = [name for name, text in texts.items() if renew or _kept(folder / name) != text]
    if renew or not is_current(read_coverage(folder), models):
        stale.append(COVERAGE)
    return _Work(folder, models, texts, stale)


def _drawn(folder: Path, document: Document) -> str:
    import mbx
    from mbx.show.drawing.pose import DrawError

    try:
        return mbx.draw(document)
    except DrawError as bad:
        path = folder / _FIGURE
        raise FileError.of("MBX7007", f"'{path}' cannot be written: {bad}") from None


def _kept(path: Path) -> str | None:
    from mbx.base.files import read_source

    return read_source(path).text if path.exists() else None


# -- what is made ----------------------------------------------------------------------------


def _verified(works: Sequence[_Work], pool: Pool) -> Iterator[_Work]:
    """Verify the models of cases whose coverage is stale; yield every case when it is done."""
    from mbx.show.coverage.coverage_file import COVERAGE
    from mbx.verify.agreement.state_parts import parts_of
    from mbx.verify.many import verify_models
    from mbx.verify.run_verification import Options

    yield from (one for one in works if COVERAGE not in one.stale)
    asked = [(one, k) for one in works if COVERAGE in one.stale for k in range(len(one.models))]
    models = [one.models[k] for one, k in asked]
    for done in verify_models(models, parts_of(Options()), pool):
        one, k = asked[done.number]
        _take(one, k, done)
        if len(one.found) + len(one.wrong) == len(one.models):
            yield one


def _take(work: _Work, number: int, done: Finished) -> None:
    import mbx
    from mbx.show.coverage.make_coverage import model_coverage

    linked = work.models[number]
    if not done.parts:
        work.wrong.append(f"{linked.model.name}: {done.trouble}")
    elif not done.whole.ok:
        work.wrong.append(done.whole.summary())
    else:
        freedoms = mbx.structure(linked).freedoms
        work.found[number] = model_coverage(linked, done.whole, freedoms)


def _finish(work: _Work) -> Status:
    """Write the files of a case, and say so."""
    from mbx.base.files import write_text
    from mbx.show.coverage.coverage_file import COVERAGE, Coverage, write_coverage

    texts = dict(work.texts)
    if COVERAGE in work.stale and not work.wrong:
        models = [work.found[k] for k in sorted(work.found)]
        texts[COVERAGE] = write_coverage(Coverage(coverage=1, models=models))
    written = [name for name in work.stale if name in texts]
    for name in written:
        write_text(work.folder / name, texts[name])
    say(f"{work.folder.name}: {_said('written', written)}")
    for line in work.wrong:
        say(f"  {line}; mbx verify says more")
    return Status.DISAGREE if work.wrong else Status.OK


def _said(what: str, names: Sequence[str]) -> str:
    return f"{', '.join(names)} {what}" if names else "all is current"


def _worst(ends: Iterable[Status]) -> Status:
    """Return the status of the whole: errors of models first, then disagreement, then files."""
    order = (Status.MODEL, Status.DISAGREE, Status.TROUBLE)
    found = set(ends)
    return next((one for one in order if one in found), Status.OK)
