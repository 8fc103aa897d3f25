"""Many states in blocks of some side by side: the loop over them, in LLVM's assembly language.

    void mb_batch(int64 states, double *groups[5], int64 strides[10], double *constants,
                  double *results, int32 *statuses)

The groups are t, q, u, higher and inputs; each has a stride between states and one between its
numbers, counted in numbers, so that arrays of either order are taken as they are, and what is the
same for all states is given once. Results are stored state by state. Where fewer states are left
than a block has places, the last state fills them, and its results are stored several times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.codegen.native.argument_layout import STATE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["driver"]


def driver(wide: int, sizes: Mapping[str, int], results: int) -> str:
    """Return the functions that take states in, compute them, and hand results out."""
    return "\n".join([*_fill(wide), *_empty(wide), *_batch(wide, sizes, results)])


def _rows(wide: int) -> Iterator[str]:
    """Yield the numbers of the states of a block, one for each place."""
    for k in range(wide):
        yield f"%p{k} = getelementptr inbounds i64, ptr %rows, i64 {k}"
        yield f"%r{k} = load i64, ptr %p{k}"


def _fill(wide: int) -> Iterator[str]:
    yield "define internal void @mb_fill(ptr noalias %from, i64 %row, i64 %step, i64 %n,"
    yield " ptr noalias %rows, ptr noalias %to) noinline nounwind {"
    yield "entry:"
    yield from _rows(wide)
    for k in range(wide):
        yield f"%o{k} = mul i64 %r{k}, %row"
        yield f"%a{k} = getelementptr inbounds double, ptr %from, i64 %o{k}"
    yield "%any = icmp ne i64 %n, 0"
    yield "br i1 %any, label %next, label %done"
    yield "next:"
    yield "%j = phi i64 [ 0, %entry ], [ %i, %next ]"
    yield "%at = mul i64 %j, %step"
    T, value = f"<{wide} x double>", "poison"
    for k in range(wide):
        yield f"%b{k} = getelementptr inbounds double, ptr %a{k}, i64 %at"
        yield f"%x{k} = load double, ptr %b{k}"
        yield f"%v{k} = insertelement {T} {value}, double %x{k}, i64 {k}"
        value = f"%v{k}"
    yield f"%out = getelementptr inbounds {T}, ptr %to, i64 %j"
    yield f"store {T} {value}, ptr %out, align 64"
    yield from _again("%n")


def _empty(wide: int) -> Iterator[str]:
    yield "define internal void @mb_empty(ptr noalias %from, i64 %n, ptr noalias %rows,"
    yield " ptr noalias %to) noinline nounwind {"
    yield "entry:"
    yield from _rows(wide)
    for k in range(wide):
        yield f"%o{k} = mul i64 %r{k}, %n"
        yield f"%a{k} = getelementptr inbounds double, ptr %to, i64 %o{k}"
    yield "%any = icmp ne i64 %n, 0"
    yield "br i1 %any, label %next, label %done"
    yield "next:"
    yield "%j = phi i64 [ 0, %entry ], [ %i, %next ]"
    T = f"<{wide} x double>"
    yield f"%in = getelementptr inbounds {T}, ptr %from, i64 %j"
    yield f"%v = load {T}, ptr %in, align 64"
    for k in range(wide):
        yield f"%x{k} = extractelement {T} %v, i64 {k}"
        yield f"%b{k} = getelementptr inbounds double, ptr %a{k}, i64 %j"
        yield f"store double %x{k}, ptr %b{k}"
    yield from _again("%n")


def _again(limit: str) -> Iterator[str]:
    yield "%i = add i64 %j, 1"
    yield f"%more = icmp ult i64 %i, {limit}"
    yield "br i1 %more, label %next, label %done"
    yield "done:"
    yield "ret void"
    yield "}"
    yield ""


def _batch(wide: int, sizes: Mapping[str, int], results: int) -> Iterator[str]:
    T, inside = f"<{wide} x double>", sum(sizes[name] for name in STATE)
    yield "define void @mb_batch(i64 %n, ptr %groups, ptr %strides, ptr %c, ptr %o, ptr %st) #0 {"
    yield "entry:"
    yield f"%b = alloca [{max(inside, 1)} x {T}], align 64"
    yield f"%out = alloca [{max(results, 1)} x {T}], align 64"
    yield f"%rows = alloca <{wide} x i64>, align 64"
    for k in range(len(STATE)):
        for j, what in enumerate(("row", "step")):
            yield f"%p{what}{k} = getelementptr inbounds i64, ptr %strides, i64 {2 * k + j}"
            yield f"%{what}{k} = load i64, ptr %p{what}{k}"
        yield f"%pg{k} = getelementptr inbounds ptr, ptr %groups, i64 {k}"
        yield f"%g{k} = load ptr, ptr %pg{k}"
    yield "%last = sub i64 %n, 1"
    yield "%any = icmp ne i64 %n, 0"
    yield "br i1 %any, label %next, label %done"
    yield "next:"
    yield "%j = phi i64 [ 0, %entry ], [ %i, %next ]"
    for k in range(wide):
        yield f"%l{k} = add i64 %j, {k}"
        yield f"%c{k} = icmp ult i64 %l{k}, %n"
        yield f"%r{k} = select i1 %c{k}, i64 %l{k}, i64 %last"
        yield f"%pr{k} = getelementptr inbounds i64, ptr %rows, i64 {k}"
        yield f"store i64 %r{k}, ptr %pr{k}"
    place = 0
    for k, name in enumerate(STATE):
        if sizes[name]:
            yield f"%to{k} = getelementptr inbounds {T}, ptr %b, i64 {place}"
            yield f"call void @mb_fill(ptr %g{k}, i64 %row{k}, i64 %step{k}, i64 {sizes[name]},"
            yield f" ptr %rows, ptr %to{k})"
            place += sizes[name]
    yield f"%s = call <{wide} x i32> @mb_block(ptr %b, ptr %c, ptr %out)"
    yield f"call void @mb_empty(ptr %out, i64 {results}, ptr %rows, ptr %o)"
    for k in range(wide):
        yield f"%s{k} = extractelement <{wide} x i32> %s, i64 {k}"
        yield f"%ps{k} = getelementptr inbounds i32, ptr %st, i64 %r{k}"
        yield f"store i32 %s{k}, ptr %ps{k}"
    yield f"%i = add i64 %j, {wide}"
    yield "%more = icmp ult i64 %i, %n"
    yield "br i1 %more, label %next, label %done"
    yield "done:"
    yield "ret void"
    yield "}"
    yield ""
