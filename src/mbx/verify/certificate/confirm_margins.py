"""Whether the errors that a certificate states come out again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mbx.verify.agreement.mutual_residuals import NOISE, PASS
from mbx.verify.certificate.certificate_file import CertificateError, error_of, margins_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mbx.verify.certificate.certificate_file import Certificate
    from mbx.verify.findings import Error

__all__ = ["SLACK", "confirm_margins"]

SLACK: Final = 100.0
"""How much larger or smaller an error may come out than stated; rounding is not the same."""


def confirm_margins(certificate: Certificate, now: Certificate) -> None:
    """Raise an error unless the margins are those that come out."""
    names = {name for part in certificate.parts for name in part.states}
    names |= {f"{name} of seed {p.seed}" for p in certificate.parts for name in p.states}
    _confirm_errors(dict(_errors_of(certificate)), dict(_errors_of(now)))
    for margin in certificate.margins:
        if margin.state and margin.state not in names:
            raise CertificateError(f"its margin of {margin.quantity} does not come out again")


def _errors_of(certificate: Certificate) -> Iterator[tuple[str, Error]]:
    """Yield every error of a certificate by what it is of."""
    for form in certificate.forms:
        for quantity, error in margins_of(form):
            yield f"{form.name}, {quantity}", error
    for margin in certificate.margins:
        yield margin.quantity, error_of(margin)


def _confirm_errors(stated: Mapping[str, Error], again: Mapping[str, Error]) -> None:
    """Raise an error unless two lists of errors are the same, up to rounding."""
    for what, error in stated.items():
        if what not in again:
            raise CertificateError(f"its margin of {what} does not come out again")
        other = again[what]
        large, small = max(error.value, other.value), min(error.value, other.value)
        if large > max(SLACK * small, NOISE):
            raise CertificateError(
                f"its margin of {what} does not hold: {other.value:.1e}, and it says"
                f" {error.value:.1e}"
            )
        if error.forward != other.forward:
            raise CertificateError(f"its margin of {what} does not come out again")
        if large > PASS and error.arbiter != other.arbiter:
            raise CertificateError(f"the arbiter's answer on {what} does not come out again")
    for what in again:
        if what not in stated:
            raise CertificateError(f"it lacks the margin of {what}")
