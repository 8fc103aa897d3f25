"""Equations in numbers of many digits: any form of any model, at one state.

Numbers are balls of `python-flint`, which hold the true value; without it, decimals with
functions of `mpmath`. States are doubles taken exactly, and brought onto the invariants to as
many digits as are asked for.
"""

from __future__ import annotations

from mbx.numerics.multiprecision.digit_results import Place, evaluate_precisely

__all__ = ["Place", "evaluate_precisely"]
