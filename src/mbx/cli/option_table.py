"""Every option of every verb, with its one meaning.

An option means the same wherever it stands. A verb may add which values it takes, behind a
colon; it may not give the option another meaning. `spec/commands.md` has the same table, and a
test compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

import typer

__all__ = ["GROUPS", "OPTIONS", "Meaning", "option"]

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
