"""The options of all verbs: a table of their meanings, types that verbs share, and the help."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer
from typer.core import TyperCommand, TyperGroup

from mbx.base.diagnostics import nearest
from mbx.cli.output import watch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typer._click import Command, Context, HelpFormatter

__all__ = [
    "GROUPS",
    "OPTIONS",
    "Animation",
    "AsJson",
    "Cluster",
    "Every",
    "Force",
    "Free",
    "Hold",
    "Jobs",
    "LastLine",
    "LongVerb",
    "Meaning",
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
    "Verb",
    "VerbGroup",
    "When",
    "assignments",
    "option",
    "output_name",
    "output_path",
]


Group = Literal["Model", "Analysis", "Output", "Resources"]

GROUPS: Final[tuple[Group, ...]] = ("Model", "Analysis", "Output", "Resources")
"""The groups of options, in the order of the help."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an option means: its group, what stands for its value, and its help."""

    group: Group
    metavar: str | None
    text: str


OPTIONS: Final = {
    # what is read
    "--model": Meaning("Model", "NAME", "Model of the document; the last one by default"),
    "--set": Meaning("Model", "NAME=VALUE", "Value in SI units; may be repeated"),
    "--frozen": Meaning("Model", None, "Insert the values that the model gives its parameters"),
    "--symbolic": Meaning("Model", None, "Leave parameters as symbols"),
    "--relaxed": Meaning("Model", None, "Only warn of units that do not fit"),
    "--same": Meaning("Model", "A=B", "Body A of the first model is B of the second"),
    "--kind": Meaning("Model", "KIND", "Kind of model"),
    "--tag": Meaning("Model", "TAG", "Only cases with this tag; may be repeated"),
    # what is computed
    "--to": Meaning("Analysis", "FORM", "Form to convert to"),
    "--form": Meaning("Analysis", "FORM", "Form to use, as FORM or FORM:VARIANT"),
    "--method": Meaning("Analysis", "METHOD", "Numerical method"),
    "--analysis": Meaning("Analysis", "ANALYSIS", "Analysis to repeat"),
    "--start": Meaning(
        "Analysis", "NAME[=VALUE]", "Variable that starts at VALUE; may be repeated"
    ),
    "--hold": Meaning("Analysis", "NAME[=VALUE]", "Variable that is held; may be repeated"),
    "--free": Meaning("Analysis", "NAME", "Variable that is solved for; may be repeated"),
    "--guess": Meaning("Analysis", "NAME=VALUE", "Where the search begins; may be repeated"),
    "--time": Meaning("Analysis", "SECONDS", "Instant of the state; the start by default"),
    "--at": Meaning("Analysis", "STATE", "State: its name, start, or equilibrium"),
    "--state": Meaning("Analysis", "NAME", "State of the model to show; the start by default"),
    "--until": Meaning("Analysis", "SECONDS", "End of the time span"),
    "--every": Meaning("Analysis", "SECONDS", "Time between results"),
    "--drive": Meaning("Analysis", "NAME=MOTION", "Motion of a coordinate; may be repeated"),
    "--point": Meaning("Analysis", "BODY:X,Y,Z", "Point to follow; may be repeated"),
    "--independent": Meaning("Analysis", "NAME", "Independent coordinate; may be repeated"),
    "--variables": Meaning("Analysis", "independent|all", "Variables of the linear system"),
    "--weight": Meaning("Analysis", "NAME=NUMBER", "Weight of an invariant; may be repeated"),
    "--mirror": Meaning("Analysis", "NAME=NAME", "Mirror image of a name; may be repeated"),
    "--odd": Meaning("Analysis", "NAME", "Variable that is odd in the mirror; may be repeated"),
    "--over": Meaning("Analysis", "NAME=FIRST:LAST:COUNT", "Root locus over a value"),
    "--ratio": Meaning("Analysis", "NAME/NAME", "Ratio of two variables in each mode"),
    "--along": Meaning("Analysis", None, "Linearise along the motion: A(t) and B(t)"),
    "--vary": Meaning("Analysis", "NAME=FIRST:LAST:COUNT", "Values of a name; may be repeated"),
    "--random": Meaning("Analysis", "NAME=normal(MEAN,SD)", "Random value; may be repeated"),
    "--samples": Meaning("Analysis", "N", "Number of samples of random values"),
    "--sampling": Meaning("Analysis", "random|latin|sobol|halton", "How samples are spread"),
    "--slope": Meaning("Analysis", "NAME", "Differentiate results by NAME; may be repeated"),
    "--result": Meaning("Analysis", "RESULT", "Result of each run; may be repeated"),
    "--series": Meaning("Analysis", None, "Give a row for each time of a simulation"),
    "--all": Meaning("Analysis", None, "Search for all equilibria"),
    "--branches": Meaning("Analysis", None, "Search for all assemblies"),
    "--range": Meaning("Analysis", "NAME", "Find how far this drive goes from the start"),
    "--groups": Meaning("Analysis", None, "Let held coordinates drive structural groups"),
    "--structure": Meaning("Analysis", None, "Print the structural diagram, and stop"),
    "--natural": Meaning("Analysis", None, "Give natural coordinates, too"),
    "--also": Meaning("Analysis", "WHAT", "Further results"),
    "--reaction": Meaning("Analysis", "JOINT", "Joint whose force and torque are given, or all"),
    "--least": Meaning("Analysis", None, "Take the least inputs where they are not unique"),
    "--error": Meaning("Analysis", None, "Estimate the error by a second, more accurate run"),
    "--tolerance": Meaning("Analysis", "NUMBER", "Relative tolerance of a step"),
    "--states": Meaning("Analysis", "N", "Number of random states"),
    "--oracle": Meaning("Analysis", "N", "Number of states for the oracle"),
    "--seed": Meaning("Analysis", "N", "Seed of random numbers"),
    "--deep": Meaning("Analysis", None, "Analyse the structure: freedoms, ranks, redundancy"),
    "--map": Meaning("Analysis", None, "Compare methods on chains, carousels and trees"),
    "--timing": Meaning("Analysis", None, "Measure and print CPU times"),
    "--no-verify": Meaning("Analysis", None, "Do not verify that the forms agree"),
    "--self-test": Meaning("Analysis", None, "Plant faults in mbx, and look for them"),
    # what is printed and written
    "--full": Meaning("Output", None, "Leave nothing of the page out for its length"),
    "--explicit": Meaning("Output", None, "Write out and solve equations whatever their length"),
    "--only": Meaning("Output", "equations", "Nothing of the page but its equations"),
    "--compare": Meaning("Output", "FORM,FORM", "Two forms side by side; marks what both have"),
    "--matrix": Meaning("Output", None, "Write the matrix program in the place of the page"),
    "--format": Meaning("Output", "FORMAT", "Format of the equations (mbx formats)"),
    "--math": Meaning("Output", "text|tree", "Expressions as text or as arrays"),
    "--out": Meaning("Output", "OUT", "File or folder to write"),
    "--plot": Meaning("Output", "OUT", "Plot to write: .svg, .png or .pdf"),
    "--animate": Meaning("Output", "OUT", "Animation to write: .html or .gif"),
    "--diagram": Meaning("Output", "OUT", "Structural diagram to write: .dot, .svg or .txt"),
    "--code": Meaning("Output", "FOLDER", "Folder for the mechanism in C: a header and a source"),
    "--certificate": Meaning("Output", "CERT", "Certificate to check, or to write"),
    "--junit": Meaning("Output", "OUT", "JUnit report to write"),
    "--date": Meaning("Output", "TEXT", "Date to state; none by default"),
    "--maker": Meaning("Output", "TEXT", "Name of the maker to state; none by default"),
    "--renew": Meaning("Output", None, "Make anew what exists"),
    "--force": Meaning("Output", None, "Replace files of any kind, inputs and links, too"),
    "--check": Meaning("Output", None, "Write nothing; status 1 if a file would change"),
    "--diff": Meaning("Output", None, "Write nothing; show what would change"),
    "--stdout": Meaning("Output", None, "Write nothing; print the text"),
    "--canonical": Meaning("Output", None, "Print the canonical form that is hashed"),
    "--hash": Meaning("Output", None, "Print the SHA-256 of the canonical form"),
    "--parts": Meaning("Output", None, "List the parts, too"),
    "--view": Meaning("Output", "VIEW", "View: x, y, z, iso, or AZ,EL in degrees"),
    "--features": Meaning("Output", None, "List what each form refuses, too"),
    "--table": Meaning("Output", None, "Print the tables of errors"),
    "--quiet": Meaning("Output", None, "Print the conclusion alone"),
    "--json": Meaning("Output", None, "Print the result as JSON"),
    # what it may take
    "--timeout": Meaning("Resources", "SECONDS", "Limit of CPU time"),
    "--jobs": Meaning("Resources", "N", "Number of processes; one for each core by default"),
    "--cluster": Meaning("Resources", "ADDRESS", "Dask cluster that does the work"),
}


