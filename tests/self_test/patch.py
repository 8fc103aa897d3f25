"""A fault is put into a module when that is loaded, so that the code itself has no hooks."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import TYPE_CHECKING, Final

from mbx.base.errors import MbxError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

    from self_test.mutants import Mutant

__all__ = ["changed", "plant", "source_of", "unload"]

_PROGRAM: Final = frozenset({"mbx", "mbx_converters", "self_test"})
"""What is loaded anew: the modules of a trial, too, for they hold functions of the program."""


def changed(text: str, mutant: Mutant) -> str:
    """Return the source of a module with the fault in it; what it replaces must be there."""
    parts = text.split(mutant.find)
    count, place = len(parts) - 1, mutant.occurrence or 1
    if count != (mutant.of or 1):
        message = f"{mutant.id}: what it replaces stands {count} times in {mutant.module}"
        raise MbxError(message)
    return mutant.replace.join([mutant.find.join(parts[:place]), mutant.find.join(parts[place:])])


class _Loader(SourceFileLoader):
    """Loads a module with a fault; compiled code is neither read nor kept."""

    def __init__(self, mutant: Mutant, path: str) -> None:
        super().__init__(mutant.module, path)
        self.mutant = mutant

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  it loads one module
        text = changed(self.get_data(self.path).decode(), self.mutant)
        code: CodeType = self.source_to_code(text.encode(), self.path)
        return code

    def exec_module(self, module: ModuleType) -> None:
        from self_test import operators  # noqa: PLC0415  expressions are mutated, too

        vars(module).update({name: getattr(operators, name) for name in operators.__all__})
        super().exec_module(module)


class _Finder(MetaPathFinder):
    """Finds the one module that gets a fault."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != self.mutant.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(self.mutant, spec.origin)
        return spec


def source_of(module: str) -> str:
    """Return the source of a module, which is not loaded for that."""
    path: Sequence[str] | None = None
    names = module.split(".")
    for k in range(len(names)):
        spec = PathFinder.find_spec(".".join(names[: k + 1]), path)
        if spec is None:
            raise MbxError(f"there is no module {module}")
        path = spec.submodule_search_locations
    loader = spec.loader if spec is not None else None
    source = loader.get_source(module) if isinstance(loader, SourceFileLoader) else None
    if source is None:
        raise MbxError(f"there is no source of {module}")
    return source


def unload() -> None:
    """Forget every module of the program and of trials, so that any of them can get a fault.

    Only what is imported afterwards has the fault; what was imported before must not be used.
    """
    for name in [name for name in sys.modules if name.partition(".")[0] in _PROGRAM]:
        del sys.modules[name]


def plant(mutant: Mutant) -> None:
    """Put a fault into the module that is loaded later in this process."""
    if mutant.module in sys.modules:
        raise MbxError(f"{mutant.module} is loaded already")
    sys.meta_path.insert(0, _Finder(mutant))
