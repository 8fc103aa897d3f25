"""Plans as modules of LLVM's assembly language.

    mb_setup   from parameters to constants
    mb_single  one state: int (t, q, u, higher, inputs, constants, results)
    mb_block   some states side by side, in a block of numbers
    mb_repeat  the function for one state, many times over, to be timed
    mb_turn    sines and cosines by the C library, of angles that are too far

No name and no text of a model is in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.codegen.native.llvm.angle_instructions import FAR
from mbx.codegen.native.llvm.code_parts import LENGTH, parts
from mbx.codegen.native.llvm.instructions import LIBRARY, Body
from mbx.codegen.native.llvm.llvm_lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.codegen.native.llvm.code_parts import Parts
    from mbx.codegen.native.llvm.instructions import Source
    from mbx.codegen.native.tape_plan import Plan

__all__ = ["REPEAT", "Shape", "block", "setup", "single"]

_POINTERS: Final = {
    "q": "%q",
    "u": "%u",
    "higher": "%x",
    "inputs": "%i",
    "constants": "%c",
    "parameters": "%p",
}
REPEAT: Final = """\
define void @mb_repeat(i64 %n, ptr %f, double %t, ptr %q, ptr %u, ptr %x, ptr %i, ptr %c, ptr %o) {
entry:
br label %next
next:
%k = phi i64 [ 0, %entry ], [ %j, %next ]
%s = call i32 %f(double %t, ptr %q, ptr %u, ptr %x, ptr %i, ptr %c, ptr %o)
%j = add i64 %k, 1
%more = icmp ult i64 %j, %n
br i1 %more, label %next, label %done
done:
ret void
}
"""
"""The module that calls a function many times."""
_OWN: Final = ("fma", "sqrt", "fabs")


@dataclass(frozen=True, slots=True)
class Shape:
    """How wide the machine computes, and whether it multiplies and adds in one operation."""

    wide: int
    fused: bool


def _module(functions: Sequence[str], shape: Shape) -> str:
    declared = [
        f"declare double @{name}({', '.join(['double'] * n)})" for name, n in LIBRARY.items()
    ]
    for width in sorted({1, 2, 4, 8, shape.wide}):
        T, end = ("double", "f64") if width == 1 else (f"<{width} x double>", f"v{width}f64")
        for name in _OWN:
            taken = ", ".join([T] * (3 if name == "fma" else 1))
            declared.append(f"declare {T} @llvm.{name}.{end}({taken})")
    weights = '!0 = !{!"branch_weights", i32 1, i32 1000000}'
    widths = [f'"{what}-vector-width"="{64 * shape.wide}"' for what in ("prefer", "min-legal")]
    attributes = f"attributes #0 = {{ nounwind {' '.join(widths)} }}"
    return "\n".join([*declared, "", FAR, *functions, attributes, weights, ""])


# -- one state -------------------------------------------------------------------------------


def setup(plan: Plan, shape: Shape) -> str:
    """Return the module that makes constants of parameters."""
    taken = "ptr noalias %p"
    text = _functions("mb_setup", taken, plan, Lines(1, shape.fused), _take_one, shape)
    return _module(list(text), shape)


def single(plan: Plan, shape: Shape) -> str:
    """Return the module that computes one state."""
    pointers = ("%q", "%u", "%x", "%i", "%c")
    taken = "double %t, " + ", ".join(f"ptr noalias readonly {name}" for name in pointers)
    text = _functions("mb_single", taken, plan, Lines(1, shape.fused), _take_one, shape)
    return _module(list(text), shape)


def _take_one(lines: Lines, name: str, k: int) -> str:
    if name == "t":
        return "%t"
    return lines.new(f"load double, ptr {lines.at(_POINTERS[name], k)}")


# -- several states --------------------------------------------------------------------------


def block(plan: Plan, shape: Shape, places: Mapping[str, int], driver: str) -> str:
    """Return the module that computes some states side by side.

    `places` says where in the block each group begins; `driver` fills blocks and empties them.
    """

    def take(lines: Lines, name: str, k: int) -> str:
        if name == "constants":
            one = lines.new(f"load double, ptr {lines.at('%c', k)}")
            T = lines.type()
            first = lines.new(f"insertelement {T} poison, double {one}, i64 0")
            return lines.new(
                f"shufflevector {T} {first}, {T} poison, <{shape.wide} x i32> zeroinitializer"
            )
        at = lines.at("%b", places[name] + k, lines.type())
        return lines.new(f"load {lines.type()}, ptr {at}, align 64")

    taken = "ptr noalias readonly %b, ptr noalias readonly %c"
    lines = Lines(shape.wide, shape.fused)
    text = _functions("mb_block", taken, plan, lines, take, shape)
    return _module([*text, driver], shape)


# -- functions -------------------------------------------------------------------------------


def _functions(
    name: str, taken: str, plan: Plan, lines: Lines, source: Source, shape: Shape
) -> Iterator[str]:
    """Yield the functions of a plan: one for each part, and that which calls them."""
    made = parts(plan)
    T, W = lines.type(), lines.type("i32")
    passed = taken.replace("noalias ", "").replace("readonly ", "")
    if made.size:
        for k, part in enumerate(made.parts):
            own = Lines(lines.width, lines.fused)
            body = Body(plan, own, source, shape.wide)
            body.names = _Slots(own, made, part.first)
            body.write(part.first, part.last)
            for place in part.leaves:
                at = body.lines.at("%w", made.slots[place], T)
                body.lines.text.append(
                    f"store {T} {body.operand(place)}, ptr {at}, align {_align(lines)}"
                )
            yield _written(
                f"define internal void @{name}_{k}({taken}, ptr noalias %w, ptr noalias %s) #0",
                [*body.head, *body.lines.text, "ret void"],
            )
    body = Body(plan, lines, source, shape.wide)
    body.head.append(f"%s = alloca {W}, align 64")
    body.head.append(f"store {W} {'0' if lines.width == 1 else 'zeroinitializer'}, ptr %s")
    if made.size:
        body.head.append(f"%w = alloca [{made.size} x {T}], align 64")
        for k in range(len(made.parts)):
            lines.text.append(f"call void @{name}_{k}({passed}, ptr %w, ptr %s)")
        body.names = _Slots(lines, made, len(plan.operations))
        yield from _handed(name, taken, body, made)
        for k in range(_portions(plan)):
            lines.text.append(f"call void @{name}_o{k}({passed}, ptr %w, ptr %s, ptr %o)")
        status = lines.new(f"load {W}, ptr %s")
    else:
        body.write(0, len(plan.operations))
        status = _stored(body, 0, len(plan.outputs))
    yield _written(
        f"define {W} @{name}({taken}, ptr noalias %o) #0",
        [*body.head, *lines.text, f"ret {W} {status}"],
    )


def _portions(plan: Plan) -> int:
    """Return how many functions hand results over: a compiler is slow with many in one."""
    return -(-len(plan.outputs) // LENGTH)


def _handed(name: str, taken: str, whole: Body, made: Parts) -> Iterator[str]:
    """Yield functions that hand results over from the workspace, a portion each."""
    plan, W = whole.plan, whole.lines.type("i32")
    for k in range(_portions(plan)):
        lines = Lines(whole.lines.width, whole.lines.fused)
        body = Body(plan, lines, whole.source, whole.wide)
        body.names = _Slots(lines, made, len(plan.operations))
        status = _stored(body, k * LENGTH, min((k + 1) * LENGTH, len(plan.outputs)))
        given = "ptr noalias %w, ptr noalias %s, ptr noalias %o"
        yield _written(
            f"define internal void @{name}_o{k}({taken}, {given}) #0",
            [*lines.text, f"store {W} {status}, ptr %s", "ret void"],
        )


def _align(lines: Lines) -> int:
    return 8 * lines.width


def _stored(body: Body, first: int, last: int) -> str:
    """Append what stores some results, and looks whether they are numbers; return the status."""
    lines, T, W = body.lines, body.lines.type(), body.lines.type("i32")
    zero = lines.number(0.0)
    sums = [zero, zero]
    for k, x in enumerate(body.plan.outputs[first:last], first):
        value = body.operand(x)
        lines.text.append(f"store {T} {value}, ptr {lines.at('%o', k, T)}, align {_align(lines)}")
        # zero times what is no number, or infinite, is no number
        sums[k % 2] = lines.fma(value, zero, sums[k % 2])
    bad = lines.new(f"fcmp uno {T} {sums[0]}, {sums[1]}")
    flag = lines.new(f"zext {lines.type('i1')} {bad} to {W}")
    old = lines.new(f"load {W}, ptr %s")
    return lines.new(f"or {W} {old}, {flag}")


def _written(head: str, text: Sequence[str]) -> str:
    return "\n".join([f"{head} {{", "entry:", *text, "}", ""])


class _Slots(dict[int, str]):
    """Names of results in a part; one of another part is taken from the workspace."""

    def __init__(self, lines: Lines, made: Parts, first: int) -> None:
        super().__init__()
        self._lines = lines
        self._made = made
        self._first = first

    def get(self, place: int, default: str | None = None) -> str | None:  # type: ignore[override]
        """Return the name of a result, after it was taken from the workspace if need be."""
        found = super().get(place)
        if found is None and place in self._made.slots and place < self._first:
            lines = self._lines
            at = lines.at("%w", self._made.slots[place], lines.type())
            found = lines.new(f"load {lines.type()}, ptr {at}, align {_align(lines)}")
            self[place] = found
        return found if found is not None else default
