"""`mbx verify --certificate`: certificates are made, and checked."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from mbx.cli.output import Status, complain, emit_json, say, status_of
from mbx.cli.verify_wanted import write_junit
from mbx.errors import ConverterError, SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mbx.cli.verify_wanted import Wanted
    from mbx.link.linked import Linked
    from mbx.system.system import System
    from mbx.verify.report import Verification
    from mbx.verify.run import Options
    from mbx.workers.pool import Pool

__all__ = ["check_certificate", "make_certificate"]


def make_certificate(
    linked: Linked, options: Options, parts: Sequence[Verification], path: Path
) -> bool:
    """Write a certificate if there is something to certify; say whether it is written."""
    from mbx.files import write_text  # noqa: PLC0415  only here
    from mbx.verify.certificate import certify  # noqa: PLC0415  likewise
    from mbx.verify.certificate_form import CertificateError  # noqa: PLC0415  likewise

    try:
        text = certify(linked, options, parts)
    except CertificateError as none:
        complain(f"mbx: no certificate is written: {none}")
        return False
    write_text(path, text)
    complain(f"mbx: wrote the certificate {path}")
    return True


def check_certificate(
    path: Path, linked: Linked, system: System, timeout: float, pool: Pool, wanted: Wanted
) -> int:
    """Say whether a certificate holds for a model."""
    from mbx.verify.certificate_form import CertificateError  # noqa: PLC0415  only here
    from mbx.verify.junit import Suite  # noqa: PLC0415  likewise

    began = time.perf_counter()
    whole: Verification | None = None
    notes: list[str] = []
    refused = ""
    try:
        whole, notes = _confirmed(path, linked, system, timeout, pool)
    except CertificateError as bad:
        refused = str(bad)
    if wanted.junit is not None:
        seconds = time.perf_counter() - began
        write_junit([Suite(str(path), linked.model.name, seconds, whole, refused)], wanted.junit)
    if wanted.as_json:
        emit_json(
            {
                "certificate": str(path),
                "model": linked.model.name,
                "holds": not refused,
                "refused": refused,
                "notes": notes,
            }
        )
    elif whole is None:
        complain(f"mbx: the certificate {path} is refused: {refused}")
        complain("  help: --renew verifies the model, and writes the certificate anew")
    else:
        for note in notes:
            say(note)
        say(f"{whole.summary()}: the certificate holds")
    return Status.DISAGREE if refused else Status.OK


def _confirmed(
    path: Path, linked: Linked, system: System, timeout: float, pool: Pool
) -> tuple[Verification, list[str]]:
    """Return what came out at the states of a certificate, and what is to be noted."""
    from mbx.files import read_source  # noqa: PLC0415  only here
    from mbx.verify import certificate  # noqa: PLC0415  likewise
    from mbx.verify.certificate_form import (  # noqa: PLC0415  likewise
        CertificateError,
        read_certificate,
    )
    from mbx.verify.many import verify_parts  # noqa: PLC0415  likewise
    from mbx.verify.parts import merge  # noqa: PLC0415  likewise

    try:
        text = read_source(path).text
    except SourceError as bad:
        if status_of(bad.report) == Status.TROUBLE:
            raise
        raise CertificateError(next(one.message for one in bad.report)) from None
    found = read_certificate(text, str(path))
    certificate.require_model(found, linked, system)
    try:
        parts = verify_parts(linked, certificate.to_repeat(found, timeout), pool)
    except ConverterError as unknown:
        raise CertificateError(f"it asks for a form that is not here: {unknown}") from None
    return merge(parts), certificate.confirm(found, parts)
