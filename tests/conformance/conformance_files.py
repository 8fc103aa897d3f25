"""The conformance files: what each one expects, and what mbx finds in it.

A file is named after its code, with a number: `MBX3104-1.fail.mb` has the fault, and
`MBX3104-1.pass.mb` is the same model mended. The first line says what is expected; of a JSON
file, which has no comments, a file beside it does. An expectation is one of

    MBX3104 at 7:3, MBX4008 at 9:5      these findings at these lines and columns, no others
    ok                                  no finding at all
    nothing of MBX3104                  no error, and no finding of this code
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import mbx

if TYPE_CHECKING:
    from mbx.base.diagnostics import Diagnostic

FOLDER = Path(__file__).parent
FILES = sorted(
    path for path in FOLDER.rglob("*") if re.search(r"\.(fail|pass)\.(mb|json)$", path.name)
)

_FINDING = re.compile(r"(MBX\d{4}) at (\d+):(\d+)")


@dataclass(frozen=True, order=True)
class Found:
    """A finding: where, and which."""

    line: int
    column: int
    code: str

    def __str__(self) -> str:
        return f"{self.code} at {self.line}:{self.column}"


def expectation(path: Path) -> str:
    """Return what a file is expected to give."""
    if path.suffix == ".json":
        return path.with_suffix(".expect").read_text("utf-8").strip()
    first = path.read_bytes().partition(b"\n")[0].decode("utf-8", "replace")
    return first.lstrip("\ufeff").removeprefix("// expect:").strip()


def expected_findings(text: str) -> list[Found]:
    """Return the findings that an expectation lists, in their order."""
    matches = [_FINDING.fullmatch(one) for one in text.split(", ")]
    found = [Found(int(m[2]), int(m[3]), m[1]) for m in matches if m is not None]
    if len(found) < len(matches):
        message = f"no expectation: {text}"
        raise ValueError(message)
    return found


def findings(path: Path) -> list[Diagnostic]:
    """Return everything mbx has to say of a file."""
    try:
        return list(mbx.check(mbx.read(path)))
    except mbx.SourceError as bad:
        return list(bad.report)


def place(one: Diagnostic) -> Found:
    """Return a finding as an expectation says it; a place that is not known is 0:0."""
    line, column = (0, 0) if one.span is None else one.span.position
    return Found(line, column, one.code)


def code_of(path: Path) -> str:
    """Return the code that a file is about."""
    return path.name.partition("-")[0]
