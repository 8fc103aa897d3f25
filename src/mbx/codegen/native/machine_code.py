"""Machine code in memory: the one place where it is called.

What is called was made by mbx from a graph of numbers; its arguments are arrays whose sizes are
checked before.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["Code", "Library", "batch", "cycle", "repeat", "setup", "single", "stages"]

_POINTER: Final = ctypes.c_void_p
_SINGLE: Final = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_double, *(_POINTER,) * 6)
_BATCH: Final = ctypes.CFUNCTYPE(None, ctypes.c_int64, *(_POINTER,) * 5)
_REPEAT: Final = ctypes.CFUNCTYPE(None, ctypes.c_int64, _POINTER, ctypes.c_double, *(_POINTER,) * 6)
_STAGES: Final = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    _POINTER,
    *(ctypes.c_double,) * 2,
    *(_POINTER,) * 5,
    *(ctypes.c_int64,) * 5,
    *(_POINTER,) * 2,
)
_CYCLE: Final = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_int64,
    _POINTER,
    ctypes.c_int64,
    *(_POINTER,) * 2,
    ctypes.c_int64,
    *(_POINTER,) * 3,
)
_SETUP: Final = ctypes.CFUNCTYPE(ctypes.c_int32, _POINTER, _POINTER)


class Code(Protocol):
    """Functions in memory, which stay there as long as this object does."""

    def address(self, name: str) -> int:
        """Return where a function begins: `mb_setup`, `mb_single`, `mb_batch` and so on."""

    @property
    def size(self) -> int:
        """How many bytes of machine code there are, and of what belongs to it, for one state."""


def single(address: int) -> Callable[..., int]:
    """Return a function (t, q, u, higher, inputs, constants, results) of addresses."""
    return _SINGLE(address)


def batch(address: int) -> Callable[..., None]:
    """Return a function (states, groups, strides, constants, results, statuses) of addresses."""
    return _BATCH(address)


def repeat(address: int) -> Callable[..., None]:
    """Return a function (times, address, ...) that calls the one at the address so often."""
    return _REPEAT(address)


def stages(address: int) -> Callable[..., int]:
    """Return a function that computes stages of a step; see `mbx.codegen.native.stages`."""
    return _STAGES(address)


def cycle(address: int) -> Callable[..., int]:
    """Return a function that runs a chain for many times; see `mbx.codegen.native.chain`."""
    return _CYCLE(address)


def setup(address: int) -> Callable[..., int]:
    """Return a function (parameters, constants) of addresses."""
    return _SETUP(address)


class Library:
    """A shared library that was loaded from a file."""

    def __init__(self, path: Path) -> None:
        """Load it; the file is not needed afterwards."""
        self._loaded: Any = ctypes.CDLL(str(path))

    def address(self, name: str) -> int:
        """Return where a function begins."""
        return int(ctypes.cast(getattr(self._loaded, name), _POINTER).value or 0)
