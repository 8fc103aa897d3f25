"""A mechanism solved group by group as C11: a header and a source, no heap, nothing but libm.

    int STEM(double t, double *x)      all coordinates at a time, with their rates
    void STEM_start(double *x)         positions to begin with

x has positions, velocities and accelerations, one after the other; positions that are there
before the call are where each group starts. Groups of one shape have one function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mbx.analyses.kinematics.groups.tasks import (
    routine_of_drives,
    routine_of_group,
    task_of,
    too_large,
)
from mbx.analyses.kinematics.natural.model_numbers import NotNaturalError
from mbx.codegen.code_syntax import float_text, inert
from mbx.codegen.schedule import Assign, statements
from mbx.codegen.targets.c import SIGN, SYNTAX, comment, rounds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mbx.analyses.kinematics.solve_motion import Solution
    from mbx.codegen.routine import Routine
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["c_code"]


def c_code(solution: Solution, start: Array, model: str) -> dict[str, str]:
    """Return header and source; raise `NotNaturalError` where a group is not written out."""
    large = too_large(solution)
    if large is not None:
        raise NotNaturalError(f"{large.label} has too many unknowns to be written out")
    kept = "".join(c if c.isascii() and c.isalnum() else "_" for c in model)
    stem = f"mb_{kept}_kinematics"
    return {
        f"{stem}.h": "\n".join([*_header(solution, model, stem), ""]),
        f"{stem}.c": "\n".join([*_source(solution, start, model, stem), ""]),
    }


def _header(solution: Solution, model: str, stem: str) -> Iterator[str]:
    n, guard = len(solution.symbols), f"{stem.upper()}_H"
    about = [f"Kinematics of {inert(model)}, group by group ({inert(solution.method)})."]
    about.append("Written by mbx; numbers are in SI units.")
    groups = [f"  {k + 1}: {inert(group.label)}" for k, group in enumerate(solution.groups)]
    named = [f"  {k}: {inert(str(s.value))}" for k, s in enumerate(solution.symbols)]
    yield from comment([*about, "", "Groups, in order:", *groups, "", "Positions:", *named])
    yield from [f"#ifndef {guard}", f"#define {guard}", "", f"#define {stem.upper()}_SIZE {n}", ""]
    yield from ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    yield from comment(
        [
            "Solve all groups at a time: x has SIZE positions, which say where to begin, and room",
            "for as many velocities and accelerations behind them. 0: done; k: group k has no",
            "position near, and -1: what drives has no value; then x is of no use.",
        ]
    )
    yield f"int {stem}(double t, double *x);"
    yield from comment(["Put positions to begin with into x, and zeros behind them."])
    yield f"void {stem}_start(double *x);"
    yield from ["#ifdef __cplusplus", "}", "#endif", "", "#endif"]


def _source(solution: Solution, start: Array, model: str, stem: str) -> Iterator[str]:
    yield from comment([f"Kinematics of {inert(model)}, group by group.", "Written by mbx."])
    yield from [f'#include "{stem}.h"', "", "#include <math.h>", ""]
    tasks = [task_of(solution, k) for k in range(len(solution.groups))]
    shapes: dict[object, int] = {}
    texts = [_function("drives", routine_of_drives(solution.view))]
    for k, task in enumerate(tasks):
        if task.key not in shapes:
            shapes[task.key] = len(shapes)
            texts.append(_function(f"shape_{shapes[task.key]}", routine_of_group(solution, k)))
    if any("mb_sign(" in text for text in texts):
        yield SIGN
    yield from texts
    n, driven = len(solution.symbols), len(solution.view.drives)
    offsets = np.concatenate([np.arange(driven) + j * n for j in range(3)])
    taken = max([1, *(len(task.takes) for task in tasks)])
    size = 1 + max([len(offsets), *(len(task.gives) for task in tasks)])
    yield _RUN.format(taken=taken, size=size)
    yield f"int {stem}(double t, double *x)"
    yield "{"
    yield from _call("drives", (), (), offsets.tolist(), -1)
    for k, task in enumerate(tasks):
        name = f"shape_{shapes[task.key]}"
        yield from _call(name, task.values, task.takes.tolist(), task.gives.tolist(), k + 1)
    yield "    return 0;"
    yield "}"
    yield ""
    yield f"void {stem}_start(double *x)"
    yield "{"
    numbers = ", ".join(float_text(float(value)) for value in start)
    yield f"    static const double begin[] = {{{numbers}}};"
    yield f"    for (int k = 0; k < {n}; ++k) x[k] = begin[k];"
    yield f"    for (int k = {n}; k < {3 * n}; ++k) x[k] = 0.0;"
    yield "}"


_RUN = """\
typedef int mb_solve(double t, const double *q, const double *p, double *out);

static int run(mb_solve *f, const double *p, const int *from, int n, const int *to, int m,
               double t, double *x)
{{
    double in[{taken}], out[{size}];
    for (int k = 0; k < n; ++k) in[k] = x[from[k]];
    if (f(t, in, p, out) != 0 || !(out[0] <= 1.0)) return 1;
    for (int k = 0; k < m; ++k) x[to[k]] = out[k + 1];
    return 0;
}}
"""


def _call(
    name: str, values: Sequence[float], takes: Sequence[int], gives: Sequence[int], status: int
) -> Iterator[str]:
    """Yield the call of a function with the numbers of one group; C has no empty arrays."""
    numbers = ", ".join(map(float_text, values)) or "0.0"
    yield "    {"
    yield f"        static const double p[] = {{{numbers}}};"
    yield f"        static const int from[] = {{{', '.join(map(str, takes)) or '0'}}};"
    yield f"        static const int to[] = {{{', '.join(map(str, gives))}}};"
    sizes = f"from, {len(takes)}, to, {len(gives)}"
    yield f"        if (run({name}, p, {sizes}, t, x) != 0) return {status};"
    yield "    }"


def _function(name: str, routine: Routine) -> str:
    """Return a routine as a function of q and of its parameters p."""
    short = {"q": "q", "parameters": "p"}
    names = {arg.symbol: f"{short[arg.group]}[{arg.index}]" for arg in routine.arguments[1:]}
    body = statements(routine, {**names, routine.arguments[0].symbol: "t"}, SYNTAX)
    lines = [f"static int {name}(double t, const double *q, const double *p, double *out)", "{"]
    lines += ["    int status = 0;", "    (void)t; (void)q; (void)p;"]
    for each in body.statements:
        if isinstance(each, Assign):
            lines.append(f"    const double {each.name} = {each.text};")
        else:
            lines += "".join(rounds(each)).rstrip("\n").split("\n")
    for k, entry in enumerate(body.entries):
        lines.append(f"    out[{k}] = {entry};")
        lines.append(f"    if (!isfinite(out[{k}])) status |= 1;")
    return "\n".join([*lines, "    return status;", "}", ""])
