"""Texts of a model as comments in a language: printable ASCII that ends nothing and begins nothing.

What stands in a model reaches code nowhere else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mbx.base.diagnostics import safe_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mbx.codegen.routine import Argument, Routine
    from mbx.codegen.subject import Subject

__all__ = ["about", "inert", "listed"]

_LONGEST: Final = 500
_TITLES: Final = {
    "q": "coordinates",
    "u": "speeds",
    "higher": "accelerations and beyond that belong to the state",
    "inputs": "inputs",
    "parameters": "parameters",
}


def inert(text: str) -> str:
    """Return a text that is a comment in C, Python, MATLAB, Julia and Modelica, and nothing else.

    Signs that could end a comment, continue a line or stand for another character are parted.
    """
    ascii_text = safe_text(text).encode("ascii", "backslashreplace").decode("ascii")
    parted = re.sub(
        r"(?<=\*)(?=/)|(?<=/)(?=[*/])|(?<=\?)(?=\?)|(?<=#)(?==)|(?<==)(?=#)", " ", ascii_text
    )
    parted = re.sub(r"(?<=[%#])(?=[{}%])", " ", parted).replace("...", ". . .")
    parted = re.sub("coding(?=[:=])", "coding ", " ".join(parted.split()))
    return parted[:_LONGEST].rstrip("\\")


def about(subject: Subject) -> Iterator[str]:
    """Yield lines that say what the code is: inert."""
    one = subject.equations
    form = f"{one.formalism}:{one.variant}" if one.variant else one.formalism
    yield f"Equations of motion of {inert(one.model)} in the form {inert(form)}."
    yield inert(one.title)
    yield "Written by mbx; numbers are in SI units."


def listed(routine: Routine, first: int = 0) -> Iterator[str]:
    """Yield lines that say what each argument is, by group and place from `first`: inert."""
    for group, title in _TITLES.items():
        arguments: Iterable[Argument] = routine.group(group)  # type: ignore[arg-type]
        for k, one in enumerate(arguments):
            if not k:
                yield f"{title}:"
            own = "" if one.default is None else f" = {one.default!r}"
            meaning = f"  {inert(one.meaning)}" if one.meaning else ""
            yield f"  {one.index + first}: {inert(one.path)} [{inert(one.unit)}]{own}{meaning}"
