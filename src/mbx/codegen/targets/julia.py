"""Equations as a Julia module without dependencies.

`rates!` gives the rates of coordinates and speeds, `ode!` the rate of a state as
DifferentialEquations.jl wants it, `results` all results that can be written out, and `defaults`
the values that inputs and parameters have of their own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.codegen.code_syntax import Syntax, about, float_text, function_names, inert, listed
from mbx.codegen.outline import broken, is_column, outline
from mbx.codegen.routine import LIMIT, NEWTON
from mbx.codegen.schedule import Assign, chunks, statements, texts_of
from mbx.codegen.target import Target
from mbx.expr.nodes import ZERO
from mbx.numerics.tolerances import LAST_STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.codegen.outline import Outline
    from mbx.codegen.routine import Group, Routine
    from mbx.codegen.schedule import Chunk, Chunks, Loop
    from mbx.codegen.target import Subject
    from mbx.expr.nodes import Node

__all__ = ["HELPERS", "SYNTAX", "TARGET"]

_SAME: Final = ("atan", "sinh", "cosh", "tanh", "exp", "abs", "sign")
_OWN: Final = ("sin", "cos", "tan", "asin", "acos", "log", "sqrt")
SYNTAX: Final = Syntax(
    functions={
        **{name: f"{name}({{0}})" for name in _SAME},
        **{name: f"mb_{name}({{0}})" for name in _OWN},
        "atan2": "atan({0}, {1})",
        "power": "mb_power({0}, {1})",
    },
    less="(({0}) < ({1}) ? 1.0 : 0.0)",
    test="({0}) < ({1})",
    given="{0} != 0.0",
    choose="({0} ? {1} : {2})",
)
_SHORT: Final[dict[Group, str]] = {
    "q": "q",
    "u": "u",
    "higher": "a",
    "inputs": "inputs",
    "parameters": "p",
}
_TAKEN: Final = function_names(SYNTAX) | frozenset(
    re.findall(
        "\\w+",
        "Inf NaN T abs all arguments defaults eltype fill float isfinite isinteger max "
        "nothing ode oftype promote_type qd r rates results status typeof ud values view work "
        "zeros",
    )
)
"""Variables and functions of the written module."""
_INSIDE: Final = {
    **dict.fromkeys(("sin", "cos", "tan"), "isfinite(x)"),
    **dict.fromkeys(("asin", "acos"), "abs(x) <= 1"),
    **dict.fromkeys(("log", "sqrt"), "x >= 0"),
}
HELPERS: Final = (
    *(
        f"mb_{name}(x) = {inside} ? {name}(x) : oftype(float(x), NaN)"
        for name, inside in _INSIDE.items()
    ),
    "mb_power(x, n) = x >= 0 || isinteger(n) ? x^n : oftype(float(x), NaN)",
)
"""Functions that are no number where those of Julia raise an error."""
_STATUS: Final = "0: done; +1: a result is no number; +2: an iteration did not converge"

_WITH_VALUES: Final[tuple[Group, ...]] = ("inputs", "parameters")


def _write(subject: Subject) -> dict[str, str]:
    """Return one file with a module."""
    found = outline(subject, _SHORT, _TAKEN, ("k",))
    name = f"mb_{subject.stem}"
    lines = [
        *_comment([*about(subject), "", *listed(found.rates, 1), *found.names.changed()]),
        f"module {name}",
        "",
        *HELPERS,
        "",
        *_rates(found),
        "",
        *_ode(found),
        "",
        *_results(found),
        "",
        *_defaults(found),
        "",
        "end",
    ]
    return {f"{name}.jl": "".join(f"{line}\n" for line in lines)}


def _comment(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"# {line}".rstrip() for line in lines)


# -- functions -------------------------------------------------------------------------------


def _rates(found: Outline) -> Iterator[str]:
    outputs = ", ".join(found.outputs)
    entries = [node for key in found.outputs for row in found.rates.results[key] for node in row]
    yield from _function(
        found,
        found.rates,
        entries,
        f"rates!({outputs}, {_arguments(found)})",
        [f"Put the rates of coordinates and speeds into {outputs} and return a status.", _STATUS],
        _stored_rates(found),
        "status",
    )


def _stored_rates(found: Outline) -> list[str]:
    return [
        f"{key}[{k + 1}]" for key in found.outputs for k in range(len(found.rates.results[key]))
    ]


def _ode(found: Outline) -> Iterator[str]:
    views, first = {}, 1
    for group in found.states:
        last = first + len(found.rates.group(group)) - 1
        views[group] = f"{first}:{last}"
        first = last + 1
    count = len(found.rates.group("u"))
    own = {"qd": f"view(dx, {views.get('q')})", "ud": f"view(dx, {first - count}:{first - 1})"}
    state = ", ".join(_SHORT[group] for group in found.states)
    yield from _comment(
        [
            f"Put the rate of a state, {state} in one vector, into dx; `arguments` is",
            "(inputs, p). Where there is no rate, it is no number.",
        ]
    )
    yield "function ode!(dx, x, arguments, t)"
    yield "    inputs, p = arguments"
    inside = ", ".join(f"view(x, {views[group]})" for group in found.states)
    outputs = ", ".join(own[key] for key in found.outputs)
    yield from broken(f"status = rates!({outputs}, t, {inside}, inputs, p)", "    ")
    if "higher" in views:
        low, high = (int(k) for k in views["higher"].split(":"))
        yield f"    dx[{low - count}:{high - count}] .= view(x, {low}:{high})"
    yield "    status == 0 || fill!(dx, NaN)"
    yield "    return nothing"
    yield "end"


def _results(found: Outline) -> Iterator[str]:
    fields = list(found.fields())
    entries = [node for rows in found.every.results.values() for row in rows for node in row]
    yield from _function(
        found,
        found.every,
        entries,
        f"results({_arguments(found)})",
        [
            "Return all results, and a status.",
            _STATUS,
            *(f"r.{field}: {what}" for field, what, _ in fields),
            *found.left_out(),
        ],
        _stored_results(found),
        "r, status",
        [
            "r = (",
            *(f"    {field} = zeros(T, {_shape(field, rows)})," for field, _, rows in fields),
            ")",
        ],
    )


def _shape(field: str, rows: Sequence[Sequence[Node]]) -> str:
    columns = len(rows[0]) if rows else 0
    return f"{len(rows)}" if is_column(field, rows) else f"{len(rows)}, {columns}"


def _stored_results(found: Outline) -> list[str]:
    """Return where entries go; a zero, which is there already, goes nowhere."""
    places = []
    for field, _, rows in found.fields():
        for i, row in enumerate(rows):
            for j, node in enumerate(row):
                at = f"{i + 1}" if is_column(field, rows) else f"{i + 1}, {j + 1}"
                places.append("" if node is ZERO else f"r.{field}[{at}]")
    return places


def _defaults(found: Outline) -> Iterator[str]:
    yield from _comment(["Return the values that inputs and parameters have of their own, or 0."])
    yield "function defaults()"
    for group in _WITH_VALUES:
        short = _SHORT[group]
        members = found.rates.group(group)
        yield f"    {short} = zeros({len(members)})"
        for one in members:
            meaning = f"  {inert(one.meaning)}" if one.meaning else ""
            yield (
                f"    {short}[{one.index + 1}] = {float_text(one.default or 0.0)}"
                f"  # {inert(one.path)} [{inert(one.unit)}]{meaning}"
            )
    yield "    return inputs, p"
    yield "end"


# -- statements ------------------------------------------------------------------------------


def _arguments(found: Outline) -> str:
    return ", ".join(["t", *found.short.values()])


def _function(
    found: Outline,
    routine: Routine,
    entries: Sequence[Node],
    head: str,
    said: Sequence[str],
    places: Sequence[str],
    returned: str,
    before: Sequence[str] = (),
) -> Iterator[str]:
    """Yield a function, with the parts behind it where it is long."""
    parts = chunks(statements(routine, found.names.of, SYNTAX, entries))
    name = head.partition("(")[0].rstrip("!")
    arguments = _arguments(found)
    for k, chunk in enumerate(parts.chunks if parts.places else ()):
        yield f"function {name}_{k + 1}!(work, {arguments})"
        yield "    status = 0"
        yield from _given(found, texts_of(chunk.statements))
        yield from _chunk(chunk, parts)
        yield "    return status"
        yield "end"
        yield ""
    yield from _comment(said)
    yield f"function {head}"
    yield "    status = 0"
    vectors = [_SHORT[group] for group in found.short]
    types = ", ".join(["typeof(t)", *(f"eltype({one})" for one in vectors)])
    if before or parts.places:
        yield f"    T = float(promote_type({types}))"
    yield from (f"    {line}" for line in before)
    if parts.places:
        yield from _given(found, parts.entries)
        yield f"    work = zeros(T, {len(parts.places)})"
        for k in range(len(parts.chunks)):
            yield f"    status |= {name}_{k + 1}!(work, {arguments})"
        yield from (f"    {one} = work[{parts.places[one] + 1}]" for one in parts.takes)
    else:
        (chunk,) = parts.chunks
        yield from _given(found, [*texts_of(chunk.statements), *parts.entries])
        yield from _chunk(chunk, parts)
    for place, text in zip(places, parts.entries, strict=True):
        if place:
            yield from broken(f"{place} = {text}", "    ")
    results = "values(r)" if before else f"({', '.join(found.outputs)},)"
    yield f"    all(m -> all(isfinite, m), {results}) || (status |= 1)"
    yield f"    return {returned}"
    yield "end"


def _given(found: Outline, texts: Iterable[str]) -> Iterator[str]:
    yield from (f"    {name} = {place}" for name, place in found.given(texts, "{}[{}]"))


def _chunk(chunk: Chunk, parts: Chunks) -> Iterator[str]:
    yield from (f"    {one} = work[{parts.places[one] + 1}]" for one in chunk.takes)
    for one in chunk.statements:
        if isinstance(one, Assign):
            yield from broken(f"{one.name} = {one.text}", "    ")
        else:
            yield from _loop(one)
    yield from (f"    work[{parts.places[one] + 1}] = {one}" for one in chunk.leaves)


def _loop(one: Loop) -> Iterator[str]:
    steps = [f"d{j + 1}" for j in range(len(one.unknowns))]
    for name, start in zip(one.unknowns, one.start, strict=True):
        yield f"    {name} = {start}"
    yield f"    for k in 0:{LIMIT}"
    yield f"        if k == {LIMIT}"
    yield "            status |= 2"
    yield "            break"
    yield "        end"
    for each in one.body:
        yield from broken(f"{each.name} = {each.text}", "        ")
    for name, step in zip(steps, one.step, strict=True):
        yield from broken(f"{name} = {step}", "        ")
    sound = " && ".join(f"isfinite({name})" for name in steps)
    yield f"        if !(0 < k < {NEWTON} && {sound})"
    for name, residual in zip(steps, one.residual, strict=True):
        yield from broken(f"{name} = -({residual})", "            ")
    yield "        end"
    for name, step in zip(one.unknowns, steps, strict=True):
        yield f"        {name} += {step}"
    moves = ", ".join(f"abs({name})" for name in steps)
    sizes = ", ".join(f"abs({name})" for name in one.unknowns)
    yield f"        max(0.0, {moves}) > {LAST_STEP}*max(1e-4, {sizes}) || break"
    yield "    end"


TARGET: Final = Target(name="julia", suffix=".jl", title="a Julia module", write=_write)
