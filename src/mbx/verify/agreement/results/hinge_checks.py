"""Checks of what hinges of a tree have: momenta and their rates, twists, wrenches, joint rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.verify.agreement.reference.sized import Moving, Sized, cross, stack
from mbx.verify.agreement.results.examined_form import Difference
from mbx.verify.agreement.results.momentum_checks import check_potential
from mbx.verify.agreement.results.wrench_checks import (
    all_loads,
    carried,
    idle_halves,
    loads_on_links,
    loads_on_rates,
    loop_wrenches,
)

if TYPE_CHECKING:
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.verify.agreement.reference.tree_sums import Tree
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = [
    "check_energy",
    "check_joint_rows",
    "check_links",
    "check_momenta",
    "check_wrenches",
    "forces_on_hinges",
    "summed",
]

_LAMBDA: Final = "lambda:"
_CENTRED: Final = frozenset({"tree_hamilton_multipliers", "tree_lagrange_1"})
"""Forms whose links have their origins at the mass centres."""


def summed(tree: Tree, parts: list[Sized], k: int) -> Sized:
    """Return the sum over a link and all that it carries."""
    first, *rest = (parts[i] for i in tree.behind(k))
    for part in rest:
        first = first + part
    return first


def _momenta(subject: Subject) -> list[Moving]:
    """Return the momenta of what hangs on each hinge."""
    tree, momenta = subject.tree, subject.accelerated.momenta
    sums = []
    for k in range(len(tree.links.links)):
        now = summed(tree, [momentum.now for momentum in momenta], k)
        sums.append(Moving(now, summed(tree, [momentum.rate for momentum in momenta], k)))
    return sums


def _conjugate(subject: Subject) -> Moving:
    """Return the momenta conjugate to the rates of the tree."""
    tree = subject.tree
    parts = [
        tree.A[k].T @ momentum
        for k, momentum in enumerate(_momenta(subject))
        if tree.links.links[k].freedoms
    ]
    return Moving(stack([[x.now] for x in parts]), stack([[x.rate] for x in parts]))


def check_momenta(subject: Subject) -> Differences:
    """Compare p and p' with sums over bodies, z' with the speeds."""
    tree = subject.tree
    if not tree.zd.shape[1]:
        return
    M = tree.M.now
    identity = np.eye(M.shape[1], dtype=int) + 0 * M.value
    inverse = np.abs(subject.reference.source.solve(M.value, identity))
    p = _conjugate(subject)
    # rates from momenta: |M^-1| |p| is what rounding does to them (Skeel 1979); p has parts that
    # z' does not, where hinges move with time
    full = inverse.astype(np.float64) @ np.maximum(M.size @ tree.zd.size, p.now.size)
    yield Difference("z'", subject.result("zd") - tree.zd, full)
    yield Difference("p", subject.result("p") - p.now)
    gap = subject.result("pd") - p.rate
    gap = Sized(gap.value, gap.size + forces_on_hinges(subject))  # they are a sum of forces
    yield Difference("p'", gap, subject.coupling.in_rates(gap.size))


def _frame(subject: Subject, k: int) -> tuple[Sized, Sized]:
    """Return axes and origin of a link as the form takes them."""
    R, p = (x.now for x in subject.tree.pose(k))
    if subject.equations.formalism in _CENTRED:
        c = subject.reference.numbers("links")["c"][:, 3 * k : 3 * k + 3]
        p = p + R @ Sized.vectors(c)
    return R, p


def _in_link_axes(subject: Subject, k: int, six: Sized) -> Sized:
    """Return a momentum or a wrench at the origin of the ground in axes of a link, at it."""
    R, p = _frame(subject, k)
    return stack([[R.T @ six[:3]], [R.T @ (six[3:] - cross(p) @ six[:3])]])


def forces_on_hinges(subject: Subject) -> Array:
    """Return how large the forces of all loads on the rates of the tree are."""
    tree, loads = subject.tree, loads_on_links(subject)
    total = loads_on_rates(subject)
    for k, load in enumerate(loads):
        total = total + tree.paths[k].now.T @ load
    return total.size


def check_links(subject: Subject) -> Differences:
    """Compare momenta and twists of links, in link components at their origins."""
    tree = subject.tree
    momenta = [
        _in_link_axes(subject, k, momentum.now) for k, momentum in enumerate(_momenta(subject))
    ]
    gap = subject.result("mu") - stack([[x] for x in momenta])
    yield Difference("mu", gap, subject.coupling.of_links(gap.size))
    twists = []
    for k in range(len(tree.links.links)):
        R, p = _frame(subject, k)
        V = tree.V[k].now
        twists += [[R.T @ (V[:3] - cross(p) @ V[3:])], [R.T @ V[3:]]]
    gap = subject.result("v") - stack(twists)
    yield Difference("v", gap, subject.coupling.of_links(gap.size, twists=True))


def check_energy(subject: Subject) -> Differences:
    """Compare H with p^T z' - T + V."""
    tree = subject.tree
    half = Sized.of(np.full((1, 1, 1), 0.5))
    total = Sized.of(subject.reference.numbers("energies")["V"])
    for momentum, V in zip(subject.accelerated.momenta, tree.V, strict=True):
        total = total - (V.now.T @ momentum.now).scaled(half)
    if tree.zd.shape[1]:
        total = total + _conjugate(subject).now.T @ tree.zd
    yield Difference("H", subject.result("H") - total)
    yield from check_potential(subject.reference)


