"""`mbx library build`: the files of a case that mbx makes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from mbx.base.errors import FileError, LimitError, SourceError
from mbx.cli.command_files import SETTINGS
from mbx.cli.options import Jobs, option
from mbx.cli.output import Status, complain_report, print_line, status_of

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
    """A case, its stale files, and the coverage of its models."""

    folder: Path
    models: list[Linked]
    texts: dict[str, str]
    """What the files must hold that are made without a verification."""
    stale: list[str]
    coverage: dict[int, ModelCoverage] = field(default_factory=dict)
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
        for work in works:
            print_line(f"{work.folder.name}: {_summarise('stale', work.stale)}")
        return _worst([*ends, *(Status.MODEL for work in works if work.stale)])
    from mbx.base.workers.pool import Pool

    for work in _verify(works, Pool(jobs or os.cpu_count() or 1)):
        ends.append(_finish(work))
    return _worst(ends)


# -- what is there ---------------------------------------------------------------------------


def _folders(names: Sequence[str]) -> list[Path]:
    """Return the folders of the cases that are named; a folder of cases stands for them all."""
    from mbx.cli.library.library_names import find
    from mbx.linking.library import cases

    if not names:
        return list(cases())
    folders: list[Path] = []
    for name in names:
        inside = cases(Path(name)) if Path(name).is_dir() else ()
        folders += inside or [find(name)]
    return list(dict.fromkeys(folders))


def _survey(
    folders: Iterable[Path], *, renew: bool, check: bool
) -> tuple[list[_Work], list[Status]]:
    """Return what is to be done, and the statuses of the cases that have errors."""
    works, ends = [], []
    for folder in folders:
        SETTINGS.guard()  # every case has the time of a single file
        try:
            if not check:
                _require_writable_case(folder)
            works.append(_look(folder, renew=renew))
        except (SourceError, LimitError) as bad:
            complain_report(bad.report)
            print_line(f"{folder.name}: not built")
            ends.append(status_of(bad.report))
        finally:
            SETTINGS.release()
    return works, ends


def _require_writable_case(folder: Path) -> None:
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
    models = [mbx.link(document, name) for name in main_models(document)]
    SETTINGS.release()  # the limit is for reading; a drawing of many joints takes its time
    texts = {_JSON: mbx.dumps(document, "json"), _FIGURE: _draw(folder, document)}
    stale = [name for name, text in texts.items() if renew or _read_text(folder / name) != text]
    if renew or not is_current(read_coverage(folder), models):
        stale.append(COVERAGE)
    return _Work(folder, models, texts, stale)


def _draw(folder: Path, document: Document) -> str:
    import mbx
    from mbx.show.drawing.pose import DrawError

    try:
        return mbx.draw(document)
    except DrawError as bad:
        path = folder / _FIGURE
        raise FileError.of("MBX7007", f"'{path}' cannot be written: {bad}") from None


def _read_text(path: Path) -> str | None:
    from mbx.base.files import read_source

    return read_source(path).text if path.exists() else None


# -- what is made ----------------------------------------------------------------------------


def _verify(works: Sequence[_Work], pool: Pool) -> Iterator[_Work]:
    """Verify the models of cases whose coverage is stale; yield every case when it is done."""
    from mbx.show.coverage.coverage_file import COVERAGE
    from mbx.verify.agreement.state_parts import parts_of
    from mbx.verify.many import verify_models
    from mbx.verify.run_verification import Options

    yield from (work for work in works if COVERAGE not in work.stale)
    tasks = [(work, k) for work in works if COVERAGE in work.stale for k in range(len(work.models))]
    models = [work.models[k] for work, k in tasks]
    for done in verify_models(models, parts_of(Options()), pool):
        work, k = tasks[done.number]
        _take(work, k, done)
        if len(work.coverage) + len(work.wrong) == len(work.models):
            yield work


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
        work.coverage[number] = model_coverage(linked, done.whole, freedoms)


def _finish(work: _Work) -> Status:
    """Write the files of a case, and print which."""
    from mbx.base.files import write_text
    from mbx.show.coverage.coverage_file import COVERAGE, Coverage, write_coverage

    texts = dict(work.texts)
    if COVERAGE in work.stale and not work.wrong:
        models = [work.coverage[k] for k in sorted(work.coverage)]
        texts[COVERAGE] = write_coverage(Coverage(coverage=1, models=models))
    written = [name for name in work.stale if name in texts]
    for name in written:
        write_text(work.folder / name, texts[name])
    print_line(f"{work.folder.name}: {_summarise('written', written)}")
    for line in work.wrong:
        print_line(f"  {line}; mbx verify says more")
    return Status.DISAGREE if work.wrong else Status.OK


def _summarise(what: str, names: Sequence[str]) -> str:
    return f"{', '.join(names)} {what}" if names else "all is current"


def _worst(ends: Iterable[Status]) -> Status:
    """Return the status of the whole: errors of models first, then disagreement, then files."""
    order = (Status.MODEL, Status.DISAGREE, Status.TROUBLE)
    reached = set(ends)
    return next((status for status in order if status in reached), Status.OK)
