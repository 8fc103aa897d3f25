"""What drives a mechanism, from text: a number, a sweep, or an expression of time.

`1.2` is one position, `0:6.28:37` that many positions at 1 rad/s or 1 m/s, and anything else an
expression of t and of parameters, in SI units. What is not one of these is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.experiments.read_experiments import Reader
from mbx.analyses.request import UnknownNameError
from mbx.base.diagnostics import suggestion
from mbx.base.errors import SourceError
from mbx.checking.expressions.scope import resolve
from mbx.expr.build import FUNCTIONS, add, mul
from mbx.expr.derivatives import along
from mbx.expr.evaluate import evaluate, evaluate_arrays
from mbx.expr.nodes import ONE, number
from mbx.language.document.expressions import (
    Call,
    Group,
    Negative,
    Number,
    Power,
    Product,
    Reference,
    Sum,
    walk,
)
from mbx.language.text.expression_rules import parse_expression
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.analyses.experiments.experiment_plan import Plan
    from mbx.analyses.kinematics.natural.model_numbers import Numbers
    from mbx.expr.nodes import Node
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import System

__all__ = ["Drives", "drives_of", "require_values"]

MOST: Final = 100_000
"""Positions of a sweep."""
_PLAIN: Final = (Call, Group, Negative, Number, Power, Product, Reference, Sum)
_PARTS: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class Drives:
    """Given motions by path; the coordinate that sweeps and its times, if any does."""

    motions: Mapping[str, Node]
    swept: str = ""
    times: Array | None = None


class _Reader:
    """Reads expressions of t and of parameters."""

    def __init__(self, linked: Linked, system: System, numbers: Numbers) -> None:
        self._reader = Reader.of(linked, system)
        self._numbers = numbers
        self._parameters = {parameter.path for parameter in system.parameters}

    def node(self, path: str, text: str) -> Node:
        try:
            expression = parse_expression(text)
        except SourceError as bad:
            first = str(bad).split("\n", maxsplit=1)[0]
            raise NotRunError(f"what drives '{path}' is no expression: {first}") from None
        scope = self._reader.context.root
        for part in walk(expression):
            known = isinstance(part, _PLAIN)
            if isinstance(part, Call):
                known = part.function in {*FUNCTIONS, "sqrt"}
            if not known:
                raise NotRunError(f"what drives '{path}' is no expression of t and of parameters")
            if isinstance(part, Reference):
                name = part.path[0].name if len(part.path) == 1 else ""
                target = resolve(part, scope)
                mine = target is not None and target.symbol.path in self._parameters
                if name not in {"t", "pi"} and not mine:
                    raise NotRunError(f"'{text}' names what is neither t nor a parameter")
        try:
            return self._numbers.put([self._reader.lowering.scalar(expression)])[0]
        except (ArithmeticError, SourceError, TypeError, ValueError):
            raise NotRunError(f"what drives '{path}' has no value: {text}") from None

    def value(self, path: str, text: str) -> float:
        try:
            value = float(evaluate([self.node(path, text)], {})[0])
        except (KeyError, ArithmeticError, ValueError):
            value = float("nan")
        if not isfinite(value):
            raise NotRunError(f"'{text}' is no number that could drive '{path}'")
        return value


def drives_of(linked: Linked, plan: Plan, numbers: Numbers, texts: Mapping[str, str]) -> Drives:
    """Return what drives a mechanism; a name that is not there raises `UnknownNameError`.

    A sweep begins when the plan does.
    """
    reader = _Reader(linked, plan.system, numbers)
    known = [v.path for v in plan.system.q]
    motions: dict[str, Node] = {}
    swept, times = "", None
    for path, text in texts.items():
        if path not in known:
            hint = suggestion(path, known, "; ")
            raise UnknownNameError(f"there is no coordinate '{path}' to drive{hint}")
        parts = text.split(":")
        if len(parts) == 1:
            motions[path] = reader.node(path, text)
            continue
        if len(parts) != _PARTS or not parts[2].isdecimal() or not 2 <= int(parts[2]) <= MOST:  # noqa: PLR2004
            raise NotRunError(f"'{text}' is no sweep FIRST:LAST:COUNT with 2 to {MOST} positions")
        if times is not None:
            raise NotRunError("one drive can be a sweep, the others are numbers or expressions")
        first, last = (reader.value(path, part) for part in parts[:2])
        sign = 1 if last >= first else -1
        since = add(TIME, number(-plan.first))
        motions[path] = add(number(first), mul(number(sign), since))
        swept, times = path, plan.first + np.linspace(0.0, abs(last - first), int(parts[2]))
    return Drives(motions, swept, times)


def require_values(motions: Mapping[str, Node], times: Array) -> None:
    """Raise `NotRunError` for a motion that has no value, or no rates, at one of the times."""
    for path, motion in motions.items():
        once = along([motion], {TIME: ONE})
        levels = evaluate_arrays([motion, *once, *along(once, {TIME: ONE})], {TIME: times})
        good = np.isfinite(np.broadcast_arrays(times, *levels)).all(axis=0)
        if not good.all():
            when = f"at t = {times[good.argmin()]:.9g} s"
            raise NotRunError(f"what drives '{path}' has no value or no rates {when}")
