"""The files that a run writes: a table, a plot, an animation; and its progress bar."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import typer

from mbx.base.extras import ExtraError
from mbx.cli.command_files import require_writable, suffix_of, write
from mbx.cli.output import Status, bar, complain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from mbx.analyses.request import Request
    from mbx.analyses.simulate.runs import Column
    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.show.drawing.film import Film

__all__ = ["Files", "RunResults", "bar_of_parts", "require_suffix"]

_TABLES: Final = (".csv", ".parquet")
_PLOTS: Final = (".svg", ".png", ".pdf")
_FILMS: Final = (".html", ".gif")
_PARTS: Final = 100


class RunResults(Protocol):
    """The results of a run: columns over time, and states."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Names of the state."""

    @property
    def t(self) -> Array:
        """Times of the results."""

    @property
    def states(self) -> Array:
        """States at these times."""

    @property
    def experiment(self) -> str:
        """Its experiment."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """All results, the time first."""


@dataclass(frozen=True, slots=True)
class Files:
    """Where results go; None where they do not."""

    table: Path | None
    plot: Path | None
    film: Path | None
    force: bool = False
    absent: list[str] = field(default_factory=list)

    def require_writable(self, *more: Path | None, printed: bool) -> None:
        """Refuse files that must not be replaced; `printed` is whether a document is printed."""
        paths = (self.table, self.plot, self.film, *more)
        require_writable(*paths, force=self.force, printed=printed)

    def write(self, files: Mapping[Path, bytes]) -> None:
        """Write files, all of them whole, or none."""
        write(files, force=self.force)

    def require_suffixes(self) -> None:
        """Refuse files that end in nothing that is known."""
        require_suffix("--out", self.table, _TABLES)
        require_suffix("--plot", self.plot, _PLOTS)
        require_suffix("--animate", self.film, _FILMS)

    def render_run(
        self, document: Document, linked: Linked, run: RunResults, request: Request
    ) -> dict[Path, bytes]:
        """Return all files that are to be written, before any is."""
        name = linked.model.name
        title = f"{name}: {run.experiment}" if run.experiment else name

        def film() -> Film:
            import mbx
            from mbx.analyses.request import plan_of
            from mbx.show.drawing.film import film_of_run

            plan = plan_of(linked, mbx.elaborate(linked), request)
            return film_of_run(document, linked, run, {**plan.parameters, **plan.inputs})

        return self.render(run.columns, run.columns, title, film)

    def render(
        self,
        columns: Sequence[Column],
        plotted: Sequence[Column],
        title: str,
        film: Callable[[], Film],
    ) -> dict[Path, bytes]:
        """Return the files of results, of what is plotted of them, and of a motion."""
        from mbx.analyses.simulate.results.run_plot import plot
        from mbx.analyses.simulate.results.run_table import csv_of, parquet_of

        def table(path: Path) -> bytes:
            csv = suffix_of(path, _TABLES) == ".csv"
            return csv_of(columns).encode() if csv else parquet_of(columns)

        def picture(path: Path) -> bytes:
            return plot(plotted, title, Path(f"plot{suffix_of(path, _PLOTS)}"))

        def animation(path: Path) -> bytes:
            from mbx.show.drawing.film import page
            from mbx.show.drawing.marks.raster import gif

            html = suffix_of(path, _FILMS) == ".html"
            return page(film()).encode() if html else gif(film())

        chosen = ((self.table, table), (self.plot, picture), (self.film, animation))
        return self._keep({path: make for path, make in chosen if path is not None})

    def _keep(self, wanted: Mapping[Path, Callable[[Path], bytes]]) -> dict[Path, bytes]:
        """Return the files that can be made; raise `ExtraError` where none can."""
        made: dict[Path, bytes] = {}
        missing: list[ExtraError] = []
        for path, make in wanted.items():
            try:
                made[path] = make(path)
            except ExtraError as extra:
                missing.append(extra)
                self.absent.append(f"'{path}' is not written: {extra}")
        if missing and not made:
            raise missing[0]
        return made

    def status(self, status: int) -> int:
        """Complain of files that were not written; return the status of the command."""
        for line in self.absent:
            complain(f"mbx: {line}")
        return Status.TROUBLE if self.absent and status == Status.OK else status


@contextmanager
def bar_of_parts() -> Iterator[Callable[[float], None]]:
    """Show how much of the time is done."""
    with bar() as advance:
        done = 0

        def progress(part: float) -> None:
            nonlocal done
            while advance is not None and done < int(_PARTS * part):
                done += 1
                advance("", _PARTS)

        yield progress


def require_suffix(option: str, path: Path | None, suffixes: tuple[str, ...]) -> None:
    """Refuse a file that ends in nothing that is known."""
    if path is not None and suffix_of(path, suffixes) not in suffixes:
        raise typer.TyperException(f"{option} is a file that ends in {' or '.join(suffixes)}")
