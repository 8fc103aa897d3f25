"""What the results of runs have in common: columns by name, tables, plots and animations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mbx.base.errors import UnknownResultError
from mbx.base.extras import ExtraError
from mbx.base.late import late
from mbx.base.short_repr import count_of, join_names, shorten_repr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mbx.analyses.simulate.results.run_plot import RunPlot
    from mbx.analyses.simulate.runs import Column
    from mbx.language.document.document import Document
    from mbx.linking.link import Linked
    from mbx.numerics.execute.stacked_algebra import Array
    from mbx.show.drawing.film import Animation

__all__ = ["Origin", "TimeSeries", "column_named", "to_pandas"]


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """The model that a run is of.

    Attributes:
        document: The document, whose hints a drawing follows.
        linked: The model.
        experiment: The name of the experiment; "" for none.
        values: Parameters and inputs, by path.
        still: Variables that the states do not have.
    """

    document: Document
    linked: Linked
    experiment: str
    values: Mapping[str, float]
    still: Mapping[str, float]

    @property
    def title(self) -> str:
        """The name of the model and of the experiment."""
        name = self.linked.model.name
        return f"{name}: {self.experiment}" if self.experiment else name


class TimeSeries:
    """Results over time: a base of `Run`, `Inverse` and `Kinematics`.

    `run["x"]` is a column by its name, an array with a number for each time.
    """

    __slots__ = ()
    columns: tuple[Column, ...]
    paths: tuple[str, ...]
    t: Array
    states: Array
    origin: Origin | None

    def __getitem__(self, name: str) -> Array:
        """Return a column by its name."""
        return column_named(self.columns, name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def to_pandas(self) -> Any:
        """Return the columns as a `pandas.DataFrame`; its `attrs["units"]` has the SI units."""
        return to_pandas(self.columns)

    def plot(self, *names: str) -> RunPlot:
        """Return a plot of columns over time, all of them unless some are named.

        A notebook shows it; `plot.save("run.pdf")` writes it as .svg, .png or .pdf.
        """
        from mbx.analyses.simulate.results.run_plot import RunPlot  # matplotlib

        for name in names:
            column_named(self.columns, name)
        chosen = [column for column in self.columns[1:] if not names or column.name in names]
        title = "" if self.origin is None else self.origin.title
        return RunPlot((self.columns[0], *chosen), title)

    def animate(self) -> Animation:
        """Return an animation of the mechanism.

        A notebook plays it; `animation.save("run.html")` writes it as .html or .gif.
        """
        animation: Animation = late("mbx.show.drawing.film:animate")(self)
        return animation

    def describe(self, kind: str, by: str) -> str:
        """Return a short representation: what it is, by which form or method, and its columns."""
        names = join_names(self.names)
        times = count_of(len(self.t), "time")
        span = f" from {self.t[0]:.6g} s to {self.t[-1]:.6g} s" if len(self.t) else ""
        title = f" {self.origin.title}" if self.origin is not None else ""
        return shorten_repr(f"<{kind}{title} by {by}: {times}{span}; {names}>")

    def _repr_html_(self) -> str | None:
        return str(late("mbx.show.notebook:series_html")(self))


def column_named(columns: Sequence[Column], name: str) -> Array:
    """Return the values of a column; raise `UnknownResultError` if there is none."""
    for column in columns:
        if column.name == name:
            return column.values
    raise UnknownResultError(name, [column.name for column in columns])


def to_pandas(columns: Sequence[Column]) -> Any:
    """Return columns as a `pandas.DataFrame`; its `attrs["units"]` has the SI units."""
    try:
        import pandas as pd  # optional
    except ImportError:
        raise ExtraError("to_pandas", "pandas") from None
    arrays = {column.name: column.values for column in columns}  # noqa: PD011  of a Column
    frame = pd.DataFrame(arrays)
    frame.attrs["units"] = {column.name: column.unit for column in columns}
    return frame
