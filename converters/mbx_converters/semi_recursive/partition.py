"""Coordinate partitioning: dependent speeds from independent ones, ud = H ud_i + g.

    A_d ud_d + A_i ud_i + b = 0,    H = [-A_d^-1 A_i; 1],  g = [-A_d^-1 b; 0]        (6) to (8)
    H^T M H ud_i = H^T (Q - M g)

The choice is that of the model where it has one, and by pivots otherwise. It holds for all
states; where A_d is singular, the state is. Near such a state, H is large and the condition
number of H^T M H has its square: what is left of the equations, H^T (Q - M ud), which is known
better, corrects ud (iterative refinement; N. J. Higham, Accuracy and Stability of Numerical
Algorithms, 2nd ed., SIAM 2002, chapter 12).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ZERO
from mbx_converters.semi_recursive.independent_speeds import choose

if TYPE_CHECKING:
    from collections.abc import Callable

    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion

__all__ = ["prepare"]

ROUNDS: Final = 3
"""How often ud is corrected: near a state where A_d is singular, a round gains three digits."""
_RATES: Final = "rates of the speeds"


def prepare(
    p: Program, motion: Motion, levels: Levels, M: Matrix, A: Matrix, bm: Matrix
) -> Callable[[Program, Matrix], tuple[Matrix, ...]]:
    """Add H and g, and return what adds the equations of the independent speeds; bm is -b."""
    independent = choose(motion, levels)
    n = len(motion.u)
    dependent = tuple(k for k in range(n) if k not in independent)
    names = [s.path for s in motion.speeds]
    back = [(*dependent, *independent).index(k) for k in range(n)]
    # rows scaled as one: at a singular state one of them may be rounding only
    r, m = len(dependent), len(levels.rows)
    meaning = f"columns of {', '.join(names[k] for k in dependent)}"
    Ad = p.let("Ad", p.let("Adt", A.T.rows(dependent), meaning).T)
    gd = p.solve("gd", Ad, bm, unique=r, together=m)
    Atp = p.pinv(A.T)
    if not independent:
        g = p.let("g", gd.rows(back), "all accelerations, as the invariants say")
        return lambda p, Q: _with_multipliers(p, p.let("ud", g, _RATES), M, Q, Atp)
    Ai = p.let("Ai", p.let("Ait", A.T.rows(independent), "columns of the independent speeds").T)
    X = p.solve("X", Ad, Ai, unique=r, together=m)
    Hdi = p.let("Hdi", p.stack(-X, p.identity(n - r)))
    H = p.let("H", Hdi.rows(back), "speeds by the independent ones, (8)")
    Mi = p.let("Mi", H.T @ (M @ H), "inertia of the independent speeds")
    zero = p.define("zero", [[ZERO] for _ in independent])
    meaning = "accelerations without those of the independent speeds"
    g = p.let("g", p.let("gdi", p.stack(gd, zero)).rows(back), meaning)

    def steps(p: Program, Q: Matrix) -> tuple[Matrix, ...]:
        ud = g
        # the first round is (8), from the accelerations without those of independent speeds
        for k in range(ROUNDS + 1):
            left = p.let(f"r_{k}", Q - M @ ud, "forces left")
            what = "correction of these rates" if k else "rates of the independent speeds"
            dui = p.solve(f"dui_{k}", Mi, H.T @ left, meaning=what)
            du = p.let(f"du_{k}", H @ dui)
            ud = p.let("ud" if k == ROUNDS else f"ud_{k}", ud + du, _RATES)
        return _with_multipliers(p, ud, M, Q, Atp)

    return steps


def _with_multipliers(
    p: Program, ud: Matrix, M: Matrix, Q: Matrix, Atp: Matrix
) -> tuple[Matrix, Matrix]:
    return ud, p.let("lam", Atp @ (M @ ud - Q), "multipliers")
