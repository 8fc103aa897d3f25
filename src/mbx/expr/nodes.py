"""Nodes of the graph, and the table that makes equal nodes the same.

A node is an operation on other nodes:

    number     value                    an exact rational, or a float
    symbol     value = name
    add        args + value             at least two parts; value is the constant part
    scale      value * args[0]          a number times what is no number
    product    args[0] * args[1]
    power      args[0] ^ value          a rational power other than 0 and 1
    function   value(*args)
    less       args[0] < args[1]        conditions: 1 or 0
    choose     args[1] if args[0] else args[2]

Terms and factors stand in an order of structure: it depends on what a node is, never on when it
was made, on its address or on the seed of Python's hashes.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from mbx.base.errors import NoValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


__all__ = [
    "ADD",
    "CHOOSE",
    "FUNCTION",
    "FUNCTIONS",
    "LESS",
    "NUMBER",
    "ONE",
    "POWER",
    "PRODUCT",
    "SCALE",
    "SYMBOL",
    "ZERO",
    "Node",
    "Number",
    "forget",
    "intern",
    "number",
    "number_function",
    "number_power",
    "plain",
    "symbol",
]

NUMBER: Final = "number"
SYMBOL: Final = "symbol"
ADD: Final = "add"
SCALE: Final = "scale"
PRODUCT: Final = "product"
POWER: Final = "power"
FUNCTION: Final = "function"
LESS: Final = "less"
CHOOSE: Final = "choose"

Number = Fraction | float | int

_WHOLE: Final = 2.0**53  # beyond, a float stands for more than one whole number
_DIGITS: Final = re.compile("[0-9]+")
_CODES: Final = {
    op: code
    for code, op in enumerate(
        (NUMBER, SYMBOL, ADD, SCALE, PRODUCT, POWER, FUNCTION, LESS, CHOOSE), 1
    )
}

# the fields of an order: depth, 16 bytes of a name, 64 bits of a digest
_BELOW: Final = (1 << 192) - 1
_NAME: Final = _BELOW - (1 << 64) + 1
_MIDDLE: Final = 1 << 63  # so that a digest, which is a signed hash, is not below zero
_STEP: Final = 1 + _MIDDLE


class Node:
    """An expression; compare with `is`. Arithmetic is defined in `mbx.expr.build`.

    `order` sorts nodes: by depth, by the name of the first symbol, and by a digest of the whole
    structure. Two nodes have the same only by chance, once in 2^61.
    """

    __slots__ = ("__weakref__", "args", "op", "order", "value")

    op: str
    args: tuple[Node, ...]
    value: Any
    order: int

    def __repr__(self) -> str:
        """Return the expression as text, cut if it is long."""
        from mbx.expr.show import show  # noqa: PLC0415  only for people

        return show(self, limit=200)

    def __reduce__(self) -> Any:
        """Refuse to be copied or sent: identity is equality."""
        raise TypeError("expression nodes stay in their process")


class _Entry(ref[Node]):
    """What the table holds of a node: no more than a weak reference, and the node's key."""

    __slots__ = ("key",)

    key: tuple[Any, ...]


# A WeakValueDictionary does the same at three times the cost.
_table: Final[dict[tuple[Any, ...], _Entry]] = {}


def forget(entry: Any) -> None:
    """Take a dead node out of the table, unless a new node already has its key."""
    key = entry.key
    if _table.get(key) is entry:
        del _table[key]


def intern(
    op: str,
    args: tuple[Node, ...],
    value: Any = None,
    *,
    _find: Any = _table.get,  # faster as a local name
    _new: Any = Node.__new__,
) -> Node:
    """Return the unique node of an operation; the caller has brought it to canonical form."""
    key: tuple[Any, ...]
    if op is PRODUCT:
        key = args
    elif value.__class__ is Fraction:  # to hash and compare fractions costs more than the rest
        key = (op, args, value.as_integer_ratio())
    else:
        key = (op, args, value, value.__class__)
    entry = _find(key)
    if entry is not None:
        existing: Node | None = entry()
        if existing is not None:
            return existing
    node: Node = _new(Node)
    node.op = op
    node.args = args
    node.value = value
    if op is PRODUCT or (op is ADD and not value and len(args) == 2):  # noqa: PLR2004
        # as in `_order`, without a call: most nodes are such
        a, b = args[0].order, args[1].order
        node.order = (b | _BELOW) + _STEP + (a & _NAME) + hash((a, b, op is ADD))
    else:
        node.order = _order(op, args, value)
    fresh = _Entry(node, forget)
    fresh.key = key
    _table[key] = fresh
    return node


