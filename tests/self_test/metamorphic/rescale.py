"""The same quantities in other units: what is declared, and every number that has one."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Context, Inexact
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.checking.expressions.scope import label
from mbx.language import units
from mbx.language.document.declarations import Coordinate, Input, Let, Param, Speed, Variable
from mbx.language.document.document import InlineSubsystem, State
from mbx.language.document.experiments import Initial
from mbx.language.document.expressions import Group, Identifier, Number, Product, name
from mbx.language.document.node import bottom_up, rewrite
from mbx.language.text.expression_text import show
from mbx.linking.expand import bare, literal, pure_value
from self_test.metamorphic.edit import NotApplicableHereError, Variant, at_every_level

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.language.document.expressions import Expression
    from mbx.linking.link import Linked

__all__ = ["Ratio", "Rescaling", "in_degrees", "in_other_units", "rescaled"]

_FACTOR: Final = re.compile(r"([*/]?)([A-Za-z]+)(?:\^(-?\d+|\(-?\d+/\d+\)))?")
_LISTS: Final = (Param, Input, Let, Coordinate, Speed)
_NEIGHBOURS: Final = {"kg": "g", "g": "kg", "tonne": "kg", "min": "s", "h": "min", "day": "h"}
_ANGLES: Final = {"rad": "deg", "deg": "rad"}
_LONGEST: Final = 40
"""Characters of a number."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """What a number is multiplied by in another unit: a fraction, and 180/pi to a power."""

    factor: Fraction = Fraction(1)
    turns: int = 0


@dataclass(slots=True)
class Rescaling:
    """Which unit words become which others; `changed` and `exact` say what came of it.

    Without `angles`, these stay. With them, it counts as a change only if there are some.
    """

    angles: bool
    changed: bool = False
    turned: bool = False
    exact: bool = True
    seen: dict[str | None, tuple[str | None, Ratio]] = field(default_factory=dict)

    def unit(self, text: str | None) -> tuple[str | None, Ratio]:
        """Return another unit of the same dimension, and the ratio of the old one to it."""
        if text not in self.seen:
            self.seen[text] = self._unit(text)
        return self.seen[text]

    def _unit(self, text: str | None) -> tuple[str | None, Ratio]:
        if text is None or text == "integer":
            return text, Ratio()
        if text == "1":
            return "percent", Ratio(Fraction(100))
        turns, factor = 0, Fraction(1)

        def other(found: re.Match[str]) -> str:
            nonlocal turns, factor
            sign, word, power = found[1], found[2], found[3]
            if power is not None and power.startswith("("):
                return found[0]  # the root of a factor need not be a fraction
            p = int(power or 1) * (-1 if sign == "/" else 1)
            if word in _ANGLES:
                if not self.angles:
                    return found[0]
                turns += p if word == "rad" else -p
                new = _ANGLES[word]
                self.turned = True
            else:
                new = _neighbour(word)
                if new == word:
                    return found[0]
                ratio = Fraction(units.parse(word).factor) / Fraction(units.parse(new).factor)
                factor *= ratio**p
            return sign + new + ("" if power is None else f"^{power}")

        return _FACTOR.sub(other, text), Ratio(factor, turns)

    def given(self, value: Expression, unit: str | None) -> Expression:
        """Return a value that stands where a unit is declared."""
        if not bare(value):
            return bottom_up(value, self.number)
        ratio = self.unit(unit)[1]
        if ratio != Ratio():
            self.exact &= isinstance(pure_value(value), Fraction) and not ratio.turns
        return self._scaled(value, ratio)

    def number(self, node: Expression) -> Expression:
        """Return a number in another unit."""
        if not isinstance(node, Number) or node.unit is None:
            return node
        unit, ratio = self.unit(node.unit)
        if unit != node.unit:
            self.changed = True
            self.exact &= not ratio.turns
        return self._scaled(Number(node.text, unit, at=node.at), ratio)

    def _scaled(self, value: Expression, ratio: Ratio) -> Expression:
        if isinstance(value, Number) and not ratio.turns:
            text = _decimal(literal(value.text), ratio.factor)
            if text is not None:
                return Number(text, value.unit, at=value.at)
        factors: list[tuple[Any, Expression]] = [("*", Group(value))]
        factors += [("*", Number(str(ratio.factor.numerator)))] * (ratio.factor.numerator != 1)
        factors += [("/", Number(str(ratio.factor.denominator)))] * (ratio.factor.denominator != 1)
        signs = ("*", "/") if ratio.turns > 0 else ("/", "*")
        for _ in range(abs(ratio.turns)):
            factors += [(signs[0], Number("180")), (signs[1], name("pi"))]
        return value if len(factors) == 1 else Group(Product(tuple(factors)))

    def expression(self, node: Expression) -> Expression:
        """Return an expression of which nothing stands in a declared unit."""
        return bottom_up(node, self.number)

    def declared(self, item: Any) -> Any:
        """Return a declared name in another unit: with its value, start and range."""
        unit = self.unit(item.unit)[0]
        self.changed |= unit != item.unit
        new: dict[str, Any] = {"unit": unit}
        if item.value is not None:
            new["value"] = self.given(item.value, item.unit)
        bounds = getattr(item, "range", None)
        if bounds is not None:
            lower, upper = (self.given(x, item.unit) for x in (bounds.lower, bounds.upper))
            new["range"] = bounds.model_copy(update={"lower": lower, "upper": upper})
        return item.model_copy(update=new)


def in_other_units(linked: Linked) -> Variant:
    """Return a model in mm, g, ms, mN and so on, angles apart."""
    return rescaled(linked, Rescaling(angles=False), "it has no units")


def in_degrees(linked: Linked) -> Variant:
    """Return a model in mm, g, ms and so on, with degrees for radians and radians for degrees."""
    return rescaled(linked, Rescaling(angles=True), "it has no angles with a unit")


def _neighbour(word: str) -> str:
    """Return another unit of the same dimension: with a prefix, or without it."""
    if word in _NEIGHBOURS:
        return _NEIGHBOURS[word]
    known = units.known_units()
    if f"m{word}" in known and units.parse(f"m{word}").dimension == units.parse(word).dimension:
        return f"m{word}"
    base = word[1:]
    same = base in known and units.parse(base).dimension == units.parse(word).dimension
    return base if same else word


def _decimal(value: Fraction | float, ratio: Fraction) -> str | None:
    """Return a number times a ratio in digits, if so many are exact."""
    if not isinstance(value, Fraction):
        return None
    exact = value * ratio
    context = Context(prec=_LONGEST - 10, traps=[Inexact])
    try:
        found = context.divide(
            context.create_decimal(exact.numerator), context.create_decimal(exact.denominator)
        )
    except Inexact:
        return None
    text = f"{found:f}" if abs(found.adjusted()) < _LONGEST // 2 else f"{found:e}".lower()
    return text if len(text) <= _LONGEST and not text.startswith("-") else None


def rescaled(linked: Linked, rescaling: Rescaling, nothing: str) -> Variant:
    """Return a model with every number in another unit; `nothing` is said where none has one."""
    declared = dict(_declared(linked.model.body))

    def level(body: Sequence[Any], prefix: str) -> list[Any]:
        return [_statement(one, prefix, declared, rescaling) for one in body]

    new = at_every_level(linked, level)
    if not (rescaling.turned if rescaling.angles else rescaling.changed):
        raise NotApplicableHereError(nothing)
    return Variant(new, identity=rescaling.exact)


def _declared(body: Sequence[Any], prefix: str = "") -> Iterator[tuple[str, str | None]]:
    """Yield the declared unit of every value and variable by its path."""
    for one in body:
        if isinstance(one, InlineSubsystem):
            yield from _declared(one.body, f"{prefix}{label(one.name)}.")
        for item in one.items if isinstance(one, _LISTS) else ():
            yield prefix + label(item.name), item.unit
        if isinstance(one, Variable):
            yield prefix + label(one.item.name), one.item.unit


def _statement(
    one: Any, prefix: str, declared: Mapping[str, str | None], rescaling: Rescaling
) -> Any:
    if isinstance(one, InlineSubsystem):
        inner = f"{prefix}{label(one.name)}."
        bindings = tuple(
            b.model_copy(
                update={"value": rescaling.given(b.value, declared.get(inner + label(b.name)))}
            )
            for b in one.bindings
        )
        return one.model_copy(update={"bindings": bindings})
    if isinstance(one, _LISTS):
        return one.model_copy(update={"items": tuple(map(rescaling.declared, one.items))})
    if isinstance(one, Variable):
        return one.model_copy(update={"item": rescaling.declared(one.item)})
    if isinstance(one, (Initial, State)):
        items = tuple(
            a.model_copy(
                update={
                    "value": rescaling.expression(a.value)
                    if a.target.primes
                    else rescaling.given(a.value, declared.get(prefix + show(a.target)))
                }
            )
            for a in one.items
        )
        return one.model_copy(update={"items": items})

    def same(identifier: Identifier) -> Identifier:
        return identifier

    return rewrite(one, rescaling.expression, same)
