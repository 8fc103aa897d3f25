"""Pages of the recursive forms: what each sweep hands on, in the components that can move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, dot, sub
from mbx.expr.nodes import ZERO
from mbx.formalism.page.tree.articulated import Articulated, Letters, accelerations_words, write_end
from mbx.formalism.page.tree.tree_page import TreePage
from mbx.formalism.page.tree.tree_sweeps import (
    accelerations,
    composites,
    inertia_of_rates,
    named_rates,
    wrenches,
)

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System

__all__ = ["begin", "write_articulated", "write_composite", "write_newton_euler"]


def begin(system: System, equations: Equations, options: PageOptions, title: str) -> TreePage:
    """Begin a page of the links of a system, in their own axes."""
    tree = TreePage(system, equations, options, title)
    tree.begin(f"Links: {tree.chain}. Components are along and about the axes of each link.")
    return tree


def write_articulated(tree: TreePage, letters: Letters) -> None:
    """Write both sweeps of articulated bodies and the equations of motion."""
    page = tree.page
    tree.write_constraints()
    page.step("Forward sweep, ground to leaves", _forward(tree))
    tree.take("link", ("", "w"))
    sweeps = Articulated(tree, letters, tree.own_accelerations())
    page.drop_empty()
    page.step(
        "Backward sweep, leaves to ground",
        "inertia D, coupling U to the parent and force t of each hinge; the parent gets m and p.",
    )
    sweeps.backward()
    page.drop_empty()
    page.step("Forward sweep, ground to leaves", accelerations_words(tree))
    sweeps.forward()
    page.drop_empty()
    write_end(tree, sweeps)


def write_newton_euler(tree: TreePage) -> None:
    """Write motions forward, wrenches backward, and tau = Q."""
    page = tree.page
    tree.write_constraints()
    page.step(
        "Forward sweep, ground to leaves",
        "angular velocities w, accelerations a of the origins and e of what turns.",
    )
    tree.take("link", ("", "w"))
    a = accelerations(tree, tree.own_accelerations(), ("a", "e"))
    page.drop_empty()
    page.step(
        "Backward sweep, leaves to ground",
        "the wrench f that moves each link and what it carries, less loads; tau along the hinge.",
    )
    _, tau = wrenches(tree, a, "f")
    tau = named_rates(tree, "tau", tau)
    page.drop_empty()
    page.section("Equations of motion", "tau is what the loads on the hinges give.")
    rows = [sub(x, tree.load_on_speed(u)) for u, x in enumerate(tree.by_speeds(tau))]
    tree.finish(rows, rows)


def write_composite(tree: TreePage) -> None:
    """Write composite bodies, M by these, tau0 by a sweep without z'', and M z'' + tau0 = Q."""
    page = tree.page
    tree.write_constraints()
    page.step(
        "Composite bodies, leaves to ground",
        "inertia I of each link with all that it carries, hinges fixed.",
    )
    tree.take("link", ("", "w"))
    bodies = composites(tree, "I")
    page.drop_empty()
    page.step(
        "Inertia", "wrenches for unit accelerations of each hinge, along the hinges to the ground."
    )
    M = inertia_of_rates(tree, bodies, "M")
    page.drop_empty()
    page.step(
        "Forward and backward sweep without z''",
        "accelerations a, e by the rates, wrenches f, and tau0 along the hinges.",
    )
    zdd = tree.own_accelerations()
    a = accelerations(tree, None, ("a", "e"))
    _, tau = wrenches(tree, a, "f")
    tau = named_rates(tree, "tau0", tau)
    page.drop_empty()
    page.section("Equations of motion", "M z'' + tau0 is what the loads on the hinges give.")
    whole = [add(dot(row, zdd) if row else ZERO, x) for row, x in zip(M, tau, strict=True)]
    rows = [sub(x, tree.load_on_speed(u)) for u, x in enumerate(tree.by_speeds(whole))]
    tree.finish(rows, rows)


def _forward(tree: TreePage) -> str:
    turning = "angular velocities w"
    return f"{turning}, accelerations z of tied hinges." if tree.is_tied else f"{turning}."
