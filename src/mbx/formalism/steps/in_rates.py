"""Forms in the rates of the coordinates: from their accelerations to those of the speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mbx.formalism.builder import Program
from mbx.formalism.steps.residuals import magnitude

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.program import Residual
    from mbx.formalism.steps.reactive_loads import Closed

__all__ = ["InRates", "rates_residual", "to_speeds"]


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
