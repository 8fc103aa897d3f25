"""What modules in Python share, whatever they are built on: comments, arguments, results."""

from __future__ import annotations

import builtins
import keyword
from typing import TYPE_CHECKING, Final

from mbx.codegen.code_syntax import about, float_text, inert, listed, name_arguments
from mbx.codegen.routine import GROUPS, require_accelerations, routine

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from mbx.codegen.code_syntax import ModelNames
    from mbx.codegen.routine import Group, Routine
    from mbx.codegen.sources import Copied
    from mbx.codegen.target import Subject

__all__ = [
    "MATRICES",
    "NAMES",
    "RATES",
    "both",
    "commented",
    "defaults",
    "groups",
    "header",
    "imports",
    "is_column",
    "keys",
    "names_in",
    "parameters_of",
    "said_keys",
    "said_sizes",
    "unpacked",
]

NAMES: Final = {
    "t": "t",
    "q": "q",
    "u": "u",
    "higher": "x",
    "inputs": "inputs",
    "parameters": "parameters",
}
"""What groups of arguments are called."""
MATRICES: Final = frozenset({"M", "A"})
"""Results that are matrices even if they have one column."""


RATES: Final = ("qd", "ud")
"""Results that the function `rates` gives, in order."""


def both(subject: Subject) -> tuple[Routine, Routine]:
    """Return the routines of the rates, and of all results that can be written out.

    Where the accelerations cannot, it raises `EquationsError`.
    """
    require_accelerations(subject)
    every = routine(subject, subject.equations.results, rest=True)
    return every.only(*RATES), every


def commented(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines as comments."""
    yield from (f"# {line}".rstrip() for line in lines)


def header(subject: Subject, one: Routine, names: ModelNames) -> Iterator[str]:
    """Yield comments that say what a module is, and what each argument is."""
    yield from commented([*about(subject), "", *listed(one), *names.changed()])


def imports(own: Copied, *packages: str) -> Iterator[str]:
    """Yield the imports of a module: those of the standard library, then those of packages."""
    names = tuple(f"from {line.split()[1]}" for line in packages)
    yield "from __future__ import annotations"
    yield ""
    standard = [line for line in own.imports if not line.startswith(names)]
    yield from (*standard, *(("",) if standard else ()))
    yield from packages
    yield from (line for line in own.imports if line.startswith(names))
    yield ""


def groups(one: Routine) -> list[Group]:
    """Return the groups of arguments that functions take; `higher` only where there are any."""
    return [group for group in GROUPS if group != "higher" or one.group(group)]


def names_in(one: Routine, *taken: Collection[str]) -> ModelNames:
    """Return what each argument is called by itself; no name is taken, or one of Python."""
    words = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *(NAMES[g] for g in groups(one))}
    return name_arguments(one, words.union(*taken, RATES, ("program", "rates", "results")))


def unpacked(one: Routine, names: ModelNames, template: str) -> Iterator[str]:
    """Yield assignments of the members of groups, by a template of what has all of them."""
    for group in groups(one)[1:]:
        members = [names.of[each.symbol] for each in one.group(group)]
        if members:
            comma = "," if len(members) == 1 else ""
            yield f"    {', '.join(members)}{comma} = {template.format(NAMES[group])}"


def parameters_of(one: Routine) -> str:
    """Return the arguments of a function; inputs and parameters may be left at their own values."""
    own = {"inputs": "inputs=INPUTS", "parameters": "parameters=PARAMETERS"}
    return ", ".join(own.get(group, NAMES[group]) for group in groups(one))


def defaults(one: Routine, array: str = "{0}") -> Iterator[str]:
    """Yield the values that inputs and parameters have of their own; NaN where there is none."""
    for group in ("inputs", "parameters"):
        values = [arg.default for arg in one.group(group)]
        texts = ['float("nan")' if value is None else float_text(value) for value in values]
        inside = f"[{', '.join(texts)}]"
        yield f"{group.upper()} = {array.format(inside)}"


def keys(results: Iterable[str]) -> Mapping[str, str]:
    """Return what results are called in code: a path of a model becomes a number.

    `M` stays `M`, and `reaction:tip` is `reaction_0` if it is the first reaction.
    """
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for one in results:
        kind, colon, _ = one.partition(":")
        kind = "".join(c for c in kind if c.isascii() and (c.isalnum() or c == "_")) or "result"
        if colon or kind in found.values():
            count = counts.get(kind, 0)
            while f"{kind}_{count}" in found.values():
                count += 1
            counts[kind] = count + 1
            found[one] = f"{kind}_{count}"
        else:
            found[one] = kind
    return found


def said_keys(found: Mapping[str, str], sizes: Mapping[str, str]) -> Iterator[str]:
    """Yield lines that say what each result is: inert."""
    yield "results:"
    for one, size in sizes.items():
        original = "" if one == found[one] else f" {inert(one)}"
        yield f"  {found[one]}:{original} ({size})"


def is_column(key: str, rows: Sequence[Sequence[object]]) -> bool:
    """Return whether a result is given as a vector, and not as a matrix of one column."""
    return (
        all(len(row) == 1 for row in rows) and key not in MATRICES and not key.startswith("open:")
    )


def said_sizes(one: Routine) -> dict[str, str]:
    """Return the sizes of results in words."""
    return {
        key: f"{len(rows)}"
        if is_column(key, rows)
        else f"{len(rows)} by {len(rows[0]) if rows else 0}"
        for key, rows in one.results.items()
    }
