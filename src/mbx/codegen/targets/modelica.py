"""Equations as a Modelica package.

The function `rates` gives the rates of coordinates and speeds, `results` all results that can be
written out, as a record; the model `Motion` is made of the former, and `Observed` has the latter
besides. Unknowns are iterated for in the functions, so that no compiler has to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.codegen.code_syntax import Syntax, about, float_text, function_names
from mbx.codegen.outline import broken, is_column, outline
from mbx.codegen.python.modelica_text import described, unit_text
from mbx.codegen.routine import LIMIT, NEWTON
from mbx.codegen.schedule import Assign, Loop, statements, texts_of
from mbx.codegen.target import Target
from mbx.numerics.tolerances import LAST_STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.codegen.outline import Outline
    from mbx.codegen.routine import Argument, Group, Routine
    from mbx.codegen.schedule import Body
    from mbx.codegen.target import Subject
    from mbx.expr.nodes import Node

__all__ = ["SYNTAX", "TARGET"]

_SAME: Final = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")
SYNTAX: Final = Syntax(
    functions={
        **{name: f"{name}({{0}})" for name in (*_SAME, "abs", "sign", "sqrt")},
        "atan2": "atan2({0}, {1})",
        "power": "({0})^{1}",
    },
    less="(if {0} < {1} then 1.0 else 0.0)",
    test="{0} < {1}",
    given="{0} > 0.5",  # conditions are 1 or 0, and Modelica does not compare reals for equality
    choose="(if {0} then {1} else {2})",
)
_SHORT: Final[dict[Group, str]] = {
    "q": "q",
    "u": "u",
    "higher": "a",
    "inputs": "inp",
    "parameters": "p",
}
_TAKEN: Final = function_names(SYNTAX) | frozenset(
    re.findall(
        "\\w+",
        "Boolean Clock Integer Motion Observed Real Results StateSelect String abs "
        "actualStream array assert cardinality cat ceil change cross delay der diagonal div "
        "edge fill floor homotopy identity inStream integer linspace log10 matrix max min mod "
        "ndims noEvent ones pre product promote qd r rates reinit rem results sample scalar "
        "semiLinear size skew smooth spatialDistribution status sum symmetric terminal "
        "terminate time transpose ud vector zeros",
    )
)
"""Classes, functions and variables of the language and of the written package."""
_VALUE: Final = re.compile(r"\bw[0-9]+\b")
_HUGE: Final = "1e300"
"""What is not below it is infinite, or no number."""


def _write(subject: Subject) -> dict[str, str]:
    """Return one file with a package."""
    found = outline(subject, _SHORT, _TAKEN, ("k", "move", "reach"))
    name = f"mb_{subject.stem}"
    lines = [
        f"package {name}",
        *(f"  // {line}" for line in about(subject)),
        *(f"  // {line}" for line in found.left_out()),
        *(f"  // {line}" for line in found.names.changed()),
        "",
        *_indented(_rates(found)),
        "",
        *_indented(_record(found)),
        "",
        *_indented(_results(found)),
        "",
        *_indented(_motion(subject, found)),
        "",
        *_indented(_observed(found)),
        f"end {name};",
    ]
    return {f"{name}.mo": "".join(f"{line}\n" for line in lines)}


def _indented(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"  {line}".rstrip() for line in lines)


# -- functions -------------------------------------------------------------------------------


def _rates(found: Outline) -> Iterator[str]:
    body = _body(found, found.rates, found.outputs)
    yield 'function rates "Rates of coordinates and speeds"'
    yield from _inputs(found)
    for key in found.outputs:
        yield f"  output Real {key}[{len(found.rates.results[key])}];"
    yield '  output Real status "0: done; 2: an iteration did not converge";'
    yield from _algorithm(found, body)
    entries = iter(body.entries)
    for key in found.outputs:
        for k in range(len(found.rates.results[key])):
            yield from broken(f"{key}[{k + 1}] := {next(entries)};", "  ")
    yield "end rates;"


def _record(found: Outline) -> Iterator[str]:
    yield 'record Results "All results that are not empty"'
    for field, what, rows in found.fields():
        if rows and rows[0]:
            sizes = f"{len(rows)}" if is_column(field, rows) else f"{len(rows)}, {len(rows[0])}"
            yield f"  Real {field}[{sizes}] {described(what)};"
    yield "end Results;"


def _results(found: Outline) -> Iterator[str]:
    body = _body(found, found.every, tuple(found.every.results))
    yield 'function results "All results"'
    yield from _inputs(found)
    yield "  output Results r;"
    yield "protected"
    yield "  Real status;"
    yield from _algorithm(found, body, protected=False)
    entries = iter(body.entries)
    for field, _, rows in found.fields():
        texts = [[next(entries) for _ in row] for row in rows]
        if not rows or not rows[0]:
            continue
        if is_column(field, rows):
            yield from broken(f"r.{field} := {{{', '.join(row[0] for row in texts)}}};", "  ")
            continue
        yield f"  r.{field} := {{"
        for k, row in enumerate(texts):
            comma = "," if k + 1 < len(texts) else ""
            yield from broken(f"{{{', '.join(row)}}}{comma}", "    ")
        yield "  };"
    yield "end results;"


def _inputs(found: Outline) -> Iterator[str]:
    yield "  input Real t;"
    for group in _groups(found):
        yield f"  input Real {_SHORT[group]}[{len(found.rates.group(group))}];"


def _groups(found: Outline) -> list[Group]:
    """Return the groups that have members: an empty array is a hurdle for some compilers."""
    return [group for group in found.short if found.rates.group(group)]


def _body(found: Outline, routine: Routine, keys: Sequence[str]) -> Body:
    entries = [node for key in keys for row in routine.results[key] for node in row]
    return statements(routine, found.names.of, SYNTAX, entries)


# -- statements ------------------------------------------------------------------------------


def _algorithm(found: Outline, body: Body, *, protected: bool = True) -> Iterator[str]:
    """Yield declarations and assignments, up to the results."""
    loops = [one for one in body.statements if isinstance(one, Loop)]
    given = list(found.given([*texts_of(body.statements), *body.entries], "{}[{}]"))
    names = [name for name, _ in given]
    names += [one.name for one in body.statements if isinstance(one, Assign)]
    names += [name for one in loops for name in one.unknowns]
    most = max((len(one.unknowns) for one in loops), default=0)
    names += [f"d{j + 1}" for j in range(most)]
    names += [f"w{k + 1}" for k in range(max((len(one.body) for one in loops), default=0))]
    names += ["move", "reach"] if loops else []
    if protected and names:
        yield "protected"
    if names:
        yield from broken(f"Real {', '.join(names)};", "  ")
    if loops:
        yield "  Integer k;"
    yield "algorithm"
    yield "  status := 0.0;"
    yield from (f"  {name} := {place};" for name, place in given)
    for one in body.statements:
        if isinstance(one, Assign):
            yield from broken(f"{one.name} := {one.text};", "  ")
        else:
            yield from _indented(_loop(one))


def _loop(one: Loop) -> Iterator[str]:
    """Yield a loop; Newton's step is left alone where it is not taken, and may divide by zero."""
    steps = [f"d{j + 1}" for j in range(len(one.unknowns))]
    first, second = _parted(one)
    for name, start in zip(one.unknowns, one.start, strict=True):
        yield f"{name} := {start};"
    yield "move := 1.0;"
    yield "reach := 0.0;"
    yield "k := 0;"
    yield f"while k < {LIMIT} and move > {LAST_STEP}*reach loop"
    for each in first:
        yield from broken(f"{each.name} := {each.text};", "  ")
    for name, residual in zip(steps, one.residual, strict=True):
        yield from broken(f"{name} := -({residual});", "  ")
    yield f"  if k > 0 and k < {NEWTON} then"
    for each in second:
        yield from broken(f"{each.name} := {each.text};", "    ")
    sound = " and ".join(f"abs({step}) < {_HUGE}" for step in one.step)
    yield from broken(f"if {sound} then", "    ")
    for name, step in zip(steps, one.step, strict=True):
        yield from broken(f"{name} := {step};", "      ")
    yield "    end if;"
    yield "  end if;"
    for name, step in zip(one.unknowns, steps, strict=True):
        yield f"  {name} := {name} + {step};"
    yield f"  move := {_largest([f'abs({name})' for name in steps])};"
    yield f"  reach := {_largest(['1e-4', *(f'abs({name})' for name in one.unknowns)])};"
    yield "  k := k + 1;"
    yield "end while;"
    yield f"if not move <= {LAST_STEP}*reach then"
    yield "  status := 2.0;"
    yield "end if;"


