"""Sines and cosines of several angles at once, as instructions.

They go to arrays `%sin` and `%cos` of the function, from which they are taken like other numbers.
Where one angle is too far for `sine_and_cosine`, all are asked of the C library instead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.native.llvm.llvm_lines import UNLIKELY, Lines
from mbx.codegen.native.llvm.sincos import FARTHEST, sine_and_cosine

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FAR", "turn"]

FAR: Final = """\
define internal void @mb_turn(ptr %x, ptr %s, ptr %c, i64 %n) noinline nounwind {
entry:
br label %next
next:
%k = phi i64 [ 0, %entry ], [ %j, %next ]
%xk = getelementptr inbounds double, ptr %x, i64 %k
%sk = getelementptr inbounds double, ptr %s, i64 %k
%ck = getelementptr inbounds double, ptr %c, i64 %k
%a = load double, ptr %xk
%b = call double @sin(double %a)
%d = call double @cos(double %a)
store double %b, ptr %sk
store double %d, ptr %ck
%j = add i64 %k, 1
%more = icmp ult i64 %j, %n
br i1 %more, label %next, label %done
done:
ret void
}
"""
"""Function that asks the C library."""

Packed = tuple[int, str]


def turn(lines: Lines, place: int, angles: Sequence[str], wide: int) -> list[str]:
    """Append what fills the arrays of a place on the tape; return what the function begins with.

    Plain numbers are computed side by side, as many as the machine takes at once.
    """
    if lines.width > 1:
        packed = [(lines.width, x) for x in angles]
    else:
        packed = list(_packed(lines, angles, wide))
    size = sum(width for width, _ in packed)
    if lines.fused:
        far = _near(lines, place, packed)
        beyond, on = lines.label("far"), lines.label("near")
        lines.text.append(f"br i1 {far}, label %{beyond}, label %{on}, {UNLIKELY}")
        lines.begin(beyond)
        _far(lines, place, packed, size)
        lines.text.append(f"br label %{on}")
        lines.begin(on)
    else:
        _far(lines, place, packed, size)
    return [
        f"%{array}{place} = alloca [{size} x double], align 64" for array in ("sin", "cos", "arg")
    ]


def _packed(lines: Lines, angles: Sequence[str], wide: int) -> list[Packed]:
    found, k = [], 0
    while k < len(angles):
        width = wide
        while width > 1 and width // 2 >= len(angles) - k:
            width //= 2
        x = angles[k] if width == 1 else "zeroinitializer"
        for j, one in enumerate(angles[k : k + width] if width > 1 else ()):
            x = lines.new(f"insertelement <{width} x double> {x}, double {one}, i64 {j}")
        found.append((width, x))
        k += width
    return found


def _near(lines: Lines, place: int, packed: Sequence[Packed]) -> str:
    """Append sines and cosines of all angles; return whether one of these is too far."""
    far, begin = "", 0
    for width, x in packed:
        part = Lines(width, fused=True, text=lines.text, count=lines.count)
        sine, cosine = sine_and_cosine(part, x)
        size = part.call("fabs", x)
        here = part.any(part.new(f"fcmp ogt {part.type()} {size}, {part.number(FARTHEST)}"))
        far = part.new(f"or i1 {far}, {here}") if far else here
        for array, value in (("sin", sine), ("cos", cosine)):
            at = part.at(f"%{array}{place}", begin)
            part.text.append(f"store {part.type()} {value}, ptr {at}, align 8")
        lines.count = part.count
        begin += width
    return far


def _far(lines: Lines, place: int, packed: Sequence[Packed], size: int) -> None:
    begin = 0
    for width, x in packed:
        T = "double" if width == 1 else f"<{width} x double>"
        lines.text.append(f"store {T} {x}, ptr {lines.at(f'%arg{place}', begin)}, align 8")
        begin += width
    arrays = ", ".join(f"ptr %{array}{place}" for array in ("arg", "sin", "cos"))
    lines.text.append(f"call void @mb_turn({arrays}, i64 {size})")
