"""The commands of a fuzz run: every verb, with several sets of options."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random

__all__ = ["COMMANDS", "command"]

_FORMS: Final = (
    *("kane", "lagrange", "hamilton", "maggi", "newton_euler", "gibbs_appell", "jourdain", "gauss"),
    *("udwadia_kalaba", "boltzmann_hamel", "modular", "semi_recursive_1", "semi_recursive_2"),
    *("rfda", "tree_newton_euler", "tree_lagrange_1", "tree_lagrange_2", "composite_body"),
    *("tree_hamilton_reduced", "articulated_body", "recursive_newton_euler", "nielsen", "tzenoff"),
)
_FORMATS: Final = (
    *("text", "latex", "markdown", "json", "html", "numpy", "julia", "modelica", "casadi", "jax"),
    *("sympy", "latex_fragment"),
)

COMMANDS: Final[dict[str, tuple[int, str]]] = {
    "check": (8, "check FILE"),
    "check-json": (3, "check FILE --json"),
    "fmt": (3, "fmt FILE"),
    "fmt-check": (3, "fmt FILE --check"),
    "fmt-diff": (2, "fmt FILE --diff"),
    "json": (3, "json FILE -o OUT.json"),
    "json-tree": (2, "json FILE --math tree"),
    "flatten": (3, "flatten FILE"),
    "flatten-canonical": (2, "flatten FILE --canonical -o OUT.json"),
    "flatten-hash": (2, "flatten FILE --hash"),
    "info": (4, "info FILE"),
    "info-deep": (3, "info --deep FILE"),
    "info-json": (2, "info FILE --json"),
    "forms": (4, "forms FILE"),
    "convert": (8, "convert FILE --to FORM"),
    "convert-format": (6, "convert FILE --to FORM --format FORMAT -o OUT.txt"),
    "convert-c": (2, "convert FILE --to FORM --format c -o OUT/"),
    "convert-matlab": (1, "convert FILE --to FORM --format matlab -o OUT/"),
    "convert-set": (3, "convert FILE --to FORM --frozen --set NAME=VALUE"),
    "convert-matrix": (2, "convert FILE --to FORM --matrix"),
    "convert-compare": (1, "convert FILE --compare kane,FORM"),
    "regressor": (2, "regressor FILE"),
    "convert-all": (1, "convert FILE --to all -o OUT/"),
    "compare": (1, "compare FILE --form kane --form FORM --timeout 2"),
    "assemble": (5, "assemble FILE"),
    "assemble-hold": (3, "assemble FILE --hold NAME=VALUE --json"),
    "assemble-branches": (1, "assemble FILE --branches"),
    "equilibrium": (4, "equilibrium FILE"),
    "equilibrium-set": (2, "equilibrium FILE --set NAME=VALUE --json"),
    "linearize": (4, "linearize FILE"),
    "linearize-file": (2, "linearize FILE -o OUT.csv --variables all"),
    "linearize-over": (1, "linearize FILE --over NAME=0.1:2:3 -o OUT.json"),
    "kinematics": (3, "kinematics FILE --drive NAME=0:0.1:3"),
    "kinematics-structure": (2, "kinematics FILE --drive NAME=0:0.1:3 --structure"),
    "kinematics-diagram": (1, "kinematics FILE --drive NAME=0:1:3 --diagram OUT.dot"),
    "simulate": (5, "simulate FILE --until 0.02 --every 0.01 --timeout 2"),
    "simulate-experiment": (5, "simulate FILE EXPERIMENT --until 0.02 --timeout 2 -o OUT.csv"),
    "simulate-set": (3, "simulate FILE --until 0.02 --set NAME=VALUE --timeout 2 --json"),
    "simulate-form": (2, "simulate FILE --until 0.02 --form FORM --timeout 2 --reaction all"),
    "simulate-method": (2, "simulate FILE --until 0.02 --method METHOD --timeout 2"),
    "study": (3, "study FILE EXPERIMENT --vary NAME=0.5:1.5:2 --jobs 1 --timeout 2 -o OUT.csv"),
    "study-slope": (1, "study FILE EXPERIMENT --slope NAME --jobs 1 --timeout 2 --json"),
    "inverse": (3, "inverse FILE EXPERIMENT --until 0.02 --timeout 2 -o OUT.csv"),
    "verify": (5, "verify FILE --form FORM --form kane --states 2 --oracle 0 --timeout 4 --quiet"),
    "verify-oracle": (
        2,
        "verify FILE --form kane --form lagrange --states 1 --oracle 1 --timeout 4",
    ),
    "verify-json": (2, "verify FILE --form kane --states 1 --oracle 0 --timeout 4 --json"),
    "verify-junit": (1, "verify FILE --form kane --states 1 --timeout 4 --junit OUT.xml"),
    "verify-certificate": (
        1,
        "verify FILE --form kane --form lagrange --states 1 --timeout 4 --certificate OUT.json",
    ),
    "diff": (2, "diff FILE lib:simple_pendulum --states 2 --timeout 2"),
    "diff-forms": (1, "diff FILE --form kane --form FORM --states 2 --timeout 2"),
    "draw": (4, "draw FILE -o OUT.svg"),
    "draw-view": (1, "draw FILE --view iso"),
    "report": (1, "report FILE --no-verify --form kane -o OUT.html"),
}
"""Commands by name, each with how often it is run."""

_METHODS: Final = ("projection", "baumgarte", "ggl", "index3", "momenta", "groups", "nonsense")
_NUMBERS: Final = ("0", "1", "-1", "1e-9", "1e9", "1e300", "0.3", "nan", "1e999", "x")


def command(text: str, file: str, chance: random.Random) -> tuple[str, list[str]]:
    """Return a random command on a file, and what it is called."""
    names = list(COMMANDS)
    name = chance.choices(names, [COMMANDS[one][0] for one in names])[0]
    known = re.findall(r"\b(?:param|coordinate|input|speed)\s+(\w+)", text) or ["x"]
    runs = re.findall(r"\bexperiment\s+(\w+)", text) or ["swing"]
    words: dict[str, str] = {
        "FILE": file,
        "FORM": chance.choice(_FORMS),
        "FORMAT": chance.choice(_FORMATS),
        "METHOD": chance.choice(_METHODS),
        "EXPERIMENT": chance.choice(runs),
        "NAME": chance.choice(known) if chance.random() < 0.95 else "nobody",
        "VALUE": chance.choice(_NUMBERS),
    }

    def put(word: str) -> str:
        if word in words:
            return words[word]
        return re.sub(r"\b(NAME|VALUE|FORM)\b", lambda m: words[m[0]], word)

    return name, [put(word) for word in COMMANDS[name][1].split()]
