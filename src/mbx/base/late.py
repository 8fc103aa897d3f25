"""Functions of higher layers, looked up by name when they are called.

Equations can be evaluated, written and shown, by packages that are built on top of them. A
method that is a shorthand for such a function finds it by its address, so that no layer imports
those above it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["late", "view"]


def late(address: str) -> Any:
    """Return the function with an address, `package.module:function`."""
    module, _, name = address.partition(":")
    return getattr(import_module(module), name)


def view(name: str, thing: Any) -> str | None:
    """Return what a notebook shows of a thing, by a function of `mbx.show.notebook`."""
    shown: str | None = late(f"mbx.show.notebook:{name}")(thing)
    return shown
