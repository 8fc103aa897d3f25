"""`mbx library list`: the cases and parts of a library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mbx.base.errors import FileError
from mbx.cli.options import option
from mbx.cli.output import Status, complain, complain_report, emit_json, print_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.linking.library import Case
    from mbx.show.coverage.coverage_file import Met

__all__ = ["list_cases"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A case: its description, and its references, if it was built."""

    folder: Path
    case: Case
    references: Mapping[str, Met] | None

    @property
    def reference_counts(self) -> str:
        """How many references of each kind are met."""
        if self.references is None:
            return "not built"
        texts = [f"{count.met} {kind}" for kind, count in self.references.items()]
        return ", ".join(texts) or "no references"

    def as_json(self) -> dict[str, Any]:
        """Return everything as data."""
        known = self.references
        return {
            "name": self.folder.name,
            "title": self.case.title,
            "summary": self.case.summary,
            "tags": self.case.tags,
            "mechanism": self.case.mechanism or self.folder.name,
            "references": known and {kind: count.model_dump() for kind, count in known.items()},
            "folder": str(self.folder),
        }


def list_cases(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="A folder of cases; else the library.")
    ] = None,
    *,
    tags: Annotated[list[str] | None, option("--tag")] = None,
    with_parts: Annotated[bool, option("--parts")] = False,
    as_json: Annotated[bool, option("--json")] = False,
) -> int:
    """List cases: titles, tags, and how many references each meets.

    With several tags, those that have all of them.
    """
    from mbx.cli.library.library_names import library_at

    library = library_at(folder)
    entries, broken = _entries(library)
    wanted = set(tags or ())
    known = {tag for entry in entries for tag in entry.case.tags}
    for tag in sorted(wanted - known):
        _complain_tag(tag, known)
        return Status.USAGE
    chosen = [entry for entry in entries if wanted <= set(entry.case.tags)]
    parts = list(_parts(library)) if with_parts or as_json else []
    if as_json:
        emit_json({"cases": [entry.as_json() for entry in chosen], "parts": parts})
    else:
        for line in _lines(chosen, parts):
            print_line(line)
    return Status.TROUBLE if broken else Status.OK


def _entries(library: Path | None) -> tuple[list[_Entry], bool]:
    """Return an entry for every case, and whether there are cases that cannot be read."""
    from mbx.linking.library import cases

    entries, broken = [], False
    for folder in cases(library):
        try:
            entries.append(_entry(folder))
        except FileError as bad:
            complain_report(bad.report)
            broken = True
    return entries, broken


def _entry(folder: Path) -> _Entry:
    from mbx.linking.library import read_case
    from mbx.show.coverage.coverage_file import read_coverage

    known = read_coverage(folder)
    return _Entry(folder, read_case(folder), None if known is None else known.references)


def _parts(library: Path | None) -> Iterator[dict[str, str]]:
    import mbx
    from mbx.linking.library import parts, parts_root

    base = parts_root() if library is None else library
    for file in parts(library):
        models = mbx.read(file).models
        yield {
            "path": file.relative_to(base).as_posix(),
            "models": ", ".join(model.name for model in models),
            "title": (models[-1].title or "") if models else "",
            "file": str(file),
        }


def _lines(chosen: Sequence[_Entry], parts: Sequence[dict[str, str]]) -> Iterator[str]:
    for entry in chosen:
        yield f"{entry.folder.name}: {entry.case.title}"
        yield f"    {', '.join(entry.case.tags)}; {entry.reference_counts}"
    if parts:
        yield ""
        width = max(len(part["path"]) for part in parts)
        for part in parts:
            yield f"{part['path']:{width}}  {part['models']}: {part['title']}"
        yield ""
    counts = [(len(chosen), "case")] + [(len(parts), "part")] * bool(parts)
    yield ", ".join(f"{number} {what}{'s' * (number != 1)}" for number, what in counts)


def _complain_tag(tag: str, known: Iterable[str]) -> None:
    from mbx.base.diagnostics import nearest  # only on the way to an error

    near = nearest(tag, known)
    complain(f"mbx: no case has the tag '{tag}'" + (f". Did you mean '{near}'?" if near else ""))
