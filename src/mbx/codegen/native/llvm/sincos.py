"""Sines and cosines as code without branches, for one number or several side by side.

The angle is brought to within an eighth of a turn about zero by subtracting quarter turns. A
quarter turn is known in three parts (Cody and Waite), and each subtraction is one fused
operation, so that no digit is lost. There, polynomials follow; their coefficients are those of
fdlibm (`k_sin.c`, `k_cos.c`; Sun Microsystems, 1993), whose errors are below 2^-58. Angles
beyond `FARTHEST` are for the C library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mbx.codegen.native.llvm.llvm_lines import Lines

__all__ = ["FARTHEST", "sine_and_cosine"]

FARTHEST: Final = 1e5
"""Largest angle that is reduced here: its quarter turns are counted without rounding."""

_TURNS: Final = 0.6366197723675814  # 2/pi
_SHIFT: Final = 6755399441055744.0  # 1.5 2^52: added and taken away, it leaves a whole number
_QUARTER: Final = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
"""pi/2, as a sum of three numbers."""
_SIN: Final = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS: Final = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sine_and_cosine(lines: Lines, x: str) -> tuple[str, str]:
    """Append what gives sine and cosine of an angle; needs a machine with fused operations."""
    number, T, W = lines.number, lines.type(), lines.type("i64")
    shifted = lines.fma(x, number(_TURNS), number(_SHIFT))
    turns = lines.two("fsub", shifted, number(_SHIFT))
    quarters = lines.new(f"bitcast {T} {shifted} to {W}")
    r = x
    for part in _QUARTER:
        r = lines.fma(turns, number(-part), r)
    z = lines.two("fmul", r, r)
    sine = _sine(lines, r, z)
    cosine = _cosine(lines, z)
    # a quarter turn swaps the two; signs change with each half turn
    odd = lines.new(f"and {W} {quarters}, {lines.whole(1)}")
    swap = lines.new(f"icmp ne {W} {odd}, {lines.whole(0)}")
    C = lines.type("i1")
    one = lines.new(f"select {C} {swap}, {T} {cosine}, {T} {sine}")
    other = lines.new(f"select {C} {swap}, {T} {sine}, {T} {cosine}")
    behind = lines.new(f"add {W} {quarters}, {lines.whole(1)}")
    return _signed(lines, one, quarters), _signed(lines, other, behind)


def _sine(lines: Lines, r: str, z: str) -> str:
    """Return r + r z (S1 + z (S2 + ...)), pairs first, which is shorter to wait for."""
    number = lines.number
    S = [number(s) for s in _SIN]
    zz = lines.two("fmul", z, z)
    low = lines.fma(z, S[1], S[0])
    middle = lines.fma(z, S[3], S[2])
    high = lines.fma(z, S[5], S[4])
    poly = lines.fma(zz, lines.fma(zz, high, middle), low)
    return lines.fma(lines.two("fmul", z, r), poly, r)


def _cosine(lines: Lines, z: str) -> str:
    """Return 1 - z/2 + z^2 (C1 + z (C2 + ...)), with what 1 - z/2 leaves off."""
    number = lines.number
    C = [number(c) for c in _COS]
    zz = lines.two("fmul", z, z)
    low = lines.fma(z, C[1], C[0])
    middle = lines.fma(z, C[3], C[2])
    high = lines.fma(z, C[5], C[4])
    poly = lines.fma(zz, lines.fma(zz, high, middle), low)
    most = lines.fma(z, number(-0.5), number(1.0))
    rest = lines.fma(z, number(-0.5), lines.two("fsub", number(1.0), most))
    return lines.two("fadd", most, lines.fma(zz, poly, rest))


def _signed(lines: Lines, value: str, quarters: str) -> str:
    """Return a value with the sign that it has after some quarter turns."""
    T, W = lines.type(), lines.type("i64")
    half = lines.new(f"and {W} {quarters}, {lines.whole(2)}")
    sign = lines.new(f"shl {W} {half}, {lines.whole(62)}")
    plain = lines.new(f"bitcast {T} {value} to {W}")
    turned = lines.new(f"xor {W} {plain}, {sign}")
    return lines.new(f"bitcast {W} {turned} to {T}")
