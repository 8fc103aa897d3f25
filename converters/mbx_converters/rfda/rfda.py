"""Recursive forward dynamics on absolute rates of the nodes of a tree.

Equation numbers are those of Deepak and Ghosal; see spec/formalisms/rfda.md.

    Mhat_k y''_k + G_k^T lambda_k = fhat_k,    G_k y''_k = gamma_k - Q_k y''_j        (8)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.expr.nodes import ZERO
from mbx.formalism.converter import Converter, Variant
from mbx.formalism.named_program import NamedProgram
from mbx.formalism.tree.named_closure import close_tree, constraint_forces
from mbx.formalism.tree.regular_tree import refuse_empty, refuse_singular
from mbx.formalism.tree.tree_features import ON_TREES
from mbx.mechanics import invariants, motion
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx_converters.rfda import absolute_rates, special_coordinates
from mbx_converters.rfda.block_diagonal import certificate, free_rates, left_out
from mbx_converters.rfda.joint_rows import (
    RATES,
    driving_rows,
    held,
    joint_rows,
    over_hinge,
    released,
)
from mbx_converters.rfda.node_reactions import reported

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mbx.formalism.equations import Equations
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System

__all__ = ["CONVERTER", "derive"]


def derive(system: System, variant: str = "projection") -> Equations:
    """Return the equations of all nodes, (8), solved leaves to roots and back."""
    moving = motion.in_speeds(system)
    levels = invariants.levels(moving)
    tree = links(moving)
    refuse_empty(tree)
    refuse_singular(tree)
    closing = ties(tree, levels)
    way = _WAYS[variant]

    program = NamedProgram()
    absolute_rates.places(program, tree)
    absolute_rates.rates(program, tree)
    absolute_rates.accelerations(program, tree)
    absolute_rates.inertias(program, tree)
    way.factors(program, tree)
    swept = close_tree(
        program,
        closing,
        levels,
        lambda p, h: way.sweep(p, tree, h, "z0", ""),
        lambda p, F, name: way.sweep(p, tree, F, name, f"{name}_"),
    )
    constrained = constraint_forces(program, levels, swept.lam)
    results = {"ud": swept.ud, **constrained}
    found, wrenches = reported(program, tree, levels, swept, alone=closing.open)
    results |= found | _multipliers(program, tree, way, wrenches, open_tree=closing.open)
    if variant == "coordinates" and closing.open:
        results |= left_out(program, tree) | certificate(program, tree)
    return program.equations(
        system, CONVERTER.name, CONVERTER.title, CONVERTER.reference, results, variant=variant
    )


def _multipliers(
    p: NamedProgram, tree: Links, way: _Way, wrenches: Mapping[int, str], *, open_tree: bool
) -> dict[str, str]:
    """Add the reactions lambda in the joint rows: those of (8), or -E^T W where loops hold."""
    results: dict[str, str] = {}
    for k, link in enumerate(tree.links, start=1):
        if not _held(tree, k) or k not in wrenches:
            continue
        if not way.finds_e:
            held(p, tree, k)
        name = f"lambda_{k}" if open_tree else f"lamc_{k}"
        if not open_tree:
            p.product(f"EW_{k}", f"ET_{k}", wrenches[k])
            p.sum(name, f"EW_{k}", signs=(-1,), meaning=_LAMBDA)
        elif not way.finds_lambda:
            p.product(f"Mhy_{k}", f"Mhat_{k}", f"ydd_{k}")
            p.sum(f"fMy_{k}", f"fhat_{k}", f"Mhy_{k}", signs=(1, -1))
            p.product(name, f"ET_{k}", f"fMy_{k}", meaning=_LAMBDA)
        results[f"lambda:{link.path}"] = name
    return results


_LAMBDA: Final = "reaction in the joint rows, (8)"


# -- projection: B and H, (11) and (12) ---------------------------------------------------------


def _project(p: NamedProgram, tree: Links) -> None:
    """Add, leaves to roots, the inertias Mhat, (11)."""
    p.begin("backward sweep, leaves to root: inertias, (11)")
    for k in _up(tree):
        link = tree.links[k - 1]
        p.product(f"H_{k}", f"T_{k}", f"A_{k}", meaning="rates by those of the hinge, (4)")
        p.transpose(f"HT_{k}", f"H_{k}")
        _gathered(p, tree, k)
        p.product(f"MH_{k}", f"Mhat_{k}", f"H_{k}")
        p.transpose(f"HM_{k}", f"MH_{k}")
        p.product(f"HMH_{k}", f"HT_{k}", f"MH_{k}", meaning="inertia of the hinge")
        p.solve(f"K_{k}", f"HMH_{k}", f"HM_{k}", "symmetric")
        if link.parent is not None and _held(tree, k):
            p.product(f"MHK_{k}", f"MH_{k}", f"K_{k}")
            p.sum(
                f"PiM_{k}", f"Mhat_{k}", f"MHK_{k}", signs=(1, -1), meaning="Pi Mhat, Pi as in (11)"
            )
            p.product(f"Mup_{k}", f"BT_{k}", f"PiM_{k}", f"B_{k}", meaning="for the parent, (11)")


def _gathered(p: NamedProgram, tree: Links, k: int) -> None:
    path = tree.links[k - 1].path
    kids = [f"Mup_{j + 1}" for j in tree.children[k - 1] if _held(tree, j + 1)]
    p.sum(
        f"Mhat_{k}",
        f"M_{k}",
        *kids,
        meaning=f"inertia of {path} with what it carries",
        symbol=rf"\hat{{M}}_{{{k}}}",
    )


def _project_sweep(p: NamedProgram, tree: Links, given: str, name: str, n: str = "") -> str:
    """Add fhat, leaves to roots, (12), then z'' and y'', roots to leaves.

    With `n` in front of all names: for forces on the rates alone, from rest, a column each.
    """
    N = len(tree.links)
    p.begin("backward sweep, leaves to root: loads, (12)")
    for k in _up(tree):
        link = tree.links[k - 1]
        _tau(p, tree, given, n, k)
        kids = [f"{n}fup_{j + 1}" for j in tree.children[k - 1]]
        carried: list[str] = []
        if n and kids:
            carried.append(p.sum(f"{n}fhat_{k}", *kids))
        elif not n:
            _fhat(p, k, absolute_rates.loads(p, tree, given, k), *kids)
            p.product(f"Md_{k}", f"Mhat_{k}", f"d_{k}")
            carried.append(p.sum(f"fd_{k}", f"fhat_{k}", f"Md_{k}", signs=(1, -1)))
        over = [p.product(f"{n}HTf_{k}", f"HT_{k}", one) for one in carried]
        p.sum(f"{n}tf_{k}", f"{n}tau_{k}", *over)
        p.solve(f"{n}t_{k}", f"HMH_{k}", f"{n}tf_{k}", "symmetric")
        if link.parent is not None:
            p.product(f"{n}MHt_{k}", f"MH_{k}", f"{n}t_{k}")
            signs = (*(1 for _ in carried), -1)
            p.sum(f"{n}Pif_{k}", *carried, f"{n}MHt_{k}", signs=signs, meaning="Pi (fhat - Mhat d)")
            p.product(f"{n}fup_{k}", f"BT_{k}", f"{n}Pif_{k}", meaning="for the parent, (12)")
    p.begin("forward sweep, root to leaves: accelerations, (5)")
    for k, link in enumerate(tree.links, start=1):
        before: list[str] = []
        if link.parent is None:
            p.sum(f"{n}z_{k}", f"{n}t_{k}", meaning=_Z)
        else:
            before.append(p.product(f"{n}By_{k}", f"B_{k}", f"{n}ydd_{link.parent + 1}"))
            p.product(f"{n}KBy_{k}", f"K_{k}", f"{n}By_{k}")
            p.sum(f"{n}z_{k}", f"{n}t_{k}", f"{n}KBy_{k}", signs=(1, -1), meaning=_Z)
        p.product(f"{n}Hz_{k}", f"H_{k}", f"{n}z_{k}")
        left = [] if n else [f"d_{k}"]
        p.sum(f"{n}ydd_{k}", *before, f"{n}Hz_{k}", *left, meaning=_YDD)
    return p.block(name, [[f"{n}z_{k}"] for k in range(1, N + 1)])


_Z: Final = "rates of the hinge's rates"
_YDD: Final = "accelerations of the node, (5)"


def _tau(p: NamedProgram, tree: Links, given: str, n: str, k: int) -> None:
    """Add the loads on the rates of a hinge: behind all wrenches, or alone."""
    first = 0 if n else 6 * len(tree.links)
    p.rows(f"{n}tau_{k}", given, [first + j for j in tree.links[k - 1].own], "loads on the rates")


def _fhat(p: NamedProgram, k: int, *terms: str) -> str:
    return p.sum(
        f"fhat_{k}",
        *terms,
        meaning="loads on the node and what it carries",
        symbol=rf"\hat{{f}}_{{{k}}}",
    )


# -- constraints: Q and G, (9) and (10) ---------------------------------------------------------


def _constrain(p: NamedProgram, tree: Links) -> None:
    """Add joint and driving rows, (59), then leaves to roots the inertias Mhat, (9)."""
    p.begin("joint and driving rows, (59)")
    for k in range(1, len(tree.links) + 1):
        joint_rows(p, tree, k)
        driving_rows(p, tree, k)
        released(p, tree, k)
    p.begin("backward sweep, leaves to root: inertias, (9)")
    for k in _up(tree):
        link, rows = tree.links[k - 1], _held(tree, k)
        _gathered(p, tree, k)
        p.block(
            f"S_{k}", [[f"Mhat_{k}", f"GT_{k}"], [f"G_{k}", None]], "equations of the node, (8)"
        )
        if link.parent is None:
            continue
        # of (8), for N^-1 exists where Mhat^-1 does not, as in a plane
        p.define(f"O_{k}", [[ZERO] * rows for _ in range(6)])
        p.identity(f"One_{k}", rows)
        p.block(f"OI_{k}", [[f"O_{k}"], [f"One_{k}"]])
        p.solve(f"EN_{k}", f"S_{k}", f"OI_{k}", "symmetric", meaning="[Mhat^-1 G^T N^-1; -N^-1]")
        p.rows(f"Et_{k}", f"EN_{k}", range(6), "Mhat^-1 G^T N^-1, (38)")
        p.rows(f"Nm_{k}", f"EN_{k}", range(6, 6 + rows))
        p.sum(f"Ni_{k}", f"Nm_{k}", signs=(-1,), meaning="N^-1, N = G Mhat^-1 G^T, (9)")
        p.product(f"QNi_{k}", f"QT_{k}", f"Ni_{k}")
        p.product(f"Mup_{k}", f"QNi_{k}", f"Q_{k}", meaning="for the parent, (9)")
        p.transpose(f"EtT_{k}", f"Et_{k}")
        p.product(f"QNig_{k}", f"QNi_{k}", f"gamma_{k}")


def _constrain_sweep(p: NamedProgram, tree: Links, given: str, name: str, n: str = "") -> str:
    """Add fhat, leaves to roots, (10), then y'', lambda and z'', roots to leaves, (8).

    With `n` in front of all names: for forces on the rates alone, from rest, a column each.
    """
    N = len(tree.links)
    p.begin("backward sweep, leaves to root: loads, (10)")
    for k in _up(tree):
        link = tree.links[k - 1]
        _tau(p, tree, given, n, k)
        p.product(f"{n}Gtau_{k}", f"GdT_{k}", f"{n}tau_{k}", meaning="a motor, on the node")
        own = [f"{n}Gtau_{k}"] if n else [f"Gtau_{k}", absolute_rates.loads(p, tree, given, k)]
        kids = [f"{n}{part}_{j + 1}" for j in tree.children[k - 1] for part in ("fup", "Qtau")]
        if n:
            p.sum(f"{n}fhat_{k}", *own, *kids)
        else:
            _fhat(p, k, *own, *kids)
        if link.parent is not None:
            p.product(f"{n}Qtau_{k}", f"QdT_{k}", f"{n}tau_{k}", meaning="a motor, on the parent")
            p.product(f"{n}QEf_{k}", f"QT_{k}", f"EtT_{k}", f"{n}fhat_{k}")
            known = [] if n else [f"QNig_{k}"]
            signs = (*(1 for _ in known), -1)
            p.sum(f"{n}fup_{k}", *known, f"{n}QEf_{k}", signs=signs, meaning="for the parent, (10)")
    p.begin("forward sweep, root to leaves: accelerations and reactions, (8)")
    for k, link in enumerate(tree.links, start=1):
        rows = _held(tree, k)
        terms = [f"gamma_{k}"]
        if n:  # nothing moves: as many columns as there are forces
            p.define(f"{n}O_{k}", [[ZERO] * 6 for _ in range(rows)], columns=RATES)
            terms = [p.product(f"{n}go_{k}", f"{n}O_{k}", f"{n}fhat_{k}")]
        if link.parent is not None:
            terms.append(p.product(f"{n}Qy_{k}", f"Q_{k}", f"{n}ydd_{link.parent + 1}"))
        p.sum(f"{n}gQ_{k}", *terms, signs=(1, -1)[: len(terms)])
        p.block(f"{n}r_{k}", [[f"{n}fhat_{k}"], [f"{n}gQ_{k}"]])
        p.solve(f"{n}x_{k}", f"S_{k}", f"{n}r_{k}", "symmetric", meaning="of the node, (8)")
        p.rows(f"{n}ydd_{k}", f"{n}x_{k}", range(6), _YDD)
        if not n:
            p.rows(f"lambda_{k}", f"x_{k}", range(6, 6 + rows), _LAMBDA)
        over_hinge(p, tree, n, k)
    return p.block(name, [[f"{n}z_{k}"] for k in range(1, N + 1)])


def _held(tree: Links, k: int) -> int:
    """Return how many joint rows a node has."""
    return 6 - tree.links[k - 1].freedoms


def _up(tree: Links) -> range:
    """Return the numbers of the nodes, leaves first."""
    return range(len(tree.links), 0, -1)


@dataclass(frozen=True, slots=True)
class _Way:
    """The steps of a variant: what loads do not touch, and the sweeps.

    `finds_e`: E is among its steps; `finds_lambda`: lambda of an open tree is.
    """

    factors: Callable[[NamedProgram, Links], None]
    sweep: Callable[[NamedProgram, Links, str, str, str], str]
    finds_e: bool
    finds_lambda: bool


_WAYS: Final = {
    "projection": _Way(_project, _project_sweep, finds_e=False, finds_lambda=False),
    "constraints": _Way(_constrain, _constrain_sweep, finds_e=True, finds_lambda=True),
    "coordinates": _Way(
        special_coordinates.split, special_coordinates.sweep, finds_e=True, finds_lambda=False
    ),
}


def _free_rates(system: System, tree: Links) -> Equations:
    """Return the free rates of the nodes, xid: what the special coordinates leave over."""
    program = NamedProgram()
    absolute_rates.places(program, tree)
    absolute_rates.rates(program, tree)
    absolute_rates.accelerations(program, tree)
    absolute_rates.inertias(program, tree)
    special_coordinates.split(program, tree)
    free_rates(program, tree)
    return program.equations(system, "", "", "", {"xid": "xid"})


CONVERTER: Final = Converter(
    name="rfda",
    title="Recursive forward dynamics",
    purpose="accelerations and joint reactions in two sweeps",
    reference="S. R. Deepak, A. Ghosal, J. Applied Mechanics 75(5), 2008",
    variants=(
        Variant(name="projection", accepts=ON_TREES, title="by B and H, (11) and (12)"),
        Variant(name="constraints", accepts=ON_TREES, title="by Q and G, (9) and (10)"),
        Variant(name="coordinates", accepts=ON_TREES, title="in the special coordinates, (57)"),
    ),
    derive=derive,
    choose=lambda _system: "projection",
    free_rates=_free_rates,
)
