"""Equations as a Python file that builds functions of CasADi, with derivatives of any order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mbx.codegen.code_syntax import Syntax, inert
from mbx.codegen.python.python_module import (
    NAMES,
    both,
    commented,
    defaults,
    groups,
    header,
    imports,
    keys,
    names_in,
    said_keys,
    said_sizes,
    unpacked,
)
from mbx.codegen.schedule import Assign, statements
from mbx.codegen.sources import copied
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.codegen.routine import Routine
    from mbx.codegen.schedule import Loop
    from mbx.codegen.target import Subject

__all__ = ["SYNTAX", "TARGET"]

_SAME: Final = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log"),
    *("sign", "sqrt"),
)
SYNTAX: Final = Syntax(
    functions={
        **{name: f"ca.{name}({{0}})" for name in _SAME},
        "abs": "ca.fabs({0})",
        "atan2": "ca.atan2({0}, {1})",
        "power": "ca.power({0}, {1})",
    },
    less="ca.if_else(({0}) < ({1}), 1.0, 0.0)",
    test="({0}) < ({1})",
    given="{0} != 0.0",
    choose="ca.if_else({0}, {1}, {2})",
)


_TAKEN: Final = ("arguments", "ca", "closed", "names", "outputs", "start", "unknowns", "value")


def _write(subject: Subject) -> dict[str, str]:
    """Return the file."""
    rates, every = both(subject)
    code = keys(subject.equations.results)
    seeks = bool(every.iterations or rates.iterations)
    own = copied(("mbx.codegen.runtime.casadi_runtime",), {"closed"} if seeks else ())
    lines = [
        *header(subject, rates, names_in(rates, _TAKEN)),
        *commented(said_keys(code, said_sizes(every))),
        *commented(f"without {inert(key)}: {inert(why)}" for key, why in every.left_out.items()),
        "",
        *imports(own, "import casadi as ca"),
        *defaults(rates, "ca.DM({0})"),
        "",
        "",
        *((*own.text.strip("\n").split("\n"), "", "") if seeks else ()),
        *_function("rates", "the rates of q, if there are any, and of u", rates, code),
        "",
        "",
        *_function("results", "all results by name, as matrices", every, code),
        "",
        "",
        "rates = _rates()",
        "results = _results()",
    ]
    return {f"mb_{subject.stem}_casadi.py": "\n".join(lines) + "\n"}


def _function(what: str, gives: str, one: Routine, code: Mapping[str, str]) -> Iterator[str]:
    """Yield the function that builds a `casadi.Function`."""
    wanted = list(one.results)
    # CasADi has derivatives of its own, and needs no step
    iterations = tuple(replace(each, step=each.residual) for each in one.iterations)
    one = replace(one, iterations=iterations)
    names = names_in(one, _TAKEN)
    yield f"def _{what}():"
    yield f'    """Return the function that gives {gives}."""'
    yield '    t = ca.SX.sym("t")'
    for group in groups(one)[1:]:
        yield f'    {NAMES[group]} = ca.SX.sym("{NAMES[group]}", {len(one.group(group))})'
    yield from unpacked(one, names, "ca.vertsplit({})")
    entries = [node for key in wanted for row in one.results[key] for node in row]
    body = statements(one, names.of, SYNTAX, entries)
    loops = 0
    for each in body.statements:
        if isinstance(each, Assign):
            yield f"    {each.name} = {each.text}"
        else:
            yield from _loop(each, loops)
            loops += 1
    rest = iter(body.entries)
    yield "    outputs = ["
    for key in wanted:
        rows = [[next(rest) for _ in row] for row in one.results[key]]
        yield f"        {_matrix(rows)},"
    yield "    ]"
    taken = [NAMES[group] for group in groups(one)]
    yield f"    arguments = [{', '.join(taken)}]"
    listed = [
        ", ".join(f'"{name}"' for name in some) for some in (taken, [code[k] for k in wanted])
    ]
    if loops:
        sought = ", ".join(f"sought{k}" for k in range(loops))
        yield f"    names = ([{listed[0]}], [{listed[1]}])"
        yield f'    return closed("{what}", arguments, [{sought}], outputs, names)'
    else:
        yield f'    return ca.Function("{what}", arguments, outputs, [{listed[0]}], [{listed[1]}])'


def _matrix(rows: Sequence[Sequence[str]]) -> str:
    if not rows or not rows[0]:
        return f"ca.SX.zeros({len(rows)}, {len(rows[0]) if rows else 0})"
    if all(len(row) == 1 for row in rows):
        return f"ca.vertcat({', '.join(row[0] for row in rows)})"
    inside = ", ".join(f"ca.horzcat({', '.join(row)})" for row in rows)
    return f"ca.vertcat({inside})"


def _loop(one: Loop, k: int) -> Iterator[str]:
    """Yield unknowns as symbols, and what must be zero in terms of them."""
    unknowns = f"{', '.join(one.unknowns)}{',' if len(one.unknowns) == 1 else ''}"
    yield f'    unknowns = ca.SX.sym("y{k}", {len(one.unknowns)})'
    yield f"    {unknowns} = ca.vertsplit(unknowns)"
    yield from (f"    {each.name} = {each.text}" for each in one.body)
    for name, texts in (("start", one.start), ("value", one.residual)):
        yield f"    {name} = ca.SX(ca.vertcat({', '.join(texts)}))"
    yield f"    sought{k} = (unknowns, start, value)"


TARGET: Final = Target(
    name="casadi", suffix=".py", title="a Python file that builds CasADi functions", write=_write
)
