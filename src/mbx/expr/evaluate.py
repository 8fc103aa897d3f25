"""Passes over graphs: traversal, substitution, and values in any arithmetic."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mbx.expr.build import choose, function, less, mul, power, scale, total
from mbx.expr.nodes import (
    ADD,
    CHOOSE,
    FUNCTIONS,
    NUMBER,
    POWER,
    PRODUCT,
    SCALE,
    SYMBOL,
    ZERO,
    Node,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence


__all__ = [
    "Arithmetic",
    "evaluate",
    "evaluate_arrays",
    "free_symbols",
    "ordered",
    "rebuild",
    "substitute",
]


def ordered(nodes: Iterable[Node], known: Container[Node] = ()) -> list[Node]:
    """Return the nodes of a graph, each after its arguments; those that are known are left out."""
    order: dict[Node, None] = {}
    stack: list[Node | None] = [*nodes]
    stack.reverse()
    while stack:
        node = stack.pop()
        if node is None:  # the arguments of the node below it are done
            order[stack.pop()] = None  # type: ignore[index]
        elif node not in order and node not in known:
            args = node.args
            if args:
                stack += (node, None, *args[::-1])
            else:
                order[node] = None
    return list(order)


def free_symbols(nodes: Iterable[Node]) -> list[Node]:
    """Return the symbols of a graph by name, whole numbers in names by size."""
    symbols = [node for node in ordered(nodes) if node.op == "symbol"]
    return sorted(symbols, key=lambda node: node.order)


def rebuild(node: Node, args: Sequence[Node]) -> Node:
    """Return the operation of a node on other arguments, in canonical form."""
    match node.op:
        case "add":
            parts = [a for a in args if a is not ZERO]
            if node.value:
                parts.append(number(node.value))
            return total(parts) if parts else ZERO
        case "scale":
            return scale(node.value, args[0])
        case "product":
            return mul(*args)
        case "power":
            return power(args[0], node.value)
        case "function":
            return function(node.value, *args)
        case "less":
            return less(*args)
        case "choose":
            return choose(*args)
    return node


def substitute(nodes: Sequence[Node], replaced: Mapping[Node, Node]) -> list[Node]:
    """Return nodes with nodes below them replaced, all at once."""
    new: dict[Node, Node] = {}
    for node in ordered(nodes):
        other = replaced.get(node)
        if other is not None:
            new[node] = other
        elif all(new[a] is a for a in node.args):
            new[node] = node
        else:
            new[node] = rebuild(node, [new[a] for a in node.args])
    return [new[node] for node in nodes]


Arithmetic = "Mapping[str, Callable[..., Any]]"

_NUMPY_NAMES: Final = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}


class _Fault:
    """The value of what has none: an error that counts only where a result needs it."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


def _float(value: Any) -> Any:
    return float(value) if isinstance(value, Fraction) else value


def _select(condition: Any, yes: Any, no: Any) -> Any:
    return yes if condition else no


def _below(a: Any, b: Any) -> Any:
    return int(a < b)


def evaluate(
    nodes: Sequence[Node],
    values: Mapping[Node, Any],
    functions: Mapping[str, Callable[..., Any]] = FUNCTIONS,
    constant: Callable[[Any], Any] = _float,
    known: dict[Node, Any] | None = None,
) -> list[Any]:
    """Return the values of nodes where symbols have values.

    `functions` and `constant` define sin and 1/3 in the arithmetic of the values;
    without them, floats. `select`, `less` and `power` among the functions replace Python's own.
    What fails raises its error, but not in the branch that a condition leaves out.
    What is `known` already, with the same arguments, is not computed again.
    """
    order = _order(tuple(nodes)) if not known else ordered(nodes, known)
    known = {} if known is None else known
    functions = {"less": _below, "select": _select, "power": _power, **functions}
    select = functions["select"]
    for node in order:
        args = [known[a] for a in node.args]
        if node.op is CHOOSE and not isinstance(args[0], _Fault):
            known[node] = select(*args)
            continue
        fault = next((a for a in args if a.__class__ is _Fault), None)
        try:
            known[node] = fault or _value(node, args, values, functions, constant)
        except (ArithmeticError, ValueError) as error:
            known[node] = _Fault(error)
    for node in nodes:
        if known[node].__class__ is _Fault:
            raise known[node].error
    return [known[node] for node in nodes]


@lru_cache(maxsize=128)
def _order(nodes: tuple[Node, ...]) -> Sequence[Node]:
    """Return a graph in its order of evaluation: the same programs are run over and over."""
    return ordered(nodes)


def _value(
    node: Node,
    args: list[Any],
    values: Mapping[Node, Any],
    functions: Mapping[str, Callable[..., Any]],
    constant: Callable[[Any], Any],
) -> Any:
    op, value = node.op, node.value
    if op is PRODUCT:
        return args[0] * args[1]
    if op is SCALE:
        return constant(value) * args[0]
    if op is ADD:
        result = args[0]
        for a in args[1:]:
            result = result + a
        return result + constant(value) if value else result
    if op is SYMBOL:
        return values[node]
    if op is NUMBER:
        return constant(value)
    if op is POWER:
        return functions["power"](args[0], value, constant)
    return functions["less" if value is None else value](*args)


def _power(base: Any, exponent: Any, constant: Callable[[Any], Any]) -> Any:
    if exponent.__class__ is int:
        return base**exponent if exponent > 0 else constant(1) / base**-exponent
    if isinstance(base, float | int) and base < 0:  # Python would answer with a complex number
        raise ValueError(f"({base})^({exponent}): fractional power of a negative number")
    return base ** constant(exponent)


def evaluate_arrays(nodes: Sequence[Node], values: Mapping[Node, Any]) -> list[Any]:
    """Return the values of nodes on NumPy arrays: a whole batch of states at once.

    A state where an expression has no value gets NaN or an infinity; the others keep theirs.
    """
    import numpy as np  # noqa: PLC0415  the kernel itself is plain Python

    functions = {name: getattr(np, _NUMPY_NAMES.get(name, name)) for name in FUNCTIONS}
    functions |= {"select": np.where, "less": lambda a, b: np.where(a < b, 1.0, 0.0)}
    batch = {node: np.asarray(value, dtype=float) for node, value in values.items()}
    with np.errstate(all="ignore"):
        return evaluate(nodes, batch, functions)
