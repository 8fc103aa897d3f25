"""The file that a user names: a path, an address such as `lib:four_bar`, or `-`.

`-` is standard input.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mbx.base.files import STDIN, read_source, read_stdin
from mbx.cli.settings import SETTINGS

if TYPE_CHECKING:
    from mbx.base.diagnostics import Source
    from mbx.formalism.equations import Equations
    from mbx.language.document.document import Document

__all__ = [
    "is_address",
    "is_stdin",
    "located",
    "name_of",
    "read_document",
    "read_document_or_equations",
    "source_of",
]

_JSON = ".json"


def is_stdin(file: Path) -> bool:
    """Return whether a file is standard input."""
    return str(file) == "-"


def name_of(file: Path) -> str:
    """Return what a file is called in messages."""
    return STDIN if is_stdin(file) else str(file)


def is_address(file: Path) -> bool:
    """Return whether a file is named by an address: in the library, or below a root."""
    return located(file) != file


def located(file: Path) -> Path:
    """Return where a file is; an address that names none raises `FileError`."""
    from mbx.linking.library.address import find_model

    return find_model(str(file), SETTINGS.roots) or file


def source_of(file: Path) -> Source:
    """Return the text of a file or of standard input."""
    return read_stdin() if is_stdin(file) else read_source(located(file), str(file))


def read_document(file: Path) -> Document:
    """Return the document in a file or on standard input."""
    import mbx

    if not is_stdin(file):
        return mbx.read(file, SETTINGS.roots)
    source = read_stdin()
    return mbx.loads(source.text, name=source.name)


def read_document_or_equations(file: Path) -> Document | Equations:
    """Return the document, or the saved equations, in a file or on standard input."""
    if not is_stdin(file) and located(file).suffix != _JSON:
        return read_document(file)
    import mbx
    from mbx.base.deep_recursion import room
    from mbx.formalism.json.read_equations import find_equations

    source = source_of(file)
    with room():
        equations = find_equations(source)
    if equations is not None:
        return equations
    return mbx.loads(source.text, name=source.name) if is_stdin(file) else read_document(file)
