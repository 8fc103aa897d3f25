"""Packages that an extra of mbx brings, and the error for one that is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mbx.base.errors import MbxError

__all__ = ["ExtraError", "load_extra"]


class ExtraError(MbxError):
    """A package is not installed that an extra of mbx brings."""

    def __init__(self, what: str, package: str, extra: str = "") -> None:
        """Name what needs which package, and how to install it; it may be in no extra."""
        install = f'"mbx[{extra}]"' if extra else package
        super().__init__(f"{what} needs {package}; pip install {install}")


def load_extra(module: str, what: str, extra: str, package: str = "") -> Any:
    """Return a module that an extra brings, for `what` needs it; raise `ExtraError` without it.

    `package` is the name to install it by, where it is not the module's.
    """
    try:
        return import_module(module)
    except ImportError:
        raise ExtraError(what, package or module.partition(".")[0], extra) from None