def option(name: str, values: str = "", **settings: Any) -> Any:
    """Return the declaration of an option; `values` is what a verb adds to its meaning."""
    meaning = OPTIONS[name]
    text, *rest = meaning.text.split("; ")
    text = "; ".join([f"{text}: {values}" if values else text, *rest])
    if meaning.metavar is not None:
        settings.setdefault("metavar", meaning.metavar)
    names = ("-o", name) if name == "--out" else (name,)
    return typer.Option(*names, help=f"{text}.", rich_help_panel=meaning.group, **settings)


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


_SMALLEST: Final = 1e-300
_LARGEST: Final = 1e300
"""Sizes of numbers, as in model files."""


def assignments(option: str, texts: Iterable[str]) -> dict[str, float]:
    """Return what an option gives to names; what is no number is wrong usage."""
    values = {}
    for text in texts:
        name, sign, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = nan
        if not sign or not name or not isfinite(number):
            raise typer.TyperException(
                f"{option} {text}: expected NAME=VALUE, a number in SI units"
            )
        if not _keeps_size(number, value):
            raise typer.TyperException(
                f"{option} {text}: a number is 0 or between {_SMALLEST:g} and {_LARGEST:g} in size"
            )
        if name in values:
            raise typer.TyperException(f"{option} {text}: '{name}' has a value already")
        values[name] = number
    return values


