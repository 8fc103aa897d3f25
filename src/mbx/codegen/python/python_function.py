"""Expressions as one Python function of floats, for runs that evaluate them many times.

The function is written as source text and compiled once. The text holds names of this module's
own making (`v12`, `f_sin`) and numbers, and no name and no string of a model.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from mbx.expr.evaluate import evaluate, ordered
from mbx.expr.nodes import (
    ADD,
    CHOOSE,
    FUNCTION,
    FUNCTIONS,
    LESS,
    NUMBER,
    POWER,
    PRODUCT,
    SCALE,
    SYMBOL,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mbx.expr.nodes import Node

__all__ = ["Function", "python_function"]

Function = "Callable[[Sequence[float]], tuple[float, ...]]"

_NAMES: Final = {name: f"f_{name}" for name in FUNCTIONS}
_GLOBALS: Final = {
    **{_NAMES[name]: value for name, value in FUNCTIONS.items()},
    "sqrt": math.sqrt,
    "power": math.pow,
}
_SHORT: Final = 4
"""Up to this power, products are faster than `pow`."""


def python_function(
    nodes: Sequence[Node], symbols: Sequence[Node]
) -> Callable[[Sequence[float]], tuple[float, ...]]:
    """Return a function from the values of symbols to those of nodes.

    Where an expression has no value it raises `ArithmeticError` or `ValueError`, but not for
    the branch that a condition leaves out.
    """
    nodes, symbols = list(nodes), list(symbols)
    source = "\n".join(_lines(nodes, symbols))
    space: dict[str, Any] = {**_GLOBALS, "__builtins__": {}}
    # the text is made above from numbers and from names of this module alone
    exec(compile(source, "<mbx expressions>", "exec"), space)  # noqa: S102
    fast: Callable[[Sequence[float]], tuple[float, ...]] = space["found"]

    def function(values: Sequence[float]) -> tuple[float, ...]:
        try:
            return fast(values)
        except (ArithmeticError, ValueError):
            # perhaps of a branch that is not taken: the slow way knows
            return tuple(evaluate(nodes, dict(zip(symbols, values, strict=True))))

    return function


def _lines(nodes: Sequence[Node], symbols: Sequence[Node]) -> Iterator[str]:
    yield "def found(x):"
    names: dict[Node, str] = {}
    arguments = {node: k for k, node in enumerate(symbols)}
    for k, node in enumerate(ordered(nodes)):
        if node.op is NUMBER:
            names[node] = _number(node.value)
            continue
        names[node] = f"v{k}"
        text = f"x[{arguments[node]}]" if node.op is SYMBOL else _said(node, names)
        yield f"    v{k} = {text}"
    yield f"    return ({''.join(f'{names[node]}, ' for node in nodes)})"


def _number(value: Any) -> str:
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def _said(node: Node, names: dict[Node, str]) -> str:
    """Return an operation on what has names."""
    args = [names[a] for a in node.args]
    if node.op is PRODUCT:
        return f"{args[0]}*{args[1]}"
    if node.op is SCALE:
        return f"-{args[0]}" if node.value == -1 else f"{_number(node.value)}*{args[0]}"
    if node.op is ADD:
        return " + ".join([*args, _number(node.value)] if node.value else args)
    if node.op is POWER:
        return _power(args[0], node.value)
    if node.op is LESS:
        return f"1.0 if {args[0]} < {args[1]} else 0.0"
    if node.op is CHOOSE:
        return f"{args[1]} if {args[0]} else {args[2]}"
    if node.op is FUNCTION:
        return f"{_NAMES[node.value]}({', '.join(args)})"
    raise NotImplementedError(node.op)


def _power(base: str, exponent: Any) -> str:
    if exponent < 0:
        return f"1.0/({_power(base, -exponent)})"
    if exponent.__class__ is int and exponent <= _SHORT:
        return "*".join([base] * exponent)
    if 2 * exponent == 1:
        return f"sqrt({base})"
    # unlike `**`, it has no complex values
    return f"power({base}, {_number(exponent)})"
