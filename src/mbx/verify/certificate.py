"""Certificates: that the forms of a model agreed, in a file that another machine can check.

To check one is to do the comparison again, at the very states that it holds. Nothing that it
says is believed; what it says must come out.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from math import inf, isfinite
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from mbx.files import FILE_BYTES
from mbx.formalism.numerics import EPS
from mbx.verify.agree import NOISE
from mbx.verify.certificate_form import (
    ORACLE,
    Asked,
    Certificate,
    CertificateError,
    FormRecord,
    Left,
    Margin,
    Met,
    Part,
    State,
    Tolerances,
    first_fault,
    write_certificate,
)
from mbx.verify.findings import StatePoint
from mbx.verify.parts import merge
from mbx.verify.run import Options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.link.linked import Linked
    from mbx.system.system import System
    from mbx.verify.findings import Error
    from mbx.verify.report import Verification

__all__ = ["certify", "confirm", "require_model", "to_repeat"]

SLACK: Final = 100.0
"""How much larger an error may come out than the certificate says; rounding is not the same."""

_PACKAGES: Final = ("mbx", "numpy", "scipy", "python-flint", "mpmath")


def certify(linked: Linked, options: Options, parts: Sequence[Verification]) -> str:
    """Return the certificate of a verification whose forms agree, as text."""
    whole = merge(parts)
    if not whole.ok:
        raise CertificateError(f"there is nothing to certify: {whole.summary()}")
    try:
        certificate = _record(linked, options, whole, parts)
    except ValidationError as bad:
        raise CertificateError(f"it would not be one: {first_fault(bad)}") from None
    text = write_certificate(certificate)
    if len(text) > FILE_BYTES:
        raise CertificateError(f"it would be larger than {FILE_BYTES} bytes; take fewer states")
    return text


def _record(
    linked: Linked, options: Options, whole: Verification, parts: Sequence[Verification]
) -> Certificate:
    variables = list(whole.points[0].values)
    return Certificate(
        model=whole.model,
        hash=linked.hash,
        experiment_hash=linked.experiment_hash,
        verdict="agree",
        asked=Asked(
            forms=list(options.forms),
            states=options.states,
            oracle=options.oracle,
            seed=options.seed,
        ),
        tolerances=Tolerances(),
        forms=[FormRecord(name=n, condition=_finite(whole.conditions.get(n))) for n in whole.forms],
        witnesses=list(whole.witnesses),
        excluded=[
            Left(name=one.name, status=one.status, reason=one.reason) for one in whole.excluded
        ],
        margins=list(_margins(whole)),
        references=list(_references(whole)),
        variables=variables,
        parts=[_part(one, variables) for one in parts],
        versions=_versions(),
    )


def _part(found: Verification, variables: Sequence[str]) -> Part:
    return Part(
        seed=found.seed,
        oracle=0 if found.oracle is None else len(found.oracle.states),
        drawn=dict(found.drawn),
        states=[
            State(name=one.name, t=one.t, values=[one.values[path] for path in variables])
            for one in found.points
        ],
    )


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _versions() -> dict[str, str]:
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # an extra that is not installed
            continue
    return found


def _margins(found: Verification) -> Iterator[Margin]:
    """Yield every error that the verdict rests on."""

    def margin(quantity: str, forms: Sequence[str], error: Error) -> Margin:
        return Margin(
            quantity=quantity,
            forms=list(forms),
            value=error.value,
            state=error.state,
            row=error.row,
            arbiter=error.arbiter,
            forward=error.forward,
        )

    for pair in found.pairs:
        yield from (margin(what, pair.forms, error) for what, error in pair.errors())
    single: tuple[tuple[str, Mapping[str, Error]], ...] = (
        ("in its own equations", found.own),
        ("in the invariants", found.invariants),
        ("in its own results", found.results),
        ("in the balance of power", found.power),
    )
    for what, errors in single:
        yield from (margin(what, [name], error) for name, error in errors.items())
    for route, error in found.routes.items():
        yield margin(f"inertia forces by {route}", [], error)
    for level, error in found.levels.items():
        yield margin(f"invariants of {level}", [], error)
    if found.oracle is not None:
        for name in found.forms:
            for what, error in found.oracle.errors(name):
                yield margin(ORACLE + what, [name], error)
        if found.oracle.invariants is not None:
            yield margin(f"{ORACLE}invariants", [], found.oracle.invariants)


def _references(found: Verification) -> Iterator[Met]:
    """Yield what experiments expect and the forms give."""
    for one in found.references:
        yield Met.model_validate(
            {key: value for key, value in one.as_json().items() if key in Met.model_fields}
        )


# -- checking --------------------------------------------------------------------------------


def require_model(certificate: Certificate, linked: Linked, system: System) -> None:
    """Raise an error unless a certificate is for a model as it is now."""
    same = certificate.hash == linked.hash
    same_setup = certificate.experiment_hash == linked.experiment_hash
    setup = "start values, ranges, states, hints or experiments"
    if not same:
        raise CertificateError(
            f"it is for a model with the hash {certificate.hash}, and this one has {linked.hash};"
            f" the physics has changed{'' if same_setup else f', and {setup}'}"
        )
    if not same_setup:
        raise CertificateError(
            f"it is for a model with the experiment hash {certificate.experiment_hash}, and this"
            f" one has {linked.experiment_hash}; {setup} have changed, the physics has not"
        )
    for variable in (*system.q, *system.u):
        if variable.path not in certificate.variables:
            raise CertificateError(f"its states lack the variable {variable.path}")


def to_repeat(certificate: Certificate, timeout: float) -> list[Options]:
    """Return what is to be asked to have the parts of a certificate again."""
    return [
        Options(
            forms=tuple(certificate.asked.forms),
            states=len(part.states),
            oracle=part.oracle,
            seed=part.seed,
            timeout=timeout,
            references=k == 0,
            points=tuple(
                StatePoint(
                    one.name, one.t, dict(zip(certificate.variables, one.values, strict=True))
                )
                for one in part.states
            ),
        )
        for k, part in enumerate(certificate.parts)
    ]


def confirm(certificate: Certificate, parts: Sequence[Verification]) -> list[str]:
    """Raise an error unless what a certificate says came out again; return what is to be noted."""
    for part, found in zip(certificate.parts, parts, strict=True):
        _confirm_states(part, found)
    whole = merge(parts)
    if not whole.ok:
        findings = "; ".join(whole.remarks())
        raise CertificateError(f"the forms do not agree at its states: {whole.verdict}; {findings}")
    forms = [one.name for one in certificate.forms]
    missing = [name for name in forms if name not in whole.forms]
    if missing:
        raise CertificateError(f"{', '.join(missing)} cannot be compared here")
    _confirm_conditions(certificate, whole)
    _confirm_references(certificate, whole)
    more = _confirm_margins(certificate, whole)
    notes = []
    versions = _versions()
    for name in sorted({*versions, *certificate.versions}):
        then, now = certificate.versions.get(name, "none"), versions.get(name, "none")
        if then != now:
            notes.append(f"made with {name} {then}, checked with {now}")
    same = certificate.versions.get("mbx") == versions.get("mbx")
    if more and same:
        raise CertificateError(f"it lacks the margin of {more[0]}")
    if more:
        rest = f", and {len(more) - 1} more" if more[1:] else ""
        notes.append(f"it says nothing of {more[0]}{rest}")
    beside = [name for name in whole.forms if name not in forms]
    if beside:
        notes.append(f"it says nothing of {', '.join(beside)}, which agree as well")
    return notes


def _confirm_states(part: Part, found: Verification) -> None:
    if found.drawn != part.drawn:
        raise CertificateError(f"other parameters are drawn from seed {part.seed} than it says")
    compared = {one.name for one in found.points}
    for state in part.states:
        if state.name not in compared:
            why = [one for one in found.refused if one.startswith(f"{state.name}:")]
            why += [f"{one.name}: {one.status}" for one in found.states if one.name == state.name]
            raise CertificateError(
                f"one of its states cannot be compared at: {why[0] if why else state.name}"
            )


def _confirm_conditions(certificate: Certificate, whole: Verification) -> None:
    for form in certificate.forms:
        now = whole.conditions.get(form.name, 0.0)
        said = inf if form.condition is None else form.condition
        if min(now, 1 / EPS) > SLACK * said:  # larger ones are rounding themselves
            raise CertificateError(
                f"the condition number of {form.name} is {now:.1e}, and it says {said:.1e}"
            )


def _confirm_references(certificate: Certificate, whole: Verification) -> None:
    """Raise an error unless the model expects what a certificate says; it is met, or not `ok`."""
    said = [(x.experiment, x.quantity, x.at, x.expected, x.within) for x in certificate.references]
    now = [(x.experiment, x.quantity, x.at, x.expected, x.within) for x in whole.references]
    if said != now:
        raise CertificateError("its references are not those of the model")


def _confirm_margins(certificate: Certificate, whole: Verification) -> list[str]:
    """Raise an error unless all margins hold; return what it lacks for the forms that it has."""
    now = {(one.quantity, tuple(one.forms)): one.value for one in _margins(whole)}
    said = {(one.quantity, tuple(one.forms)): one.value for one in certificate.margins}
    for key, value in said.items():
        if key not in now:
            raise CertificateError(f"its margin of {_what(key)} does not come out again")
        if now[key] > max(SLACK * value, NOISE):
            raise CertificateError(
                f"its margin of {_what(key)} does not hold: {now[key]:.1e}, and it says {value:.1e}"
            )
    forms = {one.name for one in certificate.forms}
    return [_what(key) for key in now if key not in said and set(key[1]) <= forms]


def _what(key: tuple[str, tuple[str, ...]]) -> str:
    quantity, forms = key
    return f"{' and '.join(forms)}, {quantity}" if forms else quantity