def _keeps_size(number: float, text: str) -> bool:
    """Return whether a number is read at its size: a tiny number is read as zero."""
    if number:
        return _SMALLEST <= abs(number) <= _LARGEST
    mantissa = re.split("[eE]", text)[0]
    return not re.search("[1-9]", mantissa)


_GENERAL: Final = "Options"
_BOTH: Final = re.compile(r"([0-9.]+)<=x<=([0-9.]+)")
_LEAST: Final = re.compile(r"x>=([0-9.]+)")
"""How typer writes the bounds of a number."""


class Verb(TyperCommand):
    """A verb whose options stand in groups, with examples at the end."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        """Return the words of the usage, without typer's braces about what is required."""
        return [re.sub(r"\{([^{}|]*)\}", r"\1", x) for x in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write arguments, and options group by group."""
        _write_parameters(self, ctx, formatter)

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, a line each."""
        _write_examples(self.epilog, formatter)


class LongVerb(Verb):
    """A verb that may take longer than a second, and shows a bar then."""

    def invoke(self, ctx: Context) -> Any:
        """Run the verb."""
        with watch():
            return super().invoke(ctx)


class VerbGroup(TyperGroup):
    """Verbs in groups; for a verb that does not exist the nearest is suggested."""

    def format_options(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the options, and the verbs group by group."""
        _write_parameters(self, ctx, formatter)
        groups: dict[str, list[tuple[str, Any]]] = {}
        for name, verb in self.commands.items():
            title = getattr(verb, "rich_help_panel", None) or "Commands"
            groups.setdefault(title, []).append((name, verb))
        width = max(map(len, self.commands), default=0)
        for title, verbs in groups.items():
            with formatter.section(title):
                limit = formatter.width - width - 4
                formatter.write_dl(
                    [(f"{name:<{width}}", verb.get_short_help_str(limit)) for name, verb in verbs]
                )

    def format_epilog(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples, a line each."""
        _write_examples(self.epilog, formatter)

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Return the verb that is named; suggest another where there is none of this name."""
        name = args[0]
        if name in self.commands or name.startswith("-"):
            return super().resolve_command(ctx, args)
        begin = [verb for verb in self.commands if verb.startswith(name)]
        near = nearest(name, list(self.commands))
        suggested = begin or ([near] if near else [])
        if suggested:
            hint = f"; did you mean {' or '.join(map(repr, suggested))}?"
        else:
            hint = f"; {ctx.command_path} --help lists them"
        return ctx.fail(f"no such command '{name}'{hint}")


def _write_parameters(verb: Command, ctx: Context, formatter: HelpFormatter) -> None:
    sections: dict[str, list[tuple[str, str]]] = {"Arguments": []}
    sections |= {group: [] for group in GROUPS}
    for parameter in verb.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        name, text = record[0], _BOTH.sub(r"\1 to \2", _LEAST.sub(r"at least \1", record[1]))
        if parameter.param_type_name == "argument":
            text = text.replace("  [required]", "")  # the usage shows what may be left out
            sections["Arguments"].append((parameter.metavar or name, text))
        else:
            title = getattr(parameter, "rich_help_panel", None) or _GENERAL
            sections.setdefault(title, []).append((name, text))
    for title, rows in sections.items():
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)


def _write_examples(examples: str | None, formatter: HelpFormatter) -> None:
    if examples:
        lines = examples.split("\n")
        with formatter.section("Examples" if lines[1:] else "Example"):
            for line in lines:
                formatter.write(f"  {line}\n")
