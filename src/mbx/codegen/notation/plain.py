"""Laid-out expressions as plain text, in the syntax of .mb files."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.codegen.notation.term_layout import Call, Choice, Group, Logic, Name, magnitude

if TYPE_CHECKING:
    from mbx.codegen.notation.term_layout import Atom, Factor, Sum, Term
    from mbx.expr.nodes import Number

__all__ = ["plain"]

_HALF: Final = Fraction(1, 2)


def plain(value: Sum) -> str:
    """Return a sum as text."""
    text = ""
    for term in value.terms:
        body = _term(term)
        if term.number < 0:
            text += f" - {body}" if text else f"-{body}"
        else:
            text += f" + {body}" if text else body
    return text or "0"


def _term(term: Term) -> str:
    """Return a term without its sign."""
    number = magnitude(term.number)
    top, bottom = _parts(number)
    above = [_factor(f) for f in term.above]
    if top != "1" or not above:
        above.insert(0, top)
    below = [_factor(f) for f in term.below]
    if bottom != "1":
        below.insert(0, bottom)
    text = "*".join(above)
    if not below:
        return text
    return f"{text}/{below[0]}" if len(below) == 1 else f"{text}/({'*'.join(below)})"


def _parts(number: Number) -> tuple[str, str]:
    if isinstance(number, Fraction):
        return str(number.numerator), str(number.denominator)
    return repr(number), "1"


def _factor(factor: Factor) -> str:
    if factor.exponent == _HALF:
        inside = factor.atom.inside if isinstance(factor.atom, Group) else None
        return f"sqrt({_atom(factor.atom) if inside is None else plain(inside)})"
    text = _atom(factor.atom)
    if factor.exponent == 1:
        return text
    top, bottom = _parts(factor.exponent)
    power = top if bottom == "1" else f"{top}/{bottom}"
    return f"{text}^{power}" if power.isdigit() else f"{text}^({power})"


def _atom(atom: Atom) -> str:
    match atom:
        case Name():
            return atom.text
        case Call():
            return f"{atom.function}({', '.join(plain(a) for a in atom.args)})"
        case Group():
            return f"({plain(atom.inside)})"
        case Choice():
            condition = _logic(atom.condition)
            return f"(if {condition} then {plain(atom.yes)} else {plain(atom.no)})"


def _logic(condition: Logic) -> str:
    match condition.word:
        case "<" | "<=":
            a, b = condition.args
            return f"{plain(a)} {condition.word} {plain(b)}"
        case "not":
            return f"not ({_logic(condition.args[0])})"
        case "and" | "or":
            return f" {condition.word} ".join(_held(a) for a in condition.args)
    return f"{plain(condition.args[0])} {condition.word}"


def _held(condition: Logic) -> str:
    text = _logic(condition)
    return f"({text})" if condition.word in {"and", "or"} else text
