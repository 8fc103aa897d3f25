"""Numbers from equations: at states by the names that people use, and at the sampled states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.diagnostics import suggestion
from mbx.base.errors import EquationsError, UnknownResultError
from mbx.base.short_repr import join_names, shorten_repr
from mbx.expr.evaluate import evaluate_arrays, free_symbols
from mbx.formalism.equations import finite
from mbx.formalism.program import entries_of
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.execute.lost_states import matrix_at_all
from mbx.numerics.execute.stacked_algebra import NOT_UNIQUE
from mbx.numerics.execute.step_labels import labels_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations, Quantity, Row, SampledStates
    from mbx.numerics.execute.execute import Outcome
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.numerics.labelled_matrix import LabelledMatrix


__all__ = [
    "Evaluation",
    "evaluate",
    "further_values",
    "general_values",
    "inexact_results",
    "values_of",
    "with_entries",
]

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
    results = equations.results  # a regressor gives no accelerations
    wanted = [results["ud"]] if "ud" in results else list(results.values())
    outcome = run(equations, values, wanted=[*wanted, *also])
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


_REACTION: Final = "reaction:"
_OPEN: Final = "open:"
_MATRICES: Final = frozenset({"M", "A"})
"""Results that are matrices even if they have one column."""


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What equations give at one state, or at many.

    Results are attributes (`ud`, `qd`, `Fc`, `lam`) and items (`["M"]`); every matrix of the
    program is an item, too. Columns are 1-d; of many states, the first index is the state.

    With the `values` that the outcome is of, results have numbers also at states that are not
    regular, if no step on the way to them fails.
    """

    equations: Equations
    outcome: Outcome
    single: bool
    values: Mapping[Node, Any] | None = None

    def __repr__(self) -> str:
        """Return the model, the form and the names of the results."""
        equations = self.equations
        return shorten_repr(
            f"<Evaluation of {equations.model} by {equations.formalism}:"
            f" {join_names(equations.results)}>"
        )

    @property
    def status(self) -> Any:
        """Regular, or why not: a text, or an array of them."""
        return self.outcome.status[0] if self.single else self.outcome.status

    @property
    def reason(self) -> Any:
        """Why a state is not regular, where more is known than its status: a text, or a list."""
        found = [self.outcome.reasons.get(k, "") for k in range(len(self.outcome.status))]
        return found[0] if self.single else found

    @property
    def reactions(self) -> dict[str, Any]:
        """Force and torque of each joint, by its path; NaN where they are not unique."""
        return {
            meaning.removeprefix(_REACTION): self._unique(meaning)
            for meaning in self.equations.results
            if meaning.startswith(_REACTION)
        }

    def _unique(self, meaning: str) -> Any:
        """Return a reaction without the components that the equations leave open."""
        value = self[meaning]
        left = meaning.replace(_REACTION, _OPEN, 1)
        if left not in self.equations.results:
            return value
        step = self.equations.results[left]
        states = range(len(self.outcome.status))
        width = np.array(
            [np.abs(self.outcome.at(step, k)).max(axis=1, initial=0.0) for k in states]
        )
        width = width.reshape(len(states), np.shape(value)[-1])
        lost = self.outcome.status != REGULAR  # what is open there is not known
        mask = (width > NOT_UNIQUE) | lost[:, None]
        return np.where(mask[0] if self.single else mask, np.nan, value)

    def __getitem__(self, name: str) -> Any:
        """Return a result by its meaning, or a matrix of the program by its name."""
        step = self.equations.results.get(name, name)
        if step not in self.outcome.shapes:
            raise UnknownResultError(name, self.equations.results)
        found = self._matrix(step)
        if isinstance(found, list):
            return found
        column = self.outcome.shapes[step][1] == 1 and name not in _MATRICES
        found = found[:, :, 0] if column else found
        return found[0] if self.single else found

    def labelled(self, name: str, state: int = 0) -> LabelledMatrix:
        """Return a result, or a matrix of the program, with its labels; of many states, one."""
        from mbx.numerics.labelled_matrix import LabelledMatrix  # noqa: PLC0415  on request

        step = self.equations.results.get(name, name)
        if step not in self.outcome.shapes:
            raise UnknownResultError(name, self.equations.results)
        array = self.outcome.at(step, state)
        labels = labels_of(self.equations.steps, lambda one: self.outcome.at(one, state).shape)
        rows, columns = labels[step]
        own = self._variables(name)
        return LabelledMatrix(array, own if len(own) == len(array) else rows, columns)

    def _variables(self, name: str) -> tuple[str, ...]:
        """Return what the rows of a result belong to in every form, if that is known."""
        signature = self.equations.signature
        belong = {"ud": signature.u, "Fc": signature.u, "qd": signature.q}
        return tuple(one.path for one in belong.get(name, ()))

    def _matrix(self, step: str) -> Array | list[Array]:
        if self.values is None:
            return self.outcome.matrix(step)
        return matrix_at_all(self.equations, self.values, self.outcome, step)

    def __getattr__(self, name: str) -> Any:
        """Return a result by its meaning."""
        if not name.startswith("_") and name in self.equations.results:
            return self[name]
        form = self.equations.formalism
        message = f"{form} has no result '{name}', only {', '.join(self.equations.results)}"
        raise AttributeError(message)


