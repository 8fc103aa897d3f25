"""What comes with an extra of the package, and what is said where it is missing."""

from __future__ import annotations

from mbx.base.errors import MbxError

__all__ = ["ExtraError"]


class ExtraError(MbxError):
    """A package is not installed that an extra of mbx brings."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        """Say what needs which package, and how to get it."""
        super().__init__(f'{what} needs {package}; pip install "mbx[{extra}]"')
