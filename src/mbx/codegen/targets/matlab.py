"""Equations as functions of MATLAB and of Octave, one a file, without toolboxes.

`mb_STEM_rates` gives the rates of coordinates and speeds, `mb_STEM_ode` the rate of a state as
`ode45` wants it, `mb_STEM_results` all results that can be written out, and `mb_STEM_defaults`
the values that inputs and parameters have of their own.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from mbx.codegen.code_syntax import Syntax, about, float_text, function_names, inert, listed
from mbx.codegen.outline import broken, outline
from mbx.codegen.routine import LIMIT, NEWTON
from mbx.codegen.schedule import Assign, statements, texts_of
from mbx.codegen.target import Target
from mbx.expr.nodes import ZERO
from mbx.numerics.tolerances import LAST_STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mbx.codegen.outline import Outline
    from mbx.codegen.routine import Group, Routine
    from mbx.codegen.schedule import Body, Loop
    from mbx.codegen.target import Subject

__all__ = ["HELPERS", "SYNTAX", "TARGET"]

_SAME: Final = ("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "exp", "abs", "sign")
_OWN: Final = ("asin", "acos", "log", "sqrt")
SYNTAX: Final = Syntax(
    functions={
        **{name: f"{name}({{0}})" for name in _SAME},
        **{name: f"mb_{name}({{0}})" for name in _OWN},
        "atan2": "atan2({0}, {1})",
        "power": "mb_power({0}, {1})",
    },
    less="double({0} < {1})",
    test="{0} < {1}",
    given="{0} ~= 0.0",
    choose="mb_choose({0}, {1}, {2})",
)
_SHORT: Final[dict[Group, str]] = {
    "q": "q",
    "u": "u",
    "higher": "a",
    "inputs": "in",
    "parameters": "p",
}
_TAKEN: Final = function_names(SYNTAX) | frozenset(
    re.findall(
        "\\w+",
        "NaN abs all any double finite fix isfinite max qd r size status structfun ud zeros",
    )
)
"""Variables and functions of the written functions."""
_WITH_VALUES: Final[tuple[Group, ...]] = ("inputs", "parameters")
_MARK: Final = " ..."
_LONGEST: Final = 63
"""Letters of a name that MATLAB tells apart."""


def _real(name: str, outside: str) -> str:
    """Return a function that has no complex values, but NaN."""
    return f"""function y = mb_{name}(x)
if {outside}
    y = NaN;
else
    y = {name}(x);
end
end
"""


HELPERS: Final = {
    "mb_asin": _real("asin", "abs(x) > 1.0"),
    "mb_acos": _real("acos", "abs(x) > 1.0"),
    "mb_log": _real("log", "x < 0.0"),
    "mb_sqrt": _real("sqrt", "x < 0.0"),
    "mb_power": """function y = mb_power(x, n)
if x < 0.0 && n ~= fix(n)
    y = NaN;
else
    y = x^n;
end
end
""",
    "mb_choose": """function y = mb_choose(condition, a, b)
if condition
    y = a;
else
    y = b;