def evaluate(
    equations: Equations,
    state: Mapping[str, Any],
    parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    t: Any = 0.0,
) -> Evaluation:
    """Return what equations give at a state, or at many: numbers, or arrays of one length."""
    values = values_of(equations, state, parameters, inputs, t)
    single = all(value.ndim == 0 for value in values.values())
    return Evaluation(equations, run(equations, values), single, values)


def values_of(
    equations: Equations,
    state: Mapping[str, Any],
    parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    t: Any = 0.0,
) -> dict[Node, Array]:
    """Return the value of every symbol; raise an error that names what is missing or unknown."""
    signature = equations.signature
    variables = (*signature.q, *signature.u, *signature.higher)
    values = {signature.t: _number("t", t)}
    values |= _said("state", variables, state)
    values = _completed("parameter", signature.parameters, parameters or {}, values)
    return _completed("input", signature.inputs, inputs or {}, values, signature.derived)


def _said(kind: str, quantities: Sequence[Quantity], said: Mapping[str, Any]) -> dict[Node, Array]:
    """Return the values that somebody says, of all quantities that have none of their own."""
    paths = [quantity.path for quantity in quantities]
    for name in said:
        if name not in paths:
            hint = suggestion(str(name), paths, "; ")
            raise EquationsError(f"there is no {kind} '{name}'{hint}")
    missing = [
        one.path
        for one in quantities
        if one.path not in said and (one.value is None or kind == "state")
    ]
    if missing:
        raise EquationsError(f"no value for {kind} {', '.join(missing)}")
    return {one.symbol: _number(one.path, said[one.path]) for one in quantities if one.path in said}


def _completed(
    kind: str,
    quantities: Sequence[Quantity],
    said: Mapping[str, Any],
    before: Mapping[Node, Array],
    derived: Sequence[Quantity] = (),
) -> dict[Node, Array]:
    """Return the values before, those that somebody says, and what the others are made of."""
    known = {**before, **_said(kind, quantities, said)}
    pending = [(one, one.value) for one in (*quantities, *derived) if one.symbol not in known]
    while pending:
        left = []
        for one, value in pending:
            if value is not None and all(node in known for node in free_symbols([value])):
                known[one.symbol] = _number_of(value, known)
            else:
                left.append((one, value))
        if len(left) == len(pending):
            raise EquationsError(f"'{left[0][0].path}' is made of what has no value")
        pending = left
    return known


def _number_of(value: Node, known: Mapping[Node, Array]) -> Array:
    with np.errstate(all="ignore"):
        try:
            return np.asarray(evaluate_arrays([value], known)[0], dtype=np.float64)
        except OverflowError:  # an exact constant beyond the floats
            return np.asarray(np.nan)


def _number(name: str, value: Any) -> Array:
    try:
        number = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise EquationsError(f"'{name}' has no number as its value") from None
    if number.ndim > 1:
        raise EquationsError(f"'{name}' has more than one number for each state")
    return number
