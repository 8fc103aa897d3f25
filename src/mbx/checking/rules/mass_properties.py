"""Masses, mass centres and inertias of bodies."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import Report
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.known_values import Evaluator
from mbx.checking.expressions.known_vectors import let_behind
from mbx.checking.expressions.scope import VARIABLES, resolve
from mbx.checking.rules.joints import com_stays, find_turning
from mbx.checking.rules.placements import axis_letter, rotation_parts
from mbx.language.document.expressions import (
    Call,
    Expression,
    Reference,
    Vector,
    children,
    ungroup,
    walk,
)

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Scope, Symbol
    from mbx.checking.rules.joints import Parents, Turning
    from mbx.language.document.kinematic_statements import Placement

__all__ = ["check_centres", "check_inertia"]


Matrix = tuple[tuple[float, float, float], ...]

_ROUNDING = 1e-9
_DEEPEST = 50
"""Definitions of definitions that are followed; a circle of them is reported elsewhere."""


def check_inertia(context: Context, parents: Parents) -> None:
    """Check the mass properties of every body and particle."""
    turning = find_turning(context, parents)
    for symbol in context.order:
        if symbol.kind in {"body", "particle"}:
            _mass_element(symbol, context, turning.get(symbol, "any"))


def _mass_element(symbol: Symbol, context: Context, turning: Turning) -> None:
    report = context.report
    clauses = {c.kind: c for c in symbol.node.clauses}
    evaluator = Evaluator(context, symbol.scope)
    mass = clauses.get("mass")
    if mass is None:
        if symbol.kind == "particle" or not com_stays(symbol, context):
            report.add(
                "MBX4006",
                f"{symbol.kind} '{symbol.name}' has no mass",
                symbol.at,
                help="give it one, `mass 0 kg` if it has none",
            )
    else:
        value = evaluator.value(mass.value)
        if value is not None and value < 0:
            report.add(
                "MBX4001",
                f"the mass of '{symbol.name}' is {value:g} kg",
                mass.at,
                help="a mass is zero or more",
            )
    if symbol.kind == "body":
        _inertia(symbol, clauses.get("inertia"), evaluator, turning)


def _inertia(symbol: Symbol, clause: Any, evaluator: Evaluator, turning: Turning) -> None:
    report = evaluator.context.report
    if clause is None:
        if turning not in {"none", "unknown"}:
            report.add(
                "MBX4007",
                f"body '{symbol.name}' can turn and has no inertia",
                symbol.at,
                help="give it one; zero is legal",
            )
        return
    if clause.about is not None:
        letter = axis_letter(clause.about)
        if turning not in {"none", "unknown", letter}:
            how = "freely" if turning == "any" else f"about {turning}"
            report.add(
                "MBX4008",
                f"the inertia of '{symbol.name}' is given about one axis, and the "
                f"body can turn {how}",
                clause.at,
                help="give the whole tensor: diag(a, b, c)",
            )
        value = evaluator.value(clause.value)
        if value is not None and value < 0:
            report.add(
                "MBX4002",
                f"the inertia of '{symbol.name}' is negative",
                clause.at,
                help="an inertia is zero or more",
            )
        return
    tensor = _tensor(clause.value, evaluator)
    if tensor is not None:
        _physical(tensor, symbol, clause, evaluator)


def _tensor(node: Expression, evaluator: Evaluator) -> Matrix | None:
    """Return a tensor's values where all are known."""
    node = ungroup(node)
    for _ in range(_DEEPEST):
        behind = let_behind(node, evaluator.scope)
        if behind is None:
            break
        node, evaluator = ungroup(behind[0]), Evaluator(evaluator.context, behind[1])
    entries: list[Expression]
    match node:
        case Call("diag", (a, b, c)):
            values = [evaluator.value(e) for e in (a, b, c)]
            if any(v is None for v in values):
                return None
            x, y, z = (float(v or 0) for v in values)
            return ((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z))
        case Call("tensor", arguments):
            values = [evaluator.value(e) for e in arguments]
            if len(values) != 6 or any(v is None for v in values):  # noqa: PLR2004
                return None
            xx, yy, zz, xy, xz, yz = (float(v or 0) for v in values)
            return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
        case Vector(rows) if all(isinstance(ungroup(r), Vector) for r in rows):
            entries = [e for r in rows for e in ungroup(r).items]  # type: ignore[union-attr]
            values = [evaluator.value(e) for e in entries]
            if len(values) != 9 or any(v is None for v in values):  # noqa: PLR2004
                return None
            flat = [float(v or 0) for v in values]
            return tuple((flat[k], flat[k + 1], flat[k + 2]) for k in (0, 3, 6))
    return None


