"""Check of inverse dynamics: the forces on the rates of a tree that a motion needs.

They are compared at the accelerations of the form, and at random accelerations, which replace
those of the form.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mbx.verify.agreement.reference.sized import Sized, stack
from mbx.verify.agreement.reference.tree_sums import Accelerated
from mbx.verify.agreement.results.examined_form import Difference
from mbx.verify.agreement.results.wrench_checks import loads_on_links

if TYPE_CHECKING:
    from mbx.formalism.equations import Equations
    from mbx.verify.agreement.results.examined_form import Differences, Subject

__all__ = ["check_inverse"]

_SEED = 1


def check_inverse(subject: Subject) -> Differences:
    """Compare tau with the wrenches of inertia less loads on the hinges."""
    loads = loads_on_links(subject)
    gap = subject.result("tau") - _needed(subject.accelerated, loads)
    yield Difference("tau", gap, subject.coupling.in_rates(gap.size))
    if not subject.tree.zd.shape[1]:
        return
    zdd = subject.accelerated.zdd
    size = zdd.size.max(axis=0, keepdims=True, initial=0.0)
    usual = np.nan_to_num(np.where(size > 0, size, 1.0), nan=1.0)
    other = usual * np.random.default_rng(_SEED).standard_normal(zdd.shape)
    equations = subject.equations
    name = _accelerations_of_tree(equations)
    steps = [
        replace(s, op="given", args=(), signs=(), grid=(), size=(zdd.shape[1], 1))
        if s.name == name
        else s
        for s in equations.steps
    ]
    changed = replace(equations, steps=tuple(steps), residuals=())
    tau = subject.reference.source.matrix(changed, {name: other}, equations.results["tau"])
    expected = _needed(Accelerated(subject.tree, Sized.of(other)), loads)
    yield Difference("tau of random accelerations", Sized.of(tau) - expected)


def _accelerations_of_tree(equations: Equations) -> str:
    """Return the name of the column whose rows are the accelerations of the hinges."""
    steps = {step.name: step for step in equations.steps}
    reads = [step for name, step in steps.items() if name.startswith("zdd_")]
    for step in reads:
        if step.op == "rows":
            return step.args[0]
    copied = steps[reads[0].args[0]]  # a single hinge reads all rows, which may have a name already
    return copied.args[0] if copied.op == "rows" else copied.name


def _needed(moved: Accelerated, loads: list[Sized]) -> Sized:
    """Return A^T times inertia less loads of all that hangs on each hinge."""
    tree = moved.tree
    left = [momentum.rate - load for momentum, load in zip(moved.momenta, loads, strict=True)]
    rows = []
    for k, link in enumerate(tree.links.links):
        if link.freedoms:
            total = None
            for i in tree.behind(k):
                total = left[i] if total is None else total + left[i]
            if total is not None:
                rows.append([tree.A[k].now.T @ total])
    return stack(rows) if rows else tree.zd
