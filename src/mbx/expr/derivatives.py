"""Derivatives on the graph: along a direction (forward), and gradients (reverse)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mbx.expr.build import add, choose, divide, function, mul, neg, power, scale, total
from mbx.expr.evaluate import ordered
from mbx.expr.nodes import (
    ADD,
    CHOOSE,
    FUNCTION,
    LESS,
    NUMBER,
    ONE,
    POWER,
    PRODUCT,
    SCALE,
    SYMBOL,
    ZERO,
    Node,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["along", "gradient", "jacobian", "pullback"]


def _function(node: Node) -> list[tuple[Node, Node]]:
    x = node.args[0]
    match node.value:
        case "sin":
            slope = function("cos", x)
        case "cos":
            slope = neg(function("sin", x))
        case "tan":
            slope = add(ONE, power(node, 2))
        case "exp":
            slope = node
        case "log":
            slope = power(x, -1)
        case "sinh":
            slope = function("cosh", x)
        case "cosh":
            slope = function("sinh", x)
        case "tanh":
            slope = add(ONE, neg(power(node, 2)))
        case "asin":
            slope = power(add(ONE, neg(power(x, 2))), Fraction(-1, 2))
        case "acos":
            slope = neg(power(add(ONE, neg(power(x, 2))), Fraction(-1, 2)))
        case "atan":
            slope = power(add(ONE, power(x, 2)), -1)
        case "abs":
            slope = function("sign", x)
        case "atan2":
            y, x = node.args
            square = add(power(x, 2), power(y, 2))
            return [(y, divide(x, square)), (x, neg(divide(y, square)))]
        case _:
            return []  # sign is constant but at zero
    return [(x, slope)]


def along(nodes: Sequence[Node], direction: Mapping[Node, Node]) -> list[Node]:
    """Return the derivatives of nodes as the symbols move in a direction."""
    rate: dict[Node, Node] = {}
    for node in ordered(nodes):
        op = node.op
        if op is SYMBOL:
            moved = direction.get(node)
            if moved is not None and moved is not ZERO:
                rate[node] = moved
        elif op is ADD:
            parts = [rate[a] for a in node.args if a in rate]
            if parts:
                rate[node] = total(parts)
        elif op is SCALE:
            inner = rate.get(node.args[0])
            if inner is not None:
                rate[node] = scale(node.value, inner)
        elif op is LESS or not any(a in rate for a in node.args):
            continue
        elif op is CHOOSE:
            condition, yes, no = node.args
            rate[node] = choose(condition, rate.get(yes, ZERO), rate.get(no, ZERO))
        else:
            rate[node] = total([mul(d, rate[a]) for a, d in _slopes(node) if a in rate])
    return [rate.get(node, ZERO) for node in nodes]


def gradient(node: Node, symbols: Sequence[Node]) -> list[Node]:
    """Return the derivatives of a node by several symbols, by one sweep backwards."""
    return pullback([node], [ONE], symbols)


def pullback(
    outputs: Sequence[Node], weights: Sequence[Node], symbols: Sequence[Node]
) -> list[Node]:
    """Return the gradient of the weighted sum of outputs, the weights fixed."""
    graph = ordered(outputs)
    seeds = [(output, 0, weight) for output, weight in zip(outputs, weights, strict=True)]
    gradients = _backwards(graph, _dependence(graph, symbols), seeds)
    return [gradients[s].get(0, ZERO) if s in gradients else ZERO for s in symbols]


def jacobian(
    nodes: Sequence[Node], symbols: Sequence[Node], *, symmetric: bool = False
) -> list[list[Node]]:
    """Return the derivatives of each node by each symbol, by the cheaper kind of sweep.

    Of a matrix that is known to be `symmetric`, one half is derived and stands for both.
    """
    graph = ordered(nodes)
    depends = _dependence(graph, symbols)
    used = _use(graph, nodes)
    if symmetric:
        # row r needs the symbols up to r: a node those up to the last row that is made of it
        depends = {n: m & ((1 << used[n].bit_length()) - 1) for n, m in depends.items()}
    forwards = sum(mask.bit_count() for mask in depends.values())
    backwards = sum(used[n].bit_count() for n, mask in depends.items() if mask)
    rows = [[ZERO] * len(symbols) for _ in nodes]
    if forwards < backwards:
        rates = _forwards(graph, depends, symbols)
        for row, node in zip(rows, nodes, strict=True):
            for k, rate in rates.get(node, {}).items():
                row[k] = rate
    else:
        gradients = _backwards(graph, depends, [(n, k, ONE) for k, n in enumerate(nodes)])
        for k, s in enumerate(symbols):
            for j, part in gradients.get(s, {}).items():
                rows[j][k] = part
    if symmetric:
        for j, row in enumerate(rows):
            for k in range(j):
                rows[k][j] = row[k]
    return rows


def _dependence(graph: Sequence[Node], symbols: Sequence[Node]) -> dict[Node, int]:
    """Return for each node the set of symbols that move it, as bits."""
    depends: dict[Node, int] = {}
    bits: dict[Node, int] = {}
    for k, s in enumerate(symbols):
        bits[s] = bits.get(s, 0) | 1 << k
    for node in graph:
        mask = bits.get(node, 0)
        if node.op is not LESS:  # a condition has no slope
            for a in node.args[1:] if node.op is CHOOSE else node.args:
                mask |= depends[a]
        depends[node] = mask
    return depends


def _use(graph: Sequence[Node], outputs: Sequence[Node]) -> dict[Node, int]:
    """Return for each node the set of outputs that are made of it, as bits."""
    used: dict[Node, int] = dict.fromkeys(graph, 0)
    for k, node in enumerate(outputs):
        used[node] |= 1 << k
    for node in reversed(graph):
        for a in node.args:
            used[a] |= used[node]
    return used


def _forwards(
    graph: Sequence[Node], depends: Mapping[Node, int], symbols: Sequence[Node]
) -> dict[Node, dict[int, Node]]:
    """Return the derivatives of each node by the symbols it depends on."""
    rates: dict[Node, dict[int, Node]] = {}
    for k, s in enumerate(symbols):
        rates.setdefault(s, {})[k] = ONE
    for node in graph:
        op = node.op
        if not depends[node] or op is SYMBOL:
            continue
        mask = depends[node]
        if op is SCALE:
            value = node.value
            inner = rates[node.args[0]].items()
            rates[node] = {k: scale(value, d) for k, d in inner if mask >> k & 1}
            continue
        parts: dict[int, list[Node]] = {}
        if op is ADD:
            for a in node.args:
                if depends[a]:
                    for k, rate in rates[a].items():
                        if mask >> k & 1:
                            parts.setdefault(k, []).append(rate)
        else:
            for a, slope in _slopes(node):
                if depends[a]:
                    for k, rate in rates[a].items():
                        if mask >> k & 1:
                            parts.setdefault(k, []).append(_times(slope, rate))
        rates[node] = {
            k: d
            for k, part in parts.items()
            if (d := part[0] if len(part) == 1 else total(part)) is not ZERO
        }
    return rates


def _backwards(
    graph: Sequence[Node], depends: Mapping[Node, int], seeds: Iterable[tuple[Node, int, Node]]
) -> dict[Node, dict[int, Node]]:
    """Return the derivatives by each node, by the number of each seed."""
    parts: dict[Node, dict[int, list[Node]]] = {}
    for node, k, weight in seeds:
        parts.setdefault(node, {}).setdefault(k, []).append(weight)
    gradients: dict[Node, dict[int, Node]] = {}
    for node in reversed(graph):
        if not depends[node] or node not in parts:
            continue
        above = {
            k: d
            for k, part in parts[node].items()
            if (d := part[0] if len(part) == 1 else total(part)) is not ZERO
        }
        gradients[node] = above
        op = node.op
        if op is ADD or op is SCALE:
            if op is SCALE:
                value = node.value
                above = {k: scale(value, weight) for k, weight in above.items()}
            for a in node.args:
                if depends[a]:
                    below = parts.setdefault(a, {})
                    for k, weight in above.items():
                        below.setdefault(k, []).append(weight)
            continue
        for a, slope in _slopes(node):
            if depends[a]:
                below = parts.setdefault(a, {})
                for k, weight in above.items():
                    below.setdefault(k, []).append(_times(weight, slope))
    return gradients


_PLAIN = frozenset({NUMBER, SYMBOL, ADD, SCALE, PRODUCT, POWER, FUNCTION})


def _times(a: Node, b: Node) -> Node:
    """Return a product; what a condition makes zero stays guarded by that condition."""
    if a.op in _PLAIN and b.op in _PLAIN:
        return mul(a, b)
    for x, y in ((a, b), (b, a)):
        if x.op is LESS:
            return choose(x, y, ZERO)
        if x.op is CHOOSE and ZERO in x.args:
            condition, yes, no = x.args
            return choose(condition, mul(yes, y), mul(no, y))
    return mul(a, b)


def _slopes(node: Node) -> list[tuple[Node, Node]]:
    """Return the arguments of a node, each with the derivative by it."""
    args, value = node.args, node.value
    match node.op:
        case "add":
            return [(a, ONE) for a in args]
        case "scale":
            return [(args[0], number(value))]
        case "product":
            return [(args[0], args[1]), (args[1], args[0])]
        case "power":
            return [(args[0], scale(value, power(args[0], value - 1)))]
        case "function":
            return _function(node)
        case "choose":
            return [(args[1], choose(args[0], ONE, ZERO)), (args[2], choose(args[0], ZERO, ONE))]
    return []
