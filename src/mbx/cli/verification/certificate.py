"""`mbx certificate`: what a certificate states."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mbx.cli.options import AsJson, Verb, VerbGroup
from mbx.cli.output import Status, complain, emit_json, print_line

if TYPE_CHECKING:
    from mbx.verify.certificate.certificate_file import Certificate

__all__ = ["app"]

app = typer.Typer(
    cls=VerbGroup,
    epilog="mbx certificate show four_bar.json",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def certificate() -> None:
    """Show a certificate.

    mbx verify --certificate makes and checks certificates.
    """


@app.command("show", cls=Verb, epilog="mbx certificate show four_bar.json")
def show(
    file: Annotated[Path, typer.Argument(metavar="CERT", help="Certificate to show.")],
    *,
    as_json: AsJson = False,
) -> int:
    """Show what a certificate states.

    It is read, and its digest is checked; nothing is verified. To check it against its model,
    use mbx verify MODEL --certificate CERT. Status 4: it is no certificate of this version.
    """
    from mbx.verify.certificate.certificate_file import (
        CertificateError,
        load_certificate,
    )
    from mbx.verify.certificate.certificate_text import certificate_lines

    try:
        stated: Certificate = load_certificate(file)
    except CertificateError as bad:
        complain(f"mbx: the certificate {file} is refused: {bad}")
        return Status.DISAGREE
    if as_json:
        emit_json(stated.model_dump(mode="json", by_alias=True))
        return Status.OK
    for line in certificate_lines(stated):
        print_line(line)
    return Status.OK
