"""The file of a certificate: what it is made of, how it is written, and read from anybody.

A certificate may come from anywhere. Everything in it has a size, no number is infinite, no key
is unknown, and its parts must fit each other before anything is done with it.
"""

from __future__ import annotations

import hashlib
import json
from itertools import combinations
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mbx.analyses.experiments.provenance import Kind  # noqa: TC001  pydantic needs it
from mbx.base.diagnostics import Source, safe_text
from mbx.base.errors import MbxError, SourceError
from mbx.language.json.strict_json import load
from mbx.verify.agreement.mutual_residuals import FAIL, PASS
from mbx.verify.agreement.state_counts import kind_of
from mbx.verify.agreement.state_parts import part_sizes
from mbx.verify.findings import Error, judge

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
    "State",
    "Tolerances",
    "certificate_schema",
    "first_fault",
    "read_certificate",
    "write_certificate",
]

VERSION: Final = 2
"""The version of the file; it moves when a reader would refuse, or misread, the new one."""
ACCELERATIONS: Final = "accelerations"
ORACLE: Final = "beside the oracle, "
"""What the name of a quantity begins with that compares a form with the oracle."""

STATES: Final = 10_000
"""Most random states that can be asked for."""

Name = Annotated[str, Field(max_length=1_000)]
Sentence = Annotated[str, Field(max_length=10_000)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Count = Annotated[int, Field(ge=0, le=2**53 - 1)]


class CertificateError(MbxError):
    """A certificate is refused; the message says why."""


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
    """A form that was compared, and the largest condition number of its inertia matrix."""

    name: Name
    condition: Annotated[Finite, Field(ge=0)] | None = None


class Left(_Record):
    """A form that was not compared, and why."""

    name: Name
    status: Name
    reason: Sentence


class State(_Record):
    """A state in numbers: time in s, and the variables in their order, in SI units."""

    name: Name
    t: Finite
    values: Annotated[list[Finite], Field(max_length=10_000)]


class Part(_Record):
    """States that were drawn from one seed, with the values of parameters that have none."""

    seed: Count
    oracle: Annotated[int, Field(ge=0, le=10_000)]
    drawn: Annotated[dict[Name, Finite], Field(max_length=10_000)]
    states: Annotated[list[State], Field(min_length=1, max_length=10_000)]


class Margin(_Record):
    """The largest error of a quantity, of one form or of two, and where it is."""

    quantity: Name
    forms: Annotated[list[Name], Field(max_length=2)]
    value: Annotated[Finite, Field(ge=0)]
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

    `digest` is the SHA-256 of the canonical form (RFC 8785) of everything else.
    """

    mbx_certificate: Literal[2] = VERSION
    model: Name
    hash: Hash
    experiment_hash: Hash
    verdict: Literal["agree"]
    asked: Asked
    tolerances: Tolerances
    forms: Annotated[list[FormRecord], Field(min_length=1, max_length=100)]
    witnesses: Annotated[list[Name], Field(max_length=100)]
    excluded: Annotated[list[Left], Field(max_length=100)]
    margins: Annotated[list[Margin], Field(min_length=1, max_length=50_000)]
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
    """Return a certificate as text, with its digest; every state has a line of its own."""
    data = certificate.model_dump(mode="json", by_alias=True)
    data["digest"] = _digest(data)
    return _layout(data, 2) + "\n"


def _digest(data: dict[str, Any]) -> str:
    import rfc8785  # noqa: PLC0415  only for certificates that are well formed

    rest = {key: value for key, value in data.items() if key != "digest"}
    return hashlib.sha256(rfc8785.dumps(rest)).hexdigest()


def _layout(value: Any, space: int) -> str:
    """Return JSON in which a record that holds no other record is on one line."""
    inner = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(inner, list) or not any(map(_has_records, inner)):
        return json.dumps(value)
    pad = " " * space
    if isinstance(value, dict):
        lines = [f"{pad}{json.dumps(k)}: {_layout(v, space + 2)}" for k, v in value.items()]
        return "{\n" + ",\n".join(lines) + "\n" + pad[2:] + "}"
    lines = [pad + _layout(one, space + 2) for one in value]
    return "[\n" + ",\n".join(lines) + "\n" + pad[2:] + "]"


def _has_records(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_records, value)))


# -- reading ---------------------------------------------------------------------------------


def read_certificate(text: str, name: str) -> Certificate:
    """Return the certificate that a text spells, or raise `CertificateError`."""
    try:
        data = load(Source(name, text))
    except SourceError as bad:
        raise CertificateError(next(one.message for one in bad.report)) from None
    if not isinstance(data, dict) or "mbx_certificate" not in data:
        raise CertificateError("it is no certificate: it has no key 'mbx_certificate'")
    if data["mbx_certificate"] != VERSION or isinstance(data["mbx_certificate"], bool):
        shown = safe_text(str(data["mbx_certificate"])[:20])
        told = f"it is of version {shown}, and this mbx knows version {VERSION}"
        if type(data["mbx_certificate"]) is int and 0 < data["mbx_certificate"] < VERSION:
            raise OldCertificateError(told)
        raise CertificateError(told)
    try:
        # through JSON once more: only there does strict mode take 1 for a float
        found = Certificate.model_validate_json(json.dumps(data))
    except ValidationError as bad:
        raise CertificateError(first_fault(bad)) from None
    if found.digest != _digest(data):
        raise CertificateError("it was changed after it was made: its digest does not fit")
    _require(found)
    return found


def first_fault(bad: ValidationError) -> str:
    """Return what is wrong with a certificate first."""
    one = bad.errors(include_url=False)[0]
    place = safe_text(".".join(map(str, one["loc"]))[:100])
    if one["type"] == "extra_forbidden":
        return f"it has a key that is not known, '{place}'"
    if one["type"] == "missing":
        return f"it lacks '{place}'"
    return f"'{place}': {one['msg'][:1].lower()}{one['msg'][1:]}"


def _require(found: Certificate) -> None:
    """Raise an error unless all parts of a certificate fit each other."""
    if found.tolerances != Tolerances():
        raise CertificateError(f"its tolerances are not {PASS:.0e} and {FAIL:.0e}")
    names = [one.name for one in found.forms]
    _unique("form", names)
    _unique("variable", found.variables)
    _require_counts(found)
    for k, part in enumerate(found.parts):
        if part.seed != found.asked.seed + k:
            raise CertificateError(
                f"part {k + 1} has the seed {part.seed}, not {found.asked.seed + k}"
            )
        _unique("state", [state.name for state in part.states])
        for state in part.states:
            if len(state.values) != len(found.variables):
                raise CertificateError(
                    f"{state.name} of seed {part.seed} has {len(state.values)} values,"
                    f" and there are {len(found.variables)} variables"
                )
    keys = [(one.quantity, tuple(one.forms)) for one in found.margins]
    _unique("margin", [f"{quantity} of {' and '.join(forms)}" for quantity, forms in keys])
    for one in found.margins:
        if not set(one.forms) <= set(names):
            raise CertificateError(f"a margin is of {' and '.join(one.forms)}: no forms of it")
        verdict = judge(Error(one.value, one.state, one.row, one.arbiter, one.forward))
        if verdict != "agree" or one.arbiter not in {"", "rounding"}:
            raise CertificateError(
                f"its own margins do not agree: {one.quantity} of {' and '.join(one.forms)},"
                f" {one.value:.1e}"
            )
    for reference in found.references:
        if abs(reference.found - reference.expected) > reference.within:
            raise CertificateError(
                f"its own references are not met: {reference.experiment}, {reference.quantity}"
                f" {reference.at}"
            )
    needed: list[tuple[str, tuple[str, ...]]]
    needed = [(ACCELERATIONS, pair) for pair in combinations(names, 2)]
    if any(part.oracle for part in found.parts):
        needed += [(ORACLE + ACCELERATIONS, (name,)) for name in names]
    for quantity, forms in needed:
        if (quantity, forms) not in keys:
            raise CertificateError(f"it lacks the margin of {' and '.join(forms)}, {quantity}")


def _require_counts(found: Certificate) -> None:
    """Raise an error unless there are as many states as were asked for.

    That is looked at first: to draw as many as a file pleases to name would take long.
    """
    sizes = part_sizes(found.asked.states)
    if len(found.parts) != len(sizes):
        raise CertificateError(
            f"it asks for {found.asked.states} states, which are {len(sizes)} parts, and has"
            f" {len(found.parts)}"
        )
    for part, size in zip(found.parts, sizes, strict=True):
        random = sum(kind_of(state.name) == "random" for state in part.states)
        if random < size:
            raise CertificateError(
                f"it asks for {size} random states of seed {part.seed}, and has {random}"
            )
        if part.oracle < min(found.asked.oracle, 1):
            raise CertificateError(
                f"it asks for the oracle, which is at no state of seed {part.seed}"
            )


def _unique(what: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise CertificateError(f"it has the {what} '{name}' twice")
        seen.add(name)
