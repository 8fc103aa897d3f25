"""Values that a caller puts in, and values that nobody gives: what makes a run meaningless."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from mbx.analyses.experiments.experiment_plan import NotRunError, RefusedValueError
from mbx.base.diagnostics import Report
from mbx.checking.expressions.scope import binding_of
from mbx.checking.rules.values import findings_with

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from mbx.base.diagnostics import Diagnostic
    from mbx.checking.context import Context
    from mbx.checking.expressions.scope import Symbol
    from mbx.checking.rules.joints import Parents

__all__ = ["check_put_in", "require_values", "warnings_put_in"]


def check_put_in(
    context: Context,
    parents: Parents,
    values: Mapping[str, float],
    called: Mapping[str, float],
    option: str,
) -> None:
    """Raise `RefusedValueError` where some values make errors in a model.

    `called` are those of them that the caller gave, by an `option`; those of an experiment were
    checked with the model.
    """
    if not called:
        return
    symbols = {s.path: s for s in context.order if s.kind in {"param", "input"}}
    pinned = {symbols[path]: x for path, x in values.items() if path in symbols}
    for path, x in called.items():
        if not isfinite(x):
            raise NotRunError(f"{option} {path}={x:g}: expected a finite number".strip())
    errors = _errors(context, parents, pinned)
    if not errors:
        return
    report = Report()
    for error in errors:
        culprits = [
            path
            for path in called
            if path in symbols and not _remains(error, context, parents, pinned, symbols[path])
        ]
        options = ", ".join(f"{option} {p}={called[p]:g}".strip() for p in culprits or called)
        report.add(error.code, f"with {options}, {error.message}", error.span, help=error.help)
    raise RefusedValueError(report)


def warnings_put_in(
    context: Context, parents: Parents, called: Mapping[str, float], option: str
) -> Report:
    """Return what a model is warned of with values that the caller gave, and not without them."""
    symbols = {s.path: s for s in context.order if s.kind in {"param", "input"}}
    pinned = {symbols[path]: x for path, x in called.items() if path in symbols}
    report = Report()
    known = {(x.code, x.message) for x in findings_with(context, parents, {})}
    options = ", ".join(f"{option} {path}={x:g}".strip() for path, x in called.items())
    for finding in findings_with(context, parents, pinned):
        if finding.severity == "warning" and (finding.code, finding.message) not in known:
            message = f"with {options}, {finding.message}"
            report.add(finding.code, message, finding.span, severity="warning", help=finding.help)
    return report


def _errors(context: Context, parents: Parents, pinned: Mapping[Symbol, float]) -> list[Diagnostic]:
    findings = findings_with(context, parents, pinned)
    return [finding for finding in findings if finding.severity == "error"]


def _remains(
    fault: Diagnostic,
    context: Context,
    parents: Parents,
    pinned: Mapping[Symbol, float],
    without: Symbol,
) -> bool:
    """Return whether a fault is there without one of the values, too."""
    rest = {s: x for s, x in pinned.items() if s is not without}
    left = _errors(context, parents, rest)
    return any((x.code, x.span) == (fault.code, fault.span) for x in left)


def require_values(context: Context, known: Collection[str]) -> None:
    """Raise `RefusedValueError` for parameters and inputs that have no value.

    `known` are inputs that are set or sought.
    """
    report = Report()
    for symbol in context.order:
        if symbol.kind not in {"param", "input"} or symbol.path in known:
            continue
        valued = symbol.node.value is not None or binding_of(symbol) is not None
        if not valued and symbol not in context.values:
            what = "parameter" if symbol.kind == "param" else "input"
            report.add(
                "MBX4163",
                f"{what} '{symbol.path}' has no value",
                symbol.at,
                help="give it one where it is declared, by `set` in an experiment, or by --set"
                f" {symbol.path}=VALUE",
            )
    if not report.ok:
        raise RefusedValueError(report)
