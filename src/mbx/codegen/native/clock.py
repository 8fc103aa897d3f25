"""How long a compiled function takes: one state, and a state of many."""

from __future__ import annotations

import time
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.codegen.native import machine_code
from mbx.codegen.native.function import Function

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.codegen.native.program_function import ProgramFunction

__all__ = ["Clock", "clock"]

_STATES: Final = 8192
_BURST: Final = 1e5
"""Nanoseconds that are timed at once: short, so that other work rarely falls into them."""
_BURSTS: Final = 41
_MOST: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Clock:
    """Nanoseconds for a state: alone, and as one of 8,192."""

    single: float
    batch: float


def clock(function: Function | ProgramFunction, at: Mapping[str, Any]) -> Clock:
    """Return how long a function takes at a state, given as its arguments by group.

    They are medians of short bursts, from machine code where there is any.
    """
    many = {
        name: np.broadcast_to(x, (_STATES, *np.shape(x))) if name in {"q", "u"} else x
        for name, x in at.items()
    }
    if isinstance(function, Function):
        single = _median(_repeated(function, at))
    else:
        single = _median(lambda count: [function(**at) for _ in range(count)])
    batch = _median(lambda count: [function(**many) for _ in range(count)]) / _STATES
    return Clock(single, batch)


def _repeated(function: Function, at: Mapping[str, Any]) -> Callable[[int], object]:
    """Return what calls the function for one state some times, without Python between."""
    layout = function.layout
    groups = [
        np.ascontiguousarray(layout.taken(name, at.get(name)))
        for name in ("q", "u", "higher", "inputs")
    ]
    arrays = (*groups, function.constants(at.get("parameters")), np.zeros(layout.width))
    pointers = [one.ctypes.data for one in arrays]
    repeat = machine_code.repeat(function.code.address("mb_repeat"))
    address, t = function.code.address("mb_single"), float(at.get("t", 0.0))

    def run(count: int) -> object:
        repeat(count, address, t, *pointers)
        return arrays  # which live as long as they are needed

    return run


def _median(run: Callable[[int], object]) -> float:
    """Return the nanoseconds of one call."""
    run(1)
    count, spent = 1, _timed(run, 1)
    while spent < _BURST and count < _MOST:
        count = min(max(2 * count, int(count * _BURST / max(spent, 1))), _MOST)
        spent = _timed(run, count)
    bursts = _BURSTS if spent < 100 * _BURST else 3
    return median(_timed(run, count) for _ in range(bursts)) / count


def _timed(run: Callable[[int], object], count: int) -> float:
    begin = time.perf_counter_ns()
    run(count)
    return float(time.perf_counter_ns() - begin)
