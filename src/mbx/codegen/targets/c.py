"""Equations as C11: a header and a source, no heap, no library but libm.

`mb_STEM_rates` gives the rates of coordinates and speeds, `mb_STEM_results` all results that
can be written out, one after the other, and `mb_STEM_defaults` the values that inputs and
parameters have of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.codegen.chunks import chunks
from mbx.codegen.code_comments import about, inert, listed
from mbx.codegen.code_syntax import Syntax, float_text
from mbx.codegen.routine import GROUPS, LIMIT, NEWTON, TOLERANCE, routine
from mbx.codegen.statements import Assign, Loop, statements
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.codegen.chunks import Chunk, Chunks
    from mbx.codegen.routine import Routine
    from mbx.codegen.subject import Subject
    from mbx.expr.nodes import Node

__all__ = ["SIGN", "SYNTAX", "TARGET", "comment", "rounds"]

_SAME: Final = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")
SYNTAX: Final = Syntax(
    functions={
        **{name: f"{name}({{0}})" for name in _SAME},
        "atan2": "atan2({0}, {1})",
        "abs": "fabs({0})",
        "sign": "mb_sign({0})",
        "sqrt": "sqrt({0})",
        "power": "pow({0}, {1})",
    },
    less="(({0}) < ({1}) ? 1.0 : 0.0)",
    test="({0}) < ({1})",
    given="{0} != 0.0",
    choose="({0} ? {1} : {2})",
)
_SHORT: Final = {"q": "q", "u": "u", "higher": "x", "inputs": "in", "parameters": "p"}
SIGN: Final = "static double mb_sign(double x) { return (double)((x > 0.0) - (x < 0.0)); }"


def _write(subject: Subject) -> dict[str, str]:
    """Return header and source."""
    every = routine(subject, subject.equations.results, rest=True)
    rates = every.only("qd", "ud")
    name = f"mb_{subject.stem}"
    return {
        f"{name}.h": "\n".join(_header(subject, rates, every, name)) + "\n",
        f"{name}.c": "\n".join(_source(subject, rates, every, name)) + "\n",
    }


# -- header ----------------------------------------------------------------------------------


def _header(subject: Subject, rates: Routine, every: Routine, name: str) -> Iterator[str]:
    guard = f"{name.upper()}_H"
    yield from comment([*about(subject), "", *listed(rates)])
    yield f"#ifndef {guard}"
    yield f"#define {guard}"
    yield ""
    for group in GROUPS[1:]:
        if group != "higher" or rates.group("higher"):
            count = len(rates.group(group))
            yield f"#define {name.upper()}_{_SHORT[group].upper()}_SIZE {count}"
    place = 0
    for k, (key, rows) in enumerate(every.results.items()):
        size = f"{len(rows)} by {len(rows[0]) if rows else 0}"
        yield f"#define {name.upper()}_AT_{_macro(key, k)} {place} /* {inert(key)}: {size} */"
        place += sum(len(row) for row in rows)
    yield f"#define {name.upper()}_RESULTS_SIZE {place}"
    for key, reason in every.left_out.items():
        yield from comment([f"without {inert(key)}: {inert(reason)}"])
    yield ""
    yield "#ifdef __cplusplus"
    yield 'extern "C" {'
    yield "#endif"
    yield from comment(["0: done; 1: a result is no number; 2: an iteration did not converge."])
    yield f"{_signature(name, 'rates', rates, _outputs(rates))};"
    yield from comment(["All results, row by row, each where its macro AT says."])
    yield f"{_signature(name, 'results', rates, ['out'])};"
    yield from comment(["Values that inputs and parameters have of their own; others become 0."])
    yield f"void {name}_defaults(double *in, double *p);"
    yield "#ifdef __cplusplus"
    yield "}"
    yield "#endif"
    yield ""
    yield "#endif"


def _macro(key: str, k: int) -> str:
    return key if key.isidentifier() and key.isascii() else f"RESULT_{k}"


def comment(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines as a comment; they are inert."""
    yield "/*"
    yield from (f" * {line}".rstrip() for line in lines)
    yield " */"


def _outputs(one: Routine) -> list[str]:
    return [key for key in ("qd", "ud") if key in one.results]


def _signature(name: str, what: str, one: Routine, outputs: Sequence[str]) -> str:
    groups = [g for g in GROUPS[1:] if g != "higher" or one.group("higher")]
    inside = ", ".join(f"const double *{_SHORT[group]}" for group in groups)
    return (
        f"int {name}_{what}(double t, {inside}, {', '.join(f'double *{out}' for out in outputs)})"
    )


# -- source ----------------------------------------------------------------------------------


