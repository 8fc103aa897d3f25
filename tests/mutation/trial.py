"""Runs pytest with one change in one module: `python -m mutation.trial MODULE NUMBER -- ARGUMENTS`.

The change is made while the module is loaded, so no file is touched.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import TYPE_CHECKING, Final

import pytest

from mutation.sites import mutated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType

__all__ = ["NOT_PLANTED"]

NOT_PLANTED: Final = 99
"""The status where the module was loaded without its change."""


class _Loader(SourceFileLoader):
    """Loads a module with a change; compiled code is neither read nor kept."""

    def __init__(self, module: str, path: str, number: int) -> None:
        super().__init__(module, path)
        self.number = number

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002  it loads one module
        tree = mutated(self.get_data(self.path).decode(), self.number)
        code: CodeType = compile(tree, self.path, "exec", dont_inherit=True)
        return code


class _Finder(MetaPathFinder):
    """Finds the one module that gets a change."""

    def __init__(self, module: str, number: int) -> None:
        self.module = module
        self.number = number
        self.used = False

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname != self.module:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self.number)
            self.used = True
        return spec


def main(module: str, number: str, _: str, *arguments: str) -> int:
    """Plant the change before pytest loads its plugins, of which mbx has one.

    Asserts are left as they are: pytest would load mbx by itself to rewrite its asserts.
    """
    finder = _Finder(module, int(number))
    sys.meta_path.insert(0, finder)
    status = int(pytest.main(["--assert=plain", *arguments]))
    return NOT_PLANTED if module in sys.modules and not finder.used else status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
