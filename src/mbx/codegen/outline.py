"""What writers of code begin with: which results there are, what they are called, long lines.

Names are ours: a result that is called after an element of a model is `result_K` in code, where
K is its place among the results.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mbx.base.errors import EquationsError
from mbx.codegen.code_syntax import inert, name_arguments
from mbx.codegen.notation.display import MEANINGS
from mbx.codegen.routine import GROUPS, require_accelerations, routine

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mbx.codegen.code_syntax import ModelNames
    from mbx.codegen.routine import Group, Routine
    from mbx.codegen.target import Subject
    from mbx.expr.nodes import Node

__all__ = ["Outline", "broken", "is_column", "outline"]

_WIDTH: Final = 96
_FIELD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,30}")
_MATRICES: Final = frozenset({"A", "M"})
_RESERVED: Final = frozenset(
    re.findall(
        "[a-z]+",
        "algorithm and annotation baremodule begin block break case catch class connect connector "
        "const constant constrainedby continue der discrete do each else elseif elsewhen "
        "encapsulated end enumeration equation expandable export extends external false final "
        "finally flow for function global if import impure in initial inner input let local loop "
        "macro model module not operator or otherwise outer output package parallel parameter "
        "parfor partial persistent protected public pure quote record redeclare replaceable "
        "return spmd stream struct switch then true try type using when where while within",
    )
)
"""Words of MATLAB, Julia and Modelica."""


@dataclass(frozen=True, slots=True)
class Outline:
    """Routines of a subject, and how the groups of their arguments are called in a language.

    Attributes:
        rates: Those of coordinates and of speeds.
        every: All results that can be written out.
        short: Names of groups that have members; those of `q`, `u` and the like.
        names: What arguments are called.
    """

    rates: Routine
    every: Routine
    short: Mapping[Group, str]
    names: ModelNames

    def given(self, texts: Iterable[str], template: str) -> Iterator[tuple[str, str]]:
        """Yield the arguments in texts of code: name, and group and place from 1 by a template."""
        for name, one in self.names.used_in(texts):
            yield name, template.format(self.short[one.group], one.index + 1)

    @property
    def states(self) -> tuple[Group, ...]:
        """The groups that a state is made of."""
        return tuple(one for one in ("q", "u", "higher") if self.rates.group(one))

    @property
    def outputs(self) -> tuple[str, ...]:
        """The rates that there are."""
        return tuple(key for key in ("qd", "ud") if key in self.rates.results)

    def moving(self, higher: str, last: str) -> list[str]:
        """Return the rates of speeds and of `higher`, by templates with a place from 1.

        The rate of a speed is one of `higher`, if there are any, and that of the last of these
        is a result.
        """
        beyond = len(self.rates.group("higher"))
        own = [higher.format(k + 1) for k in range(beyond)]
        return [*own, *(last.format(k + 1) for k in range(len(self.rates.group("u"))))]

    def fields(self) -> Iterator[tuple[str, str, Sequence[Sequence[Node]]]]:
        """Yield results: what each is called in code, what it means (inert), its rows."""
        for k, (key, rows) in enumerate(self.every.results.items()):
            plain = _FIELD.fullmatch(key) and key not in _RESERVED
            name = key if plain else f"result_{k + 1}"
            yield name, MEANINGS.get(key) or inert(key), rows

    def left_out(self) -> Iterator[str]:
        """Yield lines that say which results are not there, and why: inert."""
        for key, reason in self.every.left_out.items():
            yield f"without {inert(key)}: {inert(reason)}"


def outline(
    subject: Subject,
    short: Mapping[Group, str],
    reserved: Collection[str],
    in_loops: Collection[str] = (),
) -> Outline:
    """Return what of a subject is written, with names for groups; refuse what does not move.

    No argument is called as one of the reserved names, nor, where there are iterations, as one of
    those in loops.
    """
    require_accelerations(subject)
    every = routine(subject, subject.equations.results, rest=True)
    rates = every.only("qd", "ud")
    if not rates.results["ud"]:
        raise EquationsError("there is nothing to write: nothing moves")
    kept = {one: short[one] for one in GROUPS[1:] if one in short and _stands(rates, one)}
    taken = {*_RESERVED, *kept.values(), *reserved, *(in_loops if rates.iterations else ())}
    names = name_arguments(rates, taken)
    return Outline(rates, every, kept, names)


def _stands(rates: Routine, group: Group) -> bool:
    """Whether a group is an argument; inputs and parameters always are, so that calls agree."""
    return group in {"inputs", "parameters"} or bool(rates.group(group))


def is_column(field: str, rows: Sequence[Sequence[Node]]) -> bool:
    """Whether a result is a vector where a language has such; M and A are always matrices."""
    return bool(rows) and len(rows[0]) == 1 and field not in _MATRICES


def broken(text: str, indent: str, mark: str = "", width: int = _WIDTH) -> Iterator[str]:
    """Yield a statement as lines, broken behind signs and commas, each with a mark but the last.

    A line that ends so goes on in every language; `mark` is what MATLAB needs besides.
    """
    line = indent
    for part in re.split(r"(?<= [+-]) |(?<=,) ", text):
        if line.strip() and len(line) + len(part) > width:
            yield f"{line.rstrip()}{mark}"
            line = f"{indent}    "
        line += f"{part} "
    yield line.rstrip()
