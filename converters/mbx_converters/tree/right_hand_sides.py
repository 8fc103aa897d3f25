"""Right-hand sides of equations with the matrix M_Sigma of a tree, (32), and their unknowns.

    M x - S^T y = -a
    S x = A z + b
    A^T y = e

At the level of velocities, (22): x = v, y = mu, z = z', b = vr, e = p. At the level of
accelerations, (33): x = v', y = R, z = z'', a = G - F, b = c, e = Q.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx_converters.tree.link_kinematics import ByLink, Hinges

__all__ = ["Request", "Solver", "Unknowns", "add_up", "gather", "move", "response", "stack_hinges"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Right-hand sides, and the names of the unknowns, to which the number of a link is added.

    Attributes:
        x: Twists, or rates of these; "": not wanted.
        z: Rates of the hinges, or rates of these.
        y: Momenta or wrenches over the hinges; "": not wanted.
        a: The right-hand sides a that are not zero.
        b: Likewise.
        e: Those of all hinges that have rates.
        mark: In front of the names of all steps between.
        meanings: What x, y and z are.
    """

    x: str
    z: str
    y: str = ""
    a: ByLink = field(default_factory=dict)
    b: ByLink = field(default_factory=dict)
    e: ByLink
    mark: str = ""
    meanings: tuple[str, str, str] = ("", "", "")


@dataclass(frozen=True, slots=True)
class Unknowns:
    """The unknowns x, y and z of each link; none of x and y where they are not wanted or zero."""

    x: dict[int, Matrix] = field(default_factory=dict)
    y: dict[int, Matrix] = field(default_factory=dict)
    z: dict[int, Matrix] = field(default_factory=dict)


class Solver(Protocol):
    """A factorization of M_Sigma."""

    def sweep(self, p: Program, request: Request, /) -> Unknowns:
        """Add the unknowns of one right-hand side, or of many side by side."""


def response(p: Program, on: Hinges, solver: Solver, F: Matrix, name: str) -> Matrix:
    """Add `name` = D^-1 F: accelerations by forces on the rates alone, a column each."""
    e = {k: p.let(f"{name}e_{k}", F.rows(on.link(k).own)) for k in on.free}
    meanings = ("answer of", "", "answer of the hinge of")
    request = Request(x=f"{name}x", z=f"{name}z", e=e, mark=name, meanings=meanings)
    return stack_hinges(p, on, solver.sweep(p, request).z, name)


def stack_hinges(p: Program, on: Hinges, of: ByLink, name: str, meaning: str = "") -> Matrix:
    """Add one column of the columns of all hinges."""
    if not on.free:
        return p.column(name, [], meaning)
    return p.let(name, p.stack(*(of[k] for k in on.free)), meaning)


def add_up(terms: Sequence[Matrix]) -> Matrix:
    """Return the sum of one matrix or more; one alone is itself."""
    return reduce(add, terms)


def gather(
    p: Program,
    request: Request,
    k: int,
    carried: Sequence[Matrix],
    f: dict[int, Matrix],
    Mst: ByLink,
) -> Matrix | None:
    """Note f of a link, a and what its children hand on; return f + Mst b, None if it is zero."""
    a = [request.a[k]] if k in request.a else []
    if carried:
        f[k] = p.let(f"{request.mark}f_{k}", add_up([*a, *carried]))
    elif a:
        f[k] = request.a[k]
    if k not in request.b:
        return f.get(k)
    Mb = Mst[k] @ request.b[k]
    return p.let(f"{request.mark}fb_{k}", f[k] + Mb if k in f else Mb)


def move(
    p: Program,
    request: Request,
    k: int,
    path: str,
    terms: Sequence[Matrix],
    f: ByLink,
    Mst: ByLink,
    unknowns: Unknowns,
) -> None:
    """Note x of a link, its terms and b, and y = Mst x + f if that is wanted."""
    of_x, of_y, _ = request.meanings
    terms = [*terms, request.b[k]] if k in request.b else terms
    if not terms:
        return
    x = unknowns.x[k] = p.let(f"{request.x}_{k}", add_up(terms), f"{of_x} {path}")
    if request.y:
        Mx = Mst[k] @ x
        unknowns.y[k] = p.let(f"{request.y}_{k}", Mx + f[k] if k in f else Mx, f"{of_y} {path}")
