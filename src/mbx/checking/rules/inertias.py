"""Masses and inertias a body can have: MBX400x."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from mbx.checking.expressions.known_values import Evaluator
from mbx.checking.expressions.known_vectors import let_behind
from mbx.checking.rules.placements import axis_letter
from mbx.checking.rules.turning_axes import com_stays, find_turning
from mbx.language.document.expressions import Call, Expression, Vector, ungroup

if TYPE_CHECKING:
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Symbol
    from mbx.checking.rules.topology import Parents
    from mbx.checking.rules.turning_axes import Turning

__all__ = ["check_inertia"]

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
