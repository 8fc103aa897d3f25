"""From the graph to SymPy: expressions as objects, with the names that the target writes.

Symbols have the names of the model as far as these are plain identifiers; intermediates are
`mb_v12`. No other text of a model reaches SymPy.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.base.errors import EquationsError
from mbx.codegen.python.python_module import NAMES, RATES, keys, names_in
from mbx.codegen.routine import Routine, routine
from mbx.codegen.schedule import schedule
from mbx.expr.evaluate import free_symbols
from mbx.expr.nodes import ADD, CHOOSE, LESS, NUMBER, POWER, PRODUCT, SCALE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.codegen.code_syntax import ModelNames
    from mbx.codegen.runtime.sympy_runtime import SymbolicEquations
    from mbx.codegen.target import Subject
    from mbx.expr.nodes import Node

__all__ = ["Written", "symbol_names", "to_sympy", "written"]

_NAMES: Final = {"abs": "Abs"}
_SOUGHT: Final = "its unknown is found by iteration, and has no expression"


@dataclass(frozen=True, slots=True)
class Written:
    """What both ways to SymPy start from: results in order, and nodes that become intermediates."""

    routine: Routine
    left_out: Mapping[str, str]
    intermediates: tuple[Node, ...]


def written(subject: Subject) -> Written:
    """Return what can be said in SymPy; raise `EquationsError` if accelerations cannot."""
    results = subject.equations.results
    found = routine(subject, results, rest=True)
    sought = {node for one in found.iterations for node in one.unknowns}
    left = dict(found.left_out)
    for key, rows in found.results.items():
        if not sought.isdisjoint(free_symbols(node for row in rows for node in row)):
            left[key] = _SOUGHT
    for key in RATES:
        if key in left:
            raise EquationsError(f"sympy cannot express {key}: {left[key]}")
    kept = {key: rows for key, rows in found.results.items() if key not in left}
    plain = Routine(found.arguments, (), kept, left)
    nodes = [node for stage in schedule(plain) for node in stage.assigned]
    return Written(plain, left, tuple(nodes))


def symbol_names(one: Routine) -> ModelNames:
    """Return what the symbols of arguments are called; none as a constant of SymPy."""
    return names_in(one, ("E", "I", "N", "O", "Q", "S", "nan", "oo", "pi", "zoo"))


def to_sympy(subject: Subject) -> SymbolicEquations:
    """Return equations as objects of SymPy."""
    import sympy as sm  # noqa: PLC0415  slow to load, and only here
    from sympy.physics.mechanics import dynamicsymbols  # noqa: PLC0415  likewise

    from mbx.codegen.runtime.sympy_runtime import SymbolicEquations as Objects  # noqa: PLC0415  likewise

    found = written(subject)
    names: dict[Node, Any] = {found.routine.arguments[0].symbol: dynamicsymbols._t}  # noqa: SLF001
    groups: dict[str, list[Any]] = {NAMES[group]: [] for group in list(NAMES)[1:]}
    known = symbol_names(found.routine).of
    for one in found.routine.arguments[1:]:
        make = sm.Symbol if one.group == "parameters" else dynamicsymbols
        names[one.symbol] = make(known[one.symbol], real=True)
        groups[NAMES[one.group]].append(names[one.symbol])
    replacements = []
    for k, node in enumerate(found.intermediates):
        value = _made(node, names)
        names[node] = sm.Symbol(f"mb_v{k}", real=True)
        replacements.append((names[node], value))
    code = keys(subject.equations.results)
    results = {
        code[key]: sm.Matrix(
            len(rows), len(rows[0]) if rows else 0, [_said(n, names) for row in rows for n in row]
        )
        for key, rows in found.routine.results.items()
    }
    return Objects(groups, replacements, results)


def _said(node: Node, names: Mapping[Node, Any]) -> Any:
    found = names.get(node)
    return _made(node, names) if found is None else found


def _made(node: Node, names: Mapping[Node, Any]) -> Any:
    """Return an operation on what has names, or is short."""
    import sympy as sm  # noqa: PLC0415  loaded before

    args = [_said(a, names) for a in node.args]
    match node.op:
        case _ if node.op is NUMBER:
            return _number(node.value)
        case _ if node.op is ADD:
            return sum(args[1:], args[0]) + _number(node.value or 0)
        case _ if node.op is SCALE:
            return _number(node.value) * args[0]
        case _ if node.op is PRODUCT:
            return args[0] * args[1]
        case _ if node.op is POWER:
            return args[0] ** _number(node.value)
        case _ if node.op is LESS:
            return sm.Piecewise((1, args[0] < args[1]), (0, True))
        case _ if node.op is CHOOSE:
            test = node.args[0]
            if test.op is LESS and test not in names:
                condition = _said(test.args[0], names) < _said(test.args[1], names)
            else:
                condition = sm.Ne(args[0], 0)
            return sm.Piecewise((args[1], condition), (args[2], True))
    return getattr(sm, _NAMES.get(node.value, node.value))(*args)


def _number(value: Any) -> Any:
    import sympy as sm  # noqa: PLC0415  loaded before

    if isinstance(value, Fraction):
        return sm.Rational(value.numerator, value.denominator)
    return sm.Integer(value) if value.__class__ is int else sm.Float(value)
