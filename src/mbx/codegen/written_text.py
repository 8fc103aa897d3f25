"""Written equations: a string, and the files that it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from mbx.base.short_repr import shorten_repr

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WrittenText"]


class WrittenText(str):
    """The text that a target writes; `files` are the texts of its files by name."""

    __slots__ = ("files",)
    files: Mapping[str, str]

    def __new__(cls, files: Mapping[str, str]) -> Self:
        """Join the texts of several files, each below a line with its name."""
        texts = [f"==> {name} <==\n{text}" for name, text in files.items()]
        text = "\n".join(texts) if len(files) > 1 else next(iter(files.values()))
        written = super().__new__(cls, text)
        written.files = dict(files)
        return written

    def __repr__(self) -> str:
        """Return the names of the files and the size of the text."""
        return shorten_repr(f"<{', '.join(self.files)}: {self.count(chr(10))} lines>")
