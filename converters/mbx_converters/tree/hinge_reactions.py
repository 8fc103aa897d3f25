"""What the hinges of a tree transmit, and from it the reactions that people ask for.

    R_i = M_i v'_i + G_i - F_i - L_i lam + sum C_j^T R_j            row 1 of (33), leaves first

Joints that close loops act on their bodies; any other invariant acts on the rates of hinges,
which transmit it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from mbx.expr.build import neg
from mbx.expr.matrix import NULL, skew
from mbx.expr.nodes import ZERO
from mbx.expr.walk import ordered
from mbx.formalism.program import Step
from mbx.mechanics import reactions
from mbx.system.features import Feature
from mbx_converters.tree.right_hand_sides import Terms, added
from mbx_converters.tree.transmitted import Transmitted
from mbx_converters.tree.wrench_transfer import arm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.named_program import NamedProgram
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.tree.links import Links

__all__ = ["Closed", "hinge_wrenches", "reported"]

_HALVES: Final = (("v", range(3)), ("w", range(3, 6)))
"""The links of an element that is known by its twist, and their rows of a wrench."""


@dataclass(frozen=True, slots=True)
class Closed:
    """Names of what is known of a closed tree: z'', ud, multipliers; and the reactions y."""

    zdd: str
    ud: str
    lam: str
    named: tuple[Node, ...]


def hinge_wrenches(p: NamedProgram, tree: Links, levels: Levels, closed: Closed) -> None:
    """Add v' and R of all links, with multipliers and all loads."""
    held = Transmitted(tree, levels)
    p.begin("forward sweep, root to leaves: acceleration of each link")
    for k, link in enumerate(tree.links, start=1):
        terms = [f"c_{k}"]
        if link.parent is not None:
            terms.append(p.product(f"Cvd_{k}", f"C_{k}", f"vd_{link.parent + 1}"))
        if link.freedoms:
            p.rows(f"zdd_{k}", closed.zdd, link.own)
            terms.append(p.product(f"Azdd_{k}", f"A_{k}", f"zdd_{k}"))
        p.sum(f"vd_{k}", *terms, meaning=f"acceleration of {link.path}")
    p.begin("backward sweep, leaves to root: reaction on each link")
    for k in reversed(range(1, len(tree.links) + 1)):
        link = tree.links[k - 1]
        acting, by = held.on_link(k - 1)
        p.product(f"Mvd_{k}", f"M_{k}", f"vd_{k}")
        terms = [f"Mvd_{k}", f"G_{k}", _column(p, tree, closed, f"FR_{k}", acting)]
        signs = [1, 1, -1]
        if _any(by):
            p.define(f"WL_{k}", by, f"loops on {link.path}", columns=_names(levels))
            terms.append(p.product(f"WLlam_{k}", f"WL_{k}", closed.lam))
            signs.append(-1)
        for j in tree.children[k - 1]:
            terms.append(p.product(f"CR_{j + 1}", f"Ct_{j + 1}", f"R_{j + 1}"))
            signs.append(1)
        p.sum(f"R_{k}", *terms, signs=tuple(signs), meaning=f"reaction on {link.path}")


def _column(
    p: NamedProgram, tree: Links, closed: Closed, name: str, entries: Sequence[Node]
) -> str:
    """Add a column of expressions that may name accelerations and reactions."""
    used = set(ordered(entries))
    args: list[str] = []
    symbols: list[Node] = []
    if not used.isdisjoint(tree.motion.ud):
        args.append(closed.ud)
        symbols += tree.motion.ud
    if not used.isdisjoint(closed.named):
        args.append("y")
        symbols += closed.named
    return p.add(
        Step(
            name=name,
            op="define",
            args=tuple(args),
            symbols=tuple(symbols),
            entries=tuple((x,) for x in entries),
            size=(len(entries), 1),
            meaning="all loads",
        )
    )


