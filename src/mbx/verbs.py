"""Packages that are verbs: `mbx.check` holds the rules, and `mbx.check(document)` runs them.

Importing a subpackage puts it in the place of a function of the same name, so the package
itself answers the call.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["make_verb"]


class _Verb(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        """Do what the verb of the same name in `mbx.api` does."""
        verb = self.__name__.rpartition(".")[2]
        return getattr(import_module("mbx.api"), verb)(*args, **options)


def make_verb(package: str) -> None:
    """Let a package be called."""
    sys.modules[package].__class__ = _Verb
