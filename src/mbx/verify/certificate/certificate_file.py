"""The file of a certificate: what it is made of, how it is written, and read from anybody.

States are drawn from a seed, so the file has their names and how large each variable gets, and
not their values. Of the errors it has the largest of each form, and where the largest of all is.

A certificate may come from anywhere. Everything in it has a size, no number is infinite, no key
is unknown, and its parts must fit each other before anything is done with it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mbx.analyses.experiments.provenance import Kind  # noqa: TC001  pydantic needs it
from mbx.base.diagnostics import Source, safe_text
from mbx.base.errors import MbxError, SourceError
from mbx.base.files import read_source
from mbx.language.json.strict_json import load
from mbx.verify.agreement.mutual_residuals import FAIL, PASS
from mbx.verify.agreement.state_counts import kind_of
from mbx.verify.agreement.state_parts import part_sizes
from mbx.verify.findings import Error, judge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = [
    "ACCELERATIONS",
    "ORACLE",
    "VERSION",
    "Asked",
    "Certificate",
    "CertificateError",
    "FormRecord",
    "Left",
    "Margin",
    "Met",
    "OldCertificateError",
    "Part",
    "Tolerances",
    "certificate_schema",
    "error_of",
    "first_fault",
    "load_certificate",
    "margins_of",
    "read_certificate",
    "write_certificate",
]

VERSION: Final = 3
"""The version of the file; it moves when a reader would refuse, or misread, the new version."""
ACCELERATIONS: Final = "accelerations"
ORACLE: Final = "beside the oracle, "
"""What the name of a quantity begins with that compares a form with the oracle."""

STATES: Final = 10_000
"""Most random states that can be requested."""

Name = Annotated[str, Field(max_length=1_000)]
Sentence = Annotated[str, Field(max_length=10_000)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Size = Annotated[float, Field(allow_inf_nan=False, ge=0)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]


class CertificateError(MbxError):
    """A certificate is refused; the message states why."""


class OldCertificateError(CertificateError):
    """A certificate is of an older version of the file, which holds too little to be checked."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_by_name=True)


class Asked(_Record):
    """What the verification was asked for."""

    forms: Annotated[list[Name], Field(max_length=100)]
    states: Annotated[int, Field(ge=1, le=STATES)]
    oracle: Count
    seed: Count


class Tolerances(_Record):
    """Up to which error forms agree, and above which they disagree."""

    agree: Annotated[Finite, Field(alias="pass")] = PASS
    disagree: Annotated[Finite, Field(alias="fail")] = FAIL


class FormRecord(_Record):
    """A form that was compared: the condition of its inertia matrix, and its largest errors.

    `margins` has an error for each quantity, the largest against any other form where forms are
    compared in pairs. `arbiter` has what the arbiter decided on those above the tolerance, and
    `forward` names those that were measured forward.
    """

    name: Name
    condition: Annotated[Finite, Field(ge=0)] | None = None
    margins: Annotated[dict[Name, Size], Field(max_length=1_000)]
    arbiter: Annotated[dict[Name, Name], Field(max_length=1_000)] = Field(default_factory=dict)
    forward: Annotated[list[Name], Field(max_length=1_000)] = Field(default_factory=list)


class Left(_Record):
    """A form that was not compared, and why."""

    name: Name
    status: Name
    reason: Sentence


class Part(_Record):
    """States that were drawn from one seed, with the values of parameters that have none.

    `largest` is how large each variable gets at these states, and `latest` the time, in SI units.
    """

    seed: Count
    oracle: Annotated[int, Field(ge=0, le=10_000)]
    drawn: Annotated[dict[Name, Finite], Field(max_length=10_000)]
    states: Annotated[list[Name], Field(min_length=1, max_length=10_000)]
    largest: Annotated[list[Size], Field(max_length=10_000)]
    latest: Size


class Margin(_Record):
    """The largest error of a quantity over all forms, and where it is."""

    quantity: Name
    forms: Annotated[list[Name], Field(max_length=2)]
    value: Size
    state: Name = ""
    row: Name = ""
    arbiter: Name = ""
    forward: bool = False


class Met(_Record):
    """A value that an experiment expects, in SI units, and the worst that the forms give."""

    experiment: Name
    quantity: Sentence
    at: Sentence
    kind: Kind | None = None
    expected: Finite
    within: Annotated[Finite, Field(gt=0)]
    found: Finite
    by: Name


