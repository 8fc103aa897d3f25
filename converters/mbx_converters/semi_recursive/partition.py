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

    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion

__all__ = ["prepare"]

ROUNDS: Final = 3
"""How often ud is corrected: near a state where A_d is singular, a round gains three digits."""


def prepare(
    program: NamedProgram, motion: Motion, levels: Levels
) -> Callable[[NamedProgram, str], tuple[str, str]]:
    """Add H and g, and return what adds the equations of the independent speeds."""
    independent = choose(motion, levels)
    n = len(motion.u)
    dependent = tuple(k for k in range(n) if k not in independent)
    names = [s.path for s in motion.speeds]
    back = [(*dependent, *independent).index(k) for k in range(n)]
    program.rows("Adt", "At", dependent, f"columns of {', '.join(names[k] for k in dependent)}")
    program.transpose("Ad", "Adt")
    # rows scaled as one: at a singular state one of them may be rounding only
    m = len(levels.rows)
    program.solve("gd", "Ad", "bm", "least_squares", unique=len(dependent), together=m)
    program.pinv("Atp", "At")
    if independent:
        program.rows("Ait", "At", independent, "columns of the independent speeds")
        program.transpose("Ai", "Ait")
        program.solve("X", "Ad", "Ai", "least_squares", unique=len(dependent), together=m)
        program.sum("Xm", "X", signs=(-1,))
        program.identity("one", len(independent))
        program.block("Hdi", [["Xm"], ["one"]])
        program.rows("H", "Hdi", back, "speeds by the independent ones, (8)")
        program.transpose("Ht", "H")
        program.product("MH", "M", "H")
        program.product("Mi", "Ht", "MH", meaning="inertia of the independent speeds")
        zero = [[ZERO] for _ in independent]
        program.define("zero", zero)
        program.block("gdi", [["gd"], ["zero"]])
        program.rows("g", "gdi", back, "accelerations without those of the independent speeds")
    else:
        program.rows("g", "gd", back, "all accelerations, as the invariants say")

    def steps(p: NamedProgram, Q: str) -> tuple[str, str]:
        if independent:
            last = "g"
            # the first round is (8), from the accelerations without those of independent speeds
            for k in range(ROUNDS + 1):
                p.product(f"Mu_{k}", "M", last)
                p.sum(f"r_{k}", Q, f"Mu_{k}", signs=(1, -1), meaning="forces left")
                p.product(f"ri_{k}", "Ht", f"r_{k}")
                what = "correction of these rates" if k else "rates of the independent speeds"
                p.solve(f"dui_{k}", "Mi", f"ri_{k}", "general", meaning=what)
                p.product(f"du_{k}", "H", f"dui_{k}")
                name = "ud" if k == ROUNDS else f"ud_{k}"
                last = p.sum(name, last, f"du_{k}", meaning="rates of the speeds")
        else:
            p.sum("ud", "g", meaning="rates of the speeds")
        p.product("Mud", "M", "ud")
        p.sum("open", "Mud", Q, signs=(1, -1))
        p.product("lam", "Atp", "open", meaning="multipliers")
        return "ud", "lam"

    return steps