def _order(op: str, args: tuple[Node, ...], value: Any) -> int:
    """Return the position of a node in the order of structure.

    Hashes of numbers and of tuples of numbers are the same in every process; those of texts are
    not. A number comes with its opposite, because -1 and -2 have the same hash.
    """
    kind = value.__class__
    if kind is str:
        digest = _digest(value)
    elif kind is Fraction:
        above, below = value.as_integer_ratio()
        digest = hash((above, -above, below))
    else:
        digest = hash((value, -value)) if value else 0
    if op is SCALE:  # stands where the node does
        order = args[0].order
        return (order | _BELOW) - _BELOW + (order & _NAME) + _MIDDLE + hash((digest, order, 0))
    code = _CODES[op]
    if not args:
        return (_name(value) if op is SYMBOL else 0) + _MIDDLE + hash((code, digest))
    digest = hash((code, digest, *[a.order for a in args]))
    return (args[-1].order | _BELOW) + _STEP + (args[0].order & _NAME) + digest


@cache
def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest())


def _name(name: str) -> int:
    """Return the field of a name: whole numbers in it by size, so that m2 is before m10."""
    natural = _DIGITS.sub(lambda digits: chr(min(len(digits[0]), 32)) + digits[0], name)
    return int.from_bytes(natural.encode(errors="surrogatepass")[:16].ljust(16, b"\0")) << 64


def number(value: Number) -> Node:
    """Return a number; whole floats become exact, so that 2.0 and 2 are the same."""
    return intern(NUMBER, (), plain(value))


def plain(value: Number, operation: str = "a value") -> Any:
    """Return a number in its plainest type; raise `NoValueError` if the operation gave none."""
    if value.__class__ is int:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise NoValueError(f"{operation} is {value}, which is no number")
        return int(value) if value.is_integer() and abs(value) < _WHOLE else float(value)
    return value.numerator if value.denominator == 1 else value


def symbol(name: str) -> Node:
    """Return a symbol."""
    return intern(SYMBOL, (), name)


ZERO: Final = number(0)
ONE: Final = number(1)


FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "log": math.log,
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
}
"""The elementary functions, on floats."""

_EXACT: Final[dict[str, Callable[[Any], Any]]] = {"abs": abs, "sign": FUNCTIONS["sign"]}
_EXACT_BITS: Final = 4096

_TURNS: Final = frozenset({"cos", "sin"})
_EPS: Final = 2.0**-52


def number_function(name: str, values: Sequence[Number]) -> Node:
    """Return an elementary function of numbers."""
    if name in _EXACT:
        return number(_EXACT[name](values[0]))
    try:
        value = FUNCTIONS[name](*map(float, values))
        if name in _TURNS and abs(value) < _EPS * abs(float(values[0])):
            return number(0)  # less than the rounding of the angle: a quarter turn, or a half
        return number(value)
    except (ValueError, OverflowError) as error:
        listed = ", ".join(map(str, values))
        raise NoValueError(f"{name}({listed}) is no number") from error


def number_power(value: Number, exponent: Number) -> Node:
    """Return a power of a number."""
    if value == 0 and exponent < 0:
        raise NoValueError("division by zero")
    exact = _exact_power(value, exponent)
    if exact is not None:
        return number(exact)
    if value < 0 and exponent.__class__ is not int:
        raise NoValueError(f"({value})^({exponent}): fractional power of a negative number")
    try:
        return number(float(value) ** float(exponent))
    except (ValueError, OverflowError) as error:
        raise NoValueError(f"({value})^({exponent}) is no number") from error


def _exact_power(value: Number, exponent: Number) -> Fraction | None:
    """Return a power of a rational number, if that is rational and not too long."""
    if isinstance(value, float) or isinstance(exponent, float):
        return None
    base, up = Fraction(value), Fraction(exponent)
    length = max(base.numerator.bit_length(), base.denominator.bit_length())
    if length * abs(up) > _EXACT_BITS:
        return None
    if up.denominator == 2 and value >= 0:  # noqa: PLR2004  a square root
        top, bottom = math.isqrt(base.numerator), math.isqrt(base.denominator)
        if (top * top, bottom * bottom) != (base.numerator, base.denominator):
            return None
        return Fraction(top, bottom) ** up.numerator
    return base**up.numerator if up.denominator == 1 else None