def _over_hinges(subject: Subject, loads: list[Sized]) -> list[Sized]:
    """Return what each hinge hands on: inertia less loads of all behind it, at the origin."""
    tree = subject.tree
    left = [
        momentum.rate - load
        for momentum, load in zip(subject.accelerated.momenta, loads, strict=True)
    ]
    return [summed(tree, left, k) for k in range(len(left))]


def check_wrenches(subject: Subject) -> Differences:
    """Compare R with inertia less loads and loops of all that hangs on a hinge."""
    every = all_loads(subject) + loop_wrenches(subject)
    over = _over_hinges(subject, _with_idle(subject, carried(subject, every), every))
    wrenches = [_in_link_axes(subject, k, six) for k, six in enumerate(over)]
    gap = subject.result("R") - stack([[x] for x in wrenches])
    yield Difference("R", gap, subject.coupling.of_links(gap.size))


def _with_idle(subject: Subject, acting: list[Sized], every: Sized) -> list[Sized]:
    """Return loads on links with the halves that placements take whole."""
    return [a + b for a, b in zip(acting, idle_halves(subject, every), strict=True)]


def check_joint_rows(subject: Subject) -> Differences:
    """Compare lambda with the wrench over the hinge, on what the hinge does not let happen."""
    tree = subject.tree
    every = all_loads(subject) + loop_wrenches(subject)
    is_open = subject.reference.programs.closing.open
    acting = loads_on_links(subject) if is_open else carried(subject, every)
    over = _over_hinges(subject, _with_idle(subject, acting, every))
    across = subject.reference.programs.across
    numbers = subject.reference.numbers("joints")
    for k, link in enumerate(tree.links.links):
        meaning = f"{_LAMBDA}{link.path}"
        if not subject.has(meaning):
            continue
        R, p = (x.now for x in tree.pose(k))
        s = R @ Sized.vectors(numbers["s"][:, 3 * k : 3 * k + 3])
        force = over[k][:3]
        torque = over[k][3:] - cross(p + s) @ force
        if across[k].own is None:
            Z = Sized.of(subject.numbers(f"Z_{k + 1}"))
        else:
            Z = Sized.of(numbers[f"Y_{k + 1}"])
        rows = [[Z.T @ stack([[R.T @ force], [R.T @ torque]])]]
        rows = [[force], *rows] if across[k].linear else rows
        rows = [*rows, [torque]] if across[k].angular else rows
        yield Difference(meaning, subject.result(meaning) + stack(rows))
