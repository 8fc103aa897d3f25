"""Steps that forms share: changes of accelerations, loads that name reactions, residuals.

    y = Y lam(h(y))

An `implicit` step solves for y; where no load names a reaction, nothing of this is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.builder import Program
from mbx.formalism.matrix_value import operate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Residual


__all__ = [
    "Closed",
    "InRates",
    "close",
    "constraint_residual",
    "magnitude",
    "projected_residual",
    "rates_residual",
    "to_speeds",
]


@dataclass(frozen=True, slots=True)
class InRates:
    """The equations M qdd = h + A^T lam with A qdd + b = 0."""

    M: Matrix
    A: Matrix
    b: Matrix
    closed: Closed


@dataclass(frozen=True, slots=True)
class InSpeeds:
    """The rates by the speeds, qdd = N ud + n, and the results by meaning."""

    N: Matrix
    n: Matrix
    results: dict[str, Matrix]


def to_speeds(
    program: Program,
    form: InRates,
    change: tuple[list[list[Node]], list[Node], list[list[Node]], list[Node]],
    rates: Sequence[str],
    speeds: Sequence[str],
) -> InSpeeds:
    """Add ud = P qdd + p and Fc = N^T A^T lam."""
    qdd, lam = form.closed.ud, form.closed.lam
    Fq = program.let("Fq", form.A.T @ lam, "constraint forces on the coordinates")
    N = program.define("N", change[0], "qdd by ud", rows=rates, columns=speeds)
    n = program.column("n", change[1], "qdd without ud", rows=rates)
    P = program.define("P", change[2], "ud by qdd", rows=speeds, columns=rates)
    p = program.column("p", change[3], "ud without qdd", rows=speeds)
    ud = program.let("ud", P @ qdd + p, "rates of the speeds")
    Fc = program.let("Fc", N.T @ Fq, "constraint forces on the speeds")
    results = {"ud": ud, "qdd": qdd, "Fc": Fc, "lam": lam}
    results |= {"M": form.M, "h": form.closed.h, "A": form.A, "b": form.b}
    return InSpeeds(N, n, results)


def rates_residual(
    program: Program, name: str, form: InRates, speeds: InSpeeds, Zt: Matrix
) -> Residual:
    """Return Z^T (M qdd - h) and A qdd + b for given ud."""
    M, h, A, b = form.M, form.closed.h, form.A, form.b
    p = Program(outer=program, apart=True)
    ud = p.given("ud", size=speeds.N.shape[1])
    qdd = p.let("r_qdd", speeds.N @ ud + speeds.n)
    dynamic = p.let("r_dynamic", Zt @ p.let("r_open", M @ qdd - h))
    kinematic = p.let("r_kinematic", A @ qdd + b)
    value = p.let("r_value", p.stack(dynamic, kinematic))
    return p.residual(name, value, magnitude(p, value, (speeds.N, ud, speeds.n, M, h, A, b, Zt)))


@dataclass(frozen=True, slots=True)
class Closed:
    """The right-hand side, and what `solve` gave from it."""

    h: Matrix
    ud: Matrix
    lam: Matrix
    others: tuple[Matrix, ...]


def close(
    program: Program,
    h: Sequence[Node],
    named: Sequence[Node],
    Y: Sequence[Sequence[Node]],
    solve: Callable[[Program, Matrix], tuple[Matrix, ...]],
    *,
    labels: Sequence[str] = (),
    meaning: str = "active and gyroscopic forces",
) -> Closed:
    """Add the right-hand side h and the steps of `solve`, which gives ud, lam and others.

    What `solve` computes from values other than h is a step of the program in both its runs.
    """
    if not named:
        right = program.column("h", h, meaning, rows=labels)
        return _closed(right, solve(program, right))
    by_lam = program.define("Y", Y, "named reactions from multipliers")
    inner = Program(outer=program)
    unknown = inner.given("y", named)
    _, lam, *_ = solve(inner, inner.column("h", h, meaning, rows=labels))
    y_new = inner.let("y_new", by_lam @ lam)
    y_open = inner.let("y_open", unknown - y_new)
    names = [str(s.value) for s in named]
    y = program.implicit("y", inner, unknown, y_open, "reactions that loads depend on", names)
    right = program.derived("h", [[x] for x in h], meaning, rows=labels, of={y: named})
    return _closed(right, solve(program, right))


def _closed(h: Matrix, solved: tuple[Matrix, ...]) -> Closed:
    ud, lam, *rest = solved
    return Closed(h, ud, lam, tuple(rest))


def magnitude(p: Program, value: Matrix, leaves: Sequence[Matrix]) -> Matrix:
    """Return the same expression of the magnitudes of its leaves, in which all signs are plus.

    A named part `r_x` has the magnitude `s_x`, the value `r_value` has `r_magnitude`.
    """
    sizes = {leaf: p.place(abs(leaf)) for leaf in leaves}

    def visit(part: Matrix) -> Matrix:
        if part not in sizes:
            args = [visit(arg) for arg in part.args]
            signs = tuple(map(abs, part.template.signs))
            size = operate(part.op, args, signs=signs, grid=part.template.grid)
            name = p.name_of(part)
            other = "r_magnitude" if part is value else f"s_{name.removeprefix('r_')}"
            sizes[part] = p.let(other, size) if name else size
        return sizes[part]

    return visit(value)


def projected_residual(
    program: Program,
    name: str,
    n: int,
    M: Matrix,
    h: Matrix,
    C: Matrix | None,
    labels: Sequence[str] = (),
) -> Residual:
    """Return C^T (M a - h), with the magnitudes |C^T| (|M| |a| + |h|) (faithfulness)."""
    p = Program(outer=program, apart=True)
    ud = p.given("ud", size=n)
    left = p.let("r_left", M @ ud)
    value = p.let("r_all", left - h)
    sizes = [p.let(f"r_{x}", abs(value)) for x, value in (("M", M), ("a", ud), ("h", h))]
    most = p.let("r_size", p.let("r_Ma", sizes[0] @ sizes[1]) + sizes[2])
    if C is None:
        return p.residual(name, value, most, labels)
    Ct = p.let("r_Ct", C.T)
    size = p.let("r_C", abs(Ct))
    value = p.let("r_value", Ct @ value)
    return p.residual(name, value, p.let("r_magnitude", size @ most))


def constraint_residual(
    program: Program, n: int, A: Matrix, b: Matrix, labels: Sequence[str] = ()
) -> Residual:
    """Return A a + b, with |A| |a| + |b|."""
    p = Program(outer=program, apart=True)
    ud = p.given("ud", size=n)
    value = p.let("c_value", p.let("c_left", A @ ud) + b)
    sizes = [p.let(f"c_{x}", abs(value)) for x, value in (("A", A), ("a", ud), ("b", b))]
    most = p.let("c_magnitude", p.let("c_Aa", sizes[0] @ sizes[1]) + sizes[2])
    return p.residual("invariants", value, most, labels)
