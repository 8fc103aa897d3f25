"""Equations as C11: a header and a source, no heap, no library but libm.

`mb_STEM_rates` gives the rates of coordinates and speeds, where there are any, `mb_STEM_results`
all results that can be written out, one after the other, and `mb_STEM_defaults` the values that
inputs and parameters have of their own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.codegen.code_syntax import (
    Syntax,
    about,
    float_text,
    function_names,
    inert,
    listed,
    name_arguments,
)
from mbx.codegen.routine import GROUPS, LIMIT, NEWTON, routine
from mbx.codegen.schedule import Assign, Loop, chunks, statements, texts_of
from mbx.codegen.target import Target
from mbx.numerics.tolerances import LAST_STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.codegen.code_syntax import ModelNames
    from mbx.codegen.routine import Routine
    from mbx.codegen.schedule import Chunk, Chunks
    from mbx.codegen.target import Subject

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
_KEYWORDS: Final = frozenset(
    re.findall(
        "[A-Za-z0-9_]+",
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
        "char16_t char32_t class compl concept const consteval constexpr constinit const_cast "
        "continue co_await co_return co_yield decltype default delete do double dynamic_cast else "
        "enum explicit export extern false float for friend goto if inline int long mutable "
        "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
        "register reinterpret_cast requires restrict return short signed sizeof static "
        "static_assert static_cast struct switch template this thread_local throw true try "
        "typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while "
        "xor xor_eq",
    )
)
"""Words of C and of C++."""
_MACROS: Final = frozenset(
    re.findall(
        "[A-Za-z0-9_]+",
        "DOMAIN FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_NAN "
        "FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE HUGE_VAL HUGE_VALF HUGE_VALL INFINITY M_1_PI M_2_PI "
        "M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 "
        "MATH_ERREXCEPT MATH_ERRNO MAXFLOAT NAN NULL OVERFLOW PLOSS SING TLOSS UNDERFLOW "
        "X_TLOSS fpclassify i386 isfinite isgreater isinf isless isnan isnormal linux "
        "math_errhandling signbit signgam unix",
    )
)
"""Macros of `math.h`, and those that compilers define by themselves."""
_TAKEN: Final = frozenset(
    {
        *(*_KEYWORDS, *_MACROS, *function_names(SYNTAX)),
        *("in", "out", "p", "q", "qd", "status", "u", "ud", "work"),
    }
)
_IN_LOOPS: Final = frozenset({"before", "d", "k", "move", "size"})
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
    changed = _names(rates).changed()
    yield from comment([*about(subject), "", *listed(rates), *changed])
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
    if rates.results:
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
    used = "".join(_function(name, "rates", rates, _outputs(rates))) if rates.results else ""
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


def _function(name: str, what: str, one: Routine, keys: Sequence[str]) -> Iterator[str]:
    entries = [node for key in keys for row in one.results[key] for node in row]
    names = _names(one)
    parts = chunks(statements(one, names.of, SYNTAX, entries))
    outputs = _outputs(one) if what == "rates" else ["out"]
    groups = [g for g in GROUPS[1:] if g != "higher" or one.group("higher")]
    taken = "double t, " + ", ".join(f"const double *{_SHORT[g]}" for g in groups)
    passed = "t, " + ", ".join(_SHORT[g] for g in groups)
    voids = "".join(f"    (void){x};\n" for x in ("t", *(_SHORT[g] for g in groups)))
    for k, chunk in enumerate(parts.chunks):
        if parts.places:
            yield f"static int {name}_{what}_{k}({taken}, double *work)\n"
            yield f"{{\n    int status = 0;\n{voids}"
            yield from _arguments(names, texts_of(chunk.statements))
            yield from _chunk(chunk, parts)
            yield "    return status;\n}\n\n"
    yield f"{_signature(name, what, one, outputs)}\n{{\n    int status = 0;\n{voids}"
    if parts.places:
        yield from _arguments(names, parts.entries)
        yield f"    double work[{len(parts.places)}];\n"
        for k in range(len(parts.chunks)):
            yield f"    status |= {name}_{what}_{k}({passed}, work);\n"
        yield from (f"    const double {n} = work[{parts.places[n]}];\n" for n in parts.takes)
    else:
        (chunk,) = parts.chunks
        yield from _arguments(names, [*texts_of(chunk.statements), *parts.entries])
        yield from _chunk(chunk, parts)
    yield from _stored(one, what, keys, parts.entries)
    yield "    return status;\n}\n\n"


def _names(one: Routine) -> ModelNames:
    higher = {_SHORT["higher"]} if one.group("higher") else set()
    return name_arguments(one, _TAKEN | higher | (_IN_LOOPS if one.iterations else set()))


def _arguments(names: ModelNames, texts: Iterable[str]) -> Iterator[str]:
    """Yield the arguments that a function uses, each by its name in the model."""
    for name, one in names.used_in(texts):
        yield f"    const double {name} = {_SHORT[one.group]}[{one.index}];\n"


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
                yield f"    if (!isfinite({out}[{place}])) status |= 1;\n"
                place += 1
    if not entries:
        yield "".join(f"    (void){out};\n" for out in (keys if what == "rates" else ["out"]))


def _chunk(chunk: Chunk, parts: Chunks) -> Iterator[str]:
    yield from (f"    const double {n} = work[{parts.places[n]}];\n" for n in chunk.takes)
    for one in chunk.statements:
        if isinstance(one, Assign):
            yield f"    const double {one.name} = {one.text};\n"
        else:
            yield from rounds(one)
    yield from (f"    work[{parts.places[n]}] = {n};\n" for n in chunk.leaves)


def rounds(one: Loop) -> Iterator[str]:
    """Yield the rounds of an iteration; `status` is set."""
    if one.rough:
        yield "    double before = INFINITY;\n"
    for name, start in zip(one.unknowns, one.start, strict=True):
        yield f"    double {name} = {start};\n"
    n = len(one.unknowns)
    yield f"    for (int k = 0;; ++k) {{\n        double d[{n}], move = 0.0, size = 1e-4;\n"
    yield f"        if (k == {LIMIT}) {{ status |= 2; break; }}\n"
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
    yield f"        if (!(move > {LAST_STEP}*size)) break;\n    }}\n"


TARGET: Final = Target(name="c", title="C11, a header and a source", write=_write)