def _source(subject: Subject, rates: Routine, every: Routine, name: str) -> Iterator[str]:
    yield from comment(list(about(subject)))
    yield f'#include "{name}.h"'
    yield ""
    yield "#include <math.h>"
    yield ""
    used = "".join(_function(name, "rates", rates, _outputs(rates)))
    used += "".join(_function(name, "results", every, [*every.results]))
    if "mb_sign(" in used:
        yield SIGN
        yield ""
    yield used
    yield f"void {name}_defaults(double *in, double *p)"
    yield "{"
    for group in ("inputs", "parameters"):
        yield f"    (void){_SHORT[group]};"
        for one in rates.group(group):
            yield f"    {_SHORT[group]}[{one.index}] = {float_text(one.default or 0.0)};"
    yield "}"


def _names(one: Routine) -> dict[Node, str]:
    found = {arg.symbol: f"{_SHORT[arg.group]}[{arg.index}]" for arg in one.arguments[1:]}
    return {**found, one.arguments[0].symbol: "t"}


def _function(name: str, what: str, one: Routine, keys: Sequence[str]) -> Iterator[str]:
    entries = [node for key in keys for row in one.results[key] for node in row]
    parts = chunks(statements(one, _names(one), SYNTAX, entries))
    outputs = _outputs(one) if what == "rates" else ["out"]
    groups = [g for g in GROUPS[1:] if g != "higher" or one.group("higher")]
    taken = "double t, " + ", ".join(f"const double *{_SHORT[g]}" for g in groups)
    passed = "t, " + ", ".join(_SHORT[g] for g in groups)
    voids = "".join(f"    (void){x};\n" for x in ("t", *(_SHORT[g] for g in groups)))
    for k, chunk in enumerate(parts.chunks):
        if parts.places:
            yield f"static int {name}_{what}_{k}({taken}, double *w)\n{{\n    int s = 0;\n{voids}"
            yield from _chunk(chunk, parts)
            yield "    return s;\n}\n\n"
    yield f"{_signature(name, what, one, outputs)}\n{{\n    int s = 0;\n{voids}"
    if parts.places:
        yield f"    double w[{len(parts.places)}];\n"
        for k in range(len(parts.chunks)):
            yield f"    s |= {name}_{what}_{k}({passed}, w);\n"
        yield from (f"    const double {n} = w[{parts.places[n]}];\n" for n in parts.takes)
    else:
        yield from _chunk(parts.chunks[0], parts)
    yield from _stored(one, what, keys, parts.entries)
    yield "    return s;\n}\n\n"


def _stored(one: Routine, what: str, keys: Sequence[str], entries: Sequence[str]) -> Iterator[str]:
    """Yield what puts entries where they are wanted, and looks whether they are numbers."""
    rest = iter(entries)
    place = 0
    for key in keys:
        out = key if what == "rates" else "out"
        place = 0 if what == "rates" else place
        for row in one.results[key]:
            for _ in row:
                yield f"    {out}[{place}] = {next(rest)};\n"
                yield f"    if (!isfinite({out}[{place}])) s |= 1;\n"
                place += 1
    if not entries:
        yield "".join(f"    (void){out};\n" for out in (keys if what == "rates" else ["out"]))


def _chunk(chunk: Chunk, parts: Chunks) -> Iterator[str]:
    yield from (f"    const double {n} = w[{parts.places[n]}];\n" for n in chunk.takes)
    for one in chunk.statements:
        if isinstance(one, Assign):
            yield f"    const double {one.name} = {one.text};\n"
        else:
            yield from rounds(one)
    yield from (f"    w[{parts.places[n]}] = {n};\n" for n in chunk.leaves)


def rounds(one: Loop) -> Iterator[str]:
    """Yield the rounds of an iteration; `s` is the status."""
    if one.rough:
        yield "    double before = INFINITY;\n"
    for name, start in zip(one.unknowns, one.start, strict=True):
        yield f"    double {name} = {start};\n"
    n = len(one.unknowns)
    yield f"    for (int k = 0;; ++k) {{\n        double d[{n}], move = 0.0, size = 1e-4;\n"
    yield f"        if (k == {LIMIT}) {{ s |= 2; break; }}\n"
    yield from (f"        const double {each.name} = {each.text};\n" for each in one.body)
    yield "".join(f"        d[{j}] = {step};\n" for j, step in enumerate(one.step))
    sound = " && ".join(f"isfinite(d[{j}])" for j in range(n))
    yield f"        if (!(0 < k && k < {NEWTON} && {sound})) {{\n"
    yield "".join(f"            d[{j}] = -({g});\n" for j, g in enumerate(one.residual))
    yield "        }\n"
    for j, name in enumerate(one.unknowns):
        yield f"        {name} += d[{j}];\n"
        yield f"        if (!(fabs(d[{j}]) <= move)) move = fabs(d[{j}]);\n"
        yield f"        if (fabs({name}) > size) size = fabs({name});\n"
    if one.rough:
        yield f"        if (move <= {one.rough}*size && move >= before) break;\n"
        yield "        before = move;\n"
    yield f"        if (!(move > {TOLERANCE}*size)) break;\n    }}\n"


TARGET: Final = Target(name="c", title="C11, a header and a source", write=_write)
