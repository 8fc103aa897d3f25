"""Expressions as text in .mb syntax, shared parts written out.

Read and lowered again (sums by `total`, products by `mul`) a text gives the same node; only
a float comes back as the exact decimal that it was written as.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from mbx.expr.build import is_condition, mul
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import CHOOSE, LESS, ONE, POWER, PRODUCT, SCALE, ZERO, Node

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["show", "show_number"]

# how tightly a text holds together; the grammar's rules from `expression` to `atom`
_IF, _OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _POWER, _ATOM = range(9)

_HALF: Final = Fraction(1, 2)
_LONGEST: Final = 30  # factors in a row; beyond, a product is nested as the node is

Text = tuple[str, int]


def show_number(value: Any) -> str:
    """Return a number in .mb syntax."""
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return repr(value)


def show(node: Node, limit: int | None = None) -> str:
    """Return a node as text; beyond `limit` characters it is cut."""
    texts: dict[Node, Text] = {}
    conditions: dict[Node, Text] = {}
    factors: dict[Node, list[Node]] = {}

    def cut(text: Text) -> Text:
        return (text[0][:limit] + "…", text[1]) if limit and len(text[0]) > limit else text

    def at(n: Node, level: int) -> str:
        return _parenthesise(texts[n], level)

    def when(n: Node, level: int) -> str:
        return _parenthesise(conditions.get(n, texts[n]), level)

    for n in ordered([node]):
        if is_condition(n):
            conditions[n] = cut(_condition(n, at, when))
        if n.op is PRODUCT:
            factors[n] = _factors(n, factors)
        if n.op in {SCALE, PRODUCT, POWER}:
            texts[n] = cut(_product(n, factors, at))
        elif n.op is LESS:
            texts[n] = (f"if {conditions[n][0]} then 1 else 0", _IF)
        elif n.op is CHOOSE:
            condition, yes, no = n.args
            text = f"if {when(condition, _OR)} then {at(yes, _OR)} else {at(no, _IF)}"
            texts[n] = cut((text, _IF))
        else:
            texts[n] = cut(_text(n, at))
    return texts[node][0]


def _parenthesise(text: Text, level: int) -> str:
    return text[0] if text[1] >= level else f"({text[0]})"


def _text(node: Node, at: Callable[[Node, int], str]) -> Text:
    args, value = node.args, node.value
    match node.op:
        case "number":
            text = show_number(value)
            return text, _PRODUCT if "/" in text or text.startswith("-") else _ATOM
        case "symbol":
            return value, _ATOM
        case "function":
            return f"{value}({', '.join(at(a, _IF) for a in args)})", _ATOM
    text = ""
    for a in args:
        term = at(a, _PRODUCT)
        if term.startswith("-"):
            text += f" - {term[1:]}" if text else term
        else:
            text += f" + {term}" if text else term
    if value:
        text += f" {'+' if value > 0 else '-'} {show_number(abs(value))}"
    return text, _SUM


def _factors(node: Node, known: dict[Node, list[Node]]) -> list[Node]:
    """Return the factors of a product, as many as can stand in a row and mean the same node."""
    a, b = (known.get(argument, [argument]) for argument in node.args)
    if len(a) + len(b) <= _LONGEST:
        for flat in (sorted(a + b, key=_is_below), sorted(b + a, key=_is_below)):
            if mul(*flat) is node and reduce(mul, flat) is node:  # however it is lowered
                return flat
    return sorted(node.args, key=_is_below)


def _is_below(node: Node) -> bool:
    """Whether a factor is written below the line."""
    return node.op is POWER and node.value < 0


def _product(node: Node, factors: dict[Node, list[Node]], at: Callable[[Node, int], str]) -> Text:
    """Return a product, a power or a number times either: above the line, then below."""
    factor, body = (node.value, node.args[0]) if node.op is SCALE else (1, node)
    parts = factors.get(body, [body])
    above = [_power(p, at) for p in parts if not _is_below(p)]
    below = [_power(p, at) for p in parts if _is_below(p)]
    if node.op is POWER and not below:
        return above[0], _ATOM if node.value == _HALF else _POWER
    sign = "-" if factor < 0 else ""
    if abs(factor) != 1 or not above:
        above.insert(0, show_number(abs(factor)))
    return sign + "/".join(["*".join(above), *below]), _PRODUCT


def _power(node: Node, at: Callable[[Node, int], str]) -> str:
    """Return a factor; of a factor below the line, its reciprocal."""
    if node.op is not POWER:
        return at(node, _POWER)
    base, exponent = node.args[0], abs(node.value)
    if exponent == _HALF:
        return f"sqrt({at(base, _IF)})"
    if exponent == 1:
        return at(base, _ATOM)
    text = show_number(exponent)
    return f"{at(base, _ATOM)}^{f'({text})' if '/' in text else text}"


def _condition(
    node: Node, at: Callable[[Node, int], str], when: Callable[[Node, int], str]
) -> Text:
    """Return a condition as it stands after `if`."""
    if node.op is LESS:
        a, b = node.args
        return f"{at(a, _SUM)} < {at(b, _SUM)}", _COMPARISON
    first, yes, no = node.args
    if (yes, no) == (ZERO, ONE):
        return _negation(first, at, when)
    if no is ZERO:
        return f"{when(first, _AND)} and {when(yes, _NOT)}", _AND
    if yes is ONE:
        return f"{when(first, _OR)} or {when(no, _AND)}", _OR
    opposite = _parenthesise(_negation(first, at, when), _NOT)
    if yes is ZERO:
        return f"{opposite} and {when(no, _NOT)}", _AND
    return f"{opposite} or {when(yes, _AND)}", _OR


def _negation(node: Node, at: Callable[[Node, int], str], when: Callable[[Node, int], str]) -> Text:
    if node.op is LESS:
        b, a = node.args
        return f"{at(a, _SUM)} <= {at(b, _SUM)}", _COMPARISON
    return f"not {when(node, _NOT)}", _NOT
