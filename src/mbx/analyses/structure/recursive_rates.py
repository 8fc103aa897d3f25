"""Whether the rates that recursive forward dynamics leaves over are rates of coordinates.

The free rates yf' of the special coordinates are one-forms of the coordinates,
omega = a . dx. They have an integral where d omega = 0, and one up to a factor where
omega ^ d omega = 0 (Frobenius); else no coordinates belong to them.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.structure.structure_report import RecursiveRate
from mbx.base.errors import EquationsError
from mbx.expr.algebra.elimination import split
from mbx.expr.derivatives import jacobian
from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.formalism import registry
from mbx.mechanics import invariants
from mbx.mechanics.motion import in_rates
from mbx.mechanics.tree.links import links
from mbx.mechanics.tree.ties import ties
from mbx.numerics.execute.straight_line import own_values, straight_line
from mbx.system.find_features import Feature
from mbx.system.symbol_names import TIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mbx.expr.nodes import Node
    from mbx.mechanics.tree.links import Links
    from mbx.system.system import System

__all__ = ["recursive_rates"]

LARGEST: Final = 8
"""Most coordinates for which the forms are differentiated."""
_POINTS: Final = 3
_ROUNDING: Final = 1e-9
_NEVER: Final = (Feature.ORDER_3_INVARIANT, Feature.HIGHER_VARIABLE, Feature.NO_INERTIA)


def recursive_rates(system: System) -> tuple[RecursiveRate, ...]:
    """Return what the free rates of the nodes of an open tree are, all but those of its roots."""
    if not 0 < len(system.q) <= LARGEST or any(f in system.features for f in _NEVER):
        return ()
    moving = in_rates(system)
    tree = links(moving)
    carried = [link for link in tree.links if link.parent is not None]
    if not carried or not ties(tree, invariants.levels(moving, rates=True)).open:
        return ()
    try:
        forms = _forms(system, tree)
    except EquationsError:  # a hinge that only numbers describe
        return ()
    inputs = [p.symbol for p in system.inputs]
    direction = system.rates.direction
    if not forms:
        return ()
    A, b = split(forms, [*moving.u, *(direction[i] for i in inputs)])
    x = [*(v.symbol for v in system.q), *inputs, TIME]
    names = [name for link in carried for name in link.names]
    return tuple(
        RecursiveRate(name, _kind([*line, rest], x))
        for name, line, rest in zip(names, A, b, strict=True)
    )


def _forms(system: System, tree: Links) -> list[Node]:
    """Return the free rates as expressions of the coordinates and their rates."""
    sound, _ = registry.survey()
    derive = next((form.free_rates for form in sound if form.free_rates is not None), None)
    if derive is None:
        return []
    equations = derive(system, tree)
    values = own_values(equations.signature)
    return [row[0] for row in straight_line(equations, ["xid"], values)["xid"]]


def _kind(a: Sequence[Node], x: Sequence[Node]) -> str:
    """Return what a one-form is, by its coefficients and their slopes at some random points."""
    n = len(x)
    nodes = [*a, *(slope for row in jacobian(a, x) for slope in row)]
    rng = np.random.default_rng(0)
    points = {s: rng.uniform(0.2, 1.0, _POINTS) for s in free_symbols(nodes)}
    values = [np.broadcast_to(value, _POINTS) for value in evaluate_arrays(nodes, points)]
    form, slopes = np.array(values[:n]), np.array(values[n:]).reshape(n, n, _POINTS)
    turn = slopes - slopes.transpose(1, 0, 2)
    size, steep = np.abs(form).max(), np.abs(slopes).max()
    if np.abs(turn).max() <= _ROUNDING * max(steep, size):
        return "exact"
    # omega ^ d omega; d omega has the components da_k/dx_j - da_j/dx_k
    wedge = max(
        np.abs(form[i] * turn[k, j] + form[j] * turn[i, k] + form[k] * turn[j, i]).max()
        for i, j, k in combinations(range(n), 3)
    )
    return "integrable" if wedge <= _ROUNDING * size * steep else "not integrable"