def reported(p: NamedProgram, tree: Links, levels: Levels, closed: Closed) -> dict[str, str]:
    """Add the reactions from R, and what of them is not unique."""
    p.begin("reactions")
    motion = tree.motion
    every = replace(levels, rows=(*levels.rows, *motion.system.idle))
    held = Transmitted(tree, every)
    p.block("R", [[f"R_{k}"] for k in range(1, len(tree.links) + 1)], "reactions of all hinges")
    results = {"R": "R"}
    free = _free(p, levels, every)
    if free:
        _open_wrenches(p, tree, held, free)
    _frames(p, tree)
    unsure = reactions.unsure(motion)
    if Feature.GENERALIZED_LOAD in motion.system.features:  # what carries it is not known
        unsure = set(range(len(motion.elements)))
    unsure |= _carrying_others(tree)
    place = {link.path: k for k, link in enumerate(tree.links, start=1)}
    for k, holder in enumerate(reactions.holders(motion)):
        if k in unsure:
            continue
        path, name = motion.elements[k].path, f"X_{k + 1}"
        results[f"reaction:{holder.path}"] = name
        results[f"open:{holder.path}"] = f"{name}o"
        if path in tree.bare:
            _of_bare(p, held, closed, k, free)
            continue
        if not motion.elements[k].element.placed:
            _of_twist(p, held, closed, k, free)
            continue
        link = place[path]
        _asked(p, tree, link, name, "R", f"reaction {holder.path}")
        if free:
            _asked(p, tree, link, f"{name}o", "Ro", "")
        else:
            rows = 3 if motion.elements[k].element.w_own is None else 6
            p.define(f"{name}o", [[] for _ in range(rows)])
    for k, (path, six) in enumerate(reactions.loop_wrenches(every).items(), start=1):
        m, names = len(levels.rows), _names(every)
        meaning = f"reaction {path} by the multipliers"
        p.define(f"Y_{k}", [line[:m] for line in six], meaning, columns=names[:m])
        p.product(f"XL_{k}", f"Y_{k}", closed.lam, meaning=f"reaction {path}")
        p.define(f"YI_{k}", six, columns=names)
        p.product(f"XLo_{k}", f"YI_{k}", free)
        results |= {f"reaction:{path}": f"XL_{k}", f"open:{path}": f"XLo_{k}"}
    return results


def _carrying_others(tree: Links) -> set[int]:
    """Return the mass elements that carry, in the tree, what their holders do not name.

    The model says such a thing from a frame that the element is a part of, and not what holds
    it: how much of its load is the element's is not known.
    """
    motion = tree.motion
    index = {moving.path: k for k, moving in enumerate(motion.elements)}
    parents = [holder.parent for holder in reactions.holders(motion)]
    found: set[int] = set()
    for link in tree.links:
        up = link.parent
        if up is None or parents[index[link.moving.path]] == index[tree.links[up].moving.path]:
            continue
        found |= {index[tree.links[k].moving.path] for k in tree.path(up)}
    return found


def _free(p: NamedProgram, levels: Levels, every: Levels) -> str:
    """Add the multipliers, of idle rows too, that do nothing to the motion; "": none could."""
    idle = len(every.rows) - len(levels.rows)
    if not every.rows:
        return ""
    if not idle:
        return p.nullspace("lamo", "Aut", meaning="multipliers that do nothing")
    p.identity("EI", idle)
    if not levels.rows:
        return "EI"
    p.nullspace("lamn", "Aut", meaning="multipliers that do nothing")
    return p.block("lamo", [["lamn", None], [None, "EI"]])


def _open_wrenches(p: NamedProgram, tree: Links, held: Transmitted, free: str) -> None:
    """Add Ro: what free multipliers do to the wrenches R."""
    names = _names(held.every)
    for k in reversed(range(1, len(tree.links) + 1)):
        _, by = held.on_link(k - 1)
        p.define(f"WLo_{k}", [[neg(x) for x in row] for row in by], columns=names)
        terms = [p.product(f"WLfree_{k}", f"WLo_{k}", free)]
        terms += [
            p.product(f"CRo_{j + 1}", f"Ct_{j + 1}", f"Ro_{j + 1}") for j in tree.children[k - 1]
        ]
        p.sum(f"Ro_{k}", *terms)


