"""Pages of the recursive forms: what each sweep hands on, in the components that can move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mbx.expr.build import add, mul, neg
from mbx.expr.nodes import ZERO
from mbx.formalism.page.tree.articulated import Articulated, Letters
from mbx.formalism.page.tree.tree_page import TreePage
from mbx.formalism.page.tree.tree_sweeps import forces_of_motion

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page_model import PageOptions
    from mbx.system.system import System

__all__ = ["begin", "write_articulated", "write_end"]


def begin(system: System, equations: Equations, options: PageOptions, title: str) -> TreePage:
    """Begin a page of the links of a system, in their own axes."""
    tree = TreePage(system, equations, options, title)
    tree.begin(f"Links: {tree.chain}. Components are along and about the axes of each link.")
    return tree


def write_articulated(tree: TreePage, letters: Letters) -> None:
    """Write both sweeps of articulated bodies and the equations of motion."""
    page, model = tree.page, tree.model
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
    page.step("Forward sweep, ground to leaves", "accelerations.")
    sweeps.forward()
    page.drop_empty()
    write_end(tree, sweeps)


def write_end(tree: TreePage, sweeps: Articulated) -> None:
    """Write the equations of tied speeds and of speeds beside the tree, and all without names."""
    page, model = tree.page, tree.model
    P = tree.tree.P
    done = {u for j, u in enumerate(tree.tree.direct) if u is not None and j in sweeps.residuals}
    page.section("Equations of motion", *_reason(tree, len(done)))
    for u in range(len(model.u)):
        if u in done:
            continue
        forces = [mul(P[j][u], s) for j, s in sweeps.tied.items()]
        load = add(tree.load_on_speed(u), tree.force_of_constraints(u))
        tree.put((add(ZERO, *forces, neg(load)), ZERO), is_last=True)
    if model.rows or len(done) < len(model.u):
        rows = forces_of_motion(tree)
    else:
        order = {u: j for j, u in enumerate(tree.tree.direct) if u is not None}
        rows = [sweeps.residuals[order[u]] for u in range(len(model.u))]
    tree.finish(rows)


def _forward(tree: TreePage) -> str:
    turning = "angular velocities w"
    return f"{turning}, accelerations z of tied hinges." if tree.is_tied else f"{turning}."


def _reason(tree: TreePage, done: int) -> list[str]:
    if tree.model.rows:
        return ["the sweeps with the constraints, whose multipliers act as loads on the hinges."]
    if done < len(tree.model.u):
        return ["forces of tied hinges do no work in any motion that the speeds allow."]
    return ["the last sweep, without names."]
