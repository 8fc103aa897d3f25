"""The library of models: where it is, its addresses, what its cases state, and copies of them.

A library is a folder of case folders, and `lib/` in it holds parts. mbx has one; any
other folder of the same structure is one, too. Addresses are `lib:four_bar`, a case, and
`lib:planar/bar.mb`, a part; a folder that the user has named, `--root ours=DIR`, is addressed
alike: `ours:crane` is the case in `DIR/crane`, and `ours:parts/jib.mb` the file
`DIR/parts/jib.mb`. An address is hostile until `resolve_inside` has passed it.
"""

from __future__ import annotations

import os
import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from mbx.base.diagnostics import nearest
from mbx.base.errors import FileError, SourceError
from mbx.base.files import read_bytes, read_source, resolve_inside, write_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "CASE",
    "LIB",
    "MODEL",
    "Case",
    "CaseSource",
    "case_schema",
    "cases",
    "copy_case",
    "copy_part",
    "find_model",
    "is_shipped",
    "known_addresses",
    "parts",
    "parts_root",
    "read_case",
    "root",
]


CASE: Final = "case.toml"
"""The file that makes its folder a case."""
MODEL: Final = "model.mb"

_PACKAGE: Final = Path(__file__).parents[1]
_INSTALLED: Final = _PACKAGE / "_library"


def root() -> Path:
    """Return the folder of the library: next to the sources, or inside the installed package."""
    return _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parents[1] / "library"


def parts_root() -> Path:
    """Return the folder that `lib:` paths start from."""
    return root() / "lib"


def cases(library: Path | None = None) -> tuple[Path, ...]:
    """Return the folders of the cases of a library, by name; of that of mbx unless one is named."""
    return tuple(sorted(path.parent for path in (library or root()).glob(f"*/{CASE}")))


def parts(library: Path | None = None) -> tuple[Path, ...]:
    """Return the files of the parts of a library, by name."""
    return tuple(sorted(((library or root()) / "lib").rglob("*.mb")))


def is_shipped(path: Path) -> bool:
    """Return whether a path is inside an installed package, where nothing is written."""
    return path.resolve().is_relative_to(_INSTALLED.resolve())


LIB: Final = "lib"
"""The name of the library of mbx."""

_FILES: Final = (".mb", ".json")


def find_model(text: str, roots: Mapping[str, Path] | None = None) -> Path | None:
    """Return the file that an address names; None if a text is no address.

    An address that names nothing, or leads out of its folder, raises `FileError`.
    """
    name, colon, rest = text.partition(":")
    folders = roots or {}
    if not colon or (name != LIB and name not in folders):
        return None
    is_file = rest.endswith(_FILES)
    folder = folders[name] if name != LIB else parts_root() if is_file else root()
    path = resolve_inside(folder, rest)
    if not is_file:
        path = resolve_inside(folder, f"{rest}/{MODEL}")  # nor may a link in it lead out
    if not path.is_file():
        known = known_addresses(name, None if name == LIB else folders[name])
        near = nearest(rest, [address.partition(":")[2] for address in known])
        raise FileError.of(
            "MBX7003",
            f"there is no '{text}'",
            help=f"did you mean '{name}:{near}'?" if near else "mbx library lists what there is",
        )
    return path


def known_addresses(name: str = LIB, library: Path | None = None) -> list[str]:
    """Return the addresses of the cases and parts of a library: that of mbx unless one is named."""
    base = parts_root() if library is None else library
    return [f"{name}:{case.name}" for case in cases(library)] + [
        f"{name}:{part.relative_to(base).as_posix()}" for part in parts(library)
    ]


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
    """Return the metadata of the case in a folder, or raise `FileError`."""
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
        reason = next(finding.message for finding in bad.report)
    raise FileError.of(
        "MBX7006", f"'{path}' cannot be read: {reason}", help="mbx schema case says what it holds"
    )


def case_schema() -> dict[str, Any]:
    """Return the JSON schema of case.toml."""
    return Case.model_json_schema()


def copy_case(folder: Path, target: Path) -> int:
    """Copy the files of a case to a folder that is not there yet; return how many they are."""
    _require_free(target)
    files = {
        path.name: read_bytes(path)
        for path in sorted(folder.iterdir())
        if path.is_file() and not path.name.startswith(".")
    }
    # made next to the target, which then takes its name: an interrupt leaves nothing behind
    made = target.parent / f".mbx-{os.urandom(8).hex()}.tmp"
    try:
        made.mkdir()
        for name, data in files.items():
            write_bytes(made / name, data)
        made.rename(target)
    except OSError as bad:
        reason = (bad.strerror or type(bad).__name__).lower()
        raise FileError.of("MBX7007", f"'{target}' cannot be written: {reason}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return len(files)


def copy_part(file: Path, target: Path) -> None:
    """Copy the file of a part to one that is not there yet."""
    _require_free(target)
    write_bytes(target, read_bytes(file), replace=False)


def _require_free(target: Path) -> None:
    if os.path.lexists(target):
        raise FileError.of(
            "MBX7009", f"'{target}' exists already", help="name another place, or remove it"
        )
