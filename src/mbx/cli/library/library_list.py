"""`mbx library list`: the cases and parts of a library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mbx.base.errors import FileError
from mbx.cli.options import option
from mbx.cli.output import Status, complain, complain_report, emit_json, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mbx.linking.library import Case
    from mbx.show.coverage.coverage_file import Met

__all__ = ["list_cases"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A case: what it says of itself, and its references, if it was built."""

    folder: Path
    case: Case
    references: Mapping[str, Met] | None

    @property
    def counted(self) -> str:
        """How many references of each kind are met."""
        if self.references is None:
            return "not built"
        said = [f"{one.met} {kind}" for kind, one in self.references.items()]
        return ", ".join(said) or "no references"

    def as_json(self) -> dict[str, Any]:
        """Return everything as data."""
        known = self.references
        return {
            "name": self.folder.name,
            "title": self.case.title,
            "summary": self.case.summary,
            "tags": self.case.tags,
            "mechanism": self.case.mechanism or self.folder.name,
            "references": known and {kind: one.model_dump() for kind, one in known.items()},
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
    known = {tag for one in entries for tag in one.case.tags}
    for tag in sorted(wanted - known):
        _complain_tag(tag, known)
        return Status.USAGE
    chosen = [one for one in entries if wanted <= set(one.case.tags)]
    parts = list(_parts(library)) if with_parts or as_json else []
    if as_json:
        emit_json({"cases": [one.as_json() for one in chosen], "parts": parts})
    else:
        for line in _lines(chosen, parts):
            say(line)
    return Status.TROUBLE if broken else Status.OK


def _entries(library: Path | None) -> tuple[list[_Entry], bool]:
    """Return what there is to say of every case, and whether one cannot be read."""
    from mbx.linking.library import cases

    found, broken = [], False
    for folder in cases(library):
        try:
            found.append(_entry(folder))
        except FileError as bad:
            complain_report(bad.report)
            broken = True
    return found, broken


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
            "models": ", ".join(one.name for one in models),
            "title": (models[-1].title or "") if models else "",
            "file": str(file),
        }


def _lines(chosen: Sequence[_Entry], parts: Sequence[dict[str, str]]) -> Iterator[str]:
    for one in chosen:
        yield f"{one.folder.name}: {one.case.title}"
        yield f"    {', '.join(one.case.tags)}; {one.counted}"
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
