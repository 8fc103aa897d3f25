"""Experiments: that they name what exists, and request what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from mbx.base.diagnostics import article, suggestion
from mbx.checking.context import Context, describe
from mbx.checking.expressions.infer import Inference
from mbx.checking.expressions.known_values import Evaluator
from mbx.checking.expressions.quantity import TIME, fits
from mbx.checking.expressions.scope import VARIABLES, Target, label, resolve
from mbx.language.units import ONE
from mbx.linking.expand import bare

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mbx.checking.expressions.quantity import Quantity
    from mbx.language.document.experiments import Experiment
    from mbx.language.document.expressions import Expression, Identifier, Reference

__all__ = ["LEAST", "MOST", "check_experiments"]

LEAST: Final = 1e-14
MOST: Final = 1e-2
"""Tolerances of a run: below is rounding, above is no control of a step."""


def check_experiments(context: Context) -> None:
    """Check the experiments of the model."""
    inference = Inference(context, context.root)
    for experiment in context.linked.document.experiments:
        _experiment(experiment, inference)


def _experiment(experiment: Experiment, i: Inference) -> None:
    hold_targets: set[Reference] = set()
    free_targets: set[Reference] = set()
    _once(experiment, i)
    _values_once(experiment, i)
    for task in experiment.body:
        match task.kind:
            case "set":
                for assignment in task.items:
                    _assignment(assignment, i, ("param", "input"), "set")
            case "initial":
                for assignment in task.items:
                    _assignment(assignment, i, tuple(VARIABLES), "start")
            case "initial_state" | "about":
                _state(task.state, i)
            case "simulate" | "tolerance":
                (_simulate if task.kind == "simulate" else _tolerance)(task, i)
            case "prescribe":
                _prescribe(task, i)
            case "hold":
                for item in task.items:
                    _target(item.target, i, tuple(VARIABLES), "held")
                    if item.value is not None:
                        _value(item.target, item.value, i)
                    hold_targets.add(item.target)
            case "free":
                for target in task.items:
                    _target(target, i, tuple(VARIABLES), "freed")
                    free_targets.add(target)
            case "vary":
                _vary(task, i)
            case "expect_value":
                _expect(task, i)
            case "expect_energy":
                _constant(i.scalar(task.within, None, "a tolerance"), task.within, i)
                _positive(task.within, i, "a tolerance")
    for both in hold_targets & free_targets:
        i.fault(
            "MBX4027", f"'{both.path[-1].name}' is held and freed", experiment.at, help="keep one"
        )


def _once(experiment: Experiment, i: Inference) -> None:
    """Report statements that an experiment may have once and has twice."""
    seen: set[str] = set()
    for task in experiment.body:
        if task.kind in {"simulate", "tolerance", "initial_state", "about"}:
            if task.kind in seen:
                words = task.kind.replace("_", " ")
                i.fault("MBX4043", f"'{words}' is said twice", task.at, help="keep one")
            seen.add(task.kind)


def _values_once(experiment: Experiment, i: Inference) -> None:
    """Report a second value or start of the same symbol."""
    seen: set[tuple[str, Reference]] = set()
    for task in experiment.body:
        if task.kind in {"set", "initial"}:
            for assignment in task.items:
                key = (task.kind, assignment.target)
                if key in seen:
                    i.fault("MBX4028", "one thing is said twice", assignment.at, help="keep one")
                seen.add(key)


def _target(reference: Reference, i: Inference, kinds: Iterable[str], verb: str) -> Target | None:
    """Require a symbol of the model that can be set, held or varied."""
    target = resolve(reference, i.scope, i.context.report)
    if target is None:
        return None
    if target.symbol.kind not in kinds:
        i.fault(
            "MBX3030",
            f"'{target.symbol.name}' is {article(target.symbol.kind)} and cannot be {verb}",
            reference.at,
        )
        return None
    return target


def _assignment(assignment: Any, i: Inference, kinds: tuple[str, ...], verb: str) -> None:
    words = {"set": "set", "start": "given a start"}
    target = _target(assignment.target, i, kinds, words[verb])
    if target is None:
        return
    if target.symbol.unit == "integer":
        i.fault(
            "MBX3030",
            f"'{target.symbol.name}' is structural and cannot be set by an experiment",
            assignment.target.at,
            help="bind it where the model is used",
        )
        return
    _value(assignment.target, assignment.value, i)


def _value(target: Reference, value: Expression, i: Inference) -> None:
    resolved = resolve(target, i.scope, i.context.report)
    if resolved is None:
        return
    if not target.primes:
        _constant(i.in_unit(value, resolved.symbol.unit, f"'{resolved.symbol.name}'"), value, i)
        return
    wanted, got = i.reference(target), i.scalar(value, None, "a value")
    _constant(got, value, i)
    if not fits(wanted.dimension, got.dimension):
        i.mismatch(
            "MBX4115",
            f"the rate has {describe(wanted.dimension)}, and this has {describe(got.dimension)}",
            value.at,
        )


def _state(identifier: Identifier, i: Inference) -> None:
    states = [s.name for s in i.scope.symbols.values() if s.kind == "state"]
    if label(identifier) not in states:
        i.fault(
            "MBX3025",
            f"there is no state '{identifier}'",
            identifier.at,
            help=suggestion(label(identifier), states) or None,
        )


def _simulate(task: Any, i: Inference) -> None:
    values = Evaluator(i.context, i.scope)
    times = [e for e in (task.first, task.last, task.every) if e is not None]
    for expression in times:
        _constant(i.scalar(expression, TIME, "a time"), expression, i)
    first, last = values.value(task.first), values.value(task.last)
    if first is not None and last is not None and first >= last:
        i.fault("MBX4026", f"the simulation ends at {last:g} s, before it begins", task.at)
    step = None if task.every is None else values.value(task.every)
    if step is not None and step <= 0:
        i.fault(
            "MBX4026",
            f"the simulation has a step of {step:g} s",
            task.every.at,
            help="a step is more than zero",
        )


def _tolerance(task: Any, i: Inference) -> None:
    node = task.value
    i.scalar(node, ONE, "the tolerance of a run")
    value = Evaluator(i.context, i.scope).value(node)
    if value is None:
        i.fault("MBX4029", "the tolerance of a run is a number", node.at)
    elif not LEAST <= value <= MOST:
        i.fault(
            "MBX4029",
            f"no run has a tolerance of {value:g}",
            node.at,
            help=f"it is from {LEAST:g} to {MOST:g}",
        )


def _prescribe(task: Any, i: Inference) -> None:
    motion = task.motion
    target = _target(motion.target, i, tuple(VARIABLES), "prescribed")
    if target is not None:
        wanted = i.reference(motion.target)
        got = i.scalar(motion.value, None, "a motion")
        bare_number = bare(motion.value) and not motion.target.primes
        if not fits(wanted.dimension, got.dimension) and not bare_number:
            i.mismatch(
                "MBX4112",
                f"'{target.symbol.name}' has {describe(wanted.dimension)}, and its "
                f"motion has {describe(got.dimension)}",
                motion.value.at,
            )
    for unknown in task.unknowns:
        _target(unknown, i, ("input",), "solved for")


def _vary(task: Any, i: Inference) -> None:
    target = _target(task.target, i, ("param", "input", *VARIABLES), "varied")
    if target is None:
        return
    values = Evaluator(i.context, i.scope)
    bounds = []
    for expression in (task.range.lower, task.range.upper):
        quantity = i.in_unit(expression, target.symbol.unit, f"'{target.symbol.name}'")
        _constant(quantity, expression, i)
        bounds.append(values.in_unit(expression, target.symbol.unit))
    steps = 2.0 if task.steps is None else values.value(task.steps)
    if steps is None or (steps != int(steps) or steps < 2):  # noqa: PLR2004  both bounds
        i.fault("MBX4042", "steps is a whole number of two or more", task.steps.at)
    lower, upper = bounds
    if lower is not None and upper is not None and lower >= upper:
        i.fault(
            "MBX4016",
            f"the range of '{target.symbol.name}' has no inside: {lower:g} to {upper:g}",
            task.range.at,
            help="write the lower bound first",
        )


def _expect(task: Any, i: Inference) -> None:
    quantity = i.of(task.quantity)
    if quantity.sort not in {"scalar", "unknown"}:
        i.fault(
            "MBX4033",
            f"an expected quantity is a scalar, and this is {article(quantity.sort)}",
            task.quantity.at,
            help="take a component with dot(…)",
        )
    if task.time is not None:
        _constant(i.scalar(task.time, TIME, "a time"), task.time, i)
    if task.state is not None:
        _state(task.state, i)
    if not bare(task.value):
        value = i.scalar(task.value, None, "an expected value")
        _constant(value, task.value, i)
        if not fits(value.dimension, quantity.dimension):
            i.mismatch(
                "MBX4112",
                f"{describe(quantity.dimension)} is expected to be {describe(value.dimension)}",
                task.value.at,
            )
    within = i.scalar(task.within, None, "a tolerance")
    _constant(within, task.within, i)
    if not bare(task.within) and not fits(within.dimension, quantity.dimension):
        i.mismatch(
            "MBX4112",
            f"the quantity has {describe(quantity.dimension)}, and its tolerance has "
            f"{describe(within.dimension)}",
            task.within.at,
        )
    _positive(task.within, i, "a tolerance")


def _constant(quantity: Quantity, node: Expression, i: Inference) -> None:
    """Require that a number of an experiment is made of parameters and numbers alone."""
    if quantity.order >= 0 or quantity.timed:
        i.fault(
            "MBX4024",
            "a value of an experiment names a variable, an input or the time",
            node.at,
            help="a function of time is the value of an input in the model, or a prescribed motion",
        )


def _positive(node: Expression, i: Inference, what: str) -> None:
    value = Evaluator(i.context, i.scope).value(node)
    if value is not None and value <= 0:
        i.fault(
            "MBX4029",
            f"{what} of {value:g} can never be met",
            node.at,
            help="a tolerance is more than zero",
        )
