"""Published estimates: operations of three methods on a tree, by formulas.

V. Ivanov, V. Shimanovskiy, Matrix equations of the motion of multibody systems with a tree
structure in Hamiltonian variables, J. Appl. Comput. Mech. 9(4), 2023, 1107-1121, (39) and
Table 1. Counted there: additions, multiplications and roots for forming the matrix of the system
and for solving it; forces and other free terms are left out.

    EMH   the extended system (22), solved by the symmetric sweep
    DAH   Hamilton's equations (30) with the matrix D of the generalized velocities
    HZU   Hamilton's equations with multipliers (37) and their matrix H

The formulas are for one body on the ground. For several, eta of the ground is taken as zero, and
the result is an extrapolation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from mbx.analyses.costs.cost_polynomial import interpolate
from mbx.analyses.costs.topologies import limit_system

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from mbx.analyses.costs.topologies import Shape, Tree

__all__ = [
    "FORMS",
    "METHODS",
    "REFERENCE",
    "Method",
    "Parameters",
    "dah",
    "emh",
    "estimate",
    "growth",
    "hzu",
    "parameters",
]

Method = Literal["EMH", "DAH", "HZU"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)

FORMS: Final[Mapping[str, str]] = {
    "EMH": "tree_hamilton_extended",
    "DAH": "tree_hamilton_reduced",
    "HZU": "tree_hamilton_multipliers",
}
"""The form of each method."""

REFERENCE: Final = "Ivanov and Shimanovskiy 2023, Table 1"


@dataclass(frozen=True, slots=True)
class Parameters:
    """What the estimates depend on, (39), for each body.

    Attributes:
        eta: Freedoms between the ground and the body.
        tau: Constraints of its hinge and of those that it carries.
        theta: Freedoms of its hinge times the number of hinges between the ground and it.
    """

    eta: tuple[int, ...]
    tau: tuple[int, ...]
    theta: tuple[int, ...]


def parameters(tree: Tree) -> Parameters:
    """Return eta, tau and theta of a tree, (39)."""
    eta = [0]
    tau = [0] * (len(tree.parents) + 1)
    for i, (parent, n) in enumerate(zip(tree.parents, tree.freedoms, strict=True), 1):
        eta.append(eta[parent] + n)
        tau[i] += 6 - n
        tau[parent] += 6 - n
    theta = tuple(n * d for n, d in zip(tree.freedoms, tree.depths(), strict=True))
    return Parameters(tuple(eta[1:]), (*tau[1:],), theta)


def estimate(method: Method, tree: Tree) -> int:
    """Return the estimate of a method for a tree."""
    return {"EMH": emh, "DAH": dah, "HZU": hzu}[method](tree)


def emh(tree: Tree) -> int:
    """Return the operations of the extended system, by the symmetric sweep."""
    # n^3/3 + 39 n^2/2 + 1105 n/6 + 864
    bodies = sum(_cubic((2, 117, 1105), n) + 864 for n in tree.freedoms)
    return bodies - (84 * tree.freedoms[0] + 660)


def dah(tree: Tree) -> int:
    """Return the operations of the system in the generalized velocities."""
    values = parameters(tree)
    # eta^3/3 + 17 eta^2/2 + 109 eta/6
    upto = (0, *(_cubic((2, 51, 109), eta_i) for eta_i in values.eta))
    bodies = sum(upto) + sum(42 * theta_i + 222 for theta_i in values.theta)
    return bodies - sum(upto[k] - 205 for k in tree.parents[1:])


def hzu(tree: Tree) -> int:
    """Return the operations of the system in the multipliers."""
    # tau^3/3 + 17 tau^2/2 + 361 tau/6 + 420, less m^3/3 + 5 m^2/2 + m/6 with m = 6 - n
    bodies = sum(_cubic((2, 51, 361), tau_i) + 420 for tau_i in parameters(tree).tau)
    return bodies - sum(_cubic((2, 15, 1), 6 - n) for n in tree.freedoms[1:]) - 48


def _cubic(sixths: tuple[int, int, int], x: int) -> int:
    """Return a x^3 + b x^2 + c x, where a, b and c are in sixths; it is whole for every x."""
    a, b, c = sixths
    return (a * x**3 + b * x**2 + c * x) // 6


def growth(method: Method, shape: Shape, freedoms: int) -> tuple[Fraction, int]:
    """Return coefficient and power of N in the leading term of an estimate for many bodies.

    Of a chain or a carousel; in a binary tree DAH grows as N and its logarithm.
    """
    if shape == "binary tree":
        message = "the estimates for a binary tree are no polynomials of the number of bodies"
        raise ValueError(message)
    # no estimate has a higher power than the third, so four sizes determine it
    sizes = (1, 2, 3, 4)
    values = [estimate(method, limit_system(shape, size, freedoms)) for size in sizes]
    coefficients = interpolate(sizes, values)
    return coefficients[-1], len(coefficients) - 1
