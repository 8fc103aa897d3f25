"""What equations are written as: the record of a target, what it is given, and what it returns."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from mbx.base.short_repr import shorten_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.expr.nodes import Node, Number
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page


__all__ = ["Subject", "Target", "WrittenText", "get", "names"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Equations to be written.

    Attributes:
        equations: What is written.
        values: Numbers that are put in for parameters before anything is written.
        guarded: Whether results are infinite where rows that were dropped do not hold.
        width: Characters of a line of plain text.
        only_equations: Whether a page has nothing but its equations, as for an appendix.
    """

    equations: Equations
    values: Mapping[Node, Number] = field(default_factory=dict)
    guarded: bool = False
    width: int = 98
    only_equations: bool = False

    @property
    def page(self) -> Page | None:
        """The page, which has no numbers put in for parameters."""
        return None if self.values else self.equations.page

    @property
    def stem(self) -> str:
        """A name for files and functions: the model and the form, letters and digits."""
        one = self.equations
        form = f"{one.formalism}_{one.variant}" if one.variant else one.formalism
        kept = "".join(c if c.isascii() and c.isalnum() else "_" for c in f"{one.model}_{form}")
        return kept if kept[:1].isalpha() else f"m{kept}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A way to write equations; a module of `mbx.codegen.targets` offers it as `TARGET`.

    Attributes:
        name: Name behind `--format`; equals the name of the module.
        title: Name in prose.
        write: Pure function from what is to be written to the texts of files by their names;
            all names begin with the stem of the subject. What it cannot express it refuses
            with an `EquationsError` that says why.
        suffix: What the name of its file ends in, with the dot; "" if there are several files.
        specialised: Whether it takes the states of specialised equations.
        has_page: Whether it writes the page of equations that have one.
    """

    name: str
    title: str
    write: Callable[[Subject], Mapping[str, str]]
    suffix: str = ""
    specialised: bool = True
    has_page: bool = False


def names() -> tuple[str, ...]:
    """Return the names of all targets, sorted."""
    package = importlib.import_module("mbx.codegen.targets")
    return tuple(sorted(module.name for module in pkgutil.iter_modules(package.__path__)))


def get(name: str) -> Target:
    """Return a target by its name; raise `KeyError` if there is none."""
    if name not in names():
        raise KeyError(name)
    target: Target = importlib.import_module(f"mbx.codegen.targets.{name}").TARGET
    return target


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