def _physical(tensor: Matrix, symbol: Symbol, clause: Any, evaluator: Evaluator) -> None:
    report = evaluator.context.report
    scale = max(abs(v) for row in tensor for v in row) or 1.0
    small = _ROUNDING * scale
    if any(abs(tensor[i][j] - tensor[j][i]) > small for i, j in combinations(range(3), 2)):
        report.add("MBX4009", f"the inertia of '{symbol.name}' is not symmetric", clause.at)
        return
    if not _positive(tensor, scale):
        report.add(
            "MBX4002",
            f"the inertia of '{symbol.name}' is not positive",
            clause.at,
            help="no axis may have a negative moment of inertia",
        )
        return
    # Each principal moment is at most the sum of the others: trace/2 - I is positive too.
    half = sum(tensor[k][k] for k in range(3)) / 2
    rest = tuple(
        tuple((half if i == j else 0.0) - tensor[i][j] for j in range(3)) for i in range(3)
    )
    if not _positive(rest, scale):  # type: ignore[arg-type]
        report.add(
            "MBX4003",
            f"the inertia of '{symbol.name}' breaks the triangle inequality",
            clause.at,
            help="each principal moment is at most the sum of the other two",
        )


def _positive(m: Matrix, scale: float) -> bool:
    """Return whether all principal minors are non-negative, up to rounding."""
    if not scale:
        return True
    n = [[x / scale for x in row] for row in m]  # powers of a small scale would underflow
    ones = [n[k][k] for k in range(3)]
    twos = [n[i][i] * n[j][j] - n[i][j] * n[j][i] for i, j in combinations(range(3), 2)]
    three = (
        n[0][0] * (n[1][1] * n[2][2] - n[1][2] * n[2][1])
        - n[0][1] * (n[1][0] * n[2][2] - n[1][2] * n[2][0])
        + n[0][2] * (n[1][0] * n[2][1] - n[1][1] * n[2][0])
    )
    return min(ones) >= -_ROUNDING and min(twos) >= -_ROUNDING and three >= -_ROUNDING


_GROUND: Final = ""
_MOTIONS: Final = frozenset({"velocity", "acceleration", "omega", "ddt", "diff"})
_MEASURES: Final = frozenset({"dot", "norm"})
_GEOMETRY: Final = frozenset({"frame", "body", "particle", "point"})


def check_centres(context: Context, parents: Parents) -> None:
    """Check that the mass centre of every body is constant in its axes."""
    rigid = _Rigid(context, parents)
    for symbol in context.order:
        rigid.attach(symbol)
        if symbol.kind != "body":
            continue
        clauses = {c.kind: c for c in symbol.node.clauses}
        com = clauses.get("com")
        if com is None or "velocity" in clauses or "omega" in clauses:
            continue
        bracket = isinstance(ungroup(com.value), Vector)
        if "frame" in clauses and not bracket:
            continue
        attached = rigid.anchors(com.value, symbol.scope, anchor=rigid.attached[symbol])
        if attached is None or attached - {rigid.attached[symbol]}:
            context.report.add(
                "MBX4160",
                f"the mass centre of '{symbol.name}' moves in the axes of the body",
                com.value.at,
                help=_remedy(com.value, symbol),
            )


def _remedy(com: Expression, symbol: Symbol) -> str:
    """Return what to write instead: coordinates place a body, they do not move its mass."""
    for node in walk(com):
        target = resolve(node, symbol.scope) if isinstance(node, Reference) else None
        if target is not None and target.symbol.kind in VARIABLES:
            return (
                f"'{target.symbol.name}' has to place the body: use a joint, such as "
                f"prismatic(ground, axis = x, distance = {target.symbol.name}), or "
                "`frame ground` and a point as com, or make it a particle with `at`"
            )
    return "use constants; give a mass that moves in the body a body or a particle of its own"


