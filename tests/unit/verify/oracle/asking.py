"""What tests of the oracle share: models asked at states, and set against derived forms."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import mbx
from mbx.base.errors import NotApplicableError
from mbx.formalism import registry
from mbx.numerics.execute.execute import run
from mbx.numerics.states.complete import draw_higher
from mbx.numerics.states.manifold import Manifold
from mbx.numerics.states.sample import draw, draw_values
from mbx.system.elaborate import elaborate
from mbx.verify.oracle import Oracle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.linking.link import Linked
    from mbx.verify.oracle import Answer

__all__ = ["Compared", "answer", "compared", "model", "numbers"]

Compared = tuple[str, "Answer", dict[str, float], dict[str, float] | None]
"""A form, what the oracle says, and the form's accelerations and constraint forces by path."""


def model(body: str) -> str:
    """Return a document of one model with these statements."""
    return f"mbx 1\nmodel M {{\n{body}\n}}\n"


@cache
def _oracle(text: str) -> Oracle:
    return Oracle(mbx.link(mbx.loads(text)))


def answer(body: str, state: Mapping[str, Any], time: float = 0.0, **outside: Any) -> Answer:
    """Return what the oracle says of a model's statements at a state."""
    return _oracle(model(body)).at(state, time, **outside)


def numbers(found: Mapping[str, Any]) -> dict[str, float]:
    """Return numbers by path as floats."""
    return {path: float(value) for path, value in found.items()}


def compared(linked: Linked, names: tuple[str, ...], count: int, seed: int) -> Iterator[Compared]:
    """Yield, at random states, the oracle beside each of some forms that accept a model."""
    system = elaborate(linked)
    rng = np.random.default_rng(seed)
    manifold = Manifold(system, draw_values(system, rng))
    points = draw(manifold, rng, count).points
    oracle = Oracle(linked)
    answers: dict[int, Answer] = {}
    higher: dict[str, Any] = {}
    for name in names:
        try:
            form = registry.derive(system, name)
        except NotApplicableError:
            continue
        values = manifold.values
        if form.signature.higher and not higher:
            higher = draw_higher(form, values, points, seed)
        meanings = [m for m in ("ud", "Fc") if m in form.results]
        wanted = [form.results[m] for m in meanings]
        outcome = run(form, values.at(form, points, higher), wanted=wanted)
        for k in range(len(points)):
            if outcome.status[k] != "regular":
                continue
            if k not in answers:
                state = {v.path: x for v, x in zip(system.q, points.q[k], strict=True)}
                state |= {v.path: x for v, x in zip(system.u, points.u[k], strict=True)}
                state |= {path: several[k] for path, several in higher.items()}
                answers[k] = oracle.at(state, float(points.t[k]), values.parameters, values.inputs)
            columns = [outcome.matrix(one) for one in wanted]
            ud, *rest = [
                dict(zip([v.path for v in system.u], map(float, c[k, :, 0]), strict=True))
                for c in columns
                if not isinstance(c, list)
            ]
            yield name, answers[k], ud, rest[0] if rest else None
