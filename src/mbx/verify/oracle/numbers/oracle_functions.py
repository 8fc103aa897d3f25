"""The functions of the language (spec 3.4), and which expressions are numbers alone (spec 2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.language.document import expressions as x
from mbx.verify.oracle.kinematics import oracle_poses
from mbx.verify.oracle.kinematics.oracle_geometry import Vec, cross, dot, scaled
from mbx.verify.oracle.numbers.jet_scalars import Dual
from mbx.verify.oracle.numbers.jets import Jet
from mbx.verify.oracle.refusal import OracleRefusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.language.document.expressions import Expression
    from mbx.verify.oracle.kinematics.declared_world import Level
    from mbx.verify.oracle.kinematics.evaluate_motion import Evaluator
    from mbx.verify.oracle.kinematics.oracle_geometry import Three
    from mbx.verify.oracle.numbers.jet_scalars import Scalar

__all__ = ["bare", "call"]

PURE: Final = frozenset(
    ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log")
)


def bare(node: Expression) -> bool:
    """Return whether an expression is made of numbers alone (spec 2.3)."""
    match node:
        case x.Number(_, unit):
            return unit is None
        case x.Reference((segment,), 0):
            return segment.name == "pi" and segment.index is None
        case x.Negative(inner) | x.Group(inner):
            return bare(inner)
        case x.Sum(pairs) | x.Product(pairs):
            return all(bare(e) for _, e in pairs)
        case x.Power(a, b):
            return bare(a) and bare(b)
        case x.Call(function, arguments):
            return (function in PURE or function == "sqrt") and all(map(bare, arguments))
    return False


def call(e: Evaluator, function: str, arguments: tuple[Expression, ...], level: Level) -> Any:
    """Return a function of the language."""
    if function in PURE:
        return e.m.call(function, e.scalar(arguments[0], level))
    if function in _GEOMETRY:
        return _GEOMETRY[function](e, arguments, level)
    several = [e.scalar(argument, level) for argument in arguments]
    match function:
        case "sqrt":
            return e.m.sqrt(several[0])
        case "atan2":
            return e.m.atan2(several[0], several[1])
        case "abs":
            return several[0] * e.m.constant(e.m.sign(several[0]))
        case "sign":
            return _flat(several[0], e.m.constant(e.m.sign(several[0])))
        case "min" | "max":
            best = several[0]
            for other in several[1:]:
                gap = e.m.sign(other - best)
                best = other if gap == (-1 if function == "min" else 1) else best
            return best
    raise OracleRefusal(f"there is no function '{function}'", at=arguments[0].at)


def _flat(like: Scalar, value: Jet) -> Jet:
    """Return a constant that is as long as something it depends on."""
    while isinstance(like, Dual):
        like = like.a
    return Jet(value.c, like.n)


def _norm(e: Evaluator, v: Three) -> Scalar:
    return e.m.sqrt(dot(v, v))


def _unit(e: Evaluator, v: Three) -> Vec:
    return Vec(scaled(v, e.m.one / _norm(e, v)))


_GEOMETRY: Final[dict[str, Callable[[Evaluator, tuple[Expression, ...], Any], Any]]] = {
    "dot": lambda e, a, at: dot(e.vector(a[0], at), e.vector(a[1], at)),
    "cross": lambda e, a, at: Vec(cross(e.vector(a[0], at), e.vector(a[1], at))),
    "norm": lambda e, a, at: _norm(e, e.vector(a[0], at)),
    "unit": lambda e, a, at: _unit(e, e.vector(a[0], at)),
    "velocity": lambda e, a, at: Vec(oracle_poses.point_rate(e, a[0], at, 1)),
    "acceleration": lambda e, a, at: Vec(oracle_poses.point_rate(e, a[0], at, 2)),
    "omega": lambda e, a, at: Vec(oracle_poses.turning(e, a[0], at)),
    "ddt": lambda e, a, at: oracle_poses.rate(e, a[0], at),
    "diff": lambda e, a, at: e.partial(a[0], a[1], at),
    "diag": lambda e, a, at: _diagonal(e, [e.scalar(entry, at) for entry in a]),
    "tensor": lambda e, a, at: _tensor([e.scalar(entry, at) for entry in a]),
}


def _diagonal(e: Evaluator, d: list[Scalar]) -> list[Three]:
    o = e.m.zero
    return [(d[0], o, o), (o, d[1], o), (o, o, d[2])]


def _tensor(d: list[Scalar]) -> list[Three]:
    xx, yy, zz, xy, xz, yz = d
    return [(xx, xy, xz), (xy, yy, yz), (xz, yz, zz)]