@dataclass(frozen=True, slots=True)
class _Rigid:
    """Finds what each frame and each point is rigidly attached to, in dependency order."""

    context: Context
    parents: Parents
    attached: dict[Symbol, Any] = field(default_factory=dict)

    def attach(self, symbol: Symbol) -> None:
        """Record what a frame, a point or a mass element is attached to: at least itself."""
        if symbol.kind not in _GEOMETRY:
            return
        self.attached[symbol] = symbol
        match symbol.kind:
            case "frame":
                anchors = self._placement(symbol.node.placement, symbol.scope)
            case "point":
                anchors = self.anchors(symbol.node.value, symbol.scope, anchor=_GROUND)
            case "particle":
                at = next((c.value for c in symbol.node.clauses if c.kind == "at"), None)
                anchors = None if at is None else self.anchors(at, symbol.scope, anchor=_GROUND)
            case _:
                anchors = self._body(symbol)
        if anchors is not None and len(anchors) == 1:
            (self.attached[symbol],) = anchors

    def _body(self, symbol: Symbol) -> set[Any] | None:
        clauses = {c.kind: c for c in symbol.node.clauses}
        placing = self.parents.placing.get(symbol)
        if "joint" in clauses:
            call, scope = clauses["joint"].call, symbol.scope
        elif placing is not None:
            call, scope = placing.call, placing.scope
        else:
            return None
        if call.joint != "fixed":
            return None
        joined: set[Any] = set()
        for side in call.sides:
            base = resolve(side.base, scope)
            if side.base.path[0].name == "own" or (base is not None and base.symbol is symbol):
                anchors = self._offset(side, scope, symbol)
            else:
                anchors = self._placement(side, scope)
            if anchors is None:
                return None
            joined |= anchors - {symbol}
        return joined

    def _placement(self, placement: Placement, scope: Scope) -> set[Any] | None:
        base = self._reference(placement.base, scope)
        if base is None or len(base) != 1:
            return None
        (anchor,) = base
        return self._offset(placement, scope, anchor)

    def _offset(self, placement: Placement, scope: Scope, anchor: Any) -> set[Any] | None:
        """Return the anchors of a placement on a known base; None where it moves."""
        joined = {anchor}
        rotations = [e for r in placement.rotations for e in rotation_parts(r)]
        for expression in (placement.point, *rotations):
            if expression is None:
                continue
            anchors = self.anchors(expression, scope, anchor=anchor)
            if anchors is None or anchors - {anchor}:
                return None
        return joined

    def anchors(self, node: Expression, scope: Scope, *, anchor: Any) -> set[Any] | None:
        """Return what an expression is attached to; None where it is not constant on anything.

        `anchor` is what brackets are attached to.
        """
        node = ungroup(node)
        match node:
            case Reference():
                return self._reference(node, scope)
            case Call(function):
                if function in _MOTIONS:
                    return None
                anchor = _GROUND  # brackets among arguments have ground components
                if function in _MEASURES:
                    return self._measure(node, scope)
        joined: set[Any] = {anchor} if isinstance(node, Vector) else set()
        for child in children(node):
            anchors = self.anchors(child, scope, anchor=anchor)
            if anchors is None:
                return None
            joined |= anchors
        return joined

    def _measure(self, node: Expression, scope: Scope) -> set[Any] | None:
        """Return no anchor for a number that is read off things which do not move apart."""
        joined: set[Any] = set()
        for child in children(node):
            anchors = self.anchors(child, scope, anchor=_GROUND)
            if anchors is None:
                return None
            joined |= anchors
        return set() if len(joined) <= 1 else None

    def _reference(self, node: Reference, scope: Scope) -> set[Any] | None:
        name = node.path[0].name
        if name in {"t", "pi", "ground"}:
            return None if name == "t" else set() if name == "pi" else {_GROUND}
        target = resolve(node, scope)
        if target is None:
            return set()  # reported as an unknown name
        symbol = target.symbol
        if symbol in self.attached:
            return {self.attached[symbol]}
        quiet = replace(self.context, report=Report())
        known = Inference(quiet, scope).reference(node)
        if known.sort == "unknown":
            return set()
        if symbol.kind == "let" and known.sort != "scalar":
            return self.anchors(symbol.node.value, symbol.scope, anchor=_GROUND)
        return None if known.order >= 0 or known.timed else set()