def _parted(one: Loop) -> tuple[list[Assign], list[Assign]]:
    """Return what the residual of a loop needs, and what only Newton's step does."""
    needed = {name for text in one.residual for name in _VALUE.findall(text)}
    for each in reversed(one.body):
        if each.name in needed:
            needed.update(_VALUE.findall(each.text))
    return (
        [each for each in one.body if each.name in needed],
        [each for each in one.body if each.name not in needed],
    )


def _largest(texts: Sequence[str]) -> str:
    found = texts[-1]
    for text in reversed(texts[:-1]):
        found = f"max({text}, {found})"
    return found


# -- models ----------------------------------------------------------------------------------


def _motion(subject: Subject, found: Outline) -> Iterator[str]:
    starts = _starts(subject)
    yield f"model Motion {described(subject.equations.title)}"
    for one in found.rates.group("parameters"):
        value = "" if one.default is None else f" = {float_text(one.default)}"
        yield f"  parameter Real {_declared(found, one)}{value} {_said(one)};"
    for one in found.rates.group("inputs"):
        value = float_text(one.default or 0.0)
        yield f"  input Real {_declared(found, one)} = {value} {_said(one)};"
    for group in found.states:
        for one in found.rates.group(group):
            start = float_text(starts.get(one.symbol, 0.0))
            yield f"  Real {_declared(found, one, f'start = {start}, fixed = true')} {_said(one)};"
    for key in found.outputs:
        yield f"  Real {key}[{len(found.rates.results[key])}];"
    yield '  Real status "Not 0 where an iteration did not converge";'
    yield "equation"
    outputs = ", ".join([*found.outputs, "status"])
    yield from broken(f"({outputs}) = rates({_passed(found)});", "  ")
    for one in found.rates.group("q"):
        yield f"  der({found.names.of[one.symbol]}) = qd[{one.index + 1}];"
    moving = [*found.rates.group("u"), *found.rates.group("higher")]
    higher = [found.names.of[one.symbol] for one in found.rates.group("higher")]
    last = [f"ud[{k + 1}]" for k in range(len(found.rates.group("u")))]
    for one, rate in zip(moving, [*higher, *last], strict=True):
        yield f"  der({found.names.of[one.symbol]}) = {rate};"
    yield '  assert(status < 0.5, "an iteration did not converge");'
    yield "end Motion;"


