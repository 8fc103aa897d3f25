"""Arguments and options that several verbs have: each is declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mbx.cli.option_table import option

__all__ = [
    "Animation",
    "AsJson",
    "Cluster",
    "Every",
    "Force",
    "Free",
    "Hold",
    "Jobs",
    "LastLine",
    "ModelFile",
    "ModelName",
    "Plot",
    "Reaction",
    "Results",
    "Seed",
    "Set",
    "Start",
    "States",
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
Until = Annotated[float | None, option("--until")]
Every = Annotated[float | None, option("--every")]
Set = Annotated[list[str] | None, option("--set", "a parameter or an input")]
Seed = Annotated[int, option("--seed", min=0)]
States = Annotated[int, option("--states", min=1, max=10_000)]
Hold = Annotated[list[str] | None, option("--hold")]
Start = Annotated[list[str] | None, option("--start")]
Free = Annotated[list[str] | None, option("--free")]
When = Annotated[float | None, option("--time")]
Reaction = Annotated[list[str] | None, option("--reaction")]
Force = Annotated[bool, option("--force")]
Results = Annotated[
    Path | None,
    option("--out", "the results, .csv or .parquet", parser=output_path),
]
Plot = Annotated[Path | None, option("--plot", parser=output_path)]
Animation = Annotated[Path | None, option("--animate", parser=output_path)]
Timeout = Annotated[float, option("--timeout")]
Tolerance = Annotated[float | None, option("--tolerance")]
AsJson = Annotated[bool, option("--json")]
LastLine = Annotated[bool, option("--quiet")]
ModelName = Annotated[str | None, option("--model")]
Jobs = Annotated[int | None, option("--jobs", min=1)]
Cluster = Annotated[str | None, option("--cluster")]
