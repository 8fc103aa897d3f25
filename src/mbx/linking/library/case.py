"""What a case says of itself in case.toml."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from mbx.base.errors import FileError, SourceError
from mbx.base.files import read_source
from mbx.linking.library.folders import CASE

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Case", "CaseSource", "case_schema", "read_case"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CaseSource(_Frozen):
    """Where a case comes from: a text, the place in it, and where its numbers come from."""

    citation: str
    place: str = ""
    parameters: str


class Case(_Frozen):
    """What case.toml says."""

    title: str
    summary: str
    tags: list[str]
    mechanism: str = ""
    """What it is counted as, where several cases are of one mechanism; else its own name."""
    source: CaseSource


def read_case(folder: Path) -> Case:
    """Return what the case in a folder says of itself, or raise `FileError`."""
    path = folder / CASE
    try:
        return Case.model_validate(tomllib.loads(read_source(path).text))
    except ValidationError as bad:
        first = bad.errors()[0]
        reason = f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
    except tomllib.TOMLDecodeError as bad:
        reason = str(bad).lower()
    except FileError:
        raise
    except SourceError as bad:  # not UTF-8
        reason = next(one.message for one in bad.report)
    raise FileError.of(
        "MBX7006", f"'{path}' cannot be read: {reason}", help="mbx schema case says what it holds"
    )


def case_schema() -> dict[str, Any]:
    """Return the JSON schema of case.toml."""
    return Case.model_json_schema()
