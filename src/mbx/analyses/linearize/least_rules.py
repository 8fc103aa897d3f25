"""How invariants that contradict each other next to a state are met: by weights, and evenly.

Least squares take each row as it is written. Rows may have weights, and a model that is its own
mirror image may be required to move so: then the mirror image of every row is a row, too. Of all
motions with that symmetry, those of least squares of both are those of least squares of the rows
alone, so that left and right have the same coefficients up to signs (Orsino's thesis, (5.19)).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.experiments.experiment_plan import NotRunError
from mbx.analyses.linearize.residual_slopes import Residual
from mbx.analyses.request import require_names
from mbx.expr.build import neg
from mbx.expr.evaluate import substitute
from mbx.formalism.equations import inputs_and_rates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from mbx.analyses.linearize.complements import Tie
    from mbx.expr.nodes import Node
    from mbx.mechanics.invariants import Levels
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.system.system import Row, System

__all__ = ["LeastRules", "require_even_choices"]

SAME: Final = 1e-9
"""Part of the largest entry by which a model may differ from its mirror image."""


@dataclass(frozen=True, kw_only=True)
class LeastRules:
    """What least squares of contradicting invariants take into account.

    Attributes:
        weights: How much invariants count, by path; one that is not named counts 1.
        mirror: Subsystems or variables, by path, that are the mirror images of others.
        odd: Variables that change their sign in the mirror, by path, or by name in all subsystems.
    """

    weights: Mapping[str, float] = field(default_factory=dict)
    mirror: Mapping[str, str] = field(default_factory=dict)
    odd: frozenset[str] = frozenset()
    _kept: list[tuple[Residual, Residual]] = field(default_factory=list, repr=False, compare=False)

    @property
    def any(self) -> bool:
        """Whether there is a rule."""
        return bool(self.weights or self.mirror or self.odd)

    def applied(self, residual: Residual, values: Mapping[Node, Any]) -> Residual:
        """Return a residual with the mirror images of its invariants, if they are required.

        Raise `NotRunError` where the model at a state is not its own mirror image.
        """
        if not self.mirror and not self.odd:
            return residual
        mirror = _Mirror(residual.system, self)
        _require_even(residual, values, mirror)
        if not self._kept or self._kept[0][0] is not residual:
            self._kept[:] = [(residual, _Mirrored(residual.system, mirror))]
        return self._kept[0][1]

    def row_weights(self, rows: tuple[Row, ...]) -> Array:
        """Return the weight of each row; those of a vector have that of the whole."""
        paths = [row.path for row in rows]
        known = {*paths, *(path.rpartition(".")[0] for path in paths if "." in path)}
        require_names(self.weights, known, "invariant")
        for path, weight in self.weights.items():
            if not 0 < weight < np.inf:
                raise NotRunError(
                    f"the weight of '{path}' is {weight:g}, and not a positive number"
                )
        weights = [
            self.weights.get(path, self.weights.get(path.rpartition(".")[0], 1.0)) for path in paths
        ]
        return np.array(weights)


def require_even_choices(residual: Residual, top: Tie) -> None:
    """Refuse independent variables of a node that are not the images of those of its image."""
    if not isinstance(residual, _Mirrored):
        return
    paths = [one.path for one in residual.moving.speeds]
    free = {tie.part.path[:-1]: {paths[k] for k in tie.free} for tie in _nodes(top)}
    for part, own in free.items():
        others = free[residual.mirror.image(part)]
        for path in sorted(own):
            image = residual.mirror.image(path)
            if image not in others:
                raise NotRunError(
                    f"'{path}' is an independent variable, and its mirror image '{image}' is not"
                )


def _nodes(tie: Tie) -> Iterator[Tie]:
    yield tie
    for child in tie.children:
        yield from _nodes(child)


class _Mirror:
    """Which variable and input is the mirror image of which, and with which sign."""

    def __init__(self, system: System, rules: LeastRules) -> None:
        """Look up the images; raise `UnknownNameError` for names that the model does not have."""
        self.pairs = {**rules.mirror, **{b: a for a, b in rules.mirror.items()}}
        self.odd = rules.odd
        variables = [*system.q, *system.u]
        symbols = {one.path: one.symbol for one in variables}
        symbols |= {one.path: one.symbol for one in inputs_and_rates(system).values()}
        paths = {_bare(path) for path in symbols}
        above = {part for path in paths for part in _above(path)}
        require_names(self.pairs, paths | above, "subsystem or variable")
        names = {path.rpartition(".")[2] for path in paths}
        require_names(self.odd, paths | names, "variable")
        self.images: dict[Node, Node] = {}
        rates = {one.path: one.rate for one in variables}
        for path, symbol in symbols.items():
            image, sign = self.image(path), self.sign(path)
            if image not in symbols:
                raise NotRunError(f"'{path}' has no mirror image: there is no '{image}'")
            if sign != self.sign(image):
                raise NotRunError(
                    f"'{path}' changes its sign in the mirror, and '{image}' does not"
                )
            self.images[symbol] = _signed(sign, symbols[image])
            if path in rates:
                self.images[rates[path]] = _signed(sign, rates[image])

    def image(self, path: str) -> str:
        """Return the path of the mirror image."""
        bare = _bare(path)
        for part in (bare, *_above(bare)):
            if part in self.pairs:
                return f"{self.pairs[part]}{path[len(part) :]}"
        return path

    def sign(self, path: str) -> int:
        """Return the sign with which it goes over into its mirror image."""
        bare = _bare(path)
        return -1 if bare in self.odd or bare.rpartition(".")[2] in self.odd else 1

    def of_rows(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """Return expressions as they are in the mirror."""
        return (*substitute(nodes, self.images),)


class _Mirrored(Residual):
    """A residual in which the mirror image of each invariant is an invariant, too."""

    mirror: _Mirror

    def __init__(self, system: System, mirror: _Mirror) -> None:
        """Keep the mirror; a residual is frozen."""
        super().__init__(system)
        object.__setattr__(self, "mirror", mirror)

    @cached_property
    def levels(self) -> Levels:
        """The invariants, then their mirror images under the same names."""
        mirror, known = self.mirror, super().levels
        images = tuple(
            replace(row, part=mirror.image(row.part[:-1]) + "." * bool(row.part))
            for row in known.rows
        )
        return replace(
            known,
            rows=(*known.rows, *images),
            position=(*known.position, *mirror.of_rows(known.position)),
            velocity=(*known.velocity, *mirror.of_rows(known.velocity)),
            acceleration=(*known.acceleration, *mirror.of_rows(known.acceleration)),
        )


def _require_even(residual: Residual, values: Mapping[Node, Any], mirror: _Mirror) -> None:
    """Refuse a state, an inertia or forces that are not their own mirror images."""
    variables = [*residual.system.q, *residual.moving.speeds]
    position = {one.path: k for k, one in enumerate(variables)}
    order = [position[mirror.image(one.path)] for one in variables]
    signs = np.array([mirror.sign(one.path) for one in variables])
    state = np.array([float(values[one.symbol]) for one in variables])
    size = max(float(np.abs(state).max(initial=0.0)), 1.0)
    for k in np.flatnonzero(np.abs(signs * state[order] - state) > SAME * size):
        one, other = variables[k].path, variables[order[k]].path
        raise NotRunError(
            f"the state is not its own mirror image: '{one}' is {state[k]:.6g} and '{other}' is"
            f" {state[order[k]]:.6g}"
        )
    count = len(residual.q)
    speeds, turned = [k - count for k in order[count:]], signs[count:]
    M = residual.tables([("r", "ud")], values, 1)[0][0]
    r = residual.columns(["r"], values, 1)[0].T
    image = turned[:, None] * M[np.ix_(speeds, speeds)] * turned
    for what, here, there in (("inertia", M, image), ("force", r, turned[:, None] * r[speeds])):
        off = np.abs(here - there).max(axis=1, initial=0.0)
        if (off > SAME * np.abs(here).max(initial=0.0)).any():
            path = residual.moving.speeds[int(off.argmax())].path
            raise NotRunError(f"the model is not its own mirror image: the {what} on '{path}'")


def _signed(sign: int, node: Node) -> Node:
    return node if sign > 0 else neg(node)


def _bare(path: str) -> str:
    return path.rstrip("'")


def _above(path: str) -> Iterator[str]:
    """Yield the subsystems that a path is in, from the inmost one."""
    while "." in path:
        path = path.rpartition(".")[0]
        yield path
