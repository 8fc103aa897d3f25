"""What is asked of the matrix M_Sigma of a tree, (32): right-hand sides, and names of unknowns.

    M x - S^T y = -a
    S x = A z + b
    A^T y = e

At the level of velocities, (22): x = v, y = mu, z = z', b = vr, e = p. At the level of
accelerations, (33): x = v', y = R, z = z'', a = G - F, b = c, e = Q.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.tree.links import Links

__all__ = [
    "Ask",
    "Solver",
    "Terms",
    "added",
    "gathered",
    "hinged",
    "moved",
    "response",
    "stacked",
]

Terms = list[tuple[str, ...]]
"""Products of matrices, each by the names of its factors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Names of what is given and of what is found; those of a link end with its number.

    Attributes:
        x: Twists, or rates of these.
        z: Rates of the hinges, or rates of these.
        y: Momenta or wrenches over the hinges; "": not wanted.
        a: Names of the right-hand sides a by the number of the link; none is zero.
        b: Likewise.
        e: Likewise, of all hinges that have rates.
        mark: In front of the names of all steps between.
        meanings: What x, y and z are.
    """

    x: str
    z: str
    y: str = ""
    a: Mapping[int, str] = field(default_factory=dict)
    b: Mapping[int, str] = field(default_factory=dict)
    e: Mapping[int, str]
    mark: str = ""
    meanings: tuple[str, str, str] = ("", "", "")


class Solver(Protocol):
    """A way to solve with M_Sigma: a factorization, and what it does to right-hand sides."""

    def factors(self, p: NamedProgram, tree: Links, /) -> None:
        """Add what does not depend on right-hand sides."""

    def sweep(self, p: NamedProgram, tree: Links, ask: Ask, /) -> None:
        """Add the unknowns of one right-hand side, or of many side by side."""


def hinged(tree: Links) -> list[int]:
    """Return the numbers of the links whose hinges have rates."""
    return [k for k, link in enumerate(tree.links, start=1) if link.freedoms]


def response(p: NamedProgram, tree: Links, solver: Solver, F: str, name: str) -> str:
    """Add `name` = D^-1 F: accelerations by forces on the rates alone, a column each."""
    e = {k: p.rows(f"{name}e_{k}", F, tree.links[k - 1].own) for k in hinged(tree)}
    meanings = ("answer of", "", "answer of the hinge of")
    ask = Ask(x=f"{name}x", z=f"{name}z", e=e, mark=name, meanings=meanings)
    solver.sweep(p, tree, ask)
    return stacked(p, tree, f"{name}z", name)


def stacked(p: NamedProgram, tree: Links, of: str, name: str, meaning: str = "") -> str:
    """Add one column of the columns of all hinges."""
    hinges = hinged(tree)
    if not hinges:
        return p.column(name, [], meaning)
    return p.block(name, [[f"{of}_{k}"] for k in hinges], meaning)


def added(
    p: NamedProgram,
    name: str,
    *terms: tuple[str, ...],
    signs: tuple[int, ...] = (),
    meaning: str = "",
) -> str:
    """Add a sum of products, each a tuple of factors, without steps that only rename."""
    signs = signs or (1,) * len(terms)
    if len(terms) == 1 and len(terms[0]) > 1 and signs == (1,):
        return p.product(name, *terms[0], meaning=meaning)
    parts = [
        p.product(f"{name}_{i}", *term) if len(term) > 1 else term[0]
        for i, term in enumerate(terms, start=1)
    ]
    return p.sum(name, *parts, signs=signs, meaning=meaning)


def gathered(p: NamedProgram, ask: Ask, k: int, terms: Terms, f: dict[int, str]) -> str:
    """Note f of a link, a and what its children hand on; return f + Mst b, "" if it is zero."""
    if terms:
        alone = terms == [(ask.a.get(k),)]
        f[k] = terms[0][0] if alone else added(p, f"{ask.mark}f_{k}", *terms)
    known = f.get(k, "")
    if k not in ask.b:
        return known
    own: Terms = [(known,)] if known else []
    return added(p, f"{ask.mark}fb_{k}", *own, (f"Mst_{k}", ask.b[k]))


def moved(
    p: NamedProgram,
    ask: Ask,
    k: int,
    path: str,
    terms: Terms,
    f: Mapping[int, str],
    found: dict[int, str],
) -> None:
    """Note x of a link, its terms and b, and add y = Mst x + f if that is wanted."""
    of_x, of_y, _ = ask.meanings
    terms = [*terms, (ask.b[k],)] if k in ask.b else terms
    if not terms:
        return
    found[k] = added(p, f"{ask.x}_{k}", *terms, meaning=f"{of_x} {path}")
    if ask.y:
        rest: Terms = [(f[k],)] if k in f else []
        added(p, f"{ask.y}_{k}", (f"Mst_{k}", found[k]), *rest, meaning=f"{of_y} {path}")
