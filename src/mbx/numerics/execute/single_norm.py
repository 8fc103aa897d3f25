"""Loads that grow with one magnitude of reactions, such as Coulomb friction: in closed form.

If what an implicit step seeks, y = F(y), enters through one norm N = sqrt(y^T Q y) alone, then
F is affine in it, y = r0 + r1 N, and N is a root of a quadratic (Orsino, section 4.4):

    (r1^T Q r1 - 1) N^2 + 2 r0^T Q r1 N + r0^T Q r0 = 0.

Below 1, r1^T Q r1 leaves exactly one root that is not negative. From 1 on there are none or
two: the state jams.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.expr.algebra.elimination import NotAffineError, split
from mbx.expr.build import power
from mbx.expr.derivatives import gradient
from mbx.expr.evaluate import evaluate_arrays, free_symbols, ordered, substitute
from mbx.expr.nodes import FUNCTION, POWER, ZERO, Node, symbol
from mbx.numerics.execute.implicit_steps import JAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mbx.formalism.program import Step
    from mbx.numerics.execute.stacked_algebra import Array, Faults

__all__ = ["SingleNorm", "affine", "quadratic", "roots", "single_norm", "square_of"]

_HALF: Final = Fraction(1, 2)
_NORM: Final = symbol("magnitude of reactions")


@dataclass(frozen=True, slots=True, eq=False)
class SingleNorm:
    """The one norm through which reactions enter.

    Attributes:
        square: N^2 as an expression of the reactions.
        named: The reactions.
        steps: The inner steps of the implicit one, with a symbol in the place of N.
        norm: That symbol.
    """

    square: Node
    named: tuple[Node, ...]
    steps: tuple[Step, ...]
    norm: Node = _NORM

    def of(self, y: Array, values: Mapping[Node, Array]) -> Array:
        """Return N^2 of reactions at some states, (K, n)."""
        known = {node: y[:, k] for k, node in enumerate(self.named)}
        (found,) = evaluate_arrays([self.square], {**values, **known})
        return np.broadcast_to(np.asarray(found, dtype=float), len(y))


def single_norm(step: Step) -> SingleNorm | None:
    """Return the norm through which alone the unknown of an implicit step enters, if it does."""
    (given,) = (each for each in step.steps if each.name == step.unknown)
    named = tuple(row[0] for row in given.entries)
    defined = [each for each in step.steps if each.op == "define"]
    entries = [node for each in defined for row in each.entries for node in row]
    norms = [node for node in ordered(entries) if square_of(node, named) is not None]
    last = step.steps[-1]
    plain_residual = last.op == "sum" and last.name == step.residual and last.signs == (1, -1)
    if not named or len(norms) != 1 or not plain_residual or last.args[0] != step.unknown:
        return None
    (norm,) = norms
    plain = substitute(entries, {norm: _NORM})
    if not set(named).isdisjoint(free_symbols(plain)):
        return None
    try:
        split(plain, [_NORM])
    except NotAffineError:
        return None
    left = iter(plain)
    steps = tuple(
        replace(each, entries=tuple(tuple(next(left) for _ in row) for row in each.entries))
        if each.op == "define"
        else each
        for each in step.steps
    )
    square = square_of(norm, named)
    return None if square is None else SingleNorm(square, named, steps)


def square_of(node: Node, named: Sequence[Node]) -> Node | None:
    """Return the square of a norm of reactions; None if a node is no norm of them."""
    if node.op is POWER and node.value == _HALF:
        inner = node.args[0]
    elif node.op is FUNCTION and node.value == "abs":
        inner = power(node.args[0], 2)
    else:
        return None
    if set(named).isdisjoint(free_symbols([inner])):
        return None
    try:
        _, constant = split(gradient(inner, list(named)), list(named))
    except NotAffineError:
        return None
    (at_zero,) = substitute([inner], dict.fromkeys(named, ZERO))
    return inner if at_zero is ZERO and all(x is ZERO for x in constant) else None


def roots(
    F: Callable[[Array], tuple[Array, Faults]], square: Callable[[Array], Array], count: int
) -> tuple[Array, Faults]:
    """Return y = F(N) at each state, with N its own norm, and where that jams.

    `F` gives reactions (K, n) and a status from values of N, `square` the squares of norms.
    """
    r0, r1, faults = affine(F, square, count)
    N, growth, _ = quadratic(r0, r1, square)
    faults = np.where(faults == "regular", "", faults).astype(object)
    faults[(faults == "") & (growth >= JAMS)] = "jamming"
    return r0 + r1 * N[:, None], faults


def affine(
    F: Callable[[Array], tuple[Array, Faults]], square: Callable[[Array], Array], count: int
) -> tuple[Array, Array, Faults]:
    """Return r0 and r1 of F(N) = r0 + r1 N, and a status for each state.

    The difference is taken at a magnitude of the size of r0: at one in SI units, r0 could drown it.
    """
    r0, faults = F(np.zeros(count))
    N = _size(square(r0))
    return r0, (F(N)[0] - r0) / N[:, None], faults


def _size(c: Array) -> Array:
    """Return the power of two near the root of squares, and 1 for zero or no number."""
    known = np.isfinite(c) & (c > 0)
    _, exponent = np.frexp(np.where(known, c, 1.0))
    return np.where(known, np.ldexp(1.0, exponent // 2), 1.0)


def quadratic(r0: Array, r1: Array, square: Callable[[Array], Array]) -> tuple[Array, Array, Array]:
    """Return N with N^2 = |r0 + r1 N|^2, how fast the norm grows with N, and how many N there are.

    Where it grows by 1 or more, N is one of two, or none.
    """
    a, c = square(r1), square(r0)
    size = _size(c)
    b = (square(r0 / size[:, None] + r1) - a - c / size**2) * size
    with np.errstate(all="ignore"):
        # of two forms of the root, the one in which nothing cancels
        wide = np.sqrt(b * b + 4 * (1 - a) * c)
        N = np.where(b > 0, (b + wide) / (2 * (1 - a)), 2 * c / (wide - b))
        N = np.where((c == 0) & (b <= 0), 0.0, N)
    # from a = 1 on both roots have one sign, that of -b, if there are any
    count = np.where(a < 1, 1, np.where((wide > 0) & (b < 0), 2, 0))
    return N, np.sqrt(a), count
