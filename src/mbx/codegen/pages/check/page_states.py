"""What is known at the sampled states of equations, for the check of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mbx.base.errors import EquationsError
from mbx.codegen.pages.check.check_page import KnownState
from mbx.formalism.page.page import Line, Variation
from mbx.formalism.page.page_sections import KINEMATICS
from mbx.numerics.execute.execute import REGULAR, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mbx.expr.nodes import Node
    from mbx.formalism.equations import Equations
    from mbx.formalism.page.page import Page

__all__ = ["known_states"]

_STATES: Final = 3
_SEED: Final = 20
_SMALL: Final = 1e-9
_ROUNDING: Final = 1e-13
"""Of what is solved for together, relative to the largest."""
_EVALUATED: Final = 1e-15
"""Of momenta, which are not solved for, and of what cancels in their rates."""


def known_states(equations: Equations, page: Page) -> list[KnownState]:
    """Return what is known at sampled states, and at the same with accelerations of no motion."""
    values, rows = _sampled(equations)
    if not rows:
        return []
    wanted = sorted({"ud", "qd", "qdd", "A"} & set(equations.results))
    wanted += sorted({key for key, _ in page.known.values()} & set(equations.results))
    names = list(dict.fromkeys(equations.results[key] for key in wanted))
    outcome = run(equations, values, wanted=names)
    regular = [int(k) for k in np.flatnonzero(outcome.status == REGULAR)][:_STATES]
    states: list[KnownState] = []
    for k in regular:
        results = {key: outcome.at(equations.results[key], k) for key in wanted}
        here = {
            str(s.value): float(np.broadcast_to(x, rows)[k])
            for s, x in values.items()
            if np.all(np.isfinite(np.broadcast_to(x, rows)[k]))
        }
        states.append(_state(equations, page, here, results, is_motion=True))
        states += _other_speeds(equations, page, here, k)
        free = _other_accelerations(results, k)
        if free is not None:
            states.append(_state(equations, page, here, free, is_motion=False))
    return states


def _sampled(equations: Equations) -> tuple[dict[Node, Any], int]:
    """Return the values of all symbols at the states in general position, and their number."""
    states = equations.states
    if states is None or not states.general:
        return {}, 0
    constants = {node: np.asarray(x, dtype=np.float64) for node, x in states.constants.items()}
    rows = states.general
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(states.symbols))
    return constants | dict(zip(states.symbols, table.T.copy(), strict=True)), len(rows)


def _other_speeds(
    equations: Equations, page: Page, here: Mapping[str, float], k: int
) -> list[KnownState]:
    """Return what is known at speeds that keep no constraint: only kinematics holds there."""
    numbers = frozenset(
        block.number
        for section in page.sections
        if section.title == KINEMATICS
        for block in section.blocks
        if isinstance(block, Line)
    )
    if not numbers or "qd" not in equations.results:
        return []
    draw = np.random.default_rng(_SEED + k)
    groups = equations.signature
    symbols = [groups.t, *(x.symbol for x in (*groups.q, *groups.inputs, *groups.parameters))]
    values = {s: here[str(s.value)] for s in symbols if str(s.value) in here}
    values |= {x.symbol: float(draw.normal()) for x in groups.u}
    try:
        found = run(
            equations,
            {s: np.asarray(x) for s, x in values.items()},
            wanted=[equations.results["qd"]],
        )
    except (EquationsError, KeyError):
        return []
    moved = {**here, **{str(s.value): x for s, x in values.items()}}
    rates = found.at(equations.results["qd"], 0)
    moved |= {f"{x.symbol.value}'": float(rates[i, 0]) for i, x in enumerate(groups.q)}
    return [KnownState(moved, {}, only=numbers)]


def _other_accelerations(results: Mapping[str, Any], k: int) -> dict[str, Any] | None:
    """Return accelerations that keep the constraints, and are not those of the motion."""
    draw = np.random.default_rng(_SEED + k)
    moved = dict(results)
    key = "qdd" if "qdd" in results else "ud"
    if key == "qdd" and len(results["qdd"]) != len(results["ud"]):
        return None
    size = len(results[key])
    change = draw.normal(size=(size, 1)) * max(1.0, float(np.max(np.abs(results[key]))))
    A = results.get("A")
    if A is not None and A.size:
        _, singular, rows = np.linalg.svd(A)
        rank = int(np.sum(singular > _SMALL * max(1.0, float(singular[0]))))
        null = rows[rank:].T
        change = null @ (null.T @ change)
    moved[key] = results[key] + change
    if key == "qdd":
        moved.pop("ud", None)
    return moved


def _above_noise(column: Any, row: int, least: float = 0.0) -> float:
    """Return an entry of a column; zero where it is rounding of what the others are."""
    value = float(column[row, 0])
    return 0.0 if abs(value) < max(_ROUNDING * float(np.max(np.abs(column))), least) else value


def _state(
    equations: Equations,
    page: Page,
    here: Mapping[str, float],
    results: Mapping[str, Any],
    *,
    is_motion: bool,
) -> KnownState:
    """Return what is known: the state, and the entries of results by the names of symbols."""
    signature = equations.signature
    values = dict(here)
    rates: dict[str, float] = {"t": 1.0}
    for k, item in enumerate(signature.u):
        if "ud" in results:
            values[str(signature.highest[k].symbol.value)] = _above_noise(results["ud"], k)
            rates[str(item.symbol.value)] = _above_noise(results["ud"], k)
    for k, item in enumerate(signature.q):
        name = str(item.symbol.value)
        rate = float(results["qd"][k, 0]) if "qd" in results else values.get(f"{name}'")
        if rate is not None:
            values.setdefault(f"{name}'", rate)
            rates[name] = rate
        if "qdd" in results:
            values[f"{name}''"] = float(results["qdd"][k, 0])
        if f"{name}''" in values:
            rates[f"{name}'"] = values[f"{name}''"]
    for item in signature.inputs:
        name = str(item.symbol.value)
        rates[name] = values.get(f"{name}'", 0.0)
        if f"{name}''" in values:
            rates[f"{name}'"] = values[f"{name}''"]
    noise = _EVALUATED * float(np.max(np.abs(results["p"]))) if "p" in results else 0.0
    for name, (key, row) in page.known.items():
        if key == "p" and key in results:
            value = float(results[key][row, 0])
            values[name] = 0.0 if abs(value) < noise else value
        elif key in results and is_motion:
            values[name] = _above_noise(results[key], row, noise if key == "pd" else 0.0)
    values |= dict.fromkeys((name for name, each in page.names.items() if each.is_zero), 0.0)
    rates |= {name: 0.0 for name, each in page.names.items() if each.is_zero}
    draw = np.random.default_rng(_SEED)
    for text, operator in page.operators.items():
        if isinstance(operator, Variation):
            values[text] = float(draw.normal())
    if is_motion:
        for name in page.known:
            if name.endswith("'") and name in values:
                rates[name[:-1]] = values[name]
    solved = [str(item.symbol.value) for item in signature.highest]
    solved += [name for name, (key, _) in page.known.items() if key == "pd"]
    together = frozenset(name for name in solved if name in values and is_motion)
    return KnownState(values, rates, is_motion, accelerations=together)
