"""A bar on standard error while many things are done, if that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mbx.base.diagnostics import safe_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["bar"]


@contextmanager
def bar() -> Iterator[Callable[[str, int], None] | None]:
    """Show a bar; give what moves it on: what was done last, and how many there are in all."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  only here
    from rich.progress import (  # noqa: PLC0415  likewise
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)

        def advance(note: str, count: int) -> None:
            progress.update(task, advance=1, total=count, description=safe_text(note))

        yield advance
