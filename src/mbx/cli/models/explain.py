"""`mbx explain`: the page of a diagnostic code."""

from __future__ import annotations

from typing import Annotated

import typer

from mbx.cli.output import Status, complain, emit, print_line

__all__ = ["explain"]


def _known_codes() -> list[str]:
    from mbx.language.codes import codes

    return list(codes())


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            help="Such as MBX3104; without it all are listed.",
            autocompletion=_known_codes,
        ),
    ] = None,
) -> int:
    """Explain a diagnostic code.

    What it means, an example, and what mends it.
    """
    from mbx.base.diagnostics import nearest
    from mbx.language.codes import codes, page

    titles = codes()
    if code is None:
        for known_code, title in titles.items():
            print_line(f"{known_code}  {title}")
        return Status.OK
    wanted = code.upper() if code.upper().startswith("MBX") else f"MBX{code}"
    if wanted in titles:
        emit(page(wanted))
        return Status.OK
    near = nearest(wanted, titles)
    complain(f"mbx: unknown code '{code}'" + (f". Did you mean '{near}'?" if near else ""))
    complain("  help: mbx explain lists all codes")
    return Status.USAGE
