"""A part is added that nothing connects to the model: what was there must not change.

The largest acceleration, force or stiffness of a model must not excuse errors elsewhere in it: so
the same error of the same form must be as large as it was, and the verdict must be the same.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from mbx.analyses.guard import Fault
from mbx.numerics.execute.execute import REGULAR
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.verify.agreement.mutual_residuals import residual_errors
from self_test.metamorphic.edit import (
    NotApplicableHereError,
    fresh,
    with_statements,
)
from self_test.metamorphic.evaluate_relation import prepare
from self_test.metamorphic.measure_relation import Gap, claim_of, gaps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mbx.numerics.execute.stacked_algebra import Array
    from self_test.metamorphic.evaluate_relation import Results
    from self_test.metamorphic.question import Question

__all__ = ["PARTICLE", "SPRING", "beside"]

PARTICLE: Final = """
  coordinate {x}: m
  particle {name} {{ mass 1e-12 kg  at [{x}, 0, 0] }}
  force (1000 N)*ground.x on {name}
"""
SPRING: Final = """
  coordinate {x}: m
  body {name} {{ mass 100 g  joint prismatic(ground, axis = x, distance = {x}) }}
  spring on {x} stiffness 1e9 [N/m]
"""
_PLACE: Final = 0.25
"""Where what is added is, in m, and how fast, in m/s."""
_WRONG: Final = 1e-3
"""Part by which accelerations are made wrong, to see how large that error is judged to be."""
_SAME: Final = 2.0
"""Ratio of two sizes of an error that count as the same: rows that a form multiplies by a basis of
a null space are other ones where an added part turns that basis."""
_PLAIN: Final = 2


def beside(text: str) -> Callable[[Question], Iterator[Gap]]:
    """Return a check that statements without a connection to a model change nothing in it."""

    def look(question: Question) -> Iterator[Gap]:
        base = question.results
        if base.manifold.system.order > _PLAIN:
            raise NotApplicableHereError("it is a programme, whose unknowns are no accelerations")
        name = fresh(question.linked, "added")
        x = fresh(question.linked, "added_x")
        rate = f"{x}'"
        text_here = text.format(name=name, x=x)
        if (
            "" in base.manifold.system.independent
        ):  # a hint names all independent speeds of its level
            text_here += f"  independent {rate}\n"
        linked = with_statements(question.linked, text_here)
        more = {x: _PLACE, rate: _PLACE}
        other = question.at(prepare(linked, question.clock), _itself, more)
        yield from gaps(base, claim_of(base, other, _itself, None, (rate,)), question.clock)
        yield from _sizes(question, other)

    return look


def _itself(path: str) -> str:
    return path


def _sizes(question: Question, other: Results) -> Iterator[Gap]:
    """Yield where an error of the same accelerations is judged to be of another size."""
    base = question.results
    for name in base.forms:
        if name not in other.forms or not base.prepared.forms[name].equations.residuals:
            continue
        one, two = (_size_of_wrong(question, each, name) for each in (base, other))
        if one is None or two is None:
            continue
        # an error that is below rounding at a state has no size there
        apart = ~((two <= _SAME * one) & (one <= _SAME * two)) & ~(np.maximum(one, two) < EPS)
        for k in np.flatnonzero(apart & np.isfinite(one)):
            reason = f"an error of {one[k]:.1e} before is one of {two[k]:.1e} after the change"
            yield Gap(name, "size", base.names[k], np.inf, reason)


def _size_of_wrong(question: Question, results: Results, name: str) -> Array | None:
    """Return how large an error the form calls accelerations that are wrong by a known part.

    Only those of the original model are wrong.
    """
    right = results.forms[name]
    ours = np.array([path in question.results.speeds for path in results.speeds])
    wrong = replace(right, ud=np.where(ours, (1 + _WRONG) * right.ud, right.ud))
    found = residual_errors(
        results.prepared.forms[name],
        0,
        [right, wrong],
        results.manifold.values,
        results.points,
        results.higher,
        results.sizes,
        question.clock,
        by_size=False,  # which errors the arbiter decides is another matter
    )
    if isinstance(found, Fault):
        return None
    size = np.max([each.value[1] for each in found], axis=0)
    return np.where(right.status == REGULAR, size, np.nan)