class Certificate(_Record):
    """That the forms of a model agreed: at which states, how closely, and computed by what.

    `date` and `maker` are what the maker states, and nothing proves them. `digest` is the SHA-256
    of the canonical form (RFC 8785) of everything else.
    """

    mbx_certificate: Literal[3] = VERSION
    model: Name
    hash: Hash
    experiment_hash: Hash
    verdict: Literal["agree"]
    date: Name = ""
    maker: Name = ""
    asked: Asked
    tolerances: Tolerances
    forms: Annotated[list[FormRecord], Field(min_length=1, max_length=100)]
    witnesses: Annotated[list[Name], Field(max_length=100)]
    excluded: Annotated[list[Left], Field(max_length=100)]
    margins: Annotated[list[Margin], Field(min_length=1, max_length=1_000)]
    references: Annotated[list[Met], Field(max_length=10_000)]
    variables: Annotated[list[Name], Field(max_length=10_000)]
    parts: Annotated[list[Part], Field(min_length=1, max_length=200)]
    versions: Annotated[dict[Name, Name], Field(max_length=100)]
    digest: Hash = "0" * 64


def certificate_schema() -> dict[str, Any]:
    """Return the JSON schema of a certificate."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:mbx:schema:certificate:{VERSION}",
        **Certificate.model_json_schema(),
    }


# -- writing ---------------------------------------------------------------------------------


def write_certificate(certificate: Certificate) -> str:
    """Return a certificate as text, with its digest; each record of a list on a line."""
    data = certificate.model_dump(mode="json", by_alias=True)
    data["digest"] = _digest(data)
    lines = (f"  {json.dumps(key)}: {_lay_out(value)}" for key, value in data.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _digest(data: dict[str, Any]) -> str:
    import rfc8785  # only for certificates that are well formed

    rest = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(rfc8785.dumps(rest)).hexdigest()


def _lay_out(value: Any) -> str:
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + ",\n".join(f"    {json.dumps(item)}" for item in value) + "\n  ]"
    return json.dumps(value)


# -- reading ---------------------------------------------------------------------------------


def load_certificate(path: Path) -> Certificate:
    """Return the certificate in a file, or raise `CertificateError`; `SourceError` without one."""
    try:
        text = read_source(path).text
    except SourceError as bad:
        if all(fault.code.startswith(("MBX5", "MBX7")) for fault in bad.report):
            raise  # the file is too large, or cannot be read
        raise CertificateError(next(fault.message for fault in bad.report)) from None
    return read_certificate(text, str(path))


def read_certificate(text: str, name: str) -> Certificate:
    """Return the certificate in a text, or raise `CertificateError`."""
    try:
        data = load(Source(name, text))
    except SourceError as bad:
        raise CertificateError(next(error.message for error in bad.report)) from None
    if not isinstance(data, dict) or "mbx_certificate" not in data:
        raise CertificateError("it is no certificate: it has no key 'mbx_certificate'")
    if data["mbx_certificate"] != VERSION or isinstance(data["mbx_certificate"], bool):
        shown = safe_text(str(data["mbx_certificate"])[:20])
        message = f"it is of version {shown}, and this mbx knows version {VERSION}"
        if type(data["mbx_certificate"]) is int and 0 < data["mbx_certificate"] < VERSION:
            raise OldCertificateError(message)
        raise CertificateError(message)
    try:
        # through JSON once more: only there does strict mode take 1 for a float
        certificate = Certificate.model_validate_json(json.dumps(data))
    except ValidationError as bad:
        raise CertificateError(first_fault(bad)) from None
    if certificate.digest != _digest(data):
        raise CertificateError("it was changed after it was made: its digest does not fit")
    _require(certificate)
    return certificate


def first_fault(bad: ValidationError) -> str:
    """Return what is wrong with a certificate first."""
    error = bad.errors(include_url=False)[0]
    key = safe_text(".".join(map(str, error["loc"]))[:100])
    if error["type"] == "extra_forbidden":
        return f"it has a key that is not known, '{key}'"
    if error["type"] == "missing":
        return f"it lacks '{key}'"
    return f"'{key}': {error['msg'][:1].lower()}{error['msg'][1:]}"


def _require(certificate: Certificate) -> None:
    """Raise an error unless all parts of a certificate fit each other."""
    if certificate.tolerances != Tolerances():
        raise CertificateError(f"its tolerances are not {PASS:.0e} and {FAIL:.0e}")
    names = [form.name for form in certificate.forms]
    _unique("form", names)
    _unique("variable", certificate.variables)
    _require_counts(certificate)
    for k, part in enumerate(certificate.parts):
        if part.seed != certificate.asked.seed + k:
            raise CertificateError(
                f"part {k + 1} has the seed {part.seed}, not {certificate.asked.seed + k}"
            )
        _unique("state", part.states)
        if len(part.largest) != len(certificate.variables):
            raise CertificateError(
                f"seed {part.seed} has {len(part.largest)} sizes, and there are"
                f" {len(certificate.variables)} variables"
            )
    _require_margins(certificate, names)
    for reference in certificate.references:
        if abs(reference.found - reference.expected) > reference.within:
            raise CertificateError(
                f"its own references are not met: {reference.experiment}, {reference.quantity}"
                f" {reference.at}"
            )


def _require_margins(certificate: Certificate, names: list[str]) -> None:
    """Raise an error unless all margins agree by themselves, and none is missing."""
    _unique("margin", [margin.quantity for margin in certificate.margins])
    whole = {margin.quantity: margin for margin in certificate.margins}
    for margin in certificate.margins:
        if not set(margin.forms) <= set(names):
            raise CertificateError(f"a margin is of {' and '.join(margin.forms)}: no forms of it")
        _agreed(margin.quantity, margin.forms, error_of(margin))
    for form in certificate.forms:
        if not {*form.arbiter, *form.forward} <= set(form.margins):
            raise CertificateError(f"the arbiter decided on what is no margin of {form.name}")
        for quantity, error in margins_of(form):
            _agreed(quantity, [form.name], error)
            if quantity not in whole:
                raise CertificateError(f"it lacks the margin of {quantity}")
            if error.value > whole[quantity].value:
                raise CertificateError(
                    f"its margin of {quantity} is {whole[quantity].value:.1e}, and that of"
                    f" {form.name} is {error.value:.1e}"
                )
        for quantity in (
            *[ACCELERATIONS] * (len(names) > 1),
            *[ORACLE + ACCELERATIONS] * any(part.oracle for part in certificate.parts),
        ):
            if quantity not in form.margins:
                raise CertificateError(f"it lacks the margin of {form.name}, {quantity}")


def margins_of(form: FormRecord) -> Iterator[tuple[str, Error]]:
    """Yield every quantity of a form with its largest error."""
    for quantity, value in form.margins.items():
        arbiter, forward = form.arbiter.get(quantity, ""), quantity in form.forward
        yield quantity, Error(value, "", "", arbiter, forward)


def error_of(margin: Margin) -> Error:
    """Return the error that a margin states."""
    return Error(margin.value, margin.state, margin.row, margin.arbiter, margin.forward)


def _agreed(quantity: str, forms: list[str], error: Error) -> None:
    """Raise an error unless a margin is within the tolerance of agreement."""
    if judge(error) != "agree" or error.arbiter not in {"", "rounding"}:
        of = f" of {' and '.join(forms)}" if forms else ""
        raise CertificateError(f"its own margins do not agree: {quantity}{of}, {error.value:.1e}")


def _require_counts(certificate: Certificate) -> None:
    """Raise an error unless there are as many states as were requested.

    That is looked at first: to draw as many as a file pleases to name would take long.
    """
    sizes = part_sizes(certificate.asked.states)
    if len(certificate.parts) != len(sizes):
        raise CertificateError(
            f"it asks for {certificate.asked.states} states, which are {len(sizes)} parts, and has"
            f" {len(certificate.parts)}"
        )
    for part, size in zip(certificate.parts, sizes, strict=True):
        random = sum(kind_of(state) == "random" for state in part.states)
        if random < size:
            raise CertificateError(
                f"it asks for {size} random states of seed {part.seed}, and has {random}"
            )
        if part.oracle < min(certificate.asked.oracle, 1):
            raise CertificateError(
                f"it asks for the oracle, which is at no state of seed {part.seed}"
            )


def _unique(what: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise CertificateError(f"it has the {what} '{name}' twice")
        seen.add(name)
