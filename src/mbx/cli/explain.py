"""`mbx explain`: the page of a diagnostic code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mbx.cli.output import Status, complain, emit, say

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["codes", "explain", "page"]


def codes() -> list[str]:
    """Return every code that has a page, sorted."""
    return sorted(
        page.name.removesuffix(".md")
        for page in _pages().iterdir()
        if page.name.startswith("MBX") and page.name.endswith(".md")
    )


def page(code: str) -> str:
    """Return the page of a code."""
    return (_pages() / f"{code}.md").read_text("utf-8")


def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            help="Such as MBX3104; without it all are listed.",
            autocompletion=codes,
        ),
    ] = None,
) -> int:
    """Explain a diagnostic code.

    What it means, an example, and what mends it.
    """
    known = codes()
    if code is None:
        for one in known:
            say(f"{one}  {_title(one)}")
        return Status.OK
    wanted = code.upper()
    wanted = wanted if wanted.startswith("MBX") else f"MBX{wanted}"
    if wanted in known:
        emit(page(wanted))
        return Status.OK
    from mbx.diagnostics import nearest  # noqa: PLC0415  only on the way to an error

    near = nearest(wanted, known)
    complain(f"mbx: unknown code '{code}'" + (f". Did you mean '{near}'?" if near else ""))
    complain("  help: mbx explain lists all codes")
    return Status.USAGE


def _pages() -> Traversable:
    from importlib.resources import files  # noqa: PLC0415  not for --help

    return files("mbx") / "codes"


def _title(code: str) -> str:
    """Return the heading of a page without the code."""
    heading = page(code).partition("\n")[0]
    return heading.lstrip("# ").removeprefix(code).lstrip(" :")
