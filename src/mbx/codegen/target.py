"""What equations can be written as: one record, one module of `mbx.codegen.targets` each."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.codegen.subject import Subject

__all__ = ["Target", "get", "names"]


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
    """

    name: str
    title: str
    write: Callable[[Subject], Mapping[str, str]]
    suffix: str = ""
    specialised: bool = True


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
