"""Tolerances that more than one module goes by, each with its meaning and its reason.

A tolerance that one module alone has stands in that module. `ranks`, `stacked_algebra` and
`implicit_steps` keep theirs, which others take from there: these modules are copied into what
`mbx convert --format numpy` writes. So does `codegen.runtime`, and the oracle shares nothing.
"""

from __future__ import annotations

from typing import Final

from mbx.numerics.ranks import EPS

__all__ = [
    "ALONG_RUN",
    "CLOSE",
    "DEPENDENT",
    "EMPTY",
    "ENTRY",
    "HELD",
    "LAST_STEP",
    "LEAST_UNKNOWN",
    "ROUGH",
    "SAME",
    "SHORTEST",
    "SMALL_PART",
]

# -- numbers ---------------------------------------------------------------------------------

ENTRY: Final = 4 * EPS
"""Relative error of a number that is given, such as a decimal with sixteen digits."""

# -- states ----------------------------------------------------------------------------------

CLOSE: Final = 64 * EPS
"""Part of the magnitude of a row that may remain of it at a consistent state: few roundings."""
ROUGH: Final = 1e-9
"""Part of the magnitude of a row beyond which what remains of it is no rounding."""
ALONG_RUN: Final = 1e-12
"""Part of the magnitude of its terms that may remain of an invariant along a run, or a search:
states follow each other there, and need not be as close as one that stands alone."""
HELD: Final = 1e-3
"""Part of its terms below which the slope of a row that is kept to rounding counts for nothing."""
SMALL_PART: Final = 1e-3
"""Part of its size in the model that a variable counts as at least: below it, it may be nothing
but rounding."""

# -- ranks -----------------------------------------------------------------------------------

DEPENDENT: Final = 1e-10
"""Part of the largest singular value below which one is zero, where bounds of rounding are not
known, as along a run in machine code: squares of it still are above rounding."""
EMPTY: Final = 1e-13
"""Part of the largest row below which a row is nothing but rounding."""

# -- Newton's method -------------------------------------------------------------------------

LAST_STEP: Final = 1e-13
"""Part of the largest unknown, or of `LEAST_UNKNOWN`, that the last step may have: what a step
leaves is the square of it."""
LEAST_UNKNOWN: Final = 1e-4
"""Unknowns below it, in SI units, are known well enough when they are known to parts of it."""

# -- geometry and time -----------------------------------------------------------------------

SAME: Final = 1e-9
"""By how much vectors of length one, or points in m, may differ that are the same: they come from
products of a few rotations in decimals."""
SHORTEST: Final = 1e-9
"""Part of the whole time below which a step is none."""
