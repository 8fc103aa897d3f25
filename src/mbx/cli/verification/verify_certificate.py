"""`mbx verify --certificate`: certificates are made, and checked."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.base.errors import ConverterError
from mbx.cli.command_files import write
from mbx.cli.output import Status, complain, emit_json, print_line
from mbx.cli.verification.verify_output import write_junit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mbx.base.workers.pool import Pool
    from mbx.cli.verification.verify_output import VerifyOutput
    from mbx.linking.link import Linked
    from mbx.system.system import System
    from mbx.verify.certificate.certificate_file import Certificate
    from mbx.verify.run_verification import Options
    from mbx.verify.verification import Verification

__all__ = ["check_certificate", "make_certificate"]

HOLDS: Final = "holds"
WEAKER: Final = "weaker than the default"
OLD: Final = "old format"
REFUSED: Final = "refused"


def make_certificate(
    linked: Linked,
    system: System,
    options: Options,
    parts: Sequence[Verification],
    path: Path,
    wanted: VerifyOutput,
) -> bool:
    """Write a certificate if there is something to certify; return whether it is written."""
    from mbx.verify.certificate.certificate import certify, weaknesses
    from mbx.verify.certificate.certificate_file import CertificateError

    try:
        text = certify(linked, options, parts, date=wanted.date, maker=wanted.maker)
    except CertificateError as none:
        complain(f"mbx: no certificate is written: {none}")
        return False
    write({path: text.encode()}, force=wanted.force)
    complain(f"mbx: wrote the certificate {path}")
    weak = weaknesses(options, parts[0].forms, system)
    if weak:
        complain(f"  it is {WEAKER}: {'; '.join(weak)}")
    return True


@dataclass(frozen=True, slots=True)
class _Check:
    """The result of the check of a certificate: the verdict, and why it is not `holds`."""

    verdict: str
    reasons: tuple[str, ...] = ()
    verification: Verification | None = None
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the certificate holds, and is no weaker than the default."""
        return self.verdict == HOLDS

    @property
    def trouble(self) -> str:
        """The verdict with the reasons, unless it holds."""
        return "" if self.holds else f"{self.verdict}: {'; '.join(self.reasons)}"


def check_certificate(
    path: Path, linked: Linked, system: System, options: Options, pool: Pool, wanted: VerifyOutput
) -> int:
    """Print whether a certificate holds for a model."""
    from mbx.verify.junit import Suite

    began = time.perf_counter()
    check = _check(path, linked, system, options, pool)
    if wanted.junit is not None:
        seconds = time.perf_counter() - began
        suite = Suite(str(path), linked.model.name, seconds, check.verification, check.trouble)
        write_junit([suite], wanted.junit, force=wanted.force)
    if wanted.as_json:
        emit_json(_as_json(path, linked, check))
    else:
        _show(path, check)
    return Status.OK if check.holds else Status.DISAGREE


def _as_json(path: Path, linked: Linked, check: _Check) -> dict[str, object]:
    return {
        "certificate": str(path),
        "model": linked.model.name,
        "verdict": check.verdict,
        "holds": check.holds,
        "refused": "; ".join(check.reasons) if check.verdict == REFUSED else "",
        "reasons": list(check.reasons),
        "notes": list(check.notes),
        "counts": None if check.verification is None else check.verification.as_json()["counts"],
    }


def _show(path: Path, check: _Check) -> None:
    if check.verification is None:
        complain(f"mbx: the certificate {path} is refused: {'; '.join(check.reasons)}")
        complain("  help: --renew verifies the model, and writes the certificate anew")
        return
    for note in check.notes:
        print_line(note)
    if check.holds:
        print_line(f"{check.verification.summary()}: the certificate holds")
        return
    print_line(check.verification.summary())
    complain(f"mbx: the certificate {path} does not count: {check.trouble}")
    complain("  help: --renew verifies the model, and writes the certificate anew")


def _check(path: Path, linked: Linked, system: System, options: Options, pool: Pool) -> _Check:
    from mbx.verify.certificate.certificate_file import (
        CertificateError,
        OldCertificateError,
        load_certificate,
    )

    try:
        return _confirm(load_certificate(path), linked, system, options, pool)
    except OldCertificateError as old:
        return _verify_again(str(old), linked, options, pool)
    except CertificateError as bad:
        return _Check(REFUSED, (str(bad),))


def _confirm(
    certificate: Certificate, linked: Linked, system: System, options: Options, pool: Pool
) -> _Check:
    """Verify a model again with the options that a certificate states."""
    from mbx.verify.agreement.state_parts import merge, parts_of
    from mbx.verify.certificate.certificate import (
        confirm,
        request_of,
        require_model,
        weaknesses,
    )
    from mbx.verify.certificate.certificate_file import CertificateError
    from mbx.verify.many import verify_parts

    require_model(certificate, linked)
    request = request_of(certificate, options.timeout)
    try:
        parts = verify_parts(linked, parts_of(request), pool)
    except ConverterError as unknown:
        raise CertificateError(f"it asks for a form that is not here: {unknown}") from None
    notes = tuple(confirm(certificate, linked, request, parts))
    verification = merge(parts)
    weak = tuple(weaknesses(request, verification.forms, system))
    return _Check(WEAKER if weak else HOLDS, weak, verification, notes)


def _verify_again(old: str, linked: Linked, options: Options, pool: Pool) -> _Check:
    """Verify a model whose certificate cannot be checked; the certificate does not count."""
    from mbx.verify.agreement.state_parts import merge, parts_of
    from mbx.verify.many import verify_parts

    verification = merge(verify_parts(linked, parts_of(options), pool))
    return _Check(OLD, (f"{old}; the model was verified again instead",), verification)