end
end
""",
}
"""Functions that MATLAB has not, or has with complex values, by name."""


def _write(subject: Subject) -> dict[str, str]:
    """Return one file a function."""
    found = outline(subject, _SHORT, _TAKEN, ("d", "k", "reach"))
    name = _name(subject)
    return {
        f"{name}_rates.m": "\n".join(_rates(subject, found, name)),
        f"{name}_ode.m": "\n".join(_ode(found, name)),
        f"{name}_results.m": "\n".join(_results(subject, found, name)),
        f"{name}_defaults.m": "\n".join(_defaults(found, name)),
    }


def _name(subject: Subject) -> str:
    """Return what the names of all functions begin with, so short that MATLAB knows them all."""
    most = _LONGEST - len("_defaults")
    name = f"mb_{subject.stem}"
    if len(name) <= most:
        return name
    return f"{name[: most - 9]}_{sha256(name.encode()).hexdigest()[:8]}"


# -- functions -------------------------------------------------------------------------------


def _rates(subject: Subject, found: Outline, name: str) -> Iterator[str]:
    outputs = [*found.outputs, "status"]
    call = f"[{', '.join(outputs)}] = {name}_rates({_arguments(found)})"
    yield f"function {call}"
    yield from _help(
        f"{name}_rates",
        "rates of coordinates and speeds",
        [
            *(call, "", *about(subject), "", *_STATUS, ""),
            *(*listed(found.rates, 1), *found.names.changed()),
        ],
    )
    body = _body(found, found.rates, found.outputs)
    yield from _statements(found, body)
    entries = iter(body.entries)
    for key in found.outputs:
        rows = found.rates.results[key]
        yield f"{key} = zeros({len(rows)}, 1);"
        for k in range(len(rows)):
            yield from broken(f"{key}({k + 1}) = {next(entries)};", "", _MARK)
    both = "; ".join(found.outputs)
    yield f"status = status + double(~all(isfinite([{both}])));"
    yield "end"
    yield from _helpers(body)


def _ode(found: Outline, name: str) -> Iterator[str]:
    inside = ["t"]
    first = 1
    for group in found.states:
        last = first + len(found.rates.group(group)) - 1
        inside.append(f"x({first}:{last})")
        first = last + 1
    call = f"xd = {name}_ode(t, x, in, p)"
    state = "; ".join(_SHORT[group] for group in found.states)
    yield f"function {call}"
    yield from _help(
        f"{name}_ode",
        "rate of the state, for ode45 and the like",
        [
            call,
            "",
            f"The state x is [{state}], as {name}_rates takes them. Where there is no rate",
            "it is an error, for a solver would go on with numbers that are none.",
            "",
            f"    [in, p] = {name}_defaults();",
            f"    [t, x] = ode45(@(t, x) {name}_ode(t, x, in, p), [0 1], x0);",
        ],
    )
    outputs = ", ".join([*found.outputs, "status"])
    yield f"[{outputs}] = {name}_rates({', '.join(inside)}, in, p);"
    yield "if status ~= 0"
    yield "    error('mbx:noRates', 'no rates at t = %.17g, status %d', t, status);"
    yield "end"
    yield f"xd = [{'; '.join(_state_rates(found))}];"
    yield "end"
    yield ""


def _state_rates(found: Outline) -> Iterator[str]:
    """Yield the rates of a state in order; those of accelerations stand behind the speeds."""
    if "qd" in found.outputs:
        yield "qd"
    if found.rates.group("higher"):
        first = 1 + len(found.rates.group("q")) + len(found.rates.group("u"))
        yield f"x({first}:end)"
    yield "ud"


def _results(subject: Subject, found: Outline, name: str) -> Iterator[str]:
    call = f"[r, status] = {name}_results({_arguments(found)})"
    fields = list(found.fields())
    yield f"function {call}"
    yield from _help(
        f"{name}_results",
        "all results, as a structure of matrices",
        [
            call,
            "",
            *about(subject),
            "",
            *(
                f"r.{field}: {what}, {len(rows)} by {len(rows[0]) if rows else 0}"
                for field, what, rows in fields
            ),
            *found.left_out(),
            "",
            *_STATUS,
            f"The arguments are those of {name}_rates.",
        ],
    )
    body = _body(found, found.every, tuple(found.every.results))
    yield from _statements(found, body)
    entries = iter(body.entries)
    for field, _, rows in fields:
        yield f"r.{field} = zeros({len(rows)}, {len(rows[0]) if rows else 0});"
        for i, row in enumerate(rows):
            for j, node in enumerate(row):
                text = next(entries)
                if node is not ZERO:
                    yield from broken(f"r.{field}({i + 1}, {j + 1}) = {text};", "", _MARK)
    yield "finite = structfun(@(m) all(isfinite(m(:))), r);"
    yield "status = status + double(~all(finite));"
    yield "end"
    yield from _helpers(body)


def _defaults(found: Outline, name: str) -> Iterator[str]:
    call = f"[in, p] = {name}_defaults()"
    yield f"function {call}"
    yield from _help(
        f"{name}_defaults",
        "values that inputs and parameters have of their own",
        [call, "", "What has no value of its own becomes 0."],
    )
    for group in _WITH_VALUES:
        short = _SHORT[group]
        members = found.rates.group(group)
        yield f"{short} = zeros({len(members)}, 1);"
        for one in members:
            value = float_text(one.default or 0.0)
            meaning = f"  {inert(one.meaning)}" if one.meaning else ""
            yield (
                f"{short}({one.index + 1}) = {value};"
                f"  % {inert(one.path)} [{inert(one.unit)}]{meaning}"
            )
    yield "end"
    yield ""


# -- statements ------------------------------------------------------------------------------

_STATUS: Final = ("status 0: done; +1: a result is no number; +2: an iteration did not converge",)


def _arguments(found: Outline) -> str:
    return ", ".join(["t", *found.short.values()])


def _help(function: str, title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the text that `help` shows: the name in capitals, then lines."""
    yield f"%{function.upper()}  {title}"
    yield from (f"%   {line}".rstrip() for line in lines)
    yield ""


def _body(found: Outline, routine: Routine, keys: Sequence[str]) -> Body:
    entries = [node for key in keys for row in routine.results[key] for node in row]
    return statements(routine, found.names.of, SYNTAX, entries)


def _statements(found: Outline, body: Body) -> Iterator[str]:
    for name, place in found.given(_texts(body), "{}({})"):
        yield f"{name} = {place};"
    yield "status = 0;"
    for one in body.statements:
        if isinstance(one, Assign):
            yield from broken(f"{one.name} = {one.text};", "", _MARK)
        else:
            yield from _loop(one)


def _loop(one: Loop) -> Iterator[str]:
    n = len(one.unknowns)
    for name, start in zip(one.unknowns, one.start, strict=True):
        yield f"{name} = {start};"
    yield f"d = zeros({n}, 1);"
    yield f"for k = 0:{LIMIT}"
    yield f"    if k == {LIMIT}"
    yield "        status = 2;"
    yield "        break"
    yield "    end"
    for each in one.body:
        yield from broken(f"{each.name} = {each.text};", "    ", _MARK)
    for j, step in enumerate(one.step):
        yield from broken(f"d({j + 1}) = {step};", "    ", _MARK)
    yield f"    if k == 0 || k >= {NEWTON} || ~all(isfinite(d))"
    for j, residual in enumerate(one.residual):
        yield from broken(f"d({j + 1}) = -({residual});", "        ", _MARK)
    yield "    end"
    for j, name in enumerate(one.unknowns):
        yield f"    {name} = {name} + d({j + 1});"
    yield f"    reach = max([1e-4; abs([{'; '.join(one.unknowns)}])]);"
    yield f"    if ~(max(abs(d)) > {LAST_STEP}*reach)"
    yield "        break"
    yield "    end"
    yield "end"


def _helpers(body: Body) -> Iterator[str]:
    """Yield the functions behind a function that it calls."""
    texts = "\n".join(_texts(body))
    for name, text in HELPERS.items():
        if f"{name}(" in texts:
            yield ""
            yield text.rstrip()
    yield ""


def _texts(body: Body) -> Iterator[str]:
    yield from (*body.entries, *texts_of(body.statements))


TARGET: Final = Target(name="matlab", title="functions of MATLAB and Octave", write=_write)
