"""What equations can be written as: one record, one module of `mbx.codegen.targets` each."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.equations import Equations

__all__ = ["Target", "get", "names"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A way to write equations; a module of `mbx.codegen.targets` offers it as `TARGET`.

    Attributes:
        name: Name behind `--format`; equals the name of the module.
        suffix: What the names of its files end in, with the dot.
        title: Name in prose.
        write: Pure function from equations to the text of a file.
    """

    name: str
    suffix: str
    title: str
    write: Callable[[Equations], str]


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
