"""The arbiter: whether a difference between two forms is rounding, decided in fifty digits.

The numbers of the state are taken as they are, and brought onto the invariants to fifty digits.
There both forms are run anew. A difference that is rounding vanishes; another one stays.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from mbx.formalism.shapes import needs
from mbx.verify.precise import evaluate_nodes, execute, largest, pinv, precisely, solve

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.program import Step
    from mbx.verify.manifold import Manifold, Points

__all__ = ["Precise", "is_rounding", "keeps_invariants", "precise_result", "precise_state"]

Precise = dict[str, Any]
"""Results of a form by meaning, and the invariants: A, b, and the norms G among A."""

SAME: Final = Decimal("1e-30")
"""Part of the largest entry below which two results are the same."""
_STEPS: Final = 4


def _leading_to(wanted: Iterable[str], steps: Sequence[Step]) -> list[Step]:
    """Return the steps that some matrices need, in order."""
    names, kept = set(wanted), []
    for step in reversed(steps):
        if step.name in names:
            names |= needs(step)
            kept.append(step)
    return kept[::-1]


def _exactly(equations: Equations, manifold: Manifold, point: Points) -> dict[Node, Decimal]:
    """Return the numbers of a state as they are."""
    known = manifold.values.at(equations, point)
    return {node: Decimal(float(value.reshape(-1)[0])) for node, value in known.items()}


def precise_state(manifold: Manifold, point: Points) -> dict[Node, Decimal]:
    """Return coordinates and speeds that keep the invariants to fifty digits, by symbol."""
    equations, system = manifold.equations, manifold.system
    with precisely():
        values = _exactly(equations, manifold, point)
        for variables, c, J in ((system.q, "c", "Cq"), (system.u, "v", "Vu")):
            steps = _leading_to([c, J], equations.steps)
            for _ in range(_STEPS):
                found = execute(steps, values)
                if not found[c].size:
                    break
                change = solve(found[J], found[c])
                for k, v in enumerate(variables):
                    values[v.symbol] -= change[k, 0]
    return {v.symbol: values[v.symbol] for v in (*system.q, *system.u)}


def precise_result(
    equations: Equations, manifold: Manifold, point: Points, state: Mapping[Node, Decimal]
) -> Precise:
    """Return accelerations and constraint forces of a form at a precise state."""
    wanted = {m: n for m, n in equations.results.items() if m in {"ud", "Fc"}}
    with precisely():
        values = {**_exactly(equations, manifold, point), **state}
        for one in equations.signature.derived:
            if one.value is not None:
                values[one.symbol] = evaluate_nodes([one.value], values)[0]
        found = execute(_leading_to(wanted.values(), equations.steps), values)
        here = {**_exactly(manifold.equations, manifold, point), **state}
        kept = execute(_leading_to(["A", "b", "G"], manifold.equations.steps), here)
        return {**kept, **{meaning: found[name] for meaning, name in wanted.items()}}


def keeps_invariants(one: Precise) -> bool:
    """Return whether precise accelerations keep the invariants, A ud + b = 0."""
    with precisely():
        A, ud, b = one["A"], one["ud"], one["b"]
        if not A.size:
            return True
        terms = largest(A) * largest(ud) + largest(b)
        return bool(largest(A @ ud + b) <= SAME * terms)


def is_rounding(one: Precise, other: Precise, what: str) -> bool:
    """Return whether two precise results are the same."""
    with precisely():
        gap, G = one[what] - other[what], one["G"]
        if what == "Fc" and G.size:
            gap = gap - pinv(G) @ (G @ gap)
        size = max(largest(one[what]), largest(other[what]))
        if what == "Fc":  # a constraint force may be zero where the terms it comes from are not
            size = max(size, largest(one["ud"]))
        return bool(largest(gap) <= SAME * size)
