"""The library that is installed with mbx: where it is, and what a case says of itself."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

__all__ = ["Case", "CaseSource", "case_schema", "cases", "parts_root", "read_case", "root"]


def root() -> Path:
    """Return the folder of the library: beside the sources, or inside the installed package."""
    here = Path(__file__).parent
    installed = here / "_library"
    return installed if installed.is_dir() else here.parents[1] / "library"


def parts_root() -> Path:
    """Return the folder that `lib:` paths start from."""
    return root() / "lib"


def cases() -> tuple[Path, ...]:
    """Return the folders of the cases, by name."""
    return tuple(sorted(path.parent for path in root().glob("*/case.toml")))


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
    source: CaseSource


def read_case(folder: Path) -> Case:
    """Return what the case in a folder says of itself."""
    return Case.model_validate(tomllib.loads((folder / "case.toml").read_text("utf-8")))


def case_schema() -> dict[str, Any]:
    """Return the JSON schema of case.toml."""
    return Case.model_json_schema()
