"""Equations as a Python file that builds objects of SymPy, named as SymPy's methods name them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.codegen.code_syntax import Printer, Syntax, inert
from mbx.codegen.python.python_module import (
    NAMES,
    commented,
    header,
    imports,
    keys,
    said_keys,
    said_sizes,
)
from mbx.codegen.python.sympy_objects import symbol_names, written
from mbx.codegen.sources import copied
from mbx.codegen.target import Target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.codegen.code_syntax import ModelNames
    from mbx.codegen.python.sympy_objects import Written
    from mbx.codegen.routine import Group, Routine
    from mbx.codegen.target import Subject
    from mbx.expr.nodes import Node

__all__ = ["SYNTAX", "TARGET"]

_SAME: Final = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log"),
    *("sign", "sqrt"),
)
SYNTAX: Final = Syntax(
    functions={
        **{name: f"sm.{name}({{0}})" for name in _SAME},
        "abs": "sm.Abs({0})",
        "atan2": "sm.atan2({0}, {1})",
        "power": "sm.Pow({0}, {1})",
    },
    less="sm.Piecewise((1, ({0}) < ({1})), (0, True))",
    test="({0}) < ({1})",
    given="sm.Ne({0}, 0)",
    choose="sm.Piecewise(({1}, {0}), ({2}, True))",
)


class _Exact(Printer):
    """Writes whole and rational numbers as they are."""

    __slots__ = ()

    def _number(self, value: Any) -> str:
        if isinstance(value, Fraction):
            return f"sm.Rational({value.numerator}, {value.denominator})"
        return f"sm.Integer({value})" if value.__class__ is int else f"sm.Float({float(value)!r})"


def _write(subject: Subject) -> dict[str, str]:
    """Return the file."""
    found = written(subject)
    code = keys(subject.equations.results)
    names = symbol_names(found.routine)
    own = copied(("mbx.codegen.runtime.sympy_runtime",), {"SymbolicEquations"})
    lines = [
        *header(subject, found.routine, names),
        *commented(said_keys(code, said_sizes(found.routine))),
        *commented(f"without {inert(key)}: {inert(why)}" for key, why in found.left_out.items()),
        "",
        *imports(own, "import sympy as sm"),
        "",
        *own.text.strip("\n").split("\n"),
        "",
        "",
        *_symbols(found.routine, names),
        *_equations(found, code),
    ]
    return {f"mb_{subject.stem}_sympy.py": "\n".join(lines) + "\n"}


def _symbols(one: Routine, names: ModelNames) -> Iterator[str]:
    """Yield the symbols of all groups."""
    yield "t = dynamicsymbols._t"
    groups: list[Group] = ["q", "u", "higher", "inputs", "parameters"]
    for group in groups:
        members = [names.of[arg.symbol] for arg in one.group(group)]
        make = "sm.Symbol" if group == "parameters" else "dynamicsymbols"
        if members:
            texts = ", ".join(f'"{name}"' for name in members)
            yield f"{NAMES[group]} = [{make}(name, real=True) for name in [{texts}]]"
        else:
            yield f"{NAMES[group]} = []"


def _equations(found: Written, code: Mapping[str, str]) -> Iterator[str]:
    """Yield intermediates, results, and the object made of them."""
    one = found.routine
    names: dict[Node, str] = {one.arguments[0].symbol: "t"}
    names |= {arg.symbol: f"{NAMES[arg.group]}[{arg.index}]" for arg in one.arguments[1:]}
    printer = _Exact(SYNTAX, names)
    count = len(found.intermediates)
    yield f'v = [sm.Symbol(f"mb_v{{k}}", real=True) for k in range({count})]'
    yield ""
    yield "replacements = ["
    for k, node in enumerate(found.intermediates):
        yield f"    (v[{k}], {printer.definition(node)}),"
        printer.names[node] = f"v[{k}]"
    yield "]"
    yield "results = {"
    for key, rows in one.results.items():
        yield f'    "{code[key]}": sm.Matrix({len(rows)}, {len(rows[0]) if rows else 0}, ['
        yield from (f"        {', '.join(map(printer.text, row))}," for row in rows if row)
        yield "    ]),"
    yield "}"
    groups = ", ".join(f'"{NAMES[group]}": {NAMES[group]}' for group in list(NAMES)[1:])
    yield f"equations = SymbolicEquations({{{groups}}}, replacements, results)"


TARGET: Final = Target(
    name="sympy", suffix=".py", title="a Python file that builds SymPy objects", write=_write
)
