"""Addresses of models: `lib:four_bar` is a case of the library, `lib:planar/bar.mb` a part.

A folder that the user has named, `--root ours=DIR`, is addressed alike: `ours:crane` is the case
in `DIR/crane`, and `ours:parts/jib.mb` the file `DIR/parts/jib.mb`. An address is hostile until
`resolve_inside` has passed it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import nearest
from mbx.base.errors import FileError
from mbx.base.files import resolve_inside
from mbx.linking.library.folders import MODEL, cases, parts, parts_root, root

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["LIB", "find_model", "known_addresses"]

LIB: Final = "lib"
"""The name of the library of mbx."""

_FILES: Final = (".mb", ".json")


def find_model(text: str, roots: Mapping[str, Path] | None = None) -> Path | None:
    """Return the file that an address names; None if a text is no address.

    An address that names nothing, or leads out of its folder, raises `FileError`.
    """
    name, colon, rest = text.partition(":")
    own = roots or {}
    if not colon or (name != LIB and name not in own):
        return None
    is_file = rest.endswith(_FILES)
    folder = own[name] if name != LIB else parts_root() if is_file else root()
    path = resolve_inside(folder, rest)
    if not is_file:
        path = resolve_inside(folder, f"{rest}/{MODEL}")  # nor may a link in it lead out
    if not path.is_file():
        known = known_addresses(name, None if name == LIB else own[name])
        near = nearest(rest, [one.partition(":")[2] for one in known])
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
