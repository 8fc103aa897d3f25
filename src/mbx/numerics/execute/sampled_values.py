"""What a program gives at its sampled states, where ranks are found and code is tried out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.expr.evaluate import evaluate_arrays
from mbx.formalism.program import entries_of
from mbx.formalism.sampled_states import finite
from mbx.numerics.execute.execute import REGULAR, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.sampled_states import Row, SampledStates
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["further_values", "general_values", "inexact_results", "with_entries"]

_FAR: Final = 1e-8


def general_values(equations: Equations, also: Sequence[str] = ()) -> dict[Node, float]:
    """Return the value of every symbol at a state in general position with accelerations.

    Entries of the matrices in `also` have the symbols `NAME[i,j]`.
    """
    states = _states(equations)
    if not states.general:
        raise EquationsError(states.reason or "no consistent state is found, and so no rank")
    found, status = _regular(equations, states.general, also)
    if not found:
        raise EquationsError(f"no state tried is regular, and so no rank is found: {status}")
    return found[0]


def further_values(equations: Equations, also: Sequence[str] = ()) -> list[dict[Node, float]]:
    """Return the same at the further states, those without accelerations left out."""
    rows = _states(equations).further
    return _regular(equations, rows, also)[0] if rows else []


def inexact_results(
    equations: Equations,
    results: Mapping[str, Sequence[Sequence[Node]]],
    given: Sequence[str] = (),
) -> dict[str, str]:
    """Return which results, written out, differ from the program at a state, with the reason.

    Pivots that are good at one state may lose digits, or be zero, at another; what is not
    unique may be chosen otherwise. The matrices in `given` are inputs of the expressions, with
    the values that the program has for them.
    """
    states = _states(equations)
    values = _values(states, states.general)
    count = len(states.general)
    names = {key: equations.results[key] for key in results}
    outcome = run(equations, values, wanted=[*names.values(), *given])
    for name in given:
        every = np.stack([outcome.at(name, k) for k in range(count)])
        for i, row in enumerate(entries_of(name, *every.shape[1:])):
            values |= {node: every[:, i, j] for j, node in enumerate(row)}
    entries = {key: [x for row in rows for x in row] for key, rows in results.items()}
    flat = iter(evaluate_arrays([x for own in entries.values() for x in own], values))
    regular = np.flatnonzero(outcome.status == REGULAR)
    found = {}
    for key, own in entries.items():
        columns = [np.broadcast_to(next(flat), count) for _ in own]
        if columns and not all(
            _is_close(np.array([c[k] for c in columns]), outcome.at(names[key], int(k)))
            for k in regular
        ):
            found[key] = "written out, it is not the same, or loses its digits, at some states"
    return found


def with_entries(equations: Equations, names: Sequence[str]) -> SampledStates:
    """Return the sampled states with the entries `NAME[i,j]` of some matrices as symbols, too.

    Only states with accelerations are kept. With these a program can be written in which the
    matrices are inputs.
    """
    states = _states(equations)
    general, further = (
        _regular(equations, rows, names)[0] if rows else []
        for rows in (states.general, states.further)
    )
    known = next(iter([*general, *further]), {})
    symbols = tuple(node for node in known if node not in states.constants)

    def rows(some: Sequence[Mapping[Node, float]]) -> tuple[Row, ...]:
        return tuple(tuple(finite(one[node]) for node in symbols) for one in some)

    return replace(states, symbols=symbols, general=rows(general), further=rows(further))


def _states(equations: Equations) -> SampledStates:
    if equations.states is None:
        raise EquationsError("the equations hold no sampled states, and so no rank is found")
    return equations.states


def _values(states: SampledStates, rows: Sequence[Row]) -> dict[Node, Array]:
    """Return the values of all symbols at some states, an array for each; NaN for none."""
    constants = {node: np.asarray(x, dtype=np.float64) for node, x in states.constants.items()}
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(states.symbols))
    return constants | dict(zip(states.symbols, table.T.copy(), strict=True))


def _regular(
    equations: Equations, rows: Sequence[Row], also: Sequence[str]
) -> tuple[list[dict[Node, float]], str]:
    values = _values(_states(equations), rows)
    outcome = run(equations, values, wanted=[equations.results["ud"], *also])
    found = []
    for k in np.flatnonzero(outcome.status == REGULAR):
        here = {node: float(np.broadcast_to(x, len(rows))[k]) for node, x in values.items()}
        for name in also:
            matrix = outcome.at(name, int(k))
            entries = zip(entries_of(name, *matrix.shape), matrix, strict=True)
            here |= {n: float(x) for row in entries for n, x in zip(*row, strict=True)}
        found.append(here)
    return found, str(outcome.status[0])


def _is_close(found: Array, steps: Array) -> bool:
    if found.size != steps.size:  # another rank
        return False
    size = np.abs(steps).max(initial=1.0)
    return bool(np.abs(found - steps.ravel()).max(initial=0.0) <= _FAR * size)
