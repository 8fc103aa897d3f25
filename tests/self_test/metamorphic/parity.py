"""What happens to a model when its motion is reversed in time.

Under q -> q, u -> -u, t -> -t a quantity is even or odd: coordinates and accelerations are even,
speeds and rates are odd. Where every force is even, and every invariant is one or the other, the
reversed motion is a motion, too, and its accelerations are the same.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from mbx.checking.expressions.scope import VARIABLES, label, resolve
from mbx.language.document.bodies import Body, Particle
from mbx.language.document.document import Branch, ExpectRank, Independent, InlineSubsystem, State
from mbx.language.document.experiments import Initial
from mbx.language.document.expressions import (
    Call,
    Comparison,
    Conditional,
    Group,
    Junction,
    MaterialPoint,
    Negative,
    Not,
    Number,
    Power,
    Product,
    Reference,
    Sum,
    Vector,
    walk,
)
from mbx.language.document.kinematic_statements import Define, Invariant
from mbx.language.document.load_statements import (
    Damper,
    Dissipation,
    Effective,
    Force,
    GeneralizedLoad,
    Torque,
)
from mbx.language.document.node import expressions_of
from mbx.linking.expand import bare, literal, pure_value
from self_test.metamorphic.edit import (
    NotApplicableHereError,
    context_of,
    place,
    scopes,
)

if TYPE_CHECKING:
    from mbx.checking.expressions.scope import Scope
    from mbx.language.document.expressions import Expression
    from mbx.linking.link import Linked

__all__ = ["parity", "require_reversible"]

ANY, EVEN, ODD = 0, 1, -1
_LOSSES: Final = (Damper, Dissipation)
_FORCES: Final = (Force, Torque, GeneralizedLoad, Effective)
_SETUP: Final = (Initial, State, Branch, ExpectRank, Independent, InlineSubsystem)
_KEEP: Final = frozenset({"sin", "tan", "asin", "atan", "sinh", "tanh", "sign", "unit"})
_FORGET: Final = frozenset({"cos", "cosh", "abs", "norm"})
_TIMES: Final = frozenset({"dot", "cross", "diff"})
_FLIP: Final = frozenset({"velocity", "omega", "ddt"})


class _MixedError(Exception):
    """Something that is neither even nor odd."""


def require_reversible(linked: Linked) -> None:
    """Raise `NotApplicableHereError` unless the reverse of each motion is a motion."""
    for scope in scopes(context_of(linked)).values():
        for one in scope.statements:
            if isinstance(one, _SETUP):
                continue
            what = f"{one.kind.replace('_', ' ')}{place(one)}"
            if isinstance(one, _LOSSES):
                raise NotApplicableHereError(f"the {what} takes energy")
            if any(_timed(e) for e in expressions_of(one)):
                raise NotApplicableHereError(f"the {what} depends on time")
            try:
                sound = _reversible(one, scope)
            except _MixedError:
                sound = False
            if not sound:
                raise NotApplicableHereError(f"the {what} is another one backwards in time")


def _timed(node: Expression) -> bool:
    return any(isinstance(e, Reference) and e.path[0].name == "t" for e in walk(node))


def _reversible(one: Any, scope: Scope) -> bool:
    """Return whether a statement says the same of the reversed motion."""
    if isinstance(one, _FORCES):
        return parity(one.value, scope) != ODD
    if isinstance(one, (Define, Invariant)):
        _common([parity(one.left, scope), parity(one.right, scope)])
    if isinstance(one, (Body, Particle)):
        moving = [c.value for c in one.clauses if c.kind in {"velocity", "omega"}]
        return all(parity(value, scope) != EVEN for value in moving)
    return True


def parity(node: Expression, scope: Scope) -> int:
    """Return whether an expression is even (1), odd (-1), or zero, which is both (0)."""
    match node:
        case Number(text):
            return ANY if literal(text) == 0 else EVEN
        case Reference():
            return _of_name(node, scope)
        case Group(x) | Negative(x):
            return parity(x, scope)
        case Sum(terms):
            return _common([parity(e, scope) for _, e in terms])
        case Product(factors):
            return _product([parity(e, scope) for _, e in factors])
        case Power(base, exponent):
            return _power(parity(base, scope), exponent, scope)
        case Vector(items):
            return _common([parity(e, scope) for e in items])
        case Conditional(condition, yes, no):
            parity(condition, scope)
            return _common([parity(yes, scope), parity(no, scope)])
        case Comparison(_, left, right):
            return _even([parity(left, scope), parity(right, scope)])
        case Junction(_, items):
            return _even([parity(e, scope) for e in items])
        case Not(x):
            return _even([parity(x, scope)])
        case MaterialPoint(point, _):
            return _even([parity(point, scope)])
        case Call(function, arguments):
            return _of_call(function, [parity(e, scope) for e in arguments])
    raise _MixedError


def _of_name(node: Reference, scope: Scope) -> int:
    if node.path[0].name in {"ground", "pi"}:
        return EVEN
    found = resolve(node, scope)
    if found is None or node.path[0].name == "t" or found.symbol.kind == "reaction":
        raise _MixedError
    symbol = found.symbol
    if symbol.kind in VARIABLES:
        return EVEN if (symbol.order + node.primes) % 2 == 0 else ODD
    value, where = getattr(symbol.node, "value", None), symbol.scope
    if symbol.kind == "input" and where.subsystem is not None and where.parent is not None:
        for binding in where.subsystem.bindings:
            if label(binding.name) == symbol.name:
                value, where = binding.value, where.parent
    if symbol.kind in {"let", "input"} and value is not None:
        return parity(value, where)
    return EVEN


def _of_call(function: str, given: list[int]) -> int:
    if function in _KEEP:
        return given[0]
    if function in _FORGET:
        return EVEN
    if function in _TIMES:
        return _product(given)
    if function in _FLIP:
        return -given[0]
    return _even(given)


def _power(base: int, exponent: Expression, scope: Scope) -> int:
    if base == ODD:
        value = pure_value(exponent) if bare(exponent) else None
        if not isinstance(value, Fraction) or value.denominator != 1:
            raise _MixedError
        return EVEN if value % 2 == 0 else ODD
    return _even([base, parity(exponent, scope)])


def _common(several: list[int]) -> int:
    """Return what all terms are; zero is anything."""
    kinds = {one for one in several if one != ANY}
    if len(kinds) > 1:
        raise _MixedError
    return kinds.pop() if kinds else ANY


def _even(several: list[int]) -> int:
    if ODD in several:
        raise _MixedError
    return EVEN


def _product(several: list[int]) -> int:
    found = EVEN
    for one in several:
        found *= one
    return found
