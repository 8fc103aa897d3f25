"""A certificate for people: what it states, in a few lines."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mbx.verify.certificate.certificate_file import Certificate

__all__ = ["certificate_lines"]


def certificate_lines(certificate: Certificate) -> Iterator[str]:
    """Yield what a certificate states: the verdict first, then what it rests on."""
    states = sum(len(part.states) for part in certificate.parts)
    oracle = sum(part.oracle for part in certificate.parts)
    request = certificate.asked
    yield (
        f"{certificate.model}: {certificate.verdict} ({len(certificate.forms)} forms at {states}"
        f" states, the oracle at {oracle})"
    )
    if certificate.maker:
        yield f"maker: {certificate.maker} (stated, not proved)"
    if certificate.date:
        yield f"date: {certificate.date} (stated, not proved)"
    yield f"model: {certificate.hash}"
    yield f"experiments: {certificate.experiment_hash}"
    yield f"states: {request.states} random ones from seed {request.seed}"
    yield f"references: {len(certificate.references)} met"
    yield from _wrapped("forms", [form.name for form in certificate.forms])
    for left in certificate.excluded:
        yield f"left out: {left.name}, {left.status}: {left.reason}"
    yield "largest errors:"
    width = max(len(margin.quantity) for margin in certificate.margins)
    for margin in certificate.margins:
        of = f"  {' and '.join(margin.forms)}" if margin.forms else ""
        yield f"  {margin.quantity:<{width}}  {margin.value:.0e}{of}"
    yield from _wrapped("made with", [f"{k} {v}" for k, v in certificate.versions.items()])
    yield f"digest: {certificate.digest}"


def _wrapped(title: str, items: list[str]) -> Iterator[str]:

    yield from wrap(f"{title}: {', '.join(items)}", 80, subsequent_indent="  ")
