"""Momenta of a tree: those of what hangs on each hinge, and those conjugate to its rates.

    mu_i = M_i v_i + sum C_j^T mu_j,    p_i = A_i^T mu_i                              (26), (27)

Equation numbers are those of Ivanov and Shimanovskiy. Forms in momenta take the rates of the
hinges from these: behind that step, speeds are what it found.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.nodes import ZERO, number
from mbx.expr.subs import substitute
from mbx.expr.walk import ordered
from mbx.formalism.tree.named_closure import constraint_forces
from mbx.mechanics import energy, loads
from mbx_converters.tree.link_kinematics import turned
from mbx_converters.tree.link_loads import composite, on_hinges, on_links
from mbx_converters.tree.right_hand_sides import Terms, added, hinged, stacked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.named_program import NamedProgram
    from mbx.formalism.program import Step
    from mbx.formalism.tree.named_closure import Swept
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.ties import Ties

__all__ = [
    "carried_rates",
    "drifts",
    "gyroscopic_rates",
    "hamiltonian",
    "of_state",
    "rates",
    "refuse_accelerated",
    "results",
    "swept",
    "turning",
]

_HALF: Final = number(Fraction(1, 2))


def refuse_accelerated(motion: Motion) -> None:
    """Refuse loads that depend on accelerations: no momentum stands for what they add."""
    named = loads.accelerated(motion)
    if named:
        raise NotApplicableError(
            f"a load depends on accelerations, which momenta do not give ({', '.join(named)})"
        )


def of_state(p: NamedProgram, tree: Links) -> dict[int, str]:
    """Add the momenta p of the hinges from the twists vs of the state, (21)."""
    p.begin("backward sweep, leaves to root: momenta of the state")
    momenta = {k: p.product(f"Mvs_{k}", f"M_{k}", f"vs_{k}") for k in range(1, len(tree.links) + 1)}
    composite(p, tree, momenta, "mus", "momentum of what hangs on the hinge of")
    return {
        k: p.product(
            f"p_{k}", f"At_{k}", f"mus_{k}", meaning=f"momenta of the hinge of {link.path}, (21)"
        )
        for k, link in enumerate(tree.links, start=1)
        if link.freedoms
    }


def drifts(p: NamedProgram, tree: Links) -> dict[int, str]:
    """Add vr of the hinges that have such a twist, and of a link that stands still."""
    return {
        k: p.column(f"vr_{k}", link.vr, f"twist of {link.path} by time alone")
        for k, link in enumerate(tree.links, start=1)
        if any(x is not ZERO for x in link.vr) or (link.parent is None and not link.freedoms)
    }


def gyroscopic_rates(p: NamedProgram, tree: Links) -> None:
    """Add g = (A'^T - A^T Om) mu, what p' of (23) has without loads."""
    p.begin("rates of the momenta without loads")
    changing = turning(tree)
    for k in hinged(tree):
        link = tree.links[k - 1]
        turned(p, f"Omu_{k}", f"v_{k}", f"mu_{k}", "Om mu")
        terms, signs = [(f"At_{k}", f"Omu_{k}")], [-1]
        if k in changing:
            p.define(f"Ad_{k}", link.Ad, f"rates of A of {link.path}", columns=link.names)
            p.transpose(f"Adt_{k}", f"Ad_{k}")
            terms.insert(0, (f"Adt_{k}", f"mu_{k}"))
            signs.insert(0, 1)
        added(p, f"g_{k}", *terms, signs=tuple(signs), meaning="(A'^T - A^T Om) mu")


def turning(tree: Links) -> list[int]:
    """Return the numbers of the links whose hinges have an A that changes."""
    return [
        k for k in hinged(tree) if any(x is not ZERO for row in tree.links[k - 1].Ad for x in row)
    ]


def carried_rates(p: NamedProgram, tree: Links) -> dict[int, str]:
    """Add a_i = sum C'_j^T mu_j over what a link carries, by (16); it needs Om mu of hinges.

    C'_j^T mu_j = C_j^T Om_j mu_j - Om_i C_j^T mu_j
    """
    found: dict[int, str] = {}
    for k in range(1, len(tree.links) + 1):
        carried = [j + 1 for j in tree.children[k - 1]]
        for j in carried:
            if not tree.links[j - 1].freedoms:
                turned(p, f"Omu_{j}", f"v_{j}", f"mu_{j}", "Om mu")
        if carried:
            terms: Terms = [(f"Ct_{j}", f"mu_{j}") for j in carried]
            added(p, f"muc_{k}", *terms, meaning="momentum of what the link carries")
            turned(p, f"Omuc_{k}", f"v_{k}", f"muc_{k}", "Om of it")
            terms = [(f"Ct_{j}", f"Omu_{j}") for j in carried]
            signs = (*(1 for _ in carried), -1)
            meaning = "what the rates of C add to mu', (16)"
            found[k] = added(p, f"a_{k}", *terms, (f"Omuc_{k}",), signs=signs, meaning=meaning)
    return found


def rates(p: NamedProgram, tree: Links, h: str, name: str) -> None:
    """Add the rates of the momenta by the loads alone, (23), and Fst, (20)."""
    Q = on_hinges(p, tree, h)
    composite(p, tree, on_links(p, tree, h), "Fst", "loads on what hangs on the hinge of")
    for k in hinged(tree):
        meaning = f"rates of the momenta of the hinge of {tree.links[k - 1].path}, (23)"
        terms = [(f"g_{k}",), (f"At_{k}", f"Fst_{k}"), (Q[k],)]
        added(p, f"{name}_{k}", *terms, meaning=meaning)


def results(
    p: NamedProgram, tree: Links, levels: Levels, closing: Ties, closed: Swept
) -> dict[str, str]:
    """Add p, p', mu, H and the constraint forces, and the rates of the coordinates."""
    p.begin("momenta and rates of the whole tree")
    stacked(p, tree, "p", "p", "momenta")
    stacked(p, tree, "zd", "zd", "rates of the hinges")
    if closing.open:
        stacked(p, tree, "pd", "pd", "rates of the momenta")
    else:
        stacked(p, tree, "pd0", "pd0", "rates of the momenta without multipliers")
        p.product("Ctl", "Ct", closed.ties, meaning="multipliers on the hinges")
        p.sum("pd", "pd0", "Ctl", meaning="rates of the momenta")
    N = len(tree.links)
    p.block("mu", [[f"mu_{k}"] for k in range(1, N + 1)], "momenta of what hangs on the hinges")
    p.block("v", [[f"v_{k}"] for k in range(1, N + 1)], "twists of all links")
    hamiltonian(p, tree)
    system = tree.motion.system
    p.begin("constraint forces and rates of the coordinates")
    constrained = constraint_forces(p, levels, closed.lam)
    found = {name: name for name in ("pd", "p", "zd", "mu", "v", "H")}
    if system.q:
        said = [system.qd[v.rate] for v in system.q]
        found["qd"] = p.column(
            "qd", said, "rates of the coordinates", rows=[v.path for v in system.q]
        )
    return {"ud": closed.ud, **found, **constrained}


def hamiltonian(p: NamedProgram, tree: Links) -> str:
    """Add H = p^T z' - T + V, from p_k, zd_k, v_k and mu_k; V is of what has a potential.

    p^T z' - T is the Poisson function; T = v^T M v/2.
    """
    terms = []
    for k in hinged(tree):
        p.transpose(f"pt_{k}", f"p_{k}")
        terms.append(p.product(f"pz_{k}", f"pt_{k}", f"zd_{k}"))
    p.begin("energies")
    p.define("half", [[_HALF]])
    T = []
    for k in range(1, len(tree.links) + 1):
        p.transpose(f"vt_{k}", f"v_{k}")
        T.append(p.product(f"T_{k}", f"vt_{k}", f"M_{k}", f"v_{k}", "half"))
    p.sum("T", *T, meaning="kinetic energy, v^T M v/2")
    p.define("V", [[energy.potential(tree.motion)]], "potential energy")
    signs = (*(1 for _ in terms), -1, 1)
    return p.sum("H", *terms, "T", "V", signs=signs, meaning="Hamiltonian, p^T z' - T + V")


def swept(p: NamedProgram, tree: Links, start: int) -> None:
    """Put the rates zd_k of the hinges into the place of the speeds, from some step on."""
    at: dict[Node, tuple[str, Node]] = {}
    for k, link in enumerate(tree.links, start=1):
        if not link.freedoms:
            continue
        for j, (entry,) in zip(link.own, p.entries(f"zd_{k}"), strict=True):
            u = tree.direct[j]
            if u is not None:
                at[tree.motion.u[u]] = (f"zd_{k}", entry)
    own = {f"zd_{k}": tuple(row[0] for row in p.entries(f"zd_{k}")) for k in hinged(tree)}
    p.edit(start, lambda step: _in_rates(step, at, own))


def _in_rates(
    step: Step, at: Mapping[Node, tuple[str, Node]], own: Mapping[str, tuple[Node, ...]]
) -> Step:
    if step.op == "implicit":
        return replace(step, steps=tuple(_in_rates(one, at, own) for one in step.steps))
    if step.op != "define":
        return step
    used = [node for node in ordered([x for row in step.entries for x in row]) if node in at]
    if not used:
        return step
    names = [n for n in dict.fromkeys(at[node][0] for node in used) if n not in step.args]
    said = {node: at[node][1] for node in used}
    return replace(
        step,
        entries=tuple(tuple(substitute(row, said)) for row in step.entries),
        args=(*step.args, *names),
        symbols=(*step.symbols, *(s for n in names for s in own[n])),
    )
