"""Certificates: that the forms of a model agreed, in a file that another machine can check.

To check it is to verify the model again as the certificate states that it was verified: the
states are drawn anew from the seed. Nothing in the file is believed, and all of it must come
out, up to rounding.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from mbx.analyses.guard import Clock
from mbx.base.files import FILE_BYTES
from mbx.base.round_up import round_up
from mbx.numerics.execute.stacked_algebra import EPS
from mbx.verify.agreement.state_parts import merge
from mbx.verify.certificate.certificate_file import (
    ORACLE,
    Asked,
    Certificate,
    CertificateError,
    FormRecord,
    Left,
    Margin,
    Met,
    Part,
    Tolerances,
    first_fault,
    write_certificate,
)
from mbx.verify.certificate.confirm_margins import SLACK, confirm_margins
from mbx.verify.derived_forms import Candidate, candidates
from mbx.verify.run_verification import Options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mbx.linking.link import Linked
    from mbx.system.system import System
    from mbx.verify.findings import Error
    from mbx.verify.verification import Verification

__all__ = ["certify", "confirm", "request_of", "require_model", "weaknesses"]

SAME: Final = 1e-9
"""Part of the size of a variable by which a state may come out differently elsewhere."""
_DIGITS: Final = 3
"""Digits of an error in a certificate."""
VALUE: Final = 0.1
"""Part of the tolerance of a reference by which its value may come out differently elsewhere."""

_PACKAGES: Final = ("mbx", "numpy", "scipy", "python-flint", "mpmath")


def certify(
    linked: Linked,
    options: Options,
    parts: Sequence[Verification],
    *,
    date: str = "",
    maker: str = "",
) -> str:
    """Return the certificate of a verification whose forms agree, as text.

    It has a date and the name of its maker only where these are given: the same verification
    gives the same bytes.
    """
    whole = merge(parts)
    if not whole.ok:
        raise CertificateError(f"there is nothing to certify: {whole.summary()}")
    if options.points:
        raise CertificateError("it would not be one: states that no seed draws cannot be repeated")
    try:
        certificate = _record(linked, options, whole, parts, date=date, maker=maker)
    except ValidationError as bad:
        raise CertificateError(f"it would not be one: {first_fault(bad)}") from None
    text = write_certificate(certificate)
    if len(text) > FILE_BYTES:
        raise CertificateError(f"it would be larger than {FILE_BYTES} bytes; take fewer states")
    return text


def _record(
    linked: Linked,
    options: Options,
    whole: Verification,
    parts: Sequence[Verification],
    *,
    date: str = "",
    maker: str = "",
) -> Certificate:
    variables = list(whole.points[0].values)
    margins = list(_margins(whole))
    return Certificate(
        model=whole.model,
        hash=linked.hash,
        experiment_hash=linked.experiment_hash,
        verdict="agree",
        date=date,
        maker=maker,
        asked=Asked(
            forms=list(options.forms),
            states=options.states,
            oracle=options.oracle,
            seed=options.seed,
        ),
        tolerances=Tolerances(),
        forms=[_form(name, whole, margins) for name in whole.forms],
        witnesses=list(whole.witnesses),
        excluded=[
            Left(name=form.name, status=form.status, reason=form.reason) for form in whole.excluded
        ],
        margins=_largest(margins),
        references=list(_references(whole)),
        variables=variables,
        parts=[_part(part, variables) for part in parts],
        versions=_versions(),
    )


def _part(verification: Verification, variables: Sequence[str]) -> Part:
    return Part(
        seed=verification.seed,
        oracle=0 if verification.oracle is None else len(verification.oracle.states),
        drawn=dict(verification.drawn),
        states=[point.name for point in verification.points],
        largest=[
            max(abs(point.values[path]) for point in verification.points) for path in variables
        ],
        latest=max(abs(point.t) for point in verification.points),
    )


def _form(name: str, whole: Verification, margins: Sequence[Margin]) -> FormRecord:
    """Return a form with its largest error of each quantity."""
    largest = _largest([margin for margin in margins if name in margin.forms])
    return FormRecord(
        name=name,
        condition=_finite(whole.conditions.get(name)),
        margins={margin.quantity: margin.value for margin in largest},
        arbiter={margin.quantity: margin.arbiter for margin in largest if margin.arbiter},
        forward=[margin.quantity for margin in largest if margin.forward],
    )


def _largest(margins: Sequence[Margin]) -> list[Margin]:
    """Return the largest margin of each quantity."""
    largest: dict[str, Margin] = {}
    for margin in margins:
        known = largest.get(margin.quantity)
        if known is None or margin.value > known.value:
            largest[margin.quantity] = margin
    return list(largest.values())


def _finite(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None


def _versions() -> dict[str, str]:
    versions = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:  # an extra that is not installed
            continue
    return versions


def _margins(verification: Verification) -> Iterator[Margin]:
    """Yield every error that the verdict rests on."""

    def margin(quantity: str, forms: Sequence[str], error: Error) -> Margin:
        return Margin(
            quantity=quantity,
            forms=list(forms),
            value=round_up(error.value, _DIGITS),
            state=error.state,
            row=error.row,
            arbiter=error.arbiter,
            forward=error.forward,
        )

    for pair in verification.pairs:
        yield from (margin(what, pair.forms, error) for what, error in pair.errors())
    single: tuple[tuple[str, Mapping[str, Error]], ...] = (
        ("in its own equations", verification.own),
        ("in the invariants", verification.invariants),
        ("in its own results", verification.results),
        ("in the balance of power", verification.power),
    )
    for what, errors in single:
        yield from (margin(what, [name], error) for name, error in errors.items())
    for route, error in verification.routes.items():
        yield margin(f"inertia forces by {route}", [], error)
    for method, error in verification.linear.items():
        yield margin(f"{method} linearisation", [], error)
    for level, error in verification.levels.items():
        yield margin(f"invariants of {level}", [], error)
    if verification.oracle is not None:
        for name in verification.forms:
            for what, error in verification.oracle.errors(name):
                yield margin(ORACLE + what, [name], error)
        if verification.oracle.invariants is not None:
            yield margin(f"{ORACLE}invariants", [], verification.oracle.invariants)


def _references(verification: Verification) -> Iterator[Met]:
    """Yield what experiments expect and the forms give."""
    for reference in verification.references:
        yield Met.model_validate(
            {key: value for key, value in reference.as_json().items() if key in Met.model_fields}
        )


# -- checking --------------------------------------------------------------------------------


def require_model(certificate: Certificate, linked: Linked) -> None:
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


def request_of(certificate: Certificate, timeout: float) -> Options:
    """Return the verification that a certificate states, to be done again."""
    request = certificate.asked
    return Options(
        forms=tuple(request.forms),
        states=request.states,
        oracle=request.oracle,
        seed=request.seed,
        timeout=timeout,
    )


def weaknesses(options: Options, forms: Sequence[str], system: System) -> list[str]:
    """Return in what a verification was requested with less than the default."""
    usual = Options()
    reasons = []
    if options.states < usual.states:
        reasons.append(f"{options.states} random states, and the default is {usual.states}")
    if options.oracle < usual.oracle:
        reasons.append(f"the oracle at {options.oracle} states, and the default is {usual.oracle}")
    if options.forms:
        every = candidates(system, (), Clock.of(options.timeout, options.timeout))
        missing = [x.name for x in every if isinstance(x, Candidate) and x.name not in forms]
        if missing:
            rest = f" and {len(missing) - 1} more" if missing[1:] else ""
            reasons.append(f"without the form {missing[0]}{rest}, which the default compares")
    return reasons


def confirm(
    certificate: Certificate, linked: Linked, options: Options, parts: Sequence[Verification]
) -> list[str]:
    """Raise an error unless all that a certificate states came out again; return what to note."""
    for part, verification in zip(certificate.parts, parts, strict=True):
        _confirm_states(part, verification, certificate.variables)
    whole = merge(parts)
    if not whole.ok:
        findings = "; ".join(whole.remarks())
        raise CertificateError(f"the forms do not agree at its states: {whole.verdict}; {findings}")
    now = _record(linked, options, whole, parts)
    for what in ("model", "variables", "witnesses", "excluded"):
        if getattr(certificate, what) != getattr(now, what):
            raise CertificateError(f"'{what}' does not come out again")
    _confirm_forms(certificate, now)
    _confirm_references(certificate, now)
    confirm_margins(certificate, now)
    for stated, again in zip(certificate.parts, now.parts, strict=True):
        if stated.oracle != again.oracle:
            raise CertificateError(
                f"the oracle answers at {again.oracle} states of seed {stated.seed},"
                f" and it says {stated.oracle}"
            )
    return [
        f"made with {name} {certificate.versions.get(name, 'none')},"
        f" checked with {now.versions.get(name, 'none')}"
        for name in sorted({*now.versions, *certificate.versions})
        if certificate.versions.get(name) != now.versions.get(name)
    ]


def _confirm_states(part: Part, verification: Verification, variables: Sequence[str]) -> None:
    """Raise an error unless the states of a part are those that its seed draws."""
    seed = part.seed
    if set(part.drawn) != set(verification.drawn) or not all(
        _close(part.drawn[path], value, abs(value)) for path, value in verification.drawn.items()
    ):
        raise CertificateError(f"other parameters are drawn from seed {seed} than it says")
    names = [point.name for point in verification.points]
    for name in part.states:
        if name not in names:
            raise CertificateError(f"its state '{name}' is not drawn from seed {seed}")
    for name in names:
        if name not in part.states:
            raise CertificateError(f"it lacks the state '{name}', which seed {seed} draws")
    if part.states != names:
        raise CertificateError(f"its states are not in the order in which seed {seed} draws them")
    if any(set(point.values) != set(variables) for point in verification.points):
        raise CertificateError("its variables are not those of the model")
    sizes = {path: max(abs(p.values[path]) for p in verification.points) for path in variables}
    latest = max(abs(point.t) for point in verification.points)
    stated = [*zip(variables, part.largest, strict=True), ("t", part.latest)]
    for path, size in stated:
        again = latest if path == "t" else sizes[path]
        if not _close(size, again, again):
            raise CertificateError(
                f"its states are not drawn from seed {seed}: {path} is {size:g} at most,"
                f" and {again:g} is drawn"
            )


def _close(stated: float, again: float, size: float) -> bool:
    return abs(stated - again) <= SAME * size


def _confirm_forms(certificate: Certificate, now: Certificate) -> None:
    """Raise an error unless the forms are those that were compared, with their conditions."""
    stated, again = ({x.name: x.condition for x in c.forms} for c in (certificate, now))
    for name in stated:
        if name not in again:
            raise CertificateError(f"{name} cannot be compared here")
    for name in again:
        if name not in stated:
            raise CertificateError(f"it lacks the form {name}, which is compared")
    for name, value in again.items():
        # larger values are rounding themselves, and may not be finite
        pair = [1 / EPS if x is None else min(x, 1 / EPS) for x in (stated[name], value)]
        if max(pair) > SLACK * min(pair):
            raise CertificateError(
                f"the condition number of {name} is {_shown(value)}, and it says"
                f" {_shown(stated[name])}"
            )


def _shown(value: float | None) -> str:
    return "none" if value is None else f"{value:.1e}"


def _confirm_references(certificate: Certificate, now: Certificate) -> None:
    """Raise an error unless references are those of the model, with the values that come out."""

    def key(reference: Met) -> tuple[object, ...]:
        return (
            reference.experiment,
            reference.quantity,
            reference.at,
            reference.kind,
            reference.expected,
            reference.within,
            reference.by,
        )

    if [key(x) for x in certificate.references] != [key(x) for x in now.references]:
        raise CertificateError("its references are not those of the model")
    for stated, again in zip(certificate.references, now.references, strict=True):
        allowance = max(VALUE * again.within, SAME * abs(again.found))
        if abs(stated.found - again.found) > allowance:
            raise CertificateError(
                f"its reference {stated.experiment}, {stated.quantity} {stated.at} does not come"
                f" out again: {again.found:g}, and it says {stated.found:g}"
            )
