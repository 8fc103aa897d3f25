"""The page of recursive forward dynamics: nodes at mass centres, in the axes of the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.formalism.page.tree.articulated import Articulated, Letters, accelerations_words, write_end
from mbx.formalism.page.tree.tree_page import TreePage

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page
    from mbx.formalism.page.page_options import PageOptions
    from mbx.system.system import System

__all__ = ["write_page"]

_LETTERS: Final = Letters("Λ", "K", "η", "Mhat", "fhat", ("a", "e"), is_load=True)


def write_page(system: System, equations: Equations, options: PageOptions) -> Page:
    """Return what each node hands on, freed of its hinge, and the accelerations, (8) to (12)."""
    tree = TreePage(system, equations, options, "Recursive forward dynamics")
    page = tree.page
    tree.begin(
        f"Nodes: {tree.chain}, each with its mass centre, in the axes of the ground: x, y, z, and "
        "n, or l, m, n, of what turns.",
        " By B and H, (11) and (12) of Deepak and Ghosal.",
    )
    tree.write_constraints()
    page.step("Rates of the nodes, ground to leaves", "angular velocities w, and tied hinges.")
    tree.take("centre", ("", "w"))
    sweeps = Articulated(tree, _LETTERS, tree.own_accelerations())
    page.drop_empty()
    page.step(
        "Backward sweep, leaves to ground",
        "Λ = H^T Mhat H moves with the hinge, K = B^T Mhat H couples it to the parent, η is left "
        "to it; B^T Pi Mhat B and B^T Pi (fhat - Mhat d) go to the parent.",
    )
    sweeps.backward()
    page.drop_empty()
    page.step("Forward sweep, ground to leaves", accelerations_words(tree))
    sweeps.forward()
    page.drop_empty()
    write_end(tree, sweeps)
    return page.page()