def _of_twist(p: NamedProgram, held: Transmitted, closed: Closed, k: int, free: str) -> None:
    """Add the reaction on an element that is known by its twist: one link a half, or none.

    A half without inertia is no link: its reaction is minus what acts on it.
    """
    place = {link.path: j for j, link in enumerate(held.tree.links, start=1)}
    moving, name = held.elements[k], f"X_{k + 1}"
    acting, by = held.on_holder(k)
    closed_by, left_open = [], []
    halves = (("v", range(3)),) if moving.element.w_own is None else _HALVES
    for half, rows in halves:
        j = place.get(f"{moving.path}.{half}")
        if j is not None:
            closed_by.append(p.rows(f"{name}{half}", f"R_{j}", rows))
            left_open += [p.rows(f"{name}{half}o", f"Ro_{j}", rows)] if free else []
            continue
        minus = [neg(acting[i]) for i in rows]
        closed_by.append(_column(p, held.tree, closed, f"{name}{half}", minus))
        if free:
            minus_by = [[neg(x) for x in by[i]] for i in rows]
            p.define(f"{name}{half}l", minus_by, columns=_names(held.every))
            left_open.append(p.product(f"{name}{half}o", f"{name}{half}l", free))
    meaning = f"reaction {reactions.holders(held.tree.motion)[k].path}"
    p.block(name, [[part] for part in closed_by], meaning)
    if free:
        p.block(f"{name}o", [[part] for part in left_open])
    else:
        p.define(f"{name}o", [[] for _ in range(3 * len(halves))])


def _asked(p: NamedProgram, tree: Links, k: int, name: str, of: str, meaning: str) -> None:
    """Add a reaction from the wrench of the link of a mass element."""
    link = tree.links[k - 1]
    element = link.moving.element
    force = p.rows(f"{name}F", f"{of}_{k}", range(3))
    in_ground = p.product(f"{name}f", f"W_{k}", force)
    if element.w_own is None:
        p.block(name, [[in_ground]], meaning)
        return
    turn = p.rows(f"{name}T", f"{of}_{k}", range(3, 6))
    jointed = element.joint is not None and element.frame is not None
    terms: Terms = [(f"W_{k}", turn) if jointed else (turn,)]
    if arm(link) is not NULL:
        terms.append((f"arm_{k}", in_ground if jointed else force))
    p.block(name, [[in_ground], [added(p, f"{name}t", *terms)]], meaning)


def _frames(p: NamedProgram, tree: Links) -> None:
    """Add the axes of the links in the ground, and the levers of reactions."""
    for k, link in enumerate(tree.links, start=1):
        if link.frame is None:
            continue
        p.define(f"W_{k}", link.R_W, f"axes of {link.path} in the ground")
        if arm(link) is not NULL:
            p.define(f"arm_{k}", skew(arm(link)), f"lever of the reaction on {link.path}")


def _of_bare(p: NamedProgram, held: Transmitted, closed: Closed, k: int, free: str) -> None:
    """Add the reaction on a mass element without inertia: minus what acts on it."""
    acting, by = held.on_holder(k)
    name, names = f"X_{k + 1}", _names(held.every)
    m = len(held.every.rows) - len(held.tree.motion.system.idle)
    minus = [neg(x) for x in acting]
    parts = [_column(p, held.tree, closed, f"{name}f", minus)]
    p.define(f"{name}l", [[neg(x) for x in row[:m]] for row in by], columns=names[:m])
    parts.append(p.product(f"{name}ll", f"{name}l", closed.lam))
    p.sum(name, *parts, meaning=f"reaction on {held.elements[k].path}")
    if not free:
        p.define(f"{name}o", [[] for _ in acting])
        return
    p.define(f"{name}lo", [[neg(x) for x in row] for row in by], columns=names)
    p.product(f"{name}o", f"{name}lo", free)


def _any(rows: Sequence[Sequence[Node]]) -> bool:
    return any(x is not ZERO for row in rows for x in row)


def _names(levels: Levels) -> list[str]:
    return [row.path for row in levels.rows]
