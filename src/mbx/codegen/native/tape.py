"""Expressions as a tape: operations in order, each on numbers or on results of those before it.

A product that is only ever added is not computed by itself: it goes into the addition, which
costs the same with it (a multiplication and an addition with one rounding). The terms of a sum
are taken in the order in which they are known, so that what comes last waits for one operation.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mbx.expr.nodes import ADD, CHOOSE, FUNCTION, LESS, NUMBER, POWER, PRODUCT, SCALE, SYMBOL, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Kind", "Operand", "Operation", "Tape"]

Kind = Literal[
    "take",  # a number from outside: where from, and which
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "fma",  # a b + c
    "fms",  # a b - c
    "fnma",  # c - a b
    "sqrt",
    "less",
    "choose",
    "function",
    "turn",  # sines and cosines of several angles at once
    "sin",  # of a turn: which, and of which of its angles
    "cos",
    "unknown",  # what an iteration seeks, in each of its rounds
    "found",  # and when it has ended
]
Operand = int | float
"""The place of an operation on the tape, or a number."""

_CYCLES: Final[dict[Kind, int]] = {
    "take": 0,
    "add": 3,
    "sub": 3,
    "mul": 3,
    "neg": 0,
    "fma": 4,
    "fms": 4,
    "fnma": 4,
    "div": 13,
    "sqrt": 20,
    "less": 4,
    "choose": 2,
    "function": 60,
    "turn": 60,
    "sin": 0,
    "cos": 0,
    "unknown": 0,
    "found": 0,
}
"""About what an operation takes on a processor of these years; only the order depends on it."""
_LONG: Final = 64
"""Highest power that is a product."""


class Operation(NamedTuple):
    """One step; `name` is that of a function, or of where a number is taken from."""

    kind: Kind
    operands: tuple[Operand, ...]
    name: str = ""


class _Term(NamedTuple):
    """A part of a sum: a value, or a product of two that is not computed by itself."""

    known: int
    positive: bool
    value: Operand
    factor: Operand | None = None


@dataclass(slots=True)
class Tape:
    """Operations that grow as expressions are put on it.

    Attributes:
        operations: What is computed, in order.
        places: Where expressions are that have been put on it.
        known: When the result of each operation is there, in cycles.
    """

    operations: list[Operation] = field(default_factory=list)
    places: dict[Node, Operand] = field(default_factory=dict)
    known: list[int] = field(default_factory=list)
    _inside: frozenset[Node] = frozenset()
    _uses: Counter[Node] = field(default_factory=Counter)

    def take(self, node: Node, name: str, k: int) -> None:
        """Put a number from outside on the tape."""
        self.places[node] = self.put("take", (k,), name)

    def extend(self, graph: Sequence[Node], wanted: Iterable[Node]) -> None:
        """Put expressions on the tape, each after those that it is made of.

        Numbers from outside, and expressions that are on it already, are left out.
        """
        graph = [node for node in graph if node not in self.places]
        self._uses = Counter(a for node in graph for a in node.args)
        self._uses.update(wanted)
        self._inside = _only_added(graph, wanted, self._uses)
        for node in graph:
            if node not in self._inside and not self._divides(node):
                self.value(node)

    def turn(self, nodes: Sequence[Node]) -> None:
        """Put sines and cosines on the tape, all at once."""
        angles = list(dict.fromkeys(node.args[0] for node in nodes))
        place = self.put("turn", tuple(map(self.value, angles)))
        for node in nodes:
            kind: Kind = "sin" if node.value == "sin" else "cos"
            self.places[node] = self.put(kind, (place, angles.index(node.args[0])))

    def value(self, node: Node) -> Operand:
        """Return where an expression is; it is computed if it was not."""
        found = self.places.get(node)
        if found is None:
            found = self.places[node] = self._computed(node)
        return found

    def put(self, kind: Kind, operands: tuple[Operand, ...], name: str = "") -> int:
        """Append an operation; return its place."""
        used = operands[:1] if kind in {"sin", "cos"} else operands
        ready = 0 if kind == "take" else max(map(self._ready, used), default=0)
        self.operations.append(Operation(kind, operands, name))
        self.known.append(ready + _CYCLES[kind])
        return len(self.operations) - 1

    def _ready(self, operand: Operand) -> int:
        return self.known[operand] if operand.__class__ is int else 0

    # -- one expression ----------------------------------------------------------------------

    def _computed(self, node: Node) -> Operand:
        match node.op:
            case _ if node.op is NUMBER:
                return float(node.value)
            case _ if node.op is ADD:
                return self._sum(node)
            case _ if node.op is SCALE:
                return self._scaled(node)
            case _ if node.op is PRODUCT:
                return self._product(node)
            case _ if node.op is POWER:
                return self._power(node.args[0], node.value)
            case _ if node.op is LESS:
                return self.put("less", tuple(map(self.value, node.args)))
            case _ if node.op is CHOOSE:
                return self.put("choose", tuple(map(self.value, node.args)))
            case _ if node.op is FUNCTION:
                return self.put("function", tuple(map(self.value, node.args)), node.value)
        raise KeyError(node.value if node.op is SYMBOL else node.op)

    def _scaled(self, node: Node) -> Operand:
        inner = node.args[0]
        if node.value == -1:
            return self.put("neg", (self.value(inner),))
        if self._divides(inner):
            return self.put("div", (float(node.value), self._bottom(inner)))
        return self.put("mul", (float(node.value), self.value(inner)))

    def _product(self, node: Node) -> Operand:
        a, b = node.args
        for top, bottom in ((a, b), (b, a)):
            if self._divides(bottom):
                return self.put("div", (self.value(top), self._bottom(bottom)))
        return self.put("mul", (self.value(a), self.value(b)))

    def _divides(self, node: Node) -> bool:
        """Whether an expression is one over another, and is used once, as a factor."""
        return (
            node.op is POWER
            and node.value == -1
            and self._uses[node] == 1
            and node not in self.places
            and node in self._inside
        )

    def _bottom(self, node: Node) -> Operand:
        return self.value(node.args[0])

    def _power(self, base: Node, exponent: Fraction | float) -> Operand:
        value = self.value(base)
        size = abs(exponent)
        if size == Fraction(1, 2):
            found: Operand = self.put("sqrt", (value,))
        elif size.__class__ is int and size <= _LONG:
            found = self._repeated(value, int(size))
        else:
            return self.put("function", (value, float(exponent)), "pow")
        return found if exponent > 0 else self.put("div", (1.0, found))

    def _repeated(self, value: Operand, exponent: int) -> Operand:
        square, found = value, None
        while exponent:
            if exponent & 1:
                found = square if found is None else self.put("mul", (found, square))
            exponent >>= 1
            if exponent:
                square = self.put("mul", (square, square))
        return value if found is None else found

    # -- sums --------------------------------------------------------------------------------

    def _sum(self, node: Node) -> Operand:
        terms = sorted((self._term(a) for a in node.args), key=lambda term: term.known)
        if node.value:
            terms.insert(0, _Term(0, node.value > 0, abs(float(node.value))))
        # what begins a sum is not multiplied into it: rather something that is no product
        first = next((k for k, term in enumerate(terms[:3]) if term.factor is None), 0)
        begin = terms.pop(first)
        positive, value = begin.positive, begin.value
        if begin.factor is not None:
            value = self.put("mul", (begin.value, begin.factor))
        for term in terms:
            value, positive = self._added(value, term, positive=positive)
        return value if positive else self.put("neg", (value,))

    def _term(self, node: Node) -> _Term:
        positive = True
        if node.op is SCALE and node not in self.places:
            factor, inner = float(node.value), node.args[0]
            positive = factor > 0
            if factor not in {1.0, -1.0}:
                if node not in self._inside or self._divides(inner):
                    value = self.value(node)
                    return _Term(self._ready(value), positive=True, value=value)
                value = self.value(inner)
                return _Term(self._ready(value), positive, value, abs(factor))
            node = inner
        apart = node.op is PRODUCT and node in self._inside and node not in self.places
        if apart and not any(self._divides(a) for a in node.args):
            a, b = map(self.value, node.args)
            return _Term(max(self._ready(a), self._ready(b)), positive, a, b)
        value = self.value(node)
        return _Term(self._ready(value), positive, value)

    def _added(self, value: Operand, term: _Term, *, positive: bool) -> tuple[Operand, bool]:
        """Return a sum with one more term, and whether it is the sum or minus the sum."""
        same = positive == term.positive
        if term.factor is None:
            if same:
                return self.put("add", (value, term.value)), positive
            pair = (value, term.value) if positive else (term.value, value)
            return self.put("sub", pair), True
        operands = (term.value, term.factor, value)
        if same:
            return self.put("fma", operands), positive
        return self.put("fnma" if positive else "fms", operands), True


def _only_added(
    graph: Sequence[Node], wanted: Iterable[Node], uses: Mapping[Node, int]
) -> frozenset[Node]:
    """Return products that are terms of sums and nothing else, and reciprocals used once."""
    inside = {node for node in graph if node.op is PRODUCT or node.op is SCALE}
    inside.difference_update(wanted)
    for node in reversed(graph):
        if node.op is not ADD:
            for a in node.args:
                if node.op is SCALE and node in inside and abs(node.value) == 1:
                    continue  # minus a product, in sums alone
                inside.discard(a)
    divisors = {
        a
        for node in graph
        if node.op is PRODUCT or (node.op is SCALE and node.value != -1)
        for a in node.args
        if a.op is POWER and a.value == -1 and uses[a] == 1
    }
    return frozenset(inside | divisors)
