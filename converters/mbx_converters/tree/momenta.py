"""Momenta of a tree: those of what hangs on each hinge, and those conjugate to its rates.

    mu_i = M_i v_i + sum C_j^T mu_j,    p_i = A_i^T mu_i                              (26), (27)

Equation numbers are those of Ivanov and Shimanovskiy. Forms in momenta take the rates of the
hinges from these: behind that step, speeds are what it gives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from mbx.base.errors import NotApplicableError
from mbx.expr.nodes import ZERO, number
from mbx.formalism.tree.closure import constraint_forces
from mbx.mechanics import energy, loads
from mbx_converters.tree.link_kinematics import turn
from mbx_converters.tree.link_loads import composite, on_hinges, on_links
from mbx_converters.tree.right_hand_sides import add_up, stack_hinges

if TYPE_CHECKING:
    from mbx.formalism.builder import Program
    from mbx.formalism.matrix_value import Matrix
    from mbx.formalism.tree.closure import Swept
    from mbx.mechanics.invariants import Levels
    from mbx.mechanics.motion import Motion
    from mbx.mechanics.tree.links import Links
    from mbx.mechanics.tree.ties import Ties
    from mbx_converters.tree.link_kinematics import ByLink, Hinges
    from mbx_converters.tree.right_hand_sides import Unknowns

__all__ = [
    "Gyroscopic",
    "carried_rates",
    "drifts",
    "gyroscopic_rates",
    "hamiltonian",
    "of_state",
    "rates",
    "refuse_accelerated",
    "replace_speeds",
    "results",
]

_HALF: Final = number(Fraction(1, 2))


def refuse_accelerated(motion: Motion) -> None:
    """Refuse loads that depend on accelerations: no momentum stands for what they add."""
    named = loads.accelerated(motion)
    if named:
        raise NotApplicableError(
            f"a load depends on accelerations, which momenta do not give ({', '.join(named)})"
        )


def of_state(p: Program, on: Hinges, M: ByLink, vs: ByLink) -> ByLink:
    """Add the momenta p of the hinges from the twists vs of the state, (21)."""
    p.begin("backward sweep, leaves to root: momenta of the state")
    momenta = {k: M[k] @ vs[k] for k, _ in on.links}
    mu = composite(p, on, momenta, "mus", "momentum of what hangs on the hinge of")
    return {
        k: p.let(f"p_{k}", on.A[k].T @ mu[k], f"momenta of the hinge of {on.link(k).path}, (21)")
        for k in on.free
    }


def drifts(p: Program, tree: Links) -> ByLink:
    """Add vr of the hinges that have such a twist, and of a link that stands still."""
    return {
        k: p.column(f"vr_{k}", link.vr, f"twist of {link.path} by time alone")
        for k, link in enumerate(tree.links, start=1)
        if any(x is not ZERO for x in link.vr) or (link.parent is None and not link.freedoms)
    }


def replace_speeds(p: Program, on: Hinges, zd: ByLink) -> None:
    """Replace the speeds by the rates zd of the hinges in all expressions from here on."""
    for k in on.free:
        for j, (rate,) in zip(on.link(k).own, p.entries(zd[k]), strict=True):
            u = on.tree.direct[j]
            if u is not None:
                p.replaced[on.tree.motion.u[u]] = rate


@dataclass(frozen=True, slots=True)
class Gyroscopic:
    """What the rates of momenta have without loads.

    Attributes:
        g: (A'^T - A^T Om) mu of each hinge that has rates.
        Omu: Om mu.
        Admu: A'^T mu of the hinges whose A changes.
    """

    g: dict[int, Matrix] = field(default_factory=dict)
    Omu: dict[int, Matrix] = field(default_factory=dict)
    Admu: dict[int, Matrix] = field(default_factory=dict)


def gyroscopic_rates(p: Program, on: Hinges, state: Unknowns) -> Gyroscopic:
    """Add g = (A'^T - A^T Om) mu, what p' of (23) has without loads."""
    p.begin("rates of the momenta without loads")
    made = Gyroscopic()
    for k in on.free:
        link, mu = on.link(k), state.y[k]
        Omu = made.Omu[k] = turn(p, f"Omu_{k}", state.x[k], mu, "Om mu")
        if any(x is not ZERO for row in link.Ad for x in row):
            meaning = f"rates of A of {link.path}"
            Ad = p.define(f"Ad_{k}", link.Ad, meaning, columns=link.names)
            made.Admu[k] = Ad.T @ mu
        AOmu = on.A[k].T @ Omu
        g = made.Admu[k] - AOmu if k in made.Admu else -AOmu
        made.g[k] = p.let(f"g_{k}", g, "(A'^T - A^T Om) mu")
    return made


def carried_rates(p: Program, on: Hinges, state: Unknowns, gyro: Gyroscopic) -> ByLink:
    """Add a_i = sum C'_j^T mu_j over what a link carries, by (16).

    C'_j^T mu_j = C_j^T Om_j mu_j - Om_i C_j^T mu_j
    """
    v, mu, Omu = state.x, state.y, dict(gyro.Omu)
    a = {}
    for k, _ in on.links:
        children = on.children(k)
        for j in children:
            if j not in Omu:
                Omu[j] = turn(p, f"Omu_{j}", v[j], mu[j], "Om mu")
        if children:
            carried = add_up([on.C[j].T @ mu[j] for j in children])
            muc = p.let(f"muc_{k}", carried, "momentum of what the link carries")
            Omuc = turn(p, f"Omuc_{k}", v[k], muc, "Om of it")
            turning = add_up([on.C[j].T @ Omu[j] for j in children])
            a[k] = p.let(f"a_{k}", turning - Omuc, "what the rates of C add to mu', (16)")
    return a


def rates(p: Program, on: Hinges, h: Matrix, gyro: Gyroscopic, name: str) -> ByLink:
    """Add the rates of the momenta by the loads alone, (23), and Fst, (20)."""
    Q = on_hinges(p, on, h)
    F = on_links(p, on, h)
    Fst = composite(p, on, F, "Fst", "loads on what hangs on the hinge of")
    pd = {}
    for k in on.free:
        meaning = f"rates of the momenta of the hinge of {on.link(k).path}, (23)"
        pd[k] = p.let(f"{name}_{k}", gyro.g[k] + on.A[k].T @ Fst[k] + Q[k], meaning)
    return pd


def results(
    p: Program,
    on: Hinges,
    levels: Levels,
    closing: Ties,
    closed: Swept,
    momenta: ByLink,
    M: ByLink,
    state: Unknowns,
) -> dict[str, Matrix]:
    """Add p, p', mu, H and the constraint forces, and the rates of the coordinates."""
    p.begin("momenta and rates of the whole tree")
    conjugate = stack_hinges(p, on, momenta, "p", "momenta")
    zd = stack_hinges(p, on, state.z, "zd", "rates of the hinges")
    pd = _rates_of_momenta(p, on, closing, closed)
    each_mu = [state.y[k] for k, _ in on.links]
    mu = p.let("mu", p.stack(*each_mu), "momenta of what hangs on the hinges")
    each_v = [state.x[k] for k, _ in on.links]
    v = p.let("v", p.stack(*each_v), "twists of all links")
    H = hamiltonian(p, on, momenta, M, state)
    made = {"ud": closed.ud, "pd": pd, "p": conjugate, "zd": zd, "mu": mu, "v": v, "H": H}
    system = on.tree.motion.system
    p.begin("constraint forces and rates of the coordinates")
    constrained = constraint_forces(p, levels, closed.lam)
    if system.q:
        qd = [system.qd[v.rate] for v in system.q]
        labels = [v.path for v in system.q]
        made["qd"] = p.column("qd", qd, "rates of the coordinates", rows=labels)
    return made | constrained


def _rates_of_momenta(p: Program, on: Hinges, closing: Ties, closed: Swept) -> Matrix:
    name = "pd" if closing.open else "pd0"
    pd = {k: p.find(f"{name}_{k}") for k in on.free}
    if closing.open:
        return stack_hinges(p, on, pd, name, "rates of the momenta")
    pd0 = stack_hinges(p, on, pd, name, "rates of the momenta without multipliers")
    Ctl = p.let("Ctl", p.find("Ct") @ closed.ties, "multipliers on the hinges")
    return p.let("pd", pd0 + Ctl, "rates of the momenta")


def hamiltonian(p: Program, on: Hinges, momenta: ByLink, M: ByLink, state: Unknowns) -> Matrix:
    """Add H = p^T z' - T + V; V is of what has a potential.

    p^T z' - T is the Poisson function; T = v^T M v/2.
    """
    pz = [momenta[k].T @ state.z[k] for k in on.free]
    p.begin("energies")
    half = p.define("half", [[_HALF]])
    v = state.x
    kinetic = [v[k].T @ M[k] @ v[k] @ half for k, _ in on.links]
    T = p.let("T", p.sum(kinetic), "kinetic energy, v^T M v/2")
    V = p.define("V", [[energy.potential(on.tree.motion)]], "potential energy")
    return p.let("H", (add_up(pz) - T if pz else -T) + V, "Hamiltonian, p^T z' - T + V")
