"""What a notebook shows of a thing.

It is made above: from equations by writers, from a verification by the report. A thing asks for
it by name, as the verbs do, so that no layer knows those above it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["view"]


def view(name: str, thing: Any) -> str | None:
    """Return what the function of this name in `mbx.notebook` makes of a thing."""
    shown: str | None = getattr(import_module("mbx.notebook"), name)(thing)
    return shown
