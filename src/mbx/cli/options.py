"""Arguments and options that several verbs have: each is declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Animation",
    "AsJson",
    "Cluster",
    "Every",
    "Force",
    "Free",
    "HoldStart",
    "HoldThere",
    "Jobs",
    "LastLine",
    "ModelFile",
    "ModelName",
    "Plot",
    "Reaction",
    "Results",
    "Set",
    "Timeout",
    "Tolerance",
    "Until",
    "When",
    "output_name",
    "output_path",
]


def output_name(text: str) -> str:
    """Return where to write; an empty name, which a path takes for the folder here, is refused."""
    if not text:
        raise typer.BadParameter("an empty name is no place to write to")
    return text


def output_path(text: str) -> Path:
    """Return the path to write to."""
    return Path(output_name(text))


ModelFile = Annotated[Path, typer.Argument(metavar="FILE", help="Model file; - is standard input.")]
Until = Annotated[float | None, typer.Option("--until", metavar="SECONDS", help="When it ends.")]
Every = Annotated[
    float | None, typer.Option("--every", metavar="SECONDS", help="How far apart results are.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter or an input; repeat."),
]
HoldStart = Annotated[
    list[str] | None,
    typer.Option("--hold", metavar="NAME[=VALUE]", help="What starts where it is; repeat."),
]
HoldThere = Annotated[
    list[str] | None,
    typer.Option("--hold", metavar="NAME[=VALUE]", help="What is held there; repeat."),
]
Free = Annotated[
    list[str] | None, typer.Option("--free", metavar="NAME", help="What is solved for; repeat.")
]
When = Annotated[
    float | None, typer.Option("--time", metavar="SECONDS", help="When; else at the start.")
]
Reaction = Annotated[
    list[str] | None,
    typer.Option("--reaction", metavar="JOINT", help="A joint whose wrench is told; or all."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Replace files of any kind, inputs and links, too.")
]
Results = Annotated[
    Path | None,
    typer.Option(
        "-o", "--out", metavar="OUT", parser=output_path, help="Results, .csv or .parquet."
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="OUT", parser=output_path, help="A plot, .svg, .png or .pdf."),
]
Animation = Annotated[
    Path | None,
    typer.Option(
        "--animate", metavar="OUT", parser=output_path, help="An animation, .html or .gif."
    ),
]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", help="CPU time that it may take.")
]
Tolerance = Annotated[
    float | None,
    typer.Option("--tolerance", metavar="NUMBER", help="How far a step may be off, relative."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
LastLine = Annotated[bool, typer.Option("--quiet", help="Print the last line alone.")]
ModelName = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The model; else the last one.")
]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", min=1, metavar="N", help="Processes; else one for each core."),
]
Cluster = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help="The Dask cluster that does the work."),
]
