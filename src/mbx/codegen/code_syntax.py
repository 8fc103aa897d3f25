"""How expressions are written in programming languages: one printer, one table a language."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.expr.nodes import ADD, CHOOSE, FUNCTION, LESS, NUMBER, POWER, PRODUCT, SCALE, SYMBOL, Node

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Printer", "Syntax", "float_text"]

_SUM: Final = 1
_PRODUCT: Final = 2
_ATOM: Final = 3
_SHORT: Final = 4
"""Up to this power, a product is written."""
_HALF: Final = Fraction(1, 2)


def float_text(value: Any) -> str:
    """Return a number as a literal that is read as the same double in every language here."""
    text = repr(float(value))
    return text if "e" not in text or "." in text else text.replace("e", ".0e")


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """A language: templates of operations, with `{0}`, `{1}`, `{2}` for what they are made of.

    Attributes:
        functions: Templates of elementary functions by name; `sqrt` and `power` are among them.
        less: Template of a condition as a number, 1 or 0.
        test: Template of the condition itself, as `choose` takes it.
        given: Template of a number as a condition.
        choose: Template of a choice: condition, value if it holds, value if not.
        times, over: Signs of multiplication and division, by element where that is a choice.
        number: Template of a literal.
    """

    functions: Mapping[str, str]
    less: str
    test: str
    given: str
    choose: str
    times: str = "*"
    over: str = "/"
    number: str = "{0}"


@dataclass(frozen=True, slots=True)
class Printer:
    """Writes expressions in a language; `names` says what nodes are called that have a name."""

    syntax: Syntax
    names: dict[Node, str] = field(default_factory=dict)

    def text(self, node: Node) -> str:
        """Return an expression."""
        return self._named(node)[0]

    def definition(self, node: Node) -> str:
        """Return what a node is made of, also if it has a name."""
        return self._written(node)[0]

    def _named(self, node: Node) -> tuple[str, int]:
        name = self.names.get(node)
        return (name, _ATOM) if name is not None else self._written(node)

    def _at(self, node: Node, level: int) -> str:
        text, own = self._named(node)
        return text if own >= level else f"({text})"

    def _number(self, value: Any) -> str:
        return self.syntax.number.format(float_text(value))

    def _written(self, node: Node) -> tuple[str, int]:
        s = self.syntax
        match node.op:
            case _ if node.op is NUMBER:
                return self._number(node.value), _ATOM if node.value >= 0 else _SUM
            case _ if node.op is ADD:
                return self._sum(node), _SUM
            case _ if node.op is SCALE:
                if node.value == -1:
                    return f"-{self._at(node.args[0], _PRODUCT)}", _SUM
                level = _PRODUCT if node.value >= 0 else _SUM
                return (
                    f"{self._number(node.value)}{s.times}{self._at(node.args[0], _PRODUCT)}",
                    level,
                )
            case _ if node.op is PRODUCT:
                return self._product(*node.args), _PRODUCT
            case _ if node.op is POWER:
                return self._power(node)
            case _ if node.op is LESS:
                return s.less.format(*map(self.text, node.args)), _ATOM
            case _ if node.op is CHOOSE:
                condition, *rest = node.args
                return s.choose.format(self._test(condition), *map(self.text, rest)), _ATOM
            case _ if node.op is FUNCTION:
                return s.functions[node.value].format(*map(self.text, node.args)), _ATOM
        message = f"a symbol without a name: {node.value}" if node.op is SYMBOL else node.op
        raise KeyError(message)

    def _test(self, condition: Node) -> str:
        if condition.op is LESS and condition not in self.names:
            return self.syntax.test.format(*map(self.text, condition.args))
        return self.syntax.given.format(self.text(condition))

    def _sum(self, node: Node) -> str:
        text = ""
        for part in node.args:
            sign, body = "+", part
            if part.op is SCALE and part not in self.names and part.value < 0:
                sign = "-"
                inner = self._at(part.args[0], _PRODUCT)
                size = "" if part.value == -1 else self._number(-part.value) + self.syntax.times
                said = f"{size}{inner}"
            else:
                said = self._at(body, _PRODUCT)
            if text:
                text += f" {sign} {said}"
            else:
                text = said if sign == "+" else f"-{said}"
        if node.value:
            text += f" {'+' if node.value > 0 else '-'} {self._number(abs(node.value))}"
        return text

    def _product(self, a: Node, b: Node) -> str:
        s = self.syntax
        for one, other in ((a, b), (b, a)):
            if other.op is POWER and other.value == -1 and other not in self.names:
                bottom = self._at(other.args[0], _ATOM)
                return f"{self._at(one, _PRODUCT)}{s.over}{bottom}"
        # what is a quotient on the right stays one number
        right = self._at(b, _ATOM) if _divides(b) else self._at(b, _PRODUCT)
        return f"{self._at(a, _PRODUCT)}{s.times}{right}"

    def _power(self, node: Node) -> tuple[str, int]:
        s, exponent = self.syntax, node.value
        if exponent < 0:
            bottom = self._raised(node.args[0], -exponent)
            return f"{self._number(1)}{s.over}{bottom}", _PRODUCT
        text = self._raised(node.args[0], exponent)
        return text, _ATOM

    def _raised(self, base: Node, exponent: Any) -> str:
        """Return a positive power as something that needs no brackets."""
        s = self.syntax
        if exponent == 1:
            return self._at(base, _ATOM)
        if exponent == _HALF:
            return s.functions["sqrt"].format(self.text(base))
        if exponent.__class__ is int and exponent <= _SHORT and (base in self.names):
            return f"({s.times.join([self.names[base]] * exponent)})"
        return s.functions["power"].format(self.text(base), self._number(exponent))


def _divides(node: Node) -> bool:
    if node.op is PRODUCT:
        return any(_divides(a) for a in node.args)
    return node.op is POWER and node.value < 0
