"""Numbers from equations, by the names that people use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.diagnostics import suggestion
from mbx.base.errors import EquationsError, UnknownResultError
from mbx.base.short_repr import join_names, shorten_repr
from mbx.expr.evaluate import evaluate_arrays
from mbx.expr.walk import free_symbols
from mbx.numerics.execute.execute import REGULAR, run
from mbx.numerics.execute.lost_states import matrix_at_all
from mbx.numerics.execute.stacked_algebra import NOT_UNIQUE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations, Quantity
    from mbx.numerics.execute.execute import Outcome
    from mbx.numerics.execute.stacked_algebra import Array

__all__ = ["Evaluation", "evaluate", "values_of"]

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