def _observed(found: Outline) -> Iterator[str]:
    yield 'model Observed "The motion, and all results along it"'
    yield "  extends Motion;"
    yield from broken(f"Results r = results({_passed(found)});", "  ")
    yield "end Observed;"


def _passed(found: Outline) -> str:
    return ", ".join(["time", *(f"{{{_members(found, group)}}}" for group in _groups(found))])


def _members(found: Outline, group: Group) -> str:
    return ", ".join(found.names.of[one.symbol] for one in found.rates.group(group))


def _declared(found: Outline, one: Argument, more: str = "") -> str:
    unit = unit_text(one.unit)
    parts = [f'unit = "{unit}"'] if unit else []
    parts += [more] if more else []
    name = found.names.of[one.symbol]
    return f"{name}({', '.join(parts)})" if parts else name


def _said(one: Argument) -> str:
    return described(f"{one.path}: {one.meaning}" if one.meaning else one.path)


def _starts(subject: Subject) -> dict[Node, float]:
    """Return where coordinates and speeds start, as far as the model says it."""
    signature = subject.equations.signature
    variables = (*signature.q, *signature.u)
    return {one.symbol: one.start for one in variables if one.start is not None}


TARGET: Final = Target(name="modelica", suffix=".mo", title="a Modelica package", write=_write)
